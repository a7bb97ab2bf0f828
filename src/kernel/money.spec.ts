import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMinor, MAX_AMOUNT_MINOR, minorFromNumber, numberFromMinor } from './money.js';

describe('minorFromNumber', () => {
  it.each([
    [10, 1000],
    [10.0, 1000],
    [10.5, 1050],
    [0.01, 1],
    [0.29, 29],
    [1.15, 115],
    [4.35, 435],
    [99_999_999.99, 9_999_999_999],
  ])('accepts %d', (value, minor) => {
    expect(minorFromNumber(value)).toBe(minor);
  });

  it.each([
    10.555,
    0.001,
    0,
    -0,
    -1,
    0.009999999999999998,
    100_000_000,
    1e21,
    NaN,
    Infinity,
    '10',
    null,
    undefined,
    true,
    [10],
    10n,
  ])('refuses %s', (value) => {
    expect(minorFromNumber(value)).toBeNull();
  });

  it('lets a lower bound be chosen, since a price may be zero', () => {
    expect(minorFromNumber(0, 0)).toBe(0);
    expect(minorFromNumber(-0.01, 0)).toBeNull();
  });

  it('reads back every amount it can write, from the text that JSON has for it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_AMOUNT_MINOR }), (minor) => {
        const padded = minor.toString().padStart(3, '0');
        const literal = `${padded.slice(0, -2)}.${padded.slice(-2)}`;
        expect(minorFromNumber(JSON.parse(literal))).toBe(minor);
        expect(minorFromNumber(JSON.parse(JSON.stringify(numberFromMinor(minor))))).toBe(minor);
      }),
    );
  });

  it('refuses every amount with a third decimal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_998 }),
        fc.integer({ min: 0, max: 99 }),
        fc.integer({ min: 1, max: 9 }),
        (units, cents, third) => {
          const literal = `${units}.${cents.toString().padStart(2, '0')}${third}`;
          expect(minorFromNumber(JSON.parse(literal))).toBeNull();
        },
      ),
    );
  });
});

describe('formatMinor', () => {
  it.each([
    [1, '0.01'],
    [50, '0.50'],
    [123456, '1,234.56'],
    [100000, '1,000.00'],
    [9_999_999_999, '99,999,999.99'],
    [-5, '-0.05'],
    [0, '0.00'],
  ])('%d → %s', (minor, text) => {
    expect(formatMinor(minor)).toBe(text);
  });
});
