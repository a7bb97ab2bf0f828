import { createHash } from 'node:crypto';
import type { Role } from './person.js';

/** What a company's token says about a person, as far as it counts here. */
export interface CompanyPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Null when the token gives no role here. */
  readonly role: Role | null;
}

const MAX_NAME_CHARACTERS = 200;
const MAX_EMAIL_CHARACTERS = 254;

/**
 * The person of claims that have been verified; null when a subject or an address is missing, or the provider says that the
 * address has not been verified.
 */
export function companyPersonOf(
  claims: Readonly<Record<string, unknown>>,
  issuer: string,
  rolesClaim: string,
): CompanyPerson | null {
  const { sub, email, email_verified: emailVerified, name } = claims;
  if (typeof sub !== 'string' || sub === '' || emailVerified === false) return null;
  if (typeof email !== 'string' || email.length > MAX_EMAIL_CHARACTERS) return null;
  const address = email.trim().toLowerCase();
  if (!/^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]+$/.test(address)) return null;
  const shown = typeof name === 'string' && name.trim() !== '' ? name.trim() : address;
  return {
    id: accountIdOf(issuer, sub),
    email: address,
    name: [...shown].slice(0, MAX_NAME_CHARACTERS).join(''),
    role: roleIn(valueAt(claims, rolesClaim)),
  };
}

/** The account of a subject: always the same UUID (version 8), so that neither a table nor an order of events decides it. */
export function accountIdOf(issuer: string, subject: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['joma account', issuer, subject]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function valueAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  // A name with dots in it (`https://joma/roles`) may also be meant as it is.
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const step of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function roleIn(value: unknown): Role | null {
  const roles: unknown[] =
    typeof value === 'string' ? value.split(/[ ,]+/) : Array.isArray(value) ? value : [];
  if (roles.includes('admin')) return 'admin';
  return roles.includes('merchant') ? 'merchant' : null;
}
