import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { TestProject } from 'vitest/node';
import { MIGRATIONS } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/index.js';
import { migrate } from '../../src/platform/database/migrations.js';

import { partitionByStore } from '../support/partitioned-tables.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the run's PostgreSQL; its database `joma_template` is migrated and never connected to. */
    postgresUrl: string;
  }
}

/**
 * One real PostgreSQL for the whole run, without fsync, and one migrated database that every file copies.
 * `TEST_DATABASE_URL` names another server, whose role may create databases.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return setupPostgres(project, { durable: false });
}

export async function setupPostgres(
  project: TestProject,
  { durable, partitioned = false }: { durable: boolean; partitioned?: boolean },
): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const folder = await mkdtemp(join(tmpdir(), 'joma-test-'));
  const embedded =
    given === undefined
      ? await EmbeddedPostgres.start({
          dataDir: join(folder, 'postgres'),
          durable,
          settings: { max_connections: '400' },
        })
      : null;
  const url = embedded?.url ?? given;
  if (url === undefined) throw new Error('There is no database to test with.');
  await makeTemplate(url, partitioned);
  project.provide('postgresUrl', url);
  return async () => {
    await embedded?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function makeTemplate(url: string, partitioned: boolean): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('DROP DATABASE IF EXISTS joma_template');
    await client.query('CREATE DATABASE joma_template');
  } finally {
    await client.end();
  }
  const template = new URL(url);
  template.pathname = '/joma_template';
  const dataSource = new DataSource(dataSourceOptions(template.href, 2, { migrations: MIGRATIONS }));
  await dataSource.initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  if (partitioned) await partitionByStore(template.href);
}
