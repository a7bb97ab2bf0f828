import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/index.js';
import { newId } from '../../src/kernel/ids.js';
import { Outbox } from '../../src/outbox/index.js';
import { startBuiltService } from '../support/built-service.js';
import { insertPayment } from '../support/outbox.js';
import { createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { median } from './load.js';

/*
 * Goal: how soon a merchant hears of a commit, and how fast a backlog goes out, as a ratio to what the same machine can POST.
 * Method: the receiver and the bare loop share this process, a durable PostgreSQL runs beside it. For the first question the
 * application is in this process, too, because only there the moment of the commit is known; for the second it is the built
 * service as a process of its own. The bare loop posts the same bodies to the same receiver: no table, no signature, nothing
 * written down. The service starts cold: its first round is slower than the others.
 */

const RATE_PER_SECOND = 50;
const STEADY_EVENTS = 1_000;
const BACKLOG = 10_000;
const BACKLOG_STORES = 8;
const ROUNDS = 3;
const CONNECTIONS = 64;

let test: TestApp;
let server: Server;
let origin: string;
let storeId: string;
/** When each event arrived first, on the clock of `performance.now()`. */
const arrivals = new Map<string, number>();
let onArrival: () => void = () => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const arrivedAtMs = performance.now();
    const id = String(request.headers['webhook-id']);
    request.resume();
    request.on('end', () => {
      response.writeHead(200).end('ok');
      if (!arrivals.has(id)) arrivals.set(id, arrivedAtMs);
      onArrival();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test = await startTestApp();
  const admin = await signIn(test.http);
  storeId = (await createStore(test.http, admin, { webhookUrl: `${origin}/webhook` })).id;
});
afterAll(async () => {
  await test.close();
  server.closeAllConnections();
  server.close();
});

const bodyOf = (paymentId: string, storeId: string) =>
  JSON.stringify({ event: 'payment.verified', paymentId, storeId, amount: 500, note: 'x'.repeat(200) });

function arrived(count: number): Promise<void> {
  return new Promise((resolve) => {
    onArrival = () => {
      if (arrivals.size >= count) resolve();
    };
    onArrival();
  });
}

/** Commits an event; answers its id, and when its commit was confirmed. */
async function commit(
  storeId: string,
  paymentId: string,
): Promise<{ eventId: string; committedAtMs: number }> {
  let committedAtMs = Number.NaN;
  const { eventId } = await test.app.get(Database).transaction((tx) => {
    // Before the outbox's own, so that its work counts.
    tx.afterCommit(() => (committedAtMs = performance.now()));
    const event = { storeId, paymentId, event: 'payment.verified', createdAt: new Date() } as const;
    return test.app.get(Outbox).append(tx, { ...event, body: bodyOf(paymentId, storeId) });
  });
  return { eventId, committedAtMs };
}

/** Deliveries that will be due, as after an outage of their merchants. */
async function insertBacklog(database: TestDatabase, stores: readonly string[]): Promise<void> {
  const payments = Array.from({ length: BACKLOG }, newId);
  const storeIds = payments.map((_, index) => stores[index % stores.length]!);
  const bodies = payments.map((id, index) => bodyOf(id, storeIds[index]!));
  await database.query(
    `WITH given AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS given (id, store_id, body)),
     payment AS (
       INSERT INTO payments (id, store_id, status, amount_minor, currency, created_at, expires_at)
       SELECT id, store_id, 'pending', 100, 'BDT', now(), now() + interval '1 hour' FROM given),
     event AS (
       INSERT INTO events (id, store_id, payment_id, event, body, created_at)
       SELECT id, store_id, id, 'payment.verified', body, now() FROM given)
     INSERT INTO deliveries (id, event_id, store_id, payment_id, status, due_at, created_at)
     SELECT id, id, store_id, id, 'pending', now() + interval '1 hour', now() FROM given`,
    [payments, storeIds, bodies],
  );
}

/** From the first arrival: the service looks at the table once a second. */
/** From the first arrival: the service looks at the table once a second. */
async function drainPerSecond(database: TestDatabase, stores: readonly string[]): Promise<number> {
  arrivals.clear();
  await insertBacklog(database, stores);
  await database.query('ANALYZE');
  await database.query(`UPDATE deliveries SET due_at = now() WHERE status = 'pending'`);
  await arrived(1);
  const startedAtMs = performance.now();
  await arrived(BACKLOG);
  return (BACKLOG / (performance.now() - startedAtMs)) * 1_000;
}

async function barePerSecond(): Promise<number> {
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const startedAtMs = performance.now();
  let left = BACKLOG;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const id = newId();
      const headers = { 'content-type': 'application/json', 'webhook-id': id };
      const answer = await pool.request({ method: 'POST', path: '/webhook', headers, body: bodyOf(id, id) });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  const perSecond = (BACKLOG / (performance.now() - startedAtMs)) * 1_000;
  await pool.close();
  return perSecond;
}

describe('deliveries', () => {
  it('reach the merchant after the commit', async () => {
    const payments: string[] = [];
    for (let count = 0; count < STEADY_EVENTS; count += 1) payments.push(await insertPayment(test, storeId));
    arrivals.clear();
    const commits: Promise<{ eventId: string; committedAtMs: number }>[] = [];
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        commits.push(commit(storeId, payments[commits.length]!));
        if (commits.length < payments.length) return;
        clearInterval(timer);
        resolve();
      }, 1_000 / RATE_PER_SECOND);
    });
    const committed = await Promise.all(commits);
    await arrived(STEADY_EVENTS);
    const waitsMs = committed
      .map(({ eventId, committedAtMs }) => arrivals.get(eventId)! - committedAtMs)
      .sort((left, right) => left - right);
    const at = (share: number) => waitsMs[Math.floor(waitsMs.length * share)]!.toFixed(1);
    process.stdout.write(
      `commit to request at ${RATE_PER_SECOND}/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${waitsMs.length} events)\n`,
    );
    expect(waitsMs).toHaveLength(STEADY_EVENTS);
  });

  it('drain a backlog', async () => {
    const database = await createTestDatabase();
    const service = await startBuiltService({ DATABASE_URL: database.url });
    const admin = await signIn(service.http);
    const backlogStores: string[] = [];
    for (let count = 0; count < BACKLOG_STORES; count += 1) {
      backlogStores.push((await createStore(service.http, admin, { webhookUrl: `${origin}/webhook` })).id);
    }
    const drains: number[] = [];
    const bares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bares.push(await barePerSecond());
      drains.push(await drainPerSecond(database, backlogStores));
    }
    await service.stop('SIGKILL');
    await database.drop();
    const [drain, bare] = [median(drains), median(bares)];
    process.stdout.write(
      `drain a backlog: ${(drain / bare).toFixed(2)} of a bare POST loop (${drain.toFixed(0)}/s; bare ${bare.toFixed(0)}/s; ` +
        `first round, cold: ${drains[0]!.toFixed(0)}/s)\n`,
    );
    expect(drain / bare).toBeGreaterThan(0);
  });
});
