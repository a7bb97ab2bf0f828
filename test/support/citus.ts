import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { Database, migrate } from '../../src/platform/database/index.js';
import { distribute } from '../../src/platform/database/distribution.js';
import { freePort } from './built-service.js';
import { eventually } from './eventually.js';
import type { TestDatabase } from './test-database.js';

/** Which nodes services ask: the coordinator, or the workers alone. */
export type Entry = 'coordinator' | 'workers';

/** A coordinator and two workers on loopback. */
export interface CitusCluster {
  /** A database that is migrated on the coordinator and distributed over the workers. */
  createDatabase(entry: Entry): Promise<TestDatabase>;
  close(): Promise<void>;
}

/** Where the programs of PostgreSQL are; Citus lies in the library folder beside them. */
const BIN = process.env['CITUS_BIN'] ?? '/usr/lib/postgresql/15/bin';
const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  `shared_preload_libraries = 'citus'`,
  'max_connections = 400',
  'max_prepared_transactions = 800',
  'max_worker_processes = 64',
  'wal_level = logical',
  'fsync = off',
  `citus.local_hostname = '127.0.0.1'`,
  `citus.node_conninfo = 'sslmode=prefer'`,
  'log_min_messages = warning',
];

interface Node {
  readonly port: number;
  readonly child: ChildProcess;
}

export async function startCitus(): Promise<CitusCluster> {
  requireFile(join(BIN, 'initdb'), 'PostgreSQL 15', 'postgresql-15');
  requireFile(
    join(BIN, '..', 'lib', 'citus.so'),
    'Citus',
    'postgresql-15-citus-13.2 (from Citus Data; or build it with test/system/citus/build.sh)',
  );
  const folder = await mkdtemp(join(tmpdir(), 'joma-citus-'));
  const owner = serverUser();
  if (owner !== null) await chown(folder, owner.uid, owner.gid);
  const nodes: Node[] = [];
  for (let number = 0; number < 3; number += 1)
    nodes.push(await startNode(join(folder, `n${number}`), owner));
  return {
    createDatabase: (entry) => createDatabase(nodes, entry),
    close: async () => {
      await Promise.all(
        nodes.map(async ({ child }) => {
          const exited = once(child, 'exit');
          child.kill('SIGINT');
          await exited;
        }),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function requireFile(path: string, what: string, debianPackage: string): void {
  try {
    accessSync(path);
  } catch {
    throw new Error(`${what} is missing (${path}). It comes with the package ${debianPackage}.`);
  }
}

/** PostgreSQL refuses root; then it runs as the user that its package made. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function startNode(home: string, owner: { uid: number; gid: number } | null): Promise<Node> {
  const as = { ...(owner ?? {}), cwd: '/' };
  execFileSync(
    join(BIN, 'initdb'),
    ['-D', home, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    {
      ...as,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const port = await freePort();
  await appendFile(join(home, 'postgresql.conf'), `${[`port = ${port}`, ...SETTINGS].join('\n')}\n`);
  const child = spawn(join(BIN, 'postgres'), ['-D', home], { ...as, stdio: 'ignore' });
  const node = { port, child };
  await eventually(
    () => run(node, 'postgres', 'SELECT 1').then(Boolean, () => child.exitCode !== null),
    Boolean,
    'a node of Citus',
    60_000,
  );
  if (child.exitCode !== null) throw new Error(`A node of Citus ended with ${child.exitCode}.`);
  return node;
}

const addressOf = ({ port }: Node, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

async function run(node: Node, database: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: addressOf(node, database) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

async function createDatabase(nodes: readonly Node[], entry: Entry): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const [coordinator, ...workers] = nodes;
  if (coordinator === undefined) throw new Error('There is no coordinator.');
  for (const node of nodes) {
    await run(node, 'postgres', `CREATE DATABASE ${name}`);
    await run(node, name, 'CREATE EXTENSION citus');
  }
  await run(coordinator, name, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers) await run(coordinator, name, `SELECT citus_add_node('127.0.0.1', ${port})`);
  const url = addressOf(coordinator, name);
  const source = await new DataSource(dataSourceOptions(url, 2, { migrations: MIGRATIONS })).initialize();
  await migrate(source);
  await new Database(source).transaction(distribute);
  await source.destroy();

  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const tables = await run(coordinator, name, 'SELECT logicalrelid::text AS name FROM pg_dist_partition');
  const names = (tables as { name: string }[]).map((table) => table.name);
  return {
    url,
    entryUrls: entry === 'coordinator' ? [url] : workers.map((worker) => addressOf(worker, name)),
    query: async <Row>(text: string, values: unknown[] = []) =>
      /\bpg_stat_activity\b/.test(text)
        ? [{ count: await countOverAll(nodes, name, text) } as Row]
        : ((await client.query(gathered(text, names), values)).rows as Row[]),
    // The cluster goes with the file, and its databases with it.
    drop: () => client.end(),
  };
}

/** Whoever waits, waits on the node where the row is. */
async function countOverAll(nodes: readonly Node[], database: string, text: string): Promise<number> {
  const counts = await Promise.all(nodes.map((node) => run(node, database, text)));
  return (counts.flat() as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
}

/**
 * Checks of tests join as they like, also without the store, which Citus refuses: the tables are gathered on the
 * coordinator first. What the service itself sends goes as it is.
 */
function gathered(text: string, tables: readonly string[]): string {
  const named = tables.filter((table) => new RegExp(`\\b${table}\\b`).test(text));
  if (named.length < 2 || !/^\s*SELECT/.test(text)) return text;
  return `WITH ${named.map((table) => `${table} AS MATERIALIZED (SELECT * FROM ${table})`).join(', ')} ${text}`;
}
