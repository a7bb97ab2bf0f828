import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.3 to 3.5, 3.12, 3.13, 7.4, 7.7, 7.8.
 *
 * Goal: `products` and `metadata` come back exactly as they were sent, wherever they are shown (specification §2.2,
 * contract 3.4). Method: bodies are sent, and answers compared, as text; parsing either would hide what JSON.parse
 * changes.
 */

const { shop } = useShop();
let receiver: MerchantReceiver;

beforeEach(async () => {
  receiver = await startMerchantReceiver();
  await shop.change({ webhookUrl: receiver.url });
});
afterEach(() => receiver.close());

const PRODUCTS: Readonly<Record<string, string>> = {
  'an empty list': '[]',
  'the order of keys, also of those that look like numbers':
    '[{"10":"ten","price":500,"2":"two","name":"Sonar Tori","1":"one","quantity":1,"-1":0,"01":1}]',
  'numbers as they are spelt':
    '[{"name":"a","quantity":1.0,"price":10.50},{"name":"b","quantity":1e1,"price":1E+2,"weight":12345678901234567890.10,"tiny":-0.0,"far":1e400}]',
  'further keys at any depth':
    '[{"name":"a","quantity":1,"price":0,"options":{"b":[null,true,{"3":3.00,"2":[]}],"a":{}}}]',
  'text of any script, and escapes':
    '[{"name":"বই “সোনার তরী” 📚","quantity":1,"price":0,"note":"\\u00e9\\/\\ud83d\\ude00\\n\\"quoted\\" \\\\"}]',
  'words that mean something to JavaScript':
    '[{"name":"toJSON","quantity":1,"price":0,"toJSON":1,"then":"x","length":0,"hasOwnProperty":false,"$1":"$&"}]',
};

const METADATA: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'keys in any order, numbers as they are spelt':
    '{"10":"ten","2":2.0,"1":true,"big":12345678901234567890,"e":1E2,"z":-0,"a":"$& $1 \\u09ac"}',
  'forty characters and five hundred': `{"${'ক'.repeat(40)}":"${'😀'.repeat(500)}"}`,
};

function sendText(text: string, headers: Record<string, string> = {}) {
  return shop.http.request<PaymentAnswer>('POST', '/api/v1/payments', {
    text,
    headers: { ...shop.store.key, ...headers },
  });
}

async function readText(path: string, headers?: Record<string, string>): Promise<string> {
  const { status, text } = await shop.http.get(path, headers);
  expect(status).toBe(200);
  return text;
}

async function pay(id: string): Promise<void> {
  const trxId = newTrxId();
  await shop.receipt({ trxId });
  expect((await shop.submit(id, { trxId })).body.status).toBe('verified');
}

describe('products', () => {
  it.each(Object.entries(PRODUCTS))('keep %s', async (_what, products) => {
    const created = await sendText(`{"amount":500,"products":${products}}`, { 'Idempotency-Key': 'one' });
    expect([created.status, created.headers.get('content-type')]).toEqual([
      201,
      'application/json; charset=utf-8',
    ]);
    const { id } = created.body;
    const member = `"products":${products}`;
    expect(created.text).toContain(member);
    await pay(id);
    const user = await shop.admin();
    const store = `/api/v1/stores/${shop.store.id}`;
    const [webhook] = await receiver.waitFor(1);
    const [event] = await shop.events();
    const [delivery] = (
      await shop.http.get<{ data: { body: string }[] }>('/api/v1/deliveries', shop.store.key)
    ).body.data;
    for (const text of [
      await readText(`/api/v1/payments/${id}`, shop.store.key),
      await readText('/api/v1/payments', shop.store.key),
      await readText(`/api/v1/payments/public/${id}`),
      await readText(`${store}/payments/${id}`, user),
      await readText(`${store}/payments`, user),
      webhook!.raw.toString('utf8'),
      event!.body,
      delivery!.body,
    ]) {
      expect(text).toContain(member);
    }
    const replayed = await sendText(`{"amount":500,"products":${products}}`, { 'Idempotency-Key': 'one' });
    expect([replayed.headers.get('idempotency-replayed'), replayed.text]).toEqual(['true', created.text]);
  });

  it('and all the rest are everybody’s own when many are created at the same moment', async () => {
    const bodies = Array.from({ length: 60 }, (_, index) => {
      const products = Object.values(PRODUCTS)[index % Object.keys(PRODUCTS).length]!;
      const metadata = Object.values(METADATA)[index % Object.keys(METADATA).length]!;
      const rest = {
        amount: index + 0.01,
        note: `Order ${index} "\\ \u2028 বই`,
        customerName: `Customer ${index}`,
        customerPhone: index % 2 === 0 ? null : `0171${index}`,
        provider: index % 3 === 0 ? 'bkash' : null,
        redirectUrl: index % 5 === 0 ? `https://shop.example/${index}` : null,
        expiresInSeconds: 60 + index,
      };
      return `${JSON.stringify(rest).slice(0, -1)},"products":${products},"metadata":${metadata}}`;
    });
    const created = await Promise.all(bodies.map((body) => sendText(body)));
    expect(created.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    const read = await Promise.all(
      created.map(({ body }) => readText(`/api/v1/payments/${body.id}`, shop.store.key)),
    );
    expect(read).toEqual(created.map(({ text }) => text));
    for (const [index, { text }] of created.entries()) expect(text).toContain(`"amount":${index + 0.01},`);
  });

  it('are left out everywhere when none were given', async () => {
    for (const body of ['{"amount":500}', '{"amount":500,"products":null}']) {
      const { body: payment, text } = await sendText(body);
      await pay(payment.id);
      expect(text).not.toContain('products');
      expect(await readText(`/api/v1/payments/${payment.id}`, shop.store.key)).not.toContain('products');
      expect(await readText(`/api/v1/payments/public/${payment.id}`)).not.toContain('products');
    }
    for (const { raw } of await receiver.waitFor(2)) expect(raw.toString('utf8')).not.toContain('products');
  });

  it('are the ones of the body, not of a text or an object inside it', async () => {
    const body =
      '{"note":"\\"products\\":[9]","metadata":{"products":"[8]"},"products" :\n [ {"name":"a", "quantity" : 1,"price":0 } ] ,"amount":500}';
    const { text } = await sendText(body);
    expect(text).toContain('"products":[{"name":"a","quantity":1,"price":0}]');
  });

  it('may be a hundred, in a body of exactly 64 KiB', async () => {
    const products = Array.from({ length: 100 }, (_, index) => ({ name: `${index}`, quantity: 1, price: 0 }));
    const body = JSON.stringify({ amount: 500, products, note: '' });
    const padded = body.replace(
      '"quantity":1',
      `"pad":"${'x'.repeat(65_536 - body.length - 9)}","quantity":1`,
    );
    expect(Buffer.byteLength(padded)).toBe(65_536);
    expect((await sendText(padded)).status).toBe(201);
    expect((await sendText(`${padded} `)).status).toBe(413);
  });
});

describe('metadata', () => {
  it.each(Object.entries(METADATA))('keeps %s', async (_what, metadata) => {
    const { status, text, body } = await sendText(`{"amount":500,"metadata":${metadata}}`);
    expect(status).toBe(201);
    const member = `"metadata":${metadata}`;
    expect(text).toContain(member);
    expect(await readText(`/api/v1/payments/${body.id}`, shop.store.key)).toContain(member);
    expect(await readText('/api/v1/payments', shop.store.key)).toContain(member);
    // The payer and the merchant's endpoint never see it (contract 5.7, specification §2.2).
    expect(await readText(`/api/v1/payments/public/${body.id}`)).not.toContain('metadata');
    await pay(body.id);
    const [webhook] = await receiver.waitFor(1);
    expect(webhook!.body).not.toHaveProperty('metadata');
  });

  it('is null when none was given', async () => {
    expect((await sendText('{"amount":500}')).text).toContain('"metadata":null');
    expect((await sendText('{"amount":500,"metadata":null}')).text).toContain('"metadata":null');
  });
});

describe('the event', () => {
  it('has exactly the keys of the specification, in their order, unknown ones null', async () => {
    const { body } = await sendText('{"amount":10.50,"products":[],"customerName":"Rahim","note":"Order 1"}');
    const trxId = newTrxId();
    await shop.submit(body.id, { trxId });
    await shop.receipt({ trxId, amount: 10.5, counterparty: '0170****002' });
    const [webhook] = await receiver.waitFor(1);
    const { verifiedAt } = await shop.get(body.id);
    expect(webhook!.raw.toString('utf8')).toBe(
      `{"event":"payment.verified","paymentId":"${body.id}","storeId":"${shop.store.id}","amount":10.5,"currency":"BDT",` +
        `"provider":"bkash","trxId":"${trxId}","payerNumber":"0170****002","customerName":"Rahim","customerPhone":null,` +
        `"note":"Order 1","products":[],"verifiedAt":"${verifiedAt}"}`,
    );
  });

  it('of a Bangla QR payment has null for what the message does not say', async () => {
    const { body } = await sendText('{"amount":500}');
    await shop.receipt({ last4digit: '0042' });
    await shop.submit(body.id, { last4digit: '0042' });
    const [webhook] = await receiver.waitFor(1);
    expect(webhook!.body).toMatchObject({ provider: 'qr', trxId: null, payerNumber: null, note: null });
  });
});
