import type { Writable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { DomainError, serviceUnavailable } from '../../kernel/domain-error.js';
import { stackOf } from '../../kernel/error-text.js';
import { isRetryable, isUnavailable } from '../../kernel/sqlstate.js';
import { type PoolOwner, PrimaryPool } from './hosts/primary-pool.js';

/**
 * A statement with a name. PostgreSQL parses and plans a named statement once per connection, which is worth 4–15 %
 * on hot paths; a name must stand for one text only.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Where statements run: on any connection (`Database`), or on the one of a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs a statement that answers no rows; resolves to the number of rows it touched. */
  execute(statement: Statement | string, values?: readonly unknown[]): Promise<number>;
}

/**
 * A running transaction. Passed as the first argument to everything that must be part of it. Its first statements leave
 * together with BEGIN and the locks, and so cost no round trip of their own. They run behind the locks all the same,
 * one after the other, each with a snapshot of its own.
 */
export interface Transaction extends Queryable {
  /**
   * Resolves when the locks are held: for what has to be done behind them and is no statement, above all a look at the
   * clock before the first answer.
   */
  locked(): Promise<void>;
  /**
   * The last statement of all: COMMIT leaves together with it, and so costs no round trip of its own. What was asked
   * for before it goes before it. When it fails nothing is committed; what is asked for after it is refused.
   */
  last<Row extends QueryResultRow>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs after the commit has been confirmed, and never after a roll-back. It must not throw. */
  afterCommit(action: () => void): void;
}

export interface TransactionOptions {
  /**
   * Advisory locks, taken in ascending order before the first statement. Whoever holds the same key runs before or
   * after, never beside: each statement behind it sees all that the others committed, because READ COMMITTED takes
   * its snapshot per statement. Keys come from `lockKey`.
   */
  readonly locks?: readonly bigint[];
  /**
   * The store that the locks belong to: on a cluster taken where the rows of that store lie, so that they meet
   * whichever node is asked; the store must be there. Without it they are the locks of the server that is asked.
   */
  readonly storeId?: string;
  /**
   * Rows are found by index, one after the other, whatever the planner thinks of it. For statements that change many
   * rows by their ids: while a table has some ten thousand rows, it would rather read them all, which costs ten times
   * as much.
   */
  readonly byIndexOnly?: boolean;
  /**
   * Tables are joined in the order in which they are written. For joins whose order decides whether they cost what
   * they find or the product of what there is: while a table has not been analysed, the planner cannot know.
   */
  readonly joinsAsWritten?: boolean;
  /**
   * A statement that waits for a lock longer than this fails (55P03), in milliseconds; without it for as long as a
   * statement may run. For work of which nothing is lost, because it can be done in another way.
   */
  readonly lockTimeoutMs?: number;
}

export interface DatabaseSettings {
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
const BY_INDEX_ONLY = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`);

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
    {
      urls = [],
      prepared = true,
      distributed = false,
      timeline = 0,
      fastPaths = true,
    }: DatabaseSettings = {},
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
      const tx = new RunningTransaction((statement, values) => {
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

/** The answer of the driver. */
interface Answer<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
  /** The first word of what was done: a COMMIT of a transaction in which something failed is a ROLLBACK. */
  readonly command: string;
}

type Run = <Row extends QueryResultRow>(
  statement: Statement | string,
  values: readonly unknown[],
) => Promise<Answer<Row>>;

class RunningTransaction implements Transaction {
  readonly actions: (() => void)[] = [];
  private committing: Promise<Answer<QueryResultRow>> | null = null;

  constructor(
    private readonly run: Run,
    private readonly begun: Promise<void>,
  ) {}

  locked(): Promise<void> {
    return this.begun;
  }

  async query<Row extends QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.send<Row>(statement, values)).rows;
  }

  async execute(statement: Statement | string, values: readonly unknown[] = []): Promise<number> {
    return (await this.send(statement, values)).rowCount ?? 0;
  }

  async last<Row extends QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    // Nothing is committed on locks that turn out not to be held.
    await this.begun;
    const answer = this.send<Row>(statement, values);
    this.committing = this.run('COMMIT', []);
    this.committing.catch(() => undefined);
    return (await answer).rows;
  }

  afterCommit(action: () => void): void {
    this.actions.push(action);
  }

  async commit(): Promise<void> {
    const { command } = await (this.committing ?? this.run('COMMIT', []));
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
  }

  private send<Row extends QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[],
  ): Promise<Answer<Row>> {
    if (this.committing !== null) throw new Error('The transaction has had its last statement.');
    return this.run<Row>(statement, values);
  }
}

/**
 * Awaits statements of one transaction that leave together, and run in that order. What went wrong first is what went
 * wrong: all that came after it was refused for its sake.
 */
export async function together<Asked extends readonly unknown[] | []>(
  asked: Asked,
): Promise<{ -readonly [Place in keyof Asked]: Awaited<Asked[Place]> }> {
  const settled = await Promise.allSettled(asked);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : null)) as never;
}

function beginStatements({
  byIndexOnly = false,
  joinsAsWritten = false,
  lockTimeoutMs,
}: TransactionOptions): string[] {
  const patience = lockTimeoutMs === undefined ? [] : [`SET LOCAL lock_timeout = ${lockTimeoutMs}`];
  const order = joinsAsWritten ? ['SET LOCAL join_collapse_limit = 1'] : [];
  return [BEGIN, ...patience, ...(byIndexOnly ? BY_INDEX_ONLY : []), ...order];
}

/** One order for everybody: two transactions that want the same two keys cannot wait for each other in a circle. */
function orderedKeys({ locks = [] }: TransactionOptions): bigint[] {
  return [...new Set(locks)].sort((left, right) => (left < right ? -1 : 1));
}

/**
 * Writes what is asked of a connection in one turn; it leaves in one write to its socket: the driver would write each
 * statement by itself, and a write costs as much as all the rest of a small statement.
 */
function gatherWrites(client: PoolClient): void {
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Writable } })
    .connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function asUnavailable(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return serviceUnavailable.saying(serviceUnavailable.detail, { cause: error });
}
