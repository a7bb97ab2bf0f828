import { Client } from 'pg';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LARGE_TABLES, loadManyRows } from '../../support/many-rows.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import {
  type Asked,
  collectStatements,
  storeToTour,
  tourOf,
  tourOfTheRest,
} from '../../support/statement-tour.js';
import { createStore, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 1.31.
 *
 * Goal: what a statement costs does not grow with what a store has already. Method: tables as after a year of
 * business, most of it of the store that is toured; every statement that the tour asks, with a name or without, is
 * explained with the plan of its values and, when it has a name, with the one that PostgreSQL keeps. None reads a
 * large table whole, and none touches more than a few hundred blocks of the tens of thousands there are.
 */

const ROWS = 30_000;
/** Of 8 KB. A page of 21 rows by index takes 60 to 90, one payment with all that hangs on it fewer. */
const MOST_BLOCKS = 400;
/** While nothing has been analysed: what there is once, never what there is of one table for each row of another. */
const MOST_BLOCKS_UNANALYSED = 5_000;

/** What reads more than that, and why it may. */
const ALLOWED: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  {
    statement: /^UPDATE receipts SET counterparty = NULL/,
    reason: 'redacts 200 at a time, with all their index entries',
  },
  { statement: /^UPDATE messages SET text = ''/, reason: 'redacts those of 200 receipts at a time' },
  { statement: / AS latest WHERE /, reason: 'looks for a note in the latest 5,000 payments' },
  {
    statement: /^UPDATE deliveries SET status = 'pending'/,
    reason: 'a replay sends a thousand at a time again',
  },
  { statement: /^UPDATE events SET body = NULL/, reason: 'forgets 500 at a time' },
];

/**
 * What the tour does not come to: what only a cluster asks, and what begins only after many wrong entries, or when
 * two do the same at the same moment. They find by keys that others are explained with.
 */
const NOT_TOURED = [
  ...[
    'deliveries-claim-of-store',
    'deliveries-lease-of-store',
    'payments-find-among',
    'payments-find-anywhere',
  ],
  ...[
    'guess-protection-count-open',
    'guess-protection-count-verified',
    'payments-release-amount',
    'payments-count-open',
  ],
  ...['payments-list-by-ids', 'submissions-change', 'receipts-doubt', 'receipts-lock-many'],
  ...['receipts-exists-look-alike', 'messages-count-unreadable', 'messages-decide'],
  ...['delivery-attempts-append', 'events-append-many', 'deliveries-append-many'],
];

/** Statements with a name that read one of the large tables, or change what is there. */
function namesInSource(): string[] {
  const files = readdirSync('src', { withFileTypes: true, recursive: true });
  const texts = files
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/name: '([a-z0-9-]+)',\s*text: ([^;]*);/g)]);
  const isLarge = (text = '') =>
    LARGE_TABLES.some((table) => new RegExp(`\\b${table}\\b`).test(text)) || text.includes('${SELECT}');
  return named
    .filter(([, , text]) => isLarge(text) && !/^[`'"\s]*INSERT/.test(text ?? ''))
    .map(([, name]) => name!);
}

let test: TestApp;
let merchant: MerchantReceiver;
let store: TestStore;
let admin: { Authorization: string };
let asked: Map<string, Asked>;
let client: Client;

beforeAll(async () => {
  merchant = await startMerchantReceiver();
  const environment = {
    ...{ EXTENSIONS: 'day-close', RETENTION_PERSONAL: '360d' },
    ...{ RETENTION_ATTEMPTS: '360d', RETENTION_BODIES: '360d' },
  };
  test = await startTestApp({ environment, writesPastService: true });
  ({ store, admin } = await storeToTour(test, merchant));
  const stores = [store.id];
  for (let more = 0; more < 3; more += 1) stores.push((await createStore(test.http, admin)).id);
  const links = [null, null, null, null];
  await loadManyRows((text, values) => test.database.query(text, values), { stores, links, rows: ROWS });
  await test.database.query('ANALYZE');
  client = new Client({ connectionString: test.database.url });
  asked = collectStatements();
}, 120_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await client.end();
  await test.close();
  await merchant.close();
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

const wholeTables = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && LARGE_TABLES.includes(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap(wholeTables),
];

/** Values as the driver sends them, written into the statement. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (this: void, value: unknown) => string | Buffer | null;
};

function literal(client: Client, value: unknown): string {
  const prepared = prepareValue(value);
  if (prepared === null) return 'NULL';
  return client.escapeLiteral(
    Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : String(prepared),
  );
}

/** What PostgreSQL answers to EXPLAIN with these options; what it did is undone. Null when it failed. */
async function explain(
  client: Client,
  options: string,
  statement: string,
  values: readonly unknown[],
): Promise<Plan | null> {
  await client.query('SAVEPOINT before');
  const answer = await client
    .query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (${options}, FORMAT JSON) ${statement}`, [...values])
    .catch(() => null);
  await client.query('ROLLBACK TO before');
  return answer?.rows[0]?.['QUERY PLAN'][0]?.Plan ?? null;
}

/**
 * Run once more, so that its blocks are counted; where that is refused (what it inserts is there already), as it is
 * planned.
 */
async function planOf(client: Client, statement: string, values: readonly unknown[] = []): Promise<Plan> {
  const plan =
    (await explain(client, 'ANALYZE, BUFFERS, TIMING OFF', statement, values)) ??
    (await explain(client, 'COSTS', statement, values));
  if (plan === null) throw new Error(`PostgreSQL explains no ${statement}`);
  return plan;
}

/**
 * The first plan, made for the values, and the one after the sixth time, when PostgreSQL has chosen whether to keep
 * one.
 */
async function plansOf(client: Client, { name, text, values }: Asked): Promise<Plan[]> {
  const first = await planOf(client, text, values);
  if (name === null || values.length === 0) return [first];
  await client.query(`PREPARE toured AS ${text}`);
  const execute = `EXECUTE toured (${values.map((value) => literal(client, value)).join(', ')})`;
  let kept = first;
  for (let time = 1; time <= 7; time += 1) kept = await planOf(client, execute);
  await client.query('DEALLOCATE toured');
  return [first, kept];
}

async function faultsOf(client: Client, statement: Asked, mostBlocks: number): Promise<string[]> {
  await client.query('BEGIN');
  for (const setting of statement.settings) await client.query(setting);
  try {
    const plans = await plansOf(client, statement);
    return plans.flatMap((plan) => {
      const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      const whole = wholeTables(plan);
      return [
        ...whole.map((table) => `reads ${table} whole`),
        ...(blocks > mostBlocks ? [`touches ${blocks} blocks`] : []),
      ];
    });
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Of all statements of the tour that ask a large table. */
async function faultsOfAll(mostBlocks: number): Promise<{ faults: string[]; count: number }> {
  const faults: string[] = [];
  let count = 0;
  for (const statement of [...asked.values()]) {
    const { name, text } = statement;
    if (!LARGE_TABLES.some((table) => new RegExp(`\\b${table}\\b`).test(text))) continue;
    if (!/^\s*(?:SELECT|UPDATE|DELETE|INSERT|WITH)/i.test(text)) continue;
    count += 1;
    if (ALLOWED.some((allowed) => allowed.statement.test(name ?? text.trim()))) continue;
    const found = await faultsOf(client, statement, mostBlocks);
    for (const fault of new Set(found)) faults.push(`${fault}: ${name ?? text.replace(/\s+/g, ' ')}`);
  }
  return { faults, count };
}

describe('a store that has taken many payments', () => {
  it('asks nothing that grows with them', async () => {
    const tour = { test, merchant, store, admin };
    await tourOfTheRest(tour, await tourOf(tour));
    await client.connect();
    const seen = await faultsOfAll(MOST_BLOCKS);
    const names = namesInSource().filter((name) => !NOT_TOURED.includes(name));
    const missed = names.filter((name) => !asked.has(name));
    expect(missed.length, `the tour does not come to ${missed.join(', ')}`).toBeLessThan(names.length / 5);
    expect(seen.faults).toEqual([]);
    expect(seen.count).toBeGreaterThan(80);
  });

  it('asks nothing either that goes through one table for each row of another while there are no statistics', async () => {
    await client.query('DELETE FROM pg_statistic');
    await client.query(`UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relkind IN ('r', 'i')
      AND relnamespace = 'public'::regnamespace`);
    const { faults, count } = await faultsOfAll(MOST_BLOCKS_UNANALYSED);
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(80);
  });
});
