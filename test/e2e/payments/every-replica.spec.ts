import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { countStatements } from '../../support/statement-counts.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 3.9, 5.4, 5.18.
 *
 * Goal: what a replica remembers of payments saves reading them again and decides nothing: what has changed on
 * another replica is there for the very next request. Method: two replicas on one database; one has read the payment,
 * the other changes it.
 */

let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };
let store: TestStore;

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ database: one.database });
  admin = await signIn(one.http);
});
afterAll(async () => {
  await two.close();
  await one.close();
});
let shops = 0;
beforeEach(async () => {
  shops += 1;
  const wallets = [
    { provider: 'bkash', number: `0170000010${shops}`, accountType: 'merchant', enabled: true },
  ];
  store = await createStore(one.http, admin, { wallets });
});
afterEach(() => vi.restoreAllMocks());

interface Read {
  readonly id: string;
  readonly status: string;
  readonly refundedAmount: number;
}

let sequence = 0;
const newTrxId = () => `DKV${String((sequence += 1)).padStart(7, '0')}`;

async function created(of: TestStore = store): Promise<string> {
  const answer = await two.http.post<Read>('/api/v1/payments', { amount: 500 }, of.key);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const keyed = (id: string, of: TestStore = store) => one.http.get<Read>(`/api/v1/payments/${id}`, of.key);
const open = (id: string) => one.http.get<Read>(`/api/v1/payments/public/${id}`);
const page = (id: string) => one.http.get(`/pay/${id}?lang=en`);
const submit = (id: string, trxId: string) =>
  two.http.post<Read>(`/api/v1/payments/public/${id}/verify`, { trxId });
const receive = (trxId: string) => two.http.post('/api/webhooks/joma', receiptBody({ trxId }), store.phone);

/** What replica one says of a payment by each way, twice: read, and remembered. */
async function shown(id: string): Promise<Set<string>> {
  const states = new Set<string>();
  for (let round = 0; round < 2; round += 1) {
    states.add((await keyed(id)).body.status);
    states.add((await open(id)).body.status);
    states.add(/data-status="([a-z]+)"/.exec((await page(id)).text)?.[1] ?? 'nothing');
  }
  return states;
}

describe('a payment that this replica remembers', () => {
  it('is as it is now after each step elsewhere', async () => {
    const id = await created();
    const trxId = newTrxId();
    expect(await shown(id)).toEqual(new Set(['pending']));
    expect((await submit(id, trxId)).status).toBe(202);
    expect(await shown(id)).toEqual(new Set(['submitted']));
    expect((await receive(trxId)).status).toBe(200);
    expect(await shown(id)).toEqual(new Set(['verified']));
    expect((await keyed(id)).body.refundedAmount).toBe(0);
    const refund = await two.http.post(`/api/v1/payments/${id}/refunds`, { amount: 120 }, store.key);
    expect(refund.status).toBe(201);
    expect((await keyed(id)).body.refundedAmount).toBe(120);
    expect((await keyed(id)).body.refundedAmount).toBe(120);
  });

  it('is read whole once, and by its version until that is another', async () => {
    const ways = [
      ['payments-find-stamped', open],
      ['payments-find-counted', page],
      ['payments-find-stamped', (paymentId: string) => keyed(paymentId)],
    ] as const;
    for (const [name, read] of ways) {
      const id = await created();
      const asked = async (rounds: number) => {
        const counts = countStatements(name, `${name}-versions`);
        for (let round = 0; round < rounds; round += 1) expect((await read(id)).status).toBe(200);
        vi.restoreAllMocks();
        return [counts.get(name), counts.get(`${name}-versions`)];
      };
      expect(await asked(3)).toEqual([1, 2]);
      await submit(id, newTrxId());
      expect(await asked(3)).toEqual([1, 3]);
    }
  });

  it('is read whole again behind a lost connection, where another server may count its versions anew', async () => {
    const id = await created();
    await open(id);
    await one.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const counts = countStatements('payments-find-stamped');
    await eventually(
      () => open(id),
      ({ status }) => status === 200,
    );
    expect(counts.get('payments-find-stamped')).toBeGreaterThanOrEqual(1);
  });

  it('is verified for whoever asks after the phone was answered, while many others ask', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 24; count += 1) ids.push(await created());
    let isOver = false;
    const readers = Array.from({ length: 6 }, async (_reader, number) => {
      for (let turn = number; !isOver; turn += 1) {
        const id = ids[turn % ids.length]!;
        await (turn % 2 === 0 ? open(id) : keyed(id));
      }
    });
    const late = await Promise.all(
      ids.map(async (id) => {
        const trxId = newTrxId();
        const answers = [];
        await submit(id, trxId);
        answers.push(
          (await open(id)).body.status === 'submitted',
          (await keyed(id)).body.status === 'submitted',
        );
        await receive(trxId);
        answers.push(
          (await open(id)).body.status === 'verified',
          (await keyed(id)).body.status === 'verified',
        );
        return answers.every(Boolean);
      }),
    );
    isOver = true;
    await Promise.all(readers);
    expect(late).toEqual(ids.map(() => true));
  });

  it('is told from what is new, unknown or somebody else’s, when all are asked for at once', async () => {
    const others = await createStore(one.http, admin);
    const [known, fresh, foreign] = [await created(), await created(), await created(others)];
    await Promise.all([open(known), keyed(known), page(known), keyed(foreign, others)]);
    const unknown = `${known.slice(0, -4)}${known.endsWith('0000') ? '0001' : '0000'}`;
    const ids = [known, fresh, foreign, unknown];
    const statuses = async (read: (id: string) => Promise<{ status: number }>) =>
      (await Promise.all(ids.map(read))).map(({ status }) => status);
    for (let round = 0; round < 2; round += 1) {
      expect(await statuses(open)).toEqual([200, 200, 200, 404]);
      expect(await statuses(page)).toEqual([200, 200, 200, 404]);
      expect(await statuses((id) => keyed(id))).toEqual([200, 200, 404, 404]);
      expect(await statuses((id) => keyed(id.toUpperCase()))).toEqual([200, 200, 404, 404]);
    }
  });

  it('counts what was entered elsewhere', async () => {
    const id = await created();
    const limited = async () => /data-limited="([a-zA-Z-]*)"/.exec((await page(id)).text)?.[1];
    expect(await limited()).toBe('');
    for (let submission = 0; submission < 9; submission += 1) await submit(id, newTrxId());
    expect(await limited()).toBe('');
    await submit(id, newTrxId());
    expect(await limited()).toBe('trxId-by-hand');
  });
});
