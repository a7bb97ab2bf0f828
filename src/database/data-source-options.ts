import type { PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { InitialSchema1763700000000 } from '../../migrations/1763700000000-initial-schema.js';
import { EndpointPause1763790000000 } from '../../migrations/1763790000000-endpoint-pause.js';
import { DeliveryReplays1763790000001 } from '../../migrations/1763790000001-delivery-replays.js';
import { Retention1763790000002 } from '../../migrations/1763790000002-retention.js';
import { AuditChain1763800000000 } from '../../migrations/1763800000000-audit-chain.js';
import { CompanyAccounts1763810000000 } from '../../migrations/1763810000000-company-accounts.js';
import { DeliveryIndexes1763820000000 } from '../../migrations/1763820000000-delivery-indexes.js';

/** Every migration, in order. Listed by hand: a folder that is scanned at run time hides what a build left behind. */
const MIGRATIONS = [
  InitialSchema1763700000000,
  EndpointPause1763790000000,
  DeliveryReplays1763790000001,
  Retention1763790000002,
  AuditChain1763800000000,
  CompanyAccounts1763810000000,
  DeliveryIndexes1763820000000,
];

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
