import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Table `deliveries`: how far an event has come on its way to the store's webhook URL. Narrow, because it changes
 * often.
 */
@Entity('deliveries')
@ForeignKey('events', ['id', 'storeId'], ['id', 'storeId'], { name: 'deliveries_event_fkey' })
@Check('deliveries_status', `status IN ('pending', 'delivered', 'failed', 'held')`)
@Check('deliveries_pending_due', `(status = 'pending') = (due_at IS NOT NULL)`)
// On an expression, which TypeORM cannot say: (due_at AT TIME ZONE 'UTC') WHERE status = 'pending'.
@Index('deliveries_due', { synchronize: false })
@Index('deliveries_failed', ['storeId', 'createdAt', 'id'], { where: `status = 'failed'` })
@Index('deliveries_due_store', ['storeId', 'dueAt'], { where: `status = 'pending'` })
@Index('deliveries_held', ['storeId'], { where: `status = 'held'` })
@Index('deliveries_created', ['storeId', 'createdAt', 'id'])
export class DeliveryEntity {
  /** The id of its event. */
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'deliveries_pkey' })
  id!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'deliveries_pkey' })
  storeId!: string;

  @Column({ name: 'payment_id', type: 'uuid', nullable: true })
  paymentId!: string | null;

  /** Its own address; null sends it to the store's. */
  @Column({ type: 'text', nullable: true })
  url!: string | null;

  /** The header under which the store's API key goes with it; null for none. */
  @Column({ name: 'api_key_header', type: 'text', nullable: true })
  apiKeyHeader!: string | null;

  @Column({ type: 'text' })
  status!: DeliveryStatus;

  /** The next attempt, or the one that is being made. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The end of the lease under which it is being sent. In no index, so that a lease writes nothing but the row. */
  @Column({ name: 'leased_until', type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil!: Date | null;

  /** Names the one lease under which the delivery is being sent; null while nobody sends it. */
  @Column({ name: 'lease_token', type: 'uuid', nullable: true })
  leaseToken!: string | null;

  /** Failed attempts since the schedule began, or began anew. */
  @Column({ name: 'round_failures', type: 'integer', default: 0 })
  roundFailures!: number;

  @Column({ name: 'attempt_count', type: 'integer', default: 0 })
  attemptCount!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'delivered_at', type: 'timestamptz', precision: 3, nullable: true })
  deliveredAt!: Date | null;
}
