import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { inject } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import type { Configuration } from '../../src/platform/config/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { migrate } from '../../src/platform/database/index.js';
import { extensionsOf } from '../../src/app.module.js';

/** A migrated, empty database of one's own. */
export interface TestDatabase {
  readonly url: string;
  /** Where services may enter it, in turn, when that is not `url` alone: the nodes of a cluster. */
  readonly entryUrls?: readonly string[];
  /** Runs one statement beside the application. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

let makeElsewhere: (() => Promise<TestDatabase>) | null = null;

/** From now on the databases of this file are made by somebody else. */
export function makeTestDatabasesBy(make: () => Promise<TestDatabase>): void {
  makeElsewhere = make;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  if (makeElsewhere !== null) return makeElsewhere();
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE joma_template`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const client = new Client({ connectionString: address.href });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: address.href,
    query: async <Row>(text: string, values: unknown[] = []) =>
      (await client.query(text, values)).rows as Row[],
    drop: async () => {
      await client.end();
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Tables of the extensions that are switched on; the template has those of the core. */
export async function migrateExtensions(configuration: Configuration, url: string): Promise<void> {
  const migrations = extensionsOf(configuration).flatMap((extension) => extension.migrations);
  if (migrations.length === 0) return;
  const source = await new DataSource(
    dataSourceOptions(url, 2, { migrations: [...MIGRATIONS, ...migrations] }),
  ).initialize();
  await migrate(source);
  await source.destroy();
}

/** Only one copy of a template can be made at a time; the others wait for this key. */
async function onServer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(4711)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}
