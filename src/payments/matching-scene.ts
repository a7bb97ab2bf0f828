import type { Configuration } from '../config/index.js';
import type { Store } from '../stores/index.js';
import type { Candidate, MatchingRules } from './matching.js';
import { type Payment, type PaymentStatus, statusAt, submissionValue } from './payment.js';
import type { TryRecord } from './payments.table.js';
import { type Receipt, SIMULATED_FOR_MS } from './receipt.js';

/** What a store has set for matching. */
export function rulesOf(store: Store, configuration: Configuration): MatchingRules {
  const { receiptLeadMs, receiptChecks } = store;
  return { receiptLeadMs, receiptChecks, windowMs: configuration.qrWindowMs };
}

/**
 * The status that matching goes by: a payment in review over nothing but a simulated receipt is decided anew by the real one
 * (decisions §3).
 */
export function matchingStatus(payment: Payment, now: Date): PaymentStatus {
  const status = statusAt(payment, now);
  return status === 'review' && payment.receiptId !== null && payment.simulated ? 'submitted' : status;
}

/** Those of the payments that could still get a receipt, with what was entered for them of the value that it is looked for by. */
export function candidatesAmong(
  payments: readonly Payment[],
  entries: ReadonlyMap<string, readonly TryRecord[]>,
  value: string,
  now: Date,
): Candidate[] {
  return payments
    .filter(({ status }) => status !== 'verified' && status !== 'cancelled')
    .map((payment) => ({
      ...payment,
      status: matchingStatus(payment, now),
      entries: entries.get(payment.id) ?? [],
      inForce: payment.submission !== null && submissionValue(payment.submission) === value,
    }));
}

/**
 * Simulated receipts match only while the store has simulation switched on, and only within an hour of arriving; what they
 * have paid stays paid (decisions §4).
 */
export function usableReceipts(receipts: readonly Receipt[], store: Store, now: Date): Receipt[] {
  return receipts.filter(
    ({ simulated, holder, arrivedAt }) =>
      !simulated ||
      holder !== null ||
      (store.simulationEnabled && now.getTime() - arrivedAt.getTime() <= SIMULATED_FOR_MS),
  );
}
