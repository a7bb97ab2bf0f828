import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EndpointWatch } from '../../../src/notifications/endpoint-watch.js';
import { deliveryBecomes, deliveryOf } from '../../support/delivery-views.js';
import { eventually } from '../../support/eventually.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { appendEvent, type AppendedEvent } from '../../support/events.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 7.15, 7.27 to 7.31, 7.33, 7.51, 15.10.
 *
 * Goal: an endpoint that is gone, or has failed for days, is left alone; its events are held and none is lost; a
 * user, or a new URL, ends that. Method: the real application; days pass by putting back when an endpoint began to
 * fail.
 */

let test: TestApp;
let admin: { Authorization: string };
let receiver: MerchantReceiver;
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp({
    writesPastService: true,
    environment: { WEBHOOK_RETRY_SCHEDULE: '50ms,1h', WEBHOOK_TIMEOUT: '600ms' },
  });
  admin = await signIn(test.http);
});
afterAll(async () => {
  await test.close();
});
beforeEach(async () => {
  receiver = await startMerchantReceiver();
  store = await createStore(test.http, admin, { webhookUrl: receiver.url });
});
afterEach(async () => {
  await receiver.close();
});

const answer = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
const path = () => `/api/v1/stores/${store.id}`;
const view = async () => (await test.http.get(path(), admin)).body;
const resume = () => test.http.post(`${path()}/webhook/resume`, undefined, admin);
const patch = (changes: Record<string, unknown>): Promise<HttpAnswer> =>
  test.http.request('PATCH', path(), { headers: admin, body: changes });

async function auditActions(): Promise<string[]> {
  const { body } = await test.http.get<{ data: { action: string; actor: { type: string } }[] }>(
    `${path()}/audit-log`,
    admin,
  );
  return body.data.map(({ action, actor }) => `${action} by ${actor.type}`);
}

const NOT_PAUSED = { webhookPausedAt: null, webhookPauseReason: null };

describe('a receiver that answers 410', () => {
  let event: AppendedEvent;

  beforeEach(async () => {
    receiver.answerNext(answer(410));
    event = await appendEvent(test, store.id);
    await deliveryBecomes(test, store, event, 'held');
  });

  it('is not sent to any more; what comes is held, and shown', async () => {
    expect(await view()).toMatchObject({
      webhookUrl: receiver.url,
      webhookPausedAt: expect.stringMatching(/Z$/) as string,
      webhookPauseReason: 'gone',
    });
    expect(await auditActions()).toContain('webhook.paused by system');
    const held = await deliveryOf(test, store, event);
    expect(held).toMatchObject({
      attempts: [{ responseStatus: 410, error: 'http_status' }],
      nextAttemptAt: null,
    });

    const next = await appendEvent(test, store.id);
    expect(await deliveryOf(test, store, next)).toMatchObject({ status: 'held', attempts: [] });
    const redelivered = await test.http.post(`/api/v1/deliveries/${held.id}/redeliver`, undefined, store.key);
    expect(redelivered).toMatchObject({ status: 202, body: { status: 'held' } });
    expect(receiver.received).toHaveLength(1);
  });

  it('gets everything when a user resumes it', async () => {
    const next = await appendEvent(test, store.id);
    expect(await resume()).toMatchObject({ status: 200, body: NOT_PAUSED });
    for (const waiting of [event, next]) await deliveryBecomes(test, store, waiting, 'delivered');
    expect(await auditActions()).toContain('webhook.resumed by user');
    // Once more is no error, and changes nothing.
    expect(await resume()).toMatchObject({ status: 200, body: NOT_PAUSED });
    expect((await auditActions()).filter((line) => line.startsWith('webhook.resumed'))).toHaveLength(1);
  });

  it('is left behind by a new URL, and by nothing else that is changed', async () => {
    expect((await patch({ name: 'Renamed', webhookUrl: receiver.url })).body).toMatchObject({
      webhookPauseReason: 'gone',
    });
    expect(await deliveryOf(test, store, event)).toMatchObject({ status: 'held' });
    const moved = await startMerchantReceiver();
    try {
      expect((await patch({ webhookUrl: moved.url })).body).toMatchObject(NOT_PAUSED);
      await deliveryBecomes(test, store, event, 'delivered');
      expect(moved.received).toHaveLength(1);
    } finally {
      await moved.close();
    }
  });

  it('can be tried with a test event', async () => {
    const tried = await test.http.post(`${path()}/webhook/test`, undefined, admin);
    expect(tried).toMatchObject({ status: 200, body: { ok: true } });
    expect(await view()).toMatchObject({ webhookPauseReason: 'gone' });
  });

  it('can be resumed only by those who may see the store', async () => {
    expect((await test.http.post(`${path()}/webhook/resume`, undefined, store.key)).status).toBe(401);
    expect((await test.http.post(`${path()}/webhook/resume`)).status).toBe(401);
  });
});

it('a 410 from an address that has been replaced meanwhile pauses nothing', async () => {
  const moved = await startMerchantReceiver();
  try {
    receiver.answerNext(
      (response) => void patch({ webhookUrl: moved.url }).then(() => answer(410)(response)),
    );
    const event = await appendEvent(test, store.id);
    await deliveryBecomes(test, store, event, 'delivered');
    expect(await view()).toMatchObject(NOT_PAUSED);
    expect(moved.received).toHaveLength(1);
  } finally {
    await moved.close();
  }
});

it('what was pending is held when it falls due while the endpoint is paused', async () => {
  receiver.answerNext(answer(500));
  const retried = await appendEvent(test, store.id);
  await receiver.waitFor(1);
  await test.database.query(
    `UPDATE stores SET webhook_paused_at = $2, webhook_pause_reason = 'gone' WHERE id = $1`,
    [store.id, new Date()],
  );
  await deliveryBecomes(test, store, retried, 'held');
  expect(receiver.received).toHaveLength(1);
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a receiver that fails for days', () => {
  /** Events that have each failed at least once. */
  async function fail(events: number): Promise<AppendedEvent[]> {
    receiver.answerNext(...Array.from({ length: events * 3 }, () => answer(500)));
    const failed: AppendedEvent[] = [];
    for (let count = 0; count < events; count += 1) failed.push(await appendEvent(test, store.id));
    for (const event of failed) {
      await eventually(
        () => deliveryOf(test, store, event),
        ({ attempts }) => attempts.length >= 1,
        'an attempt',
      );
    }
    return failed;
  }

  const failingSince = async () => {
    const [row] = await test.database.query<{ webhook_failing_since: Date | null }>(
      'SELECT webhook_failing_since FROM store_states WHERE store_id = $1',
      [store.id],
    );
    return row!.webhook_failing_since;
  };
  /** The instant is reckoned here: a cluster refuses to, in an UPDATE. */
  const putBack = async (ms: number) => {
    const since = await failingSince();
    await test.database.query('UPDATE store_states SET webhook_failing_since = $2 WHERE store_id = $1', [
      store.id,
      new Date(since!.getTime() - ms),
    ]);
  };
  const watch = () => test.app.get(EndpointWatch).run();

  it('is paused however many have failed for longer, but less often', async () => {
    const created: TestStore[] = [];
    for (let count = 0; count < 100; count += 1)
      created.push(await createStore(test.http, admin, { webhookUrl: receiver.url }));
    await test.database.query(
      `UPDATE store_states SET webhook_failing_since = now() - interval '30 days' WHERE store_id = ANY ($1)`,
      [created.map(({ id }) => id)],
    );
    await fail(10);
    await putBack(6 * DAY_MS);
    await watch();
    expect(await view()).toMatchObject({ webhookPauseReason: 'failing' });
    await test.database.query(
      'UPDATE store_states SET webhook_failing_since = NULL WHERE store_id = ANY ($1)',
      [created.map(({ id }) => id)],
    );
  });

  it('is paused after five days and ten events; all of them go out when it is resumed', async () => {
    const failed = await fail(10);
    await putBack(5 * DAY_MS - HOUR_MS);
    await watch();
    expect(await view()).toMatchObject(NOT_PAUSED);
    await putBack(2 * HOUR_MS);
    await watch();
    expect(await view()).toMatchObject({ webhookPauseReason: 'failing' });
    expect(await auditActions()).toContain('webhook.paused by system');
    expect(await deliveryOf(test, store, await appendEvent(test, store.id))).toMatchObject({
      status: 'held',
    });
    // What waits for its next step is held when that comes.
    await test.database.query(
      `UPDATE deliveries SET due_at = $2 WHERE store_id = $1 AND status = 'pending'`,
      [store.id, new Date()],
    );
    for (const event of failed) await deliveryBecomes(test, store, event, 'held');

    await receiver.close();
    receiver = await startMerchantReceiver();
    await patch({ webhookUrl: receiver.url });
    for (const event of failed) await deliveryBecomes(test, store, event, 'delivered');
    expect(await failingSince()).toBeNull();
  });

  it('is not paused for fewer events', async () => {
    await fail(9);
    await putBack(30 * DAY_MS);
    await watch();
    expect(await view()).toMatchObject(NOT_PAUSED);
  });

  it('is not paused when one delivery has succeeded meanwhile', async () => {
    await fail(10);
    expect(await failingSince()).not.toBeNull();
    await putBack(30 * DAY_MS);
    await eventually(
      async () => {
        await appendEvent(test, store.id);
        return failingSince();
      },
      (since) => since === null,
      'a success',
    );
    await watch();
    expect(await view()).toMatchObject(NOT_PAUSED);
  });
});
