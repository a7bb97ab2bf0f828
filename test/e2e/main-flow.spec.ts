import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { newTrxId } from '../support/money-shop.js';
import { useShop } from '../support/use-shop.js';

/*
 * Rules: contract 1.5, 3.1, 3.9, 4.15, 4.16, 4.52, 5.1, 5.4, 5.5, 5.7, 5.12, 5.18, 5.19, 6.2, 7.1, 7.2.
 *
 * Goal: what a merchant, a payer and a phone see of the main flow (specification §1).
 * Method: two replicas on one database, spoken to over HTTP in turn, and a real receiver.
 */

const { shop } = useShop();
let merchant: MerchantReceiver;

beforeAll(async () => {
  merchant = await startMerchantReceiver();
});
afterAll(() => merchant.close());
beforeEach(() => shop.change({ webhookUrl: merchant.url }));

describe('verification by TrxID', () => {
  it('submission first, receipt on the other replica: verified, and told to the merchant once, signed', async () => {
    const { id } = await shop.create({ amount: 500.5, note: 'Order 7' });
    const trxId = newTrxId();
    const submitted = await shop.submit(id, { trxId: ` ${trxId.toLowerCase()} ` });
    expect([submitted.status, submitted.body]).toEqual([202, { status: 'submitted' }]);

    const received = await shop.receipt({
      trxId,
      amount: 500.5,
      counterparty: '01700000009',
      balance: 1504.25,
    });
    expect([received.status, received.body]).toMatchObject([200, { status: 'matched', paymentId: id }]);
    expect(await shop.get(id)).toMatchObject({
      ...{ status: 'verified', provider: 'bkash', trxId, payerNumber: '01700000009' },
      ...{ receivedAmount: 500.5, simulated: false },
    });

    const [webhook, ...more] = await merchant.webhooksOf(id);
    expect(webhook.body).toMatchObject({ event: 'payment.verified', amount: 500.5, note: 'Order 7', trxId });
    const signature = createHmac('sha256', shop.store.webhookSecret).update(webhook.raw).digest('hex');
    expect(webhook.headers['x-service-signature']).toBe(signature);
    expect(more).toEqual([]);
  });

  it('receipt first, submission on the other replica: verified at once', async () => {
    const { id } = await shop.create({ redirectUrl: 'https://shop.example.com/thanks' });
    const trxId = newTrxId();
    const received = await shop.receipt({ trxId });
    expect(received.body).toMatchObject({ status: 'unmatched' });

    const submitted = await shop.submit(id, { trxId });
    expect([submitted.status, submitted.body]).toMatchObject([
      200,
      { status: 'verified', redirectUrl: 'https://shop.example.com/thanks' },
    ]);
    await merchant.webhooksOf(id);

    const again = await shop.submit(id, { trxId });
    expect([again.status, again.body]).toEqual([200, submitted.body]);
    const { receiptId } = received.body;
    expect((await shop.receipt({ trxId })).body).toMatchObject({
      status: 'duplicate',
      receiptId,
      paymentId: id,
    });
  });
});

describe('verification by Bangla QR', () => {
  it.each([
    ['receipt', '0042'],
    ['submission', '0043'],
  ])('%s first: digits and amount agree within the window, leading zeros kept', async (first, last4digit) => {
    const { id } = await shop.create({ amount: 77 });
    const send = async () => (await shop.receipt({ last4digit, amount: 77 })).body;
    if (first === 'receipt') expect((await send()).status).toBe('unmatched');
    expect((await shop.submit(id, { last4digit })).status).toBe(first === 'receipt' ? 200 : 202);
    if (first === 'submission') expect(await send()).toMatchObject({ status: 'matched', paymentId: id });
    expect(await shop.get(id)).toMatchObject({ status: 'verified', provider: 'qr', trxId: null });
    const [webhook] = await merchant.webhooksOf(id);
    expect(webhook.body).toMatchObject({ provider: 'qr', trxId: null, payerNumber: null });
  });
});

it('a simulated receipt verifies a payment, and marks it', async () => {
  const { id, trxId } = await shop.submitted({ amount: 12 });
  const simulated = await shop.simulate({ trxId, amount: 12, sender: '01700000003' });
  expect([simulated.status, simulated.body.status]).toEqual([200, 'matched']);
  expect(await shop.get(id)).toMatchObject({
    status: 'verified',
    simulated: true,
    payerNumber: '01700000003',
  });
});

describe('the payer', () => {
  it('sees what the page needs, and nothing more', async () => {
    const bkash = { provider: 'bkash', number: '01700000001', accountType: 'personal' };
    await shop.change({ name: 'Dhaka Books', wallets: [bkash, { provider: 'qr', accountType: 'merchant' }] });
    const { id } = await shop.create({
      customerPhone: '01799999999',
      metadata: { secret: 'hidden' },
      redirectUrl: 'https://shop.example.com/thanks',
    });
    const { body, text, headers } = await shop.http.get(`/api/v1/payments/public/${id}`);
    expect(body).toMatchObject({
      ...{ id, status: 'pending', amount: 500, currency: 'BDT', storeName: 'Dhaka Books', submitted: null },
      wallets: [
        { ...bkash, name: 'bKash' },
        { provider: 'qr', accountType: 'merchant' },
      ],
    });
    expect(text).not.toMatch(/01799999999|hidden|thanks|joma_/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('hears of the verification on another replica over Server-Sent Events', async () => {
    const { id } = await shop.create();
    const trxId = newTrxId();
    const abort = new AbortController();
    const { signal } = abort;
    const events = await fetch(`${shop.http.url}/api/v1/payments/public/${id}/events`, { signal });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (wanted: string) => {
      while (!text.includes(wanted)) text += (await reader?.read())?.value ?? '';
    };
    await readUntil('"pending"');
    await shop.submit(id, { trxId });
    await readUntil('"submitted"');
    await shop.receipt({ trxId });
    await readUntil('"verified"');
    abort.abort();
  });
});
