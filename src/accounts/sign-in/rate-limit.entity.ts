import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Table `rate_limits`, in the form rate-limiter-flexible reads and writes. Keys are keyed digests. */
@Entity('rate_limits')
export class RateLimitEntity {
  @PrimaryColumn({ type: 'varchar', length: 255, primaryKeyConstraintName: 'rate_limits_pkey' })
  key!: string;

  @Column({ type: 'integer', default: 0 })
  points!: number;

  /** End of the window, in milliseconds since 1970; text, because a bigint does not fit a number. */
  @Column({ type: 'bigint', nullable: true })
  expire!: string | null;
}
