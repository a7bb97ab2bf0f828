import { createServer, request, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StatusStream } from '../../src/checkout/status-stream.js';
import { LivePages } from '../../src/dashboard/live.js';
import { PaymentsService } from '../../src/payments/index.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Goal: a reader who goes away while what he wants to follow is still looked up is forgotten, and takes no place of those who read
 * (decisions §5). Method: an answer whose other end has really gone, handed over as late as it can come, more often than an address
 * or a session may read.
 */

const ADDRESS = '198.51.100.7';

let test: TestApp;
let store: TestStore;
let gone: ServerResponse;

beforeAll(async () => {
  test = await startTestApp();
  store = await createStore(test.http, await signIn(test.http));
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
    pages.attach({ sessionId: 'session', storeId: store.id, paymentId: null, response: gone });
  expect(() => pages.admit('session')).not.toThrow();
});
