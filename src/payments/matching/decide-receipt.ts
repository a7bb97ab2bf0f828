import type { SubmissionKind } from '../payments/payment.js';
import {
  type Claimant,
  compare,
  type Comparison,
  fitsExactly,
  isLate,
  isLive,
  isWithinWindow,
  type MatchableReceipt,
  type MatchingRules,
  mayBeMatched,
  NO_SUBMISSION,
  submissionsInWindow,
} from './compare.js';
import { type Attachment, type Claim, claimOf, claimsOfAll, type Decision, NOTHING } from './decision.js';
import { phoneAgreement } from './phones.js';

/**
 * Decides a receipt that has just come against the payments for which its TrxID was submitted (contract 4.27). An
 * exact fit without a doubt is verified, after the tie-break by phone; else the first exact fit is in review with the
 * receipt attached; else the first claimant. A payment that has submitted another TrxID since goes on waiting for
 * that one.
 */
export function decideTrxReceipt(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  rules: MatchingRules,
): Decision {
  const ranked = [...claimants].sort(byRank).map((payment) => rankedOf(payment, receipt, rules));
  const exact = ranked.filter((one) => one.exact);
  const [first] = ranked.filter(mayWin);
  if (first !== undefined) {
    const tied = exact.filter(({ payment }) => payment.status !== 'expired');
    return decideTie(receipt, first, tied, ranked);
  }
  const eligible = exact.length > 0 ? exact : ranked;
  const winner = eligible.find(({ payment }) => payment.status !== 'review');
  // A payment in review claims this receipt beside its own, even if it does not fit: perhaps it is the rest.
  const claiming = exact.length > 0 || winner === undefined ? eligible.filter((one) => one !== winner) : [];
  return {
    ...NOTHING,
    attach: winner === undefined ? null : attachTo(winner.payment, receipt, winner.comparison, 'trx_id'),
    claims: claiming.map(({ payment }) => claimOf(payment, receipt)),
    endedClaims:
      winner === undefined && exact.length === 0
        ? []
        : endedClaimsAmong(receipt, ranked, [...claiming, winner]),
  };
}

/** A claimant, and how it compares with the receipt. */
interface Ranked {
  readonly payment: Claimant;
  readonly exact: boolean;
  readonly comparison: Comparison;
}

function rankedOf(payment: Claimant, receipt: MatchableReceipt, rules: MatchingRules): Ranked {
  const comparison = compare(payment, receipt, payment.submissions.at(-1) ?? NO_SUBMISSION, rules);
  return { payment, exact: fitsExactly(payment, receipt), comparison };
}

/** An exact fit without a doubt, whose payment waits. */
function mayWin({ payment, comparison }: Ranked): boolean {
  return isLive(payment) && comparison === 'agree';
}

/**
 * The tie-break by phone (contract 4.31 to 4.34). `tied`: all exact fits that are not expired; one with a doubt, or in
 * review already, takes part in the comparison and never wins. `first`: the one that wins if no phone agrees.
 */
function decideTie(
  receipt: MatchableReceipt,
  first: Ranked,
  tied: readonly Ranked[],
  all: readonly Ranked[],
): Decision {
  const says = ({ payment }: Ranked) => phoneAgreement(payment.customerPhone, receipt.counterparty);
  const agreeing = tied.filter((one) => says(one) === 'agrees');
  const [only] = agreeing;
  const silent = tied.filter((one) => says(one) === 'unknown');
  if (only === undefined) return wonBy(first, receipt, all);
  if (!agreeing.some(mayWin)) return ambiguousAmong([...agreeing, first], receipt, all);
  if (agreeing.length === 1 && silent.length === 0) return wonBy(only, receipt, all);
  return ambiguousAmong([...agreeing, ...silent], receipt, all);
}

function wonBy(winner: Ranked, receipt: MatchableReceipt, all: readonly Ranked[]): Decision {
  const attach = attachTo(winner.payment, receipt, 'agree', 'trx_id');
  return { ...NOTHING, attach, endedClaims: endedClaimsAmong(receipt, all, [winner]) };
}

function ambiguousAmong(
  kept: readonly Ranked[],
  receipt: MatchableReceipt,
  all: readonly Ranked[],
): Decision {
  return {
    ...NOTHING,
    claims: all.filter((one) => kept.includes(one)).map(({ payment }) => claimOf(payment, receipt)),
    endedClaims: endedClaimsAmong(receipt, all, kept),
  };
}

/** Payments that wait for this receipt by their last submission, and get it no more (contract 4.28). */
function endedClaimsAmong(
  receipt: MatchableReceipt,
  all: readonly Ranked[],
  kept: readonly (Ranked | undefined)[],
): Claim[] {
  return all
    .filter((one) => waitsForTrxId(one.payment) && !kept.includes(one))
    .map(({ payment }) => claimOf(payment, receipt));
}

function waitsForTrxId(payment: Claimant): boolean {
  return isLive(payment) && payment.inForce;
}

/** The order of contract 4.30. */
function byRank(left: Claimant, right: Claimant): number {
  const hasExpired = ({ status }: Claimant) => Number(status === 'expired');
  return hasExpired(left) - hasExpired(right) || bySubmission(left, right);
}

function bySubmission(left: Claimant, right: Claimant): number {
  const at = ({ submissions }: Claimant) => submissions[0]?.at.getTime() ?? 0;
  const inForce = Number(right.inForce) - Number(left.inForce);
  return inForce || at(left) - at(right) || (left.id < right.id ? -1 : 1);
}

/**
 * Decides a Bangla QR receipt that has just come against the payments with the same digits, amount and currency.
 * `others` are the store's other free receipts of the same; `plain` are payments of this plain amount that have one
 * of their own.
 */
export function decideQrReceipt(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  others: readonly MatchableReceipt[],
  plain: readonly Claimant[],
  rules: MatchingRules,
): Decision {
  const possible = fittingClaimants(receipt, claimants, rules);
  const possiblePlain = fittingClaimants(receipt, plain, rules);
  const [only] = possible;
  if (only === undefined) return decidePlainReceipt(receipt, possiblePlain);
  // The second of two that look alike is no possible receipt beside others (contract 4.69).
  const alike = others.filter(
    (other) =>
      mayBeMatched(receipt) &&
      mayBeMatched(other) &&
      only.submissions.some(({ at }) => isWithinWindow(at, other, rules.windowMs)),
  );
  if (possible.length > 1 || alike.length > 0 || only.status === 'review') {
    return { ...NOTHING, claims: claimsOfAll(possible, [receipt, ...alike]) };
  }
  // Payments of the amount to pay and those of the plain amount count together (contract 4.101).
  if (possiblePlain.length > 0)
    return { ...NOTHING, claims: claimsOfAll([only, ...possiblePlain], [receipt]) };
  const inWindow = submissionsInWindow(only, receipt, rules.windowMs);
  const submission = inWindow.find(({ standing }) => standing !== 'surplus') ?? inWindow[0] ?? NO_SUBMISSION;
  const comparison = compare(only, receipt, submission, rules);
  // Digits that the payer has replaced since may have been a slip: somebody else's money, perhaps.
  const doubted = comparison === 'agree' && !only.inForce ? 'flagged' : comparison;
  return { ...NOTHING, attach: attachTo(only, receipt, doubted, 'last4digit') };
}

/**
 * Decides a QR receipt that payments claim by its TrxID and others by its digits (contract 4.72 and 4.73). Exact fits
 * are not kept out by others; several of them go to a user, without a tie-break by phone. Payments whose plain amount
 * it fits have no part in it.
 */
export function decideReceiptByBoth(
  receipt: MatchableReceipt,
  byTrxId: readonly Claimant[],
  byDigits: readonly Claimant[],
  others: readonly MatchableReceipt[],
  rules: MatchingRules,
): Decision {
  const isExact = (payment: Claimant) => fitsExactly(payment, receipt);
  const exactByTrxId = byTrxId.filter(isExact);
  const exactByDigits = fittingClaimants(receipt, byDigits, rules)
    .filter(isExact)
    .filter(({ id }) => exactByTrxId.every((one) => one.id !== id));
  const exact = [...exactByTrxId, ...exactByDigits];
  const endedClaims = byTrxId
    .filter((payment) => !isExact(payment))
    .filter(waitsForTrxId)
    .map((payment) => claimOf(payment, receipt));
  if (exact.length > 1) return { ...NOTHING, claims: claimsOfAll(exact, [receipt]), endedClaims };
  if (exactByDigits.length === 1)
    return { ...decideQrReceipt(receipt, exactByDigits, others, [], rules), endedClaims };
  return decideTrxReceipt(receipt, byTrxId, rules);
}

function fittingClaimants(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  rules: MatchingRules,
): Claimant[] {
  return claimants.filter(
    (payment) =>
      payment.currency === receipt.currency &&
      submissionsInWindow(payment, receipt, rules.windowMs).length > 0,
  );
}

function decidePlainReceipt(receipt: MatchableReceipt, possible: readonly Claimant[]): Decision {
  const [only] = possible;
  if (only === undefined) return NOTHING;
  if (possible.length > 1 || only.status === 'review') {
    return { ...NOTHING, claims: claimsOfAll(possible, [receipt]) };
  }
  const comparison = isLate(only) ? 'late' : 'underpaid';
  return { ...NOTHING, attach: attachTo(only, receipt, comparison, 'last4digit') };
}

/** The payments that name a receipt, and what else it is decided by. */
export interface ReceiptFacts {
  /** Payments for which its TrxID was submitted, with those submissions. */
  readonly byTrxId: readonly Claimant[];
  /** Payments for which its digits were submitted, of this amount to pay or of this plain amount. */
  readonly byDigits: readonly Claimant[];
  /** The store's other free receipts of the same digits, amount and currency. */
  readonly alike: readonly MatchableReceipt[];
}

/** Decides a receipt that has just come: by its TrxID, by its digits, or by both (contract 4.27 to 4.73). */
export function decideReceipt(
  receipt: MatchableReceipt,
  { byTrxId, byDigits, alike }: ReceiptFacts,
  rules: MatchingRules,
): Decision {
  if (byDigits.length === 0)
    return byTrxId.length === 0 ? NOTHING : decideTrxReceipt(receipt, byTrxId, rules);
  const isOfAmountToPay = ({ payAmountMinor }: Claimant) => payAmountMinor === receipt.amountMinor;
  const own = byDigits.filter(isOfAmountToPay);
  if (byTrxId.length > 0) return decideReceiptByBoth(receipt, byTrxId, own, alike, rules);
  const plain = byDigits.filter((payment) => !isOfAmountToPay(payment));
  return decideQrReceipt(receipt, own, alike, plain, rules);
}

/** The payments that name a released receipt. */
export interface ReleasedFacts extends ReceiptFacts {
  /** Payments in review over it. */
  readonly claimantIds: ReadonlySet<string>;
  /** Those among them that are in review over nothing else. */
  readonly onlyThisIds: ReadonlySet<string>;
}

/**
 * Decides a receipt that is attached to no payment any more. Where payments are in review over it: as
 * `decideClaimedReceipt`. Else as if it had just come, but who is in review is left in peace: a user may just have
 * taken it from them.
 */
export function decideReleasedReceipt(
  receipt: MatchableReceipt,
  { byTrxId, byDigits, alike, claimantIds, onlyThisIds }: ReleasedFacts,
  mayPay: boolean,
  rules: MatchingRules,
): Decision {
  if (claimantIds.size > 0) {
    const others = byDigits.filter(({ id }) => !byTrxId.some((one) => one.id === id));
    return decideClaimedReceipt(receipt, [...byTrxId, ...others], onlyThisIds, mayPay, rules);
  }
  const isOutOfReview = ({ status }: Claimant) => status !== 'review';
  const waiting = { byTrxId: byTrxId.filter(isOutOfReview), byDigits: byDigits.filter(isOutOfReview), alike };
  return decideReceipt(receipt, waiting, rules);
}

/**
 * Decides a released receipt over which payments are in review. `mayPay`: whoever released it said that it may pay by
 * itself; else who waits for it gets it, and stays in review until a user approves (contract 3.34). `onlyThisIds` are
 * payments in review over nothing else than this receipt.
 */
export function decideClaimedReceipt(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  onlyThisIds: ReadonlySet<string>,
  mayPay: boolean,
  rules: MatchingRules,
): Decision {
  const kindOf = ({ submissions }: Claimant) => submissions[0]?.kind ?? 'trx_id';
  const exact = [...claimants]
    .sort(bySubmission)
    .filter((payment) => fitsExactly(payment, receipt))
    .filter(
      (payment) =>
        payment.submissions.some(({ kind }) => kind === 'trx_id') ||
        submissionsInWindow(payment, receipt, rules.windowMs).length > 0,
    );
  const waiting = exact.filter((payment) => isLive(payment) || onlyThisIds.has(payment.id));
  const [only] = waiting;
  // None of them is in review: as if it had just arrived (contract 3.35).
  const isByTrxId = waiting.every(({ submissions }) => submissions.some(({ kind }) => kind === 'trx_id'));
  if (waiting.length > 1 && waiting.every(isLive) && isByTrxId)
    return decideTrxReceipt(receipt, waiting, rules);
  if (waiting.length > 1) return { ...NOTHING, claims: claimsOfAll(waiting, [receipt]) };
  if (only !== undefined) {
    const asWaiting = { ...only, status: 'submitted' as const };
    const comparison = compare(asWaiting, receipt, only.submissions.at(-1) ?? NO_SUBMISSION, rules);
    const doubted = comparison === 'agree' && !mayPay ? 'flagged' : comparison;
    return { ...NOTHING, attach: attachTo(only, receipt, doubted, kindOf(only)) };
  }
  const expired = exact.find(({ status }) => status === 'expired');
  if (expired === undefined) return NOTHING;
  return { ...NOTHING, attach: attachTo(expired, receipt, 'late', kindOf(expired)) };
}

function attachTo(
  { id: paymentId }: Claimant,
  { id: receiptId }: MatchableReceipt,
  comparison: Comparison,
  by: SubmissionKind,
): Attachment {
  return { paymentId, receiptId, comparison, by };
}
