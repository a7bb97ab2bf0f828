import { Body, Controller, Get, HttpCode, Ip, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentPerson, PEOPLE_FORBIDDEN, Person } from '../accounts/index.js';
import { Configuration } from '../config/index.js';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProblem,
  ApiTags,
  IdParameter,
  OptionalBody,
} from '../http/index.js';
import { CurrentStore, ForStorePeople, NeedsRole, type Store } from '../stores/index.js';
import type { Payment } from './payment.js';
import {
  CREATE_PAYMENT_EXAMPLES,
  CREATED_PAYMENT_EXAMPLE,
  CreatePaymentBody,
  newPaymentOf,
  paymentFilterOf,
  PaymentPage,
  PaymentQuery,
  PaymentView,
  paymentView,
} from './payments.dto.js';
import {
  APPROVE_EXAMPLES,
  ApproveBody,
  CANCEL_EXAMPLES,
  CancelBody,
  endingOf,
  REJECT_EXAMPLES,
  RejectBody,
} from './review.dto.js';
import { PaymentsService } from './payments.service.js';
import { ReviewService } from './review.service.js';

/** Codes of a decision about a payment that nobody has to decide about. */
const NOT_IN_REVIEW = [
  'payment.pending',
  'payment.submitted',
  'payment.verified',
  'payment.expired',
  'payment.cancelled',
];

/** Payments of a store for its people, and their review (decisions §3). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/payments')
@ForStorePeople()
export class StorePaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly review: ReviewService,
    private readonly configuration: Configuration,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List payments of a store',
    description: 'Newest first; `status=review` is the work list.',
  })
  @ApiOkResponse({ type: PaymentPage })
  @ApiProblem(400)
  async list(@CurrentStore() store: Store, @Query() query: PaymentQuery): Promise<PaymentPage> {
    const page = await this.payments.listOfStore(store.id, paymentFilterOf(query), query);
    return { data: page.data.map((payment) => this.view(payment)), nextCursor: page.nextCursor };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a payment of a store' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(404, 'payment.not_found')
  async get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentView> {
    return this.view(await this.payments.getOfStore(store.id, id));
  }

  @Post(':id/approve')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve a payment in review',
    description: 'It becomes verified. Amounts stay what they are.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: ApproveBody, examples: APPROVE_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(
    ...[400, 'request.invalid', 'payment.receipt_required'],
    ...[403, ...PEOPLE_FORBIDDEN, 'simulate.disabled'],
    ...[404, 'payment.not_found', 'receipt.not_found'],
    ...[409, ...NOT_IN_REVIEW, 'receipt.already_matched', 'receipt.ignored', 'receipt.void'],
  )
  async approve(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: ApproveBody,
  ): Promise<PaymentView> {
    const decision = { reason: body.reason, receiptId: body.receiptId?.toLowerCase() };
    return this.view(await this.review.approve({ person, address }, store.id, id, decision));
  }

  @Post(':id/reject')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reject a payment in review',
    description: 'It is cancelled; its receipt is free again, or void: `receipt` says which.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: RejectBody, examples: REJECT_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(
    ...[400, 'request.invalid', 'payment.receipt_required', 404, 'payment.not_found', 'receipt.not_found'],
    ...[409, ...NOT_IN_REVIEW, 'receipt.claimed'],
  )
  async reject(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: RejectBody,
  ): Promise<PaymentView> {
    return this.view(
      await this.review.reject({ person, address }, store.id, id, { reason: body.reason, ...endingOf(body) }),
    );
  }

  @Post()
  @NeedsRole('reviewer')
  @ApiOperation({ summary: 'Create a payment', description: 'As the merchant’s backend does, for people.' })
  @ApiBody({ type: CreatePaymentBody, examples: CREATE_PAYMENT_EXAMPLES })
  @ApiCreatedResponse({ type: PaymentView, example: CREATED_PAYMENT_EXAMPLE })
  @ApiProblem(400, 409, 'store.archived')
  async create(
    @CurrentStore() store: Store,
    @Body() body: CreatePaymentBody,
    @Req() request: FastifyRequest,
  ): Promise<PaymentView> {
    const input = newPaymentOf(body, request.rawBody ?? '{}');
    return this.view(await this.payments.create(store, input));
  }

  @Post(':id/cancel')
  @OptionalBody()
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Cancel a payment of a store',
    description:
      'Its TrxID and its receipt are free again, or void: `receipt` says which. The body may be left out.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: CancelBody, required: false, examples: CANCEL_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(
    ...[400, 'request.invalid', 'payment.receipt_required', 404, 'payment.not_found', 'receipt.not_found'],
    ...[409, 'payment.verified', 'payment.expired', 'payment.cancelled', 'receipt.claimed'],
  )
  async cancel(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: CancelBody,
  ): Promise<PaymentView> {
    return this.view(await this.review.cancel({ person, address }, store.id, id, endingOf(body)));
  }

  private view(payment: Payment): PaymentView {
    return paymentView(payment, this.configuration.publicUrl);
  }
}
