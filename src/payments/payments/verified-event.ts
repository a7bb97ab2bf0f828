import type { WebhookSchema } from '../../platform/events/index.js';
import { numberFromMinor } from '../../kernel/money.js';
import { stringifyJson } from '../../kernel/raw-json.js';
import type { Payment } from './payment.js';

export const PAYMENT_VERIFIED = 'payment.verified';

/** For subscribers alone: it stands in no feed, and is written only where somebody asks for it. */
export const PAYMENT_IN_REVIEW = 'payment.in_review';

/**
 * The body of `payment.verified`: exactly the keys of specification §2.2 in that order, unknown values null,
 * `products` only if given. It is made once, at verification; every attempt sends these bytes (contract 7.7).
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

const TEXT_OR_NULL = { type: ['string', 'null'] };

/** The same for the OpenAPI document. */
export const PAYMENT_VERIFIED_WEBHOOK: WebhookSchema = {
  event: PAYMENT_VERIFIED,
  operationId: 'webhookPaymentVerified',
  summary: 'A payment is verified',
  description:
    'Sent to the store’s `webhookUrl` every time a payment is verified, at least once, and again after a failure. ' +
    'Every attempt sends the same bytes.',
  schemaName: 'PaymentVerifiedEvent',
  schema: {
    type: 'object',
    properties: {
      event: { type: 'string', enum: ['payment.verified'] },
      paymentId: { type: 'string', format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' },
      storeId: { type: 'string', format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' },
      amount: { type: 'number', example: 500 },
      currency: { type: 'string', example: 'BDT' },
      provider: { ...TEXT_OR_NULL, example: 'bkash' },
      trxId: { ...TEXT_OR_NULL, example: 'DIJ3MXAHCJ' },
      payerNumber: { ...TEXT_OR_NULL, example: '01700000002' },
      customerName: { ...TEXT_OR_NULL, example: 'Rahim Uddin' },
      customerPhone: { ...TEXT_OR_NULL, example: '01700000002' },
      note: { ...TEXT_OR_NULL, example: 'Order 1001' },
      products: {
        type: 'array',
        items: { $ref: '#/components/schemas/ProductView' },
        description: 'Exactly the list given when the payment was created; left out when none was.',
      },
      verifiedAt: { type: 'string', format: 'date-time', example: '2026-11-21T08:20:09.123Z' },
    },
    required: [
      ...['event', 'paymentId', 'storeId', 'amount', 'currency', 'provider', 'trxId', 'payerNumber'],
      ...['customerName', 'customerPhone', 'note', 'verifiedAt'],
    ],
  },
};
