import type { ServerResponse } from 'node:http';
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allDelivered } from '../../support/delivery-views.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { appendEvent, type AppendedEvent } from '../../support/events.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

/*
 * Rules: contract 7.24.
 *
 * Goal: several replicas send every delivery between them, and none is lost when one of them stops. Method: two
 * applications on one database; what became of deliveries is read from the table, whoever sent them. The one that
 * stays is started last, because Passport knows one strategy of a name for each process.
 */

const ENVIRONMENT = { WEBHOOK_RETRY_SCHEDULE: '200ms,300ms', WEBHOOK_TIMEOUT: '20s' };

let database: TestDatabase;
let leaving: TestApp;
let staying: TestApp;
let receiver: MerchantReceiver;
let store: TestStore;
let open: TestApp[];

beforeEach(async () => {
  receiver = await startMerchantReceiver();
  database = await createTestDatabase();
  leaving = await startTestApp({ environment: ENVIRONMENT, database });
  staying = await startTestApp({ environment: ENVIRONMENT, database });
  open = [leaving, staying];
  store = await createStore(staying.http, await signIn(staying.http), { webhookUrl: receiver.url });
});

afterEach(async () => {
  await receiver.close();
  for (const app of open) await app.close();
  await database.drop();
});

async function close(app: TestApp): Promise<void> {
  open = open.filter((other) => other !== app);
  await app.close();
}

const receivedIds = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));

it('sends every delivery once', async () => {
  const events = await Promise.all(
    Array.from({ length: 60 }, (_, index) => appendEvent(index % 2 === 0 ? leaving : staying, store.id)),
  );
  await allDelivered(database, 60);
  expect(receivedIds().sort()).toEqual(events.map(({ eventId }) => eventId).sort());
});

it('takes due deliveries once, whoever asks the table first', async () => {
  await database.query('UPDATE stores SET webhook_url = NULL');
  const events: AppendedEvent[] = [];
  for (let count = 0; count < 300; count += 1) events.push(await appendEvent(leaving, store.id));
  await database.query('UPDATE stores SET webhook_url = $1', [receiver.url]);
  await database.query(`UPDATE deliveries SET status = 'pending', due_at = now()`);
  await allDelivered(database, 300);
  expect(receivedIds().sort()).toEqual(events.map(({ eventId }) => eventId).sort());
});

it('sends what has been left lying as soon as one starts, before its first look at the clock', async () => {
  for (const app of [leaving, staying]) await close(app);
  const [before] = await database.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM deliveries',
  );
  expect(before!.count).toBe(0);
  const asleep = await startTestApp({ environment: ENVIRONMENT, database });
  open.push(asleep);
  await database.query('UPDATE stores SET webhook_url = NULL');
  const { eventId } = await appendEvent(asleep, store.id);
  await close(asleep);
  await database.query('UPDATE stores SET webhook_url = $1', [receiver.url]);
  await database.query(`UPDATE deliveries SET status = 'pending', due_at = now()`);
  const awake = await startTestApp({ environment: ENVIRONMENT, database });
  open.push(awake);
  // From here on nothing but the start itself makes it look.
  awake.app.get(SchedulerRegistry, { strict: false }).deleteInterval('deliveries');
  await allDelivered(database, 1);
  expect(receivedIds()).toEqual([eventId]);
});

it('takes over at once what one hands back when it stops', async () => {
  const hang = () => undefined;
  receiver.answerNext(hang, hang);
  const events: AppendedEvent[] = [];
  for (let count = 0; count < 6; count += 1) events.push(await appendEvent(leaving, store.id));
  await receiver.waitFor(2);
  // Two are under way and do not end; the others wait behind them.
  await close(leaving);
  await allDelivered(database, 6);
  const ids = receivedIds();
  const times = events.map(({ eventId }) => ids.filter((id) => id === eventId).length);
  expect(times).toEqual([2, 2, 1, 1, 1, 1]);
  const attempts = await database.query<{ error: string | null; number: number }>(
    `SELECT a.number, a.error FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
     WHERE d.id = $1 ORDER BY a.number`,
    [events[0]!.eventId],
  );
  expect(attempts).toEqual([
    { number: 1, error: 'aborted' },
    { number: 2, error: null },
  ]);
});

it('lets what is under way come to its end when it stops', async () => {
  const responses: ServerResponse[] = [];
  receiver.answerNext((response) => void responses.push(response));
  await appendEvent(leaving, store.id);
  await receiver.waitFor(1);
  const closed = close(leaving);
  responses[0]!.writeHead(200).end();
  await closed;
  await allDelivered(database, 1);
  expect(receiver.received).toHaveLength(1);
});
