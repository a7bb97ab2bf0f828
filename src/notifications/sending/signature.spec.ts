import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, newSigningSecret } from '../../kernel/secret.js';
import { serviceSignature, standardWebhookHeaders } from './signature.js';

const BODY = Buffer.from('{"event":"payment.verified","note":"জমা ✓ 😀","amount":10.50}', 'utf8');

describe('serviceSignature', () => {
  it('matches a known HMAC-SHA256', () => {
    const body = Buffer.from('The quick brown fox jumps over the lazy dog');
    expect(serviceSignature(body, 'key')).toBe(
      'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
    );
  });

  it('is keyed with the secret as it is shown, not with what it may decode to', () => {
    const secret = newSecret('joma_wh_');
    const expected = createHmac('sha256', new TextEncoder().encode(secret)).update(BODY).digest('hex');
    expect(serviceSignature(BODY, secret)).toBe(expected);
    expect(serviceSignature(BODY, secret)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('standardWebhookHeaders', () => {
  const id = '01935d4e-7a2b-7c3d-8e4f-5a6b7c8d9e0f';

  it('verifies with the Standard Webhooks library', () => {
    const secret = newSigningSecret();
    const headers = standardWebhookHeaders({
      id,
      timestamp: new Date(),
      body: BODY,
      signingSecrets: [secret],
    });
    expect(headers['webhook-id']).toBe(id);
    expect(new Webhook(secret).verify(BODY.toString('utf8'), { ...headers })).toMatchObject({ amount: 10.5 });
  });

  it('verifies with either secret while two are in force, and with no other', () => {
    const [current, previous, stranger] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
    const headers = standardWebhookHeaders({
      id,
      timestamp: new Date(),
      body: BODY,
      signingSecrets: [current, previous],
    });
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    const text = BODY.toString('utf8');
    expect(new Webhook(current).verify(text, { ...headers })).toBeDefined();
    expect(new Webhook(previous).verify(text, { ...headers })).toBeDefined();
    expect(() => new Webhook(stranger).verify(text, { ...headers })).toThrow();
    expect(() => new Webhook(current).verify(text.replace('10.50', '99.50'), { ...headers })).toThrow();
    expect(() => new Webhook(current).verify(text, { ...headers, 'webhook-id': 'other' })).toThrow();
  });

  it('sends whole seconds, rounded down', () => {
    const timestamp = new Date('2026-11-21T08:20:09.999Z');
    const headers = standardWebhookHeaders({
      id,
      timestamp,
      body: BODY,
      signingSecrets: [newSigningSecret()],
    });
    expect(headers['webhook-timestamp']).toBe(String(Date.parse('2026-11-21T08:20:09Z') / 1000));
  });

  it.each([[[]], [['']], [['whsec_']], [['c2VjcmV0']], [['whsec_%%%%']], [['whsec_abc']], [['whsec_a-b_']]])(
    'refuses the secrets %j without repeating them',
    (signingSecrets) => {
      const sign = (): unknown =>
        standardWebhookHeaders({ id, timestamp: new Date(), body: BODY, signingSecrets });
      expect(sign).toThrow(/^A signing secret is (required|whsec_ followed by base64)$/);
    },
  );
});
