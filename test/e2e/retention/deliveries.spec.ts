import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { Retention } from '../../../src/notifications/retention.js';
import { type DeliveryAnswer, deliveryOf } from '../../support/delivery-views.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { startWebhookLedger, type WebhookLedger } from '../../support/webhook-ledger.js';

/*
 * Rules: contract 7.39, 7.41, 7.44, 7.45.
 *
 * Goal: what is old enough is forgotten, nothing else, and what is left of it can be read and explains itself.
 * Method: the real application over rows as they were written days ago, with ids of that time.
 */

const DAY_MS = 86_400_000;

let test: TestApp;
let admin: { Authorization: string };
let ledger: WebhookLedger;
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp();
  admin = await signIn(test.http);
  ledger = await startWebhookLedger();
});
afterAll(async () => {
  await test.close();
  await ledger.close();
});
beforeEach(async () => {
  store = await createStore(test.http, admin, { webhookUrl: ledger.url });
});

interface OldDelivery {
  readonly paymentId: string;
  readonly eventId: string;
}

/** A delivery that began so many days ago, with one attempt each so many days ago; the last one ended it. */
async function insertOld(
  status: 'delivered' | 'failed' | 'held',
  days: number,
  attemptDays: readonly number[],
): Promise<OldDelivery> {
  const createdAtMs = Date.now() - days * DAY_MS;
  const createdAt = new Date(createdAtMs);
  const ids = {
    paymentId: newId(),
    eventId: v7({ msecs: createdAtMs }),
  };
  await test.database.query(
    `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
     VALUES ($1, $2, $3, $3, 'payment.verified', $4, $5)`,
    [ids.eventId, store.id, ids.paymentId, JSON.stringify({ paymentId: ids.paymentId }), createdAt],
  );
  const endedAt = new Date(Date.now() - (attemptDays.at(-1) ?? days) * DAY_MS);
  await test.database.query(
    `INSERT INTO deliveries (id, store_id, payment_id, status, attempt_count, created_at, delivered_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ids.eventId,
      store.id,
      ids.paymentId,
      status,
      attemptDays.length,
      createdAt,
      status === 'delivered' ? endedAt : null,
    ],
  );
  for (const [index, attemptDay] of attemptDays.entries()) {
    await test.database.query(
      `INSERT INTO delivery_attempts (delivery_id, store_id, number, at, duration_ms, response_status)
       VALUES ($1, $5, $2, $3, 5, $4)`,
      [ids.eventId, index + 1, new Date(Date.now() - attemptDay * DAY_MS), 500 + index, store.id],
    );
  }
  return ids;
}

const prune = () => test.app.get(Retention).run();
const statusesOf = ({ attempts }: DeliveryAnswer) => attempts.map(({ responseStatus }) => responseStatus);
const redeliver = ({ eventId }: OldDelivery) =>
  test.http.post(`/api/v1/deliveries/${eventId}/redeliver`, undefined, store.key);

describe('attempts', () => {
  it('go after 30 days, one by one; the delivery stays', async () => {
    const old = await insertOld('delivered', 40, [40, 31, 29]);
    const recent = await insertOld('failed', 20, [20, 19]);
    await prune();
    expect(statusesOf(await deliveryOf(test, store, old))).toEqual([502]);
    expect(statusesOf(await deliveryOf(test, store, recent))).toEqual([500, 501]);
    expect(await deliveryOf(test, store, old)).toMatchObject({ status: 'delivered' });
  });

  it('are numbered on behind those that are gone', async () => {
    const old = await insertOld('delivered', 40, [40]);
    await prune();
    expect((await redeliver(old)).status).toBe(202);
    const sent = await eventually(
      () => deliveryOf(test, store, old),
      ({ attempts, status }) => attempts.length === 1 && status === 'delivered',
      'the redelivery',
    );
    expect(statusesOf(sent)).toEqual([200]);
    const rows = await test.database.query('SELECT number FROM delivery_attempts WHERE delivery_id = $1', [
      old.eventId,
    ]);
    expect(rows).toEqual([{ number: 2 }]);
  });

  it('go in batches, all of them', async () => {
    const many = Array.from({ length: 1_234 }, () => 45);
    const old = await insertOld('delivered', 45, many);
    await prune();
    expect(statusesOf(await deliveryOf(test, store, old))).toEqual([]);
  });
});

describe('bodies', () => {
  it('go 90 days after the delivery; what was not delivered keeps its own', async () => {
    const delivered = await insertOld('delivered', 100, [91]);
    const late = await insertOld('delivered', 100, [89]);
    const failed = await insertOld('failed', 100, [100]);
    const held = await insertOld('held', 100, []);
    await prune();
    expect((await deliveryOf(test, store, delivered)).body).toBeNull();
    for (const kept of [late, failed, held]) {
      expect((await deliveryOf(test, store, kept)).body).toBe(JSON.stringify({ paymentId: kept.paymentId }));
    }
  });

  it('leave the event in its place in the feed', async () => {
    const events = [await insertOld('delivered', 100, [95]), await insertOld('failed', 99, [99])];
    await prune();
    const feed = await test.http.get<{ data: { id: string; body: string | null }[] }>(
      '/api/v1/events',
      store.key,
    );
    expect(feed.body.data.map(({ id, body }) => [id, body === null])).toEqual([
      [events[0]!.eventId, true],
      [events[1]!.eventId, false],
    ]);
  });

  it('cannot be sent again, neither alone nor in a replay', async () => {
    const gone = await insertOld('delivered', 100, [95]);
    const kept = await insertOld('failed', 99, [99]);
    await prune();
    expect(await redeliver(gone)).toMatchObject({ status: 409, body: { code: 'event.body_pruned' } });
    const path = `/api/v1/stores/${store.id}/deliveries`;
    const refused = await test.http.post(`${path}/${gone.eventId}/redeliver`, undefined, admin);
    expect(refused).toMatchObject({ status: 409, body: { code: 'event.body_pruned' } });

    const since = new Date(Date.now() - 200 * DAY_MS).toISOString();
    const { body } = await test.http.post<{ id: string }>(`${path}/replay`, { since, only: 'all' }, admin);
    const done = await eventually(
      async () => (await test.http.get(`${path}/replay/${body.id}`, admin)).body,
      ({ status }) => status === 'done',
      'the end of the replay',
    );
    expect(done).toMatchObject({ total: 2, done: 1, skipped: 1 });
    await ledger.waitFor('the one that is kept', () => ledger.timesOf(kept.paymentId) === 1);
    expect(ledger.timesOf(gone.paymentId)).toBe(0);
  });
});

it('nothing goes when it is switched off', async () => {
  const keeping = await startTestApp({
    environment: { RETENTION_ATTEMPTS: 'off', RETENTION_BODIES: 'off' },
    database: test.database,
  });
  try {
    const old = await insertOld('delivered', 300, [300]);
    await keeping.app.get(Retention).run();
    const delivery = await deliveryOf(test, store, old);
    expect([statusesOf(delivery), delivery.body === null]).toEqual([[500], false]);
  } finally {
    await keeping.close();
  }
});
