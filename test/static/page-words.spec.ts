import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { linkWordsOf } from '../../src/payment-links/page/link-words.js';

/*
 * Goal: both languages of the payers' pages say the same things: that the keys agree, the compiler says; here it is the
 * slots, which it cannot see. Method: every sentence of both languages, side by side.
 */

/** `path: slots` of each sentence. */
function slotsOf(words: object, path = ''): string[] {
  return Object.entries(words).flatMap(([key, held]: [string, unknown]) => {
    const at = `${path}/${key}`;
    if (typeof held === 'object' && held !== null) return slotsOf(held, at);
    const slots = [...String(held).matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot);
    return slots.length === 0 ? [] : [`${at}: ${slots.toSorted().join(', ')}`];
  });
}

describe.each([
  ['the checkout page', wordsOf],
  ['the pages of a link', linkWordsOf],
] as const)('the words of %s', (_page, of) => {
  it('have the same slots in both languages', () => {
    const [bangla, english] = [slotsOf(of('bn')), slotsOf(of('en'))];
    expect(bangla.length).toBeGreaterThan(5);
    expect(english).toEqual(bangla);
  });
});
