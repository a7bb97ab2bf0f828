import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { DashboardBrowser } from '../support/dashboard-browser.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * Rules: contract 1.13, 14.38.
 *
 * Goal: whatever refuses an upload, and at whatever moment, it is answered where it happens and the replica goes on
 * (contract 14.38).
 * Method: every route that takes an upload × everything that can refuse it × every moment at which it can, sent by hand
 * to the built process, all at once; then the process is asked whether it lives.
 */

/** Longer than a refused body is thrown away after its answer. */
const HELD_MS = 6_500;
const PATIENCE_MS = 60_000;

let database: TestDatabase;
let service: BuiltService;
let store: TestStore;
let bearer: string;
let browser: DashboardBrowser;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startBuiltService({ DATABASE_URL: database.url, EXTENSIONS: 'day-close' });
  const admin = await signIn(service.http);
  bearer = admin.Authorization;
  store = await createStore(service.http, admin, {
    wallets: [{ provider: 'bkash', number: '01711111111', enabled: true }],
  });
  browser = await DashboardBrowser.signIn(service.http.url, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await database.drop();
});

const BOUNDARY = 'edge';
const part = (name: string, value: string, filename?: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${
    filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/csv`
  }\r\n\r\n${value}\r\n`;
const STATEMENT = `Date,TrxID,Amount\n${'2026-11-21,REC0000001,5\n'.repeat(200)}`;

interface Route {
  readonly name: string;
  readonly path: () => string;
  readonly headers: () => Record<string, string>;
  /** Fields that the route wants before the file. */
  readonly fields: () => string;
  readonly plainType: string | null;
}

const ROUTES: readonly Route[] = [
  {
    name: 'the API of day-close',
    path: () => `/api/v1/stores/${store.id}/reconciliations?provider=bkash`,
    headers: () => ({ Authorization: bearer }),
    fields: () => '',
    plainType: 'text/csv',
  },
  ...['reconciliation', 'wallets/picture', 'wallets/0/picture'].map((path): Route => ({
    name: `the form ${path}`,
    path: () => `/dashboard/stores/${store.id}/${path}`,
    headers: () => ({ Cookie: browser.lastCookie.split(';', 1)[0] ?? '' }),
    fields: () => part('_token', browser.token) + part('provider', 'bkash'),
    plainType: null,
  })),
];

interface Refusal {
  readonly name: string;
  readonly change: (request: Sent, route: Route) => void;
}

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Said to follow, beyond `body`. */
  missingBytes: number;
}

const REFUSALS: readonly Refusal[] = [
  { name: 'nothing', change: () => undefined },
  {
    name: 'no boundary',
    change: ({ headers }) => (headers['Content-Type'] = 'multipart/form-data'),
  },
  {
    name: 'a boundary that never comes',
    change: ({ headers }) => (headers['Content-Type'] = 'multipart/form-data; boundary=other'),
  },
  { name: 'a type that is not taken', change: ({ headers }) => (headers['Content-Type'] = 'image/png') },
  { name: 'no type', change: ({ headers }) => delete headers['Content-Type'] },
  {
    name: 'a query or fields that are missing',
    change: (request) => {
      request.path = request.path.replace('?provider=bkash', '');
      request.body = part('file', STATEMENT, 'a.csv');
    },
  },
  {
    name: 'a query that is wrong',
    change: (request) => (request.path = request.path.replace('bkash', 'b!')),
  },
  {
    name: 'no credential',
    change: ({ headers }) => (delete headers['Authorization'], delete headers['Cookie']),
  },
  { name: 'no file', change: (request) => (request.body = part('note', 'nothing')) },
  { name: 'a size over the limit', change: (request) => (request.missingBytes = 64 * 1024 * 1024) },
  {
    name: 'a compressed body',
    change: ({ headers }) => (headers['Content-Encoding'] = 'gzip'),
  },
  {
    name: 'a store that is not there',
    change: (request) =>
      (request.path = request.path.replace(store.id, '0193b3a0-7c00-7000-8000-000000000001')),
  },
];

/** When the client lets go, and how. */
const MOMENTS = [
  'whole',
  'cut off in the head of the body',
  'cut off in the file',
  'held open in the head of the body',
  'held open in the file',
  'held open and then cut off',
] as const;
type Moment = (typeof MOMENTS)[number];

const CASES = ROUTES.flatMap((route) =>
  REFUSALS.flatMap((refusal) =>
    [true, ...(route.plainType === null ? [] : [false])].flatMap((asForm) =>
      MOMENTS.map((moment) => ({ route, refusal, asForm, moment })),
    ),
  ),
);

function requestOf({ route, refusal, asForm }: (typeof CASES)[number]): Sent {
  const request: Sent = {
    path: route.path(),
    headers: {
      ...route.headers(),
      'Content-Type': asForm ? `multipart/form-data; boundary=${BOUNDARY}` : (route.plainType ?? ''),
    },
    body: asForm ? `${route.fields()}${part('file', STATEMENT, 'a.csv')}--${BOUNDARY}--\r\n` : STATEMENT,
    missingBytes: 0,
  };
  refusal.change(request, route);
  return request;
}

/** The status that came, 0 for none. */
async function send({ path, headers, body, missingBytes }: Sent, moment: Moment): Promise<number> {
  const { hostname, port } = new URL(service.http.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  await once(socket, 'connect');
  const bytes = Buffer.from(body);
  const lines = Object.entries({
    Host: 'x',
    ...headers,
    'Content-Length': String(bytes.length + missingBytes),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const isCutEarly = moment.includes('head of the body');
  if (moment === 'whole') socket.write(bytes);
  else socket.write(bytes.subarray(0, isCutEarly ? 10 : Math.floor(bytes.length * 0.7)));
  if (moment.startsWith('held')) await Promise.race([wait(HELD_MS), closed]);
  // What is answered at all is answered, however many others are sent at the same time.
  else if (moment === 'whole')
    await Promise.race([wait(missingBytes > 0 ? HELD_MS : PATIENCE_MS), answered, closed]);
  else await wait(50);
  socket.destroy();
  await closed;
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

describe('an upload that is refused', () => {
  it('ends no process, whatever refuses it and whenever', { timeout: 120_000 }, async () => {
    const statuses = await Promise.all(
      CASES.map(async (one) => ({ one, status: await send(requestOf(one), one.moment) })),
    );
    expect(service.process.exitCode).toBeNull();
    expect((await service.http.get('/health/live')).status).toBe(200);
    expect(service.output()).not.toContain('reached no handler');
    const failed = statuses.filter(({ status }) => status >= 500 && status !== 503);
    expect(
      failed.map(({ one, status }) => `${status}: ${one.route.name}, ${one.refusal.name}, ${one.moment}`),
    ).toEqual([]);
    // What refuses before the body is read, or is wrong in what came, is answered although the body is held back.
    const answered = statuses.filter(
      ({ one }) => one.moment === 'whole' && one.refusal.name !== 'a size over the limit',
    );
    expect(
      answered
        .filter(({ status }) => status === 0)
        .map(({ one }) => `${one.route.name}, ${one.refusal.name}`),
    ).toEqual([]);
  });

  it.each([
    ['multipart without a boundary', () => ROUTES[2]!, 'no boundary'],
    ['CSV without its query', () => ROUTES[0]!, 'a query or fields that are missing'],
  ])('attack: %s, held open for as long as it likes', { timeout: 30_000 }, async (_what, route, refusal) => {
    const one = {
      route: route(),
      refusal: REFUSALS.find(({ name }) => name === refusal)!,
      asForm: refusal === 'no boundary',
      moment: 'held open in the file' as const,
    };
    expect(await send(requestOf(one), one.moment)).toBe(400);
    expect((await service.http.get('/health/live')).status).toBe(200);
  });

  it('leaves room for the honest one', async () => {
    const answer = await fetch(service.http.url + ROUTES[0]!.path(), {
      method: 'POST',
      headers: { Authorization: bearer, 'Content-Type': 'text/csv' },
      body: STATEMENT,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ unknownCount: 200, matchedCount: 0 });
  });
});
