import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Clock } from '../../../src/kernel/clock.js';
import { WebhookSender } from '../../../src/notifications/index.js';
import { PersonalRetention } from '../../../src/payments/index.js';
import { eventually } from '../../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 13.5, 13.35 to 13.52.
 *
 * Goal: shops that send what PipraPay takes move by changing an address and a key (contract 13.35).
 * Method: the real application with the extension switched on, and one without it.
 */

const KEY_HEADER = 'mh-piprapay-api-key';

/** What a receiver answers that nobody is to call. */
const DELIVERED = {
  ...{ ok: true, responseStatus: 200, durationMs: 1, error: null, responseExcerpt: null, retryAfter: null },
};

let test: TestApp;
let store: TestStore;
let receiver: MerchantReceiver;
let key: Record<string, string>;

beforeAll(async () => {
  test = await startTestApp({ environment: { EXTENSIONS: 'create-charge' } });
  store = await createStore(test.http, await signIn(test.http));
  key = { [KEY_HEADER]: store.apiKey };
  receiver = await startMerchantReceiver();
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

async function pay(
  id: string,
  trxId: string,
  amount: number,
  { http, shop } = { http: test.http, shop: store },
): Promise<void> {
  await http.post(`/api/v1/payments/public/${id}/verify`, { trxId });
  const answer = await http.post(
    '/api/webhooks/joma',
    receiptBody({ trxId, amount, counterparty: '01700000009' }),
    shop.phone,
  );
  expect(answer.body, answer.text).toMatchObject({ status: 'matched' });
}

describe('create-charge', () => {
  it('makes a payment, says what became of it, and calls its webhook with the key under the name it came with', async () => {
    const created = await test.http.post<{ pp_id: string; pp_url: string; status: boolean }>(
      '/api/create-charge',
      {
        full_name: 'Rahim Uddin',
        email_mobile: 'rahim@example.com',
        amount: '500.00',
        currency: 'BDT',
        metadata: { invoiceid: '1001', list: [1] },
        redirect_url: 'https://shop.example.com/thanks',
        cancel_url: 'https://shop.example.com/cart',
        webhook_url: receiver.url,
        return_type: 'GET',
        something: 'else',
      },
      key,
    );
    expect(created.status, created.text).toBe(200);
    const { pp_id: id, pp_url: url } = created.body;
    expect(created.body).toEqual({ status: true, pp_id: id, pp_url: url });
    expect(url.endsWith(`/pay/${id}`)).toBe(true);

    const open = {
      pp_id: id,
      full_name: 'Rahim Uddin',
      email_address: 'rahim@example.com',
      mobile_number: 'N/A',
      gateway: 'N/A',
      amount: 500,
      fee: 0,
      discount_amount: 0,
      total: 500,
      local_net_amount: 500,
      currency: 'BDT',
      local_currency: 'BDT',
      metadata: { invoiceid: '1001', list: [1] },
      sender: 'N/A',
      transaction_id: 'N/A',
      status: 'pending',
    };
    const pending = await test.http.post('/api/verify-payment', { pp_id: id }, key);
    expect(pending.body).toMatchObject(open);

    await pay(id, 'CHARGE0001', 500);
    const paid = await test.http.post(
      '/api/verify-payments',
      { pp_id: id },
      { 'mhs-piprapay-api-key': store.apiKey },
    );
    const completed = {
      ...open,
      status: 'completed',
      gateway: 'bkash',
      sender: '01700000009',
      transaction_id: 'CHARGE0001',
    };
    expect(paid.body).toMatchObject(completed);

    await receiver.waitFor(1);
    const [hook] = receiver.received;
    expect(hook!.body).toEqual(paid.body);
    expect(hook!.headers[KEY_HEADER]).toBe(store.apiKey);
    expect(hook!.headers['x-service-signature']).toBe(
      createHmac('sha256', store.webhookSecret).update(hook!.raw).digest('hex'),
    );
    new Webhook(store.signingSecret).verify(hook!.raw.toString(), hook!.headers as Record<string, string>);

    const deliveries = await eventually(
      async () =>
        (await test.http.get<{ data: { event: string; status: string }[] }>('/api/v1/deliveries', store.key))
          .body.data,
      (found) => found.some(({ status }) => status === 'delivered'),
      'the delivery',
    );
    expect(deliveries.map(({ event, status }) => [event, status]).sort()).toEqual([
      ['create-charge.completed', 'delivered'],
      ['payment.verified', 'held'],
    ]);
    const feed = await test.http.get<{ data: { event: string }[] }>('/api/v1/events', store.key);
    expect(feed.body.data.map(({ event }) => event)).toEqual(['payment.verified']);
  });

  it('takes the newer names, and forms', async () => {
    const created = await test.http.post<{ pp_id: string }>(
      '/api/checkout/redirect',
      {
        full_name: 'Karim',
        email_address: 'k@example.com',
        mobile_number: '01711111111',
        amount: 10.5,
        return_url: 'https://shop.example.com',
      },
      key,
    );
    expect(Object.keys(created.body)).toEqual(['pp_id', 'pp_url']);
    const seen = await test.http.post('/api/verify-payment', { pp_id: created.body.pp_id }, key);
    expect(seen.body).toMatchObject({ mobile_number: '01711111111', metadata: 'N/A', amount: 10.5 });
    const payment = await test.http.get(`/api/v1/payments/${created.body.pp_id}`, store.key);
    expect(payment.body).toMatchObject({ redirectUrl: 'https://shop.example.com', customerName: 'Karim' });
  });

  it('refuses a form that gives the amount twice (contract 13.52), and takes one that gives it once', async () => {
    const headers = { ...key, 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = (text: string) => test.http.request('POST', '/api/create-charge', { headers, text });
    const twice = await send('amount=500&amount=10&full_name=Karim');
    expect([twice.status, twice.text]).toEqual([400, expect.stringContaining('must be given once')]);
    expect((await send('amount=500&full_name=Karim&full_name=Rahim')).status).toBe(200);
  });

  it.each([
    ['a wrong key', {}, { [KEY_HEADER]: 'joma_sk_wrong' }],
    ['no key', {}, {}],
    ['no amount', {}, null],
    ['an amount that is none', { amount: '1e3' }, null],
    [
      'an address that may never be called',
      { amount: 1, webhook_url: 'http://169.254.169.254/latest' },
      null,
    ],
    ['a redirection that runs', { amount: 1, redirect_url: 'javascript:alert(1)' }, null],
  ])('answers %s with 400 and an error in the words of these clients', async (_name, body, headers) => {
    const answer = await test.http.post<{ error: { code: string; message: string } }>(
      '/api/create-charge',
      body,
      headers ?? key,
    );
    expect(answer.status, answer.text).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(answer.body.error.code).toMatch(/^[a-z]+\.[a-z_]+$/);
    expect(answer.body.error.message).not.toBe('');
  });

  it('answers 400 for a charge of another store', async () => {
    const other = await createStore(test.http, await signIn(test.http));
    const created = await test.http.post<{ pp_id: string }>('/api/create-charge', { amount: 5 }, key);
    const answer = await test.http.post(
      '/api/verify-payment',
      { pp_id: created.body.pp_id },
      { [KEY_HEADER]: other.apiKey },
    );
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code: 'payment.not_found' } }]);
  });

  it('stands in the document while it is on, and leaves no trace while it is off', async () => {
    const document = (await test.http.get<Document>('/api/docs/openapi.json')).body;
    expect(document.paths).toHaveProperty('/api/create-charge');
    expect(document.webhooks).toHaveProperty(['create-charge.completed']);
    const off = await startTestApp();
    try {
      expect((await off.http.post('/api/create-charge', { amount: 1 }, key)).status).toBe(404);
      const without = (await off.http.get('/api/docs/openapi.json')).text;
      expect(without).not.toContain('create-charge');
      expect(without).not.toContain('piprapay');
    } finally {
      await off.close();
    }
  });
});

interface Document {
  readonly paths: object;
  readonly webhooks: object;
}

describe('the key of the webhook of a charge', () => {
  it('goes to https alone, unless WEBHOOK_ALLOW_PRIVATE is true', async () => {
    const environment = { EXTENSIONS: 'create-charge', WEBHOOK_ALLOW_PRIVATE: 'false' };
    const strict = await startTestApp({ environment });
    try {
      const shop = await createStore(strict.http, await signIn(strict.http));
      const sent = vi.spyOn(strict.app.get(WebhookSender), 'send').mockResolvedValue(DELIVERED);
      const headersAt = async (webhookUrl: string) => {
        const charge = { amount: '5', webhook_url: webhookUrl };
        const { body } = await strict.http.post('/api/create-charge', charge, { [KEY_HEADER]: shop.apiKey });
        const trxId = `CHARGE${String(sent.mock.calls.length).padStart(4, 'X')}`;
        await pay(String(body['pp_id']), trxId, 5, { http: strict.http, shop });
        return eventually(
          () => Promise.resolve(sent.mock.calls.find(([{ url }]) => url === webhookUrl)?.[0].headers),
          (headers) => headers !== undefined,
          'the webhook',
        );
      };
      expect(await headersAt('https://shop.example.com/ipn')).toMatchObject({ [KEY_HEADER]: shop.apiKey });
      expect(await headersAt('http://shop.example.com/ipn')).not.toHaveProperty(KEY_HEADER);
    } finally {
      await strict.close();
    }
  });
});

describe('RETENTION_PERSONAL', () => {
  it('takes the customer from a charge with its payment, and leaves what is the merchant’s', async () => {
    let offsetMs = 0;
    const clock = new (class extends Clock {
      now = () => new Date(Date.now() + offsetMs);
    })();
    const own = await startTestApp({
      clock,
      environment: { EXTENSIONS: 'create-charge', RETENTION_PERSONAL: '2h' },
    });
    try {
      const shop = await createStore(own.http, await signIn(own.http));
      const headers = { [KEY_HEADER]: shop.apiKey };
      const charge = async (fullName: string) => {
        const body = {
          full_name: fullName,
          email_address: 'rahim@example.com',
          mobile_number: '01711111111',
          amount: '500.00',
          currency: 'BDT',
          metadata: { invoiceid: '1001' },
        };
        const created = await own.http.post<{ pp_id: string }>('/api/create-charge', body, headers);
        expect(created.status, created.text).toBe(200);
        return created.body.pp_id;
      };
      const read = async (id: string) =>
        (await own.http.post('/api/verify-payment', { pp_id: id }, headers)).body;
      const settled = await charge('Rahim Uddin');
      const open = await charge('Rahima Khatun');
      expect((await own.http.post(`/api/v1/payments/${settled}/cancel`, {}, shop.key)).status).toBe(200);
      expect(await read(settled)).toMatchObject({ full_name: 'Rahim Uddin', mobile_number: '01711111111' });

      offsetMs = 3 * 3_600_000;
      await own.app.get(PersonalRetention).run();
      const metadata = { invoiceid: '1001' };
      expect(await read(settled)).toMatchObject({
        full_name: 'N/A',
        email_address: 'N/A',
        mobile_number: 'N/A',
        metadata,
      });
      expect(await read(open)).toMatchObject({ full_name: 'Rahima Khatun', metadata });
    } finally {
      await own.close();
    }
  });
});
