import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Database, type Queryable } from '../../../platform/database/index.js';
import { Clock } from '../../../kernel/clock.js';
import { Counter, Registry } from 'prom-client';
import { MAX_AMOUNT_MINOR, type MinorUnits } from '../../../kernel/money.js';
import { type Payment, RESERVED_FOR_MS } from '../payment.js';
import { PaymentsRepository } from '../payments.repository.js';

/** An amount to pay is at most so much more than the amount, in minor units (contract 4.95). */
const MAX_MORE_MINOR = 99;
/** A shortage is shown so long after it was met, in milliseconds; after that it is told again. */
const SHOWN_FOR_MS = 3_600_000;

/** For payments of this amount there was no amount of their own left. */
export interface AmountShortage {
  readonly currency: string;
  readonly amountMinor: MinorUnits;
  readonly since: Date;
}

const NOTE_SHORTAGE = {
  name: 'amount-shortages-note',
  text: `INSERT INTO amount_shortages (store_id, currency, amount_minor, since, until) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (store_id, currency, amount_minor) DO UPDATE SET since = excluded.since, until = excluded.until
    WHERE amount_shortages.until <= excluded.since`,
};

/**
 * Amounts to pay that belong to one payment each, for stores with `uniqueAmounts` (contract 4.95): who guesses digits
 * then has no receipt to guess at. The unique key over reserved amounts decides between creations of the same moment,
 * on any number of replicas. The only place that writes `amount_shortages`.
 */
@Injectable()
export class UniqueAmounts {
  private readonly logger = new Logger(UniqueAmounts.name);
  private readonly ranOut: Counter;

  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.ranOut = new Counter({
      name: 'joma_unique_amounts_exhausted_total',
      help: 'Payments of stores with uniqueAmounts for which no amount of their own was left.',
      registers: [registry],
    });
  }

  /**
   * Inserts a new payment with an amount of its own: 0.01 to 0.99 more than what is asked, which no payment of the
   * store and currency has that is open, in review, or has ended less than an hour ago, whatever made its amount.
   * When none is left, with the plain amount. Answers the payment as it was inserted.
   */
  async insert(on: Queryable, payment: Payment): Promise<Payment> {
    const endedBefore = new Date(payment.createdAt.getTime() - RESERVED_FOR_MS);
    let amounts = shuffledAmounts(payment.amountMinor);
    while (amounts.length > 0) {
      const found = await this.payments.findFreeAmount(on, payment, amounts, endedBefore);
      if (found === null) break;
      const reserved: Payment = { ...payment, payAmountMinor: found, payAmountReserved: true };
      if (await this.payments.insert(on, reserved)) return reserved;
      // Somebody else took it just now; or it is free, and the sweep has not come round to say so.
      const isOver = await this.payments.releaseAmount(on, reserved, endedBefore);
      if (!isOver) amounts = amounts.filter((amount) => amount !== found);
    }
    await this.payments.insert(on, payment);
    await this.noteShortage(on, payment);
    return payment;
  }

  /** For users: for which amounts of a store there was none left within the last hour, the latest first. */
  async listShortages(storeId: string): Promise<AmountShortage[]> {
    const rows = await this.database.query<{ currency: string; amount_minor: string; since: Date }>(
      `SELECT currency, amount_minor, since FROM amount_shortages
       WHERE store_id = $1 AND until > $2 ORDER BY until DESC LIMIT 20`,
      [storeId, this.clock.now()],
    );
    return rows.map(({ currency, since, amount_minor: amountMinor }) => ({
      currency,
      since,
      amountMinor: Number(amountMinor),
    }));
  }

  private async noteShortage(on: Queryable, payment: Payment): Promise<void> {
    const { storeId, currency, amountMinor, createdAt } = payment;
    this.ranOut.inc();
    const until = new Date(createdAt.getTime() + SHOWN_FOR_MS);
    const isNew = await on.execute(NOTE_SHORTAGE, [storeId, currency, amountMinor, createdAt, until]);
    if (isNew > 0)
      this.logger.warn(
        { storeId, currency, amountMinor },
        'No amount of its own is left for payments of this amount: they get the plain one for a while.',
      );
  }
}

/** In an order that nobody can foresee, so that creations of the same moment seldom choose the same. */
function shuffledAmounts(amountMinor: MinorUnits): MinorUnits[] {
  const count = Math.min(MAX_MORE_MINOR, MAX_AMOUNT_MINOR - amountMinor);
  const amounts = Array.from({ length: count }, (_, index) => amountMinor + 1 + index);
  for (let last = amounts.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [amounts[last], amounts[other]] = [amounts[other]!, amounts[last]!];
  }
  return amounts;
}
