import { type Payment, type PaymentEvent, type ReviewReason, statusAt } from '../payments/payment.js';
import type { PaymentFields } from '../payments/payment-transitions.js';
import type { Receipt } from '../receipts/receipt.js';
import { compareMoney, type Comparison, type MatchablePayment } from './compare.js';

/** A payment as the rules see it. */
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

/** The fields that a payment takes over from its receipt (contract 4.16). */
export function factsOf(receipt: Receipt): PaymentFields {
  return {
    receiptId: receipt.id,
    provider: receipt.provider,
    trxId: receipt.trxId,
    payerNumber: receipt.counterparty,
    receivedAmountMinor: receipt.amountMinor,
    receivedCurrency: receipt.currency,
    simulated: receipt.simulated,
  };
}

/** The fields of a payment without a receipt. */
export const NO_RECEIPT = {
  receiptId: null,
  provider: null,
  trxId: null,
  payerNumber: null,
  receivedAmountMinor: null,
  receivedCurrency: null,
  simulated: false,
} as const;

/**
 * The event by which a payment gets a receipt that it was compared with. One in review comes here when it has a
 * simulated receipt and the real one is there, or claims a receipt that was released.
 */
export function eventOf(payment: Payment, comparison: Comparison, now: Date): PaymentEvent {
  const current = statusAt(payment, now);
  if (current === 'expired') return 'money_late';
  if (current !== 'review') return comparison === 'agree' ? 'agree' : 'disagree';
  if (payment.simulated && payment.receiptId !== null)
    return comparison === 'agree' ? 'real_agrees' : 'real_disagrees';
  return comparison === 'agree' ? 'released' : 'further';
}

/**
 * Nothing but its own receipt is left of what a payment was in review over: what is wrong with that one is the
 * reason.
 */
export function reasonOfItsOwn(payment: Payment): ReviewReason {
  if (payment.reviewReason === 'late') return 'late';
  const money = {
    amountMinor: payment.receivedAmountMinor ?? payment.payAmountMinor,
    currency: payment.receivedCurrency ?? payment.currency,
  };
  return compareMoney(payment, money) ?? 'flagged';
}
