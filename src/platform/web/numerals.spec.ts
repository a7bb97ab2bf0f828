import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCountdown, formatInstant, formatTime } from './local-time.js';
import { formatAmount, latinDigits, localDigits, plainAmount, typedNumber } from './numerals.js';

describe('amounts', () => {
  it.each([
    [50_000, '৳500.00', '৳৫০০.০০', '500'],
    [50_050, '৳500.50', '৳৫০০.৫০', '500.50'],
    [5, '৳0.05', '৳০.০৫', '0.05'],
    [12_000_000, '৳1,20,000.00', '৳১,২০,০০০.০০', '120000'],
    [9_999_999_999, '৳9,99,99,999.99', '৳৯,৯৯,৯৯,৯৯৯.৯৯', '99999999.99'],
  ])('%d poisha', (amountMinor, english, bangla, plain) => {
    expect(formatAmount(amountMinor, 'BDT', 'en')).toBe(english);
    expect(formatAmount(amountMinor, 'BDT', 'bn')).toBe(bangla);
    expect(plainAmount(amountMinor)).toBe(plain);
  });

  it('writes other currencies by their code and in groups of three', () => {
    expect(formatAmount(123_456_789, 'USD', 'en')).toBe('USD 1,234,567.89');
    expect(formatAmount(123_456_789, 'USD', 'bn')).toBe('USD ১,২৩৪,৫৬৭.৮৯');
  });

  it('shows exactly the amount: taking the grouping away gives the minor units back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_999_999_999 }),
        fc.constantFrom('bn', 'en'),
        (minor, language) => {
          const shown = latinDigits(formatAmount(minor, 'BDT', language)).replace(/[৳,.]/g, '');
          expect(Number(shown)).toBe(minor);
        },
      ),
    );
  });
});

describe('an amount that a user types', () => {
  it.each([
    ['1,20,000.50', '120000.50'],
    ['120,000', '120000'],
    ['১,২০,০০০', '120000'],
    ['৳ 1 250', '1250'],
    ['Tk. 99,99,99,999', '999999999'],
    ['10,5', '10,5'],
    ['1,25,00', '1,25,00'],
    ['1,250,00', '1,250,00'],
  ])('%s', (typed, plain) => {
    expect(typedNumber(typed)).toBe(plain);
  });

  it('is what has been shown, whatever the language', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_999_999_999 }),
        fc.constantFrom('bn', 'en'),
        (minor, language) => {
          expect(Number(typedNumber(formatAmount(minor, 'BDT', language)))).toBe(minor / 100);
        },
      ),
    );
  });
});

describe('digits', () => {
  it('turn into Bangla and back', () => {
    expect(localDigits('0123456789', 'bn')).toBe('০১২৩৪৫৬৭৮৯');
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Z -]*$/), (text) => {
        expect(latinDigits(localDigits(text, 'bn'))).toBe(text);
        expect(localDigits(text, 'en')).toBe(text);
      }),
    );
  });
});

describe('times', () => {
  const evening = new Date('2026-11-21T14:05:09.123Z');

  const DHAKA = 'Asia/Dhaka';

  it('are the zone’s, with the day where it is another one', () => {
    expect(formatInstant(evening, 'en', DHAKA)).toBe('21 Nov 2026, 8:05 pm');
    expect(formatInstant(evening, 'bn', DHAKA)).toBe('২১ নভেম্বর ২০২৬, রাত ৮:০৫');
    expect(formatInstant(evening, 'en', DHAKA, new Date('2026-11-21T02:00:00Z'))).toBe('8:05 pm');
    expect(formatInstant(new Date('2026-11-21T18:30:00Z'), 'en', DHAKA, evening)).toBe(
      '22 Nov 2026, 12:30 am',
    );
    expect(formatInstant(evening, 'en', 'America/New_York')).toBe('21 Nov 2026, 9:05 am');
  });

  it('name the part of the day in Bangla', () => {
    const parts = [0, 4, 6, 12, 15, 18, 20].map((hour) => {
      const instant = new Date(Date.UTC(2026, 0, 2, hour) - 6 * 3_600_000);
      return formatTime(instant, 'bn', DHAKA);
    });
    expect(parts).toEqual([
      'রাত ১২:০০',
      'ভোর ৪:০০',
      'সকাল ৬:০০',
      'দুপুর ১২:০০',
      'বিকেল ৩:০০',
      'সন্ধ্যা ৬:০০',
      'রাত ৮:০০',
    ]);
  });

  it('count down without ever going below zero', () => {
    expect(formatCountdown(545_000, 'en', 'd')).toBe('09:05');
    expect(formatCountdown(7_745_000, 'bn', 'দিন')).toBe('২:০৯:০৫');
    expect(formatCountdown(3 * 86_400_000 + 7_745_000, 'bn', 'দিন')).toBe('৩ দিন ০২:০৯:০৫');
    expect(formatCountdown(-5, 'en', 'd')).toBe('00:00');
  });
});
