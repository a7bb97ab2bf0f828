import { describe, expect, it } from 'vitest';
import type { PaymentAnswer, ProblemAnswer } from '../../support/money-answers.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 1.28, 3.5, 3.9, 3.10, 3.12. */

const { service, shop } = useShop({ replicas: 1 });

async function list(query: string): Promise<string[]> {
  const answer = await shop.http.get<{ data: { id: string }[] }>(`/api/v1/payments?${query}`, shop.store.key);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }) => id);
}

it('goes page by page, newest first, and filters by status and phone', async () => {
  const ids: string[] = [];
  for (const customerPhone of [undefined, undefined, '01711111111', undefined, undefined])
    ids.unshift((await shop.create({ customerPhone })).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/api/v1/payments?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { body }: { body: { data: { id: string }[]; nextCursor: string | null } } = await shop.http.get(
      path,
      shop.store.key,
    );
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(ids);
  await shop.cancel(ids[0]!);
  expect(await list('status=cancelled')).toEqual([ids[0]]);
  expect(await list('customerPhone=01711111111')).toEqual([ids[2]]);
});

it('verifiedFrom and verifiedTo include both instants, and an item names the receipt that is attached', async () => {
  const open = await shop.create();
  const paid = await shop.paid();
  const { body } = await shop.http.get<{ data: PaymentAnswer[] }>('/api/v1/payments', shop.store.key);
  expect(body.data.map(({ id, receiptId }) => [id, receiptId !== null])).toEqual([
    [paid.id, true],
    [open.id, false],
  ]);
  const at = body.data[0]!.verifiedAt!;
  const [before, after] = [-1, 1].map((ms) => new Date(Date.parse(at) + ms).toISOString());
  expect(await list(`verifiedFrom=${at}&verifiedTo=${at}`)).toEqual([paid.id]);
  expect(await list(`verifiedFrom=${before}`)).toEqual([paid.id]);
  expect(await list(`verifiedFrom=${after}`)).toEqual([]);
  expect(await list(`verifiedTo=${before}`)).toEqual([]);
});

describe('metadata.<key>', () => {
  it('finds payments by a value, compared as text, in this store alone', async () => {
    const [text, number, decimal, yes, other] = [
      await shop.create({ metadata: { orderId: '1001' } }),
      await shop.create({ metadata: { orderId: 1001, branch: 'Dhaka & Co' } }),
      await shop.create({ metadata: { orderId: 1001.5 } }),
      await shop.create({ metadata: { orderId: true, note: 'null' } }),
      await shop.create({ metadata: { other: '1001' } }),
    ];
    const neighbour = await service.openShop();
    await neighbour.create({ metadata: { orderId: '1001' } });
    expect(await list('metadata.orderId=1001')).toEqual([number.id, text.id]);
    expect(await list('metadata.orderId=1001.5')).toEqual([decimal.id]);
    expect(await list('metadata.orderId=true')).toEqual([yes.id]);
    expect(await list('metadata.note=null')).toEqual([yes.id]);
    expect(await list('metadata.other=1001')).toEqual([other.id]);
    for (const nobody of ['metadata.orderId=1001.0', 'metadata.orderId=', 'metadata.none=1001'])
      expect(await list(nobody)).toEqual([]);
    // Every parameter that is given must fit.
    expect(await list('metadata.orderId=1001&metadata.branch=Dhaka%20%26%20Co')).toEqual([number.id]);
    expect(await list('metadata.orderId=1001&status=verified')).toEqual([]);
    const path = `/api/v1/stores/${shop.store.id}/payments?metadata.orderId=1001&limit=1`;
    const page = await shop.http.get<{ data: { id: string }[]; nextCursor: string }>(
      path,
      await shop.admin(),
    );
    expect(page.body.data.map(({ id }) => id)).toEqual([number.id]);
    expect(await list(`metadata.orderId=1001&limit=1&cursor=${page.body.nextCursor}`)).toEqual([text.id]);
  });

  it('takes keys and values of any letters, also those that would mean something in JSON or SQL', async () => {
    for (const [key, value] of [
      ['a.b', 'c.d'],
      ['', 'empty'],
      ['"}\'; --', '\\"%_'],
      ['অর্ডার', 'এক'],
      ['__proto__x', '{}'],
    ] as const) {
      const { id } = await shop.create({ metadata: { [key]: value } });
      const query = `metadata.${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
      expect(await list(query)).toEqual([id]);
    }
  });

  it('finds the newest of very many as well', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      service.clock.advance(1);
      ids.push((await shop.create({ metadata: { source: 'web' } })).id);
    }
    await service.test.database.query(
      `INSERT INTO payments
         (id, store_id, status, amount_minor, pay_amount_minor, currency, metadata, created_at, expires_at)
       SELECT gen_random_uuid(), $1, 'pending', 500, 500, 'BDT', '{"source":"web"}',
         $2::timestamptz - interval '1 day', $2
       FROM generate_series(1, 2500)`,
      [shop.store.id, service.clock.now()],
    );
    expect((await list('metadata.source=web&limit=3')).reverse()).toEqual(ids);
    expect(await list('metadata.source=web&limit=100')).toHaveLength(100);
  });

  it.each([
    'metadata=1001',
    'metadata.orderId=1&metadata.orderId=2',
    `metadata.${'x'.repeat(41)}=1`,
    `metadata.orderId=${'x'.repeat(501)}`,
    Array.from({ length: 21 }, (_, index) => `metadata.k${index}=1`).join('&'),
    'metadata.orderId=%00',
    'metadatax.orderId=1',
  ])('is a 400 in any other form: %s', async (query) => {
    const answer = await shop.http.get<ProblemAnswer>(`/api/v1/payments?${query}`, shop.store.key);
    expect([answer.status, answer.body.code]).toEqual([400, 'request.invalid']);
    expect(answer.body.errors![0]!.pointer).toMatch(/^\/metadata/);
  });

  it('refuses numbers without end in a new payment, and takes the largest that there are', async () => {
    const send = (number: string) =>
      shop.http.request<ProblemAnswer>('POST', '/api/v1/payments', {
        headers: { ...shop.store.key, 'Content-Type': 'application/json' },
        text: `{"amount":500,"metadata":{"n":${number},"text":"1e99999"}}`,
      });
    for (const number of ['1e-99999', `0.${'1'.repeat(20_000)}`, '1e99999'])
      expect([(await send(number)).status, number.slice(0, 9)]).toEqual([400, number.slice(0, 9)]);
    for (const number of ['1e-300', '1.7e308', '-0', `0.${'1'.repeat(400)}`])
      expect([(await send(number)).status, number]).toEqual([201, number]);
  });
});
