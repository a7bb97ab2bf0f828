export {
  type SubmissionLimits,
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
  type Submission,
} from './payments/payment.js';
export { type AmountUnderProtection, GuessProtection, MANY_BY_DIGITS } from './matching/guess-protection.js';
export { PaymentFingerprints } from './payments/totals/payment-fingerprints.js';
export { PaymentChanges } from './payments/payment-changes.js';
export { LinkedPayments, type LinkedTotals } from './payments/totals/linked-payments.js';
export {
  checkoutUrlOf,
  CreatePaymentBody,
  merchantJsonOf,
  newPaymentOf,
  paymentFilterOf,
  PaymentQuery,
  paymentView,
} from './payments/payments.dto.js';
export { Metadata, Products, ProductView } from './payments/merchant-json.js';
export { ReceiptQuery } from './receipts/receipts.dto.js';
export {
  ApproveBody,
  approvalOf,
  CancelBody,
  endingOf,
  MatchReceiptBody,
  ReceiptReasonBody,
  RejectBody,
  type SeenBody,
  seenOf,
} from './review/review.dto.js';
export { compareMoney } from './matching/compare.js';
export type { Claim } from './matching/decision.js';
export { phoneAgreement } from './matching/phones.js';
export { type DayTotal, PaymentTotals } from './payments/totals/payment-totals.js';
export { PaymentsModule } from './payments.module.js';
export type { NewPayment } from './payments/creation/new-payment.js';
export { type PaymentOfPayer, PaymentsService } from './payments/payments.service.js';
export {
  type NewReceipt,
  RECEIPT_STATUSES,
  RECEIVED_KIND,
  type Receipt,
  type ReceiptResult,
  type ReceiptStatus,
  SENT_KIND,
} from './receipts/receipt.js';
export { ReceiptIntake } from './intake/receipt-intake.js';
export { ReceiptsService } from './receipts/receipts.service.js';
export { type Refund, refundableMinor, type SentOutcome } from './refunds/refund.js';
export { newRefundOf, RecordRefundBody } from './refunds/refunds.dto.js';
export { type NewRefund, RefundsService } from './refunds/refunds.service.js';
export { ReceiptDecisions } from './review/receipt-decisions.service.js';
export { type NextClaimants, ReviewClaims } from './review/review-claims.js';
export { ReviewService } from './review/review.service.js';
export { SubmissionsService } from './intake/submissions.service.js';
export * from './payments/payments.problems.js';
export { PAYMENT_IN_REVIEW, PAYMENT_VERIFIED, PAYMENT_VERIFIED_WEBHOOK } from './payments/verified-event.js';
export { PAYMENT_REFUNDED_WEBHOOK } from './refunds/refunded-event.js';
export * as refundProblems from './refunds/refunds.problems.js';
export { LookAlikeReceipts } from './receipts/look-alike-receipts.js';
export { type AmountShortage, UniqueAmounts } from './payments/creation/unique-amounts.js';
export { WaitingStores } from './payments/totals/waiting-stores.js';
export {
  PersonalData,
  PersonalRetention,
  type Redacted,
  type RedactedRow,
} from './payments/personal-retention.js';
export * as paymentProblems from './payments/payments.problems.js';
export { PaymentsSettings } from './payments.settings.js';
