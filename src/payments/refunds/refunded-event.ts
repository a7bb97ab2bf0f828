import type { WebhookSchema } from '../../platform/events/index.js';
import { numberFromMinor } from '../../kernel/money.js';
import { stringifyJson } from '../../kernel/raw-json.js';
import type { Payment } from '../payments/payment.js';
import type { Refund } from './refund.js';

export const PAYMENT_REFUNDED = 'payment.refunded';

/**
 * The body of `payment.refunded`: the keys of contract 12.16 in that order, unknown values null. `refundedAmount` is
 * what has gone back of the payment altogether, this refund with it.
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

const TEXT_OR_NULL = { type: ['string', 'null'] };

/** The same for the OpenAPI document. */
export const PAYMENT_REFUNDED_WEBHOOK: WebhookSchema = {
  event: PAYMENT_REFUNDED,
  operationId: 'webhookPaymentRefunded',
  summary: 'A refund is recorded',
  description:
    'Sent to the store’s `webhookUrl` once for each refund that is recorded, like `payment.verified`: at least once, and ' +
    'again after a failure. Tell them apart by `event`.',
  schemaName: 'PaymentRefundedEvent',
  schema: {
    type: 'object',
    properties: {
      event: { type: 'string', enum: ['payment.refunded'] },
      refundId: { type: 'string', format: 'uuid', example: '019aa5c1-7c1e-7cc3-98f4-2f0d6a1b9c55' },
      paymentId: { type: 'string', format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' },
      storeId: { type: 'string', format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' },
      amount: { type: 'number', example: 200 },
      currency: { type: 'string', example: 'BDT' },
      refundedAmount: {
        type: 'number',
        example: 200,
        description: 'What has gone back of the payment altogether, this refund with it.',
      },
      provider: { ...TEXT_OR_NULL, example: 'bkash' },
      trxId: { ...TEXT_OR_NULL, example: 'DIJ5RFND01' },
      reason: { ...TEXT_OR_NULL, example: 'One book was out of stock.' },
      note: { ...TEXT_OR_NULL, example: 'Order 1001' },
      createdAt: { type: 'string', format: 'date-time', example: '2026-11-21T10:02:11.250Z' },
    },
    required: [
      ...['event', 'refundId', 'paymentId', 'storeId', 'amount', 'currency', 'refundedAmount', 'provider'],
      ...['trxId', 'reason', 'note', 'createdAt'],
    ],
  },
};
