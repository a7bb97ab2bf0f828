/*
 * `npm run bench`: what the service costs, as ratios to floors in the same run.
 *
 * PostgreSQL, the service, the floors, the load and the merchant are processes of their own. Rounds are interleaved:
 * a floor, then the service, so that the machine's own speed cancels out; the table shows the median of the rounds'
 * ratios with their spread.
 *
 * npm run bench -- --only create,read     some of it: create, read, page, receipts, chain, drain npm run bench --
 * --rounds 5 --seconds 2 longer rounds npm run bench -- --steps 32             not at 1, 16, 32 and 64 connections
 * npm run bench -- --rows 1000000         something else: what each request costs with so many payments, against
 * 10,000
 * FAST_PATHS=off npm run bench             the same of the plain classes
 */
import { parseArgs } from 'node:util';
import {
  ADMIN,
  createDatabase,
  postgresMeter,
  residentBytes,
  startFloor,
  startHelper,
  startPostgres,
  startService,
} from './processes.js';
import { measureGrowth } from './growth.js';
import { publish } from './report.js';
import * as scenarios from './scenarios.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'create,read,page,receipts,chain,drain' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    count: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '32' },
    steps: { type: 'string', default: '1,16,32,64' },
    rows: { type: 'string' },
    times: { type: 'string', default: '60' },
  },
});
const STORES = 8;
const only = new Set(values.only.split(','));

async function post(origin, path, body, headers = {}) {
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/**
 * `webhookUrl` undefined: what is verified has nowhere to go, and is held. No two stores of an owner have the same
 * wallet.
 */
async function createStores(origin, webhookUrl, firstNumber) {
  const { accessToken } = await post(origin, '/api/v1/auth/login', ADMIN);
  const headers = { authorization: `Bearer ${accessToken}` };
  const stores = [];
  for (let number = firstNumber; number < firstNumber + STORES; number += 1) {
    const wallets = [
      { provider: 'bkash', number: `017000000${10 + number}`, accountType: 'merchant', enabled: true },
    ];
    stores.push(
      await post(origin, '/api/v1/stores', { name: `Store ${number}`, webhookUrl, wallets }, headers),
    );
  }
  return stores;
}

/** Same durability on both sides, or the ratios mean nothing. */
async function durability(databases) {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes'];
  const of = async (database) => {
    const found = [];
    for (const name of names) found.push(`${name} ${(await database.query(`SHOW ${name}`))[0][name]}`);
    return found.join(', ');
  };
  const [service, floor] = [await of(databases.service), await of(databases.floor)];
  if (service !== floor) throw new Error(`Not the same durability: ${service}; ${floor}`);
  return service;
}

async function measure(bench, facts) {
  const rows = [];
  const wants = (name) => only.has(name);
  if (wants('create')) rows.push(...(await scenarios.create(bench)));
  if (wants('read')) rows.push(...(await scenarios.read(bench)));
  if (wants('page')) rows.push(...(await scenarios.page(bench)));
  if (wants('receipts')) rows.push(...(await scenarios.receipts(bench)));
  if (wants('chain')) {
    const chain = await scenarios.endToEnd(bench);
    rows.push(...chain);
    await scenarios.latency(bench, facts, chain[1].perSecond);
  }
  if (wants('drain')) rows.push(...(await scenarios.drain(bench)));
  return rows;
}

async function main() {
  const postgres = await startPostgres();
  const database = await createDatabase(postgres.url, 'joma_bench');
  const floorDatabase = await createDatabase(postgres.url, 'joma_bench_floor');
  const [load, merchant] = [await startHelper('load-generator.js'), await startHelper('merchant.js')];
  // The first start migrates; the second shows what a start costs.
  await (await startService(database.url)).stop();
  const [floor, service] = [await startFloor(floorDatabase.url), await startService(database.url)];
  const merchantOrigin = `http://127.0.0.1:${merchant.port}`;
  try {
    const facts = {
      postgres: (await database.query('SHOW server_version'))[0].server_version,
      durability: await durability({ service: database, floor: floorDatabase }),
      'ready after': `${Math.round(service.readyMs)} ms (wanted: 2,000)`,
    };
    const bench = {
      ...{ database, floor, service, merchant, merchantOrigin },
      stores: await createStores(service.origin, `${merchantOrigin}/webhook`, 1),
      storesWithoutUrl: await createStores(service.origin, undefined, 1 + STORES),
      load: (job) => load.ask(job),
      postgresMs: await postgresMeter(database.query),
      rounds: Number(values.rounds),
      durationMs: Number(values.seconds) * 1_000,
      count: Number(values.count),
      connections: Number(values.connections),
      steps: values.steps.split(',').map(Number),
    };
    const rows = await measure(bench, facts);
    const bytes = residentBytes(service.pid);
    if (bytes !== null) facts['memory after the load'] = `${Math.round(bytes / 1e6)} MB (wanted: 300)`;
    publish({ rows, facts });
  } finally {
    load.stop();
    merchant.stop();
    await service.stop();
    await floor.stop();
    await database.close();
    await floorDatabase.close();
    await postgres.stop();
  }
}

await (values.rows === undefined
  ? main()
  : measureGrowth({ rows: Number(values.rows), times: Number(values.times) }));
