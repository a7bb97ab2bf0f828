import { describe, expect, it } from 'vitest';
import { keepLatest } from './keep-latest.js';

describe('keepLatest', () => {
  it('lets go what was put there longest ago, and counts what is put there again as new', () => {
    const map = new Map<string, number>();
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['c', 4],
    ] as const)
      keepLatest(map, 2, key, value);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });
});
