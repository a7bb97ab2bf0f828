import { types } from 'pg';
import { describe, expect, it } from 'vitest';
import { plainArray, textArray } from './plain-array.js';

const TEXT_ARRAY = 1_009;
/** The driver's own reader of `text[]`. */
const read = types.getTypeParser(TEXT_ARRAY as never, 'text') as (text: string) => (string | null)[];

describe('arrays as PostgreSQL writes them', () => {
  it.each([
    ['nothing', []],
    ['words', ['bkash', 'nagad']],
    ['what has no value', [null, 'a', null]],
    ['the word NULL', ['NULL', 'null', null]],
    ['nothing and blanks', ['', ' ', '\t\n']],
    ['quotes and backslashes', ['"', '\\', '\\"', 'a"b\\c', '\\\\', '""', '\\n']],
    ['braces and commas', ['{', '}', ',', '{a,b}', "'"]],
    ['dollars, as a replacement would read them', ['$&', '"$1"', '\\$&']],
    ['other scripts', ['রহিম উদ্দিন', '🙂', 'é']],
    [
      'quotes beside what JSON writes otherwise',
      ['"\n"', '\\\t"', '"\u001f', '"🙂"', '"\ud800', '"\u007f\u2028\u2029"'],
    ],
    ['JSON', [JSON.stringify({ a: 'say "x\\y"', b: ['{', null] })]],
  ])('hold text: %s', (_name, values) => {
    expect(read(textArray(values))).toEqual(values);
  });

  it('hold plain values', () => {
    expect(read(plainArray(['019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55', 5, null]))).toEqual([
      '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
      '5',
      null,
    ]);
  });
});
