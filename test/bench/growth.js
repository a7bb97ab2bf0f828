// What a request costs with many rows, against few: two databases, two services, one request here and one there in
// turn.
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { DataSource } from 'typeorm';
import { Client } from 'undici';
import { Database } from '../../dist/src/platform/database/database.js';
import { dataSourceOptions } from '../../dist/src/platform/database/data-source-options.js';
import { encodeEventCursor } from '../../dist/src/platform/events/event-cursor.js';
import { encodeCursor } from '../../dist/src/platform/http/page.js';
import { DueDeliveriesRepository } from '../../dist/src/notifications/dispatching/due-deliveries.repository.js';
import { RetentionRepository } from '../../dist/src/notifications/retention.repository.js';
import { MissedMoneyRepository } from '../../dist/src/payments/intake/missed-money.repository.js';
import { PaymentsRepository } from '../../dist/src/payments/payments/payments.repository.js';
import { loadDatabase } from './bulk.js';
import {
  ADMIN,
  createDatabase,
  sharedSecrets,
  startHelper,
  startPostgres,
  startService,
} from './processes.js';
import { median, publishGrowth } from './report.js';

const FEW = 10_000;
const DAY_MS = 86_400_000;
/** Seen by nobody: what has just begun to run costs several times as much. */
const WARM_UP = 6;
const QR_WINDOW_MS = 600_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const QR_PAYLOAD =
  '00020101021126560016com.pubalibankbd0102000204017503189000000000000000015204541153030505802BD5925EXAMPLE SHOP             6005DHAKA62320211017000000010713PBLQR0000000164170002bn0107bangali91200016com.pubalibankbd630420DE';
const LAST_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

async function api(origin, path, body, headers = {}) {
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** A migrated database with stores and their rows; its service is stopped again, so that nothing disturbs the load. */
async function prepare(postgres, rows, merchantOrigin) {
  const database = await createDatabase(postgres.url, `joma_bench_${rows}`);
  const environment = { ...sharedSecrets(), EXTENSIONS: 'day-close' };
  const service = await startService(database.url, environment);
  const { accessToken } = await api(service.origin, '/api/v1/auth/login', ADMIN);
  const person = { authorization: `Bearer ${accessToken}` };
  const stores = [];
  for (let number = 1; number <= 4; number += 1)
    stores.push(
      await api(
        service.origin,
        '/api/v1/stores',
        {
          name: `Store ${number}`,
          webhookUrl: `${merchantOrigin}/webhook`,
          wallets: [
            { provider: 'bkash', number: `017000000${10 + number}`, accountType: 'merchant', enabled: true },
            ...(number === 1
              ? [{ provider: 'qr', accountType: 'merchant', qrPayload: QR_PAYLOAD, enabled: true }]
              : []),
          ],
        },
        person,
      ),
    );
  const [store] = stores;
  const link = await api(
    service.origin,
    `/api/v1/stores/${store.id}/payment-links`,
    { title: 'Tea', amount: 40 },
    person,
  );
  await service.stop();
  const loadMs = await loadDatabase(database.url, {
    ...{ stores: stores.map(({ id }) => id), links: [link.id, null, null, null], rows, now: new Date() },
  });
  const [{ size }] = await database.query('SELECT pg_database_size(current_database()) AS size');
  return { rows, database, environment, store, link, loadMs, bytes: Number(size), sample: 0 };
}

/** Rows of the large store over the whole year, to look for. */
async function samplesOf({ database, store }) {
  const samples = [];
  for (let number = 0; number < 40; number += 1) {
    const [row] = await database.query(
      `SELECT id, trx_id, customer_phone, created_at FROM payments
       WHERE store_id = $1 AND created_at > now() - $2 * interval '1 day' AND trx_id IS NOT NULL AND status = 'verified'
       ORDER BY created_at LIMIT 1`,
      [store.id, 3 + number * 9],
    );
    samples.push(row);
  }
  return samples;
}

/** A session of the dashboard, as its cookies. */
async function signIn(origin) {
  const path = `${origin}/dashboard/sign-in`;
  const cookies = new Map();
  const keep = (answer) => {
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    return answer;
  };
  const page = await keep(await fetch(path)).text();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...ADMIN, next: '', _token: /name="_token" value="([^"]+)"/.exec(page)[1] }),
  });
  if (keep(answer).status !== 303) throw new Error(`Signing in was answered ${answer.status}.`);
  return { cookie: cookie() };
}

async function open(side) {
  const service = await startService(side.database.url, side.environment);
  const { accessToken } = await api(service.origin, '/api/v1/auth/login', ADMIN);
  return {
    ...side,
    service,
    client: new Client(service.origin, { pipelining: 1 }),
    samples: await samplesOf(side),
    key: { 'x-api-key': side.store.apiKey },
    person: { authorization: `Bearer ${accessToken}` },
    browser: await signIn(service.origin),
  };
}

async function send(side, { method = 'GET', path, headers, body, status = 200 }) {
  const answer = await side.client.request({ method, path, headers, body: body ?? null });
  const text = await answer.body.text();
  if (answer.statusCode !== status)
    throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 300)}`);
  return text;
}

const sampleOf = (side) => side.samples[(side.sample = (side.sample + 1) % side.samples.length)];
const agoIso = (days) => new Date(Date.now() - days * DAY_MS).toISOString();
const farBack = () => encodeCursor({ at: new Date(Date.now() - 330 * DAY_MS), id: LAST_ID });

/** Requests that only read, by what they are called. */
function readings() {
  const list = (query) => (side) => ({ path: `/api/v1/payments?${query(side)}`, headers: side.key });
  const ofStore = (path) => (side) => ({
    path: `/api/v1/stores/${side.store.id}${path(side)}`,
    headers: side.person,
  });
  const page = (path) => (side) => ({
    path: `/dashboard/stores/${side.store.id}${path(side)}`,
    headers: side.browser,
  });
  const statuses = ['verified', 'expired', 'cancelled', 'review', 'pending', 'submitted'];
  return {
    'payments: first page': list(() => ''),
    'payments: page of 330 days ago': list(() => `cursor=${farBack()}`),
    ...Object.fromEntries(statuses.map((one) => [`payments: status=${one}`, list(() => `status=${one}`)])),
    'payments: status=expired, 330 days ago': list(() => `status=expired&cursor=${farBack()}`),
    'payments: provider=bkash': list(() => 'provider=bkash'),
    'payments: provider of one in a hundred': list(() => 'provider=upay'),
    'payments: trxId': list((side) => `trxId=${sampleOf(side).trx_id}`),
    'payments: customerPhone': list((side) => `customerPhone=${sampleOf(side).customer_phone}`),
    'payments: paymentLinkId': list((side) => `paymentLinkId=${side.link.id}`),
    'payments: createdFrom and createdTo': list(() => `createdFrom=${agoIso(200)}&createdTo=${agoIso(199)}`),
    'payment, public': (side) => ({ path: `/api/v1/payments/public/${sampleOf(side).id}` }),
    'refunds of a payment': (side) => ({
      path: `/api/v1/payments/${sampleOf(side).id}/refunds`,
      headers: side.key,
    }),
    'receipts: first page': ofStore(() => '/receipts'),
    'receipts: page of 330 days ago': ofStore(() => `/receipts?cursor=${farBack()}`),
    ...Object.fromEntries(
      ['unmatched', 'matched', 'review', 'ignored', 'void'].map((one) => [
        `receipts: status=${one}`,
        ofStore(() => `/receipts?status=${one}`),
      ]),
    ),
    'messages: first page': ofStore(() => '/messages'),
    'messages: status=unread': ofStore(() => '/messages?status=unread'),
    'deliveries: first page': ofStore(() => '/deliveries'),
    'deliveries: status=failed': ofStore(() => '/deliveries?status=failed'),
    'deliveries: of a payment': ofStore((side) => `/deliveries?paymentId=${sampleOf(side).id}`),
    'events: first page': (side) => ({ path: '/api/v1/events?limit=20', headers: side.key }),
    'events: page in the middle': (side) => ({
      path: `/api/v1/events?limit=20&after=${encodeEventCursor(BigInt(side.rows - 2_000))}`,
      headers: side.key,
    }),
    'payment links with what came': ofStore(() => '/payment-links'),
    'totals of a day (day-close)': ofStore(() => `/days/${agoIso(100).slice(0, 10)}`),
    'dashboard: stores': (side) => ({ path: '/dashboard/stores', headers: side.browser }),
    'dashboard: overview': page(() => ''),
    'dashboard: payments': page(() => '/payments'),
    'dashboard: search, TrxID': page((side) => `/payments?search=${sampleOf(side).trx_id}`),
    'dashboard: search, phone': page((side) => `/payments?search=${sampleOf(side).customer_phone}`),
    'dashboard: search, a word that is nowhere': page(() => '/payments?search=nowhere'),
    'dashboard: one payment': page((side) => `/payments/${sampleOf(side).id}`),
    'dashboard: review': page(() => '/review'),
    'dashboard: receipts': page(() => '/receipts'),
    'dashboard: messages': page(() => '/messages'),
    'dashboard: deliveries': page(() => '/deliveries'),
  };
}

/** `times` on each side in turn; what `prepared` does for a request is not counted. */
async function compare(name, sides, times, act, prepared = async () => undefined) {
  const tookMs = sides.map(() => []);
  for (let time = -WARM_UP; time < times; time += 1)
    for (const [place, side] of sides.entries()) {
      const given = await prepared(side, time);
      const startedAt = performance.now();
      await act(side, given);
      if (time >= 0) tookMs[place].push(performance.now() - startedAt);
    }
  const [fewMs, manyMs] = tookMs.map(median);
  process.stderr.write(`${name}: ${fewMs.toFixed(2)} ms, ${manyMs.toFixed(2)} ms\n`);
  return { name, times, fewMs, manyMs, ratio: manyMs / fewMs };
}

const unused = (time) => `${Date.now().toString(36)}${time + WARM_UP}`.toUpperCase();

/** A payment that waits for what its payer has entered. */
async function waiting(side, entry) {
  const headers = { ...JSON_TYPE, ...side.key };
  const created = await send(side, {
    ...{ method: 'POST', path: '/api/v1/payments', headers, status: 201 },
    body: JSON.stringify({ amount: entry.amount }),
  });
  const { id } = JSON.parse(created);
  await send(side, {
    ...{ method: 'POST', path: `/api/v1/payments/public/${id}/verify`, headers: JSON_TYPE, status: 202 },
    body: JSON.stringify(entry.entered),
  });
  return entry;
}

async function matches(sides, times) {
  const receive = (side, entry) =>
    send(side, {
      ...{ method: 'POST', path: '/api/webhooks/joma' },
      headers: { ...JSON_TYPE, 'x-webhook-secret': side.store.webhookSecret },
      body: JSON.stringify({
        ...{ app: 'bench', kind: 'received', amount: entry.amount, counterparty: '01700000002' },
        ...{ receivedAt: new Date().toISOString(), ...entry.receipt },
      }),
    });
  const byTrx = (side, time) => {
    const trxId = unused(time);
    return waiting(side, { amount: 500, entered: { trxId }, receipt: { trxId, provider: 'bkash' } });
  };
  const byDigits = (side, time) => {
    const last4digit = String(randomInt(10_000)).padStart(4, '0');
    const amount = 600 + time + WARM_UP;
    return waiting(side, { amount, entered: { last4digit }, receipt: { last4digit } });
  };
  const unclaimed = async (_side, time) => ({
    ...{ amount: 500, receipt: { trxId: `N${unused(time)}`, provider: 'bkash' } },
  });
  return [
    await compare('receipt that pays by TrxID', sides, times, receive, byTrx),
    await compare('receipt that pays by QR digits', sides, times, receive, byDigits),
    await compare('receipt for which nobody waits', sides, times, receive, unclaimed),
  ];
}

/** What no request asks: on the rows as they were loaded, without a service beside it. */
async function background(sides, times) {
  const of = [];
  for (const side of sides) {
    const source = await new DataSource(dataSourceOptions(side.database.url, 4)).initialize();
    const database = new Database(source);
    of.push({
      ...{ source, database: side.database },
      payments: new PaymentsRepository(database, null, null),
      missedMoney: new MissedMoneyRepository(database),
      due: new DueDeliveriesRepository(database),
      retention: new RetentionRepository(database, null),
    });
  }
  const sweep = async ({ payments, missedMoney }) => {
    const now = new Date();
    await missedMoney.listOverdueWithDigits(now, null, 200);
    await payments.storeExpiries(now, now, 500);
    await missedMoney.listMissedReceipts(now, QR_WINDOW_MS, null, 200);
    await payments.releaseAmounts(new Date(now.getTime() - 3_600_000), 500);
  };
  const plan = { total: 100, defaultRoom: 100, rooms: new Map() };
  const makeDue = ({ database }) =>
    database.query(
      `UPDATE deliveries SET status = 'pending', due_at = now() - interval '1 second', leased_until = NULL,
         lease_token = NULL
       WHERE id IN (SELECT id FROM deliveries WHERE status = 'failed' OR status = 'pending' LIMIT 3)`,
    );
  const claim = async ({ due }) => {
    await due.findNextDueMs(60_000);
    const claimed = await due.claim(plan, null, 30_000);
    if (claimed.deliveries.length === 0) throw new Error('Nothing was claimed although it was due.');
  };
  const prune = ({ retention }) => retention.pruneBodies(new Date(Date.now() - 400 * DAY_MS), null, 500);
  const rows = [
    await compare('round of the sweep', of, times, sweep),
    await compare('claim of three due deliveries', of, times, claim, makeDue),
    await compare('look for bodies that are too old', of, times, prune),
  ];
  for (const { source } of of) await source.destroy();
  return rows;
}

async function compareAll(sides, times) {
  const rows = [];
  for (const [name, request] of Object.entries(readings()))
    rows.push(await compare(name, sides, times, (side) => send(side, request(side))));
  rows.push(...(await matches(sides, times)));
  return rows;
}

const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;

/** `rows` payments, and what belongs to them, against ten thousand. */
export async function measureGrowth({ rows, times }) {
  if (!Number.isSafeInteger(rows) || rows < FEW) throw new Error(`--rows wants ${FEW} or more.`);
  const settings = { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '15min' };
  const postgres = await startPostgres(settings);
  const merchant = await startHelper('merchant.js');
  const merchantOrigin = `http://127.0.0.1:${merchant.port}`;
  const sides = [];
  try {
    for (const size of [FEW, rows]) sides.push(await prepare(postgres, size, merchantOrigin));
    const facts = {
      postgres: (await sides[0].database.query('SHOW server_version'))[0].server_version,
      'of the first store': 'six of ten; the rest of three more',
      loaded: sides
        .map((side) => `${Math.round(side.loadMs / 1_000)} s, ${gigabytes(side.bytes)}`)
        .join('; '),
    };
    const quiet = await background(sides, times);
    const opened = [];
    for (const side of sides) opened.push(await open(side));
    // What fell due while the rows were loaded goes out first.
    await wait(3_000);
    const measured = [...(await compareAll(opened, times)), ...quiet];
    for (const { client, service } of opened) {
      await client.close();
      await service.stop();
    }
    publishGrowth({ rows: measured, facts, sizes: [FEW, rows] });
  } finally {
    merchant.stop();
    for (const { database } of sides) await database.close();
    await postgres.stop();
  }
}
