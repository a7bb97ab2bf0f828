/**
 * Shares look-ups between those who ask for the same key at the same time, and never hands out what was read before they
 * asked: whoever comes while a look-up runs waits for the next one. So everybody sees what was true after they asked, and a
 * crowd costs two look-ups at a time, not one each.
 */
export class FreshLookup<Value> {
  private readonly turns = new Map<string, { running: Promise<unknown>; next: Promise<Value> | null }>();

  constructor(private readonly lookUp: (key: string) => Promise<Value>) {}

  get(key: string): Promise<Value> {
    const turn = this.turns.get(key);
    if (turn === undefined) return this.start(key);
    turn.next ??= turn.running.then(() => this.start(key));
    return turn.next;
  }

  private start(key: string): Promise<Value> {
    const value = this.lookUp(key);
    const turn = { running: Promise.resolve<unknown>(null), next: null as Promise<Value> | null };
    turn.running = value.then(
      () => this.end(key, turn),
      () => this.end(key, turn),
    );
    this.turns.set(key, turn);
    return value;
  }

  private end(key: string, turn: { readonly next: Promise<Value> | null }): void {
    if (turn.next === null) this.turns.delete(key);
  }
}
