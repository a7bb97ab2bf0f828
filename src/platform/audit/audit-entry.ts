import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export const ACTOR_TYPES = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/** The actor of a change and the network address; null when nobody called. */
export type AuditCaller =
  | { readonly user: { readonly id: string; readonly email: string }; readonly address: string | null }
  | { readonly by: 'api_key' | 'system'; readonly address: string | null };

/** For what the service does by itself. */
export const THE_SERVICE: AuditCaller = { by: 'system', address: null };

/**
 * Table `audit_entries`. Triggers refuse every UPDATE, DELETE and TRUNCATE, whoever asks; there are no foreign keys, so
 * that an entry never depends on what it tells about.
 */
@Entity('audit_entries')
@Index('audit_entries_time', ['chain', 'at', 'id'])
@Unique('audit_entries_chain_key', ['chain', 'position'])
@Check('audit_entries_chain', `chain = coalesce(store_id, '00000000-0000-0000-0000-000000000000')`)
@Check('audit_entries_first', `position >= 1 AND (position = 1) = (previous_hash IS NULL)`)
@Check('audit_entries_actor_type', `actor_type IN ('user', 'api_key', 'system')`)
export class AuditEntry {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'audit_entries_pkey' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  /** Null for what belongs to no store: accounts and sign-ins. */
  @Column({ name: 'store_id', type: 'uuid', nullable: true })
  storeId!: string | null;

  @Column({ name: 'actor_type', type: 'text' })
  actorType!: ActorType;

  @Column({ name: 'actor_id', type: 'uuid', nullable: true })
  actorId!: string | null;

  @Column({ name: 'actor_email', type: 'text', nullable: true })
  actorEmail!: string | null;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text', nullable: true })
  address!: string | null;

  @Column({ type: 'jsonb', default: {} })
  details!: Record<string, unknown>;

  /** The store's id, or all zeros for what belongs to no store. */
  @Column({ type: 'uuid' })
  chain!: string;

  /** Place in the chain, from 1 without gaps. */
  @Column({ type: 'bigint' })
  position!: string;

  /** Hash of the entry before; null for the first. */
  @Column({ name: 'previous_hash', type: 'bytea', nullable: true })
  previousHash!: Buffer | null;

  /** SHA-256 of place, previous hash and content. */
  @Column({ type: 'bytea' })
  hash!: Buffer;
}
