export {
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  REVIEW_REASONS,
  type ReviewReason,
  type Submission,
} from './payment.js';
export { PaymentChanges } from './payment-changes.js';
export { checkoutUrlOf, newPaymentOf, CreatePaymentBody } from './payments.dto.js';
export { PaymentsModule } from './payments.module.js';
export { PaymentsService } from './payments.service.js';
export { type NewReceipt, RECEIVED_KIND, type Receipt, type ReceiptResult } from './receipt.js';
export { ReceiptsService } from './receipts.service.js';
export { SubmissionsService } from './submissions.service.js';
