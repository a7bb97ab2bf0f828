import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/kernel/ids.js';
import { Events } from '../../../src/platform/events/index.js';
import { eventually } from '../../support/eventually.js';
import type { HttpAnswer } from '../../support/http-client.js';
import {
  type MerchantReceiver,
  type ReceivedWebhook,
  startMerchantReceiver,
} from '../../support/merchant-receiver.js';
import { appendEvent, type AppendedEvent, insertPayment } from '../../support/events.js';
import { countStatements } from '../../support/statement-counts.js';
import {
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  signedInUser,
} from '../../support/test-app.js';

/*
 * Rules: contract 2.36, 7.1 to 7.3, 7.5, 7.6, 7.9 to 7.26, 7.32 to 7.40, 7.48 to 7.58.
 *
 * Goal: what contract 7.3 promise a merchant about `payment.verified`, on the real application, a real database and a
 * real receiver on loopback. Events are appended as a verification does; how a payment is verified is tested
 * elsewhere.
 */

const ENVIRONMENT = { WEBHOOK_RETRY_SCHEDULE: '200ms,300ms', WEBHOOK_TIMEOUT: '600ms' };

interface Attempt {
  at: string;
  durationMs: number;
  responseStatus: number | null;
  error: string | null;
  responseExcerpt: string | null;
}

interface Delivery {
  id: string;
  paymentId: string;
  event: string;
  status: string;
  attempts: Attempt[];
  nextAttemptAt: string | null;
  body: string;
  createdAt: string;
}

interface Feed {
  data: { id: string; event: string; createdAt: string; body: string }[];
  nextCursor: string | null;
}

let test: TestApp;
let admin: { Authorization: string };
let receiver: MerchantReceiver;
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp({ environment: ENVIRONMENT, writesPastService: true });
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

/** A promise that is settled from outside. */
function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

const answer =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
const hang = () => undefined;

async function deliveryOf(event: AppendedEvent, of: TestStore = store): Promise<Delivery> {
  const page = await test.http.get<{ data: Delivery[] }>(
    `/api/v1/deliveries?paymentId=${event.paymentId}`,
    of.key,
  );
  expect(page.status).toBe(200);
  expect(page.body.data).toHaveLength(1);
  return page.body.data[0]!;
}

/** Waits until the delivery of an event is as it should be. */
function deliveryWhen(
  event: AppendedEvent,
  isIt: (delivery: Delivery) => boolean,
  of: TestStore = store,
): Promise<Delivery> {
  return eventually(() => deliveryOf(event, of), isIt, 'the delivery');
}

const hasStatus = (status: string) => (delivery: Delivery) => delivery.status === status;

function expectSigned(webhook: ReceivedWebhook, secret: string, signingSecret: string): void {
  const { headers, raw } = webhook;
  expect(headers['x-service-signature']).toBe(createHmac('sha256', secret).update(raw).digest('hex'));
  const standard = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  expect(new Webhook(signingSecret).verify(raw.toString('utf8'), standard)).toEqual(webhook.body);
}

async function patchStore(changes: Record<string, unknown>, of: TestStore = store): Promise<void> {
  const patched = await test.http.request('PATCH', `/api/v1/stores/${of.id}`, {
    headers: admin,
    body: changes,
  });
  expect(patched.status).toBe(200);
}

function redeliver(id: string, of: TestStore = store): Promise<HttpAnswer<Delivery>> {
  return test.http.post<Delivery>(`/api/v1/deliveries/${id}/redeliver`, undefined, of.key);
}

describe('a delivery that succeeds', () => {
  it('is sent at once after the commit: the exact bytes, signed in both ways', async () => {
    const event = await appendEvent(test, store.id, 'অর্ডার ১০৪২');
    const [webhook] = await receiver.waitFor(1);
    expect(webhook!.raw.toString('utf8')).toBe(event.body);
    expect(webhook!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.eventId,
      'content-length': String(Buffer.byteLength(event.body)),
    });
    expectSigned(webhook!, store.webhookSecret, store.signingSecret);

    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery).toMatchObject({
      paymentId: event.paymentId,
      event: 'payment.verified',
      body: event.body,
    });
    expect(delivery.nextAttemptAt).toBeNull();
    expect(delivery.attempts).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
        durationMs: expect.any(Number) as number,
        responseStatus: 200,
        error: null,
        responseExcerpt: 'ok',
      },
    ]);
    const one = await test.http.get<Delivery>(`/api/v1/deliveries/${delivery.id}`, store.key);
    expect(one.body).toEqual(delivery);
  });

  it('is signed with the API key when the store says so', async () => {
    await patchStore({ signWith: 'api_key' });
    await appendEvent(test, store.id);
    const [webhook] = await receiver.waitFor(1);
    expectSigned(webhook!, store.apiKey, store.signingSecret);
  });

  it.each([201, 204, 299])('is one at any 2xx status: %i', async (status) => {
    receiver.answerNext(answer(status));
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery.attempts.map(({ responseStatus }) => responseStatus)).toEqual([status]);
  });

  it('stays one when the body stalls after the status', async () => {
    receiver.answerNext((response) => void response.writeHead(200).write('so far'));
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery.attempts).toMatchObject([
      { responseStatus: 200, error: null, responseExcerpt: 'so far' },
    ]);
  });

  it('is sent for a store that was archived meanwhile', async () => {
    receiver.answerNext(answer(500));
    const { eventId } = await appendEvent(test, store.id);
    await receiver.waitFor(1);
    const archived = await test.http.request('DELETE', `/api/v1/stores/${store.id}`, { headers: admin });
    expect(archived.status).toBe(204);
    await receiver.waitFor(2);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  });

  it('is not sent when the transaction is rolled back', async () => {
    const paymentId = await insertPayment(test, store.id);
    const rolledBack = test.app.get(Database).transaction(async (tx) => {
      const event = { storeId: store.id, paymentId, event: 'payment.verified', body: '{}' } as const;
      await test.app.get(Events).append(tx, { ...event, createdAt: new Date() });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    const event = await appendEvent(test, store.id);
    const [webhook] = await receiver.waitFor(1);
    expect(webhook!.headers['webhook-id']).toBe(event.eventId);
  });
});

describe('a delivery that fails', () => {
  it('is tried again with the same id and bytes, never early', async () => {
    const times: number[] = [];
    const failing = (response: ServerResponse) => {
      times.push(performance.now());
      answer(500, {}, 'broken')(response);
    };
    receiver.answerNext(failing, failing, (response) => {
      times.push(performance.now());
      answer(200)(response);
    });
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery.attempts).toMatchObject([
      { responseStatus: 500, error: 'http_status', responseExcerpt: 'broken' },
      { responseStatus: 500, error: 'http_status' },
      { responseStatus: 200, error: null },
    ]);
    const received = receiver.received;
    expect(received.map(({ raw }) => raw.toString())).toEqual([event.body, event.body, event.body]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.eventId]));
    for (const webhook of received) expectSigned(webhook, store.webhookSecret, store.signingSecret);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(200);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(300);
  });

  it('shows when the next attempt is due', async () => {
    receiver.answerNext(answer(503, { 'Retry-After': '30' }));
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, ({ attempts }) => attempts.length === 1);
    expect(delivery.status).toBe('pending');
    const waitMs = Date.parse(delivery.nextAttemptAt!) - Date.parse(delivery.attempts[0]!.at);
    expect(waitMs).toBeGreaterThanOrEqual(30_000);
  });

  it('does not wait longer than the schedule says for a status to which Retry-After does not belong', async () => {
    receiver.answerNext(answer(500, { 'Retry-After': '3600' }));
    const event = await appendEvent(test, store.id);
    await deliveryWhen(event, hasStatus('delivered'));
  });

  it('has failed for good after the last step, and is kept', async () => {
    receiver.answerNext(answer(404), answer(401), answer(500));
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('failed'));
    expect(delivery.attempts.map(({ responseStatus }) => responseStatus)).toEqual([404, 401, 500]);
    expect(delivery.nextAttemptAt).toBeNull();
    expect(delivery.body).toBe(event.body);
  });

  it('is one when no status comes in time, when it is redirected, or when nobody listens', async () => {
    const closed = await startMerchantReceiver();
    await closed.close();
    receiver.answerNext(hang, answer(302, { Location: receiver.url }), (response) => {
      void patchStore({ webhookUrl: closed.url }).then(() => answer(500)(response));
    });
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('failed'));
    expect(delivery.attempts).toMatchObject([
      { responseStatus: null, error: 'timeout' },
      { responseStatus: 302, error: 'redirect' },
      { responseStatus: 500, error: 'http_status' },
    ]);
    expect(receiver.received).toHaveLength(3);
    await redeliver(delivery.id);
    const again = await deliveryWhen(event, ({ attempts }) => attempts.length === 6);
    expect(again.attempts.slice(3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ responseStatus: null, error: 'connection_failed' })),
    );
  });

  it('goes on at the address, and with the secret, then in force', async () => {
    const moved = await startMerchantReceiver();
    try {
      const regenerated = withResolvers<string>();
      receiver.answerNext((response) => {
        void (async () => {
          await patchStore({ webhookUrl: moved.url });
          const path = `/api/v1/stores/${store.id}/webhook-secret/regenerate`;
          const { body } = await test.http.post<{ webhookSecret: string }>(path, undefined, admin);
          regenerated.resolve(body.webhookSecret);
          answer(500)(response);
        })();
      });
      const event = await appendEvent(test, store.id);
      const secret = await regenerated.promise;
      const [webhook] = await moved.waitFor(1);
      expectSigned(webhook!, secret, store.signingSecret);
      expect(webhook!.raw.toString()).toBe(event.body);
      expect(receiver.received).toHaveLength(1);
    } finally {
      await moved.close();
    }
  });

  it('asks for nothing behind its commit when it is sent at once, and anew when it had to wait', async () => {
    const counts = countStatements('stores-find-delivery-secrets');
    await appendEvent(test, store.id);
    await receiver.waitFor(1);
    expect(counts.get('stores-find-delivery-secrets')).toBe(1);
    vi.restoreAllMocks();
    const moved = await startMerchantReceiver();
    try {
      // All places of the store's quota are taken while its address changes.
      const held: (() => void)[] = [];
      for (let place = 0; place < 64; place += 1)
        receiver.answerNext((response) => void held.push(() => answer(200)(response)));
      const before = receiver.received.length;
      const events = [];
      for (let count = 0; count < 12; count += 1) events.push(await appendEvent(test, store.id));
      await eventually(
        () => receiver.received.length,
        (length) => length > before,
      );
      await patchStore({ webhookUrl: moved.url });
      const sentThere = receiver.received.length - before;
      expect(sentThere).toBeLessThan(events.length);
      await eventually(
        () => held.length,
        (length) => length === sentThere,
      );
      for (const release of held) release();
      await moved.waitFor(events.length - sentThere);
      for (const event of events) await deliveryWhen(event, hasStatus('delivered'));
      expect(receiver.received.length - before).toBe(sentThere);
    } finally {
      await moved.close();
    }
  });

  it('signs with the old signing secret beside the new one', async () => {
    const path = `/api/v1/stores/${store.id}/signing-secret/rotate`;
    const { body } = await test.http.post<{ signingSecret: string }>(path, undefined, admin);
    await appendEvent(test, store.id);
    const [webhook] = await receiver.waitFor(1);
    expectSigned(webhook!, store.webhookSecret, body.signingSecret);
    expectSigned(webhook!, store.webhookSecret, store.signingSecret);
  });

  it('signs with every old signing secret for as long as was promised, however often it is rotated', async () => {
    const path = `/api/v1/stores/${store.id}/signing-secret/rotate`;
    const secrets = [store.signingSecret];
    for (let count = 0; count < 3; count += 1) {
      const { body } = await test.http.post<{ signingSecret: string }>(path, undefined, admin);
      secrets.push(body.signingSecret);
    }
    await appendEvent(test, store.id);
    const [first] = await receiver.waitFor(1);
    for (const secret of secrets) expectSigned(first!, store.webhookSecret, secret);

    // The first one's time is over.
    await test.database.query(
      `UPDATE store_secrets SET signs_until = now() WHERE id =
         (SELECT id FROM store_secrets WHERE store_id = $1 AND kind = 'signing_secret' ORDER BY created_at LIMIT 1)`,
      [store.id],
    );
    await appendEvent(test, store.id);
    const [, second] = await receiver.waitFor(2);
    for (const secret of secrets.slice(1)) expectSigned(second!, store.webhookSecret, secret);
    expect(() => expectSigned(second!, store.webhookSecret, secrets[0]!)).toThrow();
    for (let count = 0; count < 12; count += 1) await test.http.post(path, undefined, admin);
    await appendEvent(test, store.id);
    const [, , last] = await receiver.waitFor(3);
    expect(String(last!.headers['webhook-signature']).split(' ')).toHaveLength(9);
  });
});

describe('a store without a webhook URL', () => {
  beforeEach(async () => {
    store = await createStore(test.http, admin);
  });

  it('keeps its events, which go out when a URL is set', async () => {
    const events = [await appendEvent(test, store.id, 'first'), await appendEvent(test, store.id, 'second')];
    const held = await deliveryOf(events[0]!);
    expect(held).toMatchObject({ status: 'held', attempts: [], nextAttemptAt: null, body: events[0]!.body });
    const redelivered = await redeliver(held.id);
    expect(redelivered).toMatchObject({ status: 202, body: { status: 'held' } });

    await patchStore({ webhookUrl: receiver.url });
    const received = await receiver.waitFor(2);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(events.map(({ eventId }) => eventId)),
    );
    for (const event of events) await deliveryWhen(event, hasStatus('delivered'));
  });

  it('has them let go also when that was forgotten while the URL was set', async () => {
    const event = await appendEvent(test, store.id);
    await test.database.query('UPDATE stores SET webhook_url = $2 WHERE id = $1', [store.id, receiver.url]);
    await deliveryWhen(event, hasStatus('delivered'));
  });

  it('also holds what was still being tried when the URL was cleared', async () => {
    await patchStore({ webhookUrl: receiver.url });
    receiver.answerNext(
      (response) => void patchStore({ webhookUrl: null }).then(() => answer(500)(response)),
    );
    const event = await appendEvent(test, store.id);
    const held = await deliveryWhen(event, hasStatus('held'));
    expect(held.attempts).toHaveLength(1);
    await patchStore({ webhookUrl: receiver.url });
    await deliveryWhen(event, hasStatus('delivered'));
  });
});

describe('redelivery', () => {
  it('that is asked for many times at once is one', async () => {
    const event = await appendEvent(test, store.id);
    const { id } = await deliveryWhen(event, hasStatus('delivered'));
    for (let round = 1; round <= 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => redeliver(id)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      await deliveryWhen(event, hasStatus('delivered'));
    }
    await deliveryWhen(event, hasStatus('delivered'));
  });

  it('sends a delivered one again: same id, same bytes', async () => {
    const event = await appendEvent(test, store.id);
    const { id } = await deliveryWhen(event, hasStatus('delivered'));
    const accepted = await redeliver(id);
    expect(accepted).toMatchObject({ status: 202, body: { id, status: 'pending', attempts: [{}] } });
    const received = await receiver.waitFor(2);
    expect(received[1]!.raw.toString()).toBe(event.body);
    expect(received[1]!.headers['webhook-id']).toBe(event.eventId);
    await deliveryWhen(event, ({ status, attempts }) => status === 'delivered' && attempts.length === 2);
  });

  it('gives a failed one a fresh schedule', async () => {
    receiver.answerNext(...Array.from({ length: 5 }, () => answer(500)));
    const event = await appendEvent(test, store.id);
    const { id } = await deliveryWhen(event, hasStatus('failed'));
    const path = `/api/v1/stores/${store.id}/deliveries/${id}/redeliver`;
    expect((await test.http.post(path, undefined, admin)).status).toBe(202);
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery.attempts).toHaveLength(6);
  });

  it('does not send one beside itself: the attempt under way is the first of the fresh schedule', async () => {
    const responses: ServerResponse[] = [];
    receiver.answerNext(answer(500), answer(500), (response) => void responses.push(response));
    const event = await appendEvent(test, store.id);
    await receiver.waitFor(3);
    const { id } = await deliveryOf(event);
    const accepted = await redeliver(id);
    expect(accepted.status).toBe(202);
    expect(Date.parse(accepted.body.nextAttemptAt!)).toBeLessThanOrEqual(Date.now());
    answer(500)(responses[0]!);
    // Without the fresh schedule this would have been the last attempt.
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    expect(delivery.attempts).toHaveLength(4);
    expect(receiver.received).toHaveLength(4);
  });
});

describe('what another process left behind', () => {
  /** A delivery as it is in the table, without this process knowing of it. */
  async function insertDelivery(leasedFor: string | null): Promise<AppendedEvent> {
    const paymentId = await insertPayment(test, store.id);
    const [eventId, body] = [newId(), JSON.stringify({ event: 'payment.verified', paymentId })];
    await test.database.query(
      `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at)
       VALUES ($1, $2, $3, $3, 'payment.verified', $4, now())`,
      [eventId, store.id, paymentId, body],
    );
    await test.database.query(
      `INSERT INTO deliveries (id, store_id, payment_id, status, due_at, leased_until, lease_token, created_at)
       VALUES ($1, $2, $3, 'pending', now() - interval '1 second', now() + $4::interval, $5, now())`,
      [eventId, store.id, paymentId, leasedFor, leasedFor === null ? null : newId()],
    );
    return { eventId, paymentId, body };
  }

  it('is sent when its lease has run out, and not before', async () => {
    const started = performance.now();
    const event = await insertDelivery('1 second');
    await deliveryWhen(event, hasStatus('delivered'));
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
    const metrics = await test.http.get('/metrics');
    const takenOver = /^joma_webhook_leases_taken_over_total (\d+)$/m.exec(metrics.text);
    expect(Number(takenOver?.[1])).toBeGreaterThanOrEqual(1);
  });

  it('is sent when nobody holds it', async () => {
    const event = await insertDelivery(null);
    await deliveryWhen(event, hasStatus('delivered'));
  });

  it('is taken without a word in any index', async () => {
    const [{ spread } = { spread: false }] = await test.database.query<{ spread: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS spread`,
    );
    const inPlace = async () => {
      const [row] = await test.database.query<{ in_place: number }>(
        spread
          ? `SELECT sum(result::integer)::integer AS in_place
             FROM run_command_on_shards('deliveries', $$SELECT pg_stat_get_tuples_hot_updated('%s'::regclass)$$)`
          : `SELECT pg_stat_get_tuples_hot_updated('deliveries'::regclass)::integer AS in_place`,
      );
      return row!.in_place;
    };
    const [count, before] = [40, await inPlace()];
    for (let number = 0; number < count; number += 1) await insertDelivery(null);
    await receiver.waitFor(count);
    // Connections count a little later, which may add a few of earlier deliveries.
    await expect
      .poll(async () => (await inPlace()) - before, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(count);
    const leases = await test.database.query(
      `SELECT indexname FROM pg_indexes WHERE tablename = 'deliveries' AND indexdef ~ 'lease'`,
    );
    expect(leases).toEqual([]);
  });

  it('counts a 2xx also from a process that has lost its lease, but nothing else', async () => {
    const responses: ServerResponse[] = [];
    receiver.answerNext((response) => void responses.push(response));
    const event = await appendEvent(test, store.id);
    await receiver.waitFor(1);
    const stolen = newId();
    await test.database.query(
      `UPDATE deliveries SET lease_token = $2, leased_until = now() + interval '1 hour' WHERE id = $1`,
      [event.eventId, stolen],
    );
    answer(500)(responses[0]!);
    const failed = await deliveryWhen(event, ({ attempts }) => attempts.length === 1);
    expect(failed.status).toBe('pending');
    const [row] = await test.database.query<{ lease_token: string }>(
      'SELECT lease_token FROM deliveries WHERE id = $1',
      [event.eventId],
    );
    expect(row!.lease_token).toBe(stolen);

    receiver.answerNext((response) => void responses.push(response));
    await test.database.query('UPDATE deliveries SET leased_until = now() WHERE id = $1', [event.eventId]);
    await receiver.waitFor(2);
    await test.database.query('UPDATE deliveries SET lease_token = $2 WHERE id = $1', [
      event.eventId,
      stolen,
    ]);
    answer(200)(responses[1]!);
    await deliveryWhen(event, hasStatus('delivered'));
  });
});

describe('the database', () => {
  it('may break every connection while a webhook is under way', async () => {
    const responses: ServerResponse[] = [];
    receiver.answerNext((response) => void responses.push(response));
    const event = await appendEvent(test, store.id);
    await receiver.waitFor(1);
    await test.database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    answer(200)(responses[0]!);
    const delivery = await eventually(
      () => deliveryOf(event).catch(() => null),
      (found) => found?.status === 'delivered',
      'the delivery',
    );
    expect(delivery!.attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('GET /api/v1/deliveries', () => {
  it('pages newest first, and filters', async () => {
    const events: AppendedEvent[] = [];
    for (let count = 0; count < 5; count += 1) events.push(await appendEvent(test, store.id, String(count)));
    for (const event of events) await deliveryWhen(event, hasStatus('delivered'));
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await test.http.get<{ data: Delivery[]; nextCursor: string | null }>(
        `/api/v1/deliveries?limit=2&status=delivered${cursor}`,
        store.key,
      );
      seen.push(...body.data.map(({ paymentId }) => paymentId));
      cursor = `&cursor=${body.nextCursor}`;
      expect(body.nextCursor === null).toBe(page === 2);
    }
    expect(seen).toEqual(events.map(({ paymentId }) => paymentId).reverse());
    const failed = await test.http.get<{ data: Delivery[] }>('/api/v1/deliveries?status=failed', store.key);
    expect(failed.body.data).toEqual([]);
  });

  it.each(['status=lost', 'paymentId=1', 'limit=0', 'limit=101', 'cursor=x'])(
    'refuses ?%s',
    async (query) => {
      const refused = await test.http.get(`/api/v1/deliveries?${query}`, store.key);
      expect(refused).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    },
  );

  it('shows nobody the deliveries of another store', async () => {
    const event = await appendEvent(test, store.id);
    const { id } = await deliveryWhen(event, hasStatus('delivered'));
    const other = await createStore(test.http, admin, { webhookUrl: receiver.url });
    const foreign = await test.http.get<{ data: Delivery[] }>(
      `/api/v1/deliveries?paymentId=${event.paymentId}`,
      other.key,
    );
    expect(foreign.body.data).toEqual([]);
    const notFound = { status: 404, body: { code: 'delivery.not_found' } };
    for (const wrong of [id, newId(), 'not-an-id']) {
      expect(await test.http.get(`/api/v1/deliveries/${wrong}`, other.key)).toMatchObject(notFound);
      expect(await redeliver(wrong, other)).toMatchObject(notFound);
      const path = `/api/v1/stores/${other.id}/deliveries/${wrong}`;
      expect(await test.http.get(path, admin)).toMatchObject(notFound);
      expect(await test.http.post(`${path}/redeliver`, undefined, admin)).toMatchObject(notFound);
    }
    expect((await test.http.get('/api/v1/deliveries')).status).toBe(401);
    expect((await test.http.get('/api/v1/deliveries', store.phone)).status).toBe(401);
    expect((await test.http.get(`/api/v1/stores/${store.id}/deliveries`, store.key)).status).toBe(401);
    expect(receiver.received).toHaveLength(1);
  });

  it('is the same for users, but only for those who may see the store', async () => {
    const event = await appendEvent(test, store.id);
    const delivery = await deliveryWhen(event, hasStatus('delivered'));
    const path = `/api/v1/stores/${store.id}/deliveries`;
    const list = await test.http.get<{ data: Delivery[] }>(path, admin);
    expect(list.body.data).toEqual([delivery]);
    expect((await test.http.get(`${path}/${delivery.id}`, admin)).body).toEqual(delivery);

    const { headers: merchant } = await signedInUser(test.http, admin);
    for (const wrong of [path, `${path}/${delivery.id}`]) {
      expect(await test.http.get(wrong, merchant)).toMatchObject({
        status: 404,
        body: { code: 'store.not_found' },
      });
    }
    for (const wrong of [`${path}/${delivery.id}/redeliver`, `/api/v1/stores/${store.id}/webhook/test`]) {
      expect((await test.http.post(wrong, undefined, merchant)).status).toBe(404);
    }
  });
});

describe('GET /api/v1/events', () => {
  const pull = async (after: string | null, limit = 20): Promise<Feed> => {
    const query = after === null ? '' : `&after=${encodeURIComponent(after)}`;
    const pulled = await test.http.get<Feed>(`/api/v1/events?limit=${limit}${query}`, store.key);
    expect(pulled.status).toBe(200);
    return pulled.body;
  };

  it('gives the same events to pull, oldest first, and a cursor that can always be used again', async () => {
    store = await createStore(test.http, admin);
    expect(await pull(null)).toEqual({ data: [], nextCursor: null });
    const events: AppendedEvent[] = [];
    for (let count = 0; count < 5; count += 1) events.push(await appendEvent(test, store.id, String(count)));

    const first = await pull(null, 3);
    expect(first.data.map(({ id, body }) => ({ id, body }))).toEqual(
      events.slice(0, 3).map(({ eventId, body }) => ({ id: eventId, body })),
    );
    expect(first.data[0]).toMatchObject({ event: 'payment.verified' });
    const second = await pull(first.nextCursor, 3);
    expect(second.data.map(({ id }) => id)).toEqual(events.slice(3).map(({ eventId }) => eventId));
    const empty = await pull(second.nextCursor, 3);
    expect(empty).toEqual({ data: [], nextCursor: second.nextCursor });

    const late = await appendEvent(test, store.id, 'late');
    expect((await pull(empty.nextCursor)).data.map(({ id }) => id)).toEqual([late.eventId]);
    expect((await pull(events[3]!.eventId)).data.map(({ id }) => id)).toEqual([
      events[4]!.eventId,
      late.eventId,
    ]);
  });

  it('takes the id of an event that nobody has pulled yet', async () => {
    const first = await appendEvent(test, store.id);
    const second = await appendEvent(test, store.id);
    expect((await pull(first.eventId)).data.map(({ id }) => id)).toEqual([second.eventId]);
  });

  it('never skips an event whose transaction commits later than a younger one’s', async () => {
    const [events, database] = [test.app.get(Events), test.app.get(Database)];
    const paymentId = await insertPayment(test, store.id);
    const appended = withResolvers<string>();
    const mayCommit = withResolvers<void>();
    const slow = database.transaction(async (tx) => {
      const event = { storeId: store.id, paymentId, event: 'payment.verified', body: '{}' } as const;
      appended.resolve((await events.append(tx, { ...event, createdAt: new Date() })).eventId);
      await mayCommit.promise;
    });
    const slowId = await appended.promise;
    const fast = await appendEvent(test, store.id);
    const before = await pull(null);
    expect(before.data.map(({ id }) => id)).toEqual([fast.eventId]);
    mayCommit.resolve();
    await slow;
    expect((await pull(before.nextCursor)).data.map(({ id }) => id)).toEqual([slowId]);
  });

  it('gives several readers at once the same order', async () => {
    const events = await Promise.all(Array.from({ length: 40 }, () => appendEvent(test, store.id)));
    const feeds = await Promise.all(Array.from({ length: 8 }, () => pull(null, 100)));
    const [feed] = feeds;
    expect(new Set(feed!.data.map(({ id }) => id))).toEqual(new Set(events.map(({ eventId }) => eventId)));
    for (const other of feeds) expect(other).toEqual(feed);
  });

  it('shows a store its own events only, and refuses what is no cursor', async () => {
    const event = await appendEvent(test, store.id);
    const other = await createStore(test.http, admin);
    expect((await test.http.get<Feed>('/api/v1/events', other.key)).body.data).toEqual([]);
    for (const after of ['x', '', newId(), encodeURIComponent('p.1'), event.eventId, '%00']) {
      const refused = await test.http.get(`/api/v1/events?after=${after}`, other.key);
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/after' }] } });
    }
    expect((await test.http.get('/api/v1/events')).status).toBe(401);
  });
});

describe('POST /api/v1/stores/:storeId/webhook/test', () => {
  const send = () => test.http.post(`/api/v1/stores/${store.id}/webhook/test`, undefined, admin);

  it('sends a signed test event and tells what came back', async () => {
    expect(await send()).toMatchObject({
      status: 200,
      body: { ok: true, responseStatus: 200, error: null, responseExcerpt: 'ok' },
    });
    const [webhook] = receiver.received;
    expect(webhook!.body).toMatchObject({ event: 'webhook.test', storeId: store.id });
    expectSigned(webhook!, store.webhookSecret, store.signingSecret);

    receiver.answerNext(answer(401, {}, 'who are you?'));
    const failed = await send();
    expect(failed.status).toBe(200);
    expect(Object.keys(failed.body)).toEqual([
      'ok',
      'responseStatus',
      'durationMs',
      'error',
      'responseExcerpt',
    ]);
    expect(failed.body).toMatchObject({
      ok: false,
      responseStatus: 401,
      error: 'http_status',
      responseExcerpt: 'who are you?',
    });
    const deliveries = await test.http.get<{ data: Delivery[] }>('/api/v1/deliveries', store.key);
    expect(deliveries.body.data).toEqual([]);
  });

  it('is refused without a URL', async () => {
    await patchStore({ webhookUrl: null });
    expect(await send()).toMatchObject({ status: 409, body: { code: 'webhook.url_missing' } });
  });

  it('runs twice at the same time for a store, not more often', async () => {
    receiver.answerNext(hang, hang);
    const running = [send(), send()];
    await receiver.waitFor(2);
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { code: 'webhook.test_busy' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const test of await Promise.all(running))
      expect(test.body).toMatchObject({ ok: false, error: 'timeout' });
  });

  it('leaves places to other owners when somebody tries many stores that hang', async () => {
    const others = await Promise.all(
      Array.from({ length: 2 }, () => createStore(test.http, admin, { webhookUrl: receiver.url })),
    );
    const stores = [store, ...others];
    const tryStore = ({ id }: { id: string }) =>
      test.http.post(`/api/v1/stores/${id}/webhook/test`, undefined, admin);
    receiver.answerNext(...Array.from({ length: 4 }, () => hang));
    const running = [store, store, others[0]!, others[0]!].map(tryStore);
    await receiver.waitFor(4);
    for (const shop of stores)
      expect(await tryStore(shop)).toMatchObject({ status: 429, body: { code: 'webhook.test_busy' } });
    const { headers: somebody } = await signedInUser(test.http, admin);
    const theirs = await createStore(test.http, somebody, { webhookUrl: receiver.url });
    expect(
      await test.http.post(`/api/v1/stores/${theirs.id}/webhook/test`, undefined, somebody),
    ).toMatchObject({ status: 200, body: { ok: true } });
    await Promise.all(running);
  });
});
