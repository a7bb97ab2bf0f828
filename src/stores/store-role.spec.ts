import { describe, expect, it } from 'vitest';
import { isAtLeast, STORE_ROLES, storeRoleOf } from './store-role.js';

describe('the roles of a store', () => {
  it('each may what those before it may', () => {
    for (const [at, role] of STORE_ROLES.entries())
      expect(STORE_ROLES.filter((wanted) => isAtLeast(role, wanted))).toEqual(STORE_ROLES.slice(0, at + 1));
  });

  it('are owner first, then admin, then what the owner made somebody; strangers have none', () => {
    const store = { ownerId: 'o' };
    expect(storeRoleOf({ id: 'o', role: 'admin' }, store, null)).toBe('owner');
    expect(storeRoleOf({ id: 'o', role: 'merchant' }, store, 'viewer')).toBe('owner');
    expect(storeRoleOf({ id: 'a', role: 'admin' }, store, 'viewer')).toBe('admin');
    expect(storeRoleOf({ id: 'm', role: 'merchant' }, store, 'reviewer')).toBe('reviewer');
    expect(storeRoleOf({ id: 's', role: 'merchant' }, store, null)).toBeNull();
  });
});
