import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/index.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { queryOnce } from '../support/query-once.js';
import { isGone } from '../support/system-processes.js';
import { allDelivered } from '../support/delivery-views.js';
import { eventually } from '../support/eventually.js';
import { appendEvent, type AppendedEvent } from '../support/events.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { startWebhookLedger, type WebhookLedger } from '../support/webhook-ledger.js';

/*
 * Rules: contract 7.3.
 *
 * Goal: a database that ends in the middle of deliveries, and comes back, costs no event and no second POST: what
 * receivers answered meanwhile is kept in memory and written down afterwards. Method: the real application in this
 * process on a PostgreSQL of its own, which is ended at once (as `pg_ctl stop -m immediate` does) while receivers
 * have not answered, and started again on the same files.
 */

let folder: string;
let postgres: EmbeddedPostgres;
let test: TestApp;
let ledger: WebhookLedger;
let store: TestStore;
let waiting: ServerResponse[] | null = null;

const startPostgres = () =>
  EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), onExit: () => undefined });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joma-database-'));
  postgres = await startPostgres();
  const source = await new DataSource(
    dataSourceOptions(postgres.url, 2, { migrations: MIGRATIONS }),
  ).initialize();
  await migrate(source);
  await source.destroy();
  ledger = await startWebhookLedger({
    answer: (response) => {
      if (waiting === null) response.writeHead(200).end('ok');
      else waiting.push(response);
    },
  });
  const database = {
    url: postgres.url,
    query: <Row>(text: string, values?: unknown[]) => queryOnce<Row>(postgres.url, text, values),
    drop: () => Promise.resolve(),
  };
  test = await startTestApp({ environment: { WEBHOOK_TIMEOUT: '30s' }, database });
  store = await createStore(test.http, await signIn(test.http), { webhookUrl: ledger.url });
});
afterAll(async () => {
  await test.close();
  await ledger.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** On a connection of its own: none survives the restart. */
async function endDatabase(): Promise<void> {
  const pid = Number.parseInt(await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
  process.kill(pid, 'SIGQUIT');
  await eventually(() => isGone(pid), Boolean, 'the end of the database');
  await postgres.stop();
}

async function append(count: number): Promise<AppendedEvent[]> {
  const events: AppendedEvent[] = [];
  for (let index = 0; index < count; index += 1) events.push(await appendEvent(test, store.id));
  return events;
}

it('a database that ends and comes back in the middle of deliveries costs nothing', async () => {
  await append(10);
  await allDelivered(test.database, 10, 30_000);
  waiting = [];
  await append(5);
  await ledger.waitFor('five under way', () => ledger.entries.length === 15);

  await endDatabase();
  const responses = waiting;
  waiting = null;
  for (const response of responses) response.writeHead(200).end('ok');
  // While it is away: refused in the house's words, and still alive.
  const refused = await test.http.get('/api/v1/deliveries', store.key);
  expect(refused).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect((await test.http.get('/health/live')).status).toBe(200);

  const { url } = postgres;
  postgres = await startPostgres();
  expect(postgres.url).toBe(url);
  await allDelivered(test.database, 15, 30_000);
  expect(ledger.entries).toHaveLength(15);
  const attempts = await queryOnce<{ count: number }>(
    postgres.url,
    'SELECT count(*)::integer AS count FROM delivery_attempts',
  );
  expect(attempts).toEqual([{ count: 15 }]);

  await append(10);
  await allDelivered(test.database, 25, 30_000);
  expect(ledger.entries).toHaveLength(25);
}, 120_000);
