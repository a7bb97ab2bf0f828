import { Agent, request } from 'node:http';
import { type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../support/raw-connection.js';
import { startBuiltService } from '../../support/built-service.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startMerchantReceiver } from '../../support/merchant-receiver.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 8.32 to 8.35.
 *
 * Goal: nobody outside can keep the service from stopping, and a request that was whole is answered before it stops
 * (contract 8.33). Method: connections in every state while the application closes; the test's own time limit is the
 * deadline.
 */

let database: TestApp;
beforeAll(async () => {
  database = await startTestApp();
});
afterAll(() => database.close());

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
    const { socket, received } = openConnection(app.http.url, bytes);
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
      const stream = openConnection(app.http.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const kept = openConnection(app.http.url, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
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
    const { socket, received } = openConnection(
      app.http.url,
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

describe('a stop of the built service', () => {
  let built: TestDatabase;
  beforeAll(async () => {
    built = await createTestDatabase();
  });
  afterAll(() => built.drop());

  const receiptOf = (trxId: string) => receiptBody({ trxId, amount: 10 });

  it('is announced at once, and goes on with requests for SHUTDOWN_DELAY', { timeout: 60_000 }, async () => {
    const service = await startBuiltService({ DATABASE_URL: built.url, SHUTDOWN_DELAY: '5s' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = (path: string) =>
      new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
        const asked = request(`${service.http.url}${path}`, { agent }, (answer) => {
          answer.resume();
          answer.once('end', () =>
            resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection }),
          );
        });
        asked.once('error', reject).end();
      });
    expect(await get('/health/ready')).toEqual({ status: 200, connection: 'keep-alive' });
    const began = Date.now();
    service.process.kill('SIGTERM');
    await eventually(
      () => get('/health/ready'),
      ({ status }) => status === 503,
      'the end of readiness',
    );
    // A client that keeps its connection alive is told to open another one, and no request of it is lost.
    while (Date.now() - began < 4_000)
      expect(await get('/health/live')).toEqual({ status: 200, connection: 'close' });
    expect(await service.exited).toBe(0);
    agent.destroy();
  });

  it('hands back a delivery whose payment was verified while it stopped', { timeout: 60_000 }, async () => {
    const service = await startBuiltService({ DATABASE_URL: built.url });
    const merchant = await startMerchantReceiver();
    const store = await createStore(service.http, await signIn(service.http), { webhookUrl: merchant.url });
    const { id } = (await service.http.post<{ id: string }>('/api/v1/payments', { amount: 10 }, store.key))
      .body;
    await service.http.post(`/api/v1/payments/public/${id}/verify`, { trxId: 'STOPPING01' });
    const blocker = built;
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM payments WHERE id = $1 FOR UPDATE', [id]);
    const receipt = service.http.post('/api/webhooks/joma', receiptOf('STOPPING01'), store.phone);
    await eventually(
      () => blocker.query('SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'),
      (waiting) => waiting.length > 0,
      'the receipt at the lock',
    );
    service.process.kill('SIGTERM');
    await eventually(
      () =>
        service.http.get('/health/live').then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 0,
      'the end of listening',
    );
    await blocker.query('COMMIT');
    expect((await receipt).body).toMatchObject({ status: 'matched' });
    expect(await service.exited).toBe(0);
    const [delivery] = await blocker.query<{ status: string; leased: boolean }>(
      'SELECT status, leased_until > clock_timestamp() AS leased FROM deliveries WHERE payment_id = $1',
      [id],
    );
    // Sent before the end, or free for the next replica: never kept for half a minute by one that is gone.
    expect([delivery?.status === 'delivered', delivery?.leased ?? false]).not.toEqual([false, true]);
    await merchant.close();
  });

  it('follows an error that reached no handler, with exit code 1', { timeout: 60_000 }, async () => {
    const service = await startBuiltService({
      DATABASE_URL: built.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('unheard of'); })")}`,
    });
    service.process.kill('SIGUSR2');
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain('An error reached no handler; this replica ends: Error: unheard of');
  });
});
