import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { countStatements } from '../../support/statement-counts.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 2.7, 2.32, 2.33, 5.6.
 *
 * Goal: what has changed of keys and stores on another replica holds for the very next request (contract 2.7). Method:
 * two replicas on one database; one has seen the key and the store, the other changes them.
 */

let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ database: one.database });
  admin = await signIn(one.http);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const LOOK_UPS = ['stores-find-by-secret', 'stores-find-stamped'];

interface Created {
  readonly id: string;
  readonly currency: string;
}
const create = (store: TestStore, body: unknown = { amount: 5 }, headers: Record<string, string> = {}) =>
  one.http.post<Created>('/api/v1/payments', body, { ...store.key, ...headers });

/** A store whose key replica one has seen in force, and a payment of it. */
async function known(): Promise<{ store: TestStore; paymentId: string }> {
  const store = await createStore(one.http, admin);
  const answer = await create(store);
  expect(answer.status).toBe(201);
  return { store, paymentId: answer.body.id };
}

const REQUESTS: readonly [string, (store: TestStore, paymentId: string) => Promise<{ status: number }>][] = [
  ['a payment', (store) => create(store)],
  ['a payment under an Idempotency-Key', (store) => create(store, { amount: 5 }, { 'Idempotency-Key': 'k' })],
  ['a body that is refused', (store) => create(store, { amount: 'five' })],
  ['a body that is no JSON', (store) => create(store, undefined, { 'Content-Type': 'text/plain' })],
  ['a payment that is there', (store, id) => one.http.get(`/api/v1/payments/${id}`, store.key)],
  [
    'a payment that is not there',
    (store) => one.http.get('/api/v1/payments/019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55', store.key),
  ],
  ['no id', (store) => one.http.get('/api/v1/payments/none', store.key)],
  ['a list', (store) => one.http.get('/api/v1/payments', store.key)],
];

describe('a key that this replica has seen', () => {
  it.each(REQUESTS)('is refused once it was rotated elsewhere: %s', async (_name, request) => {
    const { store, paymentId } = await known();
    const rotated = await two.http.post(`/api/v1/stores/${store.id}/api-key/rotate`, undefined, admin);
    expect(rotated.status).toBe(200);
    expect((await request(store, paymentId)).status).toBe(401);
  });

  it.each(REQUESTS)('is refused once its store was archived elsewhere: %s', async (_name, request) => {
    const { store, paymentId } = await known();
    await two.http.request('DELETE', `/api/v1/stores/${store.id}`, { headers: admin });
    expect((await request(store, paymentId)).status).toBe(401);
  });

  it('writes nothing when it is refused', async () => {
    const { store } = await known();
    const { body } = await two.http.post<{ apiKey: string }>(
      `/api/v1/stores/${store.id}/api-key/rotate`,
      undefined,
      admin,
    );
    await Promise.all(Array.from({ length: 20 }, () => create(store)));
    const list = await one.http.get<{ data: unknown[] }>('/api/v1/payments', { 'X-Api-Key': body.apiKey });
    expect(list.body.data).toHaveLength(1);
  });

  it('does not reach another store’s payment', async () => {
    const [mine, others] = [await known(), await known()];
    const answer = await one.http.get(`/api/v1/payments/${others.paymentId}`, mine.store.key);
    expect(answer.status).toBe(404);
  });
});

describe('a store that this replica remembers', () => {
  const change = (store: TestStore, body: unknown) =>
    two.http.request('PATCH', `/api/v1/stores/${store.id}`, { headers: admin, body });

  it('is as it is now for the next payment', async () => {
    const { store } = await known();
    expect((await change(store, { currency: 'USD' })).status).toBe(200);
    expect((await create(store)).body.currency).toBe('USD');
  });

  it('is as it is now for the payer', async () => {
    const { store, paymentId } = await known();
    const shown = async () =>
      (
        await one.http.get<{ storeName: string; wallets: { number: string }[] }>(
          `/api/v1/payments/public/${paymentId}`,
        )
      ).body;
    expect((await shown()).storeName).toBe('Test store');
    const wallets = [{ provider: 'bkash', number: '01700000077', accountType: 'personal', enabled: true }];
    await change(store, { name: 'Renamed', wallets });
    expect(await shown()).toMatchObject({ storeName: 'Renamed', wallets: [{ number: '01700000077' }] });
    await change(store, { wallets: [{ ...wallets[0], number: '01700000078' }] });
    expect(await shown()).toMatchObject({ wallets: [{ number: '01700000078' }] });
  });
});

describe('a store that has been archived', () => {
  it('shows no wallet to a payer any more, and still takes what was paid before', async () => {
    const wallets = [{ provider: 'bkash', number: '01700000079', accountType: 'merchant', enabled: true }];
    const store = await createStore(one.http, admin, { wallets });
    const { id } = (await create(store)).body;
    const shown = async () => [
      (await one.http.get<{ wallets: unknown[] }>(`/api/v1/payments/public/${id}`)).body.wallets.length,
      (await one.http.get(`/pay/${id}`)).text.includes('01700000079'),
    ];
    expect(await shown()).toEqual([1, true]);
    const receipt = receiptBody({ trxId: 'PAIDBEFORE', amount: 5 });
    expect((await one.http.post('/api/webhooks/joma', receipt, store.phone)).status).toBe(200);
    await two.http.request('DELETE', `/api/v1/stores/${store.id}`, { headers: admin });
    expect(await shown()).toEqual([0, false]);
    const entered = await one.http.post(`/api/v1/payments/public/${id}/verify`, { trxId: 'PAIDBEFORE' });
    expect(entered.body).toMatchObject({ status: 'verified' });
  });
});

describe('behind a lost connection, where another server may count its versions anew', () => {
  it('keys and stores are looked up again', async () => {
    const { store, paymentId } = await known();
    const open = () => one.http.get(`/api/v1/payments/public/${paymentId}`);
    expect([(await open()).status, (await create(store)).status]).toEqual([200, 201]);
    const before = countStatements(...LOOK_UPS);
    expect([(await open()).status, (await create(store)).status]).toEqual([200, 201]);
    vi.restoreAllMocks();
    // A key is looked up with every request; what is kept of a store goes by the version of its row.
    expect([...before.keys()]).toEqual(['stores-find-by-secret']);
    await one.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const counts = countStatements(...LOOK_UPS);
    await eventually(open, ({ status }) => status === 200);
    await eventually(
      () => create(store),
      ({ status }) => status === 201,
    );
    vi.restoreAllMocks();
    expect([...counts.keys()].sort()).toEqual([...LOOK_UPS].sort());
  });
});

describe('a phone’s secret that this replica has seen', () => {
  let number = 0;
  const trxId = () => `PHONE${(number += 1)}SECRET`;
  const receipt = (id = trxId()) => receiptBody({ trxId: id, amount: 5 });
  const forward = (store: TestStore, body: unknown) =>
    one.http.post<{ status: string }>('/api/webhooks/joma', body, store.phone);

  /** A store whose phone replica one has heard a moment ago. */
  async function heard(): Promise<TestStore> {
    const store = await createStore(one.http, admin);
    for (let times = 0; times < 2; times += 1)
      expect((await forward(store, receipt())).body.status).toBe('unmatched');
    return store;
  }

  const regenerate = async (store: TestStore) => {
    const path = `/api/v1/stores/${store.id}/webhook-secret/regenerate`;
    expect((await two.http.post(path, undefined, admin)).status).toBe(200);
  };
  const archive = (store: TestStore) =>
    two.http.request('DELETE', `/api/v1/stores/${store.id}`, { headers: admin });

  /** What the database holds of a store that a phone could have written. */
  async function written(store: TestStore): Promise<unknown> {
    const tables = ['receipts', 'messages', 'events'].map(
      (table) => `(SELECT count(*) FROM ${table} WHERE store_id = $1)`,
    );
    const [row] = await one.database.query(
      `SELECT concat_ws(' ', ${tables.join(', ')}, (SELECT count(*) FROM owner_receipts WHERE kept_by = $1),
         (SELECT phone_last_seen_at FROM store_states WHERE store_id = $1),
         (SELECT string_agg(status, ' ' ORDER BY id) FROM payments WHERE store_id = $1)) AS written`,
      [store.id],
    );
    return row;
  }

  const BODIES: readonly [string, () => unknown][] = [
    ['a receipt', () => receipt()],
    ['a receipt with a balance', () => ({ ...receipt(), balance: 900 })],
    ['a receipt of digits', () => ({ ...receipt(), provider: 'qr', trxId: null, last4digit: '4321' })],
    ['money that was sent', () => ({ ...receipt(), kind: 'sent' })],
    ['another currency', () => ({ ...receipt(), currency: 'USD' })],
    ['no receipt', () => ({ app: 'test' })],
    ['another app', () => ({ ...receipt(), app: 'another' })],
  ];

  it.each(BODIES)(
    'is refused once it was replaced elsewhere, and nothing is written: %s',
    async (_name, body) => {
      const store = await heard();
      await regenerate(store);
      const before = await written(store);
      for (let times = 0; times < 2; times += 1) expect((await forward(store, body())).status).toBe(401);
      expect(await written(store)).toEqual(before);
    },
  );

  it.each(BODIES)('is refused once its store was archived elsewhere: %s', async (_name, body) => {
    const store = await heard();
    expect((await archive(store)).status).toBe(204);
    const before = await written(store);
    expect((await forward(store, body())).status).toBe(401);
    expect(await written(store)).toEqual(before);
  });

  it('is refused alone among many of the same moment', async () => {
    const [old, gone, others] = [await heard(), await heard(), await heard()];
    await regenerate(old);
    await archive(gone);
    const [id, stolen] = [trxId(), trxId()];
    const payment = await create(others);
    const entered = await one.http.post(`/api/v1/payments/public/${payment.body.id}/verify`, { trxId: id });
    expect(entered.status).toBe(202);
    const before = [await written(old), await written(gone)];
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, index) => forward(old, receipt(index === 0 ? stolen : undefined))),
      forward(others, receipt(id)),
      ...Array.from({ length: 8 }, () => forward(gone, receipt())),
      ...Array.from({ length: 4 }, () => forward(others, receipt())),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 8 }, () => 401),
      200,
      ...Array.from({ length: 8 }, () => 401),
      ...Array.from({ length: 4 }, () => 200),
    ]);
    expect(answers[8]!.body.status).toBe('matched');
    expect([await written(old), await written(gone)]).toEqual(before);
    // What a thief has named stays free for the owner's other stores.
    expect((await forward(others, receipt(stolen))).body.status).toBe('unmatched');
  });

  it('brings no receipt to the store as it was', async () => {
    const store = await heard();
    const change = (body: unknown) =>
      two.http.request('PATCH', `/api/v1/stores/${store.id}`, { headers: admin, body });
    expect((await change({ currency: 'USD' })).status).toBe(200);
    const id = trxId();
    expect((await forward(store, { ...receipt(id), provider: 'mywallet' })).status).toBe(200);
    const [row] = await one.database.query('SELECT currency FROM receipts WHERE trx_id = $1', [id]);
    expect(row).toEqual({ currency: 'USD' });
  });
});
