import { createHash } from 'node:crypto';
import type { ReceiptRecord } from './receipts.table.js';

export const RECEIPT_STATUSES = ['unmatched', 'matched', 'review', 'void', 'ignored'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export const RECEIPT_SOURCES = ['app', 'sms', 'simulate'] as const;
export type ReceiptSource = (typeof RECEIPT_SOURCES)[number];

/** The one `kind` that means money came in (specification §2.3); any other is kept and ignored. */
export const RECEIVED_KIND = 'received';
/** The `kind` of a message about money that the store sent: it pays nothing, and confirms a refund (decisions §12). */
export const SENT_KIND = 'sent';

/** A wallet's receipt as it is stored (decisions §6), with the payment that holds it. */
export interface Receipt extends ReceiptRecord {
  readonly paymentId: string | null;
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
  /** `receivedAt` is of the phone's clock, not of the wallet's text: put right by what is known of that clock. */
  readonly byPhoneClock?: boolean;
};

/** What is answered to whoever sent a receipt (decisions §6). */
export interface ReceiptResult {
  readonly receiptId: string;
  readonly status: 'matched' | 'unmatched' | 'review' | 'duplicate' | 'ignored';
  readonly paymentId?: string;
}

/**
 * What makes a receipt without a TrxID the same as another: wallet, digits, amount and time (decisions §4). With a TrxID the
 * wallet and the id are enough, and the answer is null.
 */
export function receiptDigest(
  receipt: Pick<NewReceipt, 'provider' | 'trxId' | 'last4digit' | 'amountMinor' | 'receivedAt'>,
): Buffer | null {
  if (receipt.trxId !== null || receipt.last4digit === null) return null;
  const parts = [receipt.provider, receipt.last4digit, receipt.amountMinor, receipt.receivedAt.toISOString()];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
