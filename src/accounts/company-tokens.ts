import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import { AuditLog } from '../audit/index.js';
import { Configuration, type OidcSettings } from '../config/index.js';
import { Database, lockKey, type Transaction } from '../database/index.js';
import { Clock } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { forbiddenForRole } from './accounts.errors.js';
import { type CompanyPerson, companyPersonOf } from './company-claims.js';
import { PasswordHasher } from './password-hasher.js';
import type { Person, Role, User } from './person.js';
import { UsersRepository } from './users.repository.js';

/** Asymmetric ones alone: with a symmetric one, whoever knows the public key could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_TOLERANCE_SECONDS = 30;
const PROVIDER_TIMEOUT_MS = 5_000;
/** Keys are fetched again after this time, and when a token names an unknown one, but not more often than that. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
const KEYS_COOLDOWN_MS = 5_000;

/**
 * Accepts tokens of the company's own identity provider beside the service's own (`OIDC_ISSUER`). Who comes the first time
 * gets an account without a usable password; its role is what each token says. Deactivating the account here shuts the
 * person out at once; the end of a token, and of a session at the provider, is the provider's business.
 */
@Injectable()
export class CompanyTokens {
  private readonly logger = new Logger(CompanyTokens.name);
  private readonly settings: OidcSettings | null;
  private keys: Promise<JWTVerifyGetKey> | null = null;
  private keysFailedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    configuration: Configuration,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly passwords: PasswordHasher,
    private readonly auditLog: AuditLog,
  ) {
    this.settings = configuration.oidc;
  }

  /** Whether a token names the company's provider; it may still be forged. */
  claimsToBeOne(token: string): boolean {
    if (this.settings === null) return false;
    try {
      return decodeJwt(token).iss === this.settings.issuer;
    } catch {
      return false;
    }
  }

  /**
   * Null for a token that does not hold, and for a deactivated account.
   *
   * @throws DomainError `auth.forbidden` without a role here; `service.unavailable` when the provider's keys cannot be fetched
   */
  async findPerson(token: string): Promise<Person | null> {
    const { settings } = this;
    const claims = settings === null ? null : await this.verified(token, settings);
    if (settings === null || claims === null) return null;
    const person = companyPersonOf(claims, settings.issuer, settings.rolesClaim);
    if (person === null) return null;
    const { role } = person;
    if (role === null) throw forbiddenForRole();
    const found = await this.users.find(this.database, person.id);
    if (found !== null && !found.active) return null;
    if (found !== null && isAsIn(found, person)) return personOf(found);
    return this.keep(person, role, settings);
  }

  private async verified(token: string, { issuer, audience }: OidcSettings): Promise<JWTPayload | null> {
    const keys = await this.currentKeys(issuer);
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.clock.now(),
      });
      return payload;
    } catch (error) {
      // The plain class stands for an answer of the provider that is no key set.
      const isAway = !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC';
      if (isAway || error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
        throw this.away(error);
      return null;
    }
  }

  private async currentKeys(issuer: string): Promise<JWTVerifyGetKey> {
    // Anybody can send a token that names the provider; they must not make us ask it without end.
    if (Date.now() - this.keysFailedAtMs < KEYS_COOLDOWN_MS)
      throw this.away(new Error('it did not answer just now'));
    this.keys ??= discoverKeys(issuer);
    try {
      return await this.keys;
    } catch (error) {
      this.keys = null;
      this.keysFailedAtMs = Date.now();
      throw this.away(error);
    }
  }

  private away(cause: unknown): DomainError {
    return new DomainError('unavailable', 'service.unavailable', 'The identity provider cannot be reached.', {
      retryAfterSeconds: KEYS_COOLDOWN_MS / 1_000,
      cause,
    });
  }

  /**
   * Writes down who somebody is: the first time, and when the provider says something else than before. One request of a
   * person at a time comes here.
   */
  private async keep(person: CompanyPerson, role: Role, { issuer }: OidcSettings): Promise<Person | null> {
    // Nobody knows this password; it keeps the account from being one without any.
    const passwordHash = await this.passwords.hash(randomBytes(32).toString('base64'));
    const work = async (tx: Transaction): Promise<Person | null> => {
      const before = await this.users.find(tx, person.id, { lock: true });
      if (before !== null && (!before.active || isAsIn(before, person)))
        return before.active ? personOf(before) : null;
      const user = this.userOf(person, role, before);
      if (before === null) await this.users.insert(tx, user, passwordHash);
      else await this.users.update(tx, user);
      await this.audit(tx, user, before, issuer);
      return personOf(user);
    };
    try {
      return await this.database.transaction(work, { locks: [lockKey('company-account', person.id)] });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'user.email_taken') throw error;
      // Whose address it is stays who they are: a provider must not hand out other people's accounts.
      this.logger.warn('Refused a token of the identity provider: another account has its e-mail address.');
      return null;
    }
  }

  private userOf({ id, email, name }: CompanyPerson, role: Role, before: User | null): User {
    const now = this.clock.now();
    if (before !== null) return { ...before, name, role, updatedAt: now };
    return { id, email, name, role, active: true, tokenVersion: 1, createdAt: now, updatedAt: now };
  }

  private async audit(tx: Transaction, user: User, before: User | null, issuer: string): Promise<void> {
    const { id: userId, email, name, role } = user;
    await this.auditLog.append(tx, {
      storeId: null,
      actor: { type: 'system', id: null },
      action: before === null ? 'user.created' : 'user.updated',
      address: null,
      details: {
        userId,
        issuer,
        ...(before === null ? {} : { before: { name: before.name, role: before.role } }),
        after: before === null ? { email, name, role, active: true } : { name, role },
      },
    });
  }
}

/** OpenID Connect Discovery 1.0 §4: the provider says where its keys are, and must say its own name with it. */
async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The identity provider answered ${answer.status}.`);
  const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
  const { jwks_uri: address } = document;
  if (document.issuer !== issuer || typeof address !== 'string' || !URL.canParse(address)) {
    throw new Error('The identity provider describes another one than OIDC_ISSUER.');
  }
  const url = new URL(address);
  if (issuer.startsWith('https://') && url.protocol !== 'https:') {
    throw new Error('The identity provider keeps its keys at an address without https.');
  }
  return createRemoteJWKSet(url, {
    timeoutDuration: PROVIDER_TIMEOUT_MS,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
  });
}

/** The e-mail address stays as it was the first time: it names the account here. */
function isAsIn(user: User, { name, role }: CompanyPerson): boolean {
  return user.name === name && user.role === role;
}

function personOf({ id, email, name, role }: User): Person {
  return { id, email, name, role };
}
