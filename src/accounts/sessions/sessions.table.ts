import { bytes, instant, table, text, uuid } from '../../platform/database/index.js';

export const SESSION_KINDS = ['api', 'dashboard'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** Table `sessions`: one for each sign-in. */
export const SESSIONS = table(
  'sessions',
  {
    id: uuid('id').key(),
    userId: uuid('user_id'),
    kind: text<SessionKind>('kind').withDefault('api'),
    /** SHA-256 of the dashboard's cookie; null for a session of tokens. */
    tokenDigest: bytes('token_digest').orNull(),
    address: text('address').orNull(),
    userAgent: text('user_agent').orNull(),
    lastUsedAt: instant('last_used_at'),
    createdAt: instant('created_at'),
    /** Fixed at the sign-in; refreshing does not move it. */
    expiresAt: instant('expires_at'),
    /** Set by a sign-out, a new password, a deactivation, or a refresh token that came twice. */
    endedAt: instant('ended_at').orNull().later(),
  },
  {
    foreignKeys: { sessions_user_fkey: { on: ['userId'], to: 'users', columns: ['id'] } },
    unique: { sessions_token_key: ['tokenDigest'] },
    indexes: { sessions_user: { on: ['userId'] }, sessions_expiry: { on: ['expiresAt'] } },
    checks: { sessions_kind: `kind IN ('api', 'dashboard')` },
  },
);

/** Table `refresh_tokens`: digests of all tokens of a session, the spent ones too, so that a second use is noticed. */
export const REFRESH_TOKENS = table(
  'refresh_tokens',
  {
    /** SHA-256 of the token; the token itself is nowhere. */
    digest: bytes('digest').key(),
    sessionId: uuid('session_id'),
    createdAt: instant('created_at'),
    spentAt: instant('spent_at').orNull(),
  },
  {
    foreignKeys: {
      refresh_tokens_session_fkey: {
        on: ['sessionId'],
        to: 'sessions',
        columns: ['id'],
        onDelete: 'CASCADE',
      },
    },
    indexes: { refresh_tokens_session: { on: ['sessionId'] } },
  },
);
