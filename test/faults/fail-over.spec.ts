import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.js';
import { startSteadyWork } from '../support/steady-work.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';
import { startWebhookLedger, type WebhookLedger } from '../support/webhook-ledger.js';

/*
 * Rules: contract 8.14.
 *
 * Goal: the primary dies in the middle of the work, its copy is promoted, and the service goes on by itself; with
 * `synchronous_standby_names` nothing that it has acknowledged is lost (contract 8.14). Method: two real servers; the
 * application knows both addresses, the copy's first. Payments are made without a pause while the primary is ended as
 * a power cut would, and every one that was answered 201 or verified is looked for afterwards.
 */

const WRITERS = 8;

let servers: ReplicatedPostgres;
let test: TestApp;
let ledger: WebhookLedger;
let store: TestStore;

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  await servers.commitOnBoth();
  ledger = await startWebhookLedger();
  const database = {
    url: servers.url,
    query: <Row>(text: string, values?: unknown[]) => servers.standby.query(text, values) as Promise<Row[]>,
    drop: () => Promise.resolve(),
  };
  test = await startTestApp({ database });
  store = await createStore(test.http, await signIn(test.http), { webhookUrl: ledger.url });
});
afterAll(async () => {
  await test.close();
  await ledger.close();
  await servers.close();
});

describe('a primary that dies', () => {
  it(
    'costs nothing that was acknowledged, and the service goes on by itself',
    { timeout: 240_000 },
    async () => {
      const work = startSteadyWork(test.http, store, WRITERS);
      await eventually(
        () => work.verified.size,
        (count) => count >= 50,
        'payments before the crash',
      );

      await servers.primary.crash();
      await servers.promote();
      const before = work.verified.size;
      await eventually(
        () => work.verified.size,
        (count) => count >= before + 50,
        'payments after the promotion',
        60_000,
      );
      await work.stop();

      // What failed meanwhile was answered as unavailable, and nothing else.
      expect([...work.refused.keys()].filter((status) => status !== 503)).toEqual([]);
      const rows = await servers.standby.query<{ id: string; status: string }>(
        'SELECT id, status FROM payments',
      );
      const statuses = new Map(rows.map(({ id, status }) => [id, status]));
      expect([...work.created].filter((id) => !statuses.has(id))).toEqual([]);
      expect([...work.verified].filter((id) => statuses.get(id) !== 'verified')).toEqual([]);
      await eventually(
        () => [...work.verified].filter((id) => ledger.timesOf(id) === 0),
        (untold) => untold.length === 0,
        'the webhook of every payment',
        60_000,
      );
      expect((await test.http.get('/health/ready')).status).toBe(200);
    },
  );
});

describe('an old primary that came back without knowing better', () => {
  it('is not gone back to while the new one is away', { timeout: 240_000 }, async () => {
    const pair = await startReplicatedPostgres();
    // The old one lives on, and would take what is written.
    await pair.promote();
    const database = {
      url: pair.url,
      query: <Row>(text: string, values?: unknown[]) => pair.standby.query(text, values) as Promise<Row[]>,
      drop: () => Promise.resolve(),
    };
    const service = await startTestApp({ database });
    try {
      const shop = await createStore(service.http, await signIn(service.http), {});
      const create = async () =>
        (await service.http.post('/api/v1/payments', { amount: 5 }, shop.key)).status;
      expect(await create()).toBe(201);
      await pair.standby.crash();
      for (let count = 0; count < 2; count += 1) {
        expect(await create()).toBe(503);
        expect((await service.http.get('/health/ready')).status).toBe(503);
      }
      expect(await pair.primary.query('SELECT FROM stores')).toEqual([]);
    } finally {
      await service.close();
      await pair.close();
    }
  });
});
