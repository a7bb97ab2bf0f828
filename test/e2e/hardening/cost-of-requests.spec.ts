import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 14.2, 14.3.
 *
 * Goal: no small request makes a large answer, long work or much memory (contract 14.2). Method: bodies that are as
 * hostile as their size allows, sent to every route that is open before sign-in and to the largest ones behind it;
 * the processor time of this process for ten of them is compared with ten plain bodies of the same size, and bytes
 * out with bytes in. Ratios, not times: a loaded machine is slow for both.
 */

const BYTES = 60_000;
const TIMES = 10;
/** So many times as long as a plain body of its size, at most; what is measured is noisy below a few milliseconds. */
const MAX_RATIO = 8;
const NOISE_MS = 150;

let one: TestApp;
let store: TestStore;
let admin: { Authorization: string };
let paymentId: string;
beforeAll(async () => {
  one = await startTestApp();
  admin = await signIn(one.http);
  store = await createStore(one.http, admin, { wallets: [{ provider: 'bkash', number: '01700000001' }] });
  const payment = await one.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key);
  paymentId = payment.body.id;
});
afterAll(() => one.close());

const repeated = (piece: string, count = Math.floor(BYTES / (piece.length + 1))) =>
  Array.from({ length: count }, () => piece).join(',');
const nested = (key: string, inner: string, depth: number) =>
  `{"${key}":`.repeat(depth) + inner + '}'.repeat(depth);

const PLAIN = JSON.stringify({ note: 'x'.repeat(BYTES) });
const HOSTILE: Record<string, string> = {
  'long keys around NUL escapes': nested('k'.repeat(1_000), `[${repeated('"\\u0000"', 3_000)}]`, 30),
  'many unknown fields': `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  'a thousand unknown fields': `{${Array.from({ length: 1_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  'one key many times': `{${repeated('"a":1')}}`,
  'a list of lists': `{"wallets":[${repeated('[]')}]}`,
  'a list of objects': `{"wallets":[${repeated('{}')}],"products":[${repeated('{}', 100)}]}`,
  'a list as the body': `[${repeated('{}')}]`,
  numbers: `{"products":[${repeated('1e308')}]}`,
  brackets: '['.repeat(BYTES),
  'deep objects': `[${repeated(nested('a', '1', 30))}]`,
  'prototype keys': nested('x'.repeat(1_500), '{"__proto__":1}', 30),
  escapes: `{"note":"${'\\u09b0'.repeat(10_000)}"}`,
  backslashes: `{"note":"${'\\\\'.repeat(BYTES / 2)}`,
  digits: `{"amount":${'9'.repeat(BYTES)}}`,
  blanks: `{"a":1${' '.repeat(BYTES)}}`,
};

const ROUTES: Record<string, () => [string, string, Record<string, string>]> = {
  'sign in': () => ['POST', '/api/v1/auth/login', {}],
  refresh: () => ['POST', '/api/v1/auth/refresh', {}],
  submit: () => ['POST', `/api/v1/payments/public/${paymentId}/verify`, {}],
  'the page’s form': () => ['POST', `/pay/${paymentId}`, {}],
  'create a payment': () => ['POST', '/api/v1/payments', store.key],
  'forward a receipt': () => ['POST', '/api/webhooks/joma', store.phone],
  'create a store': () => ['POST', '/api/v1/stores', admin],
};

async function costOf(route: [string, string, Record<string, string>], text: string) {
  const [method, path, headers] = route;
  const before = process.cpuUsage();
  let bytesOut = 0;
  for (let time = 0; time < TIMES; time += 1) {
    // Not by the client of the other tests, which holds every answer against the document: that costs, too.
    const answer = await fetch(one.http.url + path, {
      method,
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: text,
    });
    expect(answer.status).toBeLessThan(500);
    bytesOut = Math.max(bytesOut, Buffer.byteLength(await answer.text()));
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, bytesOut };
}

describe.each(Object.keys(ROUTES))('%s', (name) => {
  it('costs for a hostile body what it costs for a plain one', async () => {
    const route = ROUTES[name]?.() ?? ['GET', '/', {}];
    await costOf(route, PLAIN);
    const plain = await costOf(route, PLAIN);
    const heapBefore = process.memoryUsage().rss;
    for (const [kind, text] of Object.entries(HOSTILE)) {
      const hostile = await costOf(route, text.slice(0, 65_536));
      expect(hostile.bytesOut, kind).toBeLessThanOrEqual(64 * 1024);
      expect(hostile.cpuMs, `${kind}: ${hostile.cpuMs} ms, plain ${plain.cpuMs} ms`).toBeLessThanOrEqual(
        plain.cpuMs * MAX_RATIO + NOISE_MS,
      );
    }
    // 150 bodies of 64 KiB are 10 MB; what they leave behind must not be many times that.
    expect(process.memoryUsage().rss - heapBefore).toBeLessThan(256 * 1024 * 1024);
  });
});
