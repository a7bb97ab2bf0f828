import { describe, expect, it } from 'vitest';
import { isId, markOf, newId, newIdMarkedBy } from './ids.js';

/*
 * Goal: every id is a UUID version 7, so that it is unique and lies at the end of an index, and only what PostgreSQL
 * reads as a UUID gets that far (contract 1.8). Method: many ids made in a row, their time against the clock, a table
 * of spellings.
 */

describe('newId', () => {
  it('is a UUID version 7 of now', () => {
    const before = Date.now();
    const id = newId();
    const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
  });

  it('is unique, and sorts in the order in which ids are made', () => {
    const ids = Array.from({ length: 5_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('newIdMarkedBy', () => {
  const STORE = '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9C55';

  it('is a UUID version 7 of the given moment, and ends with the mark of the other id', () => {
    const id = newIdMarkedBy(STORE, Date.parse('2026-01-02T03:04:05.678Z'));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{8}9c55$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(
      Date.parse('2026-01-02T03:04:05.678Z'),
    );
    expect(markOf(id)).toBe(markOf(STORE));
  });

  it('is random in every other bit: each of them is set in about half of many ids of one moment', () => {
    const ids = Array.from({ length: 2_000 }, () => newIdMarkedBy(STORE, 1));
    expect(new Set(ids).size).toBe(ids.length);
    const bits = ids.map((id) => BigInt(`0x${id.replaceAll('-', '')}`) >> 16n);
    // 32 bits before the mark, 14 behind the variant, 12 behind the version, of which the first is always 0.
    for (const bit of [...range(0, 46), ...range(48, 59)]) {
      const set = bits.filter((each) => ((each >> BigInt(bit)) & 1n) === 1n).length;
      expect(set, `bit ${bit}`).toBeGreaterThan(700);
      expect(set, `bit ${bit}`).toBeLessThan(1_300);
    }
  });
});

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('isId', () => {
  it.each([
    '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
    '019AA5B0-7C1E-7CC3-98F4-2F0D6A1B9C55',
    '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
    newId(),
  ])('knows %s', (value) => {
    expect(isId(value)).toBe(true);
  });

  it.each([
    '',
    'demo',
    '019aa5b07c1e7cc398f42f0d6a1b9c55',
    '{019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55}',
    ' 019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
    '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55\n',
    '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c5',
    '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c5g',
    null,
    undefined,
    7,
    ['019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55'],
    { toString: () => '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' },
  ])('refuses %j', (value) => {
    expect(isId(value)).toBe(false);
  });
});
