import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type BuiltService, startBuiltService } from '../../support/built-service.js';
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { createStore, signIn } from '../../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

/*
 * Rules: contract 8.15, 8.16.
 *
 * Goal: the service as it is run starts behind PgBouncer, migrates past it, and sends it nothing that it refuses;
 * without the settings for that it says why it does not start (contract 8.15).
 */

let pgbouncer: PgBouncer;
let database: TestDatabase;
let pooledUrl: string;

beforeAll(async () => {
  pgbouncer = await startPgBouncer(inject('postgresUrl'));
  database = await createTestDatabase();
  const pooled = new URL(database.url);
  pooled.host = pgbouncer.address;
  pooledUrl = pooled.href;
});
afterAll(async () => {
  await pgbouncer.close();
  await database.drop();
});

it('starts, serves and stops', async () => {
  const service: BuiltService = await startBuiltService({
    DATABASE_URL: pooledUrl,
    DATABASE_DIRECT_URL: database.url,
    DATABASE_PREPARED: 'off',
  });
  const store = await createStore(service.http, await signIn(service.http));
  const made = await Promise.all(
    Array.from({ length: 64 }, () => service.http.post('/api/v1/payments', { amount: 500 }, store.key)),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  expect(await service.stop()).toBe(0);
  expect(pgbouncer.output()).not.toMatch(/unsupported startup parameter/);
  // The pooler knows no session of a client: one prepared statement left behind would be somebody else's.
  expect(service.output()).not.toMatch(/prepared statement/);
});

it('says what PgBouncer refuses, where it was not told', async () => {
  const failed = startBuiltService({ DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: database.url });
  await expect(failed).rejects.toThrow(/unsupported startup parameter: statement_timeout/);
});
