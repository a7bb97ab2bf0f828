import { Injectable } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import { Database, together, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import type { DomainError } from '../../kernel/domain-error.js';
import type { Store } from '../../stores/index.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import { ClaimsRepository } from '../matching/claims.repository.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import { PhonesOfOthers } from '../matching/phones-of-others.js';
import { GuessProtection } from '../matching/guess-protection.js';
import { LateMoney } from './late-money.js';
import {
  around,
  claimOf,
  type Claimant,
  type Comparison,
  decideQrEntry,
  decideTrxEntry,
  type RecordedSubmission,
  type EntryOutcome,
  isWithinWindow,
} from '../matching/matching.js';
import { submissionKeys } from '../matching/matching-keys.js';
import { claimantsAmong, matchableOf, rulesOf, usableReceipts } from '../matching/matching-scene.js';
import {
  isSameSubmission,
  KEPT_SUBMISSIONS,
  MAX_SUBMISSIONS,
  type Payment,
  type Submission,
  submissionValue,
} from '../payments/payment.js';
import {
  paymentNotFound,
  qrNotOffered,
  refusedIn,
  tooManyAttempts,
  trxIdUsed,
} from '../payments/payments.errors.js';
import { PaymentReads } from '../payments/payment-reads.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PaymentTransitions } from '../matching/payment-transitions.js';

/** The data on which a submission is decided. */
interface Scene {
  readonly outcome: EntryOutcome;
  readonly receipts: readonly Receipt[];
}

/** The rows that are locked and read before a submission is decided. */
interface Found {
  /** Its own payment, and those of who has entered the same digits. */
  readonly locked: readonly Payment[];
  /** All that was entered for its payment before. */
  readonly entered: readonly SubmissionRecord[];
  /** Those with this TrxID; of digits null, because which they are depends on when they were entered. */
  readonly receipts: readonly Receipt[] | null;
  /** Read while the locks are held. */
  readonly now: Date;
}

/** An entry that is in force, or the refusal. */
type Noted =
  | {
      readonly entry: SubmissionRecord;
      readonly isRepeated: boolean;
      /** Its row is on the way; what is asked for after it runs after it. */
      readonly written: Promise<void>;
    }
  | { readonly refusal: DomainError };

/** A payment after an entry, or the refusal that is answered once what had to be kept has been committed. */
type Result = { readonly payment: Payment } | { readonly refusal: DomainError };

/** The payer's side of matching (contract 4.2 and 5.8). */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly reads: PaymentReads,
    private readonly entries: SubmissionsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly claims: ClaimsRepository,
    private readonly transitions: PaymentTransitions,
    private readonly protection: GuessProtection,
    private readonly phonesOfOthers: PhonesOfOthers,
    private readonly late: LateMoney,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes what the payer typed: verifies the payment, sends it to review, or lets it wait. A payment in review takes
   * it, too, and stays there.
   *
   * @throws DomainError `payment.not_found`; 409 `payment.expired`, `payment.cancelled`, `payment.verified`,
   * `payment.trx_id_used`, `payment.qr_not_offered`; 429 `payment.too_many_attempts`
   */
  async submit(paymentId: string, submission: Submission): Promise<Payment> {
    const read = await this.reads.findWithStore(paymentId);
    if (read === null) throw paymentNotFound();
    const { payment: known, store } = read;
    const settled = repeatOfDecided(known, submission);
    if (settled !== null) return settled;
    if (submission.kind === 'last4digit' && !offersQr(store)) throw qrNotOffered();
    await this.late.settleIfOver(known);
    const result = await this.database.transaction(
      async (tx) => this.submitLocked(tx, store, known, submission),
      {
        locks: submissionKeys(known, submission),
        storeId: store.id,
        eager: submission.kind === 'trx_id',
      },
    );
    if ('refusal' in result) throw result.refusal;
    return result.payment;
  }

  private async submitLocked(
    tx: Transaction,
    store: Store,
    known: Payment,
    submission: Submission,
  ): Promise<Result> {
    const found = await this.find(tx, known, submission);
    const { locked, now } = found;
    const own = locked.find(({ id }) => id === known.id);
    if (own === undefined) throw paymentNotFound();
    const settled = repeatOfDecided(own, submission);
    if (settled !== null) return { payment: settled };
    const payment = await this.transitions.expireIfOver(tx, own, now);
    const noted = await this.noteEntry(tx, payment, submission, found);
    if ('refusal' in noted) return noted;
    const { entry, isRepeated, written } = noted;
    if (isRepeated && payment.status === 'review') return { payment };
    const settling = this.look(tx, store, payment, entry, found).then((scene) =>
      this.settle(tx, store, payment, submission, entry, scene, locked, now),
    );
    const [, result] = await together([written, settling]);
    return result;
  }

  /**
   * Locks its own row and those of who has entered the same, in the order of their ids, and reads what it is decided
   * by.
   */
  private async find(tx: Transaction, payment: Payment, submission: Submission): Promise<Found> {
    const { id, storeId, currency, payAmountMinor: amountMinor, amountMinor: plainAmountMinor } = payment;
    if (submission.kind === 'trx_id') {
      // Decided against its receipts alone: who else waits for it was decided when they came. All of it leaves with
      // BEGIN, and runs behind the locks one after the other, so the entries and the receipts are as of the row that
      // is locked.
      const [own, entered, receipts] = await together([
        this.payments.lock(tx, storeId, id),
        this.entries.list(tx, storeId, id),
        this.receipts.listByTrx(tx, storeId, submission.trxId),
      ]);
      return { locked: own === null ? [] : [own], entered, receipts, now: this.clock.now() };
    }
    const now = this.clock.now();
    const between = around([now], 2 * this.configuration.qrWindowMs);
    const money = { last4digit: submission.last4digit, amountMinor, currency, plainAmountMinor };
    const [locked, entered] = await together([
      this.payments.lockForLast4(tx, storeId, money, between, [id]),
      this.entries.list(tx, storeId, id),
    ]);
    return { locked, entered, receipts: null, now };
  }

  /**
   * Notes a new entry. One that was made before costs nothing and changes nothing; digits are new again once their
   * window is over, with an instant of their own, and the earlier ones stay. One too many is kept for a user; beyond
   * twice the number nothing is.
   */
  private async noteEntry(
    tx: Transaction,
    payment: Payment,
    submission: Submission,
    { entered, receipts, now }: Found,
  ): Promise<Noted> {
    const { kind, provider } = submission;
    const value = submissionValue(submission);
    const ofKind = entered.filter((entry) => entry.kind === kind);
    const same = ofKind.filter((entry) => entry.value === value).at(-1);
    const { guessable, ownPhone } = this.protection.traitsOf(payment, submission);
    // A TrxID whose receipt is there was not guessed wrongly: whoever counts wrong entries need not look at it.
    const isCountable = guessable && receipts?.some(({ simulated }) => !simulated) !== true;
    if (same !== undefined && this.isStillTheSame(same, now)) {
      const entry = { ...same, provider };
      if (same.provider === provider) return { entry, isRepeated: true, written: Promise.resolve() };
      // Under another wallet's name it is another guess. Whoever renames it back is counted all the same.
      const isCountableNow = kind === 'trx_id' && isCountable && !same.guessable;
      const changed = { ...entry, guessable: same.guessable || isCountableNow };
      await this.entries.change(tx, same, changed);
      return { entry: changed, isRepeated: true, written: Promise.resolve() };
    }
    if (ofKind.length >= KEPT_SUBMISSIONS[kind]) return { refusal: tooMany(payment, now) };
    const entry: SubmissionRecord = {
      paymentId: payment.id,
      storeId: payment.storeId,
      number: entered.length + 1,
      kind,
      value,
      provider,
      currency: payment.currency,
      amountMinor: payment.payAmountMinor,
      standing: ofKind.length < MAX_SUBMISSIONS[kind] ? 'counted' : 'surplus',
      guessable: isCountable,
      ownPhone,
      at: now,
    };
    const written = this.entries.add(tx, entry);
    // The caller may await it only after the error that matters.
    written.catch(() => undefined);
    return { entry, isRepeated: false, written };
  }

  private isStillTheSame(entry: SubmissionRecord, now: Date): boolean {
    return entry.kind === 'trx_id' || now.getTime() - entry.at.getTime() <= this.configuration.qrWindowMs;
  }

  private async look(
    tx: Transaction,
    store: Store,
    payment: Payment,
    entry: RecordedSubmission,
    { locked, receipts: ofTrx, now }: Found,
  ): Promise<Scene> {
    const rules = rulesOf(store, this.configuration);
    const matchable = matchableOf(payment, now);
    const { storeId } = payment;
    const usable = (receipts: readonly Receipt[]) => usableReceipts(receipts, store, now);
    if (ofTrx !== null) {
      const receipts = usable(ofTrx);
      const isContested = await this.contestedAmong(tx, storeId, payment.id, receipts);
      return { outcome: decideTrxEntry(matchable, entry, receipts, isContested, rules), receipts };
    }
    const between = around([entry.at], rules.windowMs);
    const key = { storeId, last4digit: entry.value, amountMinor: payment.payAmountMinor };
    const receipts = usable(await this.receipts.listByLast4(tx, key, between));
    const plainKey = { ...key, amountMinor: payment.amountMinor };
    const hasOwnAmount = payment.amountMinor !== payment.payAmountMinor;
    const plainReceipts = hasOwnAmount ? usable(await this.receipts.listByLast4(tx, plainKey, between)) : [];
    const claimants = await this.claimantsOf(tx, payment, entry, locked, now);
    const plainClaimants =
      plainReceipts.length === 0 ? [] : await this.plainClaimantsOf(tx, payment, entry, locked, now);
    const fits = (receipt: Receipt['id']) => {
      const plain = plainReceipts.find(({ id }) => id === receipt);
      if (plain === undefined) return 0;
      const others = plainClaimants.filter((claimant) =>
        claimant.entries.some(({ at }) => isWithinWindow(at, plain, rules.windowMs)),
      );
      return 1 + others.length;
    };
    const isContested = await this.contestedAmong(tx, storeId, payment.id, [...receipts, ...plainReceipts]);
    const scene = {
      receipts,
      claimants,
      plainReceipts,
      plainFits: (receipt: { id: string }) => fits(receipt.id),
    };
    return {
      outcome: decideQrEntry(matchable, entry, scene, isContested, rules),
      receipts: [...receipts, ...plainReceipts],
    };
  }

  /** Whether others are in review over a receipt that nobody holds. */
  private async contestedAmong(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    receipts: readonly Receipt[],
  ): Promise<(receiptId: string) => boolean> {
    const doubted = receipts.filter(({ status }) => status === 'review').map(({ id }) => id);
    const claims = await this.claims.listOfReceipts(tx, storeId, doubted);
    const contested = new Set(
      claims.filter((claim) => claim.paymentId !== paymentId).map(({ receiptId }) => receiptId),
    );
    return (receiptId) => contested.has(receiptId);
  }

  /** Other payments with the same digits and amount; a receipt in the window can lie within two windows of theirs. */
  private async claimantsOf(
    tx: Transaction,
    payment: Payment,
    entry: RecordedSubmission,
    locked: readonly Payment[],
    now: Date,
  ): Promise<Claimant[]> {
    const others = locked.filter(
      ({ id, payAmountMinor, amountMinor }) =>
        id !== payment.id && [payAmountMinor, amountMinor].includes(payment.payAmountMinor),
    );
    return this.claimantsAmongPayments(tx, payment.storeId, entry, others, now);
  }

  /** Other payments whose payer may have sent the plain amount of a payment that has one of its own. */
  private async plainClaimantsOf(
    tx: Transaction,
    { id, storeId, amountMinor }: Payment,
    entry: RecordedSubmission,
    locked: readonly Payment[],
    now: Date,
  ): Promise<Claimant[]> {
    const others = locked.filter(
      (other) => other.id !== id && [other.amountMinor, other.payAmountMinor].includes(amountMinor),
    );
    return this.claimantsAmongPayments(tx, storeId, entry, others, now);
  }

  private async claimantsAmongPayments(
    tx: Transaction,
    storeId: string,
    { kind, value }: RecordedSubmission,
    payments: readonly Payment[],
    now: Date,
  ): Promise<Claimant[]> {
    const ids = payments.map(({ id }) => id);
    const entries = await this.entries.listOfValue(tx, storeId, kind, value, ids);
    // A real one: what is only simulated is no reason to overlook somebody.
    return claimantsAmong({ simulated: false }, payments, entries, value, now);
  }

  private async settle(
    tx: Transaction,
    store: Store,
    payment: Payment,
    submission: Submission,
    entry: SubmissionRecord,
    { outcome, receipts }: Scene,
    locked: readonly Payment[],
    now: Date,
  ): Promise<Result> {
    const isSurplus = entry.standing === 'surplus';
    const submitted = this.withSubmission(payment, submission, now);
    const answer = (changed: Payment): Result =>
      isSurplus ? { refusal: tooMany(payment, now) } : { payment: changed };
    switch (outcome.kind) {
      case 'wait':
        return this.wait(tx, payment, submitted, isSurplus, now);
      case 'take': {
        const receipt = receiptAmong(receipts, outcome.receiptId);
        const isDigits = submission.kind === 'last4digit' && outcome.comparison !== 'late';
        if (isDigits && (await this.phonesOfOthers.include(tx, payment, receipt, now))) {
          const claim = claimOf(matchableOf(payment, now), receipt);
          const changed = await this.transitions.claim(tx, [claim], [submitted], now);
          const own = changed.get(payment.id);
          return own === undefined ? this.refuse(tx, payment, entry, now) : answer(own);
        }
        const comparison = await this.comparisonAllowed(
          tx,
          store,
          submitted,
          receipt,
          submission,
          outcome.comparison,
          now,
        );
        return answer(await this.transitions.take(tx, submitted, receipt, comparison, now));
      }
      case 'claim': {
        const all = locked.map((one) => (one.id === payment.id ? submitted : one));
        const changed = await this.transitions.claim(tx, outcome.claims, all, now);
        const own = changed.get(payment.id);
        return own === undefined ? this.refuse(tx, payment, entry, now) : answer(own);
      }
      case 'used': {
        // A user looks at it already (contract 4.37).
        if (outcome.toReview && payment.status === 'review' && submission.kind === 'trx_id')
          return this.wait(tx, payment, submitted, isSurplus, now);
        const claim = { receiptId: outcome.receiptId, paymentId: payment.id, exact: true };
        const lost = outcome.toReview ? await this.transitions.lose(tx, submitted, claim, now) : null;
        return lost === null ? this.refuse(tx, payment, entry, now) : answer(lost);
      }
    }
  }

  private async wait(
    tx: Transaction,
    payment: Payment,
    submitted: Payment,
    isSurplus: boolean,
    now: Date,
  ): Promise<Result> {
    if (isSurplus) return { refusal: tooMany(payment, now) };
    if (payment.status === 'expired') {
      // The entry is kept: if the money does come after all, it finds its way to a user instead of to nobody.
      await this.payments.save(tx, submitted, payment.status);
      return { refusal: refusedIn('expired') };
    }
    const event = payment.status === 'review' ? 'further' : 'submit';
    return { payment: await this.transitions.apply(tx, submitted, event, now) };
  }

  /** The entry is kept, in case its receipt becomes free (contract 4.43); the payment stays what it is. */
  private async refuse(
    tx: Transaction,
    payment: Payment,
    entry: SubmissionRecord,
    now: Date,
  ): Promise<Result> {
    if (entry.standing === 'surplus') return { refusal: tooMany(payment, now) };
    if (entry.standing !== 'refused') await this.entries.change(tx, entry, { ...entry, standing: 'refused' });
    return { refusal: trxIdUsed() };
  }

  private async comparisonAllowed(
    tx: Transaction,
    store: Store,
    payment: Payment,
    receipt: Receipt,
    submission: Submission,
    comparison: Comparison,
    now: Date,
  ): Promise<Comparison> {
    if (comparison !== 'agree') return comparison;
    return (await this.protection.allows(tx, store, payment, receipt, submission, now)) ? 'agree' : 'flagged';
  }

  /**
   * The latest entry is the one in force. No entry prolongs the grace: it runs from the first, and never ends before
   * the lifetime does.
   */
  private withSubmission(payment: Payment, submission: Submission, now: Date): Payment {
    if (isSameSubmission(payment.submission, submission) && payment.submittedAt !== null)
      return { ...payment, submission };
    const graceEndsAt =
      payment.graceEndsAt ??
      new Date(Math.max(now.getTime() + this.configuration.submissionGraceMs, payment.expiresAt.getTime()));
    return { ...payment, submission, submittedAt: now, graceEndsAt };
  }
}

function receiptAmong(receipts: readonly Receipt[], receiptId: string): Receipt {
  const receipt = receipts.find(({ id }) => id === receiptId);
  if (receipt === undefined) throw new Error('The receipt that was chosen was not on the table.');
  return receipt;
}

/** Where the store has an enabled wallet for it (contract 4.53). */
function offersQr(store: Store): boolean {
  return store.wallets.some(({ provider, enabled }) => enabled && provider === QR_PROVIDER);
}

function tooMany(payment: Payment, now: Date): DomainError {
  const endsAt = payment.expiresAt > now ? payment.expiresAt : (payment.graceEndsAt ?? payment.expiresAt);
  return tooManyAttempts(Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000)));
}

/**
 * A payment that is decided takes no entry. The same one again is answered with where things stand; anything else is
 * refused (contract 5.16). One in review takes further entries.
 */
function repeatOfDecided(payment: Payment, submission: Submission): Payment | null {
  if (payment.status === 'cancelled') throw refusedIn('cancelled');
  if (payment.status !== 'verified' && payment.status !== 'review') return null;
  const isReceipts = submission.kind === 'trx_id' && payment.trxId === submission.trxId;
  if (isReceipts || isSameSubmission(payment.submission, submission)) return payment;
  if (payment.status === 'verified') throw refusedIn('verified');
  return null;
}
