import { Injectable, Logger } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { Counter, Registry } from 'prom-client';
import type { Store } from '../../stores/index.js';
import { isGuessable, WALLETS } from '../../wallets/index.js';
import { type CountedAmount, GuessCountsRepository } from './guess-counts.repository.js';
import { countedOf, exceedsLimit, type Guesses, isOwnPhoneWornOut, limitOf } from './guess-limit.js';
import { isTooEarly, type MatchableReceipt } from './compare.js';
import { type Attachment, claimOf, type Decision, stoppedByGuessProtection } from './decision.js';
import type { MatchingCase } from './matching-case.js';
import { MatchingCases } from './matching-cases.js';
import type { Payment, Submission, SubmissionKind } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { phoneAgreement, phoneEndsIn } from './phones.js';
import { PaymentsSettings } from '../payments.settings.js';

/** A submitted TrxID without a receipt is wrong after this time, in milliseconds; digits are after `QR_WINDOW`. */
const TRX_ID_WINDOW_MS = 10 * 60_000;
/** The least number of the last ten digits that must be visible for the exception by phone (contract 4.89). */
const VISIBLE_FOR_EXCEPTION = 6;
const DIGITS_PERIOD_MS = 3_600_000;

/** Above so many payments an hour that digits verify, `uniqueAmounts` is offered (contract 4.88). */
export const MANY_BY_DIGITS = 60;

/** An amount of a store for which guess protection holds: matches of this amount go to review. */
export interface AmountUnderProtection extends CountedAmount {
  readonly kind: SubmissionKind;
}

/**
 * Four digits are guessed in ten thousand tries, and ids that rise like a counter in fewer. While too many submissions
 * of an amount are wrong or wait, such a match is a user's, except where the payer's phone speaks for it, or nobody
 * else could be meant (contract 4.74 to 4.94). Counted in the database at each decision, over all replicas; there is
 * no state that lasts.
 */
@Injectable()
export class GuessProtection {
  private readonly logger = new Logger(GuessProtection.name);
  private readonly sentToReview: Counter<'kind'>;

  constructor(
    private readonly database: Database,
    private readonly guesses: GuessCountsRepository,
    private readonly cases: MatchingCases,
    private readonly payments: PaymentsRepository,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.sentToReview = new Counter({
      name: 'joma_guessing_brake_total',
      help: 'Matches that guess protection sent to review, by kind.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  /** Whether a submission can be a guess, and whether it agrees with its own payment's phone: counted apart. */
  traitsOf(payment: Payment, submission: Submission): { guessable: boolean; ownPhone: boolean } {
    if (submission.kind === 'last4digit') {
      return { guessable: true, ownPhone: phoneEndsIn(payment.customerPhone, submission.last4digit) };
    }
    const guessable =
      isGuessable(submission.provider) ||
      isGuessable(payment.requestedProvider) ||
      looksGuessable(submission.trxId);
    return { guessable, ownPhone: false };
  }

  /**
   * A decision as far as it may verify automatically. Digits that are another payer's phone verify nothing, nor does a
   * match while guess protection holds for its amount (contract 4.67 and 4.85). `ambiguous` has been decided before
   * (4.87). What guess protection sends to review is logged and counted.
   */
  async temper(
    tx: Transaction,
    store: Store,
    matching: MatchingCase,
    undecided: Decision,
  ): Promise<Decision> {
    const decision = await this.sparePhones(tx, matching, undecided);
    const { attach } = decision;
    if (attach === null || !this.mayStopAttachment(matching, attach)) return decision;
    const payment = matching.payment(attach.paymentId);
    if (attach.comparison === 'agree') {
      // Submissions that the receipt fits are no guesses: both have to be where they are counted.
      await this.cases.save(tx, matching);
      const receipt = matching.receipt(attach.receiptId);
      if (await this.isAllowed(tx, store, payment, receipt, attach.by, matching.now)) return decision;
    } else if (!this.isEarly(store, matching, attach)) return decision;
    tx.afterCommit(() => this.report(payment, attach.by));
    return attach.comparison === 'agree' ? stoppedByGuessProtection(decision) : decision;
  }

  /** Whether guess protection can have to do with an attachment: the receipts of other wallets are never guessed. */
  mayStopAttachment(matching: MatchingCase, { receiptId, by }: Attachment): boolean {
    return by === 'last4digit' || isGuessable(matching.receipt(receiptId).provider);
  }

  /**
   * Digits that are the last of the phone of another open payment of the same amount to pay, and not of this
   * payment's own phone, verify nothing by themselves: a user decides (contract 4.67).
   */
  async sparePhones(tx: Transaction, matching: MatchingCase, decision: Decision): Promise<Decision> {
    const { attach } = decision;
    if (attach === null || attach.by === 'trx_id' || attach.comparison === 'late') return decision;
    const payment = matching.payment(attach.paymentId);
    const receipt = matching.receipt(attach.receiptId);
    const { last4digit, amountMinor } = receipt;
    if (last4digit === null || amountMinor !== payment.payAmountMinor) return decision;
    if (phoneEndsIn(payment.customerPhone, last4digit)) return decision;
    if (!(await this.payments.isPhoneOfAnother(tx, payment, last4digit, matching.now))) return decision;
    const claim = claimOf(matching.matchable(payment.id), receipt);
    return { ...decision, attach: null, claims: [...decision.claims, claim] };
  }

  /** Whether the TrxID was submitted before it can have been known (contract 4.93). */
  private isEarly(store: Store, matching: MatchingCase, attach: Attachment): boolean {
    const { paymentId, receiptId, comparison, by } = attach;
    if (comparison !== 'flagged' || by !== 'trx_id') return false;
    const receipt = matching.receipt(receiptId);
    const submitted = matching
      .submissionsOf(paymentId)
      .findLast(({ kind, value }) => kind === 'trx_id' && value === receipt.trxId);
    return submitted !== undefined && isTooEarly(receipt, submitted, this.cases.rulesOf(store));
  }

  /** For users: the amounts of a store, or of all stores (null), for which guess protection holds now (4.88). */
  async listHeld(storeId: string | null, most: number): Promise<AmountUnderProtection[]> {
    const limit = this.settings.guessLimit;
    if (limit === null) return [];
    const now = this.clock.now();
    const since = new Date(now.getTime() - limit.windowMs);
    const held: AmountUnderProtection[] = [];
    for (const kind of ['last4digit', 'trx_id'] as const) {
      const at = { reference: now, since };
      for (const { amount, guesses } of await this.guesses.list(storeId, kind, at, this.windowsOf(kind))) {
        if (held.length >= most) return held;
        const ofKind = { ...amount, kind };
        const isHeld = await this.exceeds(this.database, ofKind, guesses, { since, count: limit.count });
        if (isHeld) held.push(ofKind);
      }
    }
    return held;
  }

  /**
   * For users: how many payments of a store digits have verified within the last hour, whatever their amounts; a
   * thousand stands for more. Above `MANY_BY_DIGITS` a shop does well to switch on `uniqueAmounts` (contract 4.88).
   */
  async countByDigits(storeId: string): Promise<number> {
    return this.guesses.countByDigits(storeId, new Date(this.clock.now().getTime() - DIGITS_PERIOD_MS));
  }

  private async isAllowed(
    tx: Transaction,
    store: Pick<Store, 'uniqueAmounts'>,
    payment: Payment,
    receipt: MatchableReceipt,
    kind: SubmissionKind,
    now: Date,
  ): Promise<boolean> {
    const limit = this.settings.guessLimit;
    // An amount of its own protects a payment against guesses. If others share that amount, only the digits are left
    // (contract 4.98).
    if (kind === 'last4digit' && payment.payAmountReserved)
      return this.guesses.hasAmountToItself(tx, payment, now, this.settings.qrWindowMs);
    if (kind === 'last4digit' && (store.uniqueAmounts || payment.payAmountMinor !== payment.amountMinor))
      return this.guesses.isOnlyOpen(tx, payment, now);
    if (limit === null) return true;
    const { storeId, currency, payAmountMinor: amountMinor } = payment;
    const amount = { storeId, currency, amountMinor, kind };
    const reference = receipt.moneyFrom < now ? receipt.moneyFrom : now;
    const since = new Date(reference.getTime() - limit.windowMs);
    const windows = this.windowsOf(kind);
    const guesses = await this.guesses.count(tx, amount, kind, { reference, since }, windows);
    if (!(await this.exceeds(tx, amount, guesses, { since, count: limit.count }))) return true;
    if (await this.speaksFor(tx, payment, receipt, kind, guesses, limit.count)) return true;
    return this.guesses.isOnlyOpen(tx, payment, now);
  }

  /** The exception by phone: the money came from the payer's phone, and attackers have not worn the exception out. */
  private async speaksFor(
    tx: Transaction,
    payment: Payment,
    receipt: MatchableReceipt,
    kind: SubmissionKind,
    guesses: Guesses,
    limit: number,
  ): Promise<boolean> {
    if (kind === 'last4digit') {
      const isOwn = phoneEndsIn(payment.customerPhone, receipt.last4digit ?? '');
      return isOwn && !isOwnPhoneWornOut(guesses, limit);
    }
    const agreement = phoneAgreement(payment.customerPhone, receipt.counterparty, VISIBLE_FOR_EXCEPTION);
    if (agreement !== 'agrees') return false;
    return (await this.guesses.countWrongOf(tx, payment, this.windowsOf(kind))) <= limit;
  }

  private async exceeds(
    on: Queryable,
    amount: AmountUnderProtection,
    guesses: Guesses,
    { since, count }: { readonly since: Date; readonly count: number },
  ): Promise<boolean> {
    const { kind } = amount;
    const counted = countedOf(guesses, count);
    const limit = limitOf(kind, count);
    // Verified payments excuse a share of the wrong submissions, and are counted only where that decides.
    if (!exceedsLimit(counted, 0, limit)) return false;
    if (exceedsLimit(counted, Number.POSITIVE_INFINITY, limit)) return true;
    const wallets = WALLETS.list()
      .filter(({ guessable }) => guessable)
      .map(({ code }) => code);
    return exceedsLimit(counted, await this.guesses.countVerified(on, amount, kind, since, wallets), limit);
  }

  private windowsOf(kind: SubmissionKind): { readonly windowMs: number; readonly qrWindowMs: number } {
    const { qrWindowMs } = this.settings;
    return { windowMs: kind === 'trx_id' ? TRX_ID_WINDOW_MS : qrWindowMs, qrWindowMs };
  }

  private report({ id, storeId, currency, payAmountMinor }: Payment, kind: SubmissionKind): void {
    this.sentToReview.labels(kind).inc();
    this.logger.warn(
      { storeId, paymentId: id, kind, currency, amountMinor: payAmountMinor },
      'Guess protection sent a match to review.',
    );
  }
}

/** Whether a TrxID has the form of a wallet with guessable ids, whatever wallet was named (contract 4.78). */
function looksGuessable(trxId: string): boolean {
  return WALLETS.list().some(
    ({ guessable, trxId: shape }) =>
      guessable && shape !== null && new RegExp(`^(?:${shape.pattern})$`).test(trxId),
  );
}
