import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IsInstant, IsMoney, IsWebAddress, parseInstant } from './value-rules.js';

/*
 * Goal: what stands in a body is refused at the border unless it can be stored and used as it is. Method: each rule
 * on a class of its own, through class-validator as the application runs it; tables of what is right and what looks
 * right.
 */

class Input {
  @IsMoney()
  amount: unknown = 1;

  @IsWebAddress()
  address: unknown = 'https://shop.example.com/';

  @IsInstant()
  at: unknown = '2026-11-21T08:20:09.123Z';
}

/** The messages of what is wrong when one field has this value. */
const messages = (field: keyof Input, value: unknown): string[] =>
  validateSync(Object.assign(new Input(), { [field]: value })).flatMap((error) => {
    expect(error.property).toBe(field);
    return Object.entries(error.constraints ?? {}).map(([name, message]) => `${name}: ${message}`);
  });

describe('IsMoney', () => {
  it.each([0.01, 10, 10.5, 99_999_999.99])('takes %d', (value) => {
    expect(messages('amount', value)).toEqual([]);
  });

  it.each([0, -1, 10.555, 100_000_000, '10', null, undefined, Number.NaN])('refuses %j', (value) => {
    expect(messages('amount', value)).toEqual([
      'isMoney: must be a number more than 0 and at most 99999999.99, with at most two decimals',
    ]);
  });
});

describe('IsWebAddress', () => {
  it.each([
    'https://shop.example.com/thanks?order=1#top',
    'http://localhost:3000/cart',
    'HTTPS://Shop.Example.com',
    'https://xn--45be3e.example/বই',
  ])('takes %s', (value) => {
    expect(messages('address', value)).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com/',
    '//example.com/',
    '/thanks',
    'shop.example.com',
    'xhttps://example.com/',
    'https:/example.com/',
    'https://',
    'https://exa mple.com/',
    ' https://example.com/',
    'https://example.com/\n',
    'https://example.com/a\u0001b',
    'https://[::1/',
    '',
    null,
    undefined,
    7,
    ['https://example.com/'],
  ])('refuses %j', (value) => {
    expect(messages('address', value)).toEqual(['isWebAddress: must be an http or https address']);
  });
});

describe('parseInstant', () => {
  it.each([
    ['2026-11-21T08:20:09.123Z', '2026-11-21T08:20:09.123Z'],
    ['2026-11-21T08:20:09Z', '2026-11-21T08:20:09.000Z'],
    ['2026-11-21T08:20Z', '2026-11-21T08:20:00.000Z'],
    ['2026-11-21T08:20:09.123456789Z', '2026-11-21T08:20:09.123Z'],
    ['2026-11-21T14:20:09.1+06:00', '2026-11-21T08:20:09.100Z'],
    ['2026-11-21T14:20:09+0600', '2026-11-21T08:20:09.000Z'],
    ['2026-11-21T00:20:09-08:00', '2026-11-21T08:20:09.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
    ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z'],
    ['2199-12-31T23:59:59.999Z', '2199-12-31T23:59:59.999Z'],
    // The day that counts is the one that was written, not the one it is in UTC.
    ['2026-03-01T05:00:00+06:00', '2026-02-28T23:00:00.000Z'],
  ])('reads %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2026-11-21T08:20:09.123',
    '2026-11-21',
    '2026-11-21 08:20:09Z',
    '2026-11-21T08Z',
    '2026-11-21T08:20:09.Z',
    '2026-11-21T08:20:09.1234567890Z',
    '2026-11-21T08:20:09,5Z',
    '2026-11-21T08:20:09 Z',
    '2026-11-21T25:20:09Z',
    '2026-11-21T08:60:09Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-11-00T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-02-31T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-04-31T23:00:00-05:00',
    '0000-12-31T23:59:59.999Z',
    '10000-01-01T00:00:00Z',
    // In UTC this is still the year 0, and the year 10000 there.
    '0001-01-01T05:59:59+06:00',
    '9999-12-31T23:59:59-06:00',
    '+002026-11-21T08:20:09Z',
    'x2026-11-21T08:20:09Z',
    '2026-11-21T08:20:09Zx',
    '2026-11-21T08:20:09Z (about)',
    ['2026-11-21T08:20:09Z'],
    '1763713209',
    'now',
    '',
    1_763_713_209_123,
    new Date(),
    null,
    undefined,
  ])('refuses %j', (value) => {
    expect(parseInstant(value)).toBeNull();
  });

  it('reads back every instant of its years', () => {
    const between = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.date({ ...between, noInvalidDate: true }), (instant) => {
        expect(parseInstant(instant.toISOString())).toEqual(instant);
      }),
    );
  });

  it('refuses exactly the days that no calendar has', () => {
    const day = fc.tuple(
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    );
    fc.assert(
      fc.property(day, ([year, month, date]) => {
        const written = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
        const calendar = new Date(0);
        calendar.setUTCFullYear(year, month - 1, date);
        const exists = calendar.getUTCMonth() === month - 1;
        expect(parseInstant(`${written}T12:00:00Z`) !== null).toBe(exists);
      }),
    );
  });
});

describe('IsInstant', () => {
  it('takes what can be read, and says what is missing otherwise', () => {
    expect(messages('at', '2026-11-21T14:20:09+06:00')).toEqual([]);
    expect(messages('at', '2026-11-21T08:20:09')).toEqual([
      'isInstant: must be an ISO 8601 time with its zone, such as 2026-11-21T08:20:09.123Z',
    ]);
  });
});
