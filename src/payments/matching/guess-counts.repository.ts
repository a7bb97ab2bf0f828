import { Injectable } from '@nestjs/common';
import { Database, interval, type Queryable, type Transaction } from '../../platform/database/index.js';
import { type Payment, RESERVED_FOR_MS, type SubmissionKind } from '../payments/payment.js';
import { isOpen } from '../payments/open-payments.js';
import { fittingReceipt, hasOnlyWrongDigits, heardTwiceAt } from '../payments/wrong-submissions.js';
import type { Guesses } from './guess-limit.js';

/** Submissions that one count looks at: well above every limit. */
const MAX_COUNTED = 5_000;
/** The same for a list over amounts, or over stores. */
const MAX_LISTED = 20_000;

/** Wrong and waiting ones among submissions; $1 is the reference instant, $2 their window (contract 4.81 and 4.82). */
const COUNTS = `count(*) FILTER (WHERE guess.at + $2::interval < guess.heard_twice_at)::integer AS wrong,
  count(*) FILTER (WHERE guess.at BETWEEN $1::timestamptz - $2::interval AND $1::timestamptz + $2::interval)::integer
    AS waiting`;

const countOf = (kind: SubmissionKind) => ({
  name: `guesses-count-${kind}`,
  text: `SELECT guess.own_phone, ${COUNTS}
    FROM (SELECT t.at, t.own_phone, ${heardTwiceAt('$3')} AS heard_twice_at FROM submissions t
          WHERE t.store_id = $4 AND t.guessable AND t.kind = '${kind}' AND t.currency = $5 AND t.amount_minor = $6
            AND t.at > $7 AND NOT EXISTS (${fittingReceipt(kind, '$2')})
          LIMIT ${MAX_COUNTED}) guess
    GROUP BY guess.own_phone`,
});
const COUNT = { trx_id: countOf('trx_id'), last4digit: countOf('last4digit') };

const listOf = (kind: SubmissionKind, whose: string) =>
  `SELECT guess.store_id, guess.currency, guess.amount_minor, guess.own_phone, ${COUNTS}
    FROM (SELECT t.store_id, t.currency, t.amount_minor, t.own_phone, t.at, ${heardTwiceAt('$3')} AS heard_twice_at
          FROM submissions t
          WHERE ${whose} AND t.guessable AND t.kind = '${kind}' AND t.at > $4
            AND NOT EXISTS (${fittingReceipt(kind, '$2')})
          LIMIT ${MAX_LISTED}) guess
    GROUP BY guess.store_id, guess.currency, guess.amount_minor, guess.own_phone`;

const COUNT_WRONG_OF_PAYMENT = {
  name: 'guesses-count-wrong-of-payment',
  text: `SELECT count(*) FILTER (WHERE guess.at + $2::interval < guess.heard_twice_at)::integer AS wrong
    FROM (SELECT t.at, ${heardTwiceAt('$3')} AS heard_twice_at FROM submissions t
          WHERE t.store_id = $1 AND t.payment_id = $4 AND t.guessable AND t.kind = 'trx_id'
            AND NOT EXISTS (${fittingReceipt('trx_id', '$2')})) guess`,
};

/** Payments that were verified automatically, by what can be guessed. */
const COUNT_VERIFIED = {
  name: 'guesses-count-verified',
  text: `SELECT count(*)::integer AS verified FROM payments
    WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND ended_at > $4 AND status = 'verified'
      AND approved_at IS NULL
      AND CASE WHEN $5 THEN submitted_last4 IS NOT NULL ELSE submitted_trx_id IS NOT NULL AND provider = ANY ($6) END`,
};

/** An amount to pay is at most 0.99 more than the amount: the second half looks no further. */
const otherOpen = (name: string, further: string) => ({
  name,
  text: `(SELECT id FROM payments
      WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND id <> $4
        AND ${isOpen('$5')} ${further} LIMIT 1)
    UNION ALL
    (SELECT id FROM payments
      WHERE store_id = $1 AND currency = $2 AND pay_amount_minor BETWEEN $3::bigint + 1 AND $3::bigint + 99
        AND amount_minor = $3 AND id <> $4 AND ${isOpen('$5')} ${further} LIMIT 1)`,
});
const FIND_OTHER_OPEN = otherOpen('guesses-find-other-open', '');
/** A payment with nothing but wrong digits no longer reserves its amount an hour after its lifetime. */
const FIND_OTHER_WITH_AMOUNT = otherOpen(
  'guesses-find-other-with-amount',
  `AND NOT (status = 'submitted' AND expires_at <= $6 AND ${hasOnlyWrongDigits('$7')})`,
);

/** Bounded, so that a large shop pays no more for it than a small one. */
const MAX_DIGITS_COUNTED = 1_000;
const COUNT_BY_DIGITS = {
  name: 'guesses-count-by-digits',
  text: `SELECT count(*)::integer AS verified FROM (
      SELECT FROM payments
      WHERE store_id = $1 AND verified_at > $2 AND submitted_last4 IS NOT NULL AND approved_at IS NULL
      LIMIT ${MAX_DIGITS_COUNTED}
    ) of_the_hour`,
};

/** The amount of a store by which submissions are counted: `payAmount` (contract 4.76). */
export interface CountedAmount {
  readonly storeId: string;
  readonly currency: string;
  readonly amountMinor: number;
}

/** The windows of a count, in milliseconds: of the submissions, and `QR_WINDOW`. */
interface Windows {
  readonly windowMs: number;
  readonly qrWindowMs: number;
}

interface Row {
  readonly own_phone: boolean;
  readonly wrong: number;
  readonly waiting: number;
}
interface AmountRow extends Row {
  readonly store_id: string;
  readonly currency: string;
  readonly amount_minor: string;
}

/** Counts guesses: reads submissions, receipts, payments and signs of life, and writes nothing. */
@Injectable()
export class GuessCountsRepository {
  constructor(private readonly database: Database) {}

  /** Submissions of an amount since an instant that no receipt fits, as of the reference instant. */
  async count(
    tx: Transaction,
    { storeId, currency, amountMinor }: CountedAmount,
    kind: SubmissionKind,
    at: { readonly reference: Date; readonly since: Date },
    windows: Windows,
  ): Promise<Guesses> {
    const rows = await tx.query<Row>(COUNT[kind], [
      ...[at.reference, ...intervals(windows)],
      ...[storeId, currency, amountMinor, at.since],
    ]);
    return guessesOf(rows);
  }

  /** The same of every amount of a store, or of all stores (null). */
  async list(
    storeId: string | null,
    kind: SubmissionKind,
    at: { readonly reference: Date; readonly since: Date },
    windows: Windows,
  ): Promise<{ readonly amount: CountedAmount; readonly guesses: Guesses }[]> {
    const values = [at.reference, ...intervals(windows), at.since];
    const rows = await (storeId === null
      ? this.database.query<AmountRow>(listOf(kind, 'true'), values)
      : this.database.query<AmountRow>(listOf(kind, 't.store_id = $5'), [...values, storeId]));
    const byAmount = new Map<string, AmountRow[]>();
    for (const row of rows) {
      const key = `${row.store_id} ${row.currency} ${row.amount_minor}`;
      byAmount.set(key, [...(byAmount.get(key) ?? []), row]);
    }
    return [...byAmount.values()].map((same) => {
      const { store_id, currency, amount_minor } = same[0]!;
      const amount = { storeId: store_id, currency, amountMinor: Number(amount_minor) };
      return { amount, guesses: guessesOf(same) };
    });
  }

  /** Wrong TrxIDs of one payment that can be guessed, whenever they were submitted. */
  async countWrongOf(tx: Transaction, { id, storeId }: Payment, windows: Windows): Promise<number> {
    const values = [storeId, ...intervals(windows), id];
    const [row] = await tx.query<{ wrong: number }>(COUNT_WRONG_OF_PAYMENT, values);
    return row?.wrong ?? 0;
  }

  /** Payments of an amount that were verified since an instant, by digits or by TrxIDs of these wallets. */
  async countVerified(
    on: Queryable,
    { storeId, currency, amountMinor }: CountedAmount,
    kind: SubmissionKind,
    since: Date,
    guessableWallets: readonly string[],
  ): Promise<number> {
    const values = [storeId, currency, amountMinor, since, kind === 'last4digit', guessableWallets];
    const [row] = await on.query<{ verified: number }>(COUNT_VERIFIED, values);
    return row?.verified ?? 0;
  }

  /** Whether no other open payment of the store has this `payAmount` as its `payAmount` or `amount` (contract 4.90). */
  async isOnlyOpen(tx: Transaction, payment: Payment, now: Date): Promise<boolean> {
    const values = [payment.storeId, payment.currency, payment.payAmountMinor, payment.id, now];
    return (await tx.query(FIND_OTHER_OPEN, values)).length === 0;
  }

  /** The same, but for payments that do not reserve their amount any more (contract 4.96). */
  async hasAmountToItself(
    tx: Transaction,
    payment: Payment,
    now: Date,
    qrWindowMs: number,
  ): Promise<boolean> {
    const values = [payment.storeId, payment.currency, payment.payAmountMinor, payment.id, now];
    values.push(new Date(now.getTime() - RESERVED_FOR_MS), interval(qrWindowMs));
    return (await tx.query(FIND_OTHER_WITH_AMOUNT, values)).length === 0;
  }

  /** Payments of a store that digits verified since an instant, whatever their amounts; a thousand stands for more. */
  async countByDigits(storeId: string, since: Date): Promise<number> {
    const [row] = await this.database.query<{ verified: number }>(COUNT_BY_DIGITS, [storeId, since]);
    return row?.verified ?? 0;
  }
}

function intervals({ windowMs, qrWindowMs }: Windows): string[] {
  return [interval(windowMs), interval(qrWindowMs)];
}

function guessesOf(rows: readonly Row[]): Guesses {
  const of = (ownPhone: boolean) => {
    const row = rows.find((one) => one.own_phone === ownPhone);
    return { wrong: row?.wrong ?? 0, waiting: row?.waiting ?? 0 };
  };
  return { others: of(false), ownPhone: of(true) };
}
