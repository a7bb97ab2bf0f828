/**
 * Shares look-ups between those who ask at the same time, and never hands out what was read before they asked: whoever
 * comes while a look-up runs waits for the next one, which is for all keys that were asked for meanwhile. So everybody sees
 * what was true after they asked, and a crowd costs one look-up per round trip, not one each.
 */
export class FreshLookup<Value> {
  private next: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> } | null =
    null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {}

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
    // At least to the end of this turn, so that everybody who asks in it has one look-up.
    await this.running;
    this.next = null;
    const found = this.lookUp([...keys]);
    this.running = found.then(
      () => undefined,
      () => undefined,
    );
    return found;
  }
}
