import { Injectable } from '@nestjs/common';
import { Secret } from 'otpauth';
import { AuditLog } from '../../platform/audit/index.js';
import { SecretBox } from '../../platform/config/index.js';
import { Database } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { secretDigest } from '../../kernel/secret.js';
import {
  forbidden,
  invalidCredentials,
  invalidSecondFactor,
  secondFactorExists,
  secondFactorNotStarted,
  userNotFound,
} from '../accounts.problems.js';
import { NO_SESSION } from '../sessions/access-token.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { type Caller } from '../users/user.js';
import { UsersRepository } from '../users/users.repository.js';
import { SecondFactorRepository } from './second-factor.repository.js';
import { secondFactorOwner } from './second-factor-secrets.js';
import { SignInLimits } from '../sign-in/sign-in-limits.js';
import { newTotpSecret, stepOfCode, totpUri } from './totp.js';

const RECOVERY_CODES = 10;
/** 80 bits, 16 letters. */
const RECOVERY_CODE_BYTES = 10;

/** The second proof of a sign-in: a code of the authenticator app, or a recovery code. */
export interface SecondFactorProof {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
}

/**
 * The second factor of users's sign-in here (contract 14.13): TOTP, by their own choice or because admins must have
 * one.
 */
@Injectable()
export class SecondFactor {
  constructor(
    private readonly repository: SecondFactorRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly limits: SignInLimits,
    private readonly auditLog: AuditLog,
    private readonly users: UsersRepository,
    private readonly passwords: PasswordHasher,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Makes a secret for an authenticator app; a later one takes the place of one that has not been confirmed.
   *
   * @throws DomainError `auth.invalid_credentials` for a wrong password, counted per session (contract 14.14);
   * `auth.too_many_attempts`, `auth.busy`; `auth.second_factor_exists`; `auth.forbidden` for a user of SSO
   */
  async start(
    { user }: Caller,
    sessionId: string,
    currentPassword: string,
  ): Promise<{ secret: string; uri: string }> {
    if (sessionId === NO_SESSION) throw forbidden();
    const isRight = await this.limits.attemptInSession(`${sessionId} ${user.id}`, async () => {
      const found = await this.users.findActiveWithPassword(user.id);
      return (await this.passwords.verify(found?.passwordHash ?? null, currentPassword)) ? true : null;
    });
    if (isRight === null) throw invalidCredentials();
    const secret = newTotpSecret();
    const sealed = this.box.seal(secret, secondFactorOwner(user.id));
    if (!(await this.repository.start(user.id, sealed))) throw secondFactorExists();
    return { secret, uri: totpUri(secret, user.email) };
  }

  /**
   * The second factor that was started and not confirmed, to be shown again after a wrong code; null if there is
   * none.
   */
  async findStarted({ user }: Caller): Promise<{ secret: string; uri: string } | null> {
    const stored = await this.repository.find(this.database, user.id);
    if (stored === null || stored.confirmedAt !== null) return null;
    const secret = this.box.open(stored.sealedSecret, secondFactorOwner(user.id));
    return { secret, uri: totpUri(secret, user.email) };
  }

  /**
   * Puts the second factor in force, and ends the user's other sessions. Returns the recovery codes, which are shown
   * only once.
   *
   * @throws DomainError `auth.second_factor_not_started`, `auth.second_factor_exists`, `auth.invalid_second_factor`,
   * `auth.too_many_attempts`
   */
  async confirm({ user, address }: Caller, sessionId: string, code: string): Promise<string[]> {
    const stored = await this.repository.find(this.database, user.id);
    if (stored === null) throw secondFactorNotStarted();
    if (stored.confirmedAt !== null) throw secondFactorExists();
    const { sealedSecret } = stored;
    const secret = this.box.open(sealedSecret, secondFactorOwner(user.id));
    const now = this.clock.now();
    const step = await this.limits.attemptInSession(sessionId, () =>
      Promise.resolve(stepOfCode(secret, code, now)),
    );
    if (step === null) throw invalidSecondFactor();
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await this.database.transaction(async (tx) => {
      if (!(await this.repository.confirm(tx, user.id, { sealedSecret, step, now })))
        throw secondFactorExists();
      await this.repository.replaceRecoveryCodes(tx, user.id, codes.map(digestOf));
      const endedSessions = await this.sessions.endAllOf(tx, user.id, now, sessionId);
      await this.auditLog.record(tx, { user, address }, 'auth.second_factor_added', {
        details: { userId: user.id, endedSessions },
      });
    });
    return codes;
  }

  /** @throws DomainError `auth.second_factor_not_started`, `auth.invalid_second_factor`, `auth.too_many_attempts` */
  async remove(caller: Caller, sessionId: string, proof: SecondFactorProof): Promise<void> {
    const { user } = caller;
    if ((await this.repository.find(this.database, user.id))?.confirmedAt == null)
      throw secondFactorNotStarted();
    const isRight = await this.limits.attemptInSession(sessionId, async () =>
      (await this.spend(user.id, proof)) ? true : null,
    );
    if (isRight === null) throw invalidSecondFactor();
    await this.removeAudited(caller, user.id, null);
  }

  /**
   * Removes the second factor of a user who has lost the app and the recovery codes. Nothing happens if the user has
   * none.
   *
   * @throws DomainError `user.not_found`
   */
  async removeOf(admin: Caller, userId: string): Promise<void> {
    if ((await this.users.find(this.database, userId)) === null) throw userNotFound();
    await this.removeAudited(admin, userId, this.clock.now());
  }

  private async removeAudited(by: Caller, userId: string, removedAt: Date | null): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.repository.remove(tx, userId, removedAt))) return;
      await this.auditLog.record(tx, by, 'auth.second_factor_removed', { details: { userId } });
    });
  }

  /** When an admin removed the user's second factor, until the user has taken notice (contract 14.20). */
  findRemoval({ user }: Caller): Promise<Date | null> {
    return this.repository.findRemoval(user.id);
  }

  dismissRemoval({ user }: Caller): Promise<void> {
    return this.repository.dismissRemoval(user.id);
  }

  /**
   * Whether a proof is right; it is used up by that (RFC 6238 §5.2). Whose second factor is not in force has no
   * proof.
   */
  async spend(userId: string, { code, recoveryCode }: SecondFactorProof): Promise<boolean> {
    const now = this.clock.now();
    if (code === undefined) {
      return recoveryCode === undefined
        ? false
        : this.repository.spendRecoveryCode(userId, digestOf(recoveryCode), now);
    }
    const stored = await this.repository.find(this.database, userId);
    if (stored?.confirmedAt == null) return false;
    const secret = this.box.open(stored.sealedSecret, secondFactorOwner(userId));
    const step = stepOfCode(secret, code.replaceAll(' ', ''), now);
    return step !== null && this.repository.spendStep(userId, step);
  }
}

/** Groups of four, which users can copy by hand. */
function newRecoveryCode(): string {
  const letters = new Secret({ size: RECOVERY_CODE_BYTES }).base32.toLowerCase();
  return (letters.match(/.{4}/g) ?? []).join('-');
}

/** 80 random bits need no slow hash. Blanks, hyphens and capitals are how somebody wrote it down. */
function digestOf(code: string): Buffer {
  return secretDigest(code.replace(/[\s-]/g, '').toLowerCase());
}
