import { describe, expect, it } from 'vitest';
import { newId } from '../../kernel/ids.js';
import { accessTokenPayload, bearerToken, readClaims } from './access-token.js';

const now = new Date('2026-11-21T08:20:09.123Z');
const claims = { userId: newId(), sessionId: newId(), tokenVersion: 3 };
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

describe('readClaims', () => {
  it('gives back what was written, for 15 minutes', () => {
    const payload = accessTokenPayload(claims, now);
    expect(readClaims(payload, now)).toEqual(claims);
    expect(readClaims(payload, after(15 * 60 - 1))).toEqual(claims);
    expect(readClaims(payload, after(15 * 60))).toBeNull();
  });

  it.each([
    ['no exp', { exp: undefined }],
    ['an exp of text', { exp: '99999999999' }],
    ['an exp that is no number', { exp: Number.NaN }],
    ['an exp of null', { exp: null }],
    ['no sub', { sub: undefined }],
    ['a sub that is no id', { sub: "' OR true --" }],
    ['a sub of many', { sub: [claims.userId] }],
    ['no sid', { sid: undefined }],
    ['a sid that is no id', { sid: 'abc' }],
    ['no ver', { ver: undefined }],
    ['a ver of text', { ver: '3' }],
    ['a broken ver', { ver: 2.5 }],
    ['a ver beyond an integer column', { ver: 2 ** 31 }],
    ['a negative ver', { ver: -1 }],
  ])('refuses %s', (_what, changes) => {
    expect(readClaims({ ...accessTokenPayload(claims, now), ...changes }, now)).toBeNull();
  });

  it.each([[null], [undefined], ['text'], [42]])('refuses a payload that is %s', (payload) => {
    expect(readClaims(payload, now)).toBeNull();
  });
});

describe('bearerToken', () => {
  it.each([
    ['Bearer a.b.c', 'a.b.c'],
    ['bearer  aA0_-.b.c', 'aA0_-.b.c'],
    ['Bearer a.b', null],
    ['Bearer a.b.', null],
    ['Bearer a.b.c d', null],
    ['Bearer a.b.c.d.e', null],
    ['Basic a.b.c', null],
    ['a.b.c', null],
    ['Bearer ', null],
    ['', null],
    [undefined, null],
    [`Bearer ${'a'.repeat(8_192)}.b.c`, null],
    ['a'.repeat(16_000), null],
  ])('reads %s as %s', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
