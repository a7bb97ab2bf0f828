import {
  bytes,
  flag,
  instant,
  integer,
  rawJson,
  type RecordOf,
  table,
  text,
  uuid,
  whole,
} from '../../platform/database/index.js';
import type { PaymentStatus, ReviewReason, Standing, SubmissionKind } from './payment-words.js';

/** Table `payments`. Amounts are minor units; `products` and `metadata` are the merchant's own JSON. */
export const PAYMENTS = table(
  'payments',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    status: text<PaymentStatus>('status').changing(),
    reviewReason: text<ReviewReason>('review_reason').orNull().later(),
    amountMinor: whole('amount_minor'),
    currency: text('currency'),
    /** The amount to pay: `amountMinor`, or with `uniqueAmounts` up to 0.99 more (contract 4.95). */
    payAmountMinor: whole('pay_amount_minor'),
    /**
     * No other payment of the store and currency has this `payAmountMinor` while it is true; a unique key keeps it
     * so.
     */
    payAmountReserved: flag('pay_amount_reserved').withDefault(false),
    /** The one wallet the merchant allows, or null for any. */
    requestedProvider: text('requested_provider').orNull(),
    customerName: text('customer_name').orNull(),
    customerPhone: text('customer_phone').orNull(),
    note: text('note').orNull(),
    products: rawJson('products').orNull(),
    metadata: rawJson('metadata').orNull(),
    redirectUrl: text('redirect_url').orNull(),
    cancelUrl: text('cancel_url').orNull(),
    /** The payment link it was made by, if any. */
    paymentLinkId: uuid('payment_link_id').orNull(),
    submittedTrxId: text('submitted_trx_id').orNull().later(),
    submittedLast4: text('submitted_last4').orNull().later(),
    submittedProvider: text('submitted_provider').orNull().later(),
    /** When the submission in force was made; repeating it does not change this. */
    submittedAt: instant('submitted_at').orNull().later(),
    /** Until when its submissions wait for their receipt. */
    graceEndsAt: instant('grace_ends_at').orNull().later(),
    /** The receipt that is attached to this payment, with what it says. */
    receiptId: uuid('receipt_id').orNull().later(),
    provider: text('provider').orNull().later(),
    trxId: text('trx_id').orNull().later(),
    payerNumber: text('payer_number').orNull().later(),
    receivedAmountMinor: whole('received_amount_minor').orNull().later(),
    receivedCurrency: text('received_currency').orNull().later(),
    /** The sum of its refunds; they are written beside it. */
    refundedAmountMinor: whole('refunded_amount_minor').withDefault(0).foreign(),
    simulated: flag('simulated').withDefault(false).later(),
    approvedAt: instant('approved_at').orNull().later(),
    createdAt: instant('created_at'),
    expiresAt: instant('expires_at'),
    verifiedAt: instant('verified_at').orNull().later(),
    cancelledAt: instant('cancelled_at').orNull().later(),
    /** When it was verified or cancelled, or when its time was over; null while it is open. */
    endedAt: instant('ended_at').orNull().later(),
    redactedAt: instant('redacted_at').orNull().foreign(),
  },
  {
    foreignKeys: {
      payments_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] },
      payments_receipt_fkey: { on: ['receiptId', 'storeId'], to: 'receipts', columns: ['id', 'storeId'] },
      payments_link_fkey: { on: ['paymentLinkId'], to: 'payment_links', columns: ['id'] },
    },
    indexes: {
      payments_created: { on: ['storeId', 'createdAt', 'id'] },
      payments_by_status: { on: ['storeId', 'status', 'createdAt', 'id'] },
      payments_receipt_key: { on: ['receiptId', 'storeId'], where: 'receipt_id IS NOT NULL', unique: true },
      payments_by_provider: 'expression',
      payments_open_phone: 'expression',
      payments_metadata: 'expression',
      payments_by_phone: {
        on: ['storeId', 'customerPhone', 'createdAt', 'id'],
        where: 'customer_phone IS NOT NULL',
      },
      payments_by_link: {
        on: ['storeId', 'paymentLinkId', 'createdAt', 'id'],
        where: 'payment_link_id IS NOT NULL',
      },
      payments_through_links: 'expression',
      payments_submitted_trx: { on: ['storeId', 'submittedTrxId'], where: 'submitted_trx_id IS NOT NULL' },
      payments_trx: { on: ['storeId', 'trxId'], where: 'trx_id IS NOT NULL' },
      payments_pay_amount_reserved: {
        on: ['storeId', 'currency', 'payAmountMinor'],
        where: 'pay_amount_reserved',
        unique: true,
      },
      payments_open_amount: {
        on: ['storeId', 'currency', 'payAmountMinor'],
        where: `status IN ('pending', 'submitted', 'review')`,
      },
      payments_ended_amount: {
        on: ['storeId', 'currency', 'payAmountMinor', 'endedAt'],
        where: 'ended_at IS NOT NULL',
      },
      payments_verified: { on: ['storeId', 'verifiedAt', 'id'], where: 'verified_at IS NOT NULL' },
      payments_in_review: 'expression',
      payments_expiry: { on: ['expiresAt'], where: `status = 'pending'` },
      payments_grace: { on: ['graceEndsAt'], where: `status = 'submitted'` },
      payments_personal: {
        on: ['endedAt'],
        where: 'ended_at IS NOT NULL AND (redacted_at IS NULL OR redacted_at < ended_at)',
      },
      payments_reserved_until: { on: ['endedAt'], where: 'pay_amount_reserved AND ended_at IS NOT NULL' },
    },
    checks: {
      payments_status: `status IN ('pending', 'submitted', 'verified', 'review', 'expired', 'cancelled')`,
      payments_review_reason: `review_reason IN ('underpaid', 'overpaid', 'currency_mismatch', 'late', 'old_money', 'ambiguous', 'wrong_wallet', 'trx_id_used', 'flagged')`,
      payments_review: `status <> 'review' OR review_reason IS NOT NULL`,
      payments_amount: `amount_minor BETWEEN 1 AND 9999999999`,
      payments_pay_amount: `pay_amount_minor BETWEEN amount_minor AND amount_minor + 99`,
      payments_one_submission: `submitted_trx_id IS NULL OR submitted_last4 IS NULL`,
      payments_submitted: `(submitted_at IS NULL) = (submitted_trx_id IS NULL AND submitted_last4 IS NULL)`,
      payments_submitted_status: `status <> 'submitted' OR submitted_at IS NOT NULL`,
      payments_verified_at: `(status = 'verified') = (verified_at IS NOT NULL)`,
      payments_cancelled_at: `(status = 'cancelled') = (cancelled_at IS NOT NULL)`,
      payments_ended_at: `(status IN ('verified', 'cancelled', 'expired')) = (ended_at IS NOT NULL)`,
      payments_verified_money: `status <> 'verified' OR approved_at IS NOT NULL OR (receipt_id IS NOT NULL AND received_amount_minor = pay_amount_minor AND received_currency = currency)`,
      payments_refunded: `refunded_amount_minor BETWEEN 0 AND COALESCE(received_amount_minor, pay_amount_minor)`,
      payments_receipt_state: `receipt_id IS NULL OR status IN ('verified', 'review')`,
      payments_receipt_amount: `receipt_id IS NULL OR (received_amount_minor IS NOT NULL AND received_currency IS NOT NULL AND provider IS NOT NULL)`,
    },
  },
);
export type PaymentRecord = RecordOf<typeof PAYMENTS>;

/** Table `submissions`: every different entry of a payer, in the order they were made. */
export const SUBMISSIONS = table(
  'submissions',
  {
    paymentId: uuid('payment_id').key(),
    storeId: uuid('store_id').key(),
    number: integer('number').key(),
    kind: text<SubmissionKind>('kind'),
    value: text('value'),
    /** The wallet that was named with it. */
    provider: text('provider').orNull(),
    /** The payment's, so that guesses are counted by amount without reading payments. */
    currency: text('currency'),
    amountMinor: whole('amount_minor'),
    standing: text<Standing>('standing'),
    /** The payment's own phone ends in these digits. */
    ownPhone: flag('own_phone').withDefault(false),
    /**
     * Digits, or a TrxID of a wallet whose ids rise like a counter: it can be a guess. No longer where a receipt is
     * known to fit it.
     */
    guessable: flag('guessable').withDefault(false),
    at: instant('at'),
  },
  {
    foreignKeys: {
      submissions_payment_fkey: {
        on: ['paymentId', 'storeId'],
        to: 'payments',
        columns: ['id', 'storeId'],
      },
    },
    indexes: {
      submissions_value: { on: ['storeId', 'value', 'at'] },
      submissions_amount: {
        on: ['storeId', 'kind', 'currency', 'amountMinor', 'at'],
        where: 'guessable',
      },
      submissions_guessable: { on: ['at'], where: 'guessable' },
    },
    checks: {
      submissions_kind: `kind IN ('trx_id', 'last4digit')`,
      submissions_standing: `standing IN ('counted', 'refused', 'surplus')`,
    },
  },
);
export type SubmissionRecord = RecordOf<typeof SUBMISSIONS>;

/** Table `receipt_claims`: payments in review over a receipt that they do not hold. Ended, never deleted. */
export const RECEIPT_CLAIMS = table(
  'receipt_claims',
  {
    receiptId: uuid('receipt_id').key(),
    storeId: uuid('store_id').key(),
    paymentId: uuid('payment_id').key(),
    /** Currency, amount and wallet are right. */
    exact: flag('exact'),
    at: instant('at'),
    endedAt: instant('ended_at').orNull(),
  },
  {
    foreignKeys: {
      receipt_claims_receipt_fkey: {
        on: ['receiptId', 'storeId'],
        to: 'receipts',
        columns: ['id', 'storeId'],
      },
      receipt_claims_payment_fkey: {
        on: ['paymentId', 'storeId'],
        to: 'payments',
        columns: ['id', 'storeId'],
      },
    },
    indexes: { receipt_claims_payment: { on: ['storeId', 'paymentId'] } },
  },
);

/** Table `amount_shortages`: until when it is shown that no amount of its own was left for payments of an amount. */
export const AMOUNT_SHORTAGES = table(
  'amount_shortages',
  {
    storeId: uuid('store_id').key(),
    currency: text('currency').key(),
    amountMinor: whole('amount_minor').key(),
    since: instant('since'),
    until: instant('until'),
  },
  { foreignKeys: { amount_shortages_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } } },
);

/** Table `idempotency_keys`: the first answer under a key, kept 24 h (contract 1.23). */
export const IDEMPOTENCY_KEYS = table(
  'idempotency_keys',
  {
    storeId: uuid('store_id').key(),
    key: text('key').key(),
    bodyHash: bytes('body_hash'),
    status: integer('status'),
    answer: text('answer'),
    createdAt: instant('created_at'),
  },
  {
    foreignKeys: { idempotency_keys_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: { idempotency_keys_created: { on: ['createdAt'] } },
  },
);
