import type { MinorUnits } from '../kernel/money.js';
import { QR_PROVIDER } from '../wallets/index.js';
import type { PaymentStatus, ReviewReason, Submission } from './payment.js';

/** What matching needs to know of a receipt. */
export interface MatchableReceipt {
  readonly id: string;
  readonly provider: string;
  readonly trxId: string | null;
  readonly last4digit: string | null;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly receivedAt: Date;
  readonly arrivedAt: Date;
  readonly status: 'unmatched' | 'matched' | 'review' | 'void' | 'ignored';
  /** Marks of a doubtful message; one is enough to keep it from verifying anything. */
  readonly flags: readonly string[];
  /** The payment that holds it, or null when it is unclaimed. */
  readonly paymentId: string | null;
}

/** What matching needs to know of a payment. */
export interface MatchablePayment {
  readonly id: string;
  /** The status now, see `statusAt`. */
  readonly status: PaymentStatus;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly requestedProvider: string | null;
}

/** When a submission was made, and when it was last repeated: the same instant if it never was. */
export interface Entered {
  readonly submittedAt: Date;
  readonly repeatedAt: Date;
}

/** A payment that waits for a receipt, or waited for one until it expired. */
export interface WaitingPayment extends MatchablePayment, Entered {
  readonly submission: Submission;
}

/** Receipt and submission compared: they agree, or the reason why a person must look. */
export type Comparison = 'agree' | ReviewReason;

/** What becomes of one submission. */
export type SubmissionOutcome =
  /** No receipt yet: wait, or refuse when the payment has expired. */
  | { readonly kind: 'wait' }
  /** The receipt is there: the payment takes it, and is verified or goes to review. */
  | { readonly kind: 'take'; readonly receiptId: string; readonly comparison: Comparison }
  /** The receipt is another payment's. */
  | { readonly kind: 'used' }
  /** Several receipts or payments fit: nobody takes anything, all of them go to review. */
  | {
      readonly kind: 'ambiguous';
      readonly receiptIds: readonly string[];
      readonly rivalIds: readonly string[];
    };

/** What becomes of one receipt that has just arrived. */
export type ReceiptOutcome =
  | { readonly kind: 'unmatched' }
  | {
      readonly kind: 'taken';
      readonly paymentId: string;
      readonly comparison: Comparison;
      /** Payments that waited for the same TrxID and come too late. */
      readonly loserIds: readonly string[];
    }
  | {
      readonly kind: 'ambiguous';
      readonly receiptIds: readonly string[];
      readonly paymentIds: readonly string[];
    };

/** Compares a receipt with the payment that is to take it (decisions §4). The gravest reason is named. */
export function compare(
  payment: MatchablePayment,
  receipt: MatchableReceipt,
  namedProvider: string | null,
): Comparison {
  if (payment.status === 'expired') return 'late';
  if (!isAllowedWallet(payment, receipt, namedProvider)) return 'wrong_wallet';
  return (
    compareMoney(payment, receipt) ??
    (receipt.flags.some((flag) => flag !== 'balance_gap') ? 'flagged' : 'agree')
  );
}

/** What is wrong with the money of a receipt for a payment, or null when currency and amount are equal. */
export function compareMoney(
  payment: Pick<MatchablePayment, 'amountMinor' | 'currency'>,
  receipt: Pick<MatchableReceipt, 'amountMinor' | 'currency'>,
): 'currency_mismatch' | 'underpaid' | 'overpaid' | null {
  if (receipt.currency !== payment.currency) return 'currency_mismatch';
  if (receipt.amountMinor < payment.amountMinor) return 'underpaid';
  if (receipt.amountMinor > payment.amountMinor) return 'overpaid';
  return null;
}

/**
 * A payment that the merchant restricted takes no other wallet, and a payer who named a wallet gets no other one's receipt
 * without a person looking. `qr` names the method, not a wallet: it fits every receipt that carries the four digits.
 */
function isAllowedWallet(
  payment: MatchablePayment,
  receipt: MatchableReceipt,
  namedProvider: string | null,
): boolean {
  return [payment.requestedProvider, namedProvider].every(
    (wanted) =>
      wanted === null ||
      wanted === receipt.provider ||
      (wanted === QR_PROVIDER && receipt.last4digit !== null),
  );
}

/** Decides a submitted TrxID against all receipts of the store that carry it, claimed ones included. */
export function decideTrxSubmission(
  payment: MatchablePayment,
  namedProvider: string | null,
  receipts: readonly MatchableReceipt[],
): SubmissionOutcome {
  const wanted = namedProvider ?? payment.requestedProvider;
  const ofWanted = receipts.filter((receipt) => receipt.provider === wanted);
  const candidates = ofWanted.length > 0 ? ofWanted : receipts;
  const unclaimed = candidates.filter((receipt) => receipt.paymentId === null);
  if (unclaimed.length === 0) return candidates.length === 0 ? { kind: 'wait' } : { kind: 'used' };
  const chosen = chooseReceipt(payment, unclaimed);
  // A receipt in review was already too much for one payment; it stays a person's to give.
  if (chosen === null || chosen.status === 'review') {
    return { kind: 'ambiguous', receiptIds: unclaimed.map((receipt) => receipt.id), rivalIds: [] };
  }
  return { kind: 'take', receiptId: chosen.id, comparison: compare(payment, chosen, namedProvider) };
}

/** The only one, else the only one of equal amount and currency, else none: never a guess. */
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

/**
 * Decides a receipt that has just arrived against the payments that wait for its TrxID. Of several that fit exactly the
 * one that was submitted first wins; where none fits exactly, the first that still lives.
 */
export function decideTrxReceipt(
  receipt: MatchableReceipt,
  waiting: readonly WaitingPayment[],
): ReceiptOutcome {
  const compared = [...waiting].sort(bySubmission).map((payment) => ({
    payment,
    comparison: compare(payment, receipt, payment.submission.provider),
  }));
  const winner =
    compared.find(({ comparison }) => comparison === 'agree') ??
    compared.find(({ payment }) => payment.status !== 'expired') ??
    compared[0];
  if (winner === undefined) return { kind: 'unmatched' };
  const loserIds = compared
    .filter(({ payment }) => payment !== winner.payment && payment.status !== 'expired')
    .map(({ payment }) => payment.id);
  return { kind: 'taken', paymentId: winner.payment.id, comparison: winner.comparison, loserIds };
}

function bySubmission(left: WaitingPayment, right: WaitingPayment): number {
  return left.submittedAt.getTime() - right.submittedAt.getTime() || (left.id < right.id ? -1 : 1);
}

/** When the money of a receipt came: a time in the future is a wrong clock, and counts as the arrival (decisions §4). */
export function moneyAt(receipt: Pick<MatchableReceipt, 'receivedAt' | 'arrivedAt'>): Date {
  return receipt.receivedAt > receipt.arrivedAt ? receipt.arrivedAt : receipt.receivedAt;
}

/**
 * Bangla QR: submission and money lie within the window of each other, its ends included. Repeating the digits counts as
 * entering them, but does not take back that they were entered before: a message that the phone forwards late is found by
 * the payer who has asked again meanwhile.
 */
export function isWithinWindow(
  entered: Entered,
  receipt: Pick<MatchableReceipt, 'receivedAt' | 'arrivedAt'>,
  windowMs: number,
): boolean {
  const moneyAtMs = moneyAt(receipt).getTime();
  return [entered.submittedAt, entered.repeatedAt].some(
    (enteredAt) => Math.abs(enteredAt.getTime() - moneyAtMs) <= windowMs,
  );
}

/**
 * Decides four submitted digits. `receipts` are the store's unclaimed receipts with these digits and this amount;
 * `rivals` are the other payments that submitted the same.
 */
export function decideQrSubmission(
  payment: MatchablePayment,
  namedProvider: string | null,
  entered: Entered,
  receipts: readonly MatchableReceipt[],
  rivals: readonly WaitingPayment[],
  windowMs: number,
): SubmissionOutcome {
  const possible = receipts.filter(
    (receipt) => receipt.currency === payment.currency && isWithinWindow(entered, receipt, windowMs),
  );
  const [only] = possible;
  if (only === undefined) return { kind: 'wait' };
  const rivalIds = rivals.filter((rival) => isWithinWindow(rival, only, windowMs)).map(({ id }) => id);
  // A receipt in review was already too much for one payment; it stays a person's to give.
  if (possible.length > 1 || only.status === 'review' || rivalIds.length > 0) {
    return { kind: 'ambiguous', receiptIds: possible.map((receipt) => receipt.id), rivalIds };
  }
  return { kind: 'take', receiptId: only.id, comparison: compare(payment, only, namedProvider) };
}

/**
 * Decides a Bangla QR receipt that has just arrived against the payments with the same digits, amount and currency.
 * `others` are the store's other unclaimed receipts with the same digits and amount.
 */
export function decideQrReceipt(
  receipt: MatchableReceipt,
  waiting: readonly WaitingPayment[],
  others: readonly MatchableReceipt[],
  windowMs: number,
): ReceiptOutcome {
  const possible = waiting.filter(
    (payment) => payment.currency === receipt.currency && isWithinWindow(payment, receipt, windowMs),
  );
  const [only] = possible;
  if (only === undefined) return { kind: 'unmatched' };
  const rivals = others.filter((other) => isWithinWindow(only, other, windowMs));
  if (possible.length > 1 || rivals.length > 0 || only.status === 'review') {
    return {
      kind: 'ambiguous',
      receiptIds: [receipt.id, ...rivals.map(({ id }) => id)],
      paymentIds: possible.map(({ id }) => id),
    };
  }
  const comparison = compare(only, receipt, only.submission.provider);
  return { kind: 'taken', paymentId: only.id, comparison, loserIds: [] };
}
