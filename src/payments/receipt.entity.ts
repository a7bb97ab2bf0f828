import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ReceiptSource, ReceiptStatus } from './receipt.js';

/** Table `receipts`. Who holds a receipt stands in `payments.receipt_id` alone, where it is unique. */
@Entity('receipts')
@Unique('receipts_id_store_key', ['id', 'storeId'])
@Index('receipts_once_by_trx', ['storeId', 'provider', 'trxId'], {
  unique: true,
  where: `trx_id IS NOT NULL AND status <> 'ignored'`,
})
@Index('receipts_once_by_digest', ['storeId', 'digest'], {
  unique: true,
  where: `trx_id IS NULL AND status <> 'ignored'`,
})
@Index('receipts_trx', ['storeId', 'trxId'])
@Index('receipts_unclaimed_last4', ['storeId', 'last4digit', 'amountMinor', 'receivedAt'], {
  where: `last4digit IS NOT NULL AND status IN ('unmatched', 'review')`,
})
@Index('receipts_created', ['storeId', 'arrivedAt', 'id'])
@Index('receipts_by_status', ['storeId', 'status', 'arrivedAt', 'id'])
@Check('receipts_status', `status IN ('unmatched', 'matched', 'review', 'ignored')`)
@Check('receipts_source', `source IN ('app', 'sms', 'simulate')`)
@Check('receipts_amount', `amount_minor BETWEEN 1 AND 9999999999`)
@Check('receipts_last4digit', `last4digit ~ '^[0-9]{4}$'`)
@Check(
  'receipts_key',
  `status = 'ignored' OR trx_id IS NOT NULL OR (last4digit IS NOT NULL AND digest IS NOT NULL)`,
)
export class ReceiptEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'receipts_pkey' })
  id!: string;

  @Column({ name: 'store_id', type: 'uuid' })
  @ForeignKey('stores', { name: 'receipts_store_fkey' })
  storeId!: string;

  @Column({ type: 'text' })
  status!: ReceiptStatus;

  @Column({ type: 'text' })
  source!: ReceiptSource;

  @Column({ type: 'text' })
  app!: string;

  @Column({ type: 'text' })
  provider!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ name: 'trx_id', type: 'text', nullable: true })
  trxId!: string | null;

  @Column({ name: 'last4digit', type: 'text', nullable: true })
  last4digit!: string | null;

  @Column({ name: 'amount_minor', type: 'bigint' })
  amountMinor!: string;

  @Column({ type: 'text' })
  currency!: string;

  @Column({ type: 'text', nullable: true })
  counterparty!: string | null;

  @Column({ name: 'balance_minor', type: 'bigint', nullable: true })
  balanceMinor!: string | null;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3 })
  receivedAt!: Date;

  @Column({ name: 'arrived_at', type: 'timestamptz', precision: 3 })
  arrivedAt!: Date;

  @Column({ type: 'boolean', default: false })
  simulated!: boolean;

  @Column({ type: 'jsonb', default: [] })
  flags!: string[];

  /** The body as it came: a newer app's fields are not lost. */
  @Column({ type: 'text' })
  raw!: string;

  @Column({ type: 'bytea', nullable: true })
  digest!: Buffer | null;
}
