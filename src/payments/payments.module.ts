import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../audit/index.js';
import { EventsModule } from '../events/index.js';
import { StoresModule } from '../stores/index.js';
import { TRANSITIONS, transitionTableProblems } from './payment.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotentAnswers } from './idempotent-answers.js';
import { LinkedPayments } from './linked-payments.js';
import { PaymentTotals } from './payment-totals.js';
import { PaymentReads } from './payment-reads.js';
import { PaymentChanges } from './payment-changes.js';
import { PaymentsController } from './payments.controller.js';
import { ArrivingReceipts } from './arriving-receipts.js';
import { ContestsRepository } from './contests.repository.js';
import { EntriesRepository } from './entries.repository.js';
import { GuessBrake } from './guess-brake.js';
import { LateMoney } from './late-money.js';
import { ReceiptMatching } from './receipt-matching.js';
import { ReceiptOffers } from './receipt-offers.js';
import { PaymentsRepository } from './payments.repository.js';
import { PaymentsService } from './payments.service.js';
import { PersonalRetention } from './personal-retention.js';
import { PaymentsSweep } from './payments.sweep.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { ReceiptsService } from './receipts.service.js';
import { ReviewService } from './review.service.js';
import { SecondStore } from './second-store.js';
import { Settlement } from './settlement.js';
import { StorePaymentsController } from './store-payments.controller.js';
import { StoreReceiptsController } from './store-receipts.controller.js';
import { SubmissionsService } from './submissions.service.js';
import {
  AMOUNT_SHORTAGES,
  GUESS_BRAKES,
  IDEMPOTENCY_KEYS,
  PAYMENTS,
  RECEIPT_CONTESTS,
  SUBMISSION_TRIES,
} from './payments.table.js';
import { OWNER_RECEIPTS, RECEIPTS } from './receipts.table.js';
import { RefundsController, StoreRefundsController } from './refunds/refunds.controller.js';
import { RefundsRepository } from './refunds/refunds.repository.js';
import { RefundsService } from './refunds/refunds.service.js';
import { REFUNDS } from './refunds/refunds.table.js';
import { LookAlikeReceipts } from './look-alike-receipts.js';
import { UniqueAmounts } from './unique-amounts.js';
import { WaitingStores } from './waiting-stores.js';

const TABLES = [
  PAYMENTS,
  SUBMISSION_TRIES,
  RECEIPTS,
  RECEIPT_CONTESTS,
  OWNER_RECEIPTS,
  GUESS_BRAKES,
  AMOUNT_SHORTAGES,
  IDEMPOTENCY_KEYS,
  REFUNDS,
];

/** The heart: payments, receipts, and how they find each other. */
@Module({
  imports: [
    TypeOrmModule.forFeature(TABLES.map((table) => table.entity())),
    AccountsModule,
    AuditModule,
    EventsModule,
    StoresModule,
  ],
  controllers: [
    PaymentsController,
    RefundsController,
    StorePaymentsController,
    StoreReceiptsController,
    StoreRefundsController,
  ],
  providers: [
    WaitingStores,
    LookAlikeReceipts,
    PaymentsService,
    PaymentsRepository,
    PaymentReads,
    EntriesRepository,
    ContestsRepository,
    GuessBrake,
    LateMoney,
    ArrivingReceipts,
    ReceiptMatching,
    ReceiptOffers,
    IdempotencyRepository,
    IdempotentAnswers,
    LinkedPayments,
    PaymentChanges,
    PaymentsSweep,
    PersonalRetention,
    ReceiptsService,
    ReceiptsRepository,
    RefundsRepository,
    RefundsService,
    PaymentTotals,
    ReviewService,
    SecondStore,
    Settlement,
    SubmissionsService,
    UniqueAmounts,
  ],
  exports: [
    WaitingStores,
    LookAlikeReceipts,
    GuessBrake,
    PersonalRetention,
    PaymentsService,
    LinkedPayments,
    ReceiptsService,
    RefundsService,
    PaymentTotals,
    ReviewService,
    SubmissionsService,
    UniqueAmounts,
    PaymentChanges,
  ],
})
export class PaymentsModule implements OnModuleInit {
  onModuleInit(): void {
    const problems = transitionTableProblems(TRANSITIONS);
    if (problems.length > 0)
      throw new Error(`The transition table of payments is unsound: ${problems.join(' ')}`);
  }
}
