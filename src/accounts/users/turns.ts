/** Thrown work is the caller's; what these classes throw themselves is `whenFull()`. */
type WhenFull = () => Error;

/**
 * Lets a limited number of pieces of work run at once; the others wait in the order in which they came. At most
 * `maxWaiting` wait, because a queue without an end only turns a flood into memory and time-outs.
 */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(
    count: number,
    private readonly maxWaiting: number,
    private readonly whenFull: WhenFull,
  ) {
    this.free = count;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      if (this.waiting.length >= this.maxWaiting) throw this.whenFull();
      // The one who leaves hands over the slot itself: it is never free in between.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}

/**
 * Runs pieces of work that share a key one after another, in the order in which they came; the others side by side. At
 * most `maxUnderWay` run or wait.
 */
export class KeyedTurns {
  private readonly last = new Map<string, Promise<void>>();
  private underWay = 0;

  constructor(
    private readonly maxUnderWay: number,
    private readonly whenFull: WhenFull,
  ) {}

  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    if (this.underWay >= this.maxUnderWay) throw this.whenFull();
    this.underWay += 1;
    // Each attempt waits for older attempts only, so there is no circle.
    const before = Promise.all(keys.map(async (key) => this.last.get(key)));
    const turn = before.then(work);
    const leave = (): void => {
      this.underWay -= 1;
      for (const key of keys) if (this.last.get(key) === end) this.last.delete(key);
    };
    const end: Promise<void> = turn.then(leave, leave);
    for (const key of keys) this.last.set(key, end);
    return turn;
  }
}
