import type { IdentityProviderSettings } from './sso.settings.js';
import type { Role } from '../users/user.js';

/** The claims about a user that count here. */
export interface SsoUser {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  /** Null when the token gives no role here. */
  readonly role: Role | null;
  /** When the token was issued; never later than now. */
  readonly issuedAt: Date;
}

/** As many as OpenID Connect Core §2 allows. */
const MAX_SUBJECT_CHARACTERS = 255;

const MAX_NAME_CHARACTERS = 200;
const MAX_EMAIL_CHARACTERS = 254;

/**
 * Whether a token that was verified is meant for calling a service, and not one that tells a client who signed in (an
 * ID token), or that they signed out: those reach browsers and logs, and were never meant to open anything (contract
 * 14.28). RFC 9068 names access tokens by their type; where a provider does not follow it, the marks of the others
 * are looked for.
 */
export function isAccessToken(type: string | undefined, claims: Readonly<Record<string, unknown>>): boolean {
  const named = type?.toLowerCase().replace(/^application\//, '');
  if (claims['events'] !== undefined) return false;
  if (named === 'at+jwt') return true;
  if (named !== undefined && named !== 'jwt') return false;
  const kinds = [claims['typ'], claims['token_use']].map((kind) => String(kind).toLowerCase());
  if (kinds.includes('id') || kinds.includes('logout')) return false;
  return !['nonce', 'at_hash', 'c_hash', 's_hash'].some((mark) => claims[mark] !== undefined);
}

/**
 * Whether an ID token that `openid-client` has verified signs its user in with this client. The library checks
 * `azp` only where there are several audiences, and does not tell an access token or a logout token from an ID token.
 */
export function isIdTokenFor(
  clientId: string,
  type: string | undefined,
  claims: Readonly<Record<string, unknown>>,
): boolean {
  const { azp: party, events } = claims;
  if (type?.toLowerCase().endsWith('at+jwt') === true || events !== undefined) return false;
  return party === undefined || party === clientId;
}

/**
 * The user of claims that have been verified; null when a subject or an address is missing, or the provider does not
 * say that the address has been verified (or, with `requireEmailVerified` false, says that it has not).
 */
export function ssoUserOf(
  claims: Readonly<Record<string, unknown>>,
  { rolesClaim, requireEmailVerified }: Pick<IdentityProviderSettings, 'rolesClaim' | 'requireEmailVerified'>,
  now: Date,
): SsoUser | null {
  const { sub: subject, email, email_verified: emailVerified, name, iat } = claims;
  if (typeof subject !== 'string' || !isSubject(subject)) return null;
  const mayBeMissing = emailVerified === undefined && !requireEmailVerified;
  // Some providers write it as text.
  if (emailVerified !== true && emailVerified !== 'true' && !mayBeMissing) return null;
  if (typeof email !== 'string' || email.length > MAX_EMAIL_CHARACTERS) return null;
  const address = email.trim().toLowerCase();
  if (!/^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]+$/.test(address)) return null;
  const shown = (typeof name === 'string' && storable(name).trim()) || address;
  const issuedAtMs = typeof iat === 'number' ? Math.max(0, iat * 1_000) : Number.POSITIVE_INFINITY;
  return {
    subject,
    email: address,
    name: [...shown].slice(0, MAX_NAME_CHARACTERS).join(''),
    role: roleIn(valueAt(claims, rolesClaim)),
    issuedAt: new Date(Math.min(issuedAtMs, now.getTime())),
  };
}

/** Two subjects must never be one in the database, which knows neither NUL nor half characters. */
function isSubject(text: string): boolean {
  return text !== '' && text.length <= MAX_SUBJECT_CHARACTERS && storable(text) === text;
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
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
