import { createServer, request, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusStream } from '../../src/checkout/status-stream.js';
import { LivePages } from '../../src/dashboard/live/live.js';
import { PaymentsService } from '../../src/payments/index.js';
import { DashboardBrowser } from '../support/dashboard-browser.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
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
  return response;
}

it('a payer who has gone takes no place', async () => {
  const { id } = (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body;
  const { payment } = await test.app.get(PaymentsService).getWithStore(id);
  const streams = test.app.get(StatusStream);
  for (let count = 0; count < 200; count += 1) streams.attach(payment, ADDRESS, gone);
  expect(() => streams.admit(ADDRESS)).not.toThrow();
});

it('nor does a person who has gone from a page of the dashboard', () => {
  const pages = test.app.get(LivePages);
  for (let count = 0; count < 200; count += 1)
    pages.attach({
      sessionId: 'session',
      storeId: store.id,
      paymentId: null,
      response: gone,
      mayRead: () => Promise.resolve(true),
    });
  expect(() => pages.admit('session')).not.toThrow();
});

describe('a stream of the dashboard', () => {
  const user = {
    email: 'viewer@example.com',
    password: 'seven green boats',
    name: 'Rahima',
    role: 'merchant',
  };
  let userId: string;
  beforeAll(async () => {
    userId = (await test.http.post<{ id: string }>('/api/v1/users', user, admin)).body.id;
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
      () => test.http.request('DELETE', `/api/v1/stores/${store.id}/members/${userId}`, { headers: admin }),
    ],
  ])('ends with %s', async (_what, end) => {
    await join();
    const browser = await DashboardBrowser.signIn(await test.app.getUrl(), user);
    const { over } = await followed(browser);
    expect((await end(browser)).status).toBeLessThan(400);
    await over;
  });
});
