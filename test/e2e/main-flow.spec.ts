import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { receiptBody } from '../support/receipt-body.js';

/*
 * Rules: contract 1.5, 3.1, 3.2, 3.9, 3.10, 3.12, 3.13, 4.13, 4.15, 4.16, 4.52, 5.1, 5.4, 5.5, 5.7, 5.12, 5.18, 5.19,
 * 6.2, 6.39, 6.40, 6.45, 6.46, 7.1, 7.2, 7.10.
 *
 * Goal: what a merchant, a payer and a phone see of the main flow (specification §1).
 * Method: two replicas on one database, spoken to over HTTP in turn, and a real receiver.
 */

let one: TestApp;
let two: TestApp;
let merchant: MerchantReceiver;
let admin: { Authorization: string };
let store: TestStore;

beforeAll(async () => {
  merchant = await startMerchantReceiver();
  one = await startTestApp();
  two = await startTestApp({ database: one.database });
  admin = await signIn(one.http);
  store = await createStore(one.http, admin, {
    name: 'Dhaka Books',
    webhookUrl: merchant.url,
    wallets: [
      { provider: 'bkash', number: '01700000001', accountType: 'personal' },
      { provider: 'qr', accountType: 'merchant', enabled: true },
    ],
  });
});
afterAll(async () => {
  await two.close();
  await one.close();
  await merchant.close();
});

let sequence = 0;
const nextTrxId = () => `MAIN${String((sequence += 1)).padStart(6, '0')}`;

async function createPayment(body: Record<string, unknown> = {}): Promise<string> {
  const answer = await one.http.post<{ id: string }>(
    '/api/v1/payments',
    { amount: 500.5, ...body },
    store.key,
  );
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const receipt = (trxId: string, extra: Record<string, unknown> = {}) =>
  receiptBody({ trxId, amount: 500.5, counterparty: '01700000009', balance: 1504.25, ...extra });

async function webhookOf(paymentId: string) {
  await eventually(
    () => merchant.received.some(({ body }) => body['paymentId'] === paymentId),
    Boolean,
    'the webhook',
  );
  const webhook = merchant.received.find(({ body }) => body['paymentId'] === paymentId);
  if (webhook === undefined) throw new Error('The webhook was there a moment ago.');
  return webhook;
}

describe('verification by TrxID', () => {
  it('submission first, receipt on the other replica: verified, and told to the merchant once, signed', async () => {
    const paymentId = await createPayment({
      customerName: 'Rahim',
      customerPhone: '01700000002',
      note: 'Order 7',
      products: [{ name: 'Book', quantity: 1, price: 500.5, sku: { b: 1, a: 2 } }],
    });
    const trxId = nextTrxId();
    const submitted = await one.http.post(`/api/v1/payments/public/${paymentId}/verify`, {
      trxId: ` ${trxId.toLowerCase()} `,
    });
    expect([submitted.status, submitted.body]).toEqual([202, { status: 'submitted' }]);

    const received = await two.http.post('/api/webhooks/joma', receipt(trxId), store.phone);
    expect(received.status).toBe(200);
    expect(received.body).toMatchObject({ status: 'matched', paymentId });

    const { body: payment } = await two.http.get(`/api/v1/payments/${paymentId}`, store.key);
    expect(payment).toMatchObject({
      status: 'verified',
      provider: 'bkash',
      trxId,
      payerNumber: '01700000009',
      receivedAmount: 500.5,
      simulated: false,
    });

    const webhook = await webhookOf(paymentId);
    expect(Object.keys(webhook.body)).toEqual([
      'event',
      'paymentId',
      'storeId',
      'amount',
      'currency',
      'provider',
      'trxId',
      'payerNumber',
      'customerName',
      'customerPhone',
      'note',
      'products',
      'verifiedAt',
    ]);
    expect(webhook.body).toEqual({
      event: 'payment.verified',
      paymentId,
      storeId: store.id,
      amount: 500.5,
      currency: 'BDT',
      provider: 'bkash',
      trxId,
      payerNumber: '01700000009',
      customerName: 'Rahim',
      customerPhone: '01700000002',
      note: 'Order 7',
      products: [{ name: 'Book', quantity: 1, price: 500.5, sku: { b: 1, a: 2 } }],
      verifiedAt: payment['verifiedAt'],
    });
    const signature = createHmac('sha256', store.webhookSecret).update(webhook.raw).digest('hex');
    expect(webhook.headers['x-service-signature']).toBe(signature);
    const headers = webhook.headers as Record<string, string>;
    expect(() => new Webhook(store.signingSecret).verify(webhook.raw, headers)).not.toThrow();
    expect(merchant.received.filter(({ body }) => body['paymentId'] === paymentId)).toHaveLength(1);
  });

  it('receipt first, submission on the other replica: verified at once', async () => {
    const paymentId = await createPayment({ redirectUrl: 'https://shop.example.com/thanks' });
    const trxId = nextTrxId();
    const received = await one.http.post('/api/webhooks/joma', receipt(trxId), store.phone);
    expect(received.body).toMatchObject({ status: 'unmatched' });

    const submitted = await two.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
    expect(submitted.status).toBe(200);
    expect(submitted.body).toMatchObject({
      status: 'verified',
      redirectUrl: 'https://shop.example.com/thanks',
    });
    await webhookOf(paymentId);

    const again = await one.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
    expect([again.status, again.body]).toEqual([200, submitted.body]);
    const repeated = await two.http.post('/api/webhooks/joma', receipt(trxId), store.phone);
    expect(repeated.body).toMatchObject({
      status: 'duplicate',
      receiptId: received.body['receiptId'],
      paymentId,
    });
  });

  it('signs with the API key when the store says so', async () => {
    const other = await createStore(one.http, admin, { webhookUrl: merchant.url, signWith: 'api_key' });
    const created = await one.http.post<{ id: string }>('/api/v1/payments', { amount: 10 }, other.key);
    const trxId = nextTrxId();
    await one.http.post('/api/webhooks/joma', receipt(trxId, { amount: 10 }), other.phone);
    await one.http.post(`/api/v1/payments/public/${created.body.id}/verify`, { trxId });
    const webhook = await webhookOf(created.body.id);
    expect(webhook.headers['x-service-signature']).toBe(
      createHmac('sha256', other.apiKey).update(webhook.raw).digest('hex'),
    );
  });
});

describe('verification by Bangla QR', () => {
  it('the four digits and the amount agree within the window, in either order, leading zeros kept', async () => {
    for (const [digits, receiptFirst] of [
      ['0042', true],
      ['0043', false],
    ] as const) {
      const paymentId = await createPayment({ amount: 77 });
      const send = () =>
        one.http.post('/api/webhooks/joma', receiptBody({ last4digit: digits, amount: 77 }), store.phone);
      if (receiptFirst) expect((await send()).body).toMatchObject({ status: 'unmatched' });
      const submitted = await two.http.post(`/api/v1/payments/public/${paymentId}/verify`, {
        last4digit: digits,
      });
      expect(submitted.status).toBe(receiptFirst ? 200 : 202);
      if (!receiptFirst) expect((await send()).body).toMatchObject({ status: 'matched', paymentId });
      const { body } = await one.http.get(`/api/v1/payments/${paymentId}`, store.key);
      expect(body).toMatchObject({ status: 'verified', provider: 'qr', trxId: null });
      expect((await webhookOf(paymentId)).body).toMatchObject({
        provider: 'qr',
        trxId: null,
        payerNumber: null,
      });
    }
  });
});

describe('a simulated receipt', () => {
  it('verifies a payment, and marks it', async () => {
    const paymentId = await createPayment({ amount: 12 });
    const trxId = nextTrxId();
    await one.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
    const body = {
      provider: 'bkash',
      trxId,
      amount: 12,
      sender: '01700000003',
      type: 'in',
      storeId: store.id,
    };
    const answer = await one.http.post('/api/webhooks/simulate', body, admin);
    expect([answer.status, answer.body['status']]).toEqual([200, 'matched']);
    const { body: payment } = await one.http.get(`/api/v1/payments/${paymentId}`, store.key);
    expect(payment).toMatchObject({ status: 'verified', simulated: true, payerNumber: '01700000003' });
  });

  it('is refused where the store has it switched off', async () => {
    const off = await createStore(one.http, admin);
    await one.http.request('PATCH', `/api/v1/stores/${off.id}`, {
      headers: admin,
      body: { simulationEnabled: false },
    });
    const body = {
      provider: 'bkash',
      trxId: nextTrxId(),
      amount: 12,
      sender: '01700000003',
      type: 'in',
      storeId: off.id,
    };
    const answer = await one.http.post('/api/webhooks/simulate', body, admin);
    expect([answer.status, answer.body['code']]).toEqual([403, 'simulate.disabled']);
  });

  it('is off for a new store in production', async () => {
    const production = await startTestApp({
      database: one.database,
      environment: { NODE_ENV: 'production' },
    });
    try {
      const made = await createStore(production.http, admin);
      const shown = async (id: string) =>
        (await production.http.get<{ simulationEnabled: boolean }>(`/api/v1/stores/${id}`, admin)).body;
      expect((await shown(made.id)).simulationEnabled).toBe(false);
      expect((await shown(store.id)).simulationEnabled).toBe(true);
    } finally {
      await production.close();
    }
  });

  it('asks for the store when there are several', async () => {
    const body = { provider: 'bkash', trxId: nextTrxId(), amount: 12, sender: '01700000003', type: 'in' };
    const answer = await one.http.post('/api/webhooks/simulate', body, admin);
    expect([answer.status, answer.body['code']]).toEqual([400, 'simulate.store_required']);
  });
});

describe('the payer', () => {
  it('sees what the page needs, and nothing more', async () => {
    const paymentId = await createPayment({
      customerPhone: '01799999999',
      metadata: { secret: 'hidden' },
      redirectUrl: 'https://shop.example.com/thanks',
    });
    const { body, text, headers } = await one.http.get(`/api/v1/payments/public/${paymentId}`);
    expect(body).toMatchObject({
      id: paymentId,
      status: 'pending',
      amount: 500.5,
      currency: 'BDT',
      storeName: 'Dhaka Books',
      submitted: null,
      wallets: [
        { provider: 'bkash', name: 'bKash', number: '01700000001', accountType: 'personal' },
        { provider: 'qr', accountType: 'merchant' },
      ],
    });
    expect(text).not.toMatch(/01799999999|hidden|thanks|joma_/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('hears of the verification on another replica over Server-Sent Events', async () => {
    const paymentId = await createPayment({ amount: 21 });
    const trxId = nextTrxId();
    const abort = new AbortController();
    const events = await fetch(`${one.http.url}/api/v1/payments/public/${paymentId}/events`, {
      signal: abort.signal,
    });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (wanted: string) => {
      while (!text.includes(wanted)) text += (await reader?.read())?.value ?? '';
    };
    await readUntil('"pending"');
    await two.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
    await readUntil('"submitted"');
    await two.http.post('/api/webhooks/joma', receipt(trxId, { amount: 21 }), store.phone);
    await readUntil('"verified"');
    abort.abort();
  });
});

describe('a merchant', () => {
  it('lists its payments page by page, newest first, and filters them', async () => {
    const mine = await createStore(one.http, admin);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const answer = await one.http.post<{ id: string }>(
        '/api/v1/payments',
        { amount: 5 + index, customerPhone: index === 2 ? '01711111111' : undefined },
        mine.key,
      );
      ids.unshift(answer.body.id);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/api/v1/payments?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = await two.http.get<{ data: { id: string }[]; nextCursor: string | null }>(path, mine.key);
      expect(page.status).toBe(200);
      seen.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids);

    await one.http.post(`/api/v1/payments/${ids[0]}/cancel`, undefined, mine.key);
    const cancelled = await one.http.get<{ data: { id: string }[] }>(
      '/api/v1/payments?status=cancelled',
      mine.key,
    );
    expect(cancelled.body.data.map(({ id }) => id)).toEqual([ids[0]]);
    const byPhone = await one.http.get<{ data: { id: string }[] }>(
      '/api/v1/payments?customerPhone=01711111111',
      mine.key,
    );
    expect(byPhone.body.data.map(({ id }) => id)).toEqual([ids[2]]);
  });

  it('lists what was verified between two instants, with the receipt that is attached', async () => {
    const mine = await createStore(one.http, admin);
    const shown = (query: string) =>
      one.http.get<{ data: { id: string; receiptId: string | null; verifiedAt: string }[] }>(
        `/api/v1/payments?${query}`,
        mine.key,
      );
    const create = () => one.http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, mine.key);
    const [paid, open] = [await create(), await create()];
    const submission = { provider: 'bkash', trxId: 'VERIFIEDAT1' };
    await one.http.post(`/api/v1/payments/public/${paid.body.id}/verify`, submission);
    const receipt = await one.http.post<{ id: string; status: string }>(
      '/api/webhooks/simulate',
      {
        storeId: mine.id,
        provider: 'bkash',
        amount: 500,
        sender: '01700000002',
        type: 'in',
        trxId: 'VERIFIEDAT1',
      },
      admin,
    );
    expect([receipt.status, receipt.body.status]).toEqual([200, 'matched']);
    const all = (await shown('limit=10')).body.data;
    expect(all.map(({ id, receiptId }) => [id, receiptId])).toEqual([
      [open.body.id, null],
      [paid.body.id, expect.any(String)],
    ]);
    const at = all[1]!.verifiedAt;
    const before = new Date(Date.parse(at) - 1).toISOString();
    const after = new Date(Date.parse(at) + 1).toISOString();
    const found = async (query: string) => (await shown(query)).body.data.map(({ id }) => id);
    expect(await found(`verifiedFrom=${at}&verifiedTo=${at}`)).toEqual([paid.body.id]);
    expect(await found(`verifiedFrom=${before}`)).toEqual([paid.body.id]);
    expect(await found(`verifiedFrom=${after}`)).toEqual([]);
    expect(await found(`verifiedTo=${before}`)).toEqual([]);
  });

  it('never reaches another store', async () => {
    const stranger = await createStore(one.http, admin);
    const paymentId = await createPayment();
    expect((await one.http.get(`/api/v1/payments/${paymentId}`, stranger.key)).status).toBe(404);
    expect(
      (await one.http.post(`/api/v1/payments/${paymentId}/cancel`, undefined, stranger.key)).status,
    ).toBe(404);
    const trxId = nextTrxId();
    await one.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId });
    const received = await one.http.post('/api/webhooks/joma', receipt(trxId), stranger.phone);
    expect(received.body).toMatchObject({ status: 'unmatched' });
  });

  it('loses the old API key at once on every replica, and nobody else does', async () => {
    const mine = await createStore(one.http, admin);
    expect((await two.http.get('/api/v1/payments', mine.key)).status).toBe(200);
    const rotated = await one.http.post<{ apiKey: string }>(
      `/api/v1/stores/${mine.id}/api-key/rotate`,
      undefined,
      admin,
    );
    expect(rotated.status).toBe(200);
    expect((await two.http.get('/api/v1/payments', mine.key)).status).toBe(401);
    expect((await two.http.get('/api/v1/payments', { 'X-Api-Key': rotated.body.apiKey })).status).toBe(200);
    expect((await two.http.get('/api/v1/payments', store.key)).status).toBe(200);
  });
});
