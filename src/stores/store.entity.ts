import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { SecretKind, SignWith, Wallet, WebhookPauseReason } from './store.js';

/** Table `stores`. Statements are written by hand; this is the schema as TypeORM compares it with the database. */
@Entity('stores')
@Index('stores_owner', ['ownerId', 'createdAt', 'id'])
@Index('stores_created', ['createdAt', 'id'])
@Check('stores_currency', `currency ~ '^[A-Z]{3}$'`)
@Index('stores_failing', ['webhookFailingSince'], {
  where: 'webhook_failing_since IS NOT NULL AND webhook_paused_at IS NULL',
})
@Check('stores_webhook_pause_reason', `webhook_pause_reason IN ('gone', 'failing')`)
@Check('stores_webhook_pause', `(webhook_paused_at IS NULL) = (webhook_pause_reason IS NULL)`)
@Check('stores_sign_with', `sign_with IN ('webhook_secret', 'api_key')`)
export class StoreEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'stores_pkey' })
  id!: string;

  @Column({ name: 'owner_id', type: 'uuid' })
  @ForeignKey('users', { name: 'stores_owner_fkey' })
  ownerId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  currency!: string;

  @Column({ name: 'webhook_url', type: 'text', nullable: true })
  webhookUrl!: string | null;

  @Column({ name: 'sign_with', type: 'text' })
  signWith!: SignWith;

  @Column({ name: 'simulation_enabled', type: 'boolean' })
  simulationEnabled!: boolean;

  @Column({ type: 'jsonb', default: [] })
  wallets!: Wallet[];

  @Column({ name: 'phone_last_seen_at', type: 'timestamptz', precision: 3, nullable: true })
  phoneLastSeenAt!: Date | null;

  @Column({ name: 'archived_at', type: 'timestamptz', precision: 3, nullable: true })
  archivedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /** The first failed attempt since the last success; null after a success. Written where attempts are. */
  @Column({ name: 'webhook_failing_since', type: 'timestamptz', precision: 3, nullable: true })
  webhookFailingSince!: Date | null;

  @Column({ name: 'webhook_paused_at', type: 'timestamptz', precision: 3, nullable: true })
  webhookPausedAt!: Date | null;

  @Column({ name: 'webhook_pause_reason', type: 'text', nullable: true })
  webhookPauseReason!: WebhookPauseReason | null;
}

/** Table `store_secrets`: looked up by digest, kept recoverable under AES-256-GCM only (decisions §2). */
@Entity('store_secrets')
@Unique('store_secrets_digest_key', ['digest'])
@Index('store_secrets_current', ['storeId', 'kind'], { unique: true, where: 'retired_at IS NULL' })
@Index('store_secrets_store', ['storeId', 'kind'])
@Check('store_secrets_kind', `kind IN ('api_key', 'webhook_secret', 'signing_secret')`)
@Check('store_secrets_retired', `(retired_at IS NULL) = (signs_until IS NULL)`)
export class StoreSecretEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'store_secrets_pkey' })
  id!: string;

  @Column({ name: 'store_id', type: 'uuid' })
  @ForeignKey('stores', { name: 'store_secrets_store_fkey' })
  storeId!: string;

  @Column({ type: 'text' })
  kind!: SecretKind;

  @Column({ type: 'bytea' })
  digest!: Buffer;

  @Column({ type: 'bytea' })
  ciphertext!: Buffer;

  @Column({ type: 'text' })
  hint!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'retired_at', type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;

  @Column({ name: 'signs_until', type: 'timestamptz', precision: 3, nullable: true })
  signsUntil!: Date | null;
}
