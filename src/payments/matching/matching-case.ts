import type { MinorUnits } from '../../kernel/money.js';
import { isGuessable } from '../../wallets/index.js';
import {
  type Payment,
  type PaymentEvent,
  statusAt,
  type Submission,
  type SubmissionKind,
  submissionValue,
} from '../payments/payment.js';
import { expiredIfOver, type PaymentFields, transitioned } from '../payments/payment-transitions.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { type Receipt, SIMULATED_FOR_MS } from '../receipts/receipt.js';
import { flagsOfReleased } from '../receipts/receipt-doubts.js';
import { type Claimant, type MatchablePayment, type MatchingRules, statusFor } from './compare.js';
import { type CaseChanges, type CaseRows, Changes, type StoredClaim } from './case-changes.js';
import type { ReceiptFacts, ReleasedFacts } from './decide-receipt.js';
import type { Attachment, Claim, Decision } from './decision.js';
import { eventOf, factsOf, matchableOf, NO_RECEIPT, reasonOfItsOwn } from './payment-facts.js';

/** At most so many payments are in review over one receipt (contract 4.41) … */
const MAX_IN_REVIEW = 20;
/** … and of those that do not fit it exactly only so many, so that they cannot keep out those that do. */
const MAX_INEXACT_IN_REVIEW = 10;

/** How a payment ends without money (contract 3.34). */
export interface CaseEnding {
  /** The receipts that the payment releases may pay by themselves. */
  readonly mayPay: boolean;
  /** A receipt that pays nothing any more. */
  readonly voided?: { readonly receiptId: string; readonly reason: string };
}

/**
 * The claims of one payment or receipt changed in another transaction, which held another key. The code is that of a
 * serialisation failure: all of it is decided again.
 */
class ChangedMeanwhile extends Error {
  readonly code = '40001';
}

/**
 * All that one decision can change: payments (locked), receipts, claims and submissions. Changed here in memory, by
 * the rules of contract 3 and 4, and written together by `MatchingCases.save`. Knows no database.
 */
export class MatchingCase {
  private readonly payments: Map<string, Payment>;
  private readonly receipts: Map<string, Receipt>;
  private readonly claims: Map<string, StoredClaim>;
  private submissions: readonly SubmissionRecord[];
  /** Receipts that are attached to no payment any more: offered to the next claimant after the commit. */
  private readonly releasedIds = new Set<string>();
  /** The payer's submission, as its payment shows it from its next change on. */
  private submitted: { readonly paymentId: string; readonly fields: PaymentFields } | null = null;
  private changes = new Changes();

  constructor(
    readonly storeId: string,
    /** The instant of the decision. */
    readonly now: Date,
    /** `SUBMISSION_GRACE`, in milliseconds. */
    private readonly graceMs: number,
    rows: CaseRows,
  ) {
    this.payments = new Map(rows.payments.map((payment) => [payment.id, payment]));
    this.receipts = new Map(rows.receipts.map((receipt) => [receipt.id, receipt]));
    this.claims = new Map(rows.claims.map((claim) => [keyOf(claim), claim]));
    this.submissions = rows.submissions;
  }

  /** Receipts that were released and are to be offered to the next claimants, once this is committed. */
  get released(): readonly string[] {
    return [...this.releasedIds];
  }

  /** Answers the changes since the last call, and forgets them. */
  takeChanges(): CaseChanges {
    const changes = this.changes;
    this.changes = new Changes();
    return changes.list();
  }

  payment(paymentId: string): Payment {
    const payment = this.payments.get(paymentId);
    if (payment === undefined) throw new ChangedMeanwhile(`Payment ${paymentId} is not locked.`);
    return payment;
  }

  findPayment(paymentId: string): Payment | null {
    return this.payments.get(paymentId) ?? null;
  }

  receipt(receiptId: string): Receipt {
    const receipt = this.receipts.get(receiptId);
    if (receipt === undefined) throw new ChangedMeanwhile(`Receipt ${receiptId} has not been read.`);
    return receipt;
  }

  findReceipt(receiptId: string): Receipt | null {
    return this.receipts.get(receiptId) ?? null;
  }

  /** A payment as the rules see it. */
  matchable(paymentId: string): MatchablePayment {
    return matchableOf(this.payment(paymentId), this.now);
  }

  submissionsOf(paymentId: string): SubmissionRecord[] {
    return this.submissions.filter((submission) => submission.paymentId === paymentId);
  }

  /** The claims of a payment, but for one on the receipt that is attached to it. */
  claimsOf(paymentId: string): Claim[] {
    const { receiptId } = this.payment(paymentId);
    return this.liveClaims((claim) => claim.paymentId === paymentId && claim.receiptId !== receiptId);
  }

  /** Whether other payments are in review over a receipt that is attached to no payment. */
  isClaimedByOthers(receiptId: string, paymentId: string): boolean {
    return (
      this.liveClaims((claim) => claim.receiptId === receiptId && claim.paymentId !== paymentId).length > 0
    );
  }

  /** The payments that may get a receipt: none, when it is a simulated one that may pay nothing (contract 4.51). */
  claimantsOf(receipt: Receipt, rules: MatchingRules): ReceiptFacts {
    if (!this.mayPay(receipt, rules)) return { byTrxId: [], byDigits: [], alike: [] };
    return {
      byTrxId: receipt.trxId === null ? [] : this.claimantsBy('trx_id', receipt.trxId, receipt),
      byDigits: this.claimantsByDigits(receipt),
      alike: this.freeReceiptsAlike(receipt, rules),
    };
  }

  /** The payments that may get a receipt which is attached to no payment any more, and those that claim it. */
  claimantsOfReleased(receipt: Receipt, rules: MatchingRules): ReleasedFacts {
    const claiming = this.liveClaims(({ receiptId }) => receiptId === receipt.id).map(({ paymentId }) =>
      this.payment(paymentId),
    );
    const onlyThis = claiming.filter(
      ({ id, receiptId }) =>
        receiptId === null &&
        this.liveClaims((claim) => claim.paymentId === id && claim.receiptId !== receipt.id).length === 0,
    );
    return {
      ...this.claimantsOf(receipt, rules),
      claimantIds: new Set(claiming.map(({ id }) => id)),
      onlyThisIds: new Set(onlyThis.map(({ id }) => id)),
    };
  }

  /** Other payments of an amount, to pay or plain, for which digits were submitted. */
  otherClaimants(paymentId: string, last4digit: string, amountMinor: MinorUnits): Claimant[] {
    // A real receipt: what is only simulated is no reason to overlook somebody.
    return this.claimantsBy('last4digit', last4digit, { simulated: false }).filter(
      ({ id }) => id !== paymentId && this.isOfAmount(id, amountMinor),
    );
  }

  private claimantsByDigits(receipt: Receipt): Claimant[] {
    if (receipt.last4digit === null) return [];
    return this.claimantsBy('last4digit', receipt.last4digit, receipt).filter(({ id }) =>
      this.isOfAmount(id, receipt.amountMinor),
    );
  }

  private isOfAmount(paymentId: string, amountMinor: MinorUnits): boolean {
    const payment = this.payment(paymentId);
    return payment.payAmountMinor === amountMinor || payment.amountMinor === amountMinor;
  }

  /** Payments that could still get a receipt, with their submissions of the value that it is looked for by. */
  private claimantsBy(kind: SubmissionKind, value: string, receipt: Pick<Receipt, 'simulated'>): Claimant[] {
    const claimants: Claimant[] = [];
    for (const payment of this.payments.values()) {
      if (payment.status === 'verified' || payment.status === 'cancelled') continue;
      const submissions = this.submissions.filter(
        (one) => one.paymentId === payment.id && one.kind === kind && one.value === value,
      );
      if (submissions.length === 0) continue;
      const matchable = matchableOf(payment, this.now);
      const inForce = payment.submission !== null && submissionValue(payment.submission) === value;
      claimants.push(
        Object.assign(matchable, { status: statusFor(matchable, receipt), submissions, inForce }),
      );
    }
    return claimants;
  }

  /** The store's receipts that may pay: of the simulated ones, those that are fresh, or have paid already. */
  usable(receipts: readonly Receipt[], rules: MatchingRules): Receipt[] {
    return receipts.filter((receipt) => receipt.attachedTo !== null || this.isFresh(receipt, rules));
  }

  /** A real receipt always wins over a simulated one, also one that is another's already (contract 4.51). */
  private mayPay(receipt: Receipt, rules: MatchingRules): boolean {
    if (!this.isFresh(receipt, rules)) return false;
    if (!receipt.simulated || receipt.trxId === null) return true;
    const { trxId, provider } = receipt;
    return ![...this.receipts.values()].some(
      (one) => !one.simulated && one.trxId === trxId && one.provider === provider,
    );
  }

  private isFresh({ simulated, arrivedAt }: Receipt, { simulationEnabled }: MatchingRules): boolean {
    if (!simulated) return true;
    return simulationEnabled && this.now.getTime() - arrivedAt.getTime() <= SIMULATED_FOR_MS;
  }

  private freeReceiptsAlike(receipt: Receipt, rules: MatchingRules): Receipt[] {
    const { id, last4digit, amountMinor, currency, simulated } = receipt;
    if (last4digit === null) return [];
    const alike = [...this.receipts.values()].filter(
      (one) =>
        one.id !== id &&
        one.last4digit === last4digit &&
        one.amountMinor === amountMinor &&
        one.currency === currency &&
        one.simulated === simulated &&
        one.attachedTo === null,
    );
    return this.usable(alike, rules);
  }

  /** A receipt that has just come. Its key was held, and the store does not have it yet. */
  add(receipt: Receipt): void {
    this.receipts.set(receipt.id, receipt);
    this.changes.newReceipts.set(receipt.id, receipt);
  }

  addSubmission(submission: SubmissionRecord): void {
    this.submissions = [...this.submissions, submission];
    this.changes.newSubmissions.set(submission.number, submission);
  }

  changeSubmission(submission: SubmissionRecord): void {
    this.submissions = this.submissions.map((one) =>
      one.paymentId === submission.paymentId && one.number === submission.number ? submission : one,
    );
    if (this.changes.newSubmissions.has(submission.number))
      this.changes.newSubmissions.set(submission.number, submission);
    else this.changes.submissions.set(submission.number, submission);
  }

  /** Writes down that a payment has expired, if its time is over. */
  expireIfOver(paymentId: string): Payment {
    const before = this.payment(paymentId);
    const after = expiredIfOver(before, this.now);
    return after === before ? before : this.put(before, after);
  }

  /** The payment shows this submission with its next change. Without one it stays what it was. */
  showSubmission(paymentId: string, fields: PaymentFields): void {
    this.submitted = { paymentId, fields };
  }

  /** A payer's submission waits for its receipt. An expired payment stays expired: the submission is kept. */
  waitForReceipt(paymentId: string): void {
    const payment = this.payment(paymentId);
    if (payment.status === 'expired') this.put(payment, { ...payment, ...this.submittedFieldsOf(paymentId) });
    else this.transition(payment, payment.status === 'review' ? 'further' : 'submit');
  }

  /** Carries a decision out. Answers the payments that got the receipt, or are in review over it now. */
  apply({ attach, claims, endedClaims }: Decision): ReadonlySet<string> {
    const changedIds = new Set<string>();
    if (attach !== null) {
      this.applyAttachment(attach);
      changedIds.add(attach.paymentId);
    }
    for (const claim of claims) if (this.claim(claim)) changedIds.add(claim.paymentId);
    for (const claim of endedClaims) if (this.endClaim(claim)) changedIds.add(claim.paymentId);
    return changedIds;
  }

  private applyAttachment({ paymentId, receiptId, comparison, by }: Attachment): void {
    const payment = this.payment(paymentId);
    const receipt = this.receipt(receiptId);
    // Not by a spread, which would give each of them a hidden class of its own (docs/performance.md).
    const fields: PaymentFields = Object.assign(this.shownSubmission(payment, receipt, by), {
      reviewReason: comparison === 'agree' ? null : comparison,
    });
    this.attach(paymentId, receiptId, eventOf(payment, comparison, this.now), fields);
  }

  /**
   * A payment shows the submission by which it is verified or in review; one whose submissions were all answered 409
   * shows none yet.
   */
  private shownSubmission(payment: Payment, receipt: Receipt, kind: SubmissionKind): PaymentFields {
    if (payment.submittedAt !== null || this.submitted?.paymentId === payment.id) return {};
    const submission: Submission =
      kind === 'trx_id'
        ? { kind, trxId: receipt.trxId ?? '', provider: null }
        : { kind, last4digit: receipt.last4digit ?? '', provider: null };
    const graceEndsAt = new Date(this.now.getTime() + this.graceMs);
    return { submission, submittedAt: this.now, graceEndsAt };
  }

  /**
   * The receipt is attached to the payment from now on; the one that was attached before is released. If it is
   * verified, nobody else is in review over the receipt any longer, and it claims nothing itself. `mayPay`: what it
   * claimed besides is free as if it had just come.
   */
  attach(
    paymentId: string,
    receiptId: string,
    event: PaymentEvent,
    fields: PaymentFields,
    mayPay = false,
  ): Payment {
    const before = this.payment(paymentId);
    const receipt = this.receipt(receiptId);
    const isHeld = before.receiptId === receiptId;
    if (!isHeld) this.releaseAttached(before, false);
    const facts = isHeld ? {} : factsOf(receipt);
    const after = this.transition(before, event, Object.assign(facts, fields));
    const isVerified = after.status === 'verified';
    const attachedTo = { paymentId, verified: isVerified };
    this.changeReceipt(receiptId, { status: isVerified ? 'matched' : 'review', paymentId, attachedTo });
    if (!receipt.simulated && (receipt.last4digit !== null || isGuessable(receipt.provider)))
      this.changes.noGuesses.push({ paymentId, receipt });
    if (isVerified) {
      this.loseClaimsOn(receiptId, paymentId);
      this.endClaimsOf(paymentId, mayPay);
    }
    return after;
  }

  /** A user verifies a payment over no receipt. Its receipt and those that it claimed are released. */
  approveWithoutReceipt(paymentId: string, fields: PaymentFields): Payment {
    const before = this.payment(paymentId);
    this.releaseAttached(before, false);
    const after = this.transition(before, 'approve', Object.assign({}, NO_RECEIPT, fields));
    this.endClaimsOf(paymentId, true);
    return after;
  }

  /** A payment in review gives up its receipt to another one (`trx_id_used`). */
  detach(paymentId: string): void {
    const before = this.payment(paymentId);
    if (before.receiptId !== null)
      this.changeReceipt(before.receiptId, { paymentId: null, attachedTo: null });
    this.transition(before, 'further', { ...NO_RECEIPT, reviewReason: 'trx_id_used' });
  }

  /**
   * A payment goes to review over a receipt that is not attached to it. Who is in review stays there; what fits exactly
   * makes it `ambiguous`. False when there is no room for one more: it goes on as it was.
   */
  private claim(claim: Claim): boolean {
    if (!this.hasRoom(claim)) return false;
    this.putClaim({ ...claim, isLive: true, isAttached: false });
    this.doubt(claim.receiptId);
    const payment = this.payment(claim.paymentId);
    const status = statusAt(payment, this.now);
    if (status === 'expired') this.transition(payment, 'money_late', { reviewReason: 'late' });
    else if (status !== 'review') this.transition(payment, 'disagree', { reviewReason: 'ambiguous' });
    else if (claim.exact && payment.reviewReason !== 'late' && payment.reviewReason !== 'ambiguous')
      this.transition(payment, 'further', { reviewReason: 'ambiguous' });
    else if (this.submitted?.paymentId === payment.id) this.transition(payment, 'further');
    return true;
  }

  /**
   * A payment waited for a receipt that is another's: review (`trx_id_used`). False when it is in review already, or
   * there is no room for one more.
   */
  private endClaim(claim: Claim): boolean {
    const payment = this.payment(claim.paymentId);
    const status = statusAt(payment, this.now);
    if (status === 'review' || !this.hasRoom(claim)) return false;
    this.transition(payment, status === 'expired' ? 'money_late' : 'disagree', {
      reviewReason: 'trx_id_used',
    });
    this.putClaim({ ...claim, isLive: false, isAttached: false });
    return true;
  }

  /** Whether one more may be in review over a receipt (contract 4.41). The one that it is attached to is the twentieth. */
  private hasRoom({ receiptId, exact }: Claim): boolean {
    const others = [...this.claims.values()].filter(
      (one) => one.receiptId === receiptId && this.isInReviewWithout(one),
    );
    if (others.length >= MAX_IN_REVIEW - 1) return false;
    return exact || others.filter((one) => !one.exact).length < MAX_INEXACT_IN_REVIEW;
  }

  /** Whether the payment of a claim is in review, and has another receipt attached, or none. */
  private isInReviewWithout({ paymentId, receiptId, isAttached }: StoredClaim): boolean {
    const payment = this.payments.get(paymentId);
    return payment === undefined
      ? !isAttached
      : payment.status === 'review' && payment.receiptId !== receiptId;
  }

  /** A payment ends without money. Its receipt and those that it claimed are released, or void. */
  end(paymentId: string, event: 'cancel' | 'reject', { mayPay, voided }: CaseEnding): Payment {
    const before = this.payment(paymentId);
    const after = this.transition(before, event, { ...NO_RECEIPT, reviewReason: null });
    if (voided !== undefined) this.voidReceipt(voided.receiptId, voided.reason);
    this.releaseAttached(before, mayPay);
    this.endClaimsOf(paymentId, mayPay);
    return after;
  }

  /** A receipt whose money went back, or was for something else: it pays nothing any more. It is attached to no payment. */
  voidReceipt(receiptId: string, reason: string): void {
    const fields = { voidedAt: this.now, voidReason: reason, paymentId: null, attachedTo: null };
    this.changeReceipt(receiptId, { status: 'void', ...fields });
    this.loseClaimsOn(receiptId, null);
  }

  /** A void receipt is as if it had just come. */
  restoreReceipt(receiptId: string): void {
    this.changeReceipt(receiptId, { status: 'unmatched', voidedAt: null, voidReason: null });
    this.releasedIds.add(receiptId);
  }

  /**
   * A receipt is another's for good, or void: who was in review over nothing else is in review because of that
   * (`trx_id_used`), and approving needs no receipt.
   */
  private loseClaimsOn(receiptId: string, winnerId: string | null): void {
    for (const claim of this.liveClaims((one) => one.receiptId === receiptId)) {
      this.putClaim({ ...claim, isLive: false });
      const { paymentId } = claim;
      if (paymentId === winnerId) continue;
      const payment = this.payment(paymentId);
      if (payment.status !== 'review') continue;
      if (this.liveClaims((one) => one.paymentId === paymentId).length > 0) continue;
      const reviewReason = payment.receiptId === null ? 'trx_id_used' : reasonOfItsOwn(payment);
      this.transition(payment, 'further', { reviewReason });
    }
  }

  /** A payment that is decided claims nothing any longer. */
  private endClaimsOf(paymentId: string, mayPay: boolean): void {
    for (const claim of this.liveClaims((one) => one.paymentId === paymentId)) {
      this.putClaim({ ...claim, isLive: false });
      const receipt = this.receipt(claim.receiptId);
      if (receipt.attachedTo === null && receipt.status === 'review') this.release(receipt.id, mayPay);
    }
  }

  private releaseAttached({ receiptId }: Payment, mayPay: boolean): void {
    if (receiptId !== null) this.release(receiptId, mayPay);
  }

  /** A receipt is attached to no payment any longer. It stays in review while others claim it. */
  private release(receiptId: string, mayPay: boolean): void {
    const receipt = this.receipt(receiptId);
    if (receipt.status === 'void') return;
    const isClaimed = this.liveClaims((claim) => claim.receiptId === receiptId).length > 0;
    const flags = flagsOfReleased(receipt, mayPay);
    const status = isClaimed ? 'review' : 'unmatched';
    this.changeReceipt(receiptId, { status, flags, paymentId: null, attachedTo: null });
    this.releasedIds.add(receiptId);
  }

  /** Leaves a receipt to a user, unless it has found its payment. */
  private doubt(receiptId: string): void {
    const receipt = this.receipt(receiptId);
    if (receipt.status !== 'unmatched') return;
    this.receipts.set(receiptId, { ...receipt, status: 'review' });
    this.changes.doubt(this.receipt(receiptId));
  }

  private changeReceipt(receiptId: string, fields: Partial<Receipt>): void {
    const changed = { ...this.receipt(receiptId), ...fields };
    this.receipts.set(receiptId, changed);
    this.changes.receipt(changed);
  }

  private liveClaims(isWanted: (claim: StoredClaim) => boolean): StoredClaim[] {
    return [...this.claims.values()].filter((claim) => claim.isLive && isWanted(claim));
  }

  private putClaim(claim: StoredClaim): void {
    this.claims.set(keyOf(claim), claim);
    this.changes.claims.set(keyOf(claim), claim);
  }

  private submittedFieldsOf(paymentId: string): PaymentFields {
    return this.submitted?.paymentId === paymentId ? this.submitted.fields : {};
  }

  private transition(payment: Payment, event: PaymentEvent, fields: PaymentFields = {}): Payment {
    const all = Object.assign({}, this.submittedFieldsOf(payment.id), fields);
    return this.put(payment, transitioned(payment, event, this.now, all));
  }

  private put(before: Payment, after: Payment): Payment {
    this.payments.set(after.id, after);
    this.changes.transitions.push({ before, after });
    return after;
  }
}

function keyOf({ receiptId, paymentId }: Claim): string {
  return `${receiptId} ${paymentId}`;
}
