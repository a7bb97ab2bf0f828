import { createHmac } from 'node:crypto';
import { hmacSha256Hex } from '../../kernel/secret.js';

export interface StandardWebhookHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

const SIGNING_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/**
 * Value of `X-Service-Signature`: lower-case hex HMAC-SHA256 of the bytes that are sent (specification §5.7). The key
 * is the UTF-8 bytes of the secret as shown to the merchant (contract 7.10).
 */
export function serviceSignature(body: Buffer, secret: string): string {
  return hmacSha256Hex(body, secret);
}

/**
 * The headers of Standard Webhooks (contract 7.10): `v1` HMAC-SHA256 of `id.timestamp.body`, one signature for each
 * secret, in the order given, so that a rotated secret can sign beside its successor. `timestamp` is the time of the
 * attempt and is sent in whole seconds; `id` stays the same over all attempts.
 *
 * @throws RangeError when there is no secret, or one is not `whsec_` and base64.
 */
export function standardWebhookHeaders(message: {
  id: string;
  timestamp: Date;
  body: Buffer;
  signingSecrets: readonly string[];
}): StandardWebhookHeaders {
  if (message.signingSecrets.length === 0) throw new RangeError('A signing secret is required');
  const timestamp = String(Math.floor(message.timestamp.getTime() / 1000));
  const signatures = message.signingSecrets.map((secret) => {
    const hmac = createHmac('sha256', signingKey(secret));
    return `v1,${hmac.update(`${message.id}.${timestamp}.`).update(message.body).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function signingKey(secret: string): Buffer {
  const encoded = SIGNING_SECRET.exec(secret)?.[1];
  // The secret itself must not reach a log through the message.
  if (!encoded) throw new RangeError('A signing secret is whsec_ followed by base64');
  return Buffer.from(encoded, 'base64');
}
