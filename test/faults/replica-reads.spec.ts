import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplicaReads } from '../../src/platform/database/index.js';
import { eventually } from '../support/eventually.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Rules: contract 8.17.
 *
 * Goal: exports, totals and charts are read from the copy while it is near enough, and from the primary when it is
 * not (contract 8.17). Method: two real servers; the copy is held back, let go and ended, and every answer says where
 * it came from.
 */

let servers: ReplicatedPostgres;
let test: TestApp;
let store: TestStore;

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  const database = {
    url: servers.primary.url,
    query: <Row>(text: string, values?: unknown[]) => servers.primary.query(text, values) as Promise<Row[]>,
    drop: () => Promise.resolve(),
  };
  const environment = { DATABASE_REPLICA_URL: servers.standby.url, DATABASE_REPLICA_MAX_LAG: '1s' };
  test = await startTestApp({ database, environment });
  store = await createStore(test.http, await signIn(test.http));
});
afterAll(async () => {
  await test.close();
  await servers.close();
});

async function source(): Promise<'copy' | 'primary'> {
  const [row] = await test.app
    .get(ReplicaReads)
    .query<{ is_copy: boolean }>({ name: 'where', text: 'SELECT pg_is_in_recovery() AS is_copy' });
  return row?.is_copy === true ? 'copy' : 'primary';
}

const pay = async () =>
  expect((await test.http.post('/api/v1/payments', { amount: 500 }, store.key)).status).toBe(201);

describe('reads that may be a little old', () => {
  it('come from the copy that keeps up', async () => {
    await eventually(source, (from) => from === 'copy', 'an answer of the copy');
  });

  it('come from the primary while the copy is too far behind, and from the copy again when it has caught up', async () => {
    await servers.standby.query('SELECT pg_wal_replay_pause()');
    // The primary goes on, so that there is something to be behind with.
    await eventually(
      async () => (await pay(), source()),
      (from) => from === 'primary',
      'an answer of the primary',
    );
    const [count] = await test.app
      .get(ReplicaReads)
      .query<{ count: number }>('SELECT count(*)::int AS count FROM payments WHERE store_id = $1', [
        store.id,
      ]);
    const [known] = await servers.primary.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM payments WHERE store_id = $1',
      [store.id],
    );
    expect(count).toEqual(known);
    await servers.standby.query('SELECT pg_wal_replay_resume()');
    await eventually(source, (from) => from === 'copy', 'an answer of the copy');
  });

  it('are answered by the primary for a statement that the copy cannot run', async () => {
    expect(await source()).toBe('copy');
    const [row] = await test.app
      .get(ReplicaReads)
      .query<{ written: string }>('SELECT pg_current_wal_lsn()::text AS written');
    expect(row?.written).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
  });

  it('come from the primary when the copy is gone', async () => {
    await eventually(source, (from) => from === 'copy', 'an answer of the copy');
    await servers.standby.crash();
    for (let count = 0; count < 3; count += 1) expect(await source()).toBe('primary');
    await pay();
  });
});
