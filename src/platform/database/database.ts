import { Injectable, Logger } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { DomainError, serviceUnavailable } from '../../kernel/domain-error.js';
import { stackOf } from '../../kernel/error-text.js';
import { isRetryable, isUnavailable } from '../../kernel/sqlstate.js';
import { type PoolOwner, PrimaryPool } from './hosts/primary-pool.js';
import { type Answer, gatherWrites, PipelinedTransaction, together } from './pipelined-transaction.js';
import type { Queryable, Statement, Transaction, TransactionOptions } from './transaction.js';

export interface DatabaseOptions {
  /** The addresses of `DATABASE_URL`, one for each of its hosts; with several the one that accepts writes is used. */
  readonly urls?: readonly string[];
  /** `DATABASE_PREPARED`, default true: statements keep their names, and their plans with them. */
  readonly prepared?: boolean;
  /** Timeline of the server on which the data source was opened, default 0: no older server is used again. */
  readonly timeline?: number;
  /** The tables are spread over the nodes of a Citus cluster, default false. */
  readonly distributed?: boolean;
  /** `FAST_PATHS`, default true. */
  readonly fastPaths?: boolean;
}

const MAX_ATTEMPTS = 5;
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** The keys of this server alone, in the order in which they stand. */
const LOCK_KEYS: Statement = {
  name: 'keys-lock',
  text: 'SELECT pg_advisory_xact_lock(wanted.key) FROM unnest($1::bigint[]) AS wanted (key)',
};

/**
 * The statement that takes an advisory lock on the node where the rows of a store are; exactly one row where the
 * store is there.
 */
export type StoreLock = (storeId: string, key: bigint) => string;

/**
 * The way to PostgreSQL: raw statements on TypeORM's own pool. TypeORM keeps the schema, the migrations and the
 * entities; its query building costs a fifth of the CPU on hot paths, so statements are written by hand (performance
 * notes in the README of this folder).
 */
@Injectable()
export class Database implements Queryable {
  private readonly logger = new Logger(Database.name);

  private readonly primary: PrimaryPool;
  private readonly prepared: boolean;

  /** Set by whoever owns the rows of a store (`takeStoreLocksBy`); used on a cluster only. */
  private storeLock: StoreLock | null = null;

  /** Statements that read or write for several stores would ask many nodes: a look-up for each is cheaper there. */
  readonly isDistributed: boolean;
  /** Whether work of one moment shares statements: never on a cluster, where each would ask many nodes. */
  readonly hasFastPaths: boolean;

  constructor(
    dataSource: DataSource,
    { urls = [], prepared = true, distributed = false, timeline = 0, fastPaths = true }: DatabaseOptions = {},
  ) {
    this.isDistributed = distributed;
    this.hasFastPaths = fastPaths && !distributed;
    this.primary = new PrimaryPool(urls, dataSource.driver as unknown as PoolOwner, timeline);
    this.prepared = prepared;
  }

  /** On a cluster, the locks of a store are taken by this statement from now on. */
  takeStoreLocksBy(storeLock: StoreLock): void {
    this.storeLock = storeLock;
  }

  /** Another number after each connection that was lost: then the versions of rows (`xmin`) may be another server's. */
  get generation(): number {
    return this.primary.generation;
  }

  async query<Row extends QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (this.primary.searching !== null) await this.primary.searching;
    return (await this.run<Row>(this.primary.pool, statement, values)).rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    if (this.primary.searching !== null) await this.primary.searching;
    return (await this.run(this.primary.pool, statement, values)).rowCount ?? 0;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction and commits it. On a serialisation failure or a deadlock (40001,
   * 40P01) it is rolled back and run again, at most five times, so `work` must be re-runnable: no network, no timers,
   * nothing that outlives it but `afterCommit`.
   *
   * @throws DomainError `service.unavailable` when the database cannot be reached
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work, options);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options: TransactionOptions,
  ): Promise<Result> {
    const client = await this.connect();
    let actions: readonly (() => void)[];
    let broken: Error | undefined;
    let result: Result;
    // A connection that the server closes between two statements tells so by an event; unheard, it would end the
    // process.
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      gatherWrites(client);
      const begun = this.begin(client, options);
      begun.catch(() => undefined);
      const tx = new PipelinedTransaction((statement, values) => {
        gatherWrites(client);
        return this.run(client, statement, values);
      }, begun);
      actions = tx.actions;
      try {
        result = await work(tx);
      } finally {
        // The first failure is the one to report: all later ones follow from it.
        await begun;
      }
      await tx.commit();
    } catch (error) {
      try {
        await client.query('ROLLBACK');
      } catch (rollbackError) {
        broken = rollbackError as Error;
      }
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
    for (const action of actions) this.runAfterCommit(action);
    return result;
  }

  private lockOfStore(storeId: string, key: bigint): string {
    if (this.storeLock === null) throw new Error('Nobody has said where the locks of a store are taken.');
    return this.storeLock(storeId, key);
  }

  private async begin(client: PoolClient, options: TransactionOptions): Promise<void> {
    const keys = orderedKeys(options);
    // On one server the locks are the same wherever they are taken, and a statement with a name is not planned each
    // time.
    const storeId = this.isDistributed ? options.storeId : undefined;
    const locks = storeId === undefined ? [] : keys.map((key) => this.lockOfStore(storeId, key));
    const [taken] = await together([
      this.run(client, [...beginStatements(options), ...locks].join('; '), []),
      storeId !== undefined || keys.length === 0 ? null : this.run(client, LOCK_KEYS, [keys]),
    ]);
    if (locks.length === 0) return;
    // One result for each statement. A lock that found no row would let two pass side by side, and nobody would notice.
    const results = (Array.isArray(taken) ? taken : [taken]) as { rowCount: number | null }[];
    if (results.slice(-locks.length).some(({ rowCount }) => rowCount !== 1))
      throw new Error(`There is no state of store ${String(storeId)} to take locks on.`);
  }

  private runAfterCommit(action: () => void): void {
    try {
      action();
    } catch (error) {
      // The transaction stands whatever happens here; what the action started is found again by the scheduled worker.
      this.logger.error(stackOf(error));
    }
  }

  private async connect(): Promise<PoolClient> {
    if (this.primary.searching !== null) await this.primary.searching;
    try {
      return await this.primary.pool.connect();
    } catch (error) {
      this.primary.suspect(error);
      throw asUnavailable(error);
    }
  }

  private async run<Row extends QueryResultRow>(
    target: Pool | PoolClient,
    statement: Statement | string,
    values: readonly unknown[],
  ): Promise<Answer<Row>> {
    try {
      if (typeof statement === 'string') {
        return values.length === 0
          ? await target.query<Row>(statement)
          : await target.query<Row>(statement, values as unknown[]);
      }
      const { name, text } = statement;
      const given = values as unknown[];
      return await target.query<Row>(this.prepared ? { name, text, values: given } : { text, values: given });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.primary.suspect(error);
      throw asUnavailable(error);
    }
  }
}

function beginStatements({ settings = [] }: TransactionOptions): string[] {
  return [BEGIN, ...settings.map((setting) => `SET LOCAL ${setting}`)];
}

/** One order for everybody: two transactions that want the same two keys cannot wait for each other in a circle. */
function orderedKeys({ locks = [] }: TransactionOptions): bigint[] {
  return [...new Set(locks)].sort((left, right) => (left < right ? -1 : 1));
}

function asUnavailable(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return serviceUnavailable.saying(serviceUnavailable.detail, { cause: error });
}
