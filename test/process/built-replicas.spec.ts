import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 8.1, 8.7.
 *
 * Goal: what was built works as it is run in production: two processes, one database, nothing else shared.
 * Method: the main flow in both orders, each step on the other process; then one of them is stopped.
 */

let database: TestDatabase;
let one: BuiltService;
let two: BuiltService;
let merchant: MerchantReceiver;
let store: TestStore;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await startMerchantReceiver();
  [one, two] = await Promise.all([
    startBuiltService({ DATABASE_URL: database.url }),
    startBuiltService({ DATABASE_URL: database.url }),
  ]);
  store = await createStore(one.http, await signIn(two.http), { webhookUrl: merchant.url });
});
afterAll(async () => {
  await Promise.all([one.stop('SIGKILL'), two.stop('SIGKILL')]);
  await merchant.close();
  await database.drop();
});

const receipt = (trxId: string) => receiptBody({ provider: 'nagad', trxId, amount: 10 });

async function createPayment(): Promise<string> {
  const { body } = await one.http.post<{ id: string }>('/api/v1/payments', { amount: 10 }, store.key);
  return body.id;
}

describe('two replicas of the built service', () => {
  it('verify in both orders, and deliver each event once', async () => {
    const first = await createPayment();
    await two.http.post(`/api/v1/payments/public/${first}/verify`, { trxId: 'BUILT00001' });
    await one.http.post('/api/webhooks/joma', receipt('BUILT00001'), store.phone);
    const second = await createPayment();
    await two.http.post('/api/webhooks/joma', receipt('BUILT00002'), store.phone);
    await one.http.post(`/api/v1/payments/public/${second}/verify`, { trxId: 'BUILT00002' });
    await merchant.waitFor(2);
    for (const id of [first, second]) {
      const { body } = await two.http.get(`/api/v1/payments/${id}`, store.key);
      expect(body['status']).toBe('verified');
      expect(await merchant.webhooksOf(id)).toHaveLength(1);
    }
  });

  it('serve the page with its assets', async () => {
    const id = await createPayment();
    const page = await two.http.get(`/pay/${id}?lang=en`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const paths = [...page.text.matchAll(/(?:src|href)="(\/pay\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) expect((await one.http.get(path)).status).toBe(200);
  });

  it('stop on SIGTERM with exit code 0, and the other one goes on', async () => {
    const id = await createPayment();
    expect(await one.stop('SIGTERM')).toBe(0);
    await two.http.post(`/api/v1/payments/public/${id}/verify`, { trxId: 'BUILT00003' });
    await two.http.post('/api/webhooks/joma', receipt('BUILT00003'), store.phone);
    await merchant.webhooksOf(id);
  });

  it('print no secret', () => {
    for (const output of [one.output(), two.output()]) {
      for (const secret of [store.apiKey, store.webhookSecret, store.signingSecret, '01700000009']) {
        expect(output).not.toContain(secret);
      }
    }
  });
});
