import type { MinorUnits } from '../../kernel/money.js';
import type { ReceiptChecks } from '../../stores/index.js';
import { isGuessable, QR_PROVIDER } from '../../wallets/index.js';
import type { PaymentStatus, ReviewReason, Standing, SubmissionKind } from '../payments/payment.js';
import type { AttachedPayment } from '../receipts/receipt.js';
import { FLAG } from '../receipts/receipt-doubts.js';

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
  /** The payment that it is attached to, and whether that is verified by it; null without one. */
  readonly attachedTo: AttachedPayment | null;
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

/** A payer's submission as it is stored. */
export interface RecordedSubmission {
  readonly kind: SubmissionKind;
  readonly value: string;
  /** The wallet that was named with it. */
  readonly provider: string | null;
  readonly standing: Standing;
  readonly at: Date;
}

/** A payment with its submissions that name the receipt at hand, the oldest first. */
export interface Claimant extends MatchablePayment {
  readonly submissions: readonly RecordedSubmission[];
  /** The last submission names the receipt: it comes before one that the payer has replaced since. */
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
  /** Simulated receipts are matched (contract 4.51). */
  readonly simulationEnabled: boolean;
}

/** Receipt and payment compared: they agree, or the reason why a user must look. */
export type Comparison = 'agree' | ReviewReason;

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

/** Stands in for the submission of a payment that has none for the receipt at hand. */
export const NO_SUBMISSION = { kind: null, at: null, provider: null, standing: 'counted' } as const;

/** Compares a receipt with the payment that is to get it (contract 4.17). The gravest reason is named. */
export function compare(
  payment: MatchablePayment,
  receipt: MatchableReceipt,
  submission: Pick<RecordedSubmission, 'kind' | 'provider' | 'standing' | 'at'> | typeof NO_SUBMISSION,
  rules: MatchingRules,
): Comparison {
  if (isLate(payment)) return 'late';
  if (!isWallet(payment.requestedProvider, receipt) || !isWallet(submission.provider, receipt))
    return 'wrong_wallet';
  const difference = compareMoney(payment, receipt);
  if (difference !== null) return difference;
  if (payment.createdAt.getTime() - receipt.receivedAt.getTime() > rules.receiptLeadMs) return 'old_money';
  const isDoubted =
    isDoubtful(receipt, rules.receiptChecks) ||
    submission.standing === 'surplus' ||
    isTooEarly(receipt, submission, rules);
  return isDoubted ? 'flagged' : 'agree';
}

/** The time before its money moves at which nobody can know a guessable TrxID yet, in milliseconds (contract 4.93). */
const TOO_EARLY_MS = 3 * 60_000;

/** Whether a guessable TrxID was submitted so long before its money moved that it was guessed (contract 4.93). */
export function isTooEarly(
  receipt: Pick<MatchableReceipt, 'provider' | 'moneyFrom'>,
  { kind, at }: Pick<RecordedSubmission, 'kind' | 'at'> | typeof NO_SUBMISSION,
  { guardsGuesses }: Pick<MatchingRules, 'guardsGuesses'>,
): boolean {
  if (!guardsGuesses || kind !== 'trx_id' || !isGuessable(receipt.provider)) return false;
  return receipt.moneyFrom.getTime() - at.getTime() > TOO_EARLY_MS;
}

export function isLate({ status, reviewReason }: MatchablePayment): boolean {
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
 * Waits for its receipt. One that is `pending` may, too: a submission that was answered 409 is kept.
 */
export function isLive({ status }: MatchablePayment): boolean {
  return status === 'pending' || status === 'submitted';
}

/**
 * Bangla QR: submission and money lie within the window of each other, its ends included.
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

/** The submissions of a claimant that lie within the window of a receipt. */
export function submissionsInWindow(
  payment: Claimant,
  receipt: MatchableReceipt,
  windowMs: number,
): RecordedSubmission[] {
  return payment.submissions.filter(({ at }) => isWithinWindow(at, receipt, windowMs));
}

/** A receipt that digits may be matched to: not void, and not the second of two that look alike. */
export function mayBeMatched({ status, flags }: MatchableReceipt): boolean {
  return status !== 'void' && status !== 'ignored' && !flags.includes(FLAG.possibleDuplicate);
}

/** From `windowMs` before the first of these instants to `windowMs` behind the last. */
export function around(instants: readonly Date[], windowMs: number): { from: Date; to: Date } {
  const times = instants.map((at) => at.getTime());
  return { from: new Date(Math.min(...times) - windowMs), to: new Date(Math.max(...times) + windowMs) };
}
