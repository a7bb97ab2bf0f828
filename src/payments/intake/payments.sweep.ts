import { Injectable } from '@nestjs/common';
import { ScheduledJob } from '../../platform/database/index.js';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/error-text.js';
import { IdempotencyRepository } from '../payments/idempotency/idempotency.repository.js';
import { PaymentChanges } from '../payments/payment-changes.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { IDEMPOTENCY_TTL_MS } from '../payments/idempotency/idempotent-answers.js';
import { LateMoney } from './late-money.js';
import { MissedMoneyRepository, type Overdue } from './missed-money.repository.js';
import { ReleasedReceipts } from './released-receipts.js';
import { RESERVED_FOR_MS } from '../payments/payment.js';
import { PaymentsSettings } from '../payments.settings.js';

const SWEEP_INTERVAL_MS = 5_000;
const MAX_EXPIRIES_PER_STATEMENT = 500;
const MAX_REMATCHES_PER_ROUND = 200;
const MAX_OVERDUE_PER_STATEMENT = 200;
const MAX_STATEMENTS_PER_ROUND = 20;

/**
 * Writes down expiries, and matches again what waits (contract 4.107). A safety net: every decision and every answer
 * is right without it. All replicas may run it at once.
 */
@Injectable()
export class PaymentsSweep extends ScheduledJob {
  /** The last receipt of a round that could not see to all: the next one goes on behind it. */
  private lastMissedId: string | null = null;

  constructor(
    private readonly payments: PaymentsRepository,
    private readonly missedMoney: MissedMoneyRepository,
    private readonly released: ReleasedReceipts,
    private readonly late: LateMoney,
    private readonly idempotency: IdempotencyRepository,
    private readonly changes: PaymentChanges,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  @Interval(SWEEP_INTERVAL_MS)
  override run(): Promise<void> {
    return super.run();
  }

  /** One round: expiries, missed matches, old idempotency keys. */
  async round(): Promise<void> {
    const now = this.clock.now();
    const graceUntil = await this.decideOverdue(now);
    if (this.isStopping) return;
    for (let statement = 0; statement < MAX_STATEMENTS_PER_ROUND && !this.isStopping; statement += 1) {
      const { expired, isFull } = await this.payments.storeExpiries(
        now,
        graceUntil,
        MAX_EXPIRIES_PER_STATEMENT,
      );
      for (const paymentId of expired) this.changes.announce(paymentId);
      if (!isFull) break;
    }
    if (this.isStopping) return;
    await this.offerMissed(now);
    await this.payments.releaseAmounts(new Date(now.getTime() - RESERVED_FOR_MS), MAX_EXPIRIES_PER_STATEMENT);
    await this.idempotency.prune(new Date(now.getTime() - IDEMPOTENCY_TTL_MS), MAX_EXPIRIES_PER_STATEMENT);
  }

  /**
   * Nobody is offered again and again before the others: a receipt that nobody can be given is in this list for as
   * long as somebody waits for it.
   */
  private async offerMissed(now: Date): Promise<void> {
    const missed = await this.missedMoney.listMissedReceipts(
      now,
      this.settings.qrWindowMs,
      this.lastMissedId,
      MAX_REMATCHES_PER_ROUND,
    );
    for (const { storeId, receiptId } of missed) {
      if (this.isStopping) return;
      await this.released.offerAll(storeId, [receiptId], false);
    }
    this.lastMissedId = missed.length < MAX_REMATCHES_PER_ROUND ? null : missed.at(-1)!.receiptId;
  }

  /**
   * Payments whose time is over, and whose money came outside the window, go to a user (contract 3.19, `late`). Answers
   * until when all have been seen to: until then, who still waits has expired.
   */
  private async decideOverdue(now: Date): Promise<Date> {
    let last: Overdue | null = null;
    for (let statement = 0; statement < MAX_STATEMENTS_PER_ROUND; statement += 1) {
      const overdue = await this.missedMoney.listOverdueWithDigits(now, last, MAX_OVERDUE_PER_STATEMENT);
      for (const { storeId, paymentId, last4digit } of overdue) {
        if (this.isStopping) return new Date(0);
        try {
          await this.late.decide(storeId, paymentId, last4digit);
        } catch (error) {
          this.logger.warn({ paymentId }, messageOf(error));
        }
      }
      if (overdue.length < MAX_OVERDUE_PER_STATEMENT) return now;
      last = overdue.at(-1)!;
    }
    // Others of that very instant may not have been seen to.
    return last === null ? now : new Date(last.graceEndsAt.getTime() - 1);
  }
}
