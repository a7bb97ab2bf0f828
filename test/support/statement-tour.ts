import { Client } from 'pg';
import { vi } from 'vitest';
import { PaymentsSweep } from '../../src/payments/intake/payments.sweep.js';
import { PersonalRetention } from '../../src/payments/payments/personal-retention.js';
import { Retention } from '../../src/notifications/retention.js';
import { DashboardBrowser } from './dashboard-browser.js';
import { eventually } from './eventually.js';
import type { MerchantReceiver } from './merchant-receiver.js';
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  createStore,
  signIn,
  type TestApp,
  type TestStore,
} from './test-app.js';
import { receiptBody } from './receipt-body.js';

/** A statement of the service, and the values it was asked with the first time. */
export interface Asked {
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
  /** What its transaction forbids the planner (`TransactionOptions`). */
  readonly settings: readonly string[];
}

const PLANNER_SETTING = /SET LOCAL (?:enable_|join_)\w+ = \w+/g;

/**
 * Keeps every statement that this process asks from now on, by its name or text. One without a name may differ in its
 * conditions only, so each text is kept. `vi.restoreAllMocks` ends it.
 */
export function collectStatements(): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  const settings = new WeakMap<Client, string[]>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the client it was called on
  const query = Client.prototype.query as (this: Client, ...parameters: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [first, second] = parameters;
    const config = typeof first === 'string' ? { text: first, values: second } : first;
    const { name = null, text, values } = config as { name?: string; text?: unknown; values?: unknown };
    if (typeof text === 'string') {
      if (text.startsWith('BEGIN')) settings.set(this, text.match(PLANNER_SETTING) ?? []);
      const given = Array.isArray(values) ? values : [];
      const isOne = Array.isArray(values) || !text.includes(';');
      if (isOne && !asked.has(name ?? text))
        asked.set(name ?? text, { name, text, values: given, settings: settings.get(this) ?? [] });
    }
    return query.apply(this, parameters) as never;
  });
  return asked;
}

/** A store with a wallet, whose webhooks go to a receiver. */
export async function storeToTour(
  test: TestApp,
  merchant: MerchantReceiver,
): Promise<{ store: TestStore; admin: { Authorization: string } }> {
  const admin = await signIn(test.http);
  const wallets = [{ provider: 'bkash', number: '01700000001', accountType: 'personal' }];
  return { store: await createStore(test.http, admin, { webhookUrl: merchant.url, wallets }), admin };
}

interface Tour {
  readonly test: TestApp;
  readonly merchant: MerchantReceiver;
  readonly store: TestStore;
  readonly admin: { Authorization: string };
}

const receipt = (trxId: string | undefined, extra: Record<string, unknown> = {}) =>
  receiptBody({ trxId, ...extra });

async function create(
  { test, store }: Tour,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await test.http.post<{ id: string }>(
    '/api/v1/payments',
    { amount: 500, ...body },
    { ...store.key, ...headers },
  );
  if (answer.status !== 201) throw new Error(`A payment was answered ${answer.status}.`);
  return answer.body.id;
}

const forward = ({ test, store }: Tour, body: unknown) =>
  test.http.post<{ receiptId: string }>('/api/webhooks/joma', body, store.phone);
const enter = ({ test }: Tour, id: string, body: unknown) =>
  test.http.post(`/api/v1/payments/public/${id}/verify`, body);
async function asUser({ test, store, admin }: Tour, path: string, body?: unknown) {
  const answer = await test.http.post<{ id: string }>(`/api/v1/stores/${store.id}${path}`, body, admin);
  if (answer.status >= 400) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  return answer;
}

/**
 * Through what reads or writes for one store: payments, submissions, receipts, review, lists, refunds. What it
 * answers is the matter of other tests. Answers a payment that is verified.
 */
export async function tourOf(tour: Tour): Promise<string> {
  const { test, merchant, store, admin } = tour;
  const verified = await create(tour, { customerPhone: '01700000002' });
  await enter(tour, verified, { trxId: 'PART000001' });
  await forward(tour, receipt('PART000001'));
  await forward(tour, receipt('PART000001'));
  await eventually(() => merchant.received.length, Boolean, 'the webhook');
  const late = await create(tour);
  await forward(tour, receipt('PART000002', { amount: 400 }));
  await enter(tour, late, { trxId: 'PART000002' });
  await asUser(tour, `/payments/${late}/approve`, { reason: 'The rest came in cash.' });
  const rejected = await create(tour);
  await enter(tour, rejected, { trxId: 'PART000003' });
  await forward(tour, receipt('PART000003', { amount: 700 }));
  await asUser(tour, `/payments/${rejected}/reject`, { reason: 'Not ours.' });
  const cancelled = await create(tour);
  await test.http.post(`/api/v1/payments/${cancelled}/cancel`, undefined, store.key);
  await create(tour, { amount: 7 }, { 'Idempotency-Key': 'once' });
  for (const id of [verified, late]) {
    await test.http.get(`/api/v1/payments/${id}`, store.key);
    await test.http.get(`/api/v1/payments/public/${id}`);
    await test.http.get(`/pay/${id}`);
  }
  const filters = ['status=verified', 'provider=bkash', 'trxId=PART000001', 'customerPhone=01700000002'];
  for (const filter of [...filters, 'limit=1']) await test.http.get(`/api/v1/payments?${filter}`, store.key);
  for (const path of ['/payments', '/receipts', '/deliveries', '/messages', '/refunds', '/audit-log'])
    await test.http.get(`/api/v1/stores/${store.id}${path}`, admin);
  await test.http.get('/api/v1/events', store.key);
  await test.http.get('/api/v1/deliveries?status=delivered', store.key);
  await test.http.post(`/api/v1/payments/${verified}/refunds`, { amount: 100 }, store.key);
  await test.http.get(`/api/v1/payments/${verified}/refunds`, store.key);
  return verified;
}

/**
 * The rest of it: every filter and the pages behind the first, QR, messages, links, replays, the dashboard, and what
 * sweeps.
 */
export async function tourOfTheRest(tour: Tour, verified: string): Promise<void> {
  await tourOfLists(tour, verified);
  await tourOfMoney(tour);
  await tourOfRefunds(tour, verified);
  await tourOfLinks(tour);
  await tourOfDeliveries(tour);
  await tourOfDashboard(tour, verified);
  await tourOfDays(tour);
  await tourOfSweeps(tour);
}

async function tourOfLists({ test, store, admin }: Tour, verified: string): Promise<void> {
  const statuses = ['pending', 'submitted', 'verified', 'review', 'expired', 'cancelled'];
  const today = new Date().toISOString();
  const queries = {
    '/payments': [
      ...[...statuses.map((status) => `status=${status}`), 'provider=nagad', 'trxId=NOSUCH0001'],
      ...['customerPhone=01700000002', `paymentLinkId=${verified}`],
      ...[`createdFrom=${today}`, `createdTo=${today}`],
      ...[`verifiedFrom=${today}`, `verifiedTo=${today}`],
      ...['metadata.orderId=1001', 'metadata.orderId=none', 'metadata.orderId=1001&metadata.branch=2'],
    ],
    '/receipts': ['unmatched', 'matched', 'review', 'void', 'ignored'].map((status) => `status=${status}`),
    '/messages': ['receipt', 'ignored', 'unread'].map((status) => `status=${status}`),
    '/deliveries': [
      ...['pending', 'delivered', 'failed', 'held'].map((status) => `status=${status}`),
      `paymentId=${verified}`,
    ],
    [`/payments/${verified}/refunds`]: [],
    '/payment-links': ['limit=2'],
  };
  for (const [path, filters] of Object.entries(queries))
    for (const filter of ['limit=5', ...filters]) {
      const first = await pageOf(test, `/api/v1/stores/${store.id}${path}?${filter}`, admin);
      if (first !== null)
        await pageOf(test, `/api/v1/stores/${store.id}${path}?${filter}&cursor=${first}`, admin);
    }
  const next = await pageOf(test, '/api/v1/events?limit=5', store.key);
  await pageOf(test, `/api/v1/events?after=${next}`, store.key);
}

/** The cursor of the next page, if there is one. */
async function pageOf(test: TestApp, path: string, headers: Record<string, string>): Promise<string | null> {
  const answer = await test.http.get<{ nextCursor: string | null }>(path, headers);
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body.nextCursor;
}

async function tourOfMoney(tour: Tour): Promise<void> {
  const { test, store, admin } = tour;
  await enter(tour, await create(tour), { last4digit: '4321' });
  await forward(tour, receipt(undefined, { last4digit: '4321', provider: undefined }));
  // Two that could each have it: a user decides, and the other is left with what it has entered.
  for (const id of [await create(tour), await create(tour)]) await enter(tour, id, { last4digit: '8765' });
  await forward(tour, receipt(undefined, { last4digit: '8765', provider: undefined }));
  const reviewed = await test.http.get<{ data: { id: string }[] }>(
    `/api/v1/stores/${store.id}/payments?status=review&limit=1`,
    admin,
  );
  await asUser(tour, `/payments/${reviewed.body.data[0]?.id}/approve`, { reason: 'It is his.' });
  const mistyped = await create(tour);
  await enter(tour, mistyped, { trxId: 'PART0000I0', provider: 'bkash' });
  await test.http.get(`/api/v1/payments/public/${mistyped}`);
  const free = await forward(tour, receipt('PART000009', { amount: 811 }));
  await asUser(tour, `/receipts/${free.body.receiptId}/void`, { reason: 'Went back.' });
  await asUser(tour, `/receipts/${free.body.receiptId}/restore`, { reason: 'It did not.' });
  const missed = await create(tour, { amount: 811 });
  await asUser(tour, `/receipts/${free.body.receiptId}/match`, { paymentId: missed, reason: 'His.' });
  await test.http.get(`/api/v1/stores/${store.id}/receipts/${free.body.receiptId}`, admin);
  const text =
    'You have received Tk 500.00 from 01700000009. Fee Tk 0.00. Balance Tk 900.00. TrxID PART00000S at';
  await test.http.post('/api/webhooks/joma/sms', { from: 'bKash', text, sentStamp: Date.now() }, store.phone);
  const messages = `/api/v1/stores/${store.id}/messages`;
  const { body } = await test.http.get<{ data: { id: string }[] }>(`${messages}?limit=1`, admin);
  await test.http.get(`${messages}/${body.data[0]?.id}`, admin);
  await asUser(tour, '/messages/reread');
  await test.http.request('PATCH', `/api/v1/stores/${store.id}`, {
    headers: admin,
    body: { uniqueAmounts: true, receiptChecks: 'review' },
  });
  const own = await create(tour);
  await enter(tour, own, { trxId: 'PART00000U' });
  await forward(tour, receipt('PART00000U', { balance: 12_000 }));
}

async function tourOfRefunds(tour: Tour, verified: string): Promise<void> {
  const back = { amount: 50, provider: 'bkash', trxId: 'PARTBACK01' };
  await asUser(tour, `/payments/${verified}/refunds`, back);
  await forward(tour, receipt('PARTBACK01', { kind: 'sent', amount: 50 }));
  await forward(tour, receipt('PARTBACK02', { kind: 'sent', amount: 60 }));
  await asUser(tour, `/payments/${verified}/refunds`, { ...back, trxId: 'PARTBACK02', amount: 60 });
}

/** A link, its page and what the form of it makes. */
async function tourOfLinks(tour: Tour): Promise<void> {
  const { test, store, admin } = tour;
  const link = await asUser(tour, '/payment-links', {
    ...{ title: 'Tea', amount: 40, maxPayments: 100, slug: 'tea' },
  });
  await test.http.get(`/api/v1/stores/${store.id}/payment-links/${link.body.id}`, admin);
  const { text } = await test.http.get('/l/tea');
  const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]+)"/g)];
  const form = new URLSearchParams(Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])));
  for (let time = 0; time < 2; time += 1)
    await test.http.request('POST', '/l/tea', {
      text: form.toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
}

/** What sweeps find something to do for. */
async function tourOfSweeps(tour: Tour): Promise<void> {
  const { test, store } = tour;
  const overdue = [await create(tour, { amount: 77 }), await create(tour, { amount: 78 })];
  await test.database.query(
    `UPDATE payments SET expires_at = $3::timestamptz, created_at = $3::timestamptz
     WHERE store_id = $1 AND id = ANY ($2::uuid[])`,
    [store.id, overdue, new Date(Date.now() - 7_200_000)],
  );
  await test.app.get(PaymentsSweep).round();
  await test.app.get(PaymentsSweep).round();
  await test.app.get(Retention).run();
  await test.app.get(PersonalRetention).run();
}

async function tourOfDays({ test, store, admin }: Tour): Promise<void> {
  const days = `/api/v1/stores/${store.id}/days/${new Date().toISOString().slice(0, 10)}`;
  await pageOf(test, days, admin);
  await test.http.get(`${days}/statement?format=csv`, admin);
  const text =
    'TrxID,Amount,Date\nPART000001,500.00,2026-11-21 10:00\nBULK000029000,40.00,2026-11-21 10:00\n';
  await test.http.request('POST', `/api/v1/stores/${store.id}/reconciliations?provider=bkash`, {
    headers: { ...admin, 'Content-Type': 'text/csv' },
    text,
  });
}

async function tourOfDeliveries(tour: Tour): Promise<void> {
  const { test, store, admin } = tour;
  const deliveries = `/api/v1/stores/${store.id}/deliveries`;
  const { body } = await test.http.get<{ data: { id: string }[] }>(`${deliveries}?status=delivered`, admin);
  const [one] = body.data;
  await test.http.get(`${deliveries}/${one?.id}`, admin);
  await test.http.post(`${deliveries}/${one?.id}/redeliver`, undefined, admin);
  const since = new Date(Date.now() - 300 * 86_400_000).toISOString();
  const replay = await asUser(tour, '/deliveries/replay', { since, only: 'failed' });
  await eventually(
    () => test.http.get(`${deliveries}/replay/${replay.body.id}`, admin),
    ({ body: seen }) => seen['status'] === 'done',
    'the replay',
  );
  const isLeft = `${deliveries}?status=pending&limit=1`;
  await eventually(
    () => test.http.get<{ data: unknown[] }>(isLeft, admin),
    ({ body: seen }) => seen.data.length === 0,
    'the last delivery',
  );
}

async function tourOfDashboard({ test, store }: Tour, verified: string): Promise<void> {
  const browser = await DashboardBrowser.signIn(test.http.url, {
    email: ADMIN_EMAIL,
    password: ADMIN_PASSWORD,
  });
  const of = (page: string) => `/dashboard/stores/${store.id}${page}`;
  const pages = [
    ...['', '/payments', `/payments/${verified}`, '/payments?search=017000', '/payments?search=PART000001'],
    ...['/review', '/receipts', '/messages', '/deliveries', '/links', '/phone', '/developers', '/audit'],
  ].map(of);
  for (const page of ['/dashboard/stores', '/dashboard/health', ...pages]) {
    const answer = await browser.request('GET', page);
    if (answer.status !== 200) throw new Error(`${page} was answered ${answer.status}.`);
  }
}
