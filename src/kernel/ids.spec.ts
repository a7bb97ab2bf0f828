import { describe, expect, it } from 'vitest';
import { isId, newId, newUnorderedId } from './ids.js';

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

describe('newUnorderedId', () => {
  it('is a UUID version 7, and unique', () => {
    const ids = Array.from({ length: 5_000 }, newUnorderedId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

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
