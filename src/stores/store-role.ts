/** The roles that an owner can give, each may more than the one before (contract 15.1). */
export const MEMBER_ROLES = ['viewer', 'reviewer', 'manager'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles of a user in a store, from least to most. */
export const STORE_ROLES = [...MEMBER_ROLES, 'owner', 'admin'] as const;
export type StoreRole = (typeof STORE_ROLES)[number];

/** True when a role may do what another one may. */
export function isAtLeast(role: StoreRole, wanted: StoreRole): boolean {
  return STORE_ROLES.indexOf(role) >= STORE_ROLES.indexOf(wanted);
}

/**
 * The role of a user in a store: who owns it is its owner before anything else; an admin is one in every store; a
 * member is what the owner made them. Null for strangers, to whom the store is not there.
 */
export function storeRoleOf(
  user: { readonly id: string; readonly role: string },
  store: { readonly ownerId: string },
  memberRole: MemberRole | null,
): StoreRole | null {
  if (store.ownerId === user.id) return 'owner';
  return user.role === 'admin' ? 'admin' : memberRole;
}
