import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * Table `events`: what happened, with the exact text that merchants get. Rows are never changed but for `position`,
 * and `body` at its end.
 */
@Entity('events')
@Unique('events_once', ['storeId', 'event', 'subjectId'])
@Index('events_payment', ['storeId', 'paymentId'], { where: 'payment_id IS NOT NULL' })
@Index('events_position', ['storeId', 'position'], { unique: true, where: 'position IS NOT NULL' })
@Index('events_by_time', ['storeId', 'createdAt', 'id'], { where: 'position IS NOT NULL' })
@Index('events_with_body', ['createdAt', 'id'], { where: 'body IS NOT NULL' })
@Index('events_unplaced', ['storeId', 'createdAt', 'id'], { where: 'position IS NULL' })
export class EventEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'events_pkey' })
  id!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'events_pkey' })
  @ForeignKey('stores', { name: 'events_store_fkey' })
  storeId!: string;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId!: string | null;

  /** The subject of the event: a payment or a refund. */
  @Column({ name: 'subject_id', type: 'uuid' })
  subjectId!: string;

  @Column({ type: 'text' })
  event!: string;

  /** Null when it is not kept any more: the event was delivered long ago (`RETENTION_BODIES`). */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Place in the store's feed, given by the first reader who sees the committed row. A `bigint`, so a string here. */
  @Column({ type: 'bigint', nullable: true })
  position!: string | null;

  /** False for what is delivered, but does not stand in the store's feed. */
  @Column({ name: 'in_feed', type: 'boolean', default: true })
  inFeed!: boolean;

  /** A simulated receipt is behind it. */
  @Column({ type: 'boolean', default: false })
  simulated!: boolean;

  @Column({ name: 'redacted_at', type: 'timestamptz', precision: 3, nullable: true })
  redactedAt!: Date | null;
}

/** Table `subscriber_positions`: how far each subscriber has come in the feed of each store. */
@Entity('subscriber_positions')
@Index('subscriber_positions_due', ['subscriber', 'dueAt'], { where: 'due_at IS NOT NULL' })
export class SubscriberPositionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'subscriber_positions_pkey' })
  subscriber!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'subscriber_positions_pkey' })
  @ForeignKey('stores', { name: 'subscriber_positions_store_fkey' })
  storeId!: string;

  /** The last event that was handed over. */
  @Column({ type: 'bigint', default: 0 })
  position!: string;

  /** The last event that there is. */
  @Column({ type: 'bigint', default: 0 })
  placed!: string;

  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** When to hand over what is left; while a process holds the lease, its end. Null when nothing is left. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** Names the one lease under which a process hands events over; null while nobody does. */
  @Column({ name: 'lease_token', type: 'uuid', nullable: true })
  leaseToken!: string | null;
}

/** Table `subscribers`: everybody who has ever subscribed. */
@Entity('subscribers')
export class SubscriberEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'subscribers_pkey' })
  name!: string;

  @Column({ name: 'first_seen_at', type: 'timestamptz', precision: 3 })
  firstSeenAt!: Date;

  /** When every store that had events before had been found for it. */
  @Column({ name: 'seeded_at', type: 'timestamptz', precision: 3, nullable: true })
  seededAt!: Date | null;
}
