import { describe, expect, it } from 'vitest';
import { walletKey } from './store.js';

describe('walletKey', () => {
  it('is the number without blanks and the prefix of the country', () => {
    for (const number of [
      '01700000001',
      ' 0170 0000 001',
      '+8801700000001',
      '8801700000001',
      '+88 01700-000001',
    ])
      expect(walletKey({ number, qrPayload: null })).toBe('01700000001');
  });

  it('keeps what is no number of the country as it is', () => {
    expect(walletKey({ number: '881234', qrPayload: null })).toBe('881234');
    expect(walletKey({ number: '017000000012', qrPayload: 'x' })).toBe('017000000012');
  });

  it('is the QR code where there is no number, and nothing where there is neither', () => {
    expect(walletKey({ number: null, qrPayload: '0002' })).toBe('0002');
    expect(walletKey({ number: ' ', qrPayload: '0002' })).toBe('0002');
    expect(walletKey({ number: null, qrPayload: null })).toBeNull();
  });
});
