import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../audit/index.js';
import { Database, type Transaction } from '../database/index.js';
import { Clock } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { newOpaqueToken, secretDigest } from '../kernel/secret.js';
import { AccessTokens } from './access-tokens.js';
import { ACCESS_TOKEN_SECONDS } from './access-token.js';
import { credentialRequired, invalidCredentials, invalidRefreshToken } from './accounts.errors.js';
import { PasswordHasher } from './password-hasher.js';
import { actorOf, type Caller, type User } from './person.js';
import { type LiveSession, SessionsRepository } from './sessions.repository.js';
import { SignInLimits } from './sign-in-limits.js';
import { UsersRepository, type UserWithPassword } from './users.repository.js';

/** A sign-in ends after this, however often it is refreshed. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

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

/** Signing in and out, and the password (decisions §2). */
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
  ) {}

  /**
   * @throws DomainError `auth.invalid_credentials`, whatever is wrong and after the same time; `auth.too_many_attempts`,
   * whether or not there is such an account; `auth.busy`
   */
  async signIn(email: string, password: string, address: string): Promise<Tokens> {
    const { session, refreshToken } = await this.signInWith({ email, password, address }, (tx, user) =>
      this.openSession(tx, user, address),
    );
    return this.tokens(session, refreshToken);
  }

  /** The same for a browser (decisions §10): resolves to the token for its cookie. */
  async signInWithBrowser(signIn: {
    readonly email: string;
    readonly password: string;
    readonly address: string;
    readonly userAgent: string | null;
  }): Promise<string> {
    return this.signInWith(signIn, async (tx, user) => {
      const token = newOpaqueToken();
      const browser = { tokenDigest: secretDigest(token), userAgent: signIn.userAgent };
      await this.insertSession(tx, user, signIn.address, browser);
      return token;
    });
  }

  private async signInWith<Opened>(
    { email, password, address }: { email: string; password: string; address: string },
    open: (tx: Transaction, user: User) => Promise<Opened>,
  ): Promise<Opened> {
    const found = await this.limits.attempt({ email, address }, async () =>
      this.ifPasswordFits(await this.users.findActiveByEmail(email), password),
    );
    if (found === null) throw this.refused('sign-in', address);
    const { user } = found;
    const opened = await this.database.transaction(async (tx) => {
      // The password may have been changed, or the account deactivated, while it was being checked.
      if (!(await this.users.holdIfStill(tx, user.id, user.tokenVersion))) return null;
      return { opened: await open(tx, user) };
    });
    if (opened === null) throw this.refused('sign-in', address);
    return opened.opened;
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
        this.logger.warn(
          `A spent refresh token came again from ${address}; session ${refreshed.endedSessionId} ended.`,
        );
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
      await this.auditLog.append(tx, {
        storeId: null,
        actor: actorOf({ id: ended.userId, email: ended.email }),
        action: 'auth.signed_out',
        address,
        details: { sessionId: ended.sessionId },
      });
    });
  }

  /**
   * Sets a new password. All other sessions end; of the caller's own the access token is invalid from now on, and its
   * refresh token fetches the next one. Wrong current passwords count as sign-in attempts do.
   *
   * @throws DomainError `auth.invalid_credentials`, `auth.too_many_attempts`, `auth.busy`
   */
  async changePassword(
    { person, address }: Caller,
    sessionId: string,
    currentPassword: string,
    newPassword: string,
  ): Promise<void> {
    const found = await this.limits.attempt({ email: person.email, address }, async () =>
      this.ifPasswordFits(await this.users.findActiveWithPassword(person.id), currentPassword),
    );
    if (found === null) throw this.refused('password change', address);
    const { user } = found;
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
      await this.auditLog.append(tx, {
        storeId: null,
        actor: actorOf(user),
        action: 'auth.password_changed',
        address,
        details: { userId: user.id, sessionId, endedSessions },
      });
    });
  }

  private async ifPasswordFits(
    candidate: UserWithPassword | null,
    password: string,
  ): Promise<UserWithPassword | null> {
    const fits = await this.passwords.verify(candidate?.passwordHash ?? null, password);
    return fits ? candidate : null;
  }

  private async openSession(
    tx: Transaction,
    user: User,
    address: string,
  ): Promise<{ session: LiveSession; refreshToken: string }> {
    const sessionId = await this.insertSession(tx, user, address, null);
    const refreshToken = newOpaqueToken();
    await this.sessions.insertRefreshToken(tx, sessionId, secretDigest(refreshToken), this.clock.now());
    const { id: userId, email, tokenVersion } = user;
    return { session: { sessionId, userId, email, tokenVersion }, refreshToken };
  }

  private async insertSession(
    tx: Transaction,
    user: User,
    address: string,
    browser: { readonly tokenDigest: Buffer; readonly userAgent: string | null } | null,
  ): Promise<string> {
    const now = this.clock.now();
    const sessionId = newId();
    const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_MS);
    await this.sessions.insert(tx, {
      id: sessionId,
      userId: user.id,
      createdAt: now,
      expiresAt,
      address,
      browser,
    });
    await this.auditLog.append(tx, {
      storeId: null,
      actor: actorOf(user),
      action: 'auth.signed_in',
      address,
      details: { sessionId },
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
    await this.sessions.insertRefreshToken(tx, session.sessionId, secretDigest(refreshToken), now);
    return { outcome: 'refreshed', session, refreshToken };
  }

  private async endReused(tx: Transaction, digest: Buffer, now: Date, address: string): Promise<Refreshed> {
    const ended = await this.sessions.endByRefreshToken(tx, digest, now);
    if (ended === null) return { outcome: 'refused' };
    await this.auditLog.append(tx, {
      storeId: null,
      actor: { type: 'system', id: null },
      action: 'auth.refresh_token_reused',
      address,
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

  private refused(what: string, address: string): Error {
    this.logger.warn(`Refused a ${what} from ${address}: wrong e-mail address or password.`);
    return invalidCredentials();
  }
}
