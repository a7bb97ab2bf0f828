import { Body, Controller, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { type Caller, CurrentCaller, USERS_FORBIDDEN } from '../../accounts/index.js';
import { ServiceSettings } from '../../platform/config/index.js';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, OptionalBody } from '../../platform/http/index.js';
import { CurrentStore, ForStoreKey, ForStoreUsers, NeedsRole, type Store } from '../../stores/index.js';
import type { Payment } from '../payments/payment.js';
import { PaymentView, paymentView } from '../payments/payments.dto.js';
import { ReceiptView, receiptView } from '../receipts/receipts.dto.js';
import {
  APPROVE_EXAMPLES,
  ApproveBody,
  approvalOf,
  CANCEL_EXAMPLES,
  CancelBody,
  endingOf,
  MatchedReceiptView,
  MatchReceiptBody,
  ReceiptReasonBody,
  REJECT_EXAMPLES,
  RejectBody,
  seenOf,
} from './review.dto.js';
import { ReceiptDecisions } from './receipt-decisions.service.js';
import { ReviewService } from './review.service.js';
import {
  paymentCancelled,
  paymentChanged,
  paymentExpired,
  paymentNotFound,
  paymentPending,
  paymentSubmitted,
  paymentVerified,
  receiptAlreadyMatched,
  receiptClaimed,
  receiptIgnored,
  receiptNotFound,
  receiptNotVoid,
  receiptRequired,
  receiptVoid,
  simulationDisabled,
} from '../payments/payments.problems.js';
import { requestInvalid } from '../../kernel/domain-error.js';

/** Codes of a decision about a payment that nobody has to decide about. */
const NOT_IN_REVIEW = [paymentPending, paymentSubmitted, paymentVerified, paymentExpired, paymentCancelled];

/** Problems of a cancellation, whoever asks for it. */
const CANCEL_PROBLEMS = [
  requestInvalid,
  receiptRequired,
  paymentNotFound,
  receiptNotFound,
  paymentVerified,
  paymentExpired,
  paymentCancelled,
  receiptClaimed,
  paymentChanged,
];

/** A merchant's backend ends a payment with the store's API key (contract 3.28). */
@ApiTags('Payments')
@Controller('api/v1/payments')
@KnownQueriesOnly()
@ForStoreKey()
export class PaymentCancellationController {
  constructor(
    private readonly review: ReviewService,
    private readonly settings: ServiceSettings,
  ) {}

  @Post(':id/cancel')
  @OptionalBody()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'paymentsCancel',
    summary: 'Cancel a payment',
    description:
      'Its TrxID and its receipt are released, or void: `receipt` says which. The body may be left out.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: CancelBody, required: false, examples: CANCEL_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(...CANCEL_PROBLEMS)
  async cancel(
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: CancelBody,
  ): Promise<PaymentView> {
    return this.view(await this.review.cancel({ address }, store.id, id, endingOf(body)));
  }

  private view(payment: Payment): PaymentView {
    return paymentView(payment, this.settings.publicUrl);
  }
}

/** Decisions of users about payments (contract 3.28). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/payments')
@KnownQueriesOnly()
@ForStoreUsers()
export class PaymentDecisionsController {
  constructor(
    private readonly review: ReviewService,
    private readonly settings: ServiceSettings,
  ) {}

  @Post(':id/approve')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storePaymentsApprove',
    summary: 'Approve a payment in review',
    description: 'It becomes verified. Amounts stay what they are.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: ApproveBody, examples: APPROVE_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(
    requestInvalid,
    receiptRequired,
    ...USERS_FORBIDDEN,
    simulationDisabled,
    paymentNotFound,
    receiptNotFound,
    ...NOT_IN_REVIEW,
    paymentChanged,
    receiptAlreadyMatched,
    receiptIgnored,
    receiptVoid,
  )
  async approve(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: ApproveBody,
  ): Promise<PaymentView> {
    return this.view(await this.review.approve(caller, store.id, id, approvalOf(body)));
  }

  @Post(':id/reject')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storePaymentsReject',
    summary: 'Reject a payment in review',
    description: 'It is cancelled; its receipt is released, or void: `receipt` says which.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: RejectBody, examples: REJECT_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(
    requestInvalid,
    receiptRequired,
    paymentNotFound,
    receiptNotFound,
    ...NOT_IN_REVIEW,
    paymentChanged,
    receiptClaimed,
  )
  async reject(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: RejectBody,
  ): Promise<PaymentView> {
    return this.view(
      await this.review.reject(caller, store.id, id, { reason: body.reason, ...endingOf(body) }),
    );
  }

  @Post(':id/cancel')
  @OptionalBody()
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storePaymentsCancel',
    summary: 'Cancel a payment of a store',
    description:
      'Its TrxID and its receipt are released, or void: `receipt` says which. The body may be left out.',
  })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiBody({ type: CancelBody, required: false, examples: CANCEL_EXAMPLES })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(...CANCEL_PROBLEMS)
  async cancel(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: CancelBody,
  ): Promise<PaymentView> {
    return this.view(await this.review.cancel(caller, store.id, id, endingOf(body)));
  }

  private view(payment: Payment): PaymentView {
    return paymentView(payment, this.settings.publicUrl);
  }
}

/** Decisions of users about receipts (contract 3.28). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/receipts')
@KnownQueriesOnly()
@ForStoreUsers()
export class ReceiptDecisionsController {
  constructor(
    private readonly review: ReviewService,
    private readonly decisions: ReceiptDecisions,
    private readonly settings: ServiceSettings,
  ) {}

  @Post(':receiptId/void')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storeReceiptsVoid',
    summary: 'Void a receipt that is attached to no payment',
    description: 'Its money went back, or was for something else: it never pays anything again.',
  })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(requestInvalid, receiptNotFound, receiptClaimed, receiptIgnored, receiptVoid)
  async void(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: ReceiptReasonBody,
  ): Promise<ReceiptView> {
    return receiptView(await this.decisions.void(caller, store.id, receiptId, body.reason));
  }

  @Post(':receiptId/restore')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storeReceiptsRestore',
    summary: 'Take back that a receipt was voided',
    description: 'It can be matched again.',
  })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(requestInvalid, receiptNotFound, receiptNotVoid)
  async restore(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: ReceiptReasonBody,
  ): Promise<ReceiptView> {
    return receiptView(await this.decisions.restore(caller, store.id, receiptId, body.reason));
  }

  @Post(':receiptId/match')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'storeReceiptsMatch',
    summary: 'Match an unmatched receipt to a payment',
    description: 'The payment is verified when the amounts are equal, and goes to review otherwise.',
  })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: MatchedReceiptView })
  @ApiProblem(
    requestInvalid,
    ...USERS_FORBIDDEN,
    simulationDisabled,
    receiptNotFound,
    paymentNotFound,
    receiptAlreadyMatched,
    receiptIgnored,
    receiptVoid,
    paymentVerified,
    paymentCancelled,
    paymentChanged,
  )
  async match(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: MatchReceiptBody,
  ): Promise<MatchedReceiptView> {
    const { paymentId, reason, seen } = body;
    const decision = { paymentId: paymentId.toLowerCase(), reason, seen: seenOf(seen) };
    const { payment, receipt } = await this.review.match(caller, store.id, receiptId, decision);
    return { ...receiptView(receipt), payment: paymentView(payment, this.settings.publicUrl) };
  }
}
