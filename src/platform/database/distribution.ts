import type { DataSource } from 'typeorm';
import type { Transaction } from './transaction.js';

/**
 * Tables that every node has whole: what belongs to a store, but is looked up by something else, or hardly ever
 * changes.
 */
export const REFERENCE_TABLES = [
  'stores',
  'store_secrets',
  'store_wallets',
  'store_members',
  'payment_links',
] as const;

/** Tables that name a store and stay where they are, on the coordinator. */
export const COORDINATOR_TABLES = ['audit_entries'] as const;

/** Whether payments are spread over the nodes of a Citus cluster; found out by the service when it starts. */
export async function isDistributed(source: DataSource): Promise<boolean> {
  const installed: { present: boolean }[] = await source.query(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS present`,
  );
  if (installed[0]?.present !== true) return false;
  const spread: unknown[] = await source.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('payments') AND partmethod = 'h'`,
  );
  return spread.length > 0;
}

/** The state of a database after distribution. */
export interface Distribution {
  /** Tables that this run has spread; empty when there was nothing left to do. */
  readonly distributed: readonly string[];
  readonly shards: number;
  readonly workers: number;
}

/** This database cannot be distributed; the message is one line for a user. */
export class NotDistributable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotDistributable';
  }
}

interface ForeignKey {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

/**
 * Spreads the migrated tables over the workers of a Citus cluster (`docs/growing.md`): what belongs to a store by
 * `store_id`, all of one store together; reference tables on every node; the rest known to every node and kept on the
 * coordinator. All of it in one transaction, and only what is not spread yet, so that it can be run again, after a
 * failure or with new tables.
 *
 * @throws NotDistributable where there is no Citus, or this is not its coordinator
 */
export async function distribute(tx: Transaction): Promise<Distribution> {
  const workers = await requireCoordinator(tx);
  await tx.execute('SET LOCAL statement_timeout = 0');
  const tables = await undistributed(tx);
  const foreignKeys = await foreignKeysOf(tx, tables.sharded);
  // A table that a local table points to cannot be spread; they come back below, when both are.
  for (const { table, name } of foreignKeys) await tx.execute(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const table of tables.reference) await tx.execute(`SELECT create_reference_table('${table}')`);
  await spread(tx, tables.sharded);
  for (const { table, name, definition } of foreignKeys)
    await tx.execute(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  for (const table of tables.local) await makeKnown(tx, table);
  const [counted] = await tx.query<{ shards: number }>(
    `SELECT count(*)::integer AS shards FROM pg_dist_shard WHERE logicalrelid = 'payments'::regclass`,
  );
  const distributed = [...tables.reference, ...tables.sharded, ...tables.local];
  return { distributed, shards: counted?.shards ?? 0, workers };
}

async function requireCoordinator(tx: Transaction): Promise<number> {
  const [found] = await tx.query<{ installed: boolean; migrated: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS installed, to_regclass('payments') IS NOT NULL AS migrated`,
  );
  if (found?.installed !== true) {
    throw new NotDistributable(
      'This database has no extension citus, so there is nothing to distribute over: on a Citus coordinator run CREATE EXTENSION citus first.',
    );
  }
  if (!found.migrated)
    throw new NotDistributable('The database is not migrated: start the service on it once.');
  const [node] = await tx.query<{ coordinator: boolean; workers: number }>(
    `SELECT COALESCE(bool_or(groupid = 0 AND groupid = (SELECT groupid FROM pg_dist_local_group)), false) AS coordinator,
       count(*) FILTER (WHERE noderole = 'primary' AND isactive AND shouldhaveshards)::integer AS workers
     FROM pg_dist_node`,
  );
  if (node?.coordinator !== true) {
    throw new NotDistributable(
      'This is not the coordinator of a Citus cluster: name it in DATABASE_DIRECT_URL (citus_set_coordinator_host makes a node one).',
    );
  }
  if (node.workers === 0) throw new NotDistributable('The Citus cluster has no workers yet: citus_add_node.');
  return node.workers;
}

/** A local table that the other nodes know, too, so that whoever asks one of them reaches it. */
async function makeKnown(tx: Transaction, table: string): Promise<void> {
  await tx.execute(
    `SELECT citus_add_local_table_to_metadata('${table}', cascade_via_foreign_keys => true)
     WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '${table}'::regclass)`,
  );
}

async function spread(tx: Transaction, sharded: readonly string[]): Promise<void> {
  const [known] = await tx.query<{ name: string }>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1 LIMIT 1`,
  );
  let first = known?.name;
  for (const table of sharded) {
    await tx.query(`SELECT create_distributed_table('${table}', 'store_id', colocate_with => $1)`, [
      first ?? 'none',
    ]);
    first ??= table;
  }
}

/** Tables of ours that Citus does not know, by what is to become of them. */
async function undistributed(
  tx: Transaction,
): Promise<{ reference: string[]; sharded: string[]; local: string[] }> {
  const rows = await tx.query<{ name: string; of_store: boolean }>(
    `SELECT c.relname AS name, EXISTS (
         SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'store_id' AND NOT a.attisdropped) AS of_store
     FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
       AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
     ORDER BY c.relname`,
  );
  const isReference = (name: string) => (REFERENCE_TABLES as readonly string[]).includes(name);
  const isSharded = (row: { name: string; of_store: boolean }) =>
    row.of_store && !isReference(row.name) && !(COORDINATOR_TABLES as readonly string[]).includes(row.name);
  return {
    // In the order of the list, in which none points to a later one.
    reference: REFERENCE_TABLES.filter((name) => rows.some((row) => row.name === name)),
    sharded: rows.filter(isSharded).map(({ name }) => name),
    local: rows.filter((row) => !isReference(row.name) && !isSharded(row)).map(({ name }) => name),
  };
}

/** Foreign keys from one sharded table to another. */
async function foreignKeysOf(tx: Transaction, sharded: readonly string[]): Promise<ForeignKey[]> {
  return tx.query<{ name: string; table: string; definition: string }>(
    `SELECT f.conname AS name, f.conrelid::regclass::text AS table, pg_get_constraintdef(f.oid) AS definition
     FROM pg_constraint f
     WHERE f.contype = 'f' AND f.conrelid = ANY ($1::text[]::regclass[]) AND f.confrelid = ANY ($1::text[]::regclass[])
     ORDER BY f.conname`,
    [sharded],
  );
}
