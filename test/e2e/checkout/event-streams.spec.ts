import { createServer, request, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusStream } from '../../../src/checkout/status-stream.js';
import { LivePages } from '../../../src/dashboard/live/live.js';
import { PaymentsService } from '../../../src/payments/index.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  createUser,
  type TestUser,
} from '../../support/test-app.js';

/*
 * Rules: contract 5.20, 5.21, 5.38, 14.42 to 14.44.
 *
 * Goal: a reader who goes away while what he wants to follow is still looked up is forgotten, and takes no place of
 * those who read (contract 5.17). Method: an answer whose other end has really gone, handed over as late as it can
 * come, more often than an address or a session may read.
 */

const ADDRESS = '198.51.100.7';

let test: TestApp;
let store: TestStore;
let gone: ServerResponse;
let admin: { Authorization: string };

beforeAll(async () => {
  test = await startTestApp();
  admin = await signIn(test.http);
  store = await createStore(test.http, admin);
  gone = await whoHasGone();
});
afterAll(() => test.close());

async function whoHasGone(): Promise<ServerResponse> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  reader.on('error', () => undefined);
  reader.end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const closed = once(response, 'close');
  reader.destroy();
  await closed;
  server.close();
  // The tests begin hundreds of streams on this one response.
  return response.setMaxListeners(0);
}

it('a payer who has gone takes no place', async () => {
  const { id } = (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body;
  const { payment } = await test.app.get(PaymentsService).getWithStore(id);
  const streams = test.app.get(StatusStream);
  for (let count = 0; count < 200; count += 1) streams.follow(payment, streams.take(ADDRESS, gone));
  expect(() => streams.take(ADDRESS, gone)).not.toThrow();
});

it('a stream stays open in a final state, with a comment every 15 s', { timeout: 40_000 }, async () => {
  const { id } = (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body;
  await test.http.post(`/api/v1/payments/${id}/cancel`, undefined, store.key);
  const answer = await fetch(`${await test.app.getUrl()}/api/v1/payments/public/${id}/events`);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/^:/m.test(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The stream ended after ${text}`);
    text += value;
  }
  expect(text).toContain('data: {"status":"cancelled"}');
  await reader.cancel();
});

it('nor does a user who has gone from a page of the dashboard', () => {
  const pages = test.app.get(LivePages);
  const reader = { sessionId: 'session', userId: 'user', storeId: store.id };
  for (let count = 0; count < 200; count += 1) pages.take(gone, reader);
  expect(() => pages.take(gone, reader)).not.toThrow();
});

describe('a stream of the dashboard', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await createUser(test.http, admin);
  });

  /** Resolves when the service ends it. */
  async function followed(browser: DashboardBrowser): Promise<{ over: Promise<void> }> {
    const address = `${await test.app.getUrl()}/dashboard/stores/${store.id}/live`;
    const Cookie = browser.lastCookie.split(';', 1)[0] ?? '';
    const answer = await fetch(address, { headers: { Cookie } });
    expect(answer.status).toBe(200);
    const reader = answer.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    const read = async () => {
      for (;;) if ((await reader.read()).done) return;
    };
    return { over: read() };
  }

  const join = () =>
    test.http.post(`/api/v1/stores/${store.id}/members`, { email: user.email, role: 'viewer' }, admin);

  it.each([
    [
      'a sign-out',
      (browser: DashboardBrowser) => browser.request('POST', '/dashboard/sign-out', { withToken: true }),
    ],
    [
      'the end of the membership',
      () => test.http.request('DELETE', `/api/v1/stores/${store.id}/members/${user.id}`, { headers: admin }),
    ],
  ])('ends with %s', async (_what, end) => {
    await join();
    const browser = await DashboardBrowser.signIn(await test.app.getUrl(), user);
    const { over } = await followed(browser);
    expect((await end(browser)).status).toBeLessThan(400);
    await over;
  });

  /** Opens as many streams at the same instant; answers the statuses, and how to end those that are open. */
  async function openAtOnce(browser: DashboardBrowser, count: number, paymentIds: readonly string[] = []) {
    const Cookie = browser.lastCookie.split(';', 1)[0] ?? '';
    const url = `${await test.app.getUrl()}/dashboard/stores/${store.id}/live`;
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const abort = new AbortController();
        const payment = paymentIds[index] === undefined ? '' : `?payment=${paymentIds[index]}`;
        // Kept until it is closed: the body of a response that nobody holds is cancelled when memory is collected.
        const response = await fetch(`${url}${payment}`, { headers: { Cookie }, signal: abort.signal });
        return { abort, response };
      }),
    );
    const statuses = answers.map(({ response }) => response.status);
    return { statuses, close: () => answers.forEach(({ abort }) => abort.abort()) };
  }
  const countOf = (statuses: readonly number[], status: number) =>
    statuses.filter((one) => one === status).length;

  it('attack: one session opens twenty of 154 that it asks for at once, and one user fifty in a store', async () => {
    await join();
    const browsers = await Promise.all(
      [1, 2, 3].map(async () => DashboardBrowser.signIn(await test.app.getUrl(), user)),
    );
    const first = await openAtOnce(browsers[0]!, 154);
    expect([countOf(first.statuses, 200), countOf(first.statuses, 429)]).toEqual([20, 134]);
    const second = await openAtOnce(browsers[1]!, 30);
    const third = await openAtOnce(browsers[2]!, 30);
    expect([countOf(second.statuses, 200), countOf(third.statuses, 200)]).toEqual([20, 10]);
    // The honest case: another user of the store, at the same moment.
    const owner = await DashboardBrowser.signIn(await test.app.getUrl(), {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    const others = await openAtOnce(owner, 20);
    expect(countOf(others.statuses, 200)).toBe(20);
    for (const { close } of [first, second, third, others]) close();
  });

  it('costs the same however many are open while nothing happens', async () => {
    await join();
    const browser = await DashboardBrowser.signIn(await test.app.getUrl(), user);
    const statements = async (seconds: number) => {
      const before = await transactions();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      return (await transactions()) - before;
    };
    const create = async () =>
      (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body.id;
    const paymentIds = await Promise.all(Array.from({ length: 20 }, create));
    const one = await openAtOnce(browser, 1, paymentIds);
    const withOne = await statements(4);
    const many = await openAtOnce(browser, 19, paymentIds.slice(1));
    expect(countOf(many.statuses, 200)).toBe(19);
    const withMany = await statements(4);
    // Those of all else that the service does each second are in both; a stream of its own would add at least 19 a
    // second.
    expect(withMany).toBeLessThan(withOne + 4 * 19);
    for (const { close } of [one, many]) close();
  });

  async function transactions(): Promise<number> {
    const [row] = await test.database.query<{ count: string }>(
      'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.count);
  }
});
