import { afterAll, beforeAll, expect, it } from 'vitest';
import { FirstStatistics } from '../../../src/platform/database/first-statistics.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: none: what the planner knows of a new database.
 *
 * Goal: what is planned while a table is empty is not kept once it has rows: they are counted soon, once, without
 * anybody's help. Method: a real database whose autovacuum is switched off for the tables in question; rows are
 * written past the service.
 */

let test: TestApp;
let storeId: string;

beforeAll(async () => {
  test = await startTestApp();
  storeId = (await createStore(test.http, await signIn(test.http), {})).id;
  for (const table of ['payments', 'receipts', 'rate_limits'])
    await test.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
});
afterAll(() => test.close());

const insertPayments = (count: number) =>
  test.database.query(
    `INSERT INTO payments (id, store_id, status, amount_minor, pay_amount_minor, currency, created_at, expires_at)
     SELECT gen_random_uuid(), '${storeId}', 'pending', 100, 100, 'BDT', now(), now() + interval '1 hour'
     FROM generate_series(1, ${count})`,
  );

async function analyzed(table: string): Promise<string | null> {
  const rows = await test.database.query<{ at: string | null }>(
    `SELECT last_analyze::text AS at FROM pg_stat_user_tables WHERE relname = '${table}'`,
  );
  return rows[0]!.at;
}

async function look(): Promise<void> {
  await test.app.get(FirstStatistics).run();
}

it('counts a table once it has some hundred rows, and no more than once', async () => {
  await insertPayments(20);
  await look();
  expect(await analyzed('payments')).toBeNull();
  await insertPayments(300);
  // What was written is told a moment later.
  const first = await eventually(
    () => look().then(() => analyzed('payments')),
    (at) => at !== null,
    'the count',
  );
  await insertPayments(1_000);
  await look();
  await look();
  expect(await analyzed('payments')).toBe(first);
  expect(await analyzed('receipts')).toBeNull();
  const [row] = await test.database.query<{ rows: number }>(
    `SELECT reltuples::integer AS rows FROM pg_class WHERE relname = 'payments'`,
  );
  expect(row!.rows).toBeGreaterThanOrEqual(320);
});

it('begins by itself', async () => {
  await test.database.query(`INSERT INTO rate_limits (key) SELECT 'k' || n FROM generate_series(1, 400) n`);
  await eventually(
    () => analyzed('rate_limits'),
    (at) => at !== null,
    'the count',
  );
});
