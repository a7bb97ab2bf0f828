import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  constantTimeEquals,
  equalDigests,
  hmacSha256Hex,
  newOpaqueToken,
  newSecret,
  newSigningSecret,
  secretDigest,
} from './secret.js';

/*
 * Rules: contract 2.34, 7.10.
 *
 * Goal: secrets have the forms that contract 2.34 and 7.10 promise and 256 bits of chance, and are compared and
 * signed with so that others come to the same result. Method: forms and lengths, published test vectors, and node's
 * own functions.
 */

describe('new secrets', () => {
  const BASE64URL_OF_32_BYTES = '[A-Za-z0-9_-]{43}';

  it.each([
    ['an API key', () => newSecret('joma_sk_'), new RegExp(`^joma_sk_${BASE64URL_OF_32_BYTES}$`)],
    [
      'an inbound webhook secret',
      () => newSecret('joma_wh_'),
      new RegExp(`^joma_wh_${BASE64URL_OF_32_BYTES}$`),
    ],
    ['a signing secret', newSigningSecret, /^whsec_[A-Za-z0-9+/]{43}=$/],
    ['an opaque token', newOpaqueToken, new RegExp(`^${BASE64URL_OF_32_BYTES}$`)],
  ])('%s has its form, and is never the same twice', (_what, make, form) => {
    const made = Array.from({ length: 500 }, make);
    for (const secret of made) expect(secret).toMatch(form);
    expect(new Set(made).size).toBe(500);
  });

  it('hold 32 bytes of chance', () => {
    expect(Buffer.from(newSecret('joma_sk_').slice('joma_sk_'.length), 'base64url')).toHaveLength(32);
    expect(Buffer.from(newSigningSecret().slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(Buffer.from(newOpaqueToken(), 'base64url')).toHaveLength(32);
  });
});

describe('secretDigest', () => {
  it('is SHA-256 of the UTF-8 bytes', () => {
    // FIPS 180-2, appendix B.1.
    expect(secretDigest('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(secretDigest('জমা')).toEqual(createHash('sha256').update(Buffer.from('জমা', 'utf8')).digest());
  });
});

it('equalDigests tells the digest of one secret from those of others', () => {
  expect(equalDigests(secretDigest('abc'), secretDigest('abc'))).toBe(true);
  expect(equalDigests(secretDigest('abc'), secretDigest('abd'))).toBe(false);
});

describe('constantTimeEquals', () => {
  it('is equality of bytes, for text and buffers alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        expect(constantTimeEquals(left, left)).toBe(true);
        expect(constantTimeEquals(left, Buffer.from(left))).toBe(true);
        expect(constantTimeEquals(Buffer.from(left), right)).toBe(left === right);
        expect(constantTimeEquals(left, right)).toBe(left === right);
      }),
    );
  });

  it.each([
    ['', 'a'],
    ['secret', 'secret '],
    ['secret', 'Secret'],
    ['secret', 'secre'],
    ['\u00e9', 'e\u0301'],
  ])('tells %j from %j, which it may not throw at', (left, right) => {
    expect(constantTimeEquals(left, right)).toBe(false);
  });
});

describe('hmacSha256Hex', () => {
  it('is HMAC-SHA256 in lower-case hex', () => {
    // RFC 4231, test case 2.
    expect(hmacSha256Hex('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('signs bytes and their text alike, with the secret as people see it', () => {
    const body = '{"note":"বই"}';
    const secret = newSigningSecret();
    expect(hmacSha256Hex(Buffer.from(body, 'utf8'), secret)).toBe(hmacSha256Hex(body, secret));
    expect(hmacSha256Hex(body, secret)).not.toBe(hmacSha256Hex(body, secret.slice('whsec_'.length)));
  });

  it('keys with the UTF-8 bytes of a secret that is not ASCII', () => {
    // Computed with OpenSSL 3: printf x | openssl dgst -sha256 -mac HMAC -macopt hexkey:e0a69c
    expect(hmacSha256Hex('x', 'জ')).toBe('8f943bb485dbf9efb520ed38933c3f4ee06231f7f24a4dfb0cda759bd3b4c0df');
  });
});
