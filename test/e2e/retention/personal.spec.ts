import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PersonalRetention } from '../../../src/payments/index.js';
import { Clock } from '../../../src/kernel/clock.js';
import { eventually } from '../../support/eventually.js';
import { startMerchantReceiver, type MerchantReceiver } from '../../support/merchant-receiver.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 7.59, 14.60, 14.61, 14.63 to 14.65.
 *
 * Goal: so long after it was settled a payment names nobody any more, wherever it was written down, and everything
 * else is as it was (contract 14.60). Method: a verified payment, a clock that is moved, the API and the rows.
 */

class MovedClock extends Clock {
  private offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  advance(durationMs: number): void {
    this.offsetMs += durationMs;
  }
}

const clock = new MovedClock();
let one: TestApp;
let receiver: MerchantReceiver;
let admin: { Authorization: string };
beforeAll(async () => {
  receiver = await startMerchantReceiver();
  one = await startTestApp({ clock, environment: { RETENTION_PERSONAL: '2h' } });
  admin = await signIn(one.http);
});
afterAll(async () => {
  await one.close();
  await receiver.close();
});

async function verifiedPayment(webhookUrl: string | null, trxId: string) {
  const store = await createStore(one.http, admin, {
    webhookUrl,
    wallets: [{ provider: 'bkash', number: `017${trxId.charCodeAt(3)}00000` }],
  });
  const body = {
    amount: 500,
    customerName: 'Rahima Khatun',
    customerPhone: '01711111111',
    note: 'Order 7',
    products: [{ name: 'x', quantity: 1, price: 1.5, '10': 'ten', '2': 'two' }],
  };
  const payment = await one.http.post<{ id: string }>('/api/v1/payments', body, store.key);
  expect(payment.status, payment.text).toBe(201);
  await one.http.post(`/api/v1/payments/public/${payment.body.id}/verify`, { trxId });
  const receipt = receiptBody({ trxId, counterparty: '01799999999' }, clock.now());
  const answer = await one.http.post('/api/webhooks/joma', receipt, store.phone);
  expect(answer.body).toMatchObject({ status: 'matched' });
  return { store, id: payment.body.id };
}

const NAMED = /Rahima|01711111111|01799999999/;

describe('RETENTION_PERSONAL', () => {
  it('takes names and numbers out of all that was settled long enough ago, and leaves the rest', async () => {
    const { store, id } = await verifiedPayment(receiver.url, 'DIJ3RETAIN');
    const held = await verifiedPayment(null, 'DIJ4RETAIN');
    const deliveries = () =>
      one.http.get<{ data: { id: string; status: string; body: string }[] }>('/api/v1/deliveries', store.key);
    const [before] = (
      await eventually(deliveries, ({ body }) => body.data[0]?.status === 'delivered', 'delivered')
    ).body.data;
    const retention = one.app.get(PersonalRetention);
    await retention.run();
    expect((await one.http.get(`/api/v1/payments/${id}`, store.key)).text).toMatch(NAMED);

    clock.advance(2 * 3_600_000 + 60_000);
    await retention.run();
    const payment = await one.http.get(`/api/v1/payments/${id}`, store.key);
    expect(payment.body).toMatchObject({
      status: 'verified',
      amount: 500,
      trxId: 'DIJ3RETAIN',
      customerName: null,
      customerPhone: null,
      payerNumber: null,
    });
    for (const table of ['payments', 'receipts', 'events'])
      expect(
        JSON.stringify(await one.database.query(`SELECT * FROM ${table} WHERE store_id = '${store.id}'`)),
        table,
      ).not.toMatch(NAMED);
    const [after] = (await deliveries()).body.data;
    expect(after?.body).toBe(
      before?.body
        .replace('"Rahima Khatun"', 'null')
        .replace('"01711111111"', 'null')
        .replace('"01799999999"', 'null'),
    );
    const feed = await one.http.get('/api/v1/events', store.key);
    expect(feed.headers.get('x-joma-redacted')).toBe('true');
    // What is held goes out as it was.
    const waiting = await one.http.get('/api/v1/events', held.store.key);
    expect(waiting.text).toMatch(NAMED);
    expect(waiting.headers.get('x-joma-redacted')).toBeNull();

    const sent = receiver.received.length;
    await one.http.post(`/api/v1/deliveries/${after?.id}/redeliver`, undefined, store.key);
    const received = await receiver.waitFor(sent + 1);
    expect(received.at(-1)?.headers['x-joma-redacted']).toBe('true');
    // The same receipt again is still known.
    const again = receiptBody({ trxId: 'DIJ3RETAIN', counterparty: '01799999999' });
    const repeated = await one.http.post('/api/webhooks/joma', again, store.phone);
    expect(repeated.body).toMatchObject({ status: 'duplicate' });
  });

  it('takes them out of the phone’s messages, too: of what came, and of what went back', async () => {
    // The clock has left the token behind.
    admin = await signIn(one.http);
    const { store, id } = await verifiedPayment(null, 'DIJ5FIRST0');
    const day = '22/11/2026 10:00';
    const texts = [
      `You have received Tk 250.00 from 01799999999. Ref Rahima. Fee Tk 0.00. Balance Tk 900.00. TrxID DIJ6RETAIN at ${day}`,
      `Send Money Tk 500.00 to 01799999999 successful. Fee Tk 0.00. Balance Tk 400.00. TrxID DIJ7RETAIN at ${day}`,
    ];
    const refund = { amount: 500, provider: 'bkash', trxId: 'DIJ7RETAIN' };
    expect((await one.http.post(`/api/v1/payments/${id}/refunds`, refund, store.key)).status).toBe(201);
    const paid = await one.http.post<{ id: string }>('/api/v1/payments', { amount: 250 }, store.key);
    await one.http.post(`/api/v1/payments/public/${paid.body.id}/verify`, { trxId: 'DIJ6RETAIN' });
    // Phones send a message again; the second one is kept, too.
    for (const text of [...texts, ...texts]) {
      const answer = await one.http.post('/api/webhooks/joma/sms', { from: 'bKash', text }, store.phone);
      expect(answer.status).toBe(200);
    }
    const approve = `/api/v1/stores/${store.id}/payments/${paid.body.id}/approve`;
    await one.http.post(approve, { reason: 'It is hers.' }, await signIn(one.http));
    const rows = async () => {
      let found = '';
      for (const table of ['messages', 'receipts', 'payments']) {
        found += JSON.stringify(
          await one.database.query(`SELECT * FROM ${table} WHERE store_id = '${store.id}'`),
        );
      }
      return found;
    };
    expect(await rows()).toMatch(NAMED);
    clock.advance(2 * 3_600_000 + 60_000);
    await one.app.get(PersonalRetention).run();
    const left = await rows();
    expect(left).not.toMatch(NAMED);
    expect(left).toContain('DIJ6RETAIN');
    expect(left).toContain('DIJ7RETAIN');
  });
});
