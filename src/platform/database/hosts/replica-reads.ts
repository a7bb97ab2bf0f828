import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type QueryResultRow } from 'pg';
import { DatabaseSettings } from '../database.settings.js';
import { messageOf } from '../../../kernel/error-text.js';
import { SingleRun } from '../../../kernel/single-run.js';
import { ANSWER_TIMEOUT_MS, connectionSettings } from '../data-source-options.js';
import { Database } from '../database.js';
import type { Statement } from '../transaction.js';

/** Exports and charts are few; the replica has other readers, too. */
const POOL_SIZE = 5;
/** A replica that does not answer in this time is passed over. */
const CONNECTION_TIMEOUT_MS = 2_000;
/** How long an answer to "how far is it behind?" holds, at most; less where little lag is allowed. */
const MAX_CHECK_AGE_MS = 1_000;

const PRIMARY_POSITION: Statement = {
  name: 'replica_primary_position',
  text: 'SELECT pg_current_wal_lsn()::text AS written, clock_timestamp()::text AS at',
};

const REPLICA_POSITION: Statement = {
  name: 'replica_position',
  text: `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has_all,
      (extract(epoch FROM $2::timestamptz - pg_last_xact_replay_timestamp()) * 1000)::float8 AS lag_ms
    WHERE pg_is_in_recovery()`,
};

/**
 * Reads for exports, totals, charts and day-close alone (contract 8.17): from the copy that `DATABASE_REPLICA_URL`
 * names, unless it is behind by more than `DATABASE_REPLICA_MAX_LAG` or does not answer; then, and without one, from
 * the primary. What is read here may be that old. Nothing may be decided by it: lists, single reads and everything
 * that leads to a write ask `Database`.
 */
@Injectable()
export class ReplicaReads implements OnApplicationShutdown {
  private readonly logger = new Logger(ReplicaReads.name);
  private readonly pool: Pool | null;
  private readonly prepared: boolean;
  private readonly maxLagMs: number;
  private checkedAtMs = Number.NEGATIVE_INFINITY;
  private isUsable = false;
  private readonly check = new SingleRun(
    () => this.measure(),
    (error) => this.passOver(error),
  );

  constructor(
    private readonly database: Database,
    { databaseReplicaUrl, databaseReplicaMaxLagMs, databasePrepared }: DatabaseSettings,
  ) {
    this.prepared = databasePrepared;
    this.maxLagMs = databaseReplicaMaxLagMs;
    this.pool = databaseReplicaUrl === null ? null : this.open(databaseReplicaUrl);
  }

  /** @throws DomainError `service.unavailable` when the primary is needed and cannot be reached */
  async query<Row extends QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (this.pool !== null && (await this.mayBeRead())) {
      try {
        return await this.ask<Row>(this.pool, statement, values);
      } catch (error) {
        // Gone, or the statement stood in the way of what the primary sent: the primary answers either way.
        this.passOver(error);
      }
    }
    return this.database.query<Row>(statement, values);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }

  private open(connectionString: string): Pool {
    const settings = {
      ...connectionSettings(this.prepared, ANSWER_TIMEOUT_MS),
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    };
    const pool = new Pool({ ...settings, connectionString, max: POOL_SIZE, application_name: 'joma' });
    pool.on('error', (error) => this.passOver(error));
    return pool;
  }

  private async mayBeRead(): Promise<boolean> {
    const holdsMs = Math.min(MAX_CHECK_AGE_MS, this.maxLagMs / 5);
    if (performance.now() - this.checkedAtMs > holdsMs) await this.check.run();
    return this.isUsable;
  }

  private async ask<Row extends QueryResultRow>(
    pool: Pool,
    statement: Statement | string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { name, text } = typeof statement === 'string' ? { name: undefined, text: statement } : statement;
    const named = this.prepared && name !== undefined ? { name } : {};
    return (await pool.query<Row>({ ...named, text, values: values as unknown[] })).rows;
  }

  /**
   * It is not too old when it has all that the primary had written a moment ago, or a commit of no more than so long
   * ago by the primary's own clock. Its own idea of the lag is not asked: cut off from the primary it would see none,
   * and with a primary that has nothing to do a growing one.
   */
  private async measure(): Promise<void> {
    if (this.pool === null) return;
    const [primary] = await this.database.query<{ written: string; at: string }>(PRIMARY_POSITION);
    if (primary === undefined) throw new Error('The primary does not say where it is.');
    const [copy] = await this.ask<{ has_all: boolean; lag_ms: number | null }>(this.pool, REPLICA_POSITION, [
      primary.written,
      primary.at,
    ]);
    if (copy === undefined) throw new Error('it is no copy that follows a primary');
    const isUsable = copy.has_all || (copy.lag_ms !== null && copy.lag_ms <= this.maxLagMs);
    if (this.isUsable && !isUsable)
      this.logger.warn('The read replica is too far behind: the primary is read.');
    this.isUsable = isUsable;
    this.checkedAtMs = performance.now();
  }

  private passOver(error: unknown): void {
    if (this.isUsable) this.logger.warn(`The read replica is passed over: ${messageOf(error)}.`);
    this.isUsable = false;
    this.checkedAtMs = performance.now();
  }
}
