import type { QueryResultRow } from 'pg';

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
  /** What holds for this transaction alone, each a `SET LOCAL`: `BY_INDEX`, `JOINS_AS_WRITTEN`, `lockTimeout(ms)`. */
  readonly settings?: readonly string[];
}

/**
 * Rows are found by index, one after the other, whatever the planner thinks of it. For statements that change many rows
 * by their ids: while a table has some ten thousand rows, it would rather read them all, which costs ten times as much.
 */
export const BY_INDEX: readonly string[] = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * Tables are joined in the order in which they are written. For joins whose order decides whether they cost what they
 * find or the product of what there is: while a table has not been analysed, the planner cannot know.
 */
export const JOINS_AS_WRITTEN = 'join_collapse_limit = 1';

/**
 * A statement that waits for a lock longer than this fails (55P03); without it it waits for as long as a statement may
 * run. For work of which nothing is lost, because it can be done in another way.
 */
export const lockTimeout = (ms: number): string => `lock_timeout = ${ms}`;
