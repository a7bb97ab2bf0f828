// What is measured, each against its floor in the same round: first the one, then the other, so that the machine's
// mood cancels out.
import { randomUUID } from 'node:crypto';
import { processorMs } from './processes.js';
import { row } from './report.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const BODY = { amount: 500, note: 'Order 1001', customerName: 'Rahim Uddin' };
const FLOOR_KEY = { ...JSON_TYPE, 'x-api-key': 'floor-key' };
let sequence = 0;

const trxId = () => `BENCH${(sequence += 1)}X`;
const receiptBody = (id) =>
  JSON.stringify({
    ...{ app: 'bench', provider: 'bkash', kind: 'received', trxId: id, amount: 500 },
    ...{ counterparty: '01700000002', receivedAt: new Date().toISOString() },
  });

/**
 * Runs one side of a round, and adds what it cost: processor time a request, of that side and of PostgreSQL, in
 * microseconds.
 */
async function metered(bench, side, run) {
  const pid = bench[side].pid;
  const before = { own: processorMs(pid), postgres: bench.postgresMs() };
  const result = await run();
  const cost = (now, then) => ((now - then) / result.count) * 1_000;
  return {
    ...result,
    ownUs: cost(processorMs(pid), before.own),
    postgresUs: cost(bench.postgresMs(), before.postgres),
  };
}

/** `rounds` times the floor, then the service; answers both lists. */
async function interleave(bench, floor, service) {
  const results = { floor: [], service: [] };
  // Once unseen: code that has just begun to run is interpreted, and costs several times as much.
  for (const side of [floor, service]) await side();
  for (let round = 0; round < bench.rounds; round += 1) {
    results.floor.push(await metered(bench, 'floor', floor));
    results.service.push(await metered(bench, 'service', service));
  }
  return results;
}

/** The first round warms up. */
function withoutFirst(results) {
  for (const list of Object.values(results)) list.shift();
}

function creation(bench, connections) {
  const items = [{ path: '/payments', body: JSON.stringify(BODY) }];
  const job = { method: 'POST', status: 201, connections, durationMs: bench.durationMs };
  const store = bench.stores[0];
  return {
    floor: () => bench.load({ ...job, origin: bench.floor.origin, headers: FLOOR_KEY, items }),
    service: () =>
      bench.load({
        ...job,
        origin: bench.service.origin,
        headers: { ...JSON_TYPE, 'x-api-key': store.apiKey },
        items: [{ ...items[0], path: '/api/v1/payments' }],
      }),
  };
}

export async function create(bench) {
  const rows = [];
  for (const connections of bench.steps) {
    const { floor, service } = creation(bench, connections);
    const results = await interleave(bench, floor, service);
    const target = connections === 1 ? '0.7' : '1.0';
    rows.push(
      row(
        `create a payment, ${connections} connections`,
        target,
        results.service,
        results.floor,
        'key SELECT + INSERT',
      ),
    );
  }
  return rows;
}

const reading = (bench, connections) => ({
  ...{ method: 'GET', status: 200, connections, durationMs: bench.durationMs },
});

/** Payments of the floor and of the service to read from. */
async function made(bench, count) {
  const job = { method: 'POST', status: 201, connections: 16, collect: 'id' };
  const items = (path) => Array.from({ length: count }, () => ({ path, body: JSON.stringify(BODY) }));
  const floor = await bench.load({
    ...job,
    origin: bench.floor.origin,
    headers: FLOOR_KEY,
    items: items('/payments'),
  });
  const headers = { ...JSON_TYPE, 'x-api-key': bench.stores[0].apiKey };
  const service = await bench.load({
    ...job,
    origin: bench.service.origin,
    headers,
    items: items('/api/v1/payments'),
  });
  const ids = (result) => result.answers.map(({ id }) => id);
  return { floor: ids(floor), service: ids(service) };
}

export async function read(bench) {
  const ids = await made(bench, 1_000);
  const rows = [];
  const key = { 'x-api-key': bench.stores[0].apiKey };
  for (const connections of bench.steps) {
    const job = reading(bench, connections);
    const floor = () =>
      bench.load({
        ...job,
        origin: bench.floor.origin,
        items: ids.floor.map((id) => ({ path: `/payments/${id}` })),
      });
    const at = (prefix, headers) => () =>
      bench.load({
        ...job,
        headers,
        origin: bench.service.origin,
        items: ids.service.map((id) => ({ path: `${prefix}${id}` })),
      });
    const open = await interleave(bench, floor, at('/api/v1/payments/public/'));
    rows.push(row(`public read, ${connections}`, '0.8', open.service, open.floor, 'one SELECT by id'));
    const keyed = await interleave(bench, floor, at('/api/v1/payments/', key));
    rows.push(row(`read with a key, ${connections}`, '0.8', keyed.service, keyed.floor, 'one SELECT by id'));
  }
  return rows;
}

export async function page(bench) {
  const { service: ids } = await made(bench, 200);
  const job = { ...reading(bench, 32), origin: bench.service.origin };
  const items = (prefix) => ids.map((id) => ({ path: `${prefix}${id}` }));
  const results = await interleave(
    bench,
    () => bench.load({ ...job, items: items('/api/v1/payments/public/') }),
    () => bench.load({ ...job, items: items('/pay/') }),
  );
  return [row('checkout page, 32', '0.5', results.service, results.floor, 'its JSON')];
}

/** Payments that wait for a TrxID each: over all stores of the bench, or on the floor. */
async function waiting(bench, count, stores = bench.stores) {
  const perStore = [];
  for (const store of stores) {
    const mine = Math.ceil(count / stores.length);
    const created = await bench.load({
      ...{ origin: bench.service.origin, method: 'POST', status: 201, connections: 16, collect: 'id' },
      headers: { ...JSON_TYPE, 'x-api-key': store.apiKey },
      items: Array.from({ length: mine }, () => ({ path: '/api/v1/payments', body: JSON.stringify(BODY) })),
    });
    const entries = created.answers.map(({ id }) => ({ id, trxId: trxId() }));
    await bench.load({
      ...{ origin: bench.service.origin, method: 'POST', status: 202, connections: 16, headers: JSON_TYPE },
      items: entries.map((entry) => ({
        path: `/api/v1/payments/public/${entry.id}/verify`,
        body: JSON.stringify({ trxId: entry.trxId }),
      })),
    });
    perStore.push({ store, entries });
  }
  return perStore;
}

async function waitingOnFloor(bench, count) {
  const ids = Array.from({ length: count }, trxId);
  await bench.load({
    ...{ origin: bench.floor.origin, method: 'POST', status: 201, connections: 16, headers: FLOOR_KEY },
    items: ids.map((id) => ({ path: '/payments', body: JSON.stringify({ ...BODY, trxId: id }) })),
  });
  return ids;
}

const PHONE_PATH = '/api/webhooks/joma';

const onFloor = (bench, ids) =>
  bench.load({
    ...{ origin: bench.floor.origin, method: 'POST', status: 200, connections: bench.connections },
    headers: JSON_TYPE,
    items: ids.map((id) => ({ path: '/receipts', body: receiptBody(id) })),
  });

export async function receipts(bench) {
  const store = bench.stores[0];
  const headers = { ...JSON_TYPE, 'x-webhook-secret': store.webhookSecret };
  const send = (ids) =>
    bench.load({
      ...{
        origin: bench.service.origin,
        method: 'POST',
        status: 200,
        connections: bench.connections,
        headers,
      },
      items: ids.map((id) => ({ path: PHONE_PATH, body: receiptBody(id) })),
    });
  const unmatched = { floor: [], service: [] };
  for (let round = 0; round <= bench.rounds; round += 1) {
    const ids = await waitingOnFloor(bench, bench.count);
    unmatched.floor.push(await metered(bench, 'floor', () => onFloor(bench, ids)));
    const fresh = Array.from({ length: bench.count }, trxId);
    unmatched.service.push(await metered(bench, 'service', () => send(fresh)));
  }
  withoutFirst(unmatched);
  const floorName = 'insert + update in one transaction';
  return [row('receipt, nobody waits', '0.7', unmatched.service, unmatched.floor, floorName)];
}

/** From the first receipt sent until the last webhook has arrived; and the receipts alone. */
export async function endToEnd(bench) {
  const results = { held: [], receipts: [], chains: [], floors: [], optimum: [] };
  for (let round = 0; round <= bench.rounds; round += 1) {
    const ids = await waitingOnFloor(bench, bench.count);
    const floor = await metered(bench, 'floor', () => onFloor(bench, ids));
    const posts = await barePosts(bench, bench.count * 2);
    results.floors.push(floor);
    results.optimum.push({ ...floor, perSecond: 1 / (1 / floor.perSecond + 1 / posts.perSecond) });
    const withoutUrl = await waiting(bench, bench.count, bench.storesWithoutUrl);
    results.held.push(await metered(bench, 'service', () => sendReceipts(bench, withoutUrl)));
    const perStore = await waiting(bench, bench.count);
    await bench.merchant.ask({ reset: true });
    const count = perStore.reduce((sum, { entries }) => sum + entries.length, 0);
    const answered = await metered(bench, 'service', async () => {
      const sent = sendReceipts(bench, perStore);
      const arrivals = await bench.merchant.ask({ waitFor: count });
      const result = await sent;
      return { ...result, last: Math.max(...arrivals.map(({ arrivedAt }) => arrivedAt)) };
    });
    results.receipts.push(answered);
    const spanMs = answered.last - answered.startedAt;
    results.chains.push({ ...answered, perSecond: (count / spanMs) * 1_000, p50Ms: null, p99Ms: null });
  }
  withoutFirst(results);
  const floorName = 'insert + update in one transaction';
  return [
    row('receipt that verifies', '0.7', results.held, results.floors, floorName),
    row('the same, with its delivery', '0.7', results.receipts, results.floors, floorName),
    row(
      'receipt → verified → delivered',
      '0.6',
      results.chains,
      results.optimum,
      'that, then one POST: serial',
    ),
  ];
}

/** One store after the other has the secret in a header; the stores take turns. */
async function sendReceipts(bench, perStore, options = {}) {
  const jobs = perStore.flatMap(({ store, entries }) =>
    entries.map((entry) => ({
      path: PHONE_PATH,
      body: receiptBody(entry.trxId),
      headers: { ...JSON_TYPE, 'x-webhook-secret': store.webhookSecret },
    })),
  );
  // Stores take turns, as their phones do.
  const items = jobs
    .map((job, index) => ({ job, turn: index % Math.ceil(jobs.length / perStore.length) }))
    .sort((left, right) => left.turn - right.turn)
    .map(({ job }) => job);
  const { connections } = bench;
  return bench.load({
    ...{ origin: bench.service.origin, method: 'POST', status: 200, connections, items, ...options },
  });
}

/** Each an event of its own, which the merchant keeps, as it keeps those of the service. */
const barePosts = async (bench, count) => {
  await bench.merchant.ask({ reset: true });
  return bench.load({
    ...{ origin: bench.merchantOrigin, method: 'POST', status: 200, connections: 64 },
    items: Array.from({ length: count }, () => {
      const paymentId = randomUUID();
      return {
        path: '/webhook',
        headers: { ...JSON_TYPE, 'webhook-id': paymentId },
        body: JSON.stringify({ event: 'payment.verified', ...BODY, paymentId, note: 'x'.repeat(200) }),
      };
    }),
  });
};

/** At half of what it can do: from the phone's answer, which follows the commit, to the request at the merchant. */
export async function latency(bench, facts, perSecond) {
  const rate = Math.max(20, Math.round(perSecond / 2));
  const perStore = await waiting(bench, rate * 3);
  await bench.merchant.ask({ reset: true });
  const sent = sendReceipts(bench, perStore, { perSecond: rate, collect: 'paymentId' });
  const count = perStore.reduce((sum, { entries }) => sum + entries.length, 0);
  const arrivals = await bench.merchant.ask({ waitFor: count });
  const { answers } = await sent;
  const answeredAt = new Map(answers.map((one) => [one.paymentId, one.answeredAt]));
  const waits = arrivals
    .map(({ arrivedAt, paymentId }) => arrivedAt - answeredAt.get(paymentId))
    .sort((left, right) => left - right);
  const at = (share) => waits[Math.floor(waits.length * share)].toFixed(1);
  facts['phone answered → webhook at half load'] =
    `${rate}/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (wanted from the commit: 1.5, 10)`;
}

/** Deliveries that are all due at once, as after an outage of their merchants; from the first arrival to the last. */
export async function drain(bench) {
  // What the chain has delivered goes out again; alone, this has to make something first.
  const [{ known }] = await bench.database.query('SELECT count(*)::integer AS known FROM deliveries');
  if (known < bench.count) {
    await sendReceipts(bench, await waiting(bench, bench.count * 2));
    await settled(bench);
  }
  const oneProcess = [];
  const signed = [];
  const results = await interleave(
    bench,
    async () => {
      oneProcess.push(await bench.merchant.ask({ posts: bench.count * 2 }));
      signed.push(await bench.merchant.ask({ posts: bench.count * 2, isSigned: true }));
      return barePosts(bench, bench.count * 2);
    },
    async () => {
      await bench.merchant.ask({ reset: true });
      const [{ count }] = await bench.database.query(
        `WITH due AS (UPDATE deliveries SET status = 'pending', due_at = now(), delivered_at = NULL, lease_token = NULL
           WHERE status = 'delivered' RETURNING id) SELECT count(*)::integer AS count FROM due`,
      );
      const arrivals = await bench.merchant.ask({ waitFor: count });
      const times = arrivals.map(({ arrivedAt }) => arrivedAt);
      const spanMs = times.reduce((most, time) => Math.max(most, time), 0) - Math.min(...times);
      await settled(bench);
      return { count, perSecond: (count / spanMs) * 1_000, p50Ms: null, p99Ms: null };
    },
  );
  const measured = (list) =>
    list.slice(1).map((result) => ({ ...result, ownUs: Number.NaN, postgresUs: Number.NaN }));
  const against = (name, list, floorName) => row(name, '0.6', results.service, list, floorName);
  return [
    against('backlog drain', results.floor, 'bare undici POST loop, two processes'),
    against('the same', measured(oneProcess), 'the loop and its receiver in one process'),
    against('the same', measured(signed), 'that loop, signing what it sends'),
  ];
}

/** Until what was sent is written down, too. */
async function settled(bench) {
  for (;;) {
    const [{ left }] = await bench.database.query(
      `SELECT count(*)::integer AS left FROM deliveries WHERE status = 'pending'`,
    );
    if (left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
