import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Table `sessions`: one for each sign-in. */
@Entity('sessions')
@Unique('sessions_token_key', ['tokenDigest'])
@Check('sessions_kind', `kind IN ('api', 'dashboard')`)
@Index('sessions_user', ['userId'])
@Index('sessions_expiry', ['expiresAt'])
export class SessionEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'sessions_pkey' })
  id!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey('users', { name: 'sessions_user_fkey' })
  userId!: string;

  @Column({ type: 'text', default: 'api' })
  kind!: string;

  /** SHA-256 of the dashboard's cookie; null for a session of tokens. */
  @Column({ name: 'token_digest', type: 'bytea', nullable: true })
  tokenDigest!: Buffer | null;

  @Column({ type: 'text', nullable: true })
  address!: string | null;

  @Column({ name: 'user_agent', type: 'text', nullable: true })
  userAgent!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3 })
  lastUsedAt!: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Fixed at the sign-in; refreshing does not move it. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** Set by a sign-out, a new password, a deactivation, or a refresh token that came twice. */
  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;
}

/** Table `refresh_tokens`: digests of all tokens of a session, the spent ones too, so that a second use is noticed. */
@Entity('refresh_tokens')
@Index('refresh_tokens_session', ['sessionId'])
export class RefreshTokenEntity {
  /** SHA-256 of the token; the token itself is nowhere. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'refresh_tokens_pkey' })
  digest!: Buffer;

  @Column({ name: 'session_id', type: 'uuid' })
  @ForeignKey('sessions', { name: 'refresh_tokens_session_fkey', onDelete: 'CASCADE' })
  sessionId!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'spent_at', type: 'timestamptz', precision: 3, nullable: true })
  spentAt!: Date | null;
}
