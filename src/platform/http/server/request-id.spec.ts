import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId } from '../../../kernel/ids.js';
import { requestIdOf } from './request-id.js';

/*
 * Rules: contract 1.25.
 *
 * Goal: a caller finds its own id again, and nobody can write into our logs or headers through it (contract 1.25).
 * Method: the limits from both sides, then every text: what comes back is harmless.
 */

const idFor = (value?: string | string[]) => requestIdOf({ headers: { 'x-request-id': value } });

describe('requestIdOf', () => {
  it.each(['a', 'order-1001', 'A.b_c-9', '-', '.', 'x'.repeat(128)])('keeps %s', (given) => {
    expect(idFor(given)).toBe(given);
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['129 characters', 'x'.repeat(129)],
    ['a blank', 'a b'],
    ['a line', 'a\nb'],
    ['a line at its end', 'a\n'],
    ['letters of another alphabet', 'জমা'],
    ['a slash', '../etc'],
    ['two of them', 'a, b'],
    ['a list', ['a', 'b']],
  ])('makes a new one for %s', (_what, given) => {
    const made = idFor(given);
    expect(isId(made)).toBe(true);
    expect(idFor(given)).not.toBe(made);
  });

  it('is harmless, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (given) => {
        expect(idFor(given)).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      }),
    );
  });
});
