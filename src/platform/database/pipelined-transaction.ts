import type { Writable } from 'node:stream';
import type { PoolClient, QueryResultRow } from 'pg';
import type { Statement, Transaction } from './transaction.js';

/** The answer of the driver. */
export interface Answer<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
  /** The first word of what was done: a COMMIT of a transaction in which something failed is a ROLLBACK. */
  readonly command: string;
}

export type Run = <Row extends QueryResultRow>(
  statement: Statement | string,
  values: readonly unknown[],
) => Promise<Answer<Row>>;

/**
 * A transaction whose statements are sent as they are asked for, without waiting for the answers to those before.
 */
export class PipelinedTransaction implements Transaction {
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

/**
 * Writes what is asked of a connection in one turn; it leaves in one write to its socket: the driver would write each
 * statement by itself, and a write costs as much as all the rest of a small statement.
 */
export function gatherWrites(client: PoolClient): void {
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Writable } })
    .connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
