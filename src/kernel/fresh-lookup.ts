import { atLatest } from './at-latest.js';

/** A look-up that takes longer than this, in milliseconds, may hang. */
const SLOW_MS = 20;
/** One that takes longer than this, in milliseconds, is waited for by those who asked for it, and by nobody else. */
const HANGS_MS = 2_000;

/**
 * Shares look-ups between those who ask at the same time, and never hands out what was read before they asked:
 * whoever comes while look-ups run waits for the next one, which is for all keys that were asked for meanwhile. So
 * everybody sees what was true after they asked, and a crowd costs a look-up per round trip, not one each. Nothing is
 * kept.
 */
export class FreshLookup<Value> {
  private next: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> } | null =
    null;
  private readonly running = new Set<Promise<void>>();
  private lastStartedMs = 0;

  /**
   * One at a time: few large groups cost less than many small ones. `maxRunning`: how many may be under way when they
   * take long, so that one that hangs does not stop them all.
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly maxRunning = 1,
  ) {}

  /** Undefined when there is nothing under that key. */
  async get(key: string): Promise<Value | undefined> {
    if (this.next === null) {
      const keys = new Set<string>();
      this.next = { keys, found: this.start(keys) };
    }
    this.next.keys.add(key);
    return (await this.next.found).get(key);
  }

  private async start(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, Value>> {
    while (this.running.size > 0 && !this.isLate()) await this.change();
    // Requests that have arrived by now are read in this turn of the event loop, and share the look-up.
    await endOfTurn();
    this.next = null;
    this.lastStartedMs = performance.now();
    const found = this.lookUp([...keys]);
    const ended = new Promise<void>((resolve) => {
      const end = atLatest(HANGS_MS, resolve);
      found.then(end, end);
    });
    this.running.add(ended);
    void ended.then(() => this.running.delete(ended));
    return found;
  }

  private isLate(): boolean {
    return this.running.size < this.maxRunning && performance.now() - this.lastStartedMs > SLOW_MS;
  }

  /** Until one of those under way has ended, or another may be started beside them. */
  private async change(): Promise<void> {
    if (this.running.size >= this.maxRunning) return Promise.race(this.running);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SLOW_MS + 1);
    });
    await Promise.race([...this.running, late]);
    clearTimeout(timer);
  }
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
