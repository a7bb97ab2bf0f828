import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { DeliveryWorker } from '../../../src/notifications/dispatching/delivery-worker.js';
import { ReplaysRepository } from '../../../src/notifications/replays/replays.repository.js';
import { eventually } from '../../support/eventually.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { startWebhookLedger, type WebhookLedger } from '../../support/webhook-ledger.js';

/*
 * Rules: contract 7.42 to 7.47.
 *
 * Goal: a range of deliveries is sent again, once each, with progress to see, and however often the process that does
 * it ends. Method: the real application over deliveries written into its tables, minutes apart; a crash is a batch
 * that no tick follows.
 */

interface Replay {
  id: string;
  status: string;
  total: number;
  done: number;
  skipped: number;
  finishedAt: string | null;
}

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

const DAY = '2026-11-01T';

/** Deliveries a minute apart from midnight on, all of one status. Answers their payments, oldest first. */
async function insertDeliveries(count: number, status: string, of: TestStore = store): Promise<string[]> {
  const payments = Array.from({ length: count }, newId);
  await test.database.query(
    `WITH event AS (
       INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
       SELECT id, $2, id, id, 'payment.verified', format('{"paymentId":"%s"}', id), now()
       FROM unnest($1::uuid[]) id RETURNING id
     )
     INSERT INTO deliveries (id, store_id, payment_id, status, created_at, delivered_at, round_failures)
     SELECT given.id, $2, given.id, $3, $4::timestamptz + given.number * interval '1 minute',
       CASE WHEN $3 = 'delivered' THEN now() END, CASE WHEN $3 = 'failed' THEN 14 ELSE 0 END
     FROM unnest($1::uuid[]) WITH ORDINALITY given (id, number)`,
    [payments, of.id, status, `${DAY}00:00:00Z`],
  );
  return payments;
}

const path = (of: TestStore = store) => `/api/v1/stores/${of.id}/deliveries/replay`;
const start = (body: Record<string, unknown>): Promise<HttpAnswer<Replay>> =>
  test.http.post<Replay>(path(), body, admin);
const progress = async (id: string) => (await test.http.get<Replay>(`${path()}/${id}`, admin)).body;

/** Replays and waits until it is done and everything has been delivered. */
async function replay(body: Record<string, unknown>): Promise<Replay> {
  const started = await start(body);
  expect(started.status).toBe(202);
  const done = await eventually(
    () => progress(started.body.id),
    ({ status }) => status === 'done',
    'the end of the replay',
  );
  await eventually(
    () =>
      test.database.query(`SELECT FROM deliveries WHERE store_id = $1 AND status = 'pending'`, [store.id]),
    (rows) => rows.length === 0,
    'the last delivery',
  );
  return done;
}

const sentOf = (payments: readonly string[]) =>
  ledger.entries.map(({ paymentId }) => paymentId).filter((id) => payments.includes(id));

describe('a replay', () => {
  it('sends what has failed in the range, and nothing else, each once', async () => {
    const failed = await insertDeliveries(10, 'failed');
    const delivered = await insertDeliveries(10, 'delivered');
    // The third to the sixth minute: the end is not part of the range.
    const done = await replay({ since: `${DAY}00:03:00Z`, until: `${DAY}06:07:00+06:00` });
    expect(done).toMatchObject({ status: 'done', total: 4, done: 4, skipped: 0 });
    expect(done.finishedAt).toMatch(/Z$/);
    expect(sentOf(failed).sort()).toEqual(failed.slice(2, 6).sort());
    expect(sentOf(delivered)).toEqual([]);
  });

  it('sends what was delivered, too, when asked for all; what is held stays held', async () => {
    const failed = await insertDeliveries(3, 'failed');
    const delivered = await insertDeliveries(3, 'delivered');
    expect(await replay({ since: `${DAY}00:00:00Z`, only: 'all' })).toMatchObject({ total: 6, done: 6 });
    expect(sentOf([...failed, ...delivered]).sort()).toEqual([...failed, ...delivered].sort());
  });

  it('goes on in batches, with progress, and is one at a time for a store', async () => {
    const held: ServerResponse[] = [];
    const hold = (response: ServerResponse) => void held.push(response);
    let answer = hold;
    const slow = await startWebhookLedger({ answer: (response) => answer(response) });
    try {
      store = await createStore(test.http, admin, { webhookUrl: slow.url });
      const failed = await insertDeliveries(1_200, 'failed');
      const started = await start({ since: `${DAY}00:00:00Z` });
      expect(started.body).toMatchObject({ status: 'running', total: 1_200, done: 0, finishedAt: null });
      const refused = await start({ since: `${DAY}00:00:00Z` });
      expect(refused).toMatchObject({ status: 409, body: { code: 'replay.running' } });
      // Nothing is answered, so no more than a batch is put on its way.
      const halfway = await eventually(
        () => progress(started.body.id),
        ({ done }) => done >= 1_000,
        'the first batch',
      );
      expect(halfway).toMatchObject({ status: 'running', total: 1_200, finishedAt: null });
      answer = (response) => void response.writeHead(200).end('ok');
      for (const response of held) answer(response);
      const ended = await eventually(
        () => progress(started.body.id),
        ({ status }) => status === 'done',
        'the end of the replay',
      );
      expect(ended).toMatchObject({ total: 1_200, done: 1_200, skipped: 0 });
      const sent = () => slow.entries.map(({ paymentId }) => paymentId);
      await slow.waitFor('all of them', () => new Set(sent()).size === failed.length);
      expect(sent()).toHaveLength(failed.length);
    } finally {
      for (const response of held) response.destroy();
      await slow.close();
    }
    // Another one may follow, and finds nothing left to do.
    expect(await replay({ since: `${DAY}00:00:00Z` })).toMatchObject({ total: 0, done: 0 });
  });

  it('of one store that fails keeps no other waiting', async () => {
    const other = await createStore(test.http, admin, { webhookUrl: ledger.url });
    await insertDeliveries(2, 'failed', other);
    await insertDeliveries(3, 'failed');
    const repository = test.app.get(ReplaysRepository);
    const advance = repository.advance.bind(repository);
    vi.spyOn(repository, 'advance').mockImplementation((row, batch) =>
      row.storeId === other.id ? Promise.reject(new Error('not now')) : advance(row, batch),
    );
    const failing = await test.http.post<Replay>(path(other), { since: `${DAY}00:00:00Z` }, admin);
    expect(failing.status).toBe(202);
    expect(await replay({ since: `${DAY}00:00:00Z` })).toMatchObject({ total: 3, done: 3 });
    vi.restoreAllMocks();
    await eventually(
      async () => (await test.http.get<Replay>(`${path(other)}/${failing.body.id}`, admin)).body,
      ({ status }) => status === 'done',
      'the other one, later',
    );
  });

  it('holds what has nowhere to go, like a redelivery', async () => {
    await insertDeliveries(3, 'failed');
    await test.http.request('PATCH', `/api/v1/stores/${store.id}`, {
      headers: admin,
      body: { webhookUrl: null },
    });
    expect(await replay({ since: `${DAY}00:00:00Z` })).toMatchObject({ total: 3, done: 3 });
    const rows = await test.database.query('SELECT status FROM deliveries WHERE store_id = $1', [store.id]);
    expect(rows).toEqual([{ status: 'held' }, { status: 'held' }, { status: 'held' }]);
  });

  it.each([
    [{}],
    [{ since: 'yesterday' }],
    [{ since: `${DAY}00:00:00` }],
    [{ since: '2026-11-31T00:00:00Z' }],
    [{ since: '2026-11-21T08:20:09,123Z' }],
    [{ since: '2026-W47-6T08:20:09Z' }],
    [{ since: '2026-325T08:20:09Z' }],
    [{ since: '20261121T082009Z' }],
    [{ since: `${DAY}00:00:00Z`, until: '2026-11-21T08:20.5Z' }],
    [{ since: `${DAY}00:00:00Z`, until: `${DAY}00:00:00Z` }],
    [{ since: `${DAY}00:00:00Z`, only: 'held' }],
    [{ since: `${DAY}00:00:00Z`, from: 1 }],
  ])('is refused for %j', async (body) => {
    expect(await start(body)).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
  });

  it('is shown to nobody else', async () => {
    const { body } = await start({ since: `${DAY}00:00:00Z` });
    const other = await createStore(test.http, admin);
    for (const wrong of [body.id, newId(), 'not-an-id']) {
      expect(await test.http.get(`${path(other)}/${wrong}`, admin)).toMatchObject({
        status: 404,
        body: { code: 'replay.not_found' },
      });
    }
    expect((await test.http.post(path(), { since: `${DAY}00:00:00Z` }, store.key)).status).toBe(401);
  });
});

describe('a replay whose replica has died', () => {
  it('goes on behind the last batch that was committed', async () => {
    const failed = await insertDeliveries(9, 'failed');
    const repository = test.app.get(ReplaysRepository);
    const range = { since: new Date(`${DAY}00:00:00Z`), until: new Date(), only: 'failed' } as const;
    const id = newId();
    await repository.insert({ id, storeId: store.id, ...range });
    // Whoever took these four was killed behind the commit: nobody in this process knows of them, or of the replay.
    await repository.advance({ id, storeId: store.id }, 4);
    test.app.get(DeliveryWorker).wakeIn(0);
    await eventually(
      () => progress(id),
      ({ status, done }) => status === 'done' && done === failed.length,
      'the end of the replay',
    );
    await ledger.waitFor('all of them', () => sentOf(failed).length >= failed.length);
    expect(sentOf(failed).sort()).toEqual([...failed].sort());
  });
});
