import type { PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { InitialSchema1763700000000 } from '../../migrations/1763700000000-initial-schema.js';

/** Every migration, in order. Listed by hand: a folder that is scanned at run time hides what a build left behind. */
const MIGRATIONS = [InitialSchema1763700000000];

/** How long a request waits for a free connection before it is answered 503, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** A statement that runs longer than this is cancelled by the server; none of ours needs a tenth of it. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * How TypeORM reaches PostgreSQL: one server, of several the one that `findPrimary` names. `poolSize` is the number of
 * connections this process may hold. Without `prepared` nothing is sent that PgBouncer 1.18 refuses in transaction mode.
 */
export function dataSourceOptions(
  databaseUrl: string,
  poolSize: number,
  { prepared = true }: { readonly prepared?: boolean } = {},
): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url: databaseUrl,
    poolSize,
    applicationName: 'joma',
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    installExtensions: false,
    logging: false,
    extra: connectionSettings(prepared),
  };
}

/** Settings of every connection, also of those beside TypeORM's pool. */
export function connectionSettings(prepared: boolean): PoolConfig {
  return {
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    ...(prepared
      ? {
          statement_timeout: STATEMENT_TIMEOUT_MS,
          // Statements that are asked for at the same time on one connection leave together, in one round trip.
          pipeline: true,
        }
      : // The server's own limit is a start-up parameter, which PgBouncer refuses; this one is the driver's.
        { query_timeout: STATEMENT_TIMEOUT_MS }),
  };
}
