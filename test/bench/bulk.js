// Loads a database with a year of business, quickly: without its indexes, which are built when the rows are there.
import pg from 'pg';
import { LARGE_TABLES, loadTable } from '../support/many-rows.js';

/** What is loaded at the same time. */
const QUOTAS = 2;
const QUIET_MS = 10_000;

async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  // What went wrong is told by the statement that failed, not by the server that is stopped for its sake.
  client.on('error', () => undefined);
  await client.connect();
  // No trigger looks up row by row what the loader has made to fit.
  for (const setting of [
    `session_replication_role = replica`,
    `synchronous_commit = off`,
    `maintenance_work_mem = '512MB'`,
  ])
    await client.query(`SET ${setting}`);
  return client;
}

/** The indexes of a table that no constraint stands on, as they were made. */
async function indexesOf(client, table) {
  const { rows } = await client.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = $1
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = indexname)`,
    [table],
  );
  return rows;
}

async function fill(client, table, options) {
  const indexes = await indexesOf(client, table);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await loadTable((text, values) => client.query(text, values), table, options);
  for (const [place, { definition }] of indexes.entries()) {
    options.progress(`indexes of ${table}`, place / indexes.length);
    await client.query(definition);
  }
  await client.query(`VACUUM (ANALYZE) ${table}`);
}

/** On a terminal one line that changes; elsewhere one now and then. */
function progressLine(startedAt) {
  const done = new Map();
  const isTerminal = process.stderr.isTTY === true;
  let shownAt = startedAt;
  return (table, share) => {
    done.delete(table);
    done.set(table, share);
    const now = performance.now();
    if (!isTerminal && now - shownAt < QUIET_MS) return;
    shownAt = now;
    const shown = [...done].slice(-QUOTAS).map(([name, part]) => `${name} ${Math.round(part * 100)} %`);
    const line = `Loading: ${shown.join(', ')}, ${Math.round((now - startedAt) / 1_000)} s`;
    process.stderr.write(isTerminal ? `\r${line.padEnd(100)}` : `${line}\n`);
  };
}

/** Answers how long it took, in milliseconds. */
export async function loadDatabase(url, options) {
  const startedAt = performance.now();
  const progress = progressLine(startedAt);
  // The two large ones first, each on a connection of its own.
  const left = ['payments', ...LARGE_TABLES.filter((table) => table !== 'payments')];
  const quota = async () => {
    const client = await connect(url);
    for (let table = left.shift(); table !== undefined; table = left.shift())
      await fill(client, table, { ...options, progress });
    await client.end();
  };
  await Promise.all(Array.from({ length: QUOTAS }, quota));
  if (process.stderr.isTTY === true) process.stderr.write('\n');
  return performance.now() - startedAt;
}
