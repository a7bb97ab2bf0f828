import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorableText } from '../../kernel/text.js';
import { MAX_EXCERPT_BYTES, responseExcerpt } from './response-excerpt.js';

describe('responseExcerpt', () => {
  it.each([
    ['{"ok":true}', '{"ok":true}'],
    ['ধন্যবাদ, ক্\u200dষ', 'ধন্যবাদ, ক্\u200dষ'],
    ['one\r\ntwo\tthree', 'one two three'],
    ['a\u0000b\u001b[31mc\u0085d\u2028e\u202ef', 'a b [31mc d e f'],
    [' \n ', null],
    ['', null],
  ])('shows %j as %j', (body, excerpt) => {
    expect(responseExcerpt(Buffer.from(body, 'utf8'))).toBe(excerpt);
  });

  it('leaves out a character that the limit cuts in two', () => {
    expect(responseExcerpt(Buffer.from('a'.repeat(1022) + '😀'))).toBe('a'.repeat(1022));
  });

  it('shows what is not UTF-8 as replacement characters, and stays within the limit', () => {
    const excerpt = responseExcerpt(Buffer.alloc(5_000, 0xff));
    expect(excerpt).toBe('\ufffd'.repeat(341));
  });

  it('can be stored, is short and has no control characters, whatever the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const excerpt = responseExcerpt(Buffer.from(bytes)) ?? '';
        expect(isStorableText(excerpt)).toBe(true);
        expect(excerpt).not.toMatch(/\p{Cc}/u);
        expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(MAX_EXCERPT_BYTES);
      }),
    );
  });
});
