import { describe, expect, it } from 'vitest';
import { countedOf, exceedsLimit, isOwnPhoneWornOut, limitOf } from './guess-limit.js';

/*
 * Rules: contract 4.84, 4.91.
 */

const counts = (wrong: number, waiting = 0) => ({ wrong, waiting });

describe('exceedsLimit', () => {
  it.each([
    ['below the limit', counts(9), 0, false],
    ['the limit', counts(10), 0, true],
    ['a tenth of what was verified', counts(10), 100, false],
    ['12 of 119 (contract 4.84)', counts(12), 119, true],
    ['12 of 120 (contract 4.84)', counts(12), 120, false],
    ['just below ten times the limit', counts(99), 1_000, false],
    ['ten times the limit in any case', counts(100), 100_000, true],
    ['three times the limit that wait', counts(0, 30), 0, false],
    ['more that wait', counts(0, 31), 100_000, true],
  ])('%s', (_what, given, verified, expected) => {
    expect(exceedsLimit(given, verified, 10)).toBe(expected);
  });

  it('has three times the limit for guessable TrxIDs', () => {
    expect([limitOf('last4digit', 10), limitOf('trx_id', 10)]).toEqual([10, 30]);
  });
});

describe('digits of the own phone', () => {
  it.each([
    ['below the limit', counts(9, 10), false],
    ['the limit', counts(10), true],
    ['more than the limit that wait', counts(0, 11), true],
  ])('%s', (_what, ownPhone, expected) => {
    const guesses = { ownPhone, others: counts(1, 2) };
    expect(isOwnPhoneWornOut(guesses, 10)).toBe(expected);
    const together = { wrong: 1 + ownPhone.wrong, waiting: 2 + ownPhone.waiting };
    expect(countedOf(guesses, 10)).toEqual(expected ? together : counts(1, 2));
  });
});
