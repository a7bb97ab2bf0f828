import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentFilter } from '../../../src/payments/payments/payments-list.js';
import { PaymentsService } from '../../../src/payments/index.js';
import { ManualClock } from '../../support/money-clock.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 1.28 to 1.30, 3.9, 3.10.
 *
 * Goal: what only several indexes find together is one list all the same: each payment once, newest first, page by
 * page. Method: the real application, a clock that is moved, and pages of one and of a hundred.
 */

const clock = new ManualClock();
let test: TestApp;
let store: TestStore;
let other: TestStore;
/** In the order in which they were made. */
const ids: string[] = [];

beforeAll(async () => {
  test = await startTestApp({ clock });
  const admin = await signIn(test.http);
  store = await createStore(test.http, admin);
  other = await createStore(test.http, admin);
  await create(store, { note: 'Order 7 for Rahima' });
  await enter(await create(store, { customerPhone: '+8801712345678' }), 'LIST000001');
  await create(store, { customerName: 'Rahima Khatun', customerPhone: '01712345678' });
  await enter(await create(store, { note: '100% cotton' }), 'LIST000002');
  await create(store, { note: 'order 7, second try' });
  await create(other, { note: 'Order 7 for Rahima', customerPhone: '01712345678' });
});
afterAll(() => test.close());

async function create(shop: TestStore, body: Record<string, unknown>): Promise<string> {
  clock.advance(1_000);
  const answer = await test.http.post<{ id: string }>('/api/v1/payments', { amount: 70, ...body }, shop.key);
  expect(answer.status, answer.text).toBe(201);
  if (shop === store) ids.push(answer.body.id);
  return answer.body.id;
}

async function enter(id: string, trxId: string): Promise<void> {
  const answer = await test.http.post(`/api/v1/payments/public/${id}/verify`, { trxId, provider: 'bkash' });
  expect(answer.status, answer.text).toBe(202);
}

/** Which of the store's payments, by when they were made, the newest first; the same in pages of one. */
async function listed(filter: PaymentFilter): Promise<number[]> {
  const service = test.app.get(PaymentsService);
  const all = await service.listOfStore(store.id, filter, { limit: 100 });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await service.listOfStore(store.id, filter, { limit: 1, cursor });
    found.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual(all.data.map(({ id }) => id));
  return found.map((id) => ids.indexOf(id));
}

describe('a list of payments', () => {
  it('finds what users look for by TrxID, phone, note and name, each once', async () => {
    expect(await listed({ search: 'list 000001' })).toEqual([1]);
    expect(await listed({ search: '01712-345678' })).toEqual([2, 1]);
    expect(await listed({ search: '5678' })).toEqual([2, 1]);
    expect(await listed({ search: 'RAHIMA' })).toEqual([2, 0]);
    expect(await listed({ search: 'order 7' })).toEqual([4, 0]);
    expect(await listed({ search: '100%' })).toEqual([3]);
    expect(await listed({ search: 'nobody' })).toEqual([]);
  });

  it('looks within what else is asked for', async () => {
    expect(await listed({ search: '5678', status: 'submitted' })).toEqual([1]);
    expect(await listed({ search: '5678', status: 'pending' })).toEqual([2]);
    expect(await listed({ trxId: 'LIST000002' })).toEqual([3]);
    expect(await listed({ trxId: 'LIST000002', status: 'pending' })).toEqual([]);
  });

  it('has those made between two instants, both included', async () => {
    const at = async (index: number) =>
      (await test.http.get<{ createdAt: string }>(`/api/v1/payments/${ids[index]}`, store.key)).body
        .createdAt;
    const created = async (query: string) => {
      const answer = await test.http.get<{ data: { id: string }[] }>(`/api/v1/payments?${query}`, store.key);
      return answer.body.data.map(({ id }) => ids.indexOf(id));
    };
    const [from, to] = [await at(1), await at(3)];
    expect(await created(`createdFrom=${from}&createdTo=${to}`)).toEqual([3, 2, 1]);
    expect(await created(`createdFrom=${to}`)).toEqual([4, 3]);
    expect(await created(`createdTo=${from}&status=pending`)).toEqual([0]);
  });

  it('shows as expired what the sweep has not written down yet, beside what it has', async () => {
    await test.database.query(
      `UPDATE payments SET status = 'expired', ended_at = expires_at WHERE id = $1 AND store_id = $2`,
      [ids[4], store.id],
    );
    expect(await listed({ status: 'expired' })).toEqual([4]);
    await test.database.query(
      `UPDATE payments SET expires_at = $3, grace_ends_at = CASE WHEN status = 'submitted' THEN $3::timestamptz END
       WHERE store_id = $1 AND id = ANY ($2::uuid[])`,
      [store.id, [ids[0], ids[3]], clock.now()],
    );
    const open = [...(await listed({ status: 'pending' })), ...(await listed({ status: 'submitted' }))];
    expect([...open, ...(await listed({ status: 'expired' }))].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(await listed({ status: 'expired', search: 'order 7' })).toContain(4);
  });
});
