import type { Type } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/platform/database/data-source-options.js';
import { EXTENSION_NAMES } from '../../src/app.module.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { EXTENSIONS } from '../../src/extensions/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 8.8.
 *
 * Goal: the hand-written SQL runs forward, back and forward again, several replicas may start at once, and the
 * entities say what the database says.
 */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

async function onEmptyDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const server = new Client({ connectionString: inject('postgresUrl') });
  await server.connect();
  const name = `migrations_${randomBytes(8).toString('hex')}`;
  await server.query(`CREATE DATABASE ${name}`);
  try {
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    await work(url.href);
  } finally {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  }
}

/** Everything that a migration could leave behind, in words that can be compared. */
async function schemaOf(source: DataSource): Promise<string[]> {
  const rows: { line: string }[] = await source.query(
    `SELECT format('%s %s %s %s', table_name, column_name, data_type, is_nullable) AS line
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_migrations'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'schema_migrations'
     UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'schema_migrations'
     UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
     ORDER BY 1`,
  );
  return rows.map(({ line }) => line);
}

describe('migrations', () => {
  it('run forward, back to nothing, and forward to the same schema', async () => {
    await onEmptyDatabase(async (url) => {
      const source = await new DataSource(dataSourceOptions(url, 2, { migrations: MIGRATIONS })).initialize();
      try {
        const ran = await migrate(source);
        const first = await schemaOf(source);
        expect(first.length).toBeGreaterThan(150);
        for (let index = 0; index < ran.length; index += 1) await source.undoLastMigration();
        expect(await schemaOf(source)).toEqual([]);
        await migrate(source);
        expect(await schemaOf(source)).toEqual(first);
        expect(await migrate(source)).toEqual([]);
      } finally {
        await source.destroy();
      }
    });
  });

  it('are run once by replicas that start together', async () => {
    await onEmptyDatabase(async (url) => {
      const sources = await Promise.all(
        [1, 2, 3].map(async () =>
          new DataSource(dataSourceOptions(url, 2, { migrations: MIGRATIONS })).initialize(),
        ),
      );
      try {
        const ran = await Promise.all(sources.map(async (source) => migrate(source)));
        expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
      } finally {
        await Promise.all(sources.map(async (source) => source.destroy()));
      }
    });
  });
});

describe('entities', () => {
  it('are what the database is: TypeORM finds nothing to change', async () => {
    const source = app.app.get<DataSource>(getDataSourceToken());
    const tables: { name: string }[] = await source.query(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name <> 'schema_migrations' ORDER BY 1`,
    );
    // Nest keeps entities for the process: those of extensions that other applications had on are among them.
    const ofExtensions = new Set(EXTENSIONS.flatMap(({ entities = [] }) => entities));
    const entities = source.entityMetadatas
      .map(({ target }) => target as Type)
      .filter((target) => !ofExtensions.has(target));
    const core = await new DataSource({ ...source.options, entities }).initialize();
    try {
      expect(core.entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual(
        tables.map(({ name }) => name),
      );
      const { upQueries } = await core.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await core.destroy();
    }
  });
});

describe('the schema, with every extension switched on', () => {
  it('could be sharded by store, too', async () => {
    const everything = await startTestApp({
      environment: {
        EXTENSIONS: EXTENSION_NAMES.join(','),
        SMTP_URL: 'smtp://127.0.0.1:1',
        EMAIL_FROM: 'shop@example.com',
      },
    });
    try {
      const source = everything.app.get<DataSource>(getDataSourceToken());
      const own: { tables: number }[] = await source.query(
        `SELECT count(*)::integer AS tables FROM pg_tables WHERE schemaname = 'public'`,
      );
      const core: { tables: number }[] = await app.app
        .get<DataSource>(getDataSourceToken())
        .query(`SELECT count(*)::integer AS tables FROM pg_tables WHERE schemaname = 'public'`);
      expect(own[0]!.tables).toBeGreaterThan(core[0]!.tables);
      const faults: unknown[] = await source.query(readFileSync('test/contract/shardable.sql', 'utf8'));
      expect(faults).toEqual([]);
    } finally {
      await everything.close();
    }
  });
});

describe('the schema', () => {
  it('could be sharded by store: every key of what belongs to a store holds its id', async () => {
    const source = app.app.get<DataSource>(getDataSourceToken());
    const faults: unknown[] = await source.query(readFileSync('test/contract/shardable.sql', 'utf8'));
    expect(faults).toEqual([]);
  });
});
