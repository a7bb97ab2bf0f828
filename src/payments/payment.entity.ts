import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { PaymentStatus, ReviewReason } from './payment.js';

/** Table `payments`. Statements are written by hand; this is the schema as TypeORM compares it with the database. */
@Entity('payments')
@ForeignKey('receipts', ['receiptId', 'storeId'], ['id', 'storeId'], { name: 'payments_receipt_fkey' })
@Unique('payments_receipt_key', ['receiptId'])
@Index('payments_created', ['storeId', 'createdAt', 'id'])
@Index('payments_by_status', ['storeId', 'status', 'createdAt', 'id'])
@Index('payments_submitted_trx', ['storeId', 'submittedTrxId'], { where: 'submitted_trx_id IS NOT NULL' })
@Index('payments_trx', ['storeId', 'trxId'], { where: 'trx_id IS NOT NULL' })
@Index('payments_submitted_last4', ['storeId', 'submittedLast4', 'amountMinor'], {
  where: 'submitted_last4 IS NOT NULL',
})
@Index('payments_expiry', ['expiresAt'], { where: `status = 'pending'` })
@Index('payments_grace', ['graceEndsAt'], { where: `status = 'submitted'` })
@Check('payments_status', `status IN ('pending', 'submitted', 'verified', 'review', 'expired', 'cancelled')`)
@Check(
  'payments_review_reason',
  `review_reason IN ('underpaid', 'overpaid', 'currency_mismatch', 'late', 'ambiguous', 'wrong_wallet', 'trx_id_used', 'flagged')`,
)
@Check('payments_review', `status <> 'review' OR review_reason IS NOT NULL`)
@Check('payments_amount', `amount_minor BETWEEN 1 AND 9999999999`)
@Check('payments_one_submission', `submitted_trx_id IS NULL OR submitted_last4 IS NULL`)
@Check(
  'payments_submitted',
  `(submitted_at IS NULL) = (submitted_trx_id IS NULL AND submitted_last4 IS NULL)`,
)
@Check('payments_submitted_status', `status <> 'submitted' OR submitted_at IS NOT NULL`)
@Check('payments_verified_at', `(status = 'verified') = (verified_at IS NOT NULL)`)
@Check('payments_cancelled_at', `(status = 'cancelled') = (cancelled_at IS NOT NULL)`)
@Check(
  'payments_verified_money',
  `status <> 'verified' OR approved_at IS NOT NULL OR (receipt_id IS NOT NULL AND received_amount_minor = amount_minor AND received_currency = currency)`,
)
@Check('payments_receipt_state', `receipt_id IS NULL OR status IN ('verified', 'review')`)
@Check(
  'payments_receipt_amount',
  `receipt_id IS NULL OR (received_amount_minor IS NOT NULL AND received_currency IS NOT NULL AND provider IS NOT NULL)`,
)
export class PaymentEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'payments_pkey' })
  id!: string;

  @Column({ name: 'store_id', type: 'uuid' })
  @ForeignKey('stores', { name: 'payments_store_fkey' })
  storeId!: string;

  @Column({ type: 'text' })
  status!: PaymentStatus;

  @Column({ name: 'review_reason', type: 'text', nullable: true })
  reviewReason!: ReviewReason | null;

  @Column({ name: 'amount_minor', type: 'bigint' })
  amountMinor!: string;

  @Column({ type: 'text' })
  currency!: string;

  @Column({ name: 'requested_provider', type: 'text', nullable: true })
  requestedProvider!: string | null;

  @Column({ name: 'customer_name', type: 'text', nullable: true })
  customerName!: string | null;

  @Column({ name: 'customer_phone', type: 'text', nullable: true })
  customerPhone!: string | null;

  @Column({ type: 'text', nullable: true })
  note!: string | null;

  /** The merchant's own JSON, letter by letter: `jsonb` would sort its keys and `json` is not comparable. */
  @Column({ type: 'text', nullable: true })
  products!: string | null;

  @Column({ type: 'text', nullable: true })
  metadata!: string | null;

  @Column({ name: 'redirect_url', type: 'text', nullable: true })
  redirectUrl!: string | null;

  @Column({ name: 'cancel_url', type: 'text', nullable: true })
  cancelUrl!: string | null;

  @Column({ name: 'submitted_trx_id', type: 'text', nullable: true })
  submittedTrxId!: string | null;

  @Column({ name: 'submitted_last4', type: 'text', nullable: true })
  submittedLast4!: string | null;

  @Column({ name: 'submitted_provider', type: 'text', nullable: true })
  submittedProvider!: string | null;

  @Column({ name: 'submitted_at', type: 'timestamptz', precision: 3, nullable: true })
  submittedAt!: Date | null;

  @Column({ name: 'grace_ends_at', type: 'timestamptz', precision: 3, nullable: true })
  graceEndsAt!: Date | null;

  @Column({ name: 'receipt_id', type: 'uuid', nullable: true })
  receiptId!: string | null;

  @Column({ type: 'text', nullable: true })
  provider!: string | null;

  @Column({ name: 'trx_id', type: 'text', nullable: true })
  trxId!: string | null;

  @Column({ name: 'payer_number', type: 'text', nullable: true })
  payerNumber!: string | null;

  @Column({ name: 'received_amount_minor', type: 'bigint', nullable: true })
  receivedAmountMinor!: string | null;

  @Column({ name: 'received_currency', type: 'text', nullable: true })
  receivedCurrency!: string | null;

  @Column({ type: 'boolean', default: false })
  simulated!: boolean;

  @Column({ name: 'approved_at', type: 'timestamptz', precision: 3, nullable: true })
  approvedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'verified_at', type: 'timestamptz', precision: 3, nullable: true })
  verifiedAt!: Date | null;

  @Column({ name: 'cancelled_at', type: 'timestamptz', precision: 3, nullable: true })
  cancelledAt!: Date | null;
}

/** Table `submission_tries`: the different entries of a payer, which are limited over restarts and replicas. */
@Entity('submission_tries')
@Check('submission_tries_kind', `kind IN ('trx_id', 'last4digit')`)
export class SubmissionTryEntity {
  @PrimaryColumn({ name: 'payment_id', type: 'uuid', primaryKeyConstraintName: 'submission_tries_pkey' })
  @ForeignKey('payments', { name: 'submission_tries_payment_fkey' })
  paymentId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'submission_tries_pkey' })
  kind!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'submission_tries_pkey' })
  value!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;
}

/** Table `idempotency_keys`: the first answer under a key, kept 24 h (decisions §1). */
@Entity('idempotency_keys')
@Index('idempotency_keys_created', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn({ name: 'store_id', type: 'uuid', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  @ForeignKey('stores', { name: 'idempotency_keys_store_fkey' })
  storeId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  @Column({ name: 'body_hash', type: 'bytea' })
  bodyHash!: Buffer;

  @Column({ type: 'integer' })
  status!: number;

  @Column({ type: 'text' })
  answer!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
