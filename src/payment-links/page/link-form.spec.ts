import { describe, expect, it } from 'vitest';
import { readAmount, readLinkForm } from './link-form.js';

const FREE = {
  amountMinor: null,
  minAmountMinor: 1_000,
  maxAmountMinor: 50_000,
  askName: true,
  askPhone: true,
};
const FORM = { form: 'abcdefghijklmnop', amount: '250', name: 'রহিম', phone: '01700000002' };
let made = 0;
const newKey = () => `made-${(made += 1)}`;
const read = (fields: unknown, link: Parameters<typeof readLinkForm>[1] = FREE) =>
  readLinkForm(fields, link, newKey);

describe('the amount that a payer types', () => {
  it('is read in either script, with or without grouping and currency', () => {
    for (const typed of [
      '1250.50',
      '1,250.5',
      '1, 250.50',
      '১,২৫০.৫০',
      '৳ 1250.50',
      'BDT 1250.50',
      'Tk. 1250.50',
    ])
      expect([typed, readAmount(typed)]).toEqual([typed, 125_050]);
  });

  it('is refused when it is none, or finer than money', () => {
    expect(readAmount('')).toBe('amount.missing');
    for (const typed of [
      'abc',
      '-5',
      '0',
      '1.005',
      '1e3',
      '10,5',
      '10,50',
      '1,2500',
      ',500',
      '১০,৫',
      '99999999999',
      '५००',
    ])
      expect([typed, readAmount(typed)]).toEqual([typed, 'amount.unreadable']);
  });
});

describe('the form of a link', () => {
  it('is read with what the link asks for', () => {
    expect(read(FORM)).toMatchObject({
      readable: true,
      order: { amountMinor: 25_000, customerName: 'রহিম', customerPhone: '01700000002' },
    });
    const unasked = { ...FREE, amountMinor: 7_700, askName: false, askPhone: false };
    expect(read({ amount: '1', name: 'Somebody', phone: '1' }, unasked)).toMatchObject({
      order: { amountMinor: 7_700, customerName: null, customerPhone: null },
    });
    expect(read({ ...FORM, phone: '০১৭০০-০০০০০২' })).toMatchObject({
      order: { customerPhone: '01700-000002' },
    });
  });

  it('names each place that is wrong, and gives back what was typed', () => {
    expect(read({ amount: '5', name: ' ', phone: 'none' })).toEqual({
      readable: false,
      typed: { amount: '5', name: '', phone: 'none' },
      problems: { amount: 'amount.range', name: 'name.missing', phone: 'phone.unreadable' },
    });
    expect(read({ ...FORM, name: 'ক'.repeat(201) })).toMatchObject({ problems: { name: 'name.long' } });
    for (const odd of [null, undefined, 'text', [], { amount: ['5'] }])
      expect(read(odd)).toMatchObject({ readable: false, problems: { amount: 'amount.missing' } });
  });

  it('keeps one line of storable text', () => {
    expect(read({ ...FORM, name: 'A\u0000B\r\nC' })).toMatchObject({ order: { customerName: 'A B C' } });
  });

  it('has the same key exactly when the same page was sent with the same content', () => {
    const key = (fields: object) => {
      const result = read(fields);
      return result.readable ? result.order.formKey : null;
    };
    expect(key(FORM)).toBe(key({ ...FORM }));
    expect(key({ ...FORM, amount: '২৫০.০০' })).toBe(key(FORM));
    expect(key({ ...FORM, amount: '251' })).not.toBe(key(FORM));
    expect(key({ ...FORM, form: 'ponmlkjihgfedcba' })).not.toBe(key(FORM));
    expect(key({ ...FORM, form: '' })).not.toBe(key({ ...FORM, form: '' }));
  });
});
