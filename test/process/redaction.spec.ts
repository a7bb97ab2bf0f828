import { newId } from '../../src/kernel/ids.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, SHARED_SECRETS, startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, createStore, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 2.5, 2.6, 6.10, 8.21.
 *
 * Goal: no secret, token or password is ever written down: not in the log at its most talkative, not in the database.
 * Phone numbers are data, and stay out of the log (contract 8.21). Method: everything a service meets in its life,
 * right and wrong, against the built service with LOG_LEVEL=trace; then all it printed and every column of every
 * table is searched for each secret that was used, also in hex and base64.
 */

const USER_PASSWORD = 'eleven loud parrots';
const NEW_PASSWORD = 'twelve slow turtles';
const WRONG_PASSWORD = 'thirteen wrong words';
const URL_TOKEN = 'token-in-the-webhook-address';
const PHONES = {
  customer: '01711111117',
  payer: '01722222227',
  sender: '01733333337',
  wallet: '01744444447',
};

let database: TestDatabase;
let service: BuiltService;
let merchant: MerchantReceiver;

/** Whatever must be written down nowhere, by what it is. */
const secrets = new Map<string, string>(
  Object.entries({
    ...SHARED_SECRETS,
    ADMIN_PASSWORD,
    USER_PASSWORD,
    NEW_PASSWORD,
    WRONG_PASSWORD,
  }),
);

function remember(name: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 10) throw new Error(`${name} is no secret.`);
  secrets.set(name, secret);
  return secret;
}

async function login(email: string, password: string, name: string) {
  const { body } = await service.http.post('/api/v1/auth/login', { email, password });
  const refreshToken = remember(`${name} refresh token`, body['refreshToken']);
  const accessToken = remember(`${name} access token`, body['accessToken']);
  return { refreshToken, accessToken, headers: { Authorization: `Bearer ${accessToken}` } };
}

function rememberStore(store: TestStore): TestStore {
  remember('API key', store.apiKey);
  remember('webhook secret', store.webhookSecret);
  remember('signing secret', store.signingSecret);
  // Inside it are 32 bytes; what is kept encrypted must not be found as those either.
  remember('signing secret without its prefix', store.signingSecret.slice('whsec_'.length));
  return store;
}

const receipt = (trxId: string, extra: Record<string, unknown> = {}) =>
  receiptBody({ trxId, amount: 50, counterparty: PHONES.payer, ...extra });

let admin: Awaited<ReturnType<typeof login>>;
let store: TestStore;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await startMerchantReceiver();
  service = await startBuiltService({ DATABASE_URL: database.url, LOG_LEVEL: 'trace' });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await merchant.close();
  await database.drop();
});

async function users(): Promise<void> {
  const { http } = service;
  const email = 'rahima@example.com';
  const user = { email, password: USER_PASSWORD, name: 'Rahima', role: 'merchant' };
  await http.post('/api/v1/users', user, admin.headers);
  await http.post('/api/v1/users', { ...user, password: WRONG_PASSWORD }, admin.headers);
  await http.post('/api/v1/auth/login', { email, password: WRONG_PASSWORD });
  await http.post('/api/v1/auth/login', { email: 'nobody@example.com', password: WRONG_PASSWORD });
  await http.post('/api/v1/auth/login', { email, password: [WRONG_PASSWORD] });
  const first = await login(email, USER_PASSWORD, 'first');
  const change = { currentPassword: USER_PASSWORD, newPassword: NEW_PASSWORD };
  await http.post('/api/v1/auth/password', { ...change, currentPassword: WRONG_PASSWORD }, first.headers);
  await http.post('/api/v1/auth/password', change, first.headers);
  const second = await login(email, NEW_PASSWORD, 'second');
  const { body } = await http.post('/api/v1/auth/refresh', { refreshToken: second.refreshToken });
  remember('refreshed token', body['refreshToken']);
  remember('refreshed access token', body['accessToken']);
  await http.post('/api/v1/auth/refresh', { refreshToken: second.refreshToken });
  await http.post('/api/v1/auth/logout', { refreshToken: first.refreshToken });
  await http.get(`/api/v1/auth/me?access_token=${admin.accessToken}`);
}

async function payments(): Promise<string> {
  const { http } = service;
  const body = { amount: 50, customerName: 'Karim', customerPhone: PHONES.customer, note: 'Order 1' };
  const key = { ...store.key, 'Idempotency-Key': 'order-1' };
  const created = await http.post<{ id: string }>('/api/v1/payments', body, key);
  await http.post('/api/v1/payments', body, key);
  await http.post(`/api/v1/payments/public/${created.body.id}/verify`, { trxId: 'REDACT0001' });
  await http.post('/api/webhooks/joma', receipt('REDACT0001'), store.phone);
  await http.post('/api/webhooks/joma', receipt('REDACT0001'), store.phone);
  await http.post('/api/webhooks/joma', receipt('REDACT0002', { kind: 'sent' }), store.phone);
  await http.post('/api/webhooks/joma/heartbeat', { app: 'phone' }, store.phone);
  const simulated = { provider: 'bkash', trxId: 'REDACT0003', amount: 9, sender: PHONES.sender, type: 'in' };
  await http.post('/api/webhooks/simulate', { ...simulated, storeId: store.id }, admin.headers);
  await http.get(`/api/v1/payments?customerPhone=${PHONES.customer}`, store.key);
  await http.get(`/api/v1/stores/${store.id}/receipts`, admin.headers);
  await http.get(`/pay/${created.body.id}?lang=en`);
  await merchant.waitFor(1);
  return created.body.id;
}

/** Everything that is refused, with secrets and numbers in every place they may be put by mistake. */
async function mistakes(paymentId: string): Promise<void> {
  const { http } = service;
  const { apiKey, webhookSecret } = store;
  await http.post(`/api/webhooks/joma?token=${webhookSecret}`, receipt('REDACT0004'));
  await http.post(`/api/webhooks/joma/sms?token=${webhookSecret}&store=${store.id}`, { phone: PHONES.payer });
  const text = `You have received Tk 50.00 from ${PHONES.payer}. Fee Tk 0.00. Balance Tk 900.00. TrxID DIJ3REDACT at 22/11/2026 10:00`;
  await http.post(`/api/webhooks/joma/sms?token=${webhookSecret}`, { from: 'bKash', text });
  await http.post(`/api/webhooks/joma/sms?token=${webhookSecret}`, { from: PHONES.sender, text });
  await http.post(`/api/webhooks/joma/sms?store=${newId()}&token=${webhookSecret}`, { from: 'bKash', text });
  await http.get(`/api/webhooks/joma/sms?token=${webhookSecret}`);
  await http.post(`/api/webhooks/joma/smss?token=${webhookSecret}`, { from: 'bKash', text });
  await http.get(`/api/v1/payments?X-Api-Key=${apiKey}&phone=${PHONES.customer}`);
  await http.get(`/api/v1/payments/${apiKey}`, store.key);
  await http.get(`/${webhookSecret}/${PHONES.customer}/${admin.accessToken}`);
  await http.get(`/api/v1/payments/${PHONES.customer}`, store.key);
  await http.get('/api/v1/payments', { 'X-Api-Key': webhookSecret, Authorization: `Bearer ${apiKey}` });
  await http.get('/api/v1/payments', { Cookie: `session=${apiKey}`, Referer: `http://x/?key=${apiKey}` });
  await http.post('/api/v1/payments', { amount: 'x', customerPhone: PHONES.customer, apiKey }, store.key);
  for (const text of [
    `{"customerPhone":"${PHONES.customer}","key":"${apiKey}"`,
    `${apiKey}${PHONES.payer}`,
  ]) {
    await http.request('POST', '/api/v1/payments', { headers: store.key, text });
  }
  await http.post('/api/webhooks/joma', receipt('REDACT0005', { counterparty: 5 }), store.phone);
  await http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId: PHONES.payer.repeat(9) });
  await http.request('DELETE', `/api/v1/payments/${paymentId}?key=${apiKey}`, { headers: store.key });
}

/** Failures of the database and of the merchant, which are logged with more words than anything else. */
async function failures(): Promise<void> {
  const { http } = service;
  const body = { amount: 51, customerPhone: PHONES.customer, note: store.apiKey.slice(0, 4) };
  await database.query('ALTER TABLE payments ADD CONSTRAINT broken CHECK (amount_minor <> 5100)');
  expect((await http.post('/api/v1/payments', body, store.key)).status).toBe(500);
  await database.query('ALTER TABLE payments DROP CONSTRAINT broken');
  await database.query('ALTER TABLE users RENAME TO people');
  expect(
    (await http.post('/api/v1/auth/login', { email: ADMIN_EMAIL, password: WRONG_PASSWORD })).status,
  ).toBe(500);
  await database.query('ALTER TABLE people RENAME TO users');

  const closed = await startMerchantReceiver();
  await closed.close();
  await http.request('PATCH', `/api/v1/stores/${store.id}`, {
    headers: admin.headers,
    body: { webhookUrl: `${closed.url}?token=${URL_TOKEN}` },
  });
  await http.post(`/api/v1/stores/${store.id}/webhook/test`, undefined, admin.headers);
  const { body: page } = await http.get<{ data: { id: string }[] }>('/api/v1/deliveries', store.key);
  const delivery = `/api/v1/deliveries/${page.data[0]?.id}`;
  await http.post(`${delivery}/redeliver`, undefined, store.key);
  await eventually(
    async () => (await http.get<{ attempts: unknown[] }>(delivery, store.key)).body.attempts.length,
    (count) => count > 1,
    'a failed attempt',
  );
}

async function rotations(): Promise<void> {
  const path = `/api/v1/stores/${store.id}`;
  const post = async (what: string) =>
    (await service.http.post(`${path}/${what}`, undefined, admin.headers)).body;
  await service.http.get(`${path}/webhook-secret`, admin.headers);
  await service.http.get(`${path}/signing-secret`, admin.headers);
  remember('new API key', (await post('api-key/rotate'))['apiKey']);
  remember('new webhook secret', (await post('webhook-secret/regenerate'))['webhookSecret']);
  remember('new signing secret', (await post('signing-secret/rotate'))['signingSecret']);
  await service.http.get('/api/v1/payments', store.key);
  await service.http.get(`${path}/audit-log`, admin.headers);
}

/** Each spelling in which a secret might have been written down. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // The ends of base64 depend on what stands around; the middle is enough to find it.
  return [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4), encodeURIComponent(secret)];
}

async function everythingStored(): Promise<{ place: string; text: string }[]> {
  const columns = await database.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`,
  );
  const stored: { place: string; text: string }[] = [];
  for (const { table_name: table, column_name: column } of columns) {
    const rows = await database.query<{ value: unknown }>(`SELECT "${column}" AS value FROM "${table}"`);
    const text = rows
      .map(({ value }) =>
        Buffer.isBuffer(value)
          ? `${value.toString('latin1')}\n${value.toString('hex')}`
          : JSON.stringify(value),
      )
      .join('\n');
    stored.push({ place: `${table}.${column}`, text });
  }
  return stored;
}

describe('after everything a service meets in its life', () => {
  beforeAll(async () => {
    admin = await login(ADMIN_EMAIL, ADMIN_PASSWORD, 'admin');
    store = rememberStore(
      await createStore(service.http, admin.headers, {
        name: 'Dhaka Books',
        webhookUrl: merchant.url,
        wallets: [{ provider: 'bkash', number: PHONES.wallet, accountType: 'personal' }],
      }),
    );
    await users();
    const paymentId = await payments();
    await mistakes(paymentId);
    await failures();
    await rotations();
  });

  it('the log has seen it all, and holds no secret, no token, no password and no phone number', async () => {
    const complete = () => {
      const output = service.output();
      return output.includes('"statusCode":500') && output.includes('/audit-log');
    };
    await eventually(complete, Boolean, 'the end of the log');
    const output = service.output();
    expect(output).toContain('"path":"/api/v1/auth/login"');
    expect(output).toContain('constraint');
    for (const [name, secret] of [...secrets, ['token of the webhook address', URL_TOKEN] as const]) {
      for (const spelling of spellingsOf(secret))
        expect(output.includes(spelling), `${name} is logged`).toBe(false);
    }
    for (const [name, number] of Object.entries(PHONES)) {
      expect(output.includes(number.slice(1)), `the number of the ${name} is logged`).toBe(false);
    }
  });

  it('the database holds no secret, no token and no password in a form that can be read', async () => {
    const stored = await everythingStored();
    expect(stored.length).toBeGreaterThan(60);
    expect(stored.some(({ text }) => text.includes(PHONES.customer))).toBe(true);
    for (const { place, text } of stored) {
      for (const [name, secret] of secrets) {
        for (const spelling of spellingsOf(secret)) {
          expect(text.includes(spelling), `${name} stands in ${place}`).toBe(false);
        }
      }
    }
  });
});
