import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { lockKey } from '../../../src/platform/database/lock-key.js';
import { startCitus } from '../../support/citus.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp } from '../../support/test-app.js';
import { makeTestDatabasesBy } from '../../support/test-database.js';

/*
 * Goal: who adds to the audit log through a worker waits where the lines lie, on the coordinator: a lock elsewhere
 * can be gone before the line is there, because a commit goes node by node (docs/growing.md). Method: somebody holds
 * the chain's lock on the coordinator; a secret is looked at through a worker meanwhile.
 */

const cluster = await startCitus();
makeTestDatabasesBy(() => cluster.createDatabase('workers'));
afterAll(() => cluster.close());

it('waits for the lock of a chain on the coordinator', async () => {
  const test = await startTestApp();
  const { database } = test;
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  try {
    const admin = await signIn(test.http);
    const store = await createStore(test.http, admin);
    const key = lockKey('audit-chain', store.id);
    await holder.query('SELECT pg_advisory_lock($1::bigint)', [key]);

    const viewed = test.http.get(`/api/v1/stores/${store.id}/webhook-secret`, admin);
    await eventually(
      async () => {
        const [row] = await database.query<{ count: number }>(
          `SELECT count(*)::integer AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
        );
        return row!.count;
      },
      (count) => count === 1,
      'one who waits on the coordinator',
    );
    await holder.query('SELECT pg_advisory_unlock($1::bigint)', [key]);

    expect((await viewed).status).toBe(200);
    const [last] = await database.query<{ action: string }>(
      'SELECT action FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1',
      [store.id],
    );
    expect(last?.action).toContain('webhook_secret');
  } finally {
    await holder.end();
    await test.close();
  }
});
