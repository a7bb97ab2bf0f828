import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ActorType } from './audit-entry.js';

/**
 * Table `audit_entries`. Triggers refuse every UPDATE, DELETE and TRUNCATE, whoever asks; there are no foreign keys, so
 * that an entry never depends on what it tells about.
 */
@Entity('audit_entries')
@Index('audit_entries_store', ['storeId', 'at', 'id'])
@Check('audit_entries_actor_type', `actor_type IN ('user', 'api_key', 'system')`)
export class AuditEntryEntity {
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
}
