import { Secret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { newTotpSecret, stepOfCode, totpCode, totpUri } from './totp.js';

/*
 * Goal: codes are those of RFC 6238, good around their time alone. Method: the test vectors of the RFC, and moved
 * clocks.
 */

/** The secret of RFC 6238, appendix B. */
const SECRET = Secret.fromLatin1('12345678901234567890').base32;

describe('totp', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d is %s', (second, code) => {
    expect(totpCode(SECRET, new Date(second * 1_000))).toBe(code);
  });

  it('takes a code one step early or late, and no further', () => {
    const now = new Date(1_234_567_890_000);
    const code = totpCode(SECRET, now);
    const taken = [-90, -60, -30, 0, 30, 60, 90].map(
      (offset) => stepOfCode(SECRET, code, new Date(now.getTime() + offset * 1_000)) !== null,
    );
    expect(taken).toEqual([false, false, true, true, true, false, false]);
    expect(stepOfCode(SECRET, code, now)).toBe(Math.floor(1_234_567_890 / 30));
    for (const wrong of ['', '00592', '0059240', 'abcdef', '٠٠٥٩٢٤'])
      expect(stepOfCode(SECRET, wrong, now)).toBeNull();
  });

  it('makes secrets of 160 bits, and an address that apps read', () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(totpUri(SECRET, 'rahima+shop@example.com'));
    expect(decodeURIComponent(uri.pathname)).toBe('/Joma:rahima+shop@example.com');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: SECRET,
      issuer: 'Joma',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
