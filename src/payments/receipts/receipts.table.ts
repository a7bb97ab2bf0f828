import {
  bytes,
  flag,
  instant,
  json,
  type RecordOf,
  table,
  text,
  uuid,
  whole,
} from '../../platform/database/index.js';
import type { ReceiptSource, ReceiptStatus } from './receipt-words.js';

/** Table `receipts`. The payment of a receipt stands in `payments.receipt_id` alone, where it is unique. */
export const RECEIPTS = table(
  'receipts',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    status: text<ReceiptStatus>('status'),
    source: text<ReceiptSource>('source'),
    app: text('app'),
    provider: text('provider'),
    kind: text('kind'),
    trxId: text('trx_id').orNull(),
    last4digit: text('last4digit').orNull(),
    amountMinor: whole('amount_minor'),
    currency: text('currency'),
    counterparty: text('counterparty').orNull(),
    balanceMinor: whole('balance_minor').orNull(),
    /** The phone and the SIM card that it came to, as far as the forwarder names them: a balance is one SIM's. */
    phoneLine: text('phone_line').withDefault(''),
    receivedAt: instant('received_at'),
    arrivedAt: instant('arrived_at'),
    /**
     * When the money came, as the QR window counts it: the phone's clock put right, a whole minute if there were no
     * seconds.
     */
    moneyFrom: instant('money_from'),
    moneyUntil: instant('money_until'),
    simulated: flag('simulated').withDefault(false),
    flags: json<readonly string[]>('flags').withDefault([]),
    /** The body as it came: a newer app's fields are not lost. */
    raw: text('raw'),
    digest: bytes('digest').orNull(),
    messageId: uuid('message_id').orNull(),
    voidedAt: instant('voided_at').orNull().foreign(),
    voidReason: text('void_reason').orNull().foreign(),
    redactedAt: instant('redacted_at').orNull().foreign(),
  },
  {
    foreignKeys: { receipts_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: {
      receipts_once_by_trx: {
        on: ['storeId', 'provider', 'trxId', 'simulated'],
        where: `trx_id IS NOT NULL AND status <> 'ignored'`,
        unique: true,
      },
      receipts_once_by_digest: {
        on: ['storeId', 'digest', 'simulated'],
        where: `trx_id IS NULL AND status <> 'ignored'`,
        unique: true,
      },
      receipts_trx: { on: ['storeId', 'trxId'] },
      receipts_last4: {
        on: ['storeId', 'last4digit', 'amountMinor', 'moneyFrom'],
        where: `last4digit IS NOT NULL AND status <> 'ignored'`,
      },
      receipts_created: { on: ['storeId', 'arrivedAt', 'id'] },
      receipts_by_status: { on: ['storeId', 'status', 'arrivedAt', 'id'] },
      receipts_of_wallet: {
        on: ['storeId', 'provider', 'receivedAt', 'id'],
        where: `trx_id IS NOT NULL AND status <> 'ignored' AND NOT simulated`,
      },
      receipts_balance: {
        on: ['storeId', 'provider', 'app', 'phoneLine', 'arrivedAt', 'id'],
        where: `balance_minor IS NOT NULL AND NOT simulated`,
      },
      receipts_unmatched: { on: ['storeId', 'receivedAt'], where: `status = 'unmatched'` },
    },
    checks: {
      receipts_status: `status IN ('unmatched', 'matched', 'review', 'void', 'ignored')`,
      receipts_source: `source IN ('app', 'sms', 'simulate')`,
      receipts_amount: `amount_minor BETWEEN 1 AND 9999999999`,
      receipts_last4digit: `last4digit ~ '^[0-9]{4}$'`,
      receipts_key: `status = 'ignored' OR trx_id IS NOT NULL OR (last4digit IS NOT NULL AND digest IS NOT NULL)`,
      receipts_money: `money_from <= money_until`,
      receipts_void: `(status = 'void') = (voided_at IS NOT NULL)`,
    },
  },
);
export type ReceiptRecord = RecordOf<typeof RECEIPTS>;

/** Table `owner_receipts`: which store of an owner has a wallet's TrxID; on the coordinator (contract 4.47). */
export const OWNER_RECEIPTS = table('owner_receipts', {
  ownerId: uuid('owner_id').key(),
  provider: text('provider').key(),
  trxId: text('trx_id').key(),
  keptBy: uuid('kept_by'),
  createdAt: instant('created_at'),
});
