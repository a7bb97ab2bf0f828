import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, freePort, startBuiltService } from '../support/built-service.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { load, type LoadRequest, type LoadResult, median } from './load.js';

/*
 * Goal: what the main flow costs, as ratios to the floor in the same run: Fastify, one key look-up, one insert.
 * Method: five interleaved rounds each, medians; the machine's own speed cancels out.
 */

const ROUNDS = 5;
const ROUND_MS = 2_000;
const CONNECTIONS = 16;

let database: TestDatabase;
let service: BuiltService;
let floor: ChildProcess;
let floorUrl: string;
let store: TestStore;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startBuiltService({ DATABASE_URL: database.url });
  store = await createStore(service.http, await signIn(service.http));
  const port = await freePort();
  floorUrl = `http://127.0.0.1:${port}`;
  floor = spawn(process.execPath, [resolve('test/bench/floor-server.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: database.url, PORT: String(port) },
  });
  if (floor.stdout === null) throw new Error('The floor has no output.');
  await once(floor.stdout, 'data');
});
afterAll(async () => {
  floor.kill();
  await service.stop('SIGKILL');
  await database.drop();
});

const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ amount: 500, note: 'Order 1001', customerName: 'Rahim Uddin' });
let sequence = 0;

async function rounds(next: () => LoadRequest): Promise<{ joma: LoadResult[]; floor: LoadResult[] }> {
  const results = { joma: [] as LoadResult[], floor: [] as LoadResult[] };
  const onFloor = () => ({
    path: '/payments',
    headers: { ...json, 'x-api-key': 'floor-key' },
    body,
    expectedStatus: 201,
  });
  const options = { connections: CONNECTIONS, durationMs: ROUND_MS };
  for (let round = 0; round < ROUNDS; round += 1) {
    results.floor.push(await load(floorUrl, onFloor, options));
    results.joma.push(await load(service.http.url, next, options));
  }
  return results;
}

function report(name: string, results: { joma: LoadResult[]; floor: LoadResult[] }): void {
  const of = (list: LoadResult[], field: keyof LoadResult) => median(list.map((result) => result[field]));
  const ratio = of(results.joma, 'perSecond') / of(results.floor, 'perSecond');
  const line = (list: LoadResult[]) =>
    `${of(list, 'perSecond').toFixed(0)}/s, p50 ${of(list, 'p50Ms').toFixed(1)} ms, p99 ${of(list, 'p99Ms').toFixed(1)} ms`;
  process.stdout.write(
    `${name}: ${ratio.toFixed(2)} of the floor (${line(results.joma)}; floor ${line(results.floor)})\n`,
  );
  expect(ratio).toBeGreaterThan(0);
}

describe('payments', () => {
  it('create', async () => {
    const request = {
      path: '/api/v1/payments',
      headers: { ...json, ...store.key },
      body,
      expectedStatus: 201,
    };
    report('create a payment', await rounds(() => request));
  });

  it('take a receipt that waits for its payment', async () => {
    const next = (): LoadRequest => ({
      path: '/api/webhooks/joma',
      headers: { ...json, ...store.phone },
      body: JSON.stringify({
        app: 'bench',
        provider: 'bkash',
        kind: 'received',
        trxId: `BENCH${(sequence += 1)}`,
        amount: 500,
        counterparty: '01700000002',
        receivedAt: new Date().toISOString(),
      }),
      expectedStatus: 200,
    });
    report('take a receipt', await rounds(next));
  });
});
