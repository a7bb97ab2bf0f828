import { numberFromMinor } from '../../kernel/money.js';
import { stringifyJson } from '../../kernel/raw-json.js';
import type { Payment } from '../payment.js';
import type { Refund } from './refund.js';

export const PAYMENT_REFUNDED = 'payment.refunded';

/**
 * The body of `payment.refunded`: the keys of decisions §12 in that order, unknown values null. `refundedAmount` is what has
 * gone back of the payment altogether, this refund with it.
 */
export function refundedEventBody(refund: Refund, payment: Payment): string {
  return stringifyJson({
    event: PAYMENT_REFUNDED,
    refundId: refund.id,
    paymentId: payment.id,
    storeId: payment.storeId,
    amount: numberFromMinor(refund.amountMinor),
    currency: refund.currency,
    refundedAmount: numberFromMinor(payment.refundedAmountMinor),
    provider: refund.provider,
    trxId: refund.trxId,
    reason: refund.reason,
    note: payment.note,
    createdAt: refund.createdAt.toISOString(),
  });
}
