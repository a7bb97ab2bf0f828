import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database } from '../../src/platform/database/index.js';
import { Events } from '../../src/platform/events/index.js';
import { allDelivered } from '../support/delivery-views.js';
import { eventually } from '../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { appendEvent, insertPayment } from '../support/events.js';
import { createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 7.2, 7.24, 7.26.
 *
 * Goal: much to send, or a database that is slow for a while, delays nothing for longer than it must, and sends
 * nothing twice. Method: the real application, whose steps in the database are held up by locks from outside. Where
 * nothing may depend on the look that the worker takes once a second, that look is taken away.
 */

let receiver: MerchantReceiver;
let test: TestApp;
let user: Record<string, string>;
let outside: Client;

beforeEach(async () => {
  receiver = await startMerchantReceiver();
});

afterEach(async () => {
  await outside.end();
  await receiver.close();
  await test.close();
});

async function start(environment: Record<string, string> = {}): Promise<void> {
  test = await startTestApp({ environment, writesPastService: true });
  user = await signIn(test.http);
  outside = new Client({ connectionString: test.database.url });
  await outside.connect();
}

const newStore = () => createStore(test.http, user, { webhookUrl: receiver.url });

function takeTheTickAway(): void {
  test.app.get(SchedulerRegistry).deleteInterval('deliveries');
}

/** Resolves when a count has not changed for half a second. */
async function standstill(count: () => number): Promise<void> {
  let seen = -1;
  while (seen !== count()) {
    seen = count();
    await delay(500);
  }
}

/** Deliveries of a store that are due (or held), written past `Events`. */
async function insertDue(
  storeId: string,
  count: number,
  status: 'pending' | 'held' = 'pending',
): Promise<void> {
  await test.database.query(
    `WITH numbers AS (SELECT gen_random_uuid() AS id FROM generate_series(1, $2)),
     event AS (
       INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
       SELECT id, $1, id, id, 'payment.verified', '{}', now() FROM numbers RETURNING id)
     INSERT INTO deliveries (id, store_id, payment_id, status, due_at, created_at)
     SELECT id, $1, id, $3, CASE WHEN $3 = 'pending' THEN now() END, now() FROM event`,
    [storeId, count, status],
  );
}

it('goes on as soon as the database takes again what became of deliveries', async () => {
  await start();
  const stores = await Promise.all(Array.from({ length: 8 }, newStore));
  await outside.query('BEGIN');
  await outside.query('LOCK TABLE delivery_attempts IN SHARE MODE');
  for (const { id } of stores) await insertDue(id, 1_200);
  // So many may wait to be written, or for so long; then nothing more is sent.
  await receiver.waitFor(2_000);
  await standstill(() => receiver.received.length);
  expect(receiver.received.length).toBeLessThan(9_600);
  takeTheTickAway();
  await outside.query('COMMIT');
  await allDelivered(test.database, 9_600, 20_000);
  expect(receiver.received).toHaveLength(9_600);
});

it('sends what found no room in memory as soon as it is committed', async () => {
  await start();
  const store = await newStore();
  takeTheTickAway();
  const responses: ServerResponse[] = [];
  const hold = (response: ServerResponse) => void responses.push(response);
  receiver.answerNext(hold, hold);
  for (let count = 0; count < 10; count += 1) await appendEvent(test, store.id);
  await receiver.waitFor(2);
  const paymentId = await insertPayment(test, store.id);
  await test.app.get(Database).transaction(async (tx) => {
    const event = { storeId: store.id, paymentId, event: 'payment.verified', body: '{}' } as const;
    await test.app.get(Events).append(tx, { ...event, createdAt: new Date() });
    // The quota runs empty meanwhile, and finds nothing more in the table.
    for (const response of responses) response.writeHead(200).end();
    await allDelivered(test.database, 10, 20_000);
  });
  await allDelivered(test.database, 11, 20_000);
});

it('does not send what another may have taken over while the store was looked up', async () => {
  await start({ WEBHOOK_TIMEOUT: '1s' });
  const store = await newStore();
  await appendEvent(test, store.id);
  await allDelivered(test.database, 1, 20_000);
  await outside.query('BEGIN');
  await outside.query('LOCK TABLE store_secrets IN ACCESS EXCLUSIVE MODE');
  // What comes from the table is looked up for; a new event has read its target in its own transaction.
  await test.database.query(`UPDATE deliveries SET status = 'pending', due_at = now(), delivered_at = NULL`);
  const leaseToken = async () =>
    (await test.database.query<{ lease_token: string | null }>('SELECT lease_token FROM deliveries'))[0]!
      .lease_token;
  const first = await eventually(leaseToken, (token) => token !== null, 'a lease');
  await eventually(
    leaseToken,
    (token) => token !== first && token !== null,
    'a lease after the first',
    20_000,
  );
  await outside.query('COMMIT');
  await allDelivered(test.database, 1, 20_000);
  // Whatever else waited for the look-up was before this one.
  await appendEvent(test, store.id);
  await allDelivered(test.database, 2, 20_000);
  expect(receiver.received).toHaveLength(3);
});

it('lets everything go that is held once there is a URL, however much it is, without waiting for the clock', async () => {
  await start();
  const stores = [await newStore(), await newStore(), await newStore()];
  const counts = [3_500, 10, 1_500];
  const setUrl = (webhookUrl: string | null) =>
    Promise.all(
      stores.map(({ id }) =>
        test.http.request('PATCH', `/api/v1/stores/${id}`, { headers: user, body: { webhookUrl } }),
      ),
    );
  await setUrl(null);
  for (const [index, { id }] of stores.entries()) await insertDue(id, counts[index]!, 'held');
  takeTheTickAway();
  await setUrl(receiver.url);
  await allDelivered(test.database, 5_010, 20_000);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5_010);
  expect(receiver.received).toHaveLength(5_010);
});
