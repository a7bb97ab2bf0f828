import { describe, expect, it } from 'vitest';
import { exceedsLimit } from './guess-limit.js';

const counts = (wrong: number, waiting = 0, verified = 0) => ({ wrong, waiting, verified });

describe('exceedsLimit', () => {
  it.each([
    ['below the limit', counts(9), false],
    ['the limit', counts(10), true],
    ['a tenth of what was verified', counts(10, 0, 100), false],
    ['more than a tenth', counts(11, 0, 100), true],
    ['just below ten times the limit', counts(99, 0, 1_000), false],
    ['ten times the limit in any case', counts(100, 0, 100_000), true],
    ['three times the limit that wait', counts(0, 30), false],
    ['more that wait', counts(0, 31, 100_000), true],
  ])('%s', (_what, given, expected) => {
    expect(exceedsLimit('last4digit', given, 10)).toBe(expected);
  });

  it.each([
    ['below the limit', counts(9, 10), false],
    ['the limit, however much was verified', counts(10, 0, 100_000), true],
    ['more than the limit that wait', counts(0, 11, 100_000), true],
  ])('of the own phone: %s', (_what, given, expected) => {
    expect(exceedsLimit('own_phone', given, 10)).toBe(expected);
  });
});
