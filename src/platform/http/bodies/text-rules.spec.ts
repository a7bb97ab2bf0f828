import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { IsNotBlank, MaxCharacters } from './text-rules.js';

/*
 * Goal: limits are met by what people count as characters, and a name is more than blanks (contract 1.17). Method:
 * the rules on a class, as the application runs them, at the limit and one beyond, with characters of one, two and
 * three units.
 */

class Input {
  @MaxCharacters(4)
  short: unknown = '';

  @IsNotBlank()
  name: unknown = 'a';
}

const messages = (field: keyof Input, value: unknown): string[] =>
  validateSync(Object.assign(new Input(), { [field]: value })).flatMap((error) => {
    expect(error.property).toBe(field);
    return Object.entries(error.constraints ?? {}).map(([name, message]) => `${name}: ${message}`);
  });

describe('MaxCharacters', () => {
  it.each(['', 'abcd', 'জমাx', '\u{1f600}'.repeat(4), '\u{1f600}abc'])('takes %j', (value) => {
    expect(messages('short', value)).toEqual([]);
  });

  it.each([
    'abcde',
    '\u{1f600}'.repeat(5),
    'abc\u{1f600}\u{1f600}',
    4,
    null,
    undefined,
    ['a'],
    { length: 1 },
  ])('refuses %j', (value) => {
    expect(messages('short', value)).toEqual(['maxCharacters: must not be longer than 4 characters']);
  });
});

describe('IsNotBlank', () => {
  it.each(['a', ' a ', '0', '.'])('takes %j', (value) => {
    expect(messages('name', value)).toEqual([]);
  });

  it.each(['', ' ', '\t\n', '\u00a0\u2003', null, undefined, 0, [], ['a']])('refuses %j', (value) => {
    expect(messages('name', value)).toEqual(['isNotBlank: must not be empty']);
  });
});
