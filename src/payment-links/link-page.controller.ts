import {
  Body,
  Controller,
  Get,
  Headers,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiBody, ApiConsumes, ApiExcludeEndpoint, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  addressGroup,
  ApiProblem,
  bodyTooLarge,
  FormBody,
  PublicRateLimitGuard,
  unsupportedMediaType,
} from '../platform/http/index.js';
import { newId } from '../kernel/ids.js';
import { languageOf } from '../platform/web/language.js';
import { LinkPageFilter } from './link-page.filter.js';
import { LinkPages } from './link-pages.js';
import { LinkPaymentsService, type OpenedLink } from './link-payments.service.js';
import { readLinkForm } from './page/link-form.js';
import { IPV6_PREFIX_BITS, SLUG_PATTERN } from './payment-link.js';
import { linkNotFound } from './payment-links.problems.js';
import { ApiPage } from '../platform/web/api-page.js';

/** When an address with too many open payments may try again: one of them may be paid at any moment. */
const TOO_MANY_OPEN_RETRY_SECONDS = 60;

const SLUG = { name: 'slug', description: 'End of the link’s address.' } as const;
const FORM = {
  type: 'object',
  properties: {
    form: { type: 'string', description: 'The page’s own token: the same form sent twice is one payment.' },
    amount: { type: 'string', example: '250', description: 'Where the link leaves it to the payer.' },
    name: { type: 'string', example: 'Rahim Uddin', description: 'Where the link asks for it.' },
    phone: { type: 'string', example: '01700000002', description: 'Where the link asks for it.' },
  },
} as const;

/** The page of a payment link (contract 11.7); needs no JavaScript. */
@ApiTags('Payment links')
@Controller('l')
@UseGuards(PublicRateLimitGuard)
@UseFilters(LinkPageFilter)
export class LinkPageController {
  constructor(
    private readonly payments: LinkPaymentsService,
    private readonly pages: LinkPages,
  ) {}

  @Get(':slug')
  @ApiOperation({
    summary: 'The page of a payment link',
    description: 'For browsers: what is to be paid, with a field for the amount, name and phone where asked.',
  })
  @ApiParam(SLUG)
  @ApiPage({
    200: '',
    404: 'A page that says so.',
    410: 'A page that says so: off, expired or used up.',
    429: 'A page that says so: too many requests.',
  })
  async show(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const opened = await this.open(slug);
    if (opened.closed !== null) return this.pages.sendClosed(request, reply, opened, opened.closed);
    await this.pages.sendForm(request, reply, opened, null);
  }

  /**
   * A link that somebody's program has ended with a slash leads to the page; anything longer is nothing, and says so.
   */
  @Get(':slug/*')
  @ApiExcludeEndpoint()
  correct(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const [path = '', query] = request.url.split('?', 2);
    if (!SLUG_PATTERN.test(slug) || path !== `/l/${slug}/`) throw linkNotFound();
    void reply
      .status(308)
      .header('Location', `/l/${slug}${query === undefined ? '' : `?${query}`}`)
      .send();
  }

  @Post(':slug')
  @FormBody()
  @ApiOperation({
    summary: 'Pay through a link',
    description:
      'Creates a payment and leads to its checkout page; the same form sent again leads to the same.',
  })
  @ApiParam(SLUG)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: FORM })
  @ApiPage({
    303: 'To the checkout page of the payment.',
    400: 'The page again, which says what was typed wrong.',
    404: 'A page that says so.',
    410: 'A page that says so: off, expired or used up.',
    429: 'A page that says so: too many open payments, or requests.',
  })
  @ApiProblem(bodyTooLarge, unsupportedMediaType)
  async pay(
    @Param('slug') slug: string,
    @Query('lang') lang: unknown,
    @Body() fields: object,
    @Headers('content-type') contentType: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const opened = await this.open(slug);
    const read = readLinkForm(contentType === undefined ? {} : fields, opened.link, newId);
    if (!read.readable) {
      if (opened.closed !== null) return this.pages.sendClosed(request, reply, opened, opened.closed);
      return this.pages.sendForm(request, reply, opened, read);
    }
    const result = await this.payments.pay(opened, read.order, addressGroup(request.ip, IPV6_PREFIX_BITS));
    if (result.kind === 'closed') return this.pages.sendClosed(request, reply, opened, result.reason);
    if (result.kind === 'too_many_open')
      return this.pages.sendTooManyOpen(request, reply, opened, TOO_MANY_OPEN_RETRY_SECONDS);
    const language = languageOf(lang);
    const query = language === null ? '' : `?lang=${language}`;
    void reply.status(303).header('Location', `/pay/${result.paymentId}${query}`).send();
  }

  /** Slugs are in lower case; a phone's keyboard begins with a capital. */
  private async open(slug: string): Promise<OpenedLink> {
    const wanted = slug.toLowerCase();
    if (!SLUG_PATTERN.test(wanted)) throw linkNotFound();
    return this.payments.open(wanted);
  }
}
