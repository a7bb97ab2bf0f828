import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSigningSecret } from '../../kernel/secret.js';
import { webhookRequest } from './webhook-request.js';

const target = {
  webhookUrl: 'https://shop.example.com/webhooks',
  serviceSecret: 'joma_wh_secret',
  signingSecrets: [newSigningSecret(), newSigningSecret()],
};
const body = Buffer.from('{"event":"payment.verified","note":"জমা"}');

describe('webhookRequest', () => {
  it('signs in both ways, with every signing secret that is in force', () => {
    const { headers, ...request } = webhookRequest(
      { id: 'event-1', body, sentAt: new Date() },
      target,
      8_000,
    );
    expect(request).toEqual({ url: target.webhookUrl, body, timeoutMs: 8_000 });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['webhook-id']).toBe('event-1');
    expect(headers['X-Service-Signature']).toBe(
      createHmac('sha256', target.serviceSecret).update(body).digest('hex'),
    );
    for (const secret of target.signingSecrets) {
      expect(new Webhook(secret).verify(body.toString(), headers)).toEqual(JSON.parse(body.toString()));
    }
    expect(() => new Webhook(newSigningSecret()).verify(body.toString(), headers)).toThrow();
  });

  it('refuses to send unsigned', () => {
    expect(() =>
      webhookRequest({ id: 'event-1', body, sentAt: new Date() }, { ...target, signingSecrets: [] }, 8_000),
    ).toThrow(RangeError);
  });
});
