import { LRUCache } from 'lru-cache';

/**
 * Values as they were read, each under the stamp of the version it was read from: for whoever has just read the stamp
 * that is in force, and saves reading the rest. Proves nothing by itself.
 */
export class Remembered<Value> {
  private readonly entries: LRUCache<string, { stamp: string; value: Value }>;

  /** At most `max` values, the latest ones, each for `forMs` milliseconds. */
  constructor(max: number, forMs: number) {
    this.entries = new LRUCache({ max, ttl: forMs, ttlResolution: 0, perf: performance });
  }

  /** Whether a stamp is worth asking for. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** Undefined when it is not known, or was another version. */
  get(key: string, stamp: string): Value | undefined {
    const entry = this.entries.get(key);
    return entry?.stamp === stamp ? entry.value : undefined;
  }

  keep(key: string, stamp: string, value: Value): void {
    this.entries.set(key, { stamp, value });
  }
}
