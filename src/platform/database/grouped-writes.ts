import { atLatest } from '../../kernel/at-latest.js';
import { DomainError } from '../../kernel/domain-error.js';

/** Rows that one statement writes at most. */
const MAX_ROWS = 128;
/** Groups at the same time, at most. */
const MAX_RUNNING = 2;
/**
 * A second one leaves beside the first only when so many rows wait for it: few large groups cost less than many small
 * ones …
 */
const WORTH_A_SECOND = 32;
/** … or when the first takes longer than this, in milliseconds: it may wait for a lock, or for the disk. */
const SLOW_MS = 20;
/**
 * One that takes longer than this, in milliseconds, hangs: its connection may be dead, and nobody else waits for it.
 */
const HANGS_MS = 2_000;

interface Waiting<Row, Result> {
  readonly row: Row;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes rows that have nothing to do with each other in one commit when they come at the same time. The first leaves
 * at once; what comes while it is under way goes together with the next. Nobody is told of success before the commit
 * of their row.
 *
 * A statement that the database refuses is tried again row by row, so that a bad row fails alone. When the database
 * is away nobody knows what became of the statement, so all of its rows fail with `service.unavailable`, as each
 * alone would have.
 */
export class GroupedWrites<Row, Result = void> {
  private waiting: Waiting<Row, Result>[] = [];
  private running = 0;
  private lastStartedMs = 0;
  private lookAgain: NodeJS.Timeout | null = null;

  /**
   * `write` takes effect for all of its rows, or for none. Answers what became of each. `worthASecond`: rows that
   * wait before a second group leaves beside the first; fewer where a group takes several round trips, so that one
   * computes while the other waits.
   */
  constructor(
    private readonly write: (rows: readonly Row[]) => Promise<readonly Result[]>,
    private readonly worthASecond = WORTH_A_SECOND,
  ) {}

  /** Resolves when the statement of the row is committed, to what became of the row. */
  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    while (this.waiting.length > 0 && this.mayStart()) {
      this.lastStartedMs = performance.now();
      const group = this.waiting.slice(0, MAX_ROWS);
      this.waiting = this.waiting.slice(MAX_ROWS);
      this.running += 1;
      const giveBack = atLatest(HANGS_MS, () => {
        this.running -= 1;
        this.pump();
      });
      void this.writeGroup(group).then(giveBack);
    }
    // Perhaps nobody else comes who would ask.
    if (this.waiting.length > 0 && this.running < MAX_RUNNING)
      this.lookAgain ??= setTimeout(() => {
        this.lookAgain = null;
        this.pump();
      }, SLOW_MS + 1);
  }

  private mayStart(): boolean {
    if (this.running === 0) return true;
    const isWorthIt =
      this.waiting.length >= this.worthASecond || performance.now() - this.lastStartedMs > SLOW_MS;
    return this.running < MAX_RUNNING && isWorthIt;
  }

  /** Never rejects. */
  private async writeGroup(group: readonly Waiting<Row, Result>[]): Promise<void> {
    try {
      const results = await this.write(group.map(({ row }) => row));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (group.length === 1 || isAway(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await this.writeGroup([one]);
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'unavailable';
}
