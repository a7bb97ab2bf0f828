import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { shardedTables } from '../support/partitioned-tables.js';
import { type Asked, collectStatements, storeToTour, tourOf } from '../support/statement-tour.js';
import { startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Goal: a statement for one store asks one node. Method: the tables are partitioned by store; a tour through the
 * features of money collects every statement with the values it had, and EXPLAIN tells which partitions its plan
 * touches.
 */

/**
 * What may touch several partitions, and why: statements of the walk, the sweeps and retention, which are for all
 * stores, and what plain PostgreSQL shares between stores while a cluster asks for each alone
 * (`Database.isDistributed`).
 */
const FOR_MANY_STORES: readonly RegExp[] = [
  // Reads that requests of the same moment share.
  /^payments-find-(?:stamped|counted|confirmed)(?:-versions)?$/,
  // Receipts of the same moment share their statements; a cluster decides about each alone.
  /^payments-(?:lock-waiting|verify-many)$/,
  /^submissions-list-of-trx-ids$/,
  // Read for requests of the same moment, too.
  /^receipts-find-known$/,
  // By an id that does not end as its store's does.
  /^payments-find-anywhere$/,
  // The dispatcher's walk and its batches over whatever stores are due; a cluster asks for each store alone.
  /^deliveries-(?:walk|claim)$/,
  /^deliveries-(?:not-)?delivered-all(?:-again)?$/,
  /^store-states-find-failing-of-many$/,
];

let test: TestApp;
let merchant: MerchantReceiver;
let store: TestStore;
let admin: { Authorization: string };
let asked: Map<string, Asked>;

beforeAll(async () => {
  asked = collectStatements();
  merchant = await startMerchantReceiver();
  test = await startTestApp();
  ({ store, admin } = await storeToTour(test, merchant));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await test.close();
  await merchant.close();
});

describe('a statement for one store', () => {
  it('touches one partition of each table', async () => {
    await tourOf({ test, merchant, store, admin });
    const client = new Client({ connectionString: test.database.url });
    await client.connect();
    const tables = await shardedTables(client);
    const wide: string[] = [];
    let seen = 0;
    for (const { name, text, values } of [...asked.values()]) {
      const isOfStores = tables.some((table) => new RegExp(`\\b${table}\\b`).test(text));
      const isForOne = /\bstore_id = (?:\$\d+|ANY)|\bWHERE \w+\.?store_id = \$/.test(text) || name !== null;
      if (!isOfStores || !isForOne || !/^\s*(?:SELECT|UPDATE|DELETE|WITH)/i.test(text)) continue;
      if (FOR_MANY_STORES.some((pattern) => pattern.test(name ?? ''))) continue;
      seen += 1;
      const touched = await partitionsOf(client, text, values);
      for (const [table, partitions] of touched)
        if (partitions.size > 1) wide.push(`${name ?? text}: ${partitions.size} partitions of ${table}`);
    }
    await client.end();
    expect(wide).toEqual([]);
    expect(seen).toBeGreaterThan(20);
  });
});

async function partitionsOf(
  client: Client,
  text: string,
  values: readonly unknown[],
): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${text}`, [
    ...values,
  ]);
  const touched = new Map<string, Set<string>>();
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    for (const [key, value] of Object.entries(node)) {
      const [, table] = (key === 'Relation Name' && /^(.*)_p\d+$/.exec(String(value))) || [];
      if (table !== undefined) touched.set(table, (touched.get(table) ?? new Set()).add(String(value)));
      walk(value);
    }
  };
  walk(rows[0]?.['QUERY PLAN']);
  return touched;
}
