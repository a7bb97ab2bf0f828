import { keepLatest } from './keep-latest.js';

/**
 * Values as they were read, each under the stamp of the version it was read from: for whoever has just read the stamp
 * that is in force, and saves reading the rest. Proves nothing by itself.
 */
export class Remembered<Value> {
  private readonly entries = new Map<string, { stamp: string; value: Value; untilMs: number }>();

  /** At most `max` values, the latest ones, each for `forMs` milliseconds. */
  constructor(
    private readonly max: number,
    private readonly forMs: number,
  ) {}

  /** Whether a stamp is worth asking for. */
  has(key: string): boolean {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    if (performance.now() < entry.untilMs) return true;
    this.entries.delete(key);
    return false;
  }

  /** Undefined when it is not known, or was another version. */
  get(key: string, stamp: string): Value | undefined {
    const entry = this.has(key) ? this.entries.get(key) : undefined;
    return entry?.stamp === stamp ? entry.value : undefined;
  }

  keep(key: string, stamp: string, value: Value): void {
    keepLatest(this.entries, this.max, key, { stamp, value, untilMs: performance.now() + this.forMs });
  }
}
