import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { lockKey } from '../../../src/platform/database/index.js';
import { eventually } from '../../support/eventually.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { HOUR_MS } from '../../support/money-clock.js';
import type { PaymentAnswer, ProblemAnswer } from '../../support/money-answers.js';
import { type Shop } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 1.20 to 1.23, 3.8.
 *
 * Goal: an Idempotency-Key makes creating a payment safe to repeat (contract 1.20): one payment, one answer, for 24
 * h, per store, over all replicas.
 */

const { service, shop } = useShop();

const BODY = { amount: 500, note: 'Order 1001' };

function create(
  key: string,
  body: unknown = BODY,
  of: Shop = shop,
): Promise<HttpAnswer<PaymentAnswer & ProblemAnswer>> {
  return of.http.post('/api/v1/payments', body, { ...of.store.key, 'Idempotency-Key': key });
}

const isReplay = ({ headers }: HttpAnswer<unknown>) => headers.get('idempotency-replayed') === 'true';

async function countPayments(of: Shop = shop): Promise<number> {
  const [row] = await service.test.database.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM payments WHERE store_id = $1',
    [of.store.id],
  );
  return row!.count;
}

async function countKeys(): Promise<number> {
  const [row] = await service.test.database.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM idempotency_keys WHERE store_id = $1',
    [shop.store.id],
  );
  return row!.count;
}

describe('a repeated request', () => {
  it('gets the first answer again, letter by letter, and says so', async () => {
    const first = await create('order-1001');
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const again = await create('order-1001');
      expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text]);
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(await countPayments()).toBe(1);
  });

  it('gets the answer of then, not of now', async () => {
    const first = await create('order-1001');
    await shop.cancel(first.body.id);
    const again = await create('order-1001');
    expect([again.text, again.body.status]).toEqual([first.text, 'pending']);
  });

  it('without a key is another payment', async () => {
    await shop.create(BODY);
    await shop.create(BODY);
    expect(await countPayments()).toBe(2);
  });

  it('with another key, however similar, is another payment', async () => {
    const ids = new Set<string>();
    for (const key of ['order-1', 'Order-1', 'order-1.', 'order_1']) ids.add((await create(key)).body.id);
    expect(ids.size).toBe(4);
  });
});

describe('the same key with another body', () => {
  it('is refused, and changes nothing', async () => {
    const first = await create('order-1001');
    for (const body of [{ ...BODY, amount: 500.01 }, { ...BODY, note: null }, { amount: 500 }]) {
      const refusal = await create('order-1001', body);
      expect([refusal.status, refusal.body.code]).toEqual([422, 'idempotency.key_reused']);
    }
    expect(await countPayments()).toBe(1);
    expect((await create('order-1001')).text).toBe(first.text);
  });

  it('is a new request when the first one was refused', async () => {
    expect((await create('order-1001', { amount: -1 })).status).toBe(400);
    expect((await create('order-1001', { amount: 'many' })).status).toBe(400);
    expect([(await create('order-1001')).status, await countPayments()]).toEqual([201, 1]);
  });
});

describe('at the same instant', () => {
  it('one payment is created, over two replicas; the others get its answer or hear that it still runs', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const key = `order-${round}`;
      const answers = await Promise.all(Array.from({ length: 24 }, () => create(key)));
      const created = answers.filter((answer) => answer.status === 201);
      const refused = answers.filter((answer) => answer.status !== 201);
      expect(created.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(new Set(created.map(({ text }) => text)).size).toBe(1);
      for (const { status, body, headers } of refused) {
        expect([status, body.code, headers.get('retry-after')]).toEqual([
          409,
          'idempotency.in_progress',
          '1',
        ]);
      }
      expect(await countPayments()).toBe(round);
      expect((await create(key)).text).toBe(created[0]!.text);
    }
  });

  it('two bodies under one key are one payment, of one of the two', async () => {
    const bodies = Array.from({ length: 12 }, (_, index) => ({ amount: 100 + (index % 2) }));
    const answers = await Promise.all(bodies.map((body) => create('order-1001', body)));
    for (const { status } of answers) expect([201, 409, 422]).toContain(status);
    const [payment] = answers.filter(({ status }) => status === 201);
    expect(await countPayments()).toBe(1);
    for (const amount of [100, 101]) {
      const again = await create('order-1001', { amount });
      expect(again.status).toBe(amount === payment!.body.amount ? 201 : 422);
    }
  });

  it('a key whose first request still runs is refused at once, with any body, and no other key is', async () => {
    const { database } = service.test;
    const held = lockKey('idempotency', shop.store.id, 'order-1001').toString();
    await database.query('SELECT pg_advisory_lock($1::bigint)', [held]);
    try {
      for (const body of [BODY, { amount: 1 }]) {
        const refusal = await create('order-1001', body);
        expect([refusal.status, refusal.body.code]).toEqual([409, 'idempotency.in_progress']);
        expect(refusal.headers.get('retry-after')).toBe('1');
      }
      expect((await create('order-1002')).status).toBe(201);
    } finally {
      await database.query('SELECT pg_advisory_unlock($1::bigint)', [held]);
    }
    expect((await create('order-1001')).status).toBe(201);
  });
});

describe('a key', () => {
  it('belongs to one store', async () => {
    const other = await service.openShop();
    const [own, strangers] = [await create('order-1001'), await create('order-1001', BODY, other)];
    expect([strangers.status, isReplay(strangers)]).toEqual([201, false]);
    expect(strangers.body.id).not.toBe(own.body.id);
    expect((await create('order-1001', { amount: 1 }, other)).status).toBe(422);
  });

  it('survives a rotated API key', async () => {
    const first = await create('order-1001');
    const path = `/api/v1/stores/${shop.store.id}/api-key/rotate`;
    const { body } = await shop.http.post<{ apiKey: string }>(path, undefined, await shop.admin());
    const again = await shop.http.post('/api/v1/payments', BODY, {
      'X-Api-Key': body.apiKey,
      'Idempotency-Key': 'order-1001',
    });
    expect(again.text).toBe(first.text);
  });

  it('has 1 to 255 visible ASCII characters', async () => {
    for (const key of ['!', '~'.repeat(255), '"quoted"', 'a,b;c=d']) {
      expect((await create(key)).status).toBe(201);
      expect(isReplay(await create(key))).toBe(true);
    }
    for (const key of ['~'.repeat(256), 'two words', 'a\tb', 'caf\u00e9', '']) {
      const refusal = await create(key);
      expect([refusal.status, refusal.body.code]).toEqual([400, 'request.invalid']);
      expect(refusal.body.errors).toEqual([
        { pointer: '/Idempotency-Key', detail: expect.any(String) as string },
      ]);
    }
  });

  it('is good for 24 h to the millisecond; then it is new, also before the sweep has removed it', async () => {
    const first = await create('order-1001');
    service.clock.advance(24 * HOUR_MS - 1);
    expect((await create('order-1001')).text).toBe(first.text);
    service.clock.advance(1);
    const second = await create('order-1001', { amount: 1 });
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(isReplay(await create('order-1001', { amount: 1 }))).toBe(true);
    // Replaying does not prolong it.
    service.clock.advance(12 * HOUR_MS);
    await create('order-1001', { amount: 1 });
    service.clock.advance(12 * HOUR_MS);
    expect(isReplay(await create('order-1001', { amount: 2 }))).toBe(false);
    expect(await countPayments()).toBe(3);
  });

  it('is not removed by a sweep that waited while it was given anew', async () => {
    await create('order-1001');
    service.clock.advance(24 * HOUR_MS + 1);
    const renewing = new Client({ connectionString: service.test.database.url });
    await renewing.connect();
    try {
      await renewing.query('BEGIN');
      await renewing.query('UPDATE idempotency_keys SET created_at = $1', [service.clock.now()]);
      const swept = service.sweep();
      await eventually(
        () =>
          service.test.database.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          ),
        (waiting) => waiting.length > 0,
      );
      await renewing.query('COMMIT');
      await swept;
    } finally {
      await renewing.end();
    }
    expect(await countKeys()).toBe(1);
  });

  it('is removed by the sweep when its time is over, not before', async () => {
    await create('order-1001');
    service.clock.advance(HOUR_MS);
    await create('order-1002');
    service.clock.advance(23 * HOUR_MS - 1);
    await service.sweep();
    expect(await countKeys()).toBe(2);
    service.clock.advance(1);
    await service.sweep(1);
    expect(await countKeys()).toBe(1);
    expect(isReplay(await create('order-1002'))).toBe(true);
    service.clock.advance(HOUR_MS);
    await service.sweep();
    expect([await countKeys(), await countPayments()]).toEqual([0, 2]);
  });
});
