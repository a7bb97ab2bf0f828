import type { ReceiptHolder } from '../receipts/receipt.js';
import type { MinorUnits } from '../../kernel/money.js';
import type { ReceiptChecks } from '../../stores/index.js';
import { isGuessable, QR_PROVIDER } from '../../wallets/index.js';
import type { PaymentStatus, ReviewReason, Standing, SubmissionKind } from '../payments/payment.js';
import { phoneAgreement } from './phones.js';

/** The properties of a receipt that matching needs. */
export interface MatchableReceipt {
  readonly id: string;
  readonly provider: string;
  readonly trxId: string | null;
  readonly last4digit: string | null;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly counterparty: string | null;
  readonly receivedAt: Date;
  /**
   * When the money came, as the QR window counts it; the same instant twice unless the time was written without
   * seconds.
   */
  readonly moneyFrom: Date;
  readonly moneyUntil: Date;
  readonly status: 'unmatched' | 'matched' | 'review' | 'void' | 'ignored';
  /** Marks of a doubtful message, see `isDoubtful`. */
  readonly flags: readonly string[];
  readonly simulated: boolean;
  /** The payment that holds it, and whether it is verified by it; null when nobody does. */
  readonly holder: ReceiptHolder | null;
}

/** The properties of a payment that matching needs. */
export interface MatchablePayment {
  readonly id: string;
  /**
   * The status now, see `statusAt`; `submitted` for one in review that the receipt at hand decides anew, see
   * `statusFor`.
   */
  readonly status: PaymentStatus;
  /** Why it is in review. One that came there too late is too late for every other receipt, too. */
  readonly reviewReason?: ReviewReason | null;
  /** All that it is in review over is a simulated receipt. */
  readonly holdsSimulated?: boolean;
  readonly payAmountMinor: MinorUnits;
  readonly currency: string;
  readonly requestedProvider: string | null;
  readonly customerPhone: string | null;
  readonly createdAt: Date;
}

/** Something that was entered for a payment. */
export interface RecordedSubmission {
  readonly kind: SubmissionKind;
  readonly value: string;
  /** The wallet that was named with it. */
  readonly provider: string | null;
  readonly standing: Standing;
  readonly at: Date;
}

/** A payment with those of its entries that bear on the receipt at hand, the oldest first. */
export interface Claimant extends MatchablePayment {
  readonly entries: readonly RecordedSubmission[];
  /** It is the last thing that was entered: it comes before what has been replaced since. */
  readonly inForce: boolean;
}

/** The settings of a store and of the service. */
export interface MatchingRules {
  /** How long before a payment its receipt may have come, in milliseconds. */
  readonly receiptLeadMs: number;
  readonly receiptChecks: ReceiptChecks;
  /** `QR_WINDOW`, in milliseconds. */
  readonly windowMs: number;
  /** Guess protection is switched on. */
  readonly guardsGuesses: boolean;
}

/** Receipt and payment compared: they agree, or the reason why a user must look. */
export type Comparison = 'agree' | ReviewReason;

/** A payment that is in review over a receipt without holding it. */
export interface Claim {
  readonly paymentId: string;
  readonly receiptId: string;
  readonly exact: boolean;
}

/** The outcome of one submission. */
export type EntryOutcome =
  /** No receipt yet: wait, or refuse when the payment has expired. */
  | { readonly kind: 'wait' }
  /** The receipt is there and free: the payment takes it, and is verified or goes to review. */
  | { readonly kind: 'take'; readonly receiptId: string; readonly comparison: Comparison }
  /** A user must choose among these. */
  | { readonly kind: 'claim'; readonly claims: readonly Claim[] }
  /** The receipt is another's, or void. 409; or, where a user should see both, review (`trx_id_used`). */
  | { readonly kind: 'used'; readonly receiptId: string; readonly toReview: boolean };

/** The outcome of a receipt that has arrived or was released. */
export interface ReceiptOutcome {
  /** The payment that gets the receipt. */
  readonly winner: { readonly paymentId: string; readonly comparison: Comparison } | null;
  /** Payments that are, from now on, in review over it (or over another one that fits as well). */
  readonly claims: readonly Claim[];
  /** Payments that waited for it, and get it no more. */
  readonly loserIds: readonly string[];
}

const NOBODY: ReceiptOutcome = { winner: null, claims: [], loserIds: [] };

/** At most so many payments are in review over one receipt (contract 4.41) … */
export const MAX_IN_REVIEW = 20;
/** … and of those that do not fit it exactly only so many, so that they cannot keep out those that do. */
export const MAX_INEXACT_IN_REVIEW = 10;

/** Marks that the service gives a receipt itself. */
export const FLAG = {
  /** A payment that held or contested it was let go, and nobody said that it may pay by itself. */
  released: 'let_go',
  /** Another store of the owner has a receipt of the same TrxID. */
  otherStore: 'other_store',
  /** Equal digits and amount within the window of another receipt. */
  possibleDuplicate: 'possible_duplicate',
  /** Its TrxID was simulated before, and verified a payment. */
  simulatedBefore: 'simulated_before',
  /** Its TrxID was submitted for a payment that a user verified over less money, or over none (contract 4.19). */
  approvedBefore: 'approved_before',
} as const;

/**
 * A broken chain of balances is only noted, unless the store asks for more; `off` looks at no balance (contract
 * 9.17).
 */
export function isDoubtful(receipt: Pick<MatchableReceipt, 'flags'>, checks: ReceiptChecks): boolean {
  return receipt.flags.some((flag) => {
    if (flag === 'balance_gap') return checks === 'review';
    if (flag === 'balance_below_amount') return checks !== 'off';
    return true;
  });
}

/**
 * Currency, amount and the wallet that the merchant allows are right. Whatever else is in doubt keeps a payment from
 * being verified, not from being seen (contract 4.7).
 */
export function fitsExactly(payment: MatchablePayment, receipt: MatchableReceipt): boolean {
  return compareMoney(payment, receipt) === null && isWallet(payment.requestedProvider, receipt);
}

/** Compares a receipt with the payment that is to take it (contract 4.17). The gravest reason is named. */
export function compare(
  payment: MatchablePayment,
  receipt: MatchableReceipt,
  entry: Pick<RecordedSubmission, 'kind' | 'provider' | 'standing' | 'at'> | typeof NO_ENTRY,
  rules: MatchingRules,
): Comparison {
  if (isLate(payment)) return 'late';
  if (!isWallet(payment.requestedProvider, receipt) || !isWallet(entry.provider, receipt))
    return 'wrong_wallet';
  const difference = compareMoney(payment, receipt);
  if (difference !== null) return difference;
  if (payment.createdAt.getTime() - receipt.receivedAt.getTime() > rules.receiptLeadMs) return 'old_money';
  const isDoubted =
    isDoubtful(receipt, rules.receiptChecks) ||
    entry.standing === 'surplus' ||
    isTooEarly(receipt, entry, rules);
  return isDoubted ? 'flagged' : 'agree';
}

/** The time before its money moves at which nobody can know a guessable TrxID yet, in milliseconds (contract 4.93). */
const TOO_EARLY_MS = 3 * 60_000;

/** Whether a guessable TrxID was submitted so long before its money moved that it was guessed (contract 4.93). */
export function isTooEarly(
  receipt: Pick<MatchableReceipt, 'provider' | 'moneyFrom'>,
  { kind, at }: Pick<RecordedSubmission, 'kind' | 'at'> | typeof NO_ENTRY,
  { guardsGuesses }: Pick<MatchingRules, 'guardsGuesses'>,
): boolean {
  if (!guardsGuesses || kind !== 'trx_id' || !isGuessable(receipt.provider)) return false;
  return receipt.moneyFrom.getTime() - at.getTime() > TOO_EARLY_MS;
}

function isLate({ status, reviewReason }: MatchablePayment): boolean {
  return status === 'expired' || reviewReason === 'late';
}

/** The difference of the money of a receipt and a payment, or null if currency and amount are equal. */
export function compareMoney(
  payment: Pick<MatchablePayment, 'payAmountMinor' | 'currency'>,
  receipt: Pick<MatchableReceipt, 'amountMinor' | 'currency'>,
): 'currency_mismatch' | 'underpaid' | 'overpaid' | null {
  if (receipt.currency !== payment.currency) return 'currency_mismatch';
  if (receipt.amountMinor < payment.payAmountMinor) return 'underpaid';
  if (receipt.amountMinor > payment.payAmountMinor) return 'overpaid';
  return null;
}

/**
 * A payment that the merchant restricted takes no other wallet, and a payer who named a wallet gets no other one's
 * receipt without a user looking. `qr` names the method, not a wallet: it fits every receipt that carries the four
 * digits.
 */
function isWallet(wanted: string | null, receipt: MatchableReceipt): boolean {
  return (
    wanted === null || wanted === receipt.provider || (wanted === QR_PROVIDER && receipt.last4digit !== null)
  );
}

/**
 * A payment in review over nothing but a simulated receipt is decided anew by a real one, and by no other (contract
 * 3.20).
 */
export function statusFor(
  { status, holdsSimulated = false }: Pick<MatchablePayment, 'status' | 'holdsSimulated'>,
  { simulated }: Pick<MatchableReceipt, 'simulated'>,
): PaymentStatus {
  return status === 'review' && holdsSimulated && !simulated ? 'submitted' : status;
}

/**
 * Waits for its receipt, or would if it had been asked for its entries: an entry that was answered 409 is kept, too.
 */
function isLive({ status }: MatchablePayment): boolean {
  return status === 'pending' || status === 'submitted';
}

/**
 * Decides an entered TrxID against all receipts of the store that carry it, claimed and void ones included.
 * `isContested`: payments are in review over that receipt.
 */
export function decideTrxEntry(
  payment: MatchablePayment,
  entry: RecordedSubmission,
  receipts: readonly MatchableReceipt[],
  isContested: (receiptId: string) => boolean,
  rules: MatchingRules,
): EntryOutcome {
  const real = receipts.filter(({ simulated }) => !simulated);
  const known = real.length > 0 ? real : receipts;
  const wanted = entry.provider ?? payment.requestedProvider;
  const ofWanted = known.filter(({ provider }) => provider === wanted);
  const claimants = ofWanted.length > 0 ? ofWanted : known;
  const usable = claimants.filter((receipt) => isToBeHad(payment, receipt));
  if (usable.length === 0) return refusedFor(payment, claimants);
  const chosen = chooseReceipt(payment, usable);
  if (chosen === null) {
    return { kind: 'claim', claims: usable.map((receipt) => claimOf(payment, receipt)) };
  }
  const exact = fitsExactly(payment, chosen);
  const isOthers = chosen.holder !== null || isContested(chosen.id);
  if (isOthers && !exact) return { kind: 'used', receiptId: chosen.id, toReview: false };
  // Two receipts for one payment, two payments for one receipt: a user gives it.
  if (isOthers || statusFor(payment, chosen) === 'review')
    return { kind: 'claim', claims: [claimOf(payment, chosen)] };
  return { kind: 'take', receiptId: chosen.id, comparison: compare(payment, chosen, entry, rules) };
}

/** Free, or held by another payment only until a user has looked. */
function isToBeHad(payment: MatchablePayment, receipt: MatchableReceipt): boolean {
  if (receipt.status === 'void' || receipt.status === 'ignored') return false;
  return receipt.holder === null || (!receipt.holder.verified && receipt.holder.paymentId !== payment.id);
}

/** Nothing to be had. If the payer's phone is the one that the money came from, a user sees both (contract 4.38). */
function refusedFor(payment: MatchablePayment, receipts: readonly MatchableReceipt[]): EntryOutcome {
  const taken = receipts.find(({ holder }) => holder?.paymentId !== payment.id);
  if (taken === undefined) return { kind: 'wait' };
  const stolen = receipts.find(
    (receipt) =>
      receipt.holder?.verified === true &&
      fitsExactly(payment, receipt) &&
      phoneAgreement(payment.customerPhone, receipt.counterparty) === 'agrees',
  );
  return { kind: 'used', receiptId: (stolen ?? taken).id, toReview: stolen !== undefined };
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

/** The claim of a payment on a receipt. */
export function claimOf(payment: MatchablePayment, receipt: MatchableReceipt): Claim {
  return { paymentId: payment.id, receiptId: receipt.id, exact: fitsExactly(payment, receipt) };
}

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
): ReceiptOutcome {
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
    winner: winner === undefined ? null : { paymentId: winner.payment.id, comparison: winner.comparison },
    claims: claiming.map(({ payment }) => claimOf(payment, receipt)),
    loserIds: winner === undefined && exact.length === 0 ? [] : losersAmong(ranked, [...claiming, winner]),
  };
}

const NO_ENTRY = { kind: null, at: null, provider: null, standing: 'counted' } as const;

/** A claimant, and how it compares with the receipt. */
interface Ranked {
  readonly payment: Claimant;
  readonly exact: boolean;
  readonly comparison: Comparison;
}

function rankedOf(payment: Claimant, receipt: MatchableReceipt, rules: MatchingRules): Ranked {
  const comparison = compare(payment, receipt, payment.entries.at(-1) ?? NO_ENTRY, rules);
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
): ReceiptOutcome {
  const says = ({ payment }: Ranked) => phoneAgreement(payment.customerPhone, receipt.counterparty);
  const agreeing = tied.filter((one) => says(one) === 'agrees');
  const [only] = agreeing;
  const silent = tied.filter((one) => says(one) === 'unknown');
  if (only === undefined) return wonBy(first, all);
  if (!agreeing.some(mayWin)) return ambiguousAmong([...agreeing, first], receipt, all);
  if (agreeing.length === 1 && silent.length === 0) return wonBy(only, all);
  return ambiguousAmong([...agreeing, ...silent], receipt, all);
}

function wonBy(winner: Ranked, all: readonly Ranked[]): ReceiptOutcome {
  return {
    winner: { paymentId: winner.payment.id, comparison: 'agree' },
    claims: [],
    loserIds: losersAmong(all, [winner]),
  };
}

function ambiguousAmong(
  kept: readonly Ranked[],
  receipt: MatchableReceipt,
  all: readonly Ranked[],
): ReceiptOutcome {
  return {
    winner: null,
    claims: all.filter((one) => kept.includes(one)).map(({ payment }) => claimOf(payment, receipt)),
    loserIds: losersAmong(all, kept),
  };
}

/** Payments that wait for this receipt by their last submission, and get it no more (contract 4.28). */
function losersAmong(all: readonly Ranked[], kept: readonly (Ranked | undefined)[]): string[] {
  return all
    .filter((one) => waitsForTrxId(one.payment) && !kept.includes(one))
    .map(({ payment }) => payment.id);
}

function waitsForTrxId(payment: Claimant): boolean {
  return isLive(payment) && payment.inForce;
}

/** The order of contract 4.30. */
function byRank(left: Claimant, right: Claimant): number {
  const hasExpired = ({ status }: Claimant) => Number(status === 'expired');
  return hasExpired(left) - hasExpired(right) || byEntry(left, right);
}

function byEntry(left: Claimant, right: Claimant): number {
  const at = ({ entries }: Claimant) => entries[0]?.at.getTime() ?? 0;
  const inForce = Number(right.inForce) - Number(left.inForce);
  return inForce || at(left) - at(right) || (left.id < right.id ? -1 : 1);
}

/**
 * Bangla QR: entry and money lie within the window of each other, its ends included. An entry counts when it was
 * made.
 */
export function isWithinWindow(
  at: Date,
  receipt: Pick<MatchableReceipt, 'moneyFrom' | 'moneyUntil'>,
  windowMs: number,
): boolean {
  return (
    at.getTime() >= receipt.moneyFrom.getTime() - windowMs &&
    at.getTime() <= receipt.moneyUntil.getTime() + windowMs
  );
}

function entriesInWindow(
  payment: Claimant,
  receipt: MatchableReceipt,
  windowMs: number,
): RecordedSubmission[] {
  return payment.entries.filter(({ at }) => isWithinWindow(at, receipt, windowMs));
}

/** The receipts of equal digits and amount, and the other payments for which the same digits were submitted. */
export interface QrScene {
  readonly receipts: readonly MatchableReceipt[];
  readonly claimants: readonly Claimant[];
  /** Receipts of the plain amount, where the payment has one of its own. */
  readonly plainReceipts: readonly MatchableReceipt[];
  /** How many such payments the digits and the window of a plain receipt fit, this one included. */
  readonly plainFits: (receipt: MatchableReceipt) => number;
}

/**
 * Decides four entered digits. `receipts` are the store's receipts with these digits and this amount, whoever holds
 * them; `claimants` are the other payments for which the same was entered.
 */
export function decideQrEntry(
  payment: MatchablePayment,
  entry: RecordedSubmission,
  { receipts, claimants, plainReceipts, plainFits }: QrScene,
  isContested: (receiptId: string) => boolean,
  rules: MatchingRules,
): EntryOutcome {
  const inWindow = (receipt: MatchableReceipt) =>
    receipt.currency === payment.currency && isWithinWindow(entry.at, receipt, rules.windowMs);
  const fitting = realFirst(receipts.filter(inWindow));
  const usable = fitting.filter((receipt) => receipt.holder === null && mayBeMatched(receipt));
  const [only] = usable;
  if (only !== undefined) {
    const others = claimants.filter((claimant) => entriesInWindow(claimant, only, rules.windowMs).length > 0);
    const isAlone = usable.length === 1 && others.length === 0 && !isContested(only.id);
    if (!isAlone || statusFor(payment, only) === 'review') {
      return { kind: 'claim', claims: allAgainstAll([payment, ...others], usable) };
    }
    return { kind: 'take', receiptId: only.id, comparison: compare(payment, only, entry, rules) };
  }
  // Held until a user has looked, or the second of two that look alike: a user sees both.
  const toBeHad = fitting.filter(
    (receipt) =>
      isToBeHad(payment, receipt) &&
      (receipt.holder !== null || receipt.status === 'review' || !mayBeMatched(receipt)),
  );
  if (toBeHad.length > 0) return { kind: 'claim', claims: allAgainstAll([payment], toBeHad) };
  const taken = fitting.find(({ holder }) => holder?.paymentId !== payment.id);
  if (taken !== undefined) return { kind: 'used', receiptId: taken.id, toReview: true };
  return decidePlain(payment, realFirst(plainReceipts.filter(inWindow)), plainFits);
}

/** Decides about payers who sent the plain amount instead of their own: to a user, never verified (contract 4.101). */
function decidePlain(
  payment: MatchablePayment,
  receipts: readonly MatchableReceipt[],
  fits: (receipt: MatchableReceipt) => number,
): EntryOutcome {
  const usable = receipts.filter((receipt) => isToBeHad(payment, receipt) && mayBeMatched(receipt));
  const [only] = usable;
  if (only === undefined) {
    const used = receipts.find(({ holder }) => holder?.verified === true && holder.paymentId !== payment.id);
    return used === undefined ? { kind: 'wait' } : { kind: 'used', receiptId: used.id, toReview: true };
  }
  if (usable.length > 1 || only.holder !== null || fits(only) > 1 || statusFor(payment, only) === 'review') {
    return { kind: 'claim', claims: allAgainstAll([payment], usable) };
  }
  return {
    kind: 'take',
    receiptId: only.id,
    comparison: isLate(payment) ? 'late' : 'underpaid',
  };
}

/** A receipt that digits may be matched to: not void, and not the second of two that look alike. */
function mayBeMatched({ status, flags }: MatchableReceipt): boolean {
  return status !== 'void' && status !== 'ignored' && !flags.includes(FLAG.possibleDuplicate);
}

/** A real receipt always wins over simulated ones. */
function realFirst(receipts: readonly MatchableReceipt[]): readonly MatchableReceipt[] {
  const real = receipts.filter(({ simulated }) => !simulated);
  return real.length > 0 ? real : receipts;
}

function allAgainstAll(
  payments: readonly MatchablePayment[],
  receipts: readonly MatchableReceipt[],
): Claim[] {
  return payments.flatMap((payment) => receipts.map((receipt) => claimOf(payment, receipt)));
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
): ReceiptOutcome {
  const possible = fittingClaimants(receipt, claimants, rules);
  const possiblePlain = fittingClaimants(receipt, plain, rules);
  const [only] = possible;
  if (only === undefined) return decidePlainReceipt(receipt, possiblePlain);
  // The second of two that look alike is no possible receipt beside others (contract 4.69).
  const alike = others.filter(
    (other) =>
      mayBeMatched(receipt) &&
      mayBeMatched(other) &&
      only.entries.some(({ at }) => isWithinWindow(at, other, rules.windowMs)),
  );
  if (possible.length > 1 || alike.length > 0 || only.status === 'review') {
    return { ...NOBODY, claims: allAgainstAll(possible, [receipt, ...alike]) };
  }
  // Payments of the amount to pay and those of the plain amount count together (contract 4.101).
  if (possiblePlain.length > 0)
    return { ...NOBODY, claims: allAgainstAll([only, ...possiblePlain], [receipt]) };
  const entries = entriesInWindow(only, receipt, rules.windowMs);
  const entry = entries.find(({ standing }) => standing !== 'surplus') ?? entries[0] ?? NO_ENTRY;
  const comparison = compare(only, receipt, entry, rules);
  // Digits that the payer has replaced since may have been a slip: somebody else's money, perhaps.
  const doubted = comparison === 'agree' && !only.inForce ? 'flagged' : comparison;
  return { ...NOBODY, winner: { paymentId: only.id, comparison: doubted } };
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
): ReceiptOutcome {
  const isExact = (payment: Claimant) => fitsExactly(payment, receipt);
  const exactByTrxId = byTrxId.filter(isExact);
  const exactByDigits = fittingClaimants(receipt, byDigits, rules)
    .filter(isExact)
    .filter(({ id }) => exactByTrxId.every((one) => one.id !== id));
  const exact = [...exactByTrxId, ...exactByDigits];
  const losers = byTrxId
    .filter((payment) => !isExact(payment))
    .filter(waitsForTrxId)
    .map(({ id }) => id);
  if (exact.length > 1) return { winner: null, claims: allAgainstAll(exact, [receipt]), loserIds: losers };
  if (exactByDigits.length === 1)
    return { ...decideQrReceipt(receipt, exactByDigits, others, [], rules), loserIds: losers };
  return decideTrxReceipt(receipt, byTrxId, rules);
}

function fittingClaimants(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  rules: MatchingRules,
): Claimant[] {
  return claimants.filter(
    (payment) =>
      payment.currency === receipt.currency && entriesInWindow(payment, receipt, rules.windowMs).length > 0,
  );
}

function decidePlainReceipt(receipt: MatchableReceipt, possible: readonly Claimant[]): ReceiptOutcome {
  const [only] = possible;
  if (only === undefined) return NOBODY;
  if (possible.length > 1 || only.status === 'review') {
    return { ...NOBODY, claims: allAgainstAll(possible, [receipt]) };
  }
  const comparison = isLate(only) ? 'late' : 'underpaid';
  return { ...NOBODY, winner: { paymentId: only.id, comparison } };
}

/**
 * Decides a receipt that its holder, or the last who contested it, has let go. `released`: whoever said so lets it
 * pay by itself; else who waits for it takes it, and stays in review until a user approves (contract 3.34).
 * `claiming` are payments in review over nothing else than this receipt.
 */
export function decideReleasedReceipt(
  receipt: MatchableReceipt,
  claimants: readonly Claimant[],
  claiming: ReadonlySet<string>,
  released: boolean,
  rules: MatchingRules,
): ReceiptOutcome {
  const exact = [...claimants]
    .sort(byEntry)
    .filter((payment) => fitsExactly(payment, receipt))
    .filter(
      (payment) =>
        payment.entries.some(({ kind }) => kind === 'trx_id') ||
        entriesInWindow(payment, receipt, rules.windowMs).length > 0,
    );
  const waiting = exact.filter((payment) => isLive(payment) || claiming.has(payment.id));
  const [only] = waiting;
  // None of them is in review: as if it had just arrived (contract 3.35).
  const isByTrxId = waiting.every(({ entries }) => entries.some(({ kind }) => kind === 'trx_id'));
  if (waiting.length > 1 && waiting.every(isLive) && isByTrxId)
    return decideTrxReceipt(receipt, waiting, rules);
  if (waiting.length > 1) return { ...NOBODY, claims: allAgainstAll(waiting, [receipt]) };
  if (only !== undefined) {
    const asWaiting = { ...only, status: 'submitted' as const };
    const comparison = compare(asWaiting, receipt, only.entries.at(-1) ?? NO_ENTRY, rules);
    const doubted = comparison === 'agree' && !released ? 'flagged' : comparison;
    return { ...NOBODY, winner: { paymentId: only.id, comparison: doubted } };
  }
  const expired = exact.find(({ status }) => status === 'expired');
  if (expired !== undefined) return { ...NOBODY, winner: { paymentId: expired.id, comparison: 'late' } };
  return NOBODY;
}

/** From `windowMs` before the first of these instants to `windowMs` behind the last. */
export function around(instants: readonly Date[], windowMs: number): { from: Date; to: Date } {
  const times = instants.map((at) => at.getTime());
  return { from: new Date(Math.min(...times) - windowMs), to: new Date(Math.max(...times) + windowMs) };
}
