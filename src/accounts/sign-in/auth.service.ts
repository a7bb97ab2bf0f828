import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { newId } from '../../kernel/ids.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { newOpaqueToken, secretDigest } from '../../kernel/secret.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { ACCESS_TOKEN_SECONDS } from '../sessions/access-token.js';
import {
  credentialRequired,
  invalidCredentials,
  invalidRefreshToken,
  invalidSecondFactor,
  secondFactorRequired,
  sessionNotFound,
} from '../accounts.problems.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { refuseWeakPassword } from '../users/password-rules.js';
import { type Caller, type UserRecord } from '../users/user.js';
import { SecondFactor, type SecondFactorProof } from '../second-factor/second-factor.js';
import { type LiveSession, type SessionRecord, SessionsRepository } from '../sessions/sessions.repository.js';
import type { SessionKind } from '../sessions/sessions.table.js';
import { SignInAddressesRepository } from './sign-in-addresses.repository.js';
import { SignInFailures } from './sign-in-failures.js';
import { SignInLimits } from './sign-in-limits.js';
import { UsersRepository, type UserWithPassword } from '../users/users.repository.js';

/** A sign-in ends after this, however often it is refreshed. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** An address that somebody has signed in from is known for so long (contract 14.22). */
export const KNOWN_ADDRESS_MS = 30 * 24 * 60 * 60 * 1_000;

const MAX_ADDRESS_CHARACTERS = 64;
const MAX_USER_AGENT_CHARACTERS = 300;

/** The input of a sign-in, and its address. */
export interface SignIn extends SecondFactorProof {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent?: string | null | undefined;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime of the access token. */
  readonly expiresInSeconds: number;
}

type Refreshed =
  | { readonly outcome: 'refreshed'; readonly session: LiveSession; readonly refreshToken: string }
  | { readonly outcome: 'reused'; readonly endedSessionId: string }
  | { readonly outcome: 'refused' };

/** Signing in and out, and the password (contract 2.10). */
@Injectable()
export class AuthService {
  private readonly logger = new Logger(AuthService.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsRepository,
    private readonly passwords: PasswordHasher,
    private readonly limits: SignInLimits,
    private readonly accessTokens: AccessTokens,
    private readonly auditLog: AuditLog,
    private readonly addresses: SignInAddressesRepository,
    private readonly secondFactor: SecondFactor,
    private readonly failures: SignInFailures,
  ) {}

  /**
   * @throws DomainError `auth.invalid_credentials`, whatever is wrong and after the same time;
   * `auth.second_factor_required` and `auth.invalid_second_factor` when the password was right;
   * `auth.too_many_attempts`, whether or not there is such an account; `auth.busy`
   */
  async signIn(attempt: SignIn): Promise<Tokens> {
    const user = await this.authenticate(attempt);
    const refreshToken = newOpaqueToken();
    const sessionId = await this.openSession(user, attempt, { kind: 'api', token: refreshToken });
    const { id: userId, email, tokenVersion } = user;
    return this.tokens({ sessionId, userId, email, tokenVersion }, refreshToken);
  }

  /** The same for a browser (contract 10.11): resolves to the token for its cookie. */
  async signInWithBrowser(attempt: SignIn): Promise<string> {
    return this.openBrowser(await this.authenticate(attempt), attempt);
  }

  /** For whoever the company's identity provider has vouched for. @throws DomainError `auth.invalid_credentials` */
  async openBrowser(
    user: Pick<UserRecord, 'id' | 'email' | 'tokenVersion'>,
    from: Pick<SignIn, 'address' | 'userAgent'>,
  ): Promise<string> {
    const token = newOpaqueToken();
    await this.openSession(user, from, { kind: 'dashboard', token });
    return token;
  }

  /** The own open sessions, newest first. @throws DomainError `request.invalid` for a cursor that is none of ours */
  async listSessions(userId: string, query: PageQuery): Promise<Page<SessionRecord>> {
    const sessions = await this.sessions.list(
      userId,
      decodeCursor(query.cursor),
      query.limit,
      this.clock.now(),
    );
    const positionOf = ({ createdAt, id }: SessionRecord) => ({ at: createdAt, id });
    return pageOf(sessions, query.limit, positionOf, (session) => session);
  }

  /** Ends one of the own sessions, also the one it is asked by. @throws DomainError `session.not_found` */
  async endSession({ user, address }: Caller, sessionId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.sessions.endOwn(tx, user.id, sessionId, this.clock.now()))) throw sessionNotFound();
      await this.auditLog.record(tx, { user, address }, 'auth.session_ended', { details: { sessionId } });
    });
  }

  /**
   * Answers with new tokens and spends the given one. A token that comes a second time has been stolen, or its owner's
   * has: the session ends, for both (RFC 9700 §4.14.2). So also for the later one of two at the same instant.
   *
   * @throws DomainError `auth.invalid_refresh_token`
   */
  async refresh(refreshToken: string, address: string): Promise<Tokens> {
    const digest = secretDigest(refreshToken);
    // Outcomes, not errors: an error would roll back the end of the session.
    const refreshed = await this.database.transaction((tx) => this.rotate(tx, digest, address));
    switch (refreshed.outcome) {
      case 'refreshed':
        return this.tokens(refreshed.session, refreshed.refreshToken);
      case 'reused':
        this.logger.warn(`A spent refresh token came again; session ${refreshed.endedSessionId} ended.`);
        throw invalidRefreshToken();
      case 'refused':
        throw invalidRefreshToken();
    }
  }

  /** Ends the session of a refresh token. Never says whether there was one (RFC 7009 §2.2). */
  async signOut(refreshToken: string, address: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const ended = await this.sessions.endByRefreshToken(tx, secretDigest(refreshToken), this.clock.now());
      if (ended === null) return;
      await this.auditLog.record(
        tx,
        { user: { id: ended.userId, email: ended.email }, address },
        'auth.signed_out',
        { details: { sessionId: ended.sessionId } },
      );
    });
  }

  /**
   * Sets a new password. All other sessions end; of the caller's own the access token is invalid from now on, and its
   * refresh token fetches the next one. Wrong current passwords are counted for this session.
   *
   * @throws DomainError `request.invalid` for a password that anybody would guess, or that had to be changed,
   * `auth.invalid_credentials`, `auth.too_many_attempts`, `auth.busy`
   */
  async changePassword(
    { user: caller, address }: Caller,
    sessionId: string,
    currentPassword: string,
    newPassword: string,
  ): Promise<void> {
    await refuseWeakPassword(newPassword, caller, '/newPassword');
    const found = await this.limits.attemptInSession(`${sessionId} ${caller.id}`, async () =>
      this.ifPasswordFits(await this.users.findActiveWithPassword(caller.id), currentPassword),
    );
    if (found === null) throw invalidCredentials();
    const { user } = found;
    // A user whose password somebody else knows must choose another one (contract 14.11).
    if (user.mustChangePassword && newPassword === currentPassword) {
      throw invalidInput([
        { pointer: '/newPassword', detail: 'must be another password than the current one' },
      ]);
    }
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const replaced = await this.users.replacePasswordIfStill(
        tx,
        user.id,
        user.tokenVersion,
        passwordHash,
        now,
      );
      if (!replaced) throw credentialRequired();
      const endedSessions = await this.sessions.endAllOf(tx, user.id, now, sessionId);
      await this.auditLog.record(tx, { user, address }, 'auth.password_changed', {
        details: { userId: user.id, sessionId, endedSessions },
      });
    });
  }

  private async ifPasswordFits(
    account: UserWithPassword | null,
    password: string,
  ): Promise<UserWithPassword | null> {
    const fits = await this.passwords.verify(account?.passwordHash ?? null, password);
    return fits ? account : null;
  }

  /** Checks the password, and the second factor if there is one. A failure is counted and written to the audit log. */
  private async authenticate(attempt: SignIn): Promise<UserRecord> {
    const { email, password, address } = attempt;
    const known = this.limits.addressDigest(address);
    const since = new Date(this.clock.now().getTime() - KNOWN_ADDRESS_MS);
    const isKnown = await this.addresses.isKnown(email, known, since);
    // Set where the password was right and the rest was not.
    let refusal: Error | null = null;
    const found = await this.limits.attempt({ email, address, isKnown }, async () => {
      const account = await this.users.findActiveByEmail(email);
      const fits = await this.ifPasswordFits(account, password);
      if (fits === null) {
        if (account !== null) this.failures.note(account.user, address, 'password');
        return null;
      }
      if (!fits.user.hasSecondFactor) return fits;
      if (await this.secondFactor.spend(fits.user.id, attempt)) {
        await this.secondFactor.dismissRemoval({ user: fits.user, address });
        return fits;
      }
      const isMissing = attempt.code === undefined && attempt.recoveryCode === undefined;
      refusal = isMissing ? secondFactorRequired() : invalidSecondFactor();
      this.failures.note(fits.user, address, 'second_factor');
      return null;
    });
    if (found === null) throw refusal ?? invalidCredentials();
    return found.user;
  }

  /** @throws DomainError `auth.invalid_credentials` when the account has changed since it was read */
  private async openSession(
    user: Pick<UserRecord, 'id' | 'email' | 'tokenVersion'>,
    { address, userAgent }: Pick<SignIn, 'address' | 'userAgent'>,
    { kind, token }: { kind: SessionKind; token: string },
  ): Promise<string> {
    const now = this.clock.now();
    const sessionId = newId();
    const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_MS);
    const digest = secretDigest(token);
    await this.database.transaction(async (tx) => {
      // The password may have been changed, or the account deactivated, while it was being checked.
      if (!(await this.users.holdIfStill(tx, user.id, user.tokenVersion))) throw invalidCredentials();
      await this.sessions.insert(tx, {
        id: sessionId,
        userId: user.id,
        kind,
        tokenDigest: kind === 'dashboard' ? digest : null,
        address: address.slice(0, MAX_ADDRESS_CHARACTERS),
        userAgent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
        createdAt: now,
        expiresAt,
      });
      if (kind === 'api') await this.sessions.insertRefreshToken(tx, sessionId, digest, now);
      await this.addresses.remember(tx, user.id, this.limits.addressDigest(address), now);
      await this.auditLog.record(tx, { user, address }, 'auth.signed_in', {
        details: kind === 'api' ? { sessionId } : { sessionId, kind },
      });
    });
    return sessionId;
  }

  private async rotate(tx: Transaction, digest: Buffer, address: string): Promise<Refreshed> {
    const now = this.clock.now();
    if (!(await this.sessions.spendRefreshToken(tx, digest, now)))
      return this.endReused(tx, digest, now, address);
    const session = await this.sessions.findLiveByRefreshToken(tx, digest, now);
    if (session === null) return { outcome: 'refused' };
    const refreshToken = newOpaqueToken();
    await this.sessions.touch(tx, session.sessionId, now);
    await this.sessions.insertRefreshToken(tx, session.sessionId, secretDigest(refreshToken), now);
    return { outcome: 'refreshed', session, refreshToken };
  }

  private async endReused(tx: Transaction, digest: Buffer, now: Date, address: string): Promise<Refreshed> {
    const ended = await this.sessions.endByRefreshToken(tx, digest, now);
    if (ended === null) return { outcome: 'refused' };
    await this.auditLog.record(tx, { by: 'system', address }, 'auth.refresh_token_reused', {
      details: { userId: ended.userId, sessionId: ended.sessionId },
    });
    return { outcome: 'reused', endedSessionId: ended.sessionId };
  }

  private tokens(session: LiveSession, refreshToken: string): Tokens {
    return {
      accessToken: this.accessTokens.issue(session),
      refreshToken,
      expiresInSeconds: ACCESS_TOKEN_SECONDS,
    };
  }
}
