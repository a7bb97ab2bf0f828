import type { OpenAPIObject } from '@nestjs/swagger';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const TEXT_OR_NULL = { type: ['string', 'null'] };

/** Bodies that are sent, not received: no controller knows them. Keys stand in the order in which they are sent. */
export const WEBHOOK_SCHEMAS = {
  PaymentVerifiedEvent: {
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
  PaymentRefundedEvent: {
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
  WebhookTestEvent: {
    type: 'object',
    properties: {
      event: { type: 'string', enum: ['webhook.test'] },
      storeId: { type: 'string', format: 'uuid', example: '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10' },
      sentAt: { type: 'string', format: 'date-time', example: '2026-11-21T08:20:09.123Z' },
    },
    required: ['event', 'storeId', 'sentAt'],
  },
} as unknown as Schemas;

const SIGNED_HEADERS = [
  header(
    'X-Service-Signature',
    '^[0-9a-f]{64}$',
    'Lower-case hex HMAC-SHA256 of the raw body. The key is the store’s secret that `signWith` names, as it is shown. ' +
      'Compare in constant time before anything else; answer 401 when it differs.',
  ),
  header('webhook-id', null, 'Standard Webhooks: stays the same over all attempts. Act on each id once.'),
  header('webhook-timestamp', '^[0-9]+$', 'Standard Webhooks: seconds since 1970, of this attempt.'),
  header(
    'webhook-signature',
    null,
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` under the store’s `signingSecret`; ' +
      'several with blanks between while a rotated secret still signs.',
  ),
];

const ANSWERS = {
  '2XX': { description: 'Received. Must come within 8 seconds (`WEBHOOK_TIMEOUT`).' },
  '401': { description: 'The signature is not right.' },
  default: {
    description: 'Anything else is a failure, redirects included. `Retry-After` is heeded on 429 and 503.',
  },
};

/** What this service sends to a store's `webhookUrl` (specification §6, decisions §7). */
export const WEBHOOKS = {
  'payment.verified': {
    post: {
      tags: ['Deliveries'],
      operationId: 'webhookPaymentVerified',
      summary: 'A payment is verified',
      description:
        'Sent to the store’s `webhookUrl` every time a payment is verified, at least once, and again after a failure. ' +
        'Every attempt sends the same bytes.',
      security: [],
      parameters: SIGNED_HEADERS,
      requestBody: jsonBody('PaymentVerifiedEvent'),
      responses: ANSWERS,
    },
  },
  'payment.refunded': {
    post: {
      tags: ['Deliveries'],
      operationId: 'webhookPaymentRefunded',
      summary: 'A refund is recorded',
      description:
        'Sent to the store’s `webhookUrl` once for each refund that is recorded, like `payment.verified`: at least once, and ' +
        'again after a failure. Tell them apart by `event`.',
      security: [],
      parameters: SIGNED_HEADERS,
      requestBody: jsonBody('PaymentRefundedEvent'),
      responses: ANSWERS,
    },
  },
  'webhook.test': {
    post: {
      tags: ['Deliveries'],
      operationId: 'webhookTest',
      summary: 'A person tries the webhook URL',
      description: 'Sent once, by `POST /api/v1/stores/{storeId}/webhook/test`.',
      security: [],
      parameters: SIGNED_HEADERS,
      requestBody: jsonBody('WebhookTestEvent'),
      responses: ANSWERS,
    },
  },
} as unknown as Webhooks;

function header(name: string, pattern: string | null, description: string) {
  const schema = pattern === null ? { type: 'string' } : { type: 'string', pattern };
  return { name, in: 'header', required: true, description, schema };
}

function jsonBody(schema: string) {
  return {
    required: true,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}
