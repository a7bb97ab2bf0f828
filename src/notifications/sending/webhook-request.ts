import type { DeliveryTarget } from '../../stores/index.js';
import { serviceSignature, standardWebhookHeaders } from './signature.js';
import type { WebhookRequest } from './webhook-sender.js';

const USER_AGENT = 'Joma-Webhooks/1';

export interface WebhookMessage {
  /** The `webhook-id`. */
  readonly id: string;
  readonly body: Buffer;
  /** The time of this attempt. */
  readonly sentAt: Date;
  /** A simulated receipt is behind it (contract 4.52). */
  readonly simulated?: boolean;
  /** Personal data has been taken out of the body (contract 14.63). */
  readonly redacted?: boolean;
  /** Sent beside the signatures. */
  readonly ownHeaders?: Readonly<Record<string, string>> | undefined;
}

/**
 * One signed request for a message (contract 7.10): `X-Service-Signature` with the store's own secret, and the
 * headers of Standard Webhooks with its signing secrets.
 *
 * @throws RangeError when the store has no usable signing secret
 */
export function webhookRequest(
  message: WebhookMessage,
  target: Pick<DeliveryTarget, 'serviceSecret' | 'signingSecrets'> & { readonly webhookUrl: string },
  timeoutMs: number,
): WebhookRequest {
  const { body, id, sentAt: timestamp } = message;
  const standard = standardWebhookHeaders({ id, timestamp, body, signingSecrets: target.signingSecrets });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'X-Service-Signature': serviceSignature(body, target.serviceSecret),
    'webhook-id': standard['webhook-id'],
    'webhook-timestamp': standard['webhook-timestamp'],
    'webhook-signature': standard['webhook-signature'],
  };
  if (message.simulated === true) headers['X-Joma-Simulated'] = 'true';
  if (message.redacted === true) headers['X-Joma-Redacted'] = 'true';
  if (message.ownHeaders !== undefined) Object.assign(headers, message.ownHeaders);
  return { url: target.webhookUrl, headers, body, timeoutMs };
}
