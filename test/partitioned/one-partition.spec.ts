import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { shardedTables } from '../support/partitioned-tables.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Goal: a statement for one store asks one node. Method: the tables are partitioned by store; a tour through the features of money
 * collects every statement with the values it had, and EXPLAIN tells which partitions its plan touches.
 */

/**
 * What may touch several partitions, and why: statements of the walk, the sweeps and retention, which are for all stores, and what
 * plain PostgreSQL shares between stores while a cluster asks for each alone (`Database.isDistributed`).
 */
const FOR_MANY_STORES: readonly RegExp[] = [
  // Reads that requests of the same moment share.
  /^payments-find-stamped$/,
  /^payments-find-confirmed$/,
  // Receipts of the same moment share their statements; a cluster decides about each alone.
  /^payments-(?:lock-waiting|save-many)$/,
  /^entries-list-of-trx-ids$/,
  /^receipts-find-known$/,
  // By an id that does not end as its store's does.
  /^payments-find-anywhere$/,
  // The dispatcher's walk and its batches over whatever stores are due; a cluster asks for each store alone.
  /^deliveries-(?:walk|claim|lease)$/,
  /^deliveries-settle-(?:delivered|others)-all$/,
];

interface Asked {
  readonly name: string | null;
  readonly text: string;
  readonly values: unknown[];
}

let test: TestApp;
let merchant: MerchantReceiver;
let store: TestStore;
let admin: { Authorization: string };
const asked = new Map<string, Asked>();

beforeAll(async () => {
  collectStatements();
  merchant = await startMerchantReceiver();
  test = await startTestApp();
  admin = await signIn(test.http);
  const wallets = [{ provider: 'bkash', number: '01700000001', accountType: 'personal' }];
  store = await createStore(test.http, admin, { webhookUrl: merchant.url, wallets });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await test.close();
  await merchant.close();
});

function collectStatements(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the client it was called on
  const query = Client.prototype.query as (this: Client, ...parameters: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [first, second] = parameters;
    const config = typeof first === 'string' ? { text: first, values: second } : first;
    const { name = null, text, values } = config as { name?: string; text?: unknown; values?: unknown };
    if (typeof text === 'string' && Array.isArray(values) && !asked.has(name ?? text))
      asked.set(name ?? text, { name, text, values });
    return query.apply(this, parameters) as never;
  });
}

async function create(body: Record<string, unknown> = {}): Promise<string> {
  const answer = await test.http.post<{ id: string }>(
    '/api/v1/payments',
    { amount: 500, ...body },
    store.key,
  );
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const receipt = (trxId: string, extra: Record<string, unknown> = {}) => ({
  ...{ app: 'phone', provider: 'bkash', kind: 'received', trxId, amount: 500 },
  ...{ counterparty: '01700000009', receivedAt: new Date().toISOString(), ...extra },
});
const forward = (body: unknown) => test.http.post('/api/webhooks/joma', body, store.phone);
const enter = (id: string, body: unknown) => test.http.post(`/api/v1/payments/public/${id}/verify`, body);
const asPerson = (path: string, body?: unknown) =>
  test.http.post(`/api/v1/stores/${store.id}${path}`, body, admin);

/** Through everything that reads or writes for one store; what it answers is the matter of other tests. */
async function tour(): Promise<void> {
  const verified = await create({ customerPhone: '01700000002' });
  await enter(verified, { trxId: 'PART000001' });
  await forward(receipt('PART000001'));
  await forward(receipt('PART000001'));
  await eventually(() => merchant.received.length, Boolean, 'the webhook');
  const late = await create();
  await forward(receipt('PART000002', { amount: 400 }));
  await enter(late, { trxId: 'PART000002' });
  await asPerson(`/payments/${late}/approve`, { reason: 'The rest came in cash.' });
  const rejected = await create();
  await enter(rejected, { trxId: 'PART000003' });
  await forward(receipt('PART000003', { amount: 700 }));
  await asPerson(`/payments/${rejected}/reject`, { reason: 'Not ours.' });
  const cancelled = await create();
  await test.http.post(`/api/v1/payments/${cancelled}/cancel`, undefined, store.key);
  await test.http.post('/api/v1/payments', { amount: 7 }, { ...store.key, 'Idempotency-Key': 'once' });
  for (const id of [verified, late]) {
    await test.http.get(`/api/v1/payments/${id}`, store.key);
    await test.http.get(`/api/v1/payments/public/${id}`);
    await test.http.get(`/pay/${id}`);
  }
  const filters = [
    'status=verified',
    'provider=bkash',
    'trxId=PART000001',
    'customerPhone=01700000002',
    'limit=1',
  ];
  for (const filter of filters) await test.http.get(`/api/v1/payments?${filter}`, store.key);
  for (const path of ['/payments', '/receipts', '/deliveries', '/messages', '/refunds', '/audit-log'])
    await test.http.get(`/api/v1/stores/${store.id}${path}`, admin);
  await test.http.get('/api/v1/events', store.key);
  await test.http.get('/api/v1/deliveries?status=delivered', store.key);
  await test.http.post(`/api/v1/payments/${verified}/refunds`, { amount: 100 }, store.key);
  await test.http.get(`/api/v1/payments/${verified}/refunds`, store.key);
}

describe('a statement for one store', () => {
  it('touches one partition of each table', async () => {
    await tour();
    const client = new Client({ connectionString: test.database.url });
    await client.connect();
    const tables = await shardedTables(client);
    const wide: string[] = [];
    let seen = 0;
    for (const { name, text, values } of [...asked.values()]) {
      const isOfStores = tables.some((table) => new RegExp(`\\b${table}\\b`).test(text));
      const isForOne = /\bstore_id = (?:\$\d+|ANY)|\bWHERE \w+\.?store_id = \$/.test(text) || name !== null;
      if (!isOfStores || !isForOne || !/^\s*(?:SELECT|UPDATE|DELETE|WITH)/i.test(text)) continue;
      if (FOR_MANY_STORES.some((pattern) => pattern.test(name ?? ''))) continue;
      seen += 1;
      const touched = await partitionsOf(client, text, values);
      for (const [table, partitions] of touched)
        if (partitions.size > 1) wide.push(`${name ?? text}: ${partitions.size} partitions of ${table}`);
    }
    await client.end();
    expect(wide).toEqual([]);
    expect(seen).toBeGreaterThan(20);
  });
});

async function partitionsOf(
  client: Client,
  text: string,
  values: unknown[],
): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
  const touched = new Map<string, Set<string>>();
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    for (const [key, value] of Object.entries(node)) {
      const [, table] = (key === 'Relation Name' && /^(.*)_p\d+$/.exec(String(value))) || [];
      if (table !== undefined) touched.set(table, (touched.get(table) ?? new Set()).add(String(value)));
      walk(value);
    }
  };
  walk(rows[0]?.['QUERY PLAN']);
  return touched;
}
