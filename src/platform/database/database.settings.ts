import { duration, hostUrls, integer, type Kind, onOrOff, setting, settings } from '../config/index.js';

const ADDRESS: Kind<string> = {
  expected:
    'a PostgreSQL address such as postgres://user:password@host:5432/joma, with one host or several with commas between',
  parse: (value) => (hostUrls(value) === null ? undefined : value),
  secret: true,
};

export abstract class DatabaseSettings extends settings({
  /** Null starts the embedded server under `DATA_DIR`. */
  databaseUrl: setting(
    'DATABASE_URL',
    null,
    'PostgreSQL 15 or newer, of several hosts the one that accepts writes. Without it the embedded one runs.',
    ADDRESS,
  ),
  /** For what needs a session of its own, past a pooler; null without either address. */
  databaseDirectUrl: setting(
    'DATABASE_DIRECT_URL',
    null,
    'The server itself, where a pooler stands between: migrations and commands go there.',
    ADDRESS,
    { shownDefault: '`DATABASE_URL`', unset: ({ DATABASE_URL }) => DATABASE_URL?.trim() || null },
  ),
  /** False sends no named statement, and no start-up parameter that PgBouncer refuses. */
  databasePrepared: onOrOff('DATABASE_PREPARED', 'on', '`off` behind PgBouncer in transaction mode.'),
  databaseReplicaUrl: setting(
    'DATABASE_REPLICA_URL',
    null,
    'A read replica, for exports, totals and charts.',
    ADDRESS,
  ),
  databaseReplicaMaxLagMs: duration(
    'DATABASE_REPLICA_MAX_LAG',
    '5s',
    'How far it may be behind; beyond that the primary is read.',
  ),
  databasePoolSize: integer('DATABASE_POOL_SIZE', 20, 'Connections of one replica.', [2, 500]),
  /** False: receipts, payments and reads go by themselves, through the plain classes. The results are the same. */
  fastPaths: onOrOff(
    'FAST_PATHS',
    'on',
    '`off`: one receipt, one payment, one read at a time, by the plain classes; the results are the same.',
  ),
}) {}
