import type { Configuration } from '../../platform/config/index.js';
import type { Store } from '../../stores/index.js';
import {
  type Claimant,
  type MatchablePayment,
  type MatchableReceipt,
  type MatchingRules,
  statusFor,
} from './matching.js';
import { type Payment, statusAt, submissionValue } from '../payments/payment.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { type Receipt, SIMULATED_FOR_MS } from '../receipts/receipt.js';

/** The rules that a store has set for matching. */
export function rulesOf(store: Store, configuration: Configuration): MatchingRules {
  const { receiptLeadMs, receiptChecks } = store;
  const { qrWindowMs: windowMs, guessLimit } = configuration;
  return { receiptLeadMs, receiptChecks, windowMs, guardsGuesses: guessLimit !== null };
}

/** A payment as matching sees it. */
export function matchableOf(payment: Payment, now: Date): MatchablePayment {
  return {
    id: payment.id,
    status: statusAt(payment, now),
    reviewReason: payment.reviewReason,
    holdsSimulated: payment.receiptId !== null && payment.simulated,
    payAmountMinor: payment.payAmountMinor,
    currency: payment.currency,
    requestedProvider: payment.requestedProvider,
    customerPhone: payment.customerPhone,
    createdAt: payment.createdAt,
  };
}

/**
 * Those of the payments that could still get this receipt, or one of these kinds, with what was entered for them of
 * the value that it is looked for by.
 */
export function claimantsAmong(
  receipt: Pick<MatchableReceipt, 'simulated'>,
  payments: readonly Payment[],
  entries: ReadonlyMap<string, readonly SubmissionRecord[]>,
  value: string,
  now: Date,
): Claimant[] {
  return payments
    .filter(({ status }) => status !== 'verified' && status !== 'cancelled')
    .map((payment) => {
      const matchable = matchableOf(payment, now);
      return Object.assign(matchable, {
        status: statusFor(matchable, receipt),
        entries: entries.get(payment.id) ?? [],
        inForce: payment.submission !== null && submissionValue(payment.submission) === value,
      });
    });
}

/**
 * Simulated receipts match only while the store has simulation switched on, and only within an hour of arriving; what
 * they have paid stays paid (contract 4.51).
 */
export function usableReceipts(receipts: readonly Receipt[], store: Store, now: Date): Receipt[] {
  return receipts.filter(
    ({ simulated, holder, arrivedAt }) =>
      !simulated ||
      holder !== null ||
      (store.simulationEnabled && now.getTime() - arrivedAt.getTime() <= SIMULATED_FOR_MS),
  );
}
