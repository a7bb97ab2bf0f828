import type { Configuration } from '../config/index.js';
import type { Store } from '../stores/index.js';
import type { MatchingRules } from './matching.js';
import { type Payment, type PaymentStatus, statusAt } from './payment.js';
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
