export {
  type EntryLimits,
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
  type Submission,
} from './payment.js';
export { type ActiveBrake, type BrakeOfStore, GuessBrake, MANY_BY_DIGITS } from './guess-brake.js';
export { PaymentChanges } from './payment-changes.js';
export { LinkedPayments, type LinkedTotals } from './linked-payments.js';
export {
  checkoutUrlOf,
  CreatePaymentBody,
  merchantJsonOf,
  newPaymentOf,
  paymentFilterOf,
  PaymentQuery,
  paymentView,
  ProductView,
} from './payments.dto.js';
export { ReceiptQuery } from './receipts.dto.js';
export {
  ApproveBody,
  CancelBody,
  endingOf,
  MatchReceiptBody,
  ReceiptReasonBody,
  RejectBody,
} from './review.dto.js';
export { compareMoney, type Contest } from './matching.js';
export { phoneAgreement } from './phones.js';
export { type DayTotal, PaymentTotals } from './payment-totals.js';
export { PaymentsModule } from './payments.module.js';
export { type NewPayment, type PaymentOfPayer, PaymentsService } from './payments.service.js';
export {
  type NewReceipt,
  RECEIPT_STATUSES,
  RECEIVED_KIND,
  type Receipt,
  type ReceiptResult,
  type ReceiptStatus,
  SENT_KIND,
} from './receipt.js';
export { ReceiptsService } from './receipts.service.js';
export { type Refund, refundableMinor, type SentOutcome } from './refunds/refund.js';
export { newRefundOf, RecordRefundBody } from './refunds/refunds.dto.js';
export { type NewRefund, RefundsService } from './refunds/refunds.service.js';
export { type Heirs, ReviewService } from './review.service.js';
export { SubmissionsService } from './submissions.service.js';
export { PAYMENTS_CODES, simulationDisabled } from './payments.errors.js';
export { PAYMENT_IN_REVIEW, PAYMENT_VERIFIED, PAYMENT_VERIFIED_WEBHOOK } from './verified-event.js';
export { PAYMENT_REFUNDED_WEBHOOK } from './refunds/refunded-event.js';
export { REFUNDS_CODES } from './refunds/refunds.errors.js';
export { LookAlikeReceipts } from './look-alike-receipts.js';
export { type AmountShortage, UniqueAmounts } from './unique-amounts.js';
export { WaitingStores } from './waiting-stores.js';
export { PersonalRetention, type RedactedRow } from './personal-retention.js';
