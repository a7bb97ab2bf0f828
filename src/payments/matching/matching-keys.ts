import { lockKey } from '../../platform/database/index.js';
import type { MinorUnits } from '../../kernel/money.js';
import type { Payment, Submission } from '../payments/payment.js';

/** The values by which a receipt or a submission can be matched. */
export interface MatchingKeySource {
  readonly trxId: string | null;
  readonly last4digit: string | null;
  readonly amountMinor: MinorUnits;
}

/**
 * The advisory locks that serialise everything about one TrxID, or one pair of digits and amount, of a store.
 *
 * A submission writes itself and reads receipts; a receipt writes itself and reads submissions. Side by side, on two
 * replicas, each would miss the other's uncommitted row, and the match would be lost. With the key held one of them
 * runs second, and each of its statements sees what the first committed. See README.md of this folder for the lock
 * order.
 */
export function matchingKeys(storeId: string, source: MatchingKeySource): bigint[] {
  const keys: bigint[] = [];
  if (source.trxId !== null) keys.push(lockKey('match', storeId, 'trx', source.trxId));
  if (source.last4digit !== null) {
    keys.push(lockKey('match', storeId, 'qr', source.last4digit, String(source.amountMinor)));
  }
  return keys;
}

/** The key of a TrxID. */
export function trxIdKeys(storeId: string, trxId: string): bigint[] {
  return matchingKeys(storeId, { trxId, last4digit: null, amountMinor: 0 });
}

/**
 * The keys of what a payer typed for a payment. Digits are compared with the amount to pay, and with the plain one
 * where the payment has one of its own.
 */
export function submissionKeys(payment: Payment, submission: Submission): bigint[] {
  const { storeId } = payment;
  if (submission.kind === 'trx_id') {
    return trxIdKeys(storeId, submission.trxId);
  }
  const amounts = [...new Set([payment.payAmountMinor, payment.amountMinor])];
  const { last4digit } = submission;
  return amounts.flatMap((amountMinor) => matchingKeys(storeId, { trxId: null, last4digit, amountMinor }));
}
