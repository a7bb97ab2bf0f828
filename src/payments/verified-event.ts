import { numberFromMinor } from '../kernel/money.js';
import { stringifyJson } from '../kernel/raw-json.js';
import type { Payment } from './payment.js';

export const PAYMENT_VERIFIED = 'payment.verified';

/**
 * The body of `payment.verified`: exactly the keys of specification §2.2 in that order, unknown values null, `products` only
 * if given. It is made once, at verification; every attempt sends these bytes (decisions §7).
 */
export function verifiedEventBody(payment: Payment & { readonly verifiedAt: Date }): string {
  return stringifyJson({
    event: PAYMENT_VERIFIED,
    paymentId: payment.id,
    storeId: payment.storeId,
    amount: numberFromMinor(payment.amountMinor),
    currency: payment.currency,
    provider: payment.provider,
    trxId: payment.trxId,
    payerNumber: payment.payerNumber,
    customerName: payment.customerName,
    customerPhone: payment.customerPhone,
    note: payment.note,
    products: payment.products ?? undefined,
    verifiedAt: payment.verifiedAt.toISOString(),
  });
}
