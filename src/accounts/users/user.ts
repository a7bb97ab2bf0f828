/** `admin` may do everything; `merchant` sees their own stores, and of everything else that it is not there. */
export const ROLES = ['admin', 'merchant'] as const;
export type Role = (typeof ROLES)[number];

/** An action that a user must take before anything else (contract 14.11 and 14.18). */
export type Restriction = 'password_change' | 'second_factor_setup';

/** The restriction of a user who signs in here; a user who signs in with SSO has none. */
export function restrictionOf(
  user: { readonly role: Role; readonly mustChangePassword: boolean; readonly hasSecondFactor: boolean },
  { adminSecondFactorRequired }: { readonly adminSecondFactorRequired: boolean },
): Restriction | null {
  if (user.mustChangePassword) return 'password_change';
  const lacksSecondFactor = user.role === 'admin' && !user.hasSecondFactor;
  return adminSecondFactorRequired && lacksSecondFactor ? 'second_factor_setup' : null;
}

/**
 * Somebody who is signed in, as the guards hand them on (`@CurrentUser()`). A class only so that it may stand in
 * decorated signatures; any object with these fields is one.
 */
export class User {
  readonly id!: string;
  readonly email!: string;
  readonly name!: string;
  readonly role!: Role;
}

/** The user alone of what is known of somebody. */
export function userOf({ id, email, name, role }: User): User {
  return { id, email, name, role };
}

/** An account. `tokenVersion` stands in every access token; raising it makes all that were issued before invalid. */
export interface UserRecord extends User {
  readonly active: boolean;
  readonly tokenVersion: number;
  /** Until they have, nothing else may be done. */
  readonly mustChangePassword: boolean;
  /** Whether signing in asks for a code. */
  readonly hasSecondFactor: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The user of a request, and its network address; both are written to the audit log. */
export interface Caller {
  readonly user: User;
  readonly address: string;
}

/** One spelling for each e-mail address: without blanks around it, in lower case (contract 2.18). */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
