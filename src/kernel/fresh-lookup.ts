/**
 * Shares look-ups between those who ask at the same time, and never hands out what was read before they asked: whoever
 * comes while look-ups run waits for the next one, which is for all keys that were asked for meanwhile. So everybody sees
 * what was true after they asked, and a crowd costs a look-up per round trip, not one each. Nothing is kept.
 */
export class FreshLookup<Value> {
  private next: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> } | null =
    null;
  private readonly running = new Set<Promise<void>>();

  /** `maxRunning`: look-ups at the same time, so that one that hangs does not stop them all. */
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
    // In any case to the end of this turn, so that everybody who asks in it shares one look-up.
    await (this.running.size < this.maxRunning ? null : Promise.race(this.running));
    this.next = null;
    const found = this.lookUp([...keys]);
    const ended: Promise<void> = found.then(
      () => undefined,
      () => undefined,
    );
    this.running.add(ended);
    void ended.then(() => this.running.delete(ended));
    return found;
  }
}
