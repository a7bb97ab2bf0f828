import { type Abstract, Module, type OnModuleInit, type Provider, type Type } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../platform/audit/index.js';
import { Database, forTables } from '../platform/database/index.js';
import { EventsModule } from '../platform/events/index.js';
import { StoresModule } from '../stores/index.js';
import { TRANSITIONS, transitionTableProblems } from './payments/payment.js';
import { IdempotencyRepository } from './payments/idempotency/idempotency.repository.js';
import { IdempotentAnswers } from './payments/idempotency/idempotent-answers.js';
import { LinkedPayments } from './payments/totals/linked-payments.js';
import { PaymentTotals } from './payments/totals/payment-totals.js';
import { BatchedPaymentCreation } from './payments/fast-path/batched-payment-creation.js';
import { SharedPaymentReads } from './payments/fast-path/shared-payment-reads.js';
import { PaymentCreation, PlainPaymentCreation } from './payments/creation/payment-creation.js';
import { PaymentReads, PlainPaymentReads } from './payments/payment-reads.js';
import { PaymentFingerprints } from './payments/totals/payment-fingerprints.js';
import { PaymentChanges } from './payments/payment-changes.js';
import { PaymentsController } from './payments/payments.controller.js';
import { BatchedReceiptIntake } from './intake/fast-path/batched-receipt-intake.js';
import { PlainReceiptIntake } from './intake/plain-receipt-intake.js';
import { ReceiptIntake } from './intake/receipt-intake.js';
import { ClaimsRepository } from './matching/claims.repository.js';
import { SubmissionsRepository } from './matching/submissions.repository.js';
import { MatchingCases } from './matching/matching-cases.js';
import { GuessCountsRepository } from './matching/guess-counts.repository.js';
import { GuessProtection } from './matching/guess-protection.js';
import { MissedMoneyRepository } from './intake/missed-money.repository.js';
import { LateMoney } from './intake/late-money.js';
import { ReleasedReceipts } from './intake/released-receipts.js';
import { PaymentsRepository } from './payments/payments.repository.js';
import { PaymentsService } from './payments/payments.service.js';
import { PersonalRetention } from './payments/personal-retention.js';
import { PaymentsSweep } from './intake/payments.sweep.js';
import { ReceiptsRepository } from './receipts/receipts.repository.js';
import { ReceiptsService } from './receipts/receipts.service.js';
import {
  PaymentCancellationController,
  PaymentDecisionsController,
  ReceiptDecisionsController,
} from './review/review.controller.js';
import { ReceiptDecisions } from './review/receipt-decisions.service.js';
import { ReviewClaims } from './review/review-claims.js';
import { ReviewService } from './review/review.service.js';
import { SecondStore } from './receipts/second-store.js';
import { PaymentTransitions } from './payments/payment-transitions.js';
import { StorePaymentsController } from './payments/store-payments.controller.js';
import { StoreReceiptsController } from './receipts/receipts.controller.js';
import { SubmissionsService } from './intake/submissions.service.js';
import {
  AMOUNT_SHORTAGES,
  IDEMPOTENCY_KEYS,
  PAYMENTS,
  RECEIPT_CLAIMS,
  SUBMISSIONS,
} from './payments/payments.table.js';
import { OWNER_RECEIPTS, RECEIPTS } from './receipts/receipts.table.js';
import { RefundsController, StoreRefundsController } from './refunds/refunds.controller.js';
import { RefundsRepository } from './refunds/refunds.repository.js';
import { RefundsService } from './refunds/refunds.service.js';
import { REFUNDS } from './refunds/refunds.table.js';
import { LookAlikeReceipts } from './receipts/look-alike-receipts.js';
import { SubmissionCounts } from './payments/submission-counts.js';
import { UniqueAmounts } from './payments/creation/unique-amounts.js';
import { WaitingStores } from './payments/totals/waiting-stores.js';

const TABLES = [
  PAYMENTS,
  SUBMISSIONS,
  RECEIPTS,
  RECEIPT_CLAIMS,
  OWNER_RECEIPTS,
  AMOUNT_SHORTAGES,
  IDEMPOTENCY_KEYS,
  REFUNDS,
];

/**
 * Classes of which there are two: the plain one, which is the specification, and a faster one for requests of the same
 * moment. The fast one is used unless `FAST_PATHS` is off or the tables are spread over a cluster.
 */
function eitherOf<Of>(port: Abstract<Of>, plain: Type<Of>, fast: Type<Of>): Provider[] {
  const useFactory = (database: Database, plainOne: Of, fastOne: Of) =>
    database.hasFastPaths ? fastOne : plainOne;
  return [plain, fast, { provide: port, inject: [Database, plain, fast], useFactory }];
}

/** The heart: payments, receipts, and how they find each other. */
@Module({
  imports: [forTables(...TABLES), AccountsModule, AuditModule, EventsModule, StoresModule],
  controllers: [
    PaymentsController,
    PaymentCancellationController,
    RefundsController,
    StorePaymentsController,
    PaymentDecisionsController,
    StoreReceiptsController,
    ReceiptDecisionsController,
    StoreRefundsController,
  ],
  providers: [
    WaitingStores,
    LookAlikeReceipts,
    PaymentsService,
    PaymentsRepository,
    ...eitherOf(PaymentCreation, PlainPaymentCreation, BatchedPaymentCreation),
    ...eitherOf(PaymentReads, PlainPaymentReads, SharedPaymentReads),
    SubmissionsRepository,
    ClaimsRepository,
    GuessCountsRepository,
    GuessProtection,
    MatchingCases,
    LateMoney,
    MissedMoneyRepository,
    ...eitherOf(ReceiptIntake, PlainReceiptIntake, BatchedReceiptIntake),
    ReleasedReceipts,
    IdempotencyRepository,
    IdempotentAnswers,
    LinkedPayments,
    PaymentChanges,
    PaymentFingerprints,
    PaymentsSweep,
    PersonalRetention,
    ReceiptsService,
    ReceiptsRepository,
    RefundsRepository,
    RefundsService,
    PaymentTotals,
    ReviewService,
    ReceiptDecisions,
    ReviewClaims,
    SecondStore,
    PaymentTransitions,
    SubmissionCounts,
    SubmissionsService,
    UniqueAmounts,
  ],
  exports: [
    ReceiptIntake,
    WaitingStores,
    LookAlikeReceipts,
    GuessProtection,
    PersonalRetention,
    PaymentsService,
    LinkedPayments,
    ReceiptsService,
    RefundsService,
    PaymentTotals,
    ReviewService,
    ReceiptDecisions,
    ReviewClaims,
    SubmissionsService,
    UniqueAmounts,
    PaymentChanges,
    PaymentFingerprints,
  ],
})
export class PaymentsModule implements OnModuleInit {
  onModuleInit(): void {
    const problems = transitionTableProblems(TRANSITIONS);
    if (problems.length > 0)
      throw new Error(`The transition table of payments is unsound: ${problems.join(' ')}`);
  }
}
