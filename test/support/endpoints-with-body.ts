import type { Headers, Problem } from './bad-input.js';
import type { HttpAnswer } from './http-client.js';
import { type MoneyService, newTrxId, type Shop } from './money-shop.js';
import { receiptBody } from './receipt-body.js';
import { createUser } from './test-app.js';

/** An operation that takes a JSON body, and one that it takes. */
export interface Endpoint {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Headers;
  /** Makes a body that the operation takes, a new one at each call. */
  readonly valid: () => Record<string, unknown>;
  /** Fields that may be left out but are not in `valid`. */
  readonly optional?: Record<string, unknown>;
  /** The operation takes fields that it does not know. */
  readonly tolerant?: true;
  /** The operation takes a body without any field. */
  readonly needsNothing?: true;
  /** The operation takes no body at all, and null. */
  readonly mayBeLeftOut?: true;
  send(body: unknown): Promise<HttpAnswer<Problem>>;
  sendText(text: string, headers?: Headers): Promise<HttpAnswer<Problem>>;
}

export const ENDPOINT_NAMES = [
  'create a payment',
  'submit a TrxID',
  'forward a receipt',
  'heartbeat',
  'simulate a receipt',
  'create a store',
  'change a store',
  'approve',
  'reject',
  'match a receipt',
  'replay deliveries',
  'sign in',
  'refresh',
  'sign out',
  'change the password',
  'create a user',
  'change a user',
  'start a second factor',
  'confirm a second factor',
  'remove a second factor',
  'add a member',
  'change a member',
  'cancel a payment',
  'cancel a payment of a store',
  'create a payment of a store',
  'void a receipt',
  'restore a receipt',
  'record a refund',
  'record a refund of a store',
  'create a link',
  'create a link of a store',
  'change a link',
  'change a link of a store',
  'try a text',
] as const;
export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/** Lists the operations, and makes in the shop what they need: a payment, a receipt, a member, a user. */
export async function listEndpoints(
  service: MoneyService,
  shop: Shop,
): Promise<Record<EndpointName, Endpoint>> {
  const admin = await shop.admin();
  const { key, phone, id: storeId } = shop.store;
  const payment = await shop.create({ amount: 1, expiresInSeconds: 86_400 });
  const receipt = await shop.receipt({ trxId: newTrxId(), amount: 2 });
  const other = await service.openShop();
  const user = await createUser(shop.http, admin, { email: 'target@example.com' });
  const of = (
    method: Endpoint['method'],
    path: string,
    headers: Headers,
    valid: () => Record<string, unknown>,
    more: Pick<Endpoint, 'optional' | 'tolerant' | 'needsNothing' | 'mayBeLeftOut'> = {},
  ): Endpoint => ({
    ...{ method, path, headers, valid, ...more },
    send: (body) => shop.http.request<Problem>(method, path, { headers, body }),
    sendText: (text, further = {}) =>
      shop.http.request<Problem>(method, path, { headers: { ...headers, ...further }, text }),
  });
  const reason = 'The customer called.';
  let users = 0;
  const store = `/api/v1/stores/${storeId}`;
  const member = { email: 'target@example.com', role: 'viewer' };
  await shop.http.post(`${store}/members`, member, admin);
  const paid = await shop.create({ amount: 900 });
  const trxId = newTrxId();
  await shop.submit(paid.id, { trxId });
  await shop.receipt({ trxId, amount: 900 });
  const open = await shop.create({ amount: 4 });
  const link = await shop.http.post<{ id: string }>('/api/v1/payment-links', { title: 'Tea' }, key);
  const newPayment = {
    currency: 'BDT',
    provider: 'bkash',
    customerName: 'Rahim',
    customerPhone: '01700000002',
    note: 'Order 1001',
    products: [{ name: 'a', quantity: 1, price: 1 }],
    metadata: { orderId: '1001' },
    redirectUrl: 'https://shop.example.com/thanks',
    cancelUrl: 'https://shop.example.com/cart',
    expiresInSeconds: 600,
  };
  const newLink = {
    amount: 5,
    note: 'Tea',
    products: newPayment.products,
    metadata: newPayment.metadata,
    provider: 'bkash',
    redirectUrl: newPayment.redirectUrl,
    maxPayments: 3,
    askName: true,
    askPhone: true,
  };
  const refund = { reason, provider: 'bkash', trxId: newTrxId(), sentAt: '2026-11-20T00:00:00Z' };
  const changes = { note: 'Tea', redirectUrl: null, maxPayments: 3, expiresAt: null, active: true };
  const ending = {
    optional: { receiptId: receipt.body.receiptId },
    needsNothing: true as const,
    mayBeLeftOut: true as const,
  };
  return {
    'create a payment': of('POST', '/api/v1/payments', key, () => ({ amount: 500 }), {
      optional: newPayment,
    }),
    'create a payment of a store': of('POST', `${store}/payments`, admin, () => ({ amount: 500 }), {
      optional: newPayment,
    }),
    'start a second factor': of('POST', '/api/v1/auth/second-factor', admin, () => ({
      currentPassword: 'not the right one',
    })),
    'confirm a second factor': of('POST', '/api/v1/auth/second-factor/confirm', admin, () => ({
      code: '123456',
    })),
    'remove a second factor': of('DELETE', '/api/v1/auth/second-factor', admin, () => ({ code: '123456' }), {
      optional: { recoveryCode: 'ABCD-EFGH-IJKL-MNOP' },
      // That one of the two is there is asked once there is a second factor.
      needsNothing: true,
    }),
    'add a member': of('POST', `${store}/members`, admin, () => member),
    'change a member': of('PATCH', `${store}/members/${user.id}`, admin, () => ({ role: 'viewer' })),
    'cancel a payment': of(
      'POST',
      `/api/v1/payments/${open.id}/cancel`,
      key,
      () => ({ receipt: 'release' }),
      ending,
    ),
    'cancel a payment of a store': of(
      'POST',
      `${store}/payments/${open.id}/cancel`,
      admin,
      () => ({ receipt: 'release' }),
      ending,
    ),
    'void a receipt': of('POST', `${store}/receipts/${receipt.body.receiptId}/void`, admin, () => ({
      reason,
    })),
    'restore a receipt': of('POST', `${store}/receipts/${receipt.body.receiptId}/restore`, admin, () => ({
      reason,
    })),
    'record a refund': of('POST', `/api/v1/payments/${paid.id}/refunds`, key, () => ({ amount: 0.01 }), {
      optional: refund,
    }),
    'record a refund of a store': of(
      'POST',
      `${store}/payments/${paid.id}/refunds`,
      admin,
      () => ({ amount: 0.01 }),
      { optional: refund },
    ),
    'create a link': of('POST', '/api/v1/payment-links', key, () => ({ title: 'Tea' }), {
      optional: newLink,
    }),
    'create a link of a store': of('POST', `${store}/payment-links`, admin, () => ({ title: 'Tea' }), {
      optional: newLink,
    }),
    'change a link': of('PATCH', `/api/v1/payment-links/${link.body.id}`, key, () => ({ title: 'Tea' }), {
      ...{ optional: changes, needsNothing: true },
    }),
    'change a link of a store': of(
      'PATCH',
      `${store}/payment-links/${link.body.id}`,
      admin,
      () => ({ title: 'Tea' }),
      { optional: changes, needsNothing: true },
    ),
    'try a text': of('POST', '/api/v1/sms/parse', admin, () => ({ sender: 'bKash', text: 'Tk 5' }), {
      optional: { accountType: 'personal' },
    }),
    'submit a TrxID': of(
      'POST',
      `/api/v1/payments/public/${payment.id}/verify`,
      {},
      () => ({ trxId: 'BADINPUT' }),
      {
        optional: { provider: 'bkash' },
      },
    ),
    'forward a receipt': of(
      'POST',
      '/api/webhooks/joma',
      phone,
      () => receiptBody({ trxId: newTrxId() }, service.clock.now()),
      { optional: { balance: 5.5, currency: 'BDT', last4digit: '0042' }, tolerant: true },
    ),
    heartbeat: of('POST', '/api/webhooks/joma/heartbeat', phone, () => ({ app: 'joma-phone' }), {
      optional: { battery: 87, pending: 0 },
      tolerant: true,
    }),
    'simulate a receipt': of(
      'POST',
      '/api/webhooks/simulate',
      admin,
      () => ({ storeId, provider: 'bkash', trxId: newTrxId(), amount: 3, sender: '01700000002', type: 'in' }),
      { optional: { last4digit: '0042' } },
    ),
    'create a store': of('POST', '/api/v1/stores', admin, () => ({ name: 'Bad input' }), {
      optional: {
        webhookUrl: null,
        currency: 'BDT',
        signWith: 'api_key',
        wallets: [
          {
            provider: 'bkash',
            number: '01700000001',
            accountType: 'personal',
            qrPayload: null,
            enabled: true,
          },
        ],
      },
    }),
    'change a store': of('PATCH', `/api/v1/stores/${other.store.id}`, admin, () => ({ name: 'Other' }), {
      optional: { simulationEnabled: true, currency: 'BDT', signWith: 'api_key', wallets: [] },
      needsNothing: true,
    }),
    approve: of(
      'POST',
      `/api/v1/stores/${storeId}/payments/${payment.id}/approve`,
      admin,
      () => ({ reason }),
      { optional: { receiptId: receipt.body.receiptId } },
    ),
    reject: of('POST', `/api/v1/stores/${storeId}/payments/${payment.id}/reject`, admin, () => ({ reason })),
    'match a receipt': of(
      'POST',
      `/api/v1/stores/${storeId}/receipts/${receipt.body.receiptId}/match`,
      admin,
      () => ({ paymentId: storeId, reason }),
    ),
    'replay deliveries': of(
      'POST',
      `/api/v1/stores/${storeId}/deliveries/replay`,
      admin,
      () => ({ since: '2026-11-20T00:00:00Z' }),
      { optional: { until: '2026-11-21T00:00:00Z', only: 'failed' } },
    ),
    'sign in': of('POST', '/api/v1/auth/login', {}, () => ({
      email: 'nobody@example.com',
      password: 'wrong',
    })),
    refresh: of('POST', '/api/v1/auth/refresh', {}, () => ({ refreshToken: 'unknown' })),
    'sign out': of('POST', '/api/v1/auth/logout', {}, () => ({ refreshToken: 'unknown' })),
    'change the password': of('POST', '/api/v1/auth/password', admin, () => ({
      currentPassword: 'not the right one',
      newPassword: 'seven green boats',
    })),
    'create a user': of('POST', '/api/v1/users', admin, () => ({
      email: `person${(users += 1)}@example.com`,
      password: 'seven green boats',
      name: 'Rahima',
      role: 'merchant',
    })),
    'change a user': of('PATCH', `/api/v1/users/${user.id}`, admin, () => ({ name: 'Target' }), {
      optional: { active: true, role: 'merchant' },
      needsNothing: true,
    }),
  };
}
