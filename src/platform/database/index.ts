export { Database } from './database.js';
export { together } from './pipelined-transaction.js';
export {
  BY_INDEX,
  JOINS_AS_WRITTEN,
  lockTimeout,
  type Queryable,
  type Statement,
  type Transaction,
  type TransactionOptions,
} from './transaction.js';
export { Fingerprints, type Subject } from './fingerprints.js';
export { DatabaseModule } from './database.module.js';
export type { MigrationClass } from './data-source-options.js';
export { forTables } from './for-tables.js';
export { GroupedWrites } from './grouped-writes.js';
export { ReplicaReads } from './hosts/replica-reads.js';
export { interval, MILLISECONDS } from './interval.js';
export { lockKey } from './lock-key.js';
export { migrate } from './migrations.js';
export { plainArray, textArray } from './plain-array.js';
export { isUniqueViolation } from '../../kernel/sqlstate.js';
export {
  bigText,
  bytes,
  Column,
  flag,
  instant,
  integer,
  json,
  rawJson,
  type RecordOf,
  Table,
  table,
  type TableRules,
  text,
  uuid,
  whole,
} from './table.js';
export { ScheduledJob } from './scheduled-job.js';
export { DatabaseSettings } from './database.settings.js';
