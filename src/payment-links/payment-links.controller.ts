import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Header,
  Injectable,
  Param,
  Patch,
  Post,
  Req,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, CallerIfUser } from '../accounts/index.js';
import { ServiceSettings } from '../platform/config/index.js';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, KnownQuery, PageQuery } from '../platform/http/index.js';
import {
  CurrentStore,
  ForStoreKey,
  ForStoreUsers,
  type RouteDecorators,
  type Store,
  storeArchived,
  UNDER_A_STORE,
} from '../stores/index.js';
import { LinkPages } from './link-pages.js';
import {
  CREATE_LINK_EXAMPLES,
  CreatePaymentLinkBody,
  linkChangesOf,
  newLinkOf,
  PaymentLinkPage,
  PaymentLinkView,
  paymentLinkView,
  UpdatePaymentLinkBody,
} from './payment-links.dto.js';
import { PaymentLinksService } from './payment-links.service.js';
import { requestInvalid } from '../kernel/domain-error.js';
import { linkNotFound, linkSlugTaken } from './payment-links.problems.js';

const LINK_ID = { name: 'id', format: 'uuid', description: 'Id of the payment link.' } as const;
const SVG = 'image/svg+xml';

/** The routes of payment links. Two controllers mount them, each with its own credential. */
function linkRoutes({ each = [], changing = [] }: RouteDecorators = {}) {
  @Injectable()
  class LinkRoutes {
    constructor(
      readonly links: PaymentLinksService,
      readonly pages: LinkPages,
      readonly settings: ServiceSettings,
    ) {}

    @Post()
    @applyDecorators(...each, ...changing)
    @ApiOperation({
      summary: 'Create a payment link',
      description: 'Whoever opens `url` pays: for a shop without a website it is the whole integration.',
    })
    @ApiBody({ type: CreatePaymentLinkBody, examples: CREATE_LINK_EXAMPLES })
    @ApiCreatedResponse({ type: PaymentLinkView })
    @ApiProblem(requestInvalid, linkSlugTaken, storeArchived)
    async create(
      @CallerIfUser() maker: Caller | null,
      @CurrentStore() store: Store,
      @Body() body: CreatePaymentLinkBody,
      @Req() request: FastifyRequest,
    ): Promise<PaymentLinkView> {
      const input = newLinkOf(body, request.rawBody ?? '{}');
      return paymentLinkView(await this.links.create(maker, store, input), this.settings.publicUrl);
    }

    @Get()
    @applyDecorators(...each)
    @ApiOperation({ summary: 'List payment links', description: 'Newest first.' })
    @ApiOkResponse({ type: PaymentLinkPage })
    @ApiProblem(requestInvalid)
    async list(@CurrentStore() store: Store, @KnownQuery() query: PageQuery): Promise<PaymentLinkPage> {
      const { data, nextCursor } = await this.links.listOfStore(store.id, query);
      return { data: data.map((link) => paymentLinkView(link, this.settings.publicUrl)), nextCursor };
    }

    @Get(':id')
    @applyDecorators(...each)
    @ApiOperation({ summary: 'Get a payment link' })
    @ApiParam(LINK_ID)
    @ApiOkResponse({ type: PaymentLinkView })
    @ApiProblem(linkNotFound)
    async get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentLinkView> {
      return paymentLinkView(await this.links.getOfStore(store.id, id), this.settings.publicUrl);
    }

    @Patch(':id')
    @applyDecorators(...each, ...changing)
    @ApiOperation({
      summary: 'Change a payment link',
      description: '`active: false` switches it off; null clears what may be absent.',
    })
    @ApiParam(LINK_ID)
    @ApiOkResponse({ type: PaymentLinkView })
    @ApiProblem(requestInvalid, linkNotFound, storeArchived)
    async update(
      @CallerIfUser() maker: Caller | null,
      @CurrentStore() store: Store,
      @Param('id', IdParameter) id: string,
      @Body() body: UpdatePaymentLinkBody,
    ): Promise<PaymentLinkView> {
      const link = await this.links.update(maker, store, id, linkChangesOf(body));
      return paymentLinkView(link, this.settings.publicUrl);
    }

    @Get(':id/qr')
    @applyDecorators(...each)
    @Header('Content-Type', SVG)
    @ApiOperation({ summary: 'The QR code of a payment link', description: 'An SVG, to print.' })
    @ApiParam(LINK_ID)
    @ApiProduces(SVG)
    @ApiOkResponse({ content: { [SVG]: { schema: { type: 'string' } } } })
    @ApiProblem(linkNotFound)
    async qr(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<string> {
      return this.pages.qrOf(await this.links.getOfStore(store.id, id));
    }
  }
  return LinkRoutes;
}

/** Payment links for a merchant's backend (contract 11.1). */
@ApiTags('Payment links')
@Controller('api/v1/payment-links')
@KnownQueriesOnly()
@ForStoreKey()
export class PaymentLinksController extends linkRoutes() {}

/** Payment links for the users of a store (contract 11.1). */
@ApiTags('Payment links')
@Controller('api/v1/stores/:storeId/payment-links')
@KnownQueriesOnly()
@ForStoreUsers()
export class StorePaymentLinksController extends linkRoutes(UNDER_A_STORE) {}
