import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const REPLAY_STATUSES = ['running', 'done'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** The deliveries that a replay sends again: the failed ones, or the delivered ones, too. */
export const REPLAY_CHOICES = ['failed', 'all'] as const;
export type ReplayChoice = (typeof REPLAY_CHOICES)[number];

/** Table `delivery_replays`: how far a replay of a range has come. */
@Entity('delivery_replays')
@Index('delivery_replays_running', ['storeId'], { unique: true, where: `status = 'running'` })
@Check('delivery_replays_status', `status IN ('running', 'done')`)
@Check('delivery_replays_choice', `choice IN ('failed', 'all')`)
@Check('delivery_replays_finished', `(status = 'done') = (finished_at IS NOT NULL)`)
@Check('delivery_replays_cursor', `(cursor_at IS NULL) = (cursor_id IS NULL)`)
export class DeliveryReplayEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'delivery_replays_pkey' })
  id!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'delivery_replays_pkey' })
  @ForeignKey('stores', { name: 'delivery_replays_store_fkey' })
  storeId!: string;

  @Column({ type: 'text' })
  status!: ReplayStatus;

  @Column({ type: 'text' })
  choice!: ReplayChoice;

  /** The range, by the time of the event; without its end. */
  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  until!: Date;

  @Column({ type: 'integer' })
  total!: number;

  @Column({ type: 'integer', default: 0 })
  done!: number;

  /** The last delivery that was looked at; null before the first one. */
  @Column({ name: 'cursor_at', type: 'timestamptz', precision: 3, nullable: true })
  cursorAt!: Date | null;

  @Column({ name: 'cursor_id', type: 'uuid', nullable: true })
  cursorId!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When a replica last looked after it; the replay that waits longest is next. */
  @Column({ name: 'advanced_at', type: 'timestamptz', precision: 3 })
  advancedAt!: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
