import { flag, instant, table, text, uuid, whole } from '../../platform/database/index.js';

/** Table `refunds`: money that went back by hand, written down (contract 12.2). */
export const REFUNDS = table(
  'refunds',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    paymentId: uuid('payment_id'),
    amountMinor: whole('amount_minor'),
    currency: text('currency'),
    reason: text('reason').orNull(),
    provider: text('provider').orNull(),
    trxId: text('trx_id').orNull(),
    sentAt: instant('sent_at').orNull(),
    status: text<'recorded' | 'confirmed'>('status').changing(),
    receiptId: uuid('receipt_id').orNull().changing(),
    simulated: flag('simulated'),
    createdAt: instant('created_at'),
    confirmedAt: instant('confirmed_at').orNull().changing(),
  },
  {
    foreignKeys: {
      refunds_payment_fkey: { on: ['paymentId', 'storeId'], to: 'payments', columns: ['id', 'storeId'] },
    },
    indexes: {
      refunds_once_by_trx: {
        on: ['storeId', 'provider', 'trxId'],
        where: 'trx_id IS NOT NULL',
        unique: true,
      },
      refunds_payment: { on: ['storeId', 'paymentId', 'createdAt', 'id'] },
      refunds_created: { on: ['storeId', 'createdAt', 'id'] },
    },
    checks: {
      refunds_amount: `amount_minor BETWEEN 1 AND 9999999999`,
      refunds_status: `status IN ('recorded', 'confirmed')`,
      refunds_trx: `trx_id IS NULL OR provider IS NOT NULL`,
      refunds_confirmed: `(status = 'confirmed') = (confirmed_at IS NOT NULL)`,
    },
  },
);
