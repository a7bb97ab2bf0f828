import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/error-text.js';
import { keepLatest } from '../../kernel/keep-latest.js';
import { Counter, Registry } from '../../kernel/metrics.js';
import { SingleRun } from '../../kernel/single-run.js';
import type { Store } from '../../stores/index.js';
import { findWallet, WALLETS } from '../../wallets/index.js';
import { type ProtectionKind, exceedsLimit, type GuessCounts } from './guess-limit.js';
import type { MatchableReceipt } from './matching.js';
import type { Payment, Submission, SubmissionKind } from '../payments/payment.js';
import { phoneAgreement, phoneEndsIn } from './phones.js';

/** After so long without its receipt an entered TrxID is wrong, in milliseconds; digits after the QR window. */
const TRX_WINDOW_MS = 10 * 60_000;
/** TrxIDs that rise like a counter have so many times the limit of digits. */
const TRX_FACTOR = 3;
/** Entries that one count looks at: well above every limit. */
const MAX_COUNTED = 5_000;

/** Above so many payments an hour that digits verify, `uniqueAmounts` is offered (contract 4.88). */
export const MANY_BY_DIGITS = 60;

/** A protection that holds now (contract 4.88): matches of this amount go to review. */
export interface AmountUnderProtection {
  readonly kind: ProtectionKind;
  readonly currency: string;
  readonly amountMinor: number;
  readonly until: Date;
}

export interface StoreUnderProtection extends AmountUnderProtection {
  readonly storeId: string;
}

/** Entries of one amount that can be guesses. */
const GUESSES = (kind: SubmissionKind) =>
  `t.store_id = $1 AND t.guessable AND t.kind = '${kind}' AND t.currency = $2 AND t.amount_minor = $3`;
/**
 * A receipt of the store that fits an entry. What has one has it for ever: of a receipt only what became of it is
 * changed.
 */
const FITTING = (kind: SubmissionKind, window: string) => `SELECT FROM receipts r
  WHERE r.store_id = $1 AND r.status <> 'ignored' AND NOT r.simulated AND ${
    kind === 'trx_id'
      ? 'r.trx_id = t.value'
      : `r.last4digit = t.value AND r.amount_minor = t.amount_minor AND r.currency = t.currency
    AND t.at >= r.money_from - ${window}::interval AND t.at <= r.money_until + ${window}::interval`
  }`;

/**
 * An entry is wrong once its window is over, the phone has been heard from after that, and no receipt fits it; a
 * receipt that comes later takes it from the count. It waits while its window is open.
 */
const count = (kind: SubmissionKind) => ({
  name: `guess-protection-count-${kind}`,
  text: `SELECT count(*) FILTER (WHERE entry.at > $6)::integer AS waiting,
      count(*) FILTER (WHERE entry.at <= $6 AND entry.heard_at > entry.at + $7::interval)::integer AS wrong
    FROM (
      SELECT t.at, s.phone_last_seen_at AS heard_at
      FROM submissions t JOIN store_states s ON s.store_id = t.store_id
      WHERE ${GUESSES(kind)}
        AND (t.own_phone = $4 OR $8) AND t.at > $5
        AND NOT EXISTS (${FITTING(kind, '$7')})
      LIMIT ${MAX_COUNTED}
    ) entry`,
});
const COUNT = { trx_id: count('trx_id'), last4digit: count('last4digit') };

/**
 * Entries of an amount that a receipt fits are no guesses any more, and no count need look at them again. Whose row
 * is being changed at this moment is left for the next time.
 */
const clear = (kind: SubmissionKind) => ({
  name: `guess-protection-clear-${kind}`,
  text: `UPDATE submissions SET guessable = false
    WHERE store_id = $1 AND (payment_id, number) IN (
      SELECT t.payment_id, t.number FROM submissions t
      WHERE ${GUESSES(kind)} AND t.at > $4
        AND EXISTS (${FITTING(kind, '$5')})
      LIMIT ${MAX_COUNTED} FOR UPDATE SKIP LOCKED)`,
});
const CLEAR = { trx_id: clear('trx_id'), last4digit: clear('last4digit') };
/**
 * Counts of one amount between two clearings of it: a count has looked at that many honest entries for nothing by
 * then.
 */
const COUNTS_PER_CLEARING = 32;
/** Amounts whose counts are remembered. */
const MAX_AMOUNTS = 1_000;

/** The key by which a store's submissions are counted. */
interface CountedAmount {
  readonly storeId: string;
  readonly kind: SubmissionKind;
  readonly currency: string;
  readonly amountMinor: number;
  readonly since: Date;
  counts: number;
}

/** Verified by themselves, by what can be guessed. */
const COUNT_VERIFIED = {
  name: 'guess-protection-count-verified',
  text: `SELECT count(*)::integer AS verified FROM payments
    WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND ended_at > $4 AND status = 'verified'
      AND approved_at IS NULL
      AND CASE WHEN $5 THEN submitted_last4 IS NOT NULL ELSE submitted_trx_id IS NOT NULL AND provider = ANY ($6) END`,
};

const LIST = {
  name: 'guess-protection-list',
  text: `SELECT kind FROM guess_protections WHERE store_id = $1 AND currency = $2 AND amount_minor = $3 AND until > $4`,
};

const TRIP = {
  name: 'guess-protection-trip',
  text: `INSERT INTO guess_protections (store_id, kind, currency, amount_minor, since, until)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (store_id, kind, currency, amount_minor) DO UPDATE SET since = excluded.since, until = excluded.until
    WHERE guess_protections.until <= excluded.since`,
};

const COUNT_OPEN = {
  name: 'guess-protection-count-open',
  text: `SELECT count(*)::integer AS open FROM (
      SELECT FROM payments
      WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND id <> $4
        AND (status = 'review' OR (status = 'pending' AND expires_at > $5)
             OR (status = 'submitted' AND grace_ends_at > $5))
      LIMIT 1) others`,
};

/** Bounded, so that a large shop pays no more for it than a small one. */
const MAX_DIGITS_COUNTED = 1_000;
const DIGITS_PERIOD_MS = 3_600_000;
const COUNT_BY_DIGITS = {
  name: 'guess-protection-count-by-digits',
  text: `SELECT count(*)::integer AS verified FROM (
      SELECT FROM payments
      WHERE store_id = $1 AND verified_at > $2 AND submitted_last4 IS NOT NULL AND approved_at IS NULL
      LIMIT ${MAX_DIGITS_COUNTED}
    ) of_the_hour`,
};

/**
 * Four digits are guessed in ten thousand tries, and ids that rise like a counter in fewer. Once a store has had too
 * many wrong ones for an amount, such a match is a user's for an hour, except where the payer's phone speaks for it,
 * or nobody else could be meant (contract 4.85 and 4.89). Counted in the database, so over all replicas. The only
 * place that writes `guess_protections`.
 */
@Injectable()
export class GuessProtection implements BeforeApplicationShutdown {
  private readonly logger = new Logger(GuessProtection.name);
  private readonly counted = new Map<string, CountedAmount>();
  private readonly clearing = new SingleRun(
    () => this.clearCounted(),
    (error) => this.logger.warn(`Entries with a receipt cannot be cleared just now: ${messageOf(error)}`),
  );
  private readonly tripped: Counter<'kind'>;

  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.tripped = new Counter({
      name: 'joma_guessing_brake_total',
      help: 'How often wrong entries for one amount of a store stopped matches by what can be guessed, by kind.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.clearing.stop();
  }

  /** Whether an entry can be a guess, and whether it agrees with its own payment's phone: counted apart. */
  traitsOf(payment: Payment, submission: Submission): { guessable: boolean; ownPhone: boolean } {
    if (submission.kind === 'last4digit') {
      return { guessable: true, ownPhone: phoneEndsIn(payment.customerPhone, submission.last4digit) };
    }
    const named = submission.provider ?? payment.requestedProvider;
    const guessable =
      named === null ? looksGuessable(submission.trxId) : findWallet(named)?.guessable === true;
    return { guessable, ownPhone: false };
  }

  /** Looks whether this entry was one too many. Called when it has been noted. */
  async note(tx: Transaction, payment: Payment, submission: Submission, now: Date): Promise<void> {
    const { guessable, ownPhone } = this.traitsOf(payment, submission);
    if (!guessable) return;
    if (ownPhone && !(await this.look(tx, payment, 'own_phone', now))) return;
    await this.look(tx, payment, submission.kind, now);
  }

  /** Whether matches of a kind with this wallet are ever stopped: TrxIDs only where they can be guessed. */
  mayStop(kind: SubmissionKind, provider: string): boolean {
    return kind !== 'trx_id' || findWallet(provider)?.guessable === true;
  }

  /**
   * Whether a payment may be verified by itself, by digits or a TrxID with which a receipt agrees. `ambiguous` has been
   * decided before.
   */
  async allows(
    tx: Transaction,
    store: Pick<Store, 'uniqueAmounts'>,
    payment: Payment,
    receipt: MatchableReceipt,
    submission: Submission,
    now: Date,
  ): Promise<boolean> {
    const { kind } = submission;
    if (!this.mayStop(kind, receipt.provider)) return true;
    // An amount of its own is what stands against guessing there. Where it is shared all the same, the digits are all
    // there is.
    if (kind === 'last4digit' && (store.uniqueAmounts || payment.payAmountReserved))
      return this.isOnlyOpen(tx, payment, now);
    if (await this.speaksFor(tx, payment, receipt, submission, now)) return true;
    return !(await this.look(tx, payment, kind, now)) || this.isOnlyOpen(tx, payment, now);
  }

  /** For users: what is isProtected in a store now. */
  async listActive(storeId: string): Promise<AmountUnderProtection[]> {
    const rows = await this.database.query<ProtectionRow>(
      `SELECT kind, currency, amount_minor, until FROM guess_protections
       WHERE store_id = $1 AND until > $2 ORDER BY until DESC LIMIT 100`,
      [storeId, this.clock.now()],
    );
    return rows.map(protectionOf);
  }

  /** The same in all stores, for admins; those that hold longest first. */
  async listActiveEverywhere(limit: number): Promise<StoreUnderProtection[]> {
    const rows = await this.database.query<ProtectionRow & { store_id: string }>(
      `SELECT store_id, kind, currency, amount_minor, until FROM guess_protections
       WHERE until > $1 ORDER BY until DESC LIMIT $2`,
      [this.clock.now(), limit],
    );
    return rows.map((row) => ({ storeId: row.store_id, ...protectionOf(row) }));
  }

  /**
   * For users: how many payments of a store digits have verified within the last hour, whatever their amounts; a
   * thousand stands for more. Above `MANY_BY_DIGITS` a shop does well to switch on `uniqueAmounts` (contract 4.88).
   */
  async countByDigits(storeId: string): Promise<number> {
    const since = new Date(this.clock.now().getTime() - DIGITS_PERIOD_MS);
    const [row] = await this.database.query<{ verified: number }>(COUNT_BY_DIGITS, [storeId, since]);
    return row?.verified ?? 0;
  }

  /** The payer's phone is the money's own, as far as an attacker has not worn that out. */
  private async speaksFor(
    tx: Transaction,
    payment: Payment,
    receipt: MatchableReceipt,
    submission: Submission,
    now: Date,
  ): Promise<boolean> {
    if (submission.kind === 'trx_id')
      return phoneAgreement(payment.customerPhone, receipt.counterparty) === 'agrees';
    if (!phoneEndsIn(payment.customerPhone, submission.last4digit)) return false;
    return !(await this.look(tx, payment, 'own_phone', now));
  }

  private async isOnlyOpen(tx: Transaction, payment: Payment, now: Date): Promise<boolean> {
    const values = [payment.storeId, payment.currency, payment.payAmountMinor, payment.id, now];
    const [row] = await tx.query<{ open: number }>(COUNT_OPEN, values);
    return row?.open === 0;
  }

  /** True while the protection of a kind holds for the amount of a payment; trips it when that is due. */
  private async look(tx: Transaction, payment: Payment, kind: ProtectionKind, now: Date): Promise<boolean> {
    const limit = this.configuration.guessLimit;
    if (limit === null) return false;
    const { storeId, currency, payAmountMinor } = payment;
    const active = await tx.query<{ kind: ProtectionKind }>(LIST, [storeId, currency, payAmountMinor, now]);
    if (active.some((protection) => protection.kind === kind)) return true;
    // Where the exception for the own phone has ended, such entries are like any other: nobody guesses uncounted.
    const countsAll = kind === 'last4digit' && active.some((protection) => protection.kind === 'own_phone');
    const since = new Date(now.getTime() - limit.windowMs);
    const counts = await this.countGuesses(tx, payment, { kind, countsAll }, now, since);
    const count = kind === 'trx_id' ? TRX_FACTOR * limit.count : limit.count;
    const exceeds = (verified: number) => exceedsLimit(kind, { ...counts, verified }, count);
    // Verified payments excuse a share of the wrong submissions, and are counted only where that decides.
    if (!exceeds(0)) return false;
    if (!exceeds(Number.POSITIVE_INFINITY)) {
      if (!exceeds(await this.countVerified(tx, payment, kind, since))) return false;
    }
    const until = new Date(now.getTime() + limit.windowMs);
    const isNew = await tx.execute(TRIP, [storeId, kind, currency, payAmountMinor, now, until]);
    if (isNew > 0) tx.afterCommit(() => this.report(storeId, kind, currency, payAmountMinor, until));
    return true;
  }

  private async countGuesses(
    tx: Transaction,
    payment: Payment,
    { kind, countsAll }: { kind: ProtectionKind; countsAll: boolean },
    now: Date,
    since: Date,
  ): Promise<Omit<GuessCounts, 'verified'>> {
    const entered = enteredAs(kind);
    const windowMs = this.windowMsOf(entered);
    const { storeId, currency, payAmountMinor } = payment;
    const [counted] = await tx.query<{ waiting: number; wrong: number }>(COUNT[entered], [
      ...[storeId, currency, payAmountMinor, kind === 'own_phone', since],
      ...[new Date(now.getTime() - windowMs), `${windowMs} milliseconds`, countsAll],
    ]);
    this.noteCount(tx, { storeId, kind: entered, currency, amountMinor: payAmountMinor, since });
    return { waiting: counted?.waiting ?? 0, wrong: counted?.wrong ?? 0 };
  }

  private async countVerified(
    tx: Transaction,
    { storeId, currency, payAmountMinor }: Payment,
    kind: ProtectionKind,
    since: Date,
  ): Promise<number> {
    const guessableCodes = WALLETS.list()
      .filter(({ guessable }) => guessable)
      .map(({ code }) => code);
    const [row] = await tx.query<{ verified: number }>(COUNT_VERIFIED, [
      ...[storeId, currency, payAmountMinor, since],
      ...[enteredAs(kind) === 'last4digit', guessableCodes],
    ]);
    return row?.verified ?? 0;
  }

  private windowMsOf(entered: SubmissionKind): number {
    return entered === 'trx_id' ? TRX_WINDOW_MS : this.configuration.qrWindowMs;
  }

  /** Every so many counts of an amount, what needs no looking at any more is cleared, beside whoever counts. */
  private noteCount(tx: Transaction, amount: Omit<CountedAmount, 'counts'>): void {
    const { storeId, kind, currency, amountMinor } = amount;
    const key = `${storeId} ${kind} ${currency} ${amountMinor}`;
    const counts = (this.counted.get(key)?.counts ?? 0) + 1;
    keepLatest(this.counted, MAX_AMOUNTS, key, { ...amount, counts });
    if (counts >= COUNTS_PER_CLEARING) tx.afterCommit(() => void this.clearing.run());
  }

  private async clearCounted(): Promise<void> {
    for (const amount of this.counted.values()) {
      if (amount.counts < COUNTS_PER_CLEARING) continue;
      if (this.clearing.isStopping) return;
      amount.counts = 0;
      const { storeId, kind, currency, amountMinor, since } = amount;
      // A TrxID fits whenever its receipt comes.
      const window = kind === 'trx_id' ? [] : [`${this.windowMsOf(kind)} milliseconds`];
      await this.database.execute(CLEAR[kind], [storeId, currency, amountMinor, since, ...window]);
    }
  }

  private report(
    storeId: string,
    kind: ProtectionKind,
    currency: string,
    amountMinor: number,
    until: Date,
  ): void {
    this.tripped.labels(kind).inc();
    this.logger.warn(
      { storeId, kind, currency, amountMinor, until: until.toISOString() },
      'Too many wrong entries for one amount: such matches go to review for a while.',
    );
  }
}

/** The own phone's protection counts digits. */
const enteredAs = (kind: ProtectionKind): SubmissionKind => (kind === 'trx_id' ? 'trx_id' : 'last4digit');

interface ProtectionRow {
  readonly kind: ProtectionKind;
  readonly currency: string;
  readonly amount_minor: string;
  readonly until: Date;
}

function protectionOf({
  kind,
  currency,
  amount_minor: amountMinor,
  until,
}: ProtectionRow): AmountUnderProtection {
  return { kind, currency, amountMinor: Number(amountMinor), until };
}

/**
 * Whether a TrxID without a wallet may be meant for one whose ids rise like a counter: it looks like one of theirs,
 * or like nobody's.
 */
function looksGuessable(trxId: string): boolean {
  const alike = WALLETS.list().filter(
    ({ trxId: shape }) => shape !== null && new RegExp(`^(?:${shape.pattern})$`).test(trxId),
  );
  return alike.length === 0 || alike.some(({ guessable }) => guessable);
}
