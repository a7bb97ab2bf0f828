/** Chance that can be repeated: `MONEY_SEED` names the seed of a run that failed. */
export interface Chance {
  /** To be shown with every failure. */
  readonly seed: number;
  /** A whole number from 0 to `below` - 1. */
  integer(below: number): number;
  shuffle<Item>(items: readonly Item[]): Item[];
}

export function newChance(): Chance {
  const given = process.env['MONEY_SEED'];
  const seed = given === undefined ? Date.now() % 2 ** 31 : Number(given);
  let state = seed;
  // Mulberry32: short, and good enough to mix an order.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    seed,
    integer,
    shuffle: (items) => {
      const mixed = [...items];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = integer(last + 1);
        [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
      }
      return mixed;
    },
  };
}
