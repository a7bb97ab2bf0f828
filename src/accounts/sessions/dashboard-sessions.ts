import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../platform/audit/index.js';
import { Database } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { secretDigest } from '../../kernel/secret.js';
import { AccountsSettings } from '../accounts.settings.js';
import { AuthService, type SignIn } from '../sign-in/auth.service.js';
import { type Restriction, restrictionOf, type User, userOf } from '../users/user.js';
import { SessionsRepository } from './sessions.repository.js';

/** A browser that nobody has used for this long is signed out (contract 10.14). */
export const DASHBOARD_IDLE_MS = 12 * 60 * 60 * 1_000;

/** How exactly the last use is written down; a write with every click would be one too many. */
const LAST_USE_RESOLUTION_MS = 60_000;

/** Somebody who is signed in with a browser. */
export interface BrowserSession {
  readonly sessionId: string;
  readonly user: User;
  /** The restriction that the user must lift before anything else; null for none. */
  readonly restriction: Restriction | null;
  /** Whether signing in here asks for a code. */
  readonly hasSecondFactor: boolean;
  /** Whether the company's provider signs them in: they have no password and no second factor here. */
  readonly isBySso: boolean;
}

/**
 * Signing in with a browser (contract 10.11): a session like any other, whose token is a cookie instead of a pair of
 * tokens. A sign-out, a new password, a new role and a deactivation end it at once on every replica, because it is
 * looked up with every request.
 */
@Injectable()
export class DashboardSessions {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly auth: AuthService,
    private readonly database: Database,
    private readonly sessions: SessionsRepository,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** Answers the token of a new session. @throws DomainError as `AuthService.signIn` */
  async open(signIn: SignIn): Promise<string> {
    return this.auth.signInWithBrowser(signIn);
  }

  /** Finds the session of a cookie; null if there is none, or it is over. Counts as a use. */
  async find(token: string): Promise<BrowserSession | null> {
    const now = this.clock.now();
    const found = await this.findAt(token, now);
    if (found === null) return null;
    if (now.getTime() - found.lastUsedAt.getTime() >= LAST_USE_RESOLUTION_MS)
      await this.sessions.touch(this.database, found.sessionId, now);
    const { sessionId, isBySso, user } = found;
    const restriction = isBySso ? null : restrictionOf(user, this.settings);
    const { hasSecondFactor } = user;
    return { sessionId, user: userOf(user), restriction, hasSecondFactor, isBySso };
  }

  /**
   * The users of many cookies, by cookie; cookies without an open session are left out. This is no use of a session: an
   * open page alone must not keep a session from becoming idle.
   */
  async findUsers(tokens: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const now = this.clock.now();
    const digests = tokens.map((token) => secretDigest(token));
    const found = await this.sessions.listBrowserUsers(
      digests,
      now,
      new Date(now.getTime() - DASHBOARD_IDLE_MS),
    );
    return new Map(
      tokens.flatMap((token, index): [string, User][] => {
        const user = found.get(digests[index]!.toString('hex'));
        return user === undefined ? [] : [[token, userOf(user)]];
      }),
    );
  }

  private findAt(token: string, now: Date): ReturnType<SessionsRepository['findBrowserSession']> {
    const idleSince = new Date(now.getTime() - DASHBOARD_IDLE_MS);
    return this.sessions.findBrowserSession(secretDigest(token), now, idleSince);
  }

  async end({ sessionId, user }: Pick<BrowserSession, 'sessionId' | 'user'>, address: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.sessions.end(tx, sessionId, this.clock.now()))) return;
      await this.auditLog.record(tx, { user, address }, 'auth.signed_out', { details: { sessionId } });
    });
  }
}
