import type { SubmissionKind } from '../payments/payment.js';
import {
  type Claimant,
  compare,
  compareMoney,
  type Comparison,
  fitsExactly,
  isLate,
  isWithinWindow,
  type MatchablePayment,
  type MatchableReceipt,
  type MatchingRules,
  mayBeMatched,
  type RecordedSubmission,
  statusFor,
  submissionsInWindow,
} from './compare.js';
import { type Claim, claimOf, claimsOfAll, type Decision, NOTHING } from './decision.js';
import { phoneAgreement } from './phones.js';

/**
 * Decides a submitted TrxID against all receipts of the store that carry it, claimed and void ones included.
 * `isContested`: others are in review over that receipt.
 */
export function decideTrxSubmission(
  payment: MatchablePayment,
  submission: RecordedSubmission,
  receipts: readonly MatchableReceipt[],
  isContested: (receiptId: string) => boolean,
  rules: MatchingRules,
): Decision {
  const real = receipts.filter(({ simulated }) => !simulated);
  const known = real.length > 0 ? real : receipts;
  const wanted = submission.provider ?? payment.requestedProvider;
  const ofWanted = known.filter(({ provider }) => provider === wanted);
  const claimants = ofWanted.length > 0 ? ofWanted : known;
  const usable = claimants.filter((receipt) => isToBeHad(payment, receipt));
  if (usable.length === 0) return refusedFor(payment, claimants);
  const chosen = chooseReceipt(payment, usable);
  if (chosen === null) {
    return claiming(claimsOfAll([payment], usable));
  }
  const exact = fitsExactly(payment, chosen);
  const isOthers = chosen.attachedTo !== null || isContested(chosen.id);
  if (isOthers && !exact) return USED;
  // Two receipts for one payment, two payments for one receipt: a user gives it.
  if (isOthers || statusFor(payment, chosen) === 'review') return claiming([claimOf(payment, chosen)]);
  return attaching(payment, chosen, compare(payment, chosen, submission, rules), 'trx_id');
}

/** Attached to no payment, or to another one only until a user has looked. */
function isToBeHad(payment: MatchablePayment, receipt: MatchableReceipt): boolean {
  if (receipt.status === 'void' || receipt.status === 'ignored') return false;
  return (
    receipt.attachedTo === null ||
    (!receipt.attachedTo.verified && receipt.attachedTo.paymentId !== payment.id)
  );
}

/**
 * No receipt is to be had. If the payer's phone is the one that the money came from, a user sees both (contract 4.38);
 * a payment in review waits there (4.37).
 */
function refusedFor(payment: MatchablePayment, receipts: readonly MatchableReceipt[]): Decision {
  const taken = receipts.find(({ attachedTo }) => attachedTo?.paymentId !== payment.id);
  if (taken === undefined) return NOTHING;
  const stolen = receipts.find(
    (receipt) =>
      receipt.attachedTo?.verified === true &&
      fitsExactly(payment, receipt) &&
      phoneAgreement(payment.customerPhone, receipt.counterparty) === 'agrees',
  );
  if (stolen === undefined) return USED;
  return payment.status === 'review' ? NOTHING : losing(payment, stolen);
}

/** The only one, else the only one that fits exactly, else none: never a guess. */
function chooseReceipt(
  payment: MatchablePayment,
  receipts: readonly MatchableReceipt[],
): MatchableReceipt | null {
  const [first] = receipts;
  if (receipts.length === 1 && first !== undefined) return first;
  const equal = receipts.filter((receipt) => compareMoney(payment, receipt) === null);
  const [only] = equal;
  return equal.length === 1 && only !== undefined ? only : null;
}

/** The facts by which submitted digits are decided. */
export interface DigitsFacts {
  /** The store's receipts of the same digits and of the amount to pay, attached or not. */
  readonly receipts: readonly MatchableReceipt[];
  /** The other payments of that amount for which the same digits were submitted. */
  readonly claimants: readonly Claimant[];
  /** Receipts of the plain amount, where the payment has an amount of its own. */
  readonly plainReceipts: readonly MatchableReceipt[];
  /** The other payments of the plain amount for which the same digits were submitted. */
  readonly plainClaimants: readonly Claimant[];
}

/** Decides four submitted digits (contract 4.53 to 4.73). `isContested`: others are in review over that receipt. */
export function decideDigitsSubmission(
  payment: MatchablePayment,
  submission: RecordedSubmission,
  facts: DigitsFacts,
  isContested: (receiptId: string) => boolean,
  rules: MatchingRules,
): Decision {
  const inWindow = (receipt: MatchableReceipt) =>
    receipt.currency === payment.currency && isWithinWindow(submission.at, receipt, rules.windowMs);
  const fitting = realFirst(facts.receipts.filter(inWindow));
  const usable = fitting.filter((receipt) => receipt.attachedTo === null && mayBeMatched(receipt));
  const [only] = usable;
  if (only !== undefined) {
    const others = facts.claimants.filter((one) => submissionsInWindow(one, only, rules.windowMs).length > 0);
    const isAlone = usable.length === 1 && others.length === 0 && !isContested(only.id);
    if (!isAlone || statusFor(payment, only) === 'review')
      return claiming(claimsOfAll([payment, ...others], usable));
    return attaching(payment, only, compare(payment, only, submission, rules), 'last4digit');
  }
  // Held until a user has looked, or the second of two that look alike: a user sees both.
  const toBeHad = fitting.filter(
    (receipt) =>
      isToBeHad(payment, receipt) &&
      (receipt.attachedTo !== null || receipt.status === 'review' || !mayBeMatched(receipt)),
  );
  if (toBeHad.length > 0) return claiming(claimsOfAll([payment], toBeHad));
  const taken = fitting.find(({ attachedTo }) => attachedTo?.paymentId !== payment.id);
  if (taken !== undefined) return losing(payment, taken);
  return decidePlain(payment, realFirst(facts.plainReceipts.filter(inWindow)), facts.plainClaimants, rules);
}

/** Decides about payers who sent the plain amount instead of their own: to a user, never verified (contract 4.101). */
function decidePlain(
  payment: MatchablePayment,
  receipts: readonly MatchableReceipt[],
  claimants: readonly Claimant[],
  { windowMs }: MatchingRules,
): Decision {
  const usable = receipts.filter((receipt) => isToBeHad(payment, receipt) && mayBeMatched(receipt));
  const [only] = usable;
  if (only === undefined) {
    const used = receipts.find(
      ({ attachedTo }) => attachedTo?.verified === true && attachedTo.paymentId !== payment.id,
    );
    return used === undefined ? NOTHING : losing(payment, used);
  }
  const isOthersToo = claimants.some((one) => submissionsInWindow(one, only, windowMs).length > 0);
  const isAlone = usable.length === 1 && only.attachedTo === null && !isOthersToo;
  if (!isAlone || statusFor(payment, only) === 'review') return claiming(claimsOfAll([payment], usable));
  return attaching(payment, only, isLate(payment) ? 'late' : 'underpaid', 'last4digit');
}

/** A real receipt always wins over simulated ones. */
function realFirst(receipts: readonly MatchableReceipt[]): readonly MatchableReceipt[] {
  const real = receipts.filter(({ simulated }) => !simulated);
  return real.length > 0 ? real : receipts;
}

/**
 * Decides about a payment for which digits were submitted, whose time is over, and whose money seems to have come
 * outside the window: one free receipt of its digits and amount goes to review with it (`late`), of several a user
 * chooses (contract 3.19).
 */
export function decideLateMoney(payment: MatchablePayment, receipts: readonly MatchableReceipt[]): Decision {
  const found = receipts.filter(
    (receipt) => receipt.status === 'unmatched' && !receipt.simulated && fitsExactly(payment, receipt),
  );
  const [only] = found;
  if (only === undefined) return NOTHING;
  return found.length === 1
    ? attaching(payment, only, 'late', 'last4digit')
    : claiming(claimsOfAll([payment], found));
}

/** The receipt is another's, or void: 409. */
const USED: Decision = { ...NOTHING, otherwise: 'used' };

function attaching(
  { id: paymentId }: MatchablePayment,
  { id: receiptId }: MatchableReceipt,
  comparison: Comparison,
  by: SubmissionKind,
): Decision {
  return { ...USED, attach: { paymentId, receiptId, comparison, by } };
}

/** A user must choose. Where there is no room for one more, the receipt is used. */
function claiming(claims: readonly Claim[]): Decision {
  return { ...USED, claims };
}

/** The receipt is another's, and a user sees both. */
function losing(payment: MatchablePayment, receipt: MatchableReceipt): Decision {
  return { ...USED, endedClaims: [claimOf(payment, receipt)] };
}
