import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Configuration } from '../config/index.js';
import { Clock } from '../kernel/clock.js';
import { messageOf } from '../kernel/error-text.js';
import { SingleRun } from '../kernel/single-run.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { PaymentChanges } from './payment-changes.js';
import { PaymentsRepository } from './payments.repository.js';
import { IDEMPOTENCY_TTL_MS } from './idempotent-answers.js';
import { LateMoney } from './late-money.js';
import { ReceiptOffers } from './receipt-offers.js';
import { RESERVED_FOR_MS } from './unique-amounts.js';

const SWEEP_INTERVAL_MS = 5_000;
const MAX_EXPIRIES_PER_STATEMENT = 500;
const MAX_REMATCHES_PER_ROUND = 200;
const MAX_STATEMENTS_PER_ROUND = 20;

/**
 * Writes down expiries, and matches again what waits (decisions §4). A safety net: every decision and every answer is right
 * without it. All replicas may run it at once.
 */
@Injectable()
export class PaymentsSweep implements OnModuleDestroy {
  private readonly logger = new Logger(PaymentsSweep.name);
  private readonly sweeping = new SingleRun(
    () => this.round(),
    (error) => this.logger.warn(messageOf(error)),
  );

  constructor(
    private readonly payments: PaymentsRepository,
    private readonly offers: ReceiptOffers,
    private readonly late: LateMoney,
    private readonly idempotency: IdempotencyRepository,
    private readonly changes: PaymentChanges,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /** Starts a round unless one runs: Nest's intervals would overlap. */
  @Interval(SWEEP_INTERVAL_MS)
  tick(): void {
    void this.sweeping.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.sweeping.stop();
  }

  /** One round: expiries, missed matches, old idempotency keys. */
  async round(): Promise<void> {
    const now = this.clock.now();
    await this.overdue(now);
    for (
      let statement = 0;
      statement < MAX_STATEMENTS_PER_ROUND && !this.sweeping.isStopping;
      statement += 1
    ) {
      const { expired, isFull } = await this.payments.storeExpiries(now, MAX_EXPIRIES_PER_STATEMENT);
      for (const paymentId of expired) this.changes.announce(paymentId);
      if (!isFull) break;
    }
    const missed = await this.payments.listMissedReceipts(
      now,
      this.configuration.qrWindowMs,
      MAX_REMATCHES_PER_ROUND,
    );
    for (const { storeId, receiptId } of missed) {
      if (this.sweeping.isStopping) return;
      await this.offers.offerAll([{ storeId, receiptId }], false);
    }
    await this.payments.releaseAmounts(new Date(now.getTime() - RESERVED_FOR_MS), MAX_EXPIRIES_PER_STATEMENT);
    await this.idempotency.prune(new Date(now.getTime() - IDEMPOTENCY_TTL_MS), MAX_EXPIRIES_PER_STATEMENT);
  }

  /** Whose time is over, and whose money came outside the window: to a person (decisions §3, `late`). */
  private async overdue(now: Date): Promise<void> {
    for (const { storeId, paymentId, last4digit } of await this.payments.listOverdueWithDigits(
      now,
      MAX_REMATCHES_PER_ROUND,
    )) {
      if (this.sweeping.isStopping) return;
      try {
        await this.late.settle(storeId, paymentId, last4digit);
      } catch (error) {
        this.logger.warn({ paymentId }, messageOf(error));
      }
    }
  }
}
