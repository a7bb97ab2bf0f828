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
import { ServiceSettings } from '../platform/config/index.js';
import { ApiBody, ApiConsumes, ApiExcludeEndpoint, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { FormBody, PublicRateLimitGuard } from '../platform/http/index.js';
import { Clock } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { isId } from '../kernel/ids.js';
import {
  LookAlikeReceipts,
  type Payment,
  paymentNotFound,
  type PaymentOfPayer,
  PaymentsService,
  type Submission,
  type SubmissionLimits,
  SubmissionsService,
} from '../payments/index.js';
import { ownerInactive, PhonePresence } from '../stores/index.js';
import { normaliseTrxId, type PayerEntry } from '../wallets/index.js';
import { submittedView, walletsOf } from './checkout.dto.js';
import { CheckoutPageFilter } from './checkout-page.filter.js';
import { CheckoutPages } from './checkout-pages.js';
import { type CheckoutSubmission, hasForm } from './page/checkout-view.js';
import { readSubmission } from './page/submission.js';
import { ApiPage } from '../platform/web/api-page.js';

interface Answer {
  readonly status: number;
  readonly notice: string;
  readonly typed: CheckoutSubmission;
}

/** Where there is no form, none is limited. */
const NO_LIMITS: SubmissionLimits = { byHand: [], usedUp: [] };
const PAYMENT_ID = { name: 'id', format: 'uuid', description: 'Id of the payment.' } as const;
const FORM = {
  type: 'object',
  properties: {
    provider: { type: 'string', example: 'bkash', description: 'The wallet that was paid with.' },
    trxId: { type: 'string', example: 'DIJ3MXAHCJ' },
    last4digit: {
      type: 'string',
      example: '0251',
      description: 'Four digits; a whole account number stands for its last four.',
    },
  },
} as const;

/** The hosted checkout page (contract 5.22); works without JavaScript, too. */
@ApiTags('Checkout')
@Controller('pay')
@UseGuards(PublicRateLimitGuard)
@UseFilters(CheckoutPageFilter)
export class CheckoutPageController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly submissions: SubmissionsService,
    private readonly lookAlikes: LookAlikeReceipts,
    private readonly phones: PhonePresence,
    private readonly pages: CheckoutPages,
    private readonly settings: ServiceSettings,
    private readonly clock: Clock,
  ) {}

  @Get(':id')
  @ApiOperation({
    summary: 'The hosted checkout page',
    description: 'For browsers; works without JavaScript, too.',
  })
  @ApiParam(PAYMENT_ID)
  @ApiPage({
    200: '',
    403: 'A page that says so: the shop is closed.',
    404: 'A page that says so.',
    429: 'A page that says so: too many requests.',
  })
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(request, reply, await this.payment(id), null);
  }

  /**
   * A link that somebody's program has ended with a slash leads to the page; anything longer is nothing, and says so.
   */
  @Get(':id/*')
  @ApiExcludeEndpoint()
  async correct(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [path = '', query] = request.url.split('?', 2);
    if (!isId(id) || path !== `/pay/${id}/`) await this.payment('');
    void reply
      .status(308)
      .header('Location', `/pay/${id}${query === undefined ? '' : `?${query}`}`)
      .send();
  }

  /** The plain form: answered with the page again, or with a redirect to it when something has changed. */
  @Post(':id')
  @FormBody()
  @ApiOperation({
    summary: 'Submit from the page’s plain form',
    description: 'What `POST /api/v1/payments/public/{id}/verify` is to a program.',
  })
  @ApiParam(PAYMENT_ID)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: FORM })
  @ApiPage({
    303: 'Taken: back to the page, which shows where things stand.',
    400: 'The page again, which says what was typed wrong.',
    403: 'A page that says so: the shop is closed.',
    404: 'A page that says so.',
    409: 'The page again, which says why this cannot be taken.',
    413: 'A page that says so.',
    415: 'A page that says so.',
    429: 'The page again: too many submissions, or too many requests.',
  })
  async submit(
    @Param('id') id: string,
    @Query('lang') lang: unknown,
    @Body() fields: object,
    @Headers('content-type') contentType: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.payment(id);
    const { payment } = found;
    if (contentType === undefined) return this.answer(request, reply, found, null);
    const read = readSubmission(fields);
    if (!read.readable) return this.answer(request, reply, found, { ...read, status: 400 });
    const submission = asSubmission(read.submission);
    if (submission === null) {
      return this.answer(request, reply, found, {
        status: 400,
        notice: 'request.invalid',
        typed: read.submission,
      });
    }
    try {
      await this.submissions.submit(payment.id, submission);
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'conflict' && error.kind !== 'rate_limited'))
        throw error;
      // Decided in the meantime: the page says all there is to say.
      if (error.code !== 'payment.verified' && error.code !== 'payment.in_review') {
        const status = error.kind === 'conflict' ? 409 : 429;
        if (error.retryAfterSeconds !== undefined)
          void reply.header('Retry-After', String(error.retryAfterSeconds));
        const now = await this.payment(id);
        return this.answer(request, reply, now, { status, notice: error.code, typed: read.submission });
      }
    }
    const query = lang === 'bn' || lang === 'en' ? `?lang=${lang}` : '';
    void reply.status(303).header('Location', `/pay/${payment.id}${query}`).send();
  }

  private async payment(id: string): Promise<PaymentOfPayer> {
    if (!isId(id)) throw paymentNotFound();
    const found = await this.payments.getForPayer(id.toLowerCase());
    if (!found.store.ownerActive) throw ownerInactive();
    return found;
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    found: PaymentOfPayer,
    answer: Answer | null,
  ): Promise<void> {
    const { payment } = found;
    const isWaiting = payment.status === 'submitted';
    const [lookAlike, phoneQuiet] = isWaiting
      ? await Promise.all([this.lookAlikes.exists(payment), this.isPhoneQuiet(payment)])
      : [false, false];
    await this.pages.send(request, reply, {
      status: answer?.status ?? 200,
      secure: this.settings.publicUrl.startsWith('https:'),
      view: this.view(found, { lookAlike, phoneQuiet }, answer),
    });
  }

  /** Asked for where the page speaks of the phone: while an entry waits. */
  private async isPhoneQuiet({ storeId }: Payment): Promise<boolean> {
    return (await this.phones.statusOf([storeId]))(storeId).silent;
  }

  private view(
    { payment, store, limits }: PaymentOfPayer,
    { lookAlike, phoneQuiet }: { readonly lookAlike: boolean; readonly phoneQuiet: boolean },
    answer: Answer | null,
  ) {
    const now = this.clock.now();
    const { byHand, usedUp } = hasForm(payment.status) ? limits : NO_LIMITS;
    return {
      id: payment.id,
      status: payment.status,
      reviewReason: payment.reviewReason,
      amountMinor: payment.amountMinor,
      payAmountMinor: payment.payAmountMinor,
      refundedAmountMinor: payment.refundedAmountMinor,
      refundedCurrency: payment.receivedCurrency,
      currency: payment.currency,
      storeName: store.name,
      note: payment.note,
      products: payment.products === null ? null : (JSON.parse(payment.products.text) as unknown),
      wallets: walletsOf(payment, store),
      provider: payment.provider,
      submitted:
        payment.submission === null
          ? null
          : { ...submittedView(payment.submission), provider: payment.submission.provider },
      expiresAt: payment.expiresAt,
      serverTime: now,
      redirectUrl: payment.status === 'verified' ? payment.redirectUrl : null,
      cancelUrl: payment.cancelUrl,
      verifiedAt: payment.verifiedAt,
      byHand: byHand.map(entryKindOf),
      usedUp: usedUp.map(entryKindOf),
      lookAlike,
      phoneQuiet,
      notice: answer?.notice ?? null,
      typed: answer?.typed ?? null,
    };
  }
}

function entryKindOf(kind: Submission['kind']): PayerEntry {
  return kind === 'trx_id' ? 'trxId' : 'last4digit';
}

function asSubmission(
  read: { provider?: string } & ({ trxId: string } | { last4digit: string }),
): Submission | null {
  const provider = read.provider ?? null;
  if ('last4digit' in read) return { kind: 'last4digit', last4digit: read.last4digit, provider };
  const trxId = normaliseTrxId(read.trxId);
  return trxId === null ? null : { kind: 'trx_id', trxId, provider };
}
