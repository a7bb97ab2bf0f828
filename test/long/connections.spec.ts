import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { residentMb } from '../support/system-processes.js';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 14.45 to 14.47.
 *
 * Goal: connections that want nothing, read nothing or ask without end keep nobody from the API (contract 14.45).
 * Method: the built service, as many connections as it takes and more, and a merchant who goes on reading a payment
 * beside them; what it waits is compared with what it waited before. Both ends need as many open files as there are
 * connections (`ulimit -n`).
 */

const IDLE = 10_000;
/** Left for the merchant, and for what measures. */
const SPARE = 50;
const LOOKS = 200;
/** So many times what a look cost before; other work of the machine is in both. */
const MAX_RATIO = 10;
const MAX_KB_PER_CONNECTION = 64;

let database: TestDatabase;
let service: BuiltService;
let store: TestStore;
let paymentId: string;
const open = new Set<Socket>();
const merchant = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startBuiltService({ DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
  store = await createStore(service.http, await signIn(service.http));
  const payment = await service.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key);
  paymentId = payment.body.id;
});
afterAll(async () => {
  closeAll();
  merchant.destroy();
  await service.stop('SIGKILL');
  await database.drop();
});

const port = () => Number(new URL(service.http.url).port);
function closeAll(): void {
  for (const socket of open) socket.destroy();
  open.clear();
}

/** A connection, and whether it is still open; null when it was not taken. */
function opened(first?: string): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect(port(), '127.0.0.1');
    socket.once('connect', () => {
      open.add(socket);
      if (first !== undefined) socket.write(first);
      done(socket);
    });
    socket.once('error', () => done(null));
    socket.once('close', () => open.delete(socket));
  });
}

async function openMany(count: number, first?: string): Promise<void> {
  for (let made = 0; made < count; made += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - made) }, () => opened(first)));
}

/** The merchant reads a payment on a connection of its own; how long that took, in milliseconds. */
function look(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const options = {
      agent: merchant,
      port: port(),
      host: '127.0.0.1',
      path: `/api/v1/payments/${paymentId}`,
      headers: store.key,
    };
    request(options, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(performance.now() - started)
          : reject(new Error(`It was answered ${String(answer.statusCode)}.`)),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function median(): Promise<number> {
  const waited: number[] = [];
  for (let index = 0; index < LOOKS; index += 1) waited.push(await look());
  return waited.sort((left, right) => left - right)[LOOKS / 2] ?? Number.NaN;
}

function tell(what: string, before: number, after: number, mb: number): void {
  process.stdout.write(
    `${what}: a look took ${before.toFixed(1)} ms before and ${after.toFixed(1)} ms beside them (${(after / before).toFixed(1)} times); ${mb.toFixed(0)} MB more\n`,
  );
}

it('ten thousand that want nothing', async () => {
  await median();
  const [before, mbBefore] = [await median(), residentMb(service.process.pid ?? 0)];
  await openMany(IDLE - SPARE);
  expect(open.size).toBeGreaterThan(IDLE - 2 * SPARE);
  const after = await median();
  const mb = residentMb(service.process.pid ?? 0) - mbBefore;
  tell(`${String(open.size)} idle connections`, before, after, mb);
  expect(after).toBeLessThan(before * MAX_RATIO);
  expect((mb * 1_024) / IDLE).toBeLessThan(MAX_KB_PER_CONNECTION);
  // Those above the limit are closed at once; who is in goes on.
  await openMany(4 * SPARE);
  await eventually(
    () => open.size,
    (size) => size <= IDLE,
    'those above the limit closed',
  );
  await look();
  closeAll();
});

it('hundreds that ask and do not read', async () => {
  const before = await median();
  const mbBefore = residentMb(service.process.pid ?? 0);
  const ask = `GET /api/docs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
  await openMany(300, ask.repeat(16));
  for (const socket of open) socket.pause();
  const during = await median();
  const after = await median();
  const mb = residentMb(service.process.pid ?? 0) - mbBefore;
  tell('300 that read nothing of 16 long answers, at first', before, during, mb);
  tell('300 that read nothing of 16 long answers', before, after, mb);
  expect(after).toBeLessThan(before * MAX_RATIO);
  expect(mb).toBeLessThan(200);
  for (const socket of open) socket.resume();
  closeAll();
});

it('hundreds that ask without waiting for answers', async () => {
  const before = await median();
  const mbBefore = residentMb(service.process.pid ?? 0);
  await openMany(300, `GET /api/v1/payments HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1_000));
  const during = await median();
  await eventually(
    () => open.size,
    (size) => size === 0,
    'those that ask without end ended',
    60_000,
  );
  const after = await median();
  const mb = residentMb(service.process.pid ?? 0) - mbBefore;
  tell('300 with a thousand requests each at once, at first', before, during, mb);
  tell('300 with a thousand requests each, which were ended', before, after, mb);
  expect(after).toBeLessThan(before * MAX_RATIO);
  expect(mb).toBeLessThan(200);
});
