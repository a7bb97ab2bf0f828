import { describe, expect, it } from 'vitest';
import { ssoUserOf, isAccessToken } from './sso-claims.js';

const NOW = new Date('2026-11-21T08:20:09.123Z');
const CLAIMS = {
  sub: 'u1',
  email: 'Rahima@Example.com',
  name: 'Rahima',
  roles: ['merchant'],
  email_verified: true,
};
const userOf = (claims: Record<string, unknown>, rolesClaim = 'roles', requireEmailVerified = true) =>
  ssoUserOf({ ...CLAIMS, ...claims }, { rolesClaim, requireEmailVerified }, NOW);

describe('a user of the identity provider', () => {
  it('is their subject, address, name and role, as of the token', () => {
    expect(userOf({ iat: 1_700_000_000 })).toEqual({
      subject: 'u1',
      email: 'rahima@example.com',
      name: 'Rahima',
      role: 'merchant',
      issuedAt: new Date(1_700_000_000_000),
    });
  });

  it.each([[undefined], [Number.MAX_VALUE], [NOW.getTime()], ['yesterday']])(
    'with a token issued at %s is as of now: no token may speak for the future',
    (iat) => {
      expect(userOf({ iat })?.issuedAt).toEqual(NOW);
    },
  );

  it.each([
    ['  Rahima Khatun ', 'Rahima Khatun'],
    ['a\0b\ud800', 'ab\ufffd'],
    ['\0', 'rahima@example.com'],
    [17, 'rahima@example.com'],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('called %j is shown as %j', (name, shown) => {
    expect(userOf({ name })?.name).toBe(shown);
  });

  it('of before all time is still somebody', () => {
    expect(userOf({ iat: -Number.MAX_VALUE })?.issuedAt).toEqual(new Date(0));
  });

  it.each([
    [{ sub: undefined }],
    [{ sub: '' }],
    [{ sub: 'a\0b' }],
    [{ sub: 'a\ud800' }],
    [{ sub: 'x'.repeat(256) }],
    [{ sub: 1 }],
    [{ email: undefined }],
    [{ email: 'nobody' }],
    [{ email: `${'a'.repeat(250)}@example.com` }],
    [{ email: 'ＡＤＭＩＮ@example.com' }],
    [{ email_verified: false }],
    [{ email_verified: 'false' }],
    [{ email_verified: undefined }],
    [{ email_verified: null }],
    [{ email_verified: 1 }],
  ])('is nobody with %o', (claims) => {
    expect(userOf(claims)).toBeNull();
  });

  it('whose address nobody vouches for is somebody only where that is allowed, and never where it is denied', () => {
    expect(userOf({ email_verified: undefined }, 'roles', false)).not.toBeNull();
    expect(userOf({ email_verified: false }, 'roles', false)).toBeNull();
    expect(userOf({ email_verified: 'true' })).not.toBeNull();
  });

  it.each([
    [{ roles: ['merchant', 'admin'] }, 'roles', 'admin'],
    [{ roles: 'openid merchant' }, 'roles', 'merchant'],
    [{ realm_access: { roles: ['admin'] } }, 'realm_access.roles', 'admin'],
    [{ 'https://joma.example/roles': ['admin'] }, 'https://joma.example/roles', 'admin'],
    [{ roles: ['administrator', 'Admin'] }, 'roles', null],
    [{ roles: { admin: true } }, 'roles', null],
    [{ roles: undefined }, 'roles', null],
    [{}, '__proto__.roles', null],
  ])('with %o under %s has the role %s', (claims, rolesClaim, role) => {
    expect(userOf(claims, rolesClaim)?.role).toBe(role);
  });
});

describe('isAccessToken', () => {
  it.each<[string | undefined, Record<string, unknown>]>([
    ['at+jwt', {}],
    ['application/at+jwt', { nonce: 'n' }],
    ['JWT', { scope: 'openid' }],
    [undefined, {}],
    ['JWT', { typ: 'Bearer' }],
    ['JWT', { token_use: 'access' }],
  ])('takes %s %o', (type, claims) => expect(isAccessToken(type, claims)).toBe(true));

  it.each<[string | undefined, Record<string, unknown>]>([
    ['logout+jwt', {}],
    ['id+jwt', {}],
    ['JWT', { nonce: 'n' }],
    ['JWT', { at_hash: 'x' }],
    [undefined, { c_hash: 'x' }],
    ['JWT', { typ: 'ID' }],
    ['JWT', { typ: 'Logout' }],
    ['JWT', { token_use: 'id' }],
    ['at+jwt', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }],
  ])('refuses %s %o', (type, claims) => expect(isAccessToken(type, claims)).toBe(false));
});
