import { Client } from 'pg';
import { COORDINATOR_TABLES, REFERENCE_TABLES } from '../../src/platform/database/distribution.js';

/** Enough that a statement that forgets its store is seen. */
export const PARTITIONS = 4;

/** Tables that belong to stores, and would be spread over the nodes of a Citus cluster. */
export async function shardedTables(client: Client): Promise<string[]> {
  const elsewhere = [...REFERENCE_TABLES, ...COORDINATOR_TABLES];
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'store_id' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
       AND c.relname <> ALL ($1) ORDER BY 1`,
    [elsewhere],
  );
  return rows.map(({ name }) => name);
}

/**
 * Makes every table that belongs to stores one that is `PARTITION BY HASH (store_id)`, empty as it is: what plain
 * PostgreSQL can show of how statements fare on shards. Names of constraints in errors end with the partition's
 * number, as a shard's do.
 */
export async function partitionByStore(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await shardedTables(client);
    const foreignKeys = await list(
      client,
      `SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', conrelid::regclass::text, conname) AS drop,
         format('ALTER TABLE %I ADD CONSTRAINT %I %s', conrelid::regclass::text, conname, pg_get_constraintdef(oid)) AS add
       FROM pg_constraint
       WHERE contype = 'f' AND (conrelid = ANY ($1::text[]::regclass[]) OR confrelid = ANY ($1::text[]::regclass[]))`,
      tables,
    );
    for (const { drop } of foreignKeys) await client.query(drop);
    for (const table of tables) await partition(client, table);
    for (const { add } of foreignKeys) await client.query(add);
  } finally {
    await client.end();
  }
}

type Definition = Readonly<Record<'drop' | 'add', string>>;

async function list(client: Client, text: string, tables: readonly string[]): Promise<Definition[]> {
  return (await client.query<Definition>(text, [tables])).rows;
}

async function partition(client: Client, table: string): Promise<void> {
  const keys = await list(
    client,
    `SELECT '' AS drop, format('ALTER TABLE %I ADD CONSTRAINT %I %s', conrelid::regclass::text, conname, pg_get_constraintdef(oid)) AS add
     FROM pg_constraint WHERE conrelid = ANY ($1::text[]::regclass[]) AND contype IN ('p', 'u') ORDER BY contype`,
    [table],
  );
  const indexes = await list(
    client,
    `SELECT '' AS drop, pg_get_indexdef(indexrelid) AS add FROM pg_index
     WHERE indrelid = ANY ($1::text[]::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))`,
    [table],
  );
  await client.query(`ALTER TABLE ${table} RENAME TO was_${table}`);
  await client.query(
    `CREATE TABLE ${table} (LIKE was_${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING IDENTITY)
     PARTITION BY HASH (store_id)`,
  );
  await client.query(`DROP TABLE was_${table}`);
  for (const { add } of [...keys, ...indexes]) await client.query(add);
  for (let number = 0; number < PARTITIONS; number += 1) {
    const name = `${table}_p${number}`;
    await client.query(
      `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${number})`,
    );
    const { rows } = await client.query<{ own: string; parent: string }>(
      `SELECT i.indexrelid::regclass::text AS own, h.inhparent::regclass::text AS parent
       FROM pg_index i JOIN pg_inherits h ON h.inhrelid = i.indexrelid WHERE i.indrelid = $1::regclass`,
      [name],
    );
    for (const { own, parent } of rows)
      await client.query(`ALTER INDEX ${own} RENAME TO ${parent}_${number}`);
  }
}
