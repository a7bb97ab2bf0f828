import { describe, expect, it } from 'vitest';
import { isId } from '../kernel/ids.js';
import { accountIdOf, companyPersonOf } from './company-claims.js';

const ISSUER = 'https://idp.example.com';
const CLAIMS = { sub: 'u1', email: 'Rahima@Example.com', name: 'Rahima', roles: ['merchant'] };
const personOf = (claims: Record<string, unknown>, rolesClaim = 'roles') =>
  companyPersonOf({ ...CLAIMS, ...claims }, ISSUER, rolesClaim);

describe('a person of the company', () => {
  it('is the same account whenever they come, and another one from another provider', () => {
    expect(personOf({})).toEqual({
      id: accountIdOf(ISSUER, 'u1'),
      email: 'rahima@example.com',
      name: 'Rahima',
      role: 'merchant',
    });
    expect(isId(accountIdOf(ISSUER, 'u1'))).toBe(true);
    expect(new Set([accountIdOf(ISSUER, 'u1'), accountIdOf(ISSUER, 'u2'), accountIdOf('x', 'u1')]).size).toBe(
      3,
    );
  });

  it.each([
    [{ sub: undefined }],
    [{ sub: '' }],
    [{ email: undefined }],
    [{ email: 'nobody' }],
    [{ email: `${'a'.repeat(250)}@example.com` }],
    [{ email: 'ＡＤＭＩＮ@example.com' }],
    [{ email_verified: false }],
  ])('is nobody with %o', (claims) => {
    expect(personOf(claims)).toBeNull();
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
    expect(personOf(claims, rolesClaim)?.role).toBe(role);
  });
});
