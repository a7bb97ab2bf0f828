import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { DomainError } from '../../kernel/domain-error.js';
import type { Store } from '../../stores/index.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import type { MatchingRules } from '../matching/compare.js';
import { decideDigitsSubmission, decideTrxSubmission } from '../matching/decide-submission.js';
import type { Decision } from '../matching/decision.js';
import { GuessProtection } from '../matching/guess-protection.js';
import type { MatchingCase } from '../matching/matching-case.js';
import { MatchingCases, type SubmissionCase } from '../matching/matching-cases.js';
import { submissionKeys } from '../matching/matching-keys.js';
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
} from '../payments/payments.problems.js';
import { PaymentReads } from '../payments/payment-reads.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { LateMoney } from './late-money.js';
import { PaymentsSettings } from '../payments.settings.js';

/** A submission that is in force, or the refusal. */
type Noted =
  { readonly submission: SubmissionRecord; readonly isRepeated: boolean } | { readonly refusal: DomainError };

/** A payment after a submission, or the refusal that is answered once what had to be kept has been committed. */
type Result = { readonly payment: Payment } | { readonly refusal: DomainError };

/** The payer's side of matching (contract 4.2 and 5.8). */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly reads: PaymentReads,
    private readonly cases: MatchingCases,
    private readonly guesses: GuessProtection,
    private readonly late: LateMoney,
    private readonly settings: PaymentsSettings,
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
    const decided = repeatOfDecided(known, submission);
    if (decided !== null) return decided;
    if (submission.kind === 'last4digit' && !offersQr(store)) throw qrNotOffered();
    await this.late.decideIfOver(known);

    const result = await this.database.transaction(
      async (tx): Promise<Result> => {
        const found = await this.cases.ofSubmission(tx, known, submission);
        const { matching } = found;
        const own = matching.findPayment(paymentId);
        if (own === null) throw paymentNotFound();
        const meanwhile = repeatOfDecided(own, submission);
        if (meanwhile !== null) return { payment: meanwhile };
        const before = matching.expireIfOver(paymentId);
        const noted = this.note(found, before, submission);
        if ('refusal' in noted || (noted.isRepeated && before.status === 'review')) {
          await this.cases.save(tx, matching);
          return 'refusal' in noted ? noted : { payment: before };
        }
        const rules = this.cases.rulesOf(store);
        const decision = decide(found, noted.submission, rules);
        const tempered = await this.guesses.temper(tx, store, matching, decision);
        const answer = this.carryOut(matching, noted.submission, tempered);
        await this.cases.save(tx, matching);
        return answer;
      },
      {
        locks: submissionKeys(known, submission),
        storeId: store.id,
      },
    );
    if ('refusal' in result) throw result.refusal;
    return result.payment;
  }

  /**
   * Notes a new submission. One that was made before costs nothing and changes nothing; digits are new again once
   * their window is over, with an instant of their own, and the earlier ones stay. One too many is kept for a user;
   * beyond twice the number nothing is.
   */
  private note({ matching, receipts }: SubmissionCase, payment: Payment, submission: Submission): Noted {
    const { kind, provider } = submission;
    const { now } = matching;
    const value = submissionValue(submission);
    const submitted = matching.submissionsOf(payment.id);
    const ofKind = submitted.filter((one) => one.kind === kind);
    const same = ofKind.findLast((one) => one.value === value);
    const { guessable, ownPhone } = this.guesses.traitsOf(payment, submission);
    // A TrxID whose receipt is there was not guessed wrongly: whoever counts wrong submissions need not look at it.
    const isThere = kind === 'trx_id' && receipts.some(({ simulated }) => !simulated);
    matching.showSubmission(payment.id, this.shown(payment, submission, now));
    if (same !== undefined && this.isStillTheSame(same, now)) {
      if (same.provider === provider) return { submission: same, isRepeated: true };
      // Under another wallet's name it is another guess. Whoever renames it back is counted all the same.
      const isGuess = kind === 'trx_id' && guessable && !isThere;
      const renamed = { ...same, provider, guessable: same.guessable || isGuess };
      matching.changeSubmission(renamed);
      return { submission: renamed, isRepeated: true };
    }
    if (ofKind.length >= KEPT_SUBMISSIONS[kind]) return { refusal: tooMany(payment, now) };
    const added: SubmissionRecord = {
      paymentId: payment.id,
      storeId: payment.storeId,
      number: submitted.length + 1,
      kind,
      value,
      provider,
      currency: payment.currency,
      amountMinor: payment.payAmountMinor,
      standing: ofKind.length < MAX_SUBMISSIONS[kind] ? 'counted' : 'surplus',
      guessable: guessable && !isThere,
      ownPhone,
      at: now,
    };
    matching.addSubmission(added);
    return { submission: added, isRepeated: false };
  }

  private isStillTheSame(submission: SubmissionRecord, now: Date): boolean {
    return (
      submission.kind === 'trx_id' || now.getTime() - submission.at.getTime() <= this.settings.qrWindowMs
    );
  }

  /**
   * The latest submission is the one in force. None prolongs the grace: it runs from the first, and never ends before
   * the lifetime does.
   */
  private shown(
    payment: Payment,
    submission: Submission,
    now: Date,
  ): Pick<Payment, 'submission' | 'submittedAt' | 'graceEndsAt'> {
    const { submittedAt, expiresAt } = payment;
    if (isSameSubmission(payment.submission, submission) && submittedAt !== null)
      return { submission, submittedAt, graceEndsAt: payment.graceEndsAt };
    const graceEndsAt =
      payment.graceEndsAt ??
      new Date(Math.max(now.getTime() + this.settings.submissionGraceMs, expiresAt.getTime()));
    return { submission, submittedAt: now, graceEndsAt };
  }

  /** Carries the decision out, and says what the payer is answered. */
  private carryOut(matching: MatchingCase, submission: SubmissionRecord, decision: Decision): Result {
    const { paymentId, standing } = submission;
    const payment = matching.payment(paymentId);
    const isChanged = matching.apply(decision).has(paymentId);
    // One too many: it is kept, and leads to a user at most.
    if (standing === 'surplus') return { refusal: tooMany(payment, matching.now) };
    if (isChanged) return { payment: matching.payment(paymentId) };
    if (decision.otherwise === 'used') {
      // Kept in case its receipt is released (contract 4.43); the payment stays what it is.
      if (standing !== 'refused') matching.changeSubmission({ ...submission, standing: 'refused' });
      return { refusal: trxIdUsed() };
    }
    matching.waitForReceipt(paymentId);
    return payment.status === 'expired'
      ? { refusal: refusedIn('expired') }
      : { payment: matching.payment(paymentId) };
  }
}

function decide(
  { matching, receipts, plainReceipts }: SubmissionCase,
  submission: SubmissionRecord,
  rules: MatchingRules,
): Decision {
  const { paymentId, kind, value } = submission;
  const payment = matching.payment(paymentId);
  const matchable = matching.matchable(paymentId);
  const isContested = (receiptId: string) => matching.isClaimedByOthers(receiptId, paymentId);
  const usable = matching.usable(receipts, rules);
  if (kind === 'trx_id') return decideTrxSubmission(matchable, submission, usable, isContested, rules);
  const facts = {
    receipts: usable,
    claimants: matching.otherClaimants(paymentId, value, payment.payAmountMinor),
    plainReceipts: matching.usable(plainReceipts, rules),
    plainClaimants: matching.otherClaimants(paymentId, value, payment.amountMinor),
  };
  return decideDigitsSubmission(matchable, submission, facts, isContested, rules);
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
 * A payment that is decided takes no submission. The same one again is answered with where things stand; anything
 * else is refused (contract 5.16). One in review takes further submissions.
 */
function repeatOfDecided(payment: Payment, submission: Submission): Payment | null {
  if (payment.status === 'cancelled') throw refusedIn('cancelled');
  if (payment.status !== 'verified' && payment.status !== 'review') return null;
  const isReceipts = submission.kind === 'trx_id' && payment.trxId === submission.trxId;
  if (isReceipts || isSameSubmission(payment.submission, submission)) return payment;
  if (payment.status === 'verified') throw refusedIn('verified');
  return null;
}
