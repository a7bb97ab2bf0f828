import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Table `events`: what happened, with the exact text that merchants get. Rows are never changed but for `position`, and `body` at its end. */
@Entity('events')
@Unique('events_once', ['paymentId', 'event'])
@Index('events_position', ['storeId', 'position'], { unique: true, where: 'position IS NOT NULL' })
@Index('events_with_body', ['id'], { where: 'body IS NOT NULL' })
@Index('events_unplaced', ['storeId', 'createdAt', 'id'], { where: 'position IS NULL' })
export class EventEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'events_pkey' })
  id!: string;

  @Column({ name: 'store_id', type: 'uuid' })
  @ForeignKey('stores', { name: 'events_store_fkey' })
  storeId!: string;

  @Column({ name: 'payment_id', type: 'uuid' })
  @ForeignKey('payments', { name: 'events_payment_fkey' })
  paymentId!: string;

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
}
