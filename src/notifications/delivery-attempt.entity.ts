import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Table `delivery_attempts`: every attempt that was made, in the order in which its end was written down. Without a
 * foreign key: a row comes from the statement that has just changed its delivery, and deliveries are never deleted.
 */
@Entity('delivery_attempts')
export class DeliveryAttemptEntity {
  @PrimaryColumn({ name: 'delivery_id', type: 'uuid', primaryKeyConstraintName: 'delivery_attempts_pkey' })
  deliveryId!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'delivery_attempts_pkey' })
  storeId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_attempts_pkey' })
  number!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column({ name: 'duration_ms', type: 'integer' })
  durationMs!: number;

  @Column({ name: 'response_status', type: 'integer', nullable: true })
  responseStatus!: number | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ name: 'response_excerpt', type: 'text', nullable: true })
  responseExcerpt!: string | null;
}
