import { describe, expect, it } from 'vitest';
import { checksumOf, readPaymentQr } from './emv-qr.js';

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, '0')}${value}`;
const withChecksum = (text: string) => `${text}6304${checksumOf(`${text}6304`)}`;
const SHOP = withChecksum(
  `000201${field('26', field('00', 'bd.banglaqr'))}${field('52', '5411')}${field('53', '050')}${field('58', 'BD')}${field('59', 'Dhaka Books')}${field('60', 'Dhaka')}`,
);

describe('readPaymentQr', () => {
  it('has the checksum of the standard', () => {
    expect(checksumOf('123456789')).toBe('29B1');
  });

  it('reads who is paid', () => {
    expect(readPaymentQr(SHOP)).toEqual({
      outcome: 'payment',
      qr: {
        merchantName: 'Dhaka Books',
        merchantCity: 'Dhaka',
        country: 'BD',
        currency: '050',
        amount: null,
      },
    });
    expect(readPaymentQr(`${SHOP.slice(0, -4)}${SHOP.slice(-4).toLowerCase()}`).outcome).toBe('payment');
  });

  it.each(['', 'https://example.com', 'BEGIN:VCARD', '01712345678', `x${SHOP}`])('%j is none', (text) => {
    expect(readPaymentQr(text)).toEqual({ outcome: 'other' });
  });

  it.each([
    ['a changed letter', SHOP.replace('Books', 'Boots')],
    ['a cut end', SHOP.slice(0, -8)],
    ['a cut field', SHOP.slice(0, 40)],
    ['something behind it', `${SHOP}0000`],
    ['another checksum', `${SHOP.slice(0, -4)}0000`],
    ['a length that is none', '0002010x'],
  ])('%s is said to be damaged', (_name, text) => {
    expect(readPaymentQr(text)).toEqual({ outcome: 'wrong_checksum' });
  });
});
