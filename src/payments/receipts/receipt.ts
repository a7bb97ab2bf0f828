import { createHash } from 'node:crypto';
import { newId } from '../../kernel/ids.js';
import type { ReceiptStatus } from './receipt-words.js';
import type { ReceiptRecord } from './receipts.table.js';

export * from './receipt-words.js';

/** The one `kind` that means money came in (specification §2.3); any other is kept and ignored. */
export const RECEIVED_KIND = 'received';
/** The `kind` of a message about money that the store sent: it pays nothing, and confirms a refund (contract 12.12). */
export const SENT_KIND = 'sent';

/** The payment to which a receipt is attached. */
export interface AttachedPayment {
  readonly paymentId: string;
  /** It is verified by the receipt; else it is in review over it. */
  readonly verified: boolean;
}

/** A wallet's receipt as it is stored (contract 6.50), with the payment that it is attached to. */
export interface Receipt extends ReceiptRecord {
  readonly paymentId: string | null;
  readonly attachedTo: AttachedPayment | null;
}

/** A receipt that comes in, before it has an id. The TrxID is normalised. */
export type NewReceipt = Pick<
  Receipt,
  | 'source'
  | 'app'
  | 'provider'
  | 'kind'
  | 'trxId'
  | 'last4digit'
  | 'amountMinor'
  | 'counterparty'
  | 'balanceMinor'
  | 'receivedAt'
  | 'simulated'
  | 'flags'
  | 'raw'
> & {
  readonly currency: string | null;
  /** The message it was read from. */
  readonly messageId?: string | null;
  /** `receivedAt` was written without seconds: it stands for every instant of its minute. */
  readonly minuteOnly?: boolean;
  /** The phone and SIM card that it came to, see `ReceiptRecord`; empty when left out. */
  readonly phoneLine?: string;
  /** `receivedAt` is of the phone's clock, not of the wallet's text: put right by what is known of that clock. */
  readonly byPhoneClock?: boolean;
};

/** A receipt of money that came in, as it is matched: its currency is known. */
export type ArrivingReceipt = NewReceipt & { readonly currency: string };

/** The answer to the sender of a receipt (contract 6.20). */
export interface ReceiptResult {
  readonly receiptId: string;
  readonly status: 'matched' | 'unmatched' | 'review' | 'duplicate' | 'ignored';
  readonly paymentId?: string;
}

/**
 * The key by which a receipt without a TrxID is the same as another: wallet, digits, amount and time (contract 4.10).
 * With a TrxID the wallet and the id are enough, and the answer is null.
 */
export function receiptDigest(
  receipt: Pick<NewReceipt, 'provider' | 'trxId' | 'last4digit' | 'amountMinor' | 'receivedAt'>,
): Buffer | null {
  if (receipt.trxId !== null || receipt.last4digit === null) return null;
  const parts = [receipt.provider, receipt.last4digit, receipt.amountMinor, receipt.receivedAt.toISOString()];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** A simulated receipt can verify a payment so long after it came, in milliseconds (contract 4.51). */
export const SIMULATED_FOR_MS = 3_600_000;

const MINUTE_MS = 60_000;
/**
 * The first instant that an ISO 8601 time with four digits names: a clock may be wrong by more, but nothing is kept
 * from before.
 */
const EARLIEST_MS = new Date('0001-01-01T00:00:00Z').getTime();

/**
 * When the money came, as the QR window counts it (contract 4.57 and 6.36). A time in the future is a wrong clock,
 * and counts as the arrival, one before year 1 as its beginning. `clockOffsetMs` is how far the phone's clock is
 * ahead.
 */
export function moneyTimes(
  receipt: Pick<NewReceipt, 'receivedAt' | 'minuteOnly' | 'byPhoneClock'>,
  arrivedAt: Date,
  clockOffsetMs: number,
): { from: Date; until: Date } {
  const correctionMs = receipt.byPhoneClock === true ? -clockOffsetMs : 0;
  const fromMs = receipt.receivedAt.getTime() + correctionMs;
  const untilMs = receipt.minuteOnly === true ? fromMs + MINUTE_MS - 1 : fromMs;
  const arrivedMs = arrivedAt.getTime();
  const within = (atMs: number) => new Date(Math.max(EARLIEST_MS, Math.min(atMs, arrivedMs)));
  return { from: within(fromMs), until: within(untilMs) };
}

/** The one constructor of a receipt: with an id, and attached to no payment. It is not written yet. */
export function newReceipt(
  storeId: string,
  receipt: ArrivingReceipt,
  status: ReceiptStatus,
  arrivedAt: Date,
  money: { readonly from: Date; readonly until: Date } = moneyTimes(receipt, arrivedAt, 0),
): Receipt {
  // Named one by one: with spreads V8 drew up a hidden class for each receipt, 8.5 kB that only a full collection
  // takes back, and whatever read such a receipt met one it had never seen.
  return {
    id: newId(),
    storeId,
    status,
    source: receipt.source,
    app: receipt.app,
    provider: receipt.provider,
    kind: receipt.kind,
    trxId: receipt.trxId,
    last4digit: receipt.last4digit,
    amountMinor: receipt.amountMinor,
    currency: receipt.currency,
    counterparty: receipt.counterparty,
    balanceMinor: receipt.balanceMinor,
    phoneLine: receipt.phoneLine ?? '',
    receivedAt: receipt.receivedAt,
    arrivedAt,
    moneyFrom: money.from,
    moneyUntil: money.until,
    simulated: receipt.simulated,
    flags: receipt.flags,
    raw: receipt.raw,
    digest: receiptDigest(receipt),
    messageId: receipt.messageId ?? null,
    voidedAt: null,
    voidReason: null,
    redactedAt: null,
    paymentId: null,
    attachedTo: null,
  };
}
