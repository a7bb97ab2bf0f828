import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Table `create_charges`: what a charge has beyond its payment. */
@Entity('create_charges')
@ForeignKey('payments', ['paymentId', 'storeId'], ['id', 'storeId'], { name: 'create_charges_payment_fkey' })
export class ChargeEntity {
  @PrimaryColumn({ name: 'payment_id', type: 'uuid', primaryKeyConstraintName: 'create_charges_pkey' })
  paymentId!: string;

  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'create_charges_pkey' })
  storeId!: string;

  @Column({ name: 'full_name', type: 'text', nullable: true })
  fullName!: string | null;

  @Column({ name: 'email_address', type: 'text', nullable: true })
  emailAddress!: string | null;

  @Column({ name: 'mobile_number', type: 'text', nullable: true })
  mobileNumber!: string | null;

  /** JSON, letter by letter as it came. */
  @Column({ type: 'text', nullable: true })
  metadata!: string | null;

  @Column({ name: 'webhook_url', type: 'text', nullable: true })
  webhookUrl!: string | null;

  /** The header under which the key came, and goes with the webhook. */
  @Column({ name: 'api_key_header', type: 'text' })
  apiKeyHeader!: string;
}
