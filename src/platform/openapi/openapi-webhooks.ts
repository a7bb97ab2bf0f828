import type { OpenAPIObject } from '@nestjs/swagger';
import type { WebhookSchema } from '../events/index.js';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

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
  optionalMark(
    'X-Joma-Simulated',
    'There when the event is about a simulated payment. In production, deliver nothing on an event that carries it.',
  ),
  optionalMark(
    'X-Joma-Redacted',
    'There when `RETENTION_PERSONAL` has taken the personal data out of the body.',
  ),
];

const ANSWERS = {
  '2XX': { description: 'Received. Must come within 8 seconds (`WEBHOOK_TIMEOUT`).' },
  '401': { description: 'The signature is not right.' },
  default: {
    description: 'Anything else is a failure, redirects included. `Retry-After` is heeded on 429 and 503.',
  },
};

/** The webhooks that this service sends (specification §6, contract 7.6), for the OpenAPI document. */
export function webhooksOf(described: readonly WebhookSchema[]): Webhooks {
  return Object.fromEntries(
    described.map(({ event, operationId, summary, description, schemaName }) => [
      event,
      {
        post: {
          tags: ['Deliveries'],
          operationId,
          summary,
          description,
          security: [],
          parameters: SIGNED_HEADERS,
          requestBody: jsonBody(schemaName),
          responses: ANSWERS,
        },
      },
    ]),
  ) as unknown as Webhooks;
}

/** The bodies of `webhooksOf`: sent, not received, so no controller knows them. */
export function webhookBodiesOf(described: readonly WebhookSchema[]): Schemas {
  return Object.fromEntries(described.map(({ schemaName, schema }) => [schemaName, schema]));
}

function header(name: string, pattern: string | null, description: string) {
  const schema = pattern === null ? { type: 'string' } : { type: 'string', pattern };
  return { name, in: 'header', required: true, description, schema };
}

function optionalMark(name: string, description: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string', enum: ['true'] } };
}

function jsonBody(schema: string) {
  return {
    required: true,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}
