import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characterCount, escapePointer, isStorableText, unstorableTexts } from './text.js';

/*
 * Goal: text that PostgreSQL or a JSON reader cannot hold is found wherever it stands, and limits count what people
 * count (contract 1.36). Method: the characters in question by hand, then UTF-8 and RFC 6901 as judges over random
 * text.
 */

const HIGH = '\ud83d';
const LOW = '\ude00';

describe('isStorableText', () => {
  it.each([
    ['', true],
    ['রহিম', true],
    [`${HIGH}${LOW}`, true],
    ['\u0001\uffff', true],
    ['\u0000', false],
    ['a\u0000', false],
    [HIGH, false],
    [LOW, false],
    [`${LOW}${HIGH}`, false],
    [`${HIGH}${LOW}${HIGH}`, false],
  ])('%j: %s', (text, storable) => {
    expect(isStorableText(text)).toBe(storable);
  });

  it('is what UTF-8 gives back, without NUL', () => {
    const unit = fc.constantFrom('\u0000', 'a', HIGH, LOW, 'জ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 6 }), (text) => {
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text;
        expect(isStorableText(text)).toBe(survives && !text.includes('\u0000'));
      }),
    );
  });
});

describe('unstorableTexts', () => {
  it.each<[string, unknown, string[]]>([
    ['good text', 'a', []],
    ['bad text', '\u0000', ['']],
    ['what is no text', [null, 1, true, undefined], []],
    ['nothing', null, []],
    ['a member', { note: HIGH, name: 'a' }, ['/note']],
    ['a member of a member', { a: [{ b: 'x' }, { b: ['y', LOW] }] }, ['/a/1/b/1']],
    ['several', { a: HIGH, b: { c: LOW }, d: 'd', e: ['\u0000'] }, ['/a', '/b/c', '/e/0']],
    ['a key, which no pointer can name', { products: { ['k\u0000']: '\u0000' } }, ['/products']],
    ['a key that a pointer must escape', { 'a/b~c': HIGH }, ['/a~1b~0c']],
  ])('%s', (_what, value, pointers) => {
    expect(unstorableTexts(value)).toEqual(pointers);
  });

  it('finds nothing in what is well-formed, however deep', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const clean = JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')) as unknown;
        expect(unstorableTexts(clean)).toEqual([]);
      }),
    );
  });
});

describe('escapePointer', () => {
  it.each([
    ['plain', 'plain'],
    ['a/b', 'a~1b'],
    ['a~b', 'a~0b'],
    ['~1', '~01'],
    ['/~/~', '~1~0~1~0'],
  ])('%j → %j', (key, token) => {
    expect(escapePointer(key)).toBe(token);
  });

  it('can be undone as RFC 6901 says, and leaves no slash', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }), (key) => {
        const token = escapePointer(key);
        expect(token).not.toContain('/');
        expect(token.replaceAll('~1', '/').replaceAll('~0', '~')).toBe(key);
      }),
    );
  });
});

describe('characterCount', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['জমা', 3],
    ['\u{1f600}', 1],
    ['\u{1f600}a\u{1f600}', 3],
    [HIGH, 1],
  ])('%j has %d', (text, count) => {
    expect(characterCount(text)).toBe(count);
  });

  it('counts code points, not UTF-16 units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(characterCount(text)).toBe([...text].length);
      }),
    );
  });
});
