import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseLanguage, languageCookie, languageOf, type LanguageHints } from './language.js';

describe('chooseLanguage', () => {
  const cases: [title: string, hints: LanguageHints, expected: 'bn' | 'en'][] = [
    ['Bangla when nothing is known', {}, 'bn'],
    ['the query before everything', { query: 'en', cookie: 'joma_lang=bn', acceptLanguage: 'bn' }, 'en'],
    ['the last of several queries', { query: ['bn', 'en'] }, 'en'],
    ['an unknown query is no choice', { query: 'fr', cookie: 'joma_lang=en' }, 'en'],
    [
      'the earlier choice before the browser',
      { cookie: 'a=b; joma_lang=bn; c=d', acceptLanguage: 'en-GB' },
      'bn',
    ],
    ['a cookie without a name is no choice', { cookie: 'en' }, 'bn'],
    ['a header that no browser sends is not read', { cookie: `joma_lang=en; ${'a'.repeat(16_384)}` }, 'bn'],
    ['a broken cookie is no choice', { cookie: 'joma_lang=xx', acceptLanguage: 'en' }, 'en'],
    ['another cookie of that value is no choice', { cookie: 'other=en' }, 'bn'],
    ['the browser’s first language', { acceptLanguage: 'en-US,en;q=0.9,bn;q=0.8' }, 'en'],
    ['the browser’s q-values, not its order', { acceptLanguage: 'en;q=0.5, bn-BD;q=0.9' }, 'bn'],
    ['languages we do not have are passed over', { acceptLanguage: 'fr-FR, de;q=0.9, en;q=0.1' }, 'en'],
    ['what the browser excludes is not taken', { acceptLanguage: 'en;q=0' }, 'bn'],
    ['a star names neither language', { acceptLanguage: '*' }, 'bn'],
    ['nonsense is passed over', { acceptLanguage: ';;,=,en;q=two' }, 'bn'],
  ];
  it.each(cases)('%s', (_title, hints, expected) => {
    expect(chooseLanguage(hints)).toBe(expected);
  });

  it('always answers one of the two, whatever the headers are', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), fc.string(), (query, cookie, acceptLanguage) => {
        expect(['bn', 'en']).toContain(chooseLanguage({ query, cookie, acceptLanguage }));
      }),
    );
  });
});

describe('the language cookie', () => {
  it('is read back as the choice it remembers', () => {
    const header = languageCookie('en', true);
    expect(chooseLanguage({ cookie: header.split(';')[0] })).toBe('en');
    expect(header).toBe('joma_lang=en; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly; Secure');
  });

  it('is set for the two languages only', () => {
    expect([languageOf('bn'), languageOf('EN'), languageOf(undefined)]).toEqual(['bn', null, null]);
  });
});
