import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, type Queryable, type RecordOf, type Transaction } from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import type { AccessTokenClaims } from './access-token.js';
import type { User } from '../users/user.js';
import { USERS } from '../users/users.table.js';
import { type SessionKind, SESSIONS } from './sessions.table.js';

/** A session that may be used, with the account as it is now. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly tokenVersion: number;
}

/** The user of a session. */
export interface SessionOwner {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
}

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly kind: SessionKind;
  /** Digest of the dashboard's cookie; null for sessions with tokens. */
  readonly tokenDigest: Buffer | null;
  readonly address: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const OWN_SESSION = SESSIONS.pick(
  ...(['id', 'kind', 'address', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt'] as const),
);
/** A session as its owner sees it. */
export type SessionRecord = RecordOf<typeof OWN_SESSION>;

const INSERT = SESSIONS.insert('sessions-insert');

/** The user behind a session, with what may keep them from everything else. */
export interface UserOfSession extends User {
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
}

/** Unused for so long, a session is over (contract 10.14 and 14.25). */
const API_IDLE = "interval '7 days'";
const DASHBOARD_IDLE = "interval '12 hours'";

const USER = USERS.pick('id', 'email', 'name', 'role', 'mustChangePassword');
const USER_COLUMNS = `${USER.list('u')}, u.second_factor_confirmed_at IS NOT NULL AS has_second_factor`;

interface OwnerRow {
  readonly session_id: string;
  readonly user_id: string;
  readonly email: string;
}

/** Runs on every request of a user: one row by two primary keys. */
const FIND_USER = {
  name: 'accounts-find-user-of-token',
  text: `SELECT ${USER_COLUMNS}
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE s.id = $1 AND s.user_id = $2 AND s.ended_at IS NULL AND s.expires_at > $4
      AND u.token_version = $3 AND u.active`,
};

/** Runs on every request of a browser: one row by a unique key, and its account. */
const FIND_BROWSER_SESSION = {
  name: 'accounts-find-browser-session',
  text: `SELECT ${USER_COLUMNS}, s.id AS session_id, s.last_used_at,
           EXISTS (SELECT 1 FROM sso_accounts c WHERE c.user_id = u.id) AS by_sso
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE s.token_digest = $1 AND s.ended_at IS NULL AND s.expires_at > $2 AND s.last_used_at > $3 AND u.active`,
};

/** The users of many browsers, for pages that stay open. */
const LIST_BROWSER_USERS = {
  name: 'accounts-list-browser-users',
  text: `SELECT encode(s.token_digest, 'hex') AS digest, ${USER_COLUMNS}
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE s.token_digest = ANY ($1::bytea[]) AND s.ended_at IS NULL AND s.expires_at > $2 AND s.last_used_at > $3 AND u.active`,
};

/** The only place that knows the tables `sessions` and `refresh_tokens`. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds the user of an access token whose session is open and whose account is active and still has the token's
   * version.
   */
  async findUser(claims: AccessTokenClaims, now: Date): Promise<UserOfSession | null> {
    const values = [claims.sessionId, claims.userId, claims.tokenVersion, now];
    const [row] = await this.database.query(FIND_USER, values);
    return row === undefined ? null : userOf(row);
  }

  /** Finds the session of a browser's cookie, unless it is over or was idle for too long. */
  async findBrowserSession(
    tokenDigest: Buffer,
    now: Date,
    idleSince: Date,
  ): Promise<{
    sessionId: string;
    user: UserOfSession;
    lastUsedAt: Date;
    isBySso: boolean;
  } | null> {
    const [row] = await this.database.query<{ session_id: string; last_used_at: Date; by_sso: boolean }>(
      FIND_BROWSER_SESSION,
      [tokenDigest, now, idleSince],
    );
    if (row === undefined) return null;
    const { session_id: sessionId, last_used_at: lastUsedAt, by_sso: isBySso } = row;
    return { sessionId, user: userOf(row), lastUsedAt, isBySso };
  }

  /** The users of browsers whose session is open and not idle, by the digest of the cookie in hex. */
  async listBrowserUsers(
    tokenDigests: readonly Buffer[],
    now: Date,
    idleSince: Date,
  ): Promise<ReadonlyMap<string, UserOfSession>> {
    const rows = await this.database.query<{ digest: string }>(LIST_BROWSER_USERS, [
      tokenDigests,
      now,
      idleSince,
    ]);
    return new Map(rows.map((row) => [row.digest, userOf(row)]));
  }

  /** The open sessions of a user, newest first. Answers one row more than `limit`. */
  async list(
    userId: string,
    position: PagePosition | null,
    limit: number,
    now: Date,
  ): Promise<SessionRecord[]> {
    const rows = await this.database.query(
      `SELECT ${OWN_SESSION.list()} FROM sessions
       WHERE user_id = $1 AND ended_at IS NULL AND expires_at > $2
         AND last_used_at > $2::timestamptz - CASE kind WHEN 'api' THEN ${API_IDLE} ELSE ${DASHBOARD_IDLE} END
         AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
       ORDER BY created_at DESC, id DESC
       LIMIT $5`,
      [userId, now, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map((row) => OWN_SESSION.read(row));
  }

  /** False when it was over already. */
  async end(tx: Transaction, sessionId: string, now: Date): Promise<boolean> {
    const count = await tx.execute('UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL', [
      sessionId,
      now,
    ]);
    return count === 1;
  }

  /** Ends one session of a user; false when there is none, or it was over. */
  async endOwn(tx: Transaction, userId: string, sessionId: string, now: Date): Promise<boolean> {
    const count = await tx.execute(
      'UPDATE sessions SET ended_at = $3 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL AND expires_at > $3',
      [sessionId, userId, now],
    );
    return count === 1;
  }

  /**
   * Ends the browsers' sessions of an account: a new role ends them (contract 10.14), while tokens just change with
   * it.
   */
  async endBrowsersOf(tx: Transaction, userId: string, now: Date): Promise<void> {
    await tx.execute(
      `UPDATE sessions SET ended_at = $2 WHERE user_id = $1 AND kind = 'dashboard' AND ended_at IS NULL`,
      [userId, now],
    );
  }

  async insert(tx: Transaction, session: NewSession): Promise<void> {
    await tx.execute(INSERT, SESSIONS.valuesOf({ ...session, lastUsedAt: session.createdAt }));
  }

  /** Notes that a session was used. */
  async touch(on: Queryable, sessionId: string, now: Date): Promise<void> {
    await on.query('UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2', [
      sessionId,
      now,
    ]);
  }

  async insertRefreshToken(tx: Transaction, sessionId: string, digest: Buffer, now: Date): Promise<void> {
    await tx.execute('INSERT INTO refresh_tokens (digest, session_id, created_at) VALUES ($1, $2, $3)', [
      digest,
      sessionId,
      now,
    ]);
  }

  /**
   * Spends a refresh token; false when it is unknown or has been spent. Of two at the same instant the second waits
   * here for the first, and then finds it spent.
   */
  async spendRefreshToken(tx: Transaction, digest: Buffer, now: Date): Promise<boolean> {
    const count = await tx.execute(
      'UPDATE refresh_tokens SET spent_at = $2 WHERE digest = $1 AND spent_at IS NULL',
      [digest, now],
    );
    return count === 1;
  }

  /** The session of a refresh token, spent or not, when it is alive and its account active. */
  async findLiveByRefreshToken(tx: Transaction, digest: Buffer, now: Date): Promise<LiveSession | null> {
    const [row] = await tx.query<OwnerRow & { token_version: number }>(
      `SELECT s.id AS session_id, s.user_id, u.email, u.token_version
       FROM refresh_tokens t
       JOIN sessions s ON s.id = t.session_id
       JOIN users u ON u.id = s.user_id
       WHERE t.digest = $1 AND s.ended_at IS NULL AND s.expires_at > $2 AND u.active
         AND s.last_used_at > $2::timestamptz - ${API_IDLE}`,
      [digest, now],
    );
    return row === undefined ? null : { ...ownerOf(row), tokenVersion: row.token_version };
  }

  /** Ends the session of a refresh token, spent or not; null when there is none or it was over. */
  async endByRefreshToken(tx: Transaction, digest: Buffer, now: Date): Promise<SessionOwner | null> {
    const [row] = await tx.query<OwnerRow>(
      `UPDATE sessions s SET ended_at = $2
       FROM refresh_tokens t, users u
       WHERE t.digest = $1 AND s.id = t.session_id AND u.id = s.user_id
         AND s.ended_at IS NULL AND s.expires_at > $2
       RETURNING s.id AS session_id, s.user_id, u.email`,
      [digest, now],
    );
    return row === undefined ? null : ownerOf(row);
  }

  /** Ends all sessions of an account, but perhaps one; resolves to how many. */
  async endAllOf(
    tx: Transaction,
    userId: string,
    now: Date,
    exceptSessionId: string | null,
  ): Promise<number> {
    return tx.execute(
      `UPDATE sessions SET ended_at = $2
       WHERE user_id = $1 AND ended_at IS NULL AND expires_at > $2 AND id IS DISTINCT FROM $3::uuid`,
      [userId, now, exceptSessionId],
    );
  }

  /** Deletes some refresh tokens of sessions that expired; resolves to how many. */
  async deleteExpiredRefreshTokens(now: Date, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM refresh_tokens WHERE digest IN (
         SELECT t.digest FROM sessions s JOIN refresh_tokens t ON t.session_id = s.id
         WHERE s.expires_at <= $1
         LIMIT $2 FOR UPDATE OF t SKIP LOCKED)`,
      [now, limit],
    );
  }

  /** Deletes some sessions that expired and whose refresh tokens are gone; resolves to how many. */
  async deleteExpiredSessions(now: Date, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM sessions WHERE id IN (
         SELECT s.id FROM sessions s
         WHERE s.expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.session_id = s.id)
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [now, limit],
    );
  }
}

function userOf(row: QueryResultRow): UserOfSession {
  return { ...USER.read(row), hasSecondFactor: row['has_second_factor'] as boolean };
}

function ownerOf(row: OwnerRow): SessionOwner {
  return { sessionId: row.session_id, userId: row.user_id, email: row.email };
}
