import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AuditLog, THE_SERVICE } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { newId } from '../../kernel/ids.js';
import { forbidden, lastAdminDemoted } from '../accounts.problems.js';
import { type SsoUser, ssoUserOf } from './sso-claims.js';
import type { IdentityProviderSettings } from './sso.settings.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { type User, userOf, type Role, type UserRecord } from '../users/user.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { ADMINS_LOCK, type SsoSubject, UsersRepository } from '../users/users.repository.js';

/** The claims of a valid token about a user who has a role here. */
type Told = SsoUser & SsoSubject & { readonly role: Role };

/**
 * The accounts of users whom the identity provider signs in. Who comes the first time gets an account without a usable
 * password; its role is what the newest token says. Deactivating the account here shuts the user out at once; the end
 * of a token, and of a session at the provider, is the provider's business.
 */
@Injectable()
export class SsoUsers {
  private readonly logger = new Logger(SsoUsers.name);
  /** For each last admin whose company makes them one no more: when the token was issued that was refused last. */
  private readonly refusedAt = new Map<string, Date>();

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsRepository,
    private readonly passwords: PasswordHasher,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The user of a token's claims, which have been verified; null where they name nobody, and for a deactivated account.
   *
   * @throws DomainError `auth.forbidden` without a role here; `auth.last_admin` when the token would leave no active
   * admin
   */
  async findUser(
    claims: Readonly<Record<string, unknown>>,
    provider: IdentityProviderSettings,
  ): Promise<User | null> {
    const user = ssoUserOf(claims, provider, this.clock.now());
    if (user === null) return null;
    const { role } = user;
    if (role === null) throw forbidden();
    return this.userFor({ ...user, role, issuer: provider.issuer });
  }

  private async userFor(told: Told): Promise<User | null> {
    const known = await this.users.findSsoAccount(this.database, told);
    if (known === null) return (await this.register(told)) ? this.userFor(told) : null;
    const { user } = known;
    if (!user.active) return null;
    return isAsIn(user, told) ? userOf(user) : this.renew(told, user.id);
  }

  /**
   * Makes the account of somebody who comes for the first time. False when another account has their e-mail address.
   */
  private async register(told: Told): Promise<boolean> {
    // Nobody knows this password; it keeps the account from being one without any.
    const passwordHash = await this.passwords.hash(randomBytes(32).toString('base64'));
    const { email, name, role, issuer, issuedAt } = told;
    const now = this.clock.now();
    const dates = { createdAt: now, updatedAt: now };
    const fresh = { active: true, tokenVersion: 1, mustChangePassword: false, hasSecondFactor: false };
    const user: UserRecord = { id: newId(), email, name, role, ...fresh, ...dates };
    const work = async (tx: Transaction): Promise<void> => {
      // Another request of theirs may have been faster.
      if ((await this.users.findSsoAccount(tx, told)) !== null) return;
      await this.users.insert(tx, user, passwordHash);
      await this.users.insertSsoAccount(tx, told, user.id, issuedAt);
      await this.audit(tx, 'user.created', user.id, { issuer, after: { email, name, role, active: true } });
    };
    try {
      await this.database.transaction(work, { locks: [ADMINS_LOCK] });
      return true;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'user.email_taken') throw error;
      // An e-mail address that belongs to another user is refused: a provider must not hand out other users'
      // accounts.
      this.logger.warn('Refused a token of the identity provider: another account has its e-mail address.');
      return false;
    }
  }

  /**
   * Writes down another name or role. A token that is older than what is written down changes nothing: it must not
   * bring back a role that a newer one has taken away, and does not hold when it names another one.
   *
   * @throws DomainError `auth.last_admin`
   */
  private async renew(told: Told, id: string): Promise<User | null> {
    const { issuer, issuedAt, name, role } = told;
    // Asked once more without the lock: whoever comes again and again with such a token must not hold up everybody
    // else.
    if (this.hasBeenRefused(id, issuedAt) && !(await this.users.hasOtherActiveAdmin(this.database, id)))
      throw lastAdminDemoted();
    const work = async (tx: Transaction): Promise<User | null | 'last admin'> => {
      const known = await this.users.findSsoAccount(tx, told);
      const before = await this.users.find(tx, id, { lock: true });
      if (known === null || before?.active !== true) return null;
      if (isAsIn(before, told)) return userOf(before);
      if (issuedAt < known.toldAt) return before.role === role ? userOf(before) : null;
      if (before.role === 'admin' && role !== 'admin' && !(await this.users.hasOtherActiveAdmin(tx, id))) {
        await this.writeRefusal(tx, told, id);
        return 'last admin';
      }
      const user: UserRecord = { ...before, name, role, updatedAt: this.clock.now() };
      await this.users.update(tx, user);
      await this.users.setToldAt(tx, id, issuedAt);
      if (before.role !== role) await this.sessions.endBrowsersOf(tx, id, user.updatedAt);
      const was = { name: before.name, role: before.role };
      await this.audit(tx, 'user.updated', id, { issuer, before: was, after: { name, role } });
      return userOf(user);
    };
    const outcome = await this.database.transaction(work, { locks: [ADMINS_LOCK] });
    if (outcome === 'last admin') throw lastAdminDemoted();
    return outcome;
  }

  private hasBeenRefused(id: string, issuedAt: Date): boolean {
    const refusedAt = this.refusedAt.get(id);
    return refusedAt !== undefined && issuedAt <= refusedAt;
  }

  /** Once for each token on each replica, because the audit log cannot shrink. */
  private async writeRefusal(tx: Transaction, { issuer, issuedAt, role }: Told, id: string): Promise<void> {
    if (this.hasBeenRefused(id, issuedAt)) return;
    const details = { issuer, reason: 'last_admin', before: { role: 'admin' }, refused: { role } };
    await this.audit(tx, 'user.role_change_refused', id, details);
    tx.afterCommit(() => {
      this.refusedAt.set(id, issuedAt);
      this.logger.warn(`Refused a token of the identity provider: user ${id} is the last active admin here.`);
    });
  }

  private async audit(
    tx: Transaction,
    action: string,
    userId: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    await this.auditLog.record(tx, THE_SERVICE, action, { details: { userId, ...details } });
  }
}

/** The e-mail address stays as it was the first time: it names the account here. */
function isAsIn(user: UserRecord, { name, role }: SsoUser): boolean {
  return user.name === name && user.role === role;
}
