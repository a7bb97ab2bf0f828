import type { PoolConfig } from 'pg';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';

/** A migration as TypeORM wants it: its class, whose name ends in the time it was written at. */
export type MigrationClass = new () => MigrationInterface;

/** How long a request waits for a free connection before it is answered 503, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** A statement that runs longer than this is cancelled by the server; none of ours needs a tenth of it. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * A statement that is not answered for longer than this, although the server would have cancelled it, was sent into a
 * connection that is dead without a word: the other machine has lost its power, or something between has forgotten
 * the connection.
 */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * How TypeORM reaches PostgreSQL: one server, of several the one that `findPrimary` names. `poolSize` is the number
 * of connections this process may hold. Without `prepared` nothing is sent that PgBouncer 1.18 refuses in transaction
 * mode. `migrations` are needed only where they are run. `answerTimeoutMs`: connections that do not answer a
 * statement for longer are given up, where no statement may run longer.
 */
export function dataSourceOptions(
  databaseUrl: string,
  poolSize: number,
  {
    prepared = true,
    migrations = [],
    answerTimeoutMs,
  }: {
    readonly prepared?: boolean;
    readonly migrations?: readonly MigrationClass[];
    readonly answerTimeoutMs?: number;
  } = {},
): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url: databaseUrl,
    poolSize,
    applicationName: 'joma',
    migrations: [...migrations],
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    installExtensions: false,
    logging: false,
    extra: connectionSettings(prepared, answerTimeoutMs),
  };
}

/** Settings of every connection, also of those beside TypeORM's pool. */
export function connectionSettings(prepared: boolean, answerTimeoutMs?: number): PoolConfig {
  return {
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    // Statements that are asked for at the same time on one connection leave together, in one round trip.
    pipeline: true,
    ...(prepared
      ? { statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: answerTimeoutMs }
      : // The server's own limit is a start-up parameter, which PgBouncer refuses; this one is the driver's.
        { query_timeout: STATEMENT_TIMEOUT_MS }),
  };
}
