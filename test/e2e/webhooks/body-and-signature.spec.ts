import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 3.2, 7.3, 7.10. What stands in the body of `payment.verified`, and what it is signed with. */

const { shop } = useShop();
let merchant: MerchantReceiver;

beforeAll(async () => {
  merchant = await startMerchantReceiver();
});
afterAll(() => merchant.close());
beforeEach(() => shop.change({ webhookUrl: merchant.url }));

it('has these members in this order, with the payment as it was created and paid', async () => {
  const given = {
    ...{ customerName: 'Rahim', customerPhone: '01700000002', note: 'Order 7' },
    products: [{ name: 'Book', quantity: 1, price: 500.5, sku: { b: 1, a: 2 } }],
  };
  const { id, trxId } = await shop.paid({ amount: 500.5, ...given });
  const [{ body }] = await merchant.webhooksOf(id);
  expect(Object.keys(body)).toEqual([
    ...['event', 'paymentId', 'storeId', 'amount', 'currency', 'provider', 'trxId', 'payerNumber'],
    ...['customerName', 'customerPhone', 'note', 'products', 'verifiedAt'],
  ]);
  expect(body).toEqual({
    ...{ event: 'payment.verified', paymentId: id, storeId: shop.store.id, amount: 500.5, currency: 'BDT' },
    ...{ provider: 'bkash', trxId, payerNumber: '01700000002', ...given },
    verifiedAt: (await shop.get(id)).verifiedAt,
  });
});

it('is signed with the webhook secret, and by Standard Webhooks with the signing secret', async () => {
  const { id } = await shop.paid();
  const [{ raw, headers }] = await merchant.webhooksOf(id);
  const signature = createHmac('sha256', shop.store.webhookSecret).update(raw).digest('hex');
  expect(headers['x-service-signature']).toBe(signature);
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const standard = new Webhook(shop.store.signingSecret).sign(String(headers['webhook-id']), at, raw);
  expect(headers['webhook-signature']).toBe(standard);
});

it('is signed with the API key when the store says so', async () => {
  await shop.change({ signWith: 'api_key' });
  const { id } = await shop.paid();
  const [{ raw, headers }] = await merchant.webhooksOf(id);
  const signature = createHmac('sha256', shop.store.apiKey).update(raw).digest('hex');
  expect(headers['x-service-signature']).toBe(signature);
});
