import { LRUCache } from 'lru-cache';

/** A part of time, from its first instant to before its last. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** The longest time after which an instant is written down, including the lag of a read replica, in milliseconds. */
export const SETTLED_AFTER_MS = 240_000;
/** Rows of a table that are added up anew each time, at most. */
const FEW = 1_000;

/** Whether adding up what these sums count costs enough to be kept. */
export function isMuch(rows: readonly { readonly count: number }[]): boolean {
  return rows.reduce((sum, { count }) => sum + count, 0) >= FEW;
}

/** Answers that are kept at most; the oldest goes first. */
const MAX_KEPT = 100;

/**
 * Sums over a long time of which only the end still changes: what lies before a boundary is asked once in a while,
 * what lies behind it each time. Where there is little to add up (`worthKeeping`) nothing is kept, and every answer
 * is of this moment.
 */
export class KeptPast<Row> {
  private readonly kept = new LRUCache<string, { readonly boundary: Date; readonly rows: readonly Row[] }>({
    max: MAX_KEPT,
    ttlResolution: 0,
    perf: performance,
  });

  constructor(
    private readonly options: {
      readonly keptForMs: number;
      readonly worthKeeping: (past: readonly Row[]) => boolean;
    },
  ) {}

  /** The rows of the past, then those behind the boundary; the same key may stand in both. */
  async read(
    key: string,
    span: Span,
    boundary: Date,
    ask: (part: Span) => Promise<readonly Row[]>,
  ): Promise<Row[]> {
    const known = this.kept.get(key);
    if (known !== undefined) return [...known.rows, ...(await ask({ from: known.boundary, to: span.to }))];
    if (boundary <= span.from) return [...(await ask(span))];
    const [past, rest] = await Promise.all([
      ask({ from: span.from, to: boundary }),
      boundary < span.to ? ask({ from: boundary, to: span.to }) : [],
    ]);
    this.kept.delete(key);
    if (this.options.worthKeeping(past))
      this.kept.set(key, { boundary, rows: past }, { ttl: this.options.keptForMs });
    return [...past, ...rest];
  }
}
