import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Goal: nobody outside can keep the service from stopping, and a request that was whole is answered before it stops
 * (contract 8.33). Method: connections in every state while the application closes; the test's own time limit is the
 * deadline.
 */

let database: TestApp;
beforeAll(async () => {
  database = await startTestApp();
});
afterAll(() => database.close());

async function open(app: TestApp, bytes: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(app.http.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return { socket, received: () => received };
}

/** However it ends: a reset is an end, too. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Until the service has taken as many connections. */
async function connected(app: TestApp, count: number): Promise<void> {
  const server = app.app.getHttpServer() as {
    getConnections(done: (error: unknown, count: number) => void): void;
  };
  await eventually(
    () => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open))),
    (open) => open >= count,
    'the connections',
  );
}

describe('a stop', () => {
  it.each([
    ['that has sent nothing', ''],
    ['that has sent half a head', 'GET /health/live HTTP/1.1\r\nHost: x\r\n'],
    [
      'that has sent half a body',
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\nExpect: 100-continue\r\n\r\n{',
    ],
  ])('does not wait for a connection %s', { timeout: 8_000 }, async (_what, bytes) => {
    const app = await startTestApp({ database: database.database });
    const { socket, received } = await open(app, bytes);
    await connected(app, 1);
    if (bytes.includes('100-continue'))
      await eventually(received, (text) => text.includes(' 100 '), 'the request that has begun');
    const closed = closeOf(socket);
    await app.close();
    await closed;
  });

  it(
    'does not wait for an event stream, nor for a client that keeps its connection',
    { timeout: 8_000 },
    async () => {
      const app = await startTestApp({ database: database.database });
      const store = await createStore(app.http, await signIn(app.http));
      const { body } = await app.http.post('/api/v1/payments', { amount: 1 }, store.key);
      const path = `/api/v1/payments/public/${String(body['id'])}/events`;
      const stream = await open(app, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const kept = await open(app, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually(stream.received, (text) => text.includes('event: status'), 'the first event');
      await eventually(kept.received, (text) => text.startsWith('HTTP/1.1 200'), 'the answer');
      const closed = Promise.all([closeOf(stream.socket), closeOf(kept.socket)]);
      await app.close();
      await closed;
    },
  );

  it('answers what is being worked on first, and then hangs up', { timeout: 20_000 }, async () => {
    const app = await startTestApp({ database: database.database });
    const { id } = await createStore(app.http, await signIn(app.http));
    const user = await signIn(app.http);
    const blocker = database.database;
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM stores WHERE id = $1 FOR UPDATE', [id]);
    const change = JSON.stringify({ name: 'Renamed' });
    const { socket, received } = await open(
      app,
      `PATCH /api/v1/stores/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${user.Authorization}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${change.length}\r\n\r\n${change}`,
    );
    await eventually(
      () => blocker.query('SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'),
      (waiting) => waiting.length > 0,
      'the request at the lock',
    );
    const closed = closeOf(socket);
    const stopped = app.close();
    const server = app.app.getHttpServer() as { listening: boolean };
    await eventually(
      () => server.listening,
      (isListening) => !isListening,
      'the end of listening',
    );
    await blocker.query('COMMIT');
    await closed;
    await stopped;
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(received()).toContain('"name":"Renamed"');
  });
});
