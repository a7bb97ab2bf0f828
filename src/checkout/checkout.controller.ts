import { Body, Controller, Get, HttpStatus, Ip, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiProblem,
  IdParameter,
  KnownQueriesOnly,
  PublicRateLimitGuard,
  rateLimited,
  STREAM_HEADERS,
} from '../platform/http/index.js';
import { Clock } from '../kernel/clock.js';
import {
  type Payment,
  paymentCancelled,
  paymentExpired,
  paymentNotFound,
  PaymentsService,
  paymentVerified,
  qrNotOffered,
  SubmissionsService,
  tooManyAttempts,
  trxIdUsed,
} from '../payments/index.js';
import { ownerInactive, type Store } from '../stores/index.js';
import {
  PublicPaymentView,
  publicPaymentView,
  submissionOf,
  VERIFY_EXAMPLES,
  VerifyBody,
  VerifyResultView,
  verifyResultView,
} from './checkout.dto.js';
import { StatusStream } from './status-stream.js';
import { requestInvalid } from '../kernel/domain-error.js';

const STATUS_EVENT_EXAMPLE = 'event: status\ndata: {"status":"submitted"}\n\n';
const PAYMENT_ID = { name: 'id', format: 'uuid', description: 'Id of the payment.' } as const;

/** The payer's door: no credential, the payment id is the capability (specification §4, contract 5.1). */
@ApiTags('Checkout')
@Controller('api/v1/payments/public')
@KnownQueriesOnly()
@UseGuards(PublicRateLimitGuard)
export class CheckoutController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly submissions: SubmissionsService,
    private readonly stream: StatusStream,
    private readonly clock: Clock,
  ) {}

  @Get(':id')
  @ApiOperation({
    summary: 'What the checkout page shows',
    description: 'Never the customer’s phone, the payer’s number, metadata or a secret.',
  })
  @ApiParam(PAYMENT_ID)
  @ApiOkResponse({ type: PublicPaymentView })
  @ApiProblem(ownerInactive, paymentNotFound, rateLimited)
  async get(@Param('id', IdParameter) id: string): Promise<PublicPaymentView> {
    const { payment, store } = await this.open(id);
    return publicPaymentView(payment, store, this.clock.now());
  }

  @Post(':id/verify')
  @ApiOperation({
    summary: 'Submit the TrxID, or for Bangla QR the last four digits',
    description: 'Repeating the same submission answers with the status as it is now.',
  })
  @ApiParam(PAYMENT_ID)
  @ApiBody({ type: VerifyBody, examples: VERIFY_EXAMPLES })
  @ApiOkResponse({ type: VerifyResultView, description: 'Verified, or in review.' })
  @ApiAcceptedResponse({ type: VerifyResultView, description: 'Submitted; waiting for the receipt.' })
  @ApiProblem(
    requestInvalid,
    ownerInactive,
    paymentNotFound,
    trxIdUsed,
    paymentExpired,
    paymentCancelled,
    paymentVerified,
    qrNotOffered,
    rateLimited,
    tooManyAttempts,
  )
  async verify(
    @Param('id', IdParameter) id: string,
    @Body() body: VerifyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VerifyResultView> {
    await this.open(id);
    const payment = await this.submissions.submit(id, submissionOf(body));
    void reply.status(payment.status === 'submitted' ? HttpStatus.ACCEPTED : HttpStatus.OK);
    return verifyResultView(payment);
  }

  @Get(':id/events')
  @ApiOperation({
    summary: 'Follow the status',
    description: 'Server-Sent Events: `status` at once and on each change, and a comment every 15 s.',
  })
  @ApiParam(PAYMENT_ID)
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ schema: { type: 'string', example: STATUS_EVENT_EXAMPLE } })
  @ApiProblem(ownerInactive, paymentNotFound, rateLimited)
  async events(
    @Param('id', IdParameter) id: string,
    @Ip() address: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') {
      await this.open(id);
      void reply.headers(STREAM_HEADERS).send();
      return;
    }
    const { raw } = reply;
    const stream = this.stream.take(address, raw);
    const { payment } = await this.open(id);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    stream.begin();
    request.raw.socket.setTimeout(0);
    this.stream.follow(payment, stream);
  }

  /** @throws DomainError `payment.not_found`; `store.owner_inactive` while the shop is closed (contract 14.31) */
  private async open(id: string): Promise<{ payment: Payment; store: Store }> {
    const found = await this.payments.getWithStore(id);
    if (!found.store.ownerActive) throw ownerInactive();
    return found;
  }
}
