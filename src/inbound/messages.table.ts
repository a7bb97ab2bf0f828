import {
  bytes,
  instant,
  integer,
  json,
  type RecordOf,
  table,
  text,
  uuid,
} from '../platform/database/index.js';

/** Table `messages`: every text that came, whatever became of it (contract 9.1). */
export const MESSAGES = table(
  'messages',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    status: text<'receipt' | 'ignored' | 'unread'>('status').changing(),
    reason: text('reason').orNull().changing(),
    provider: text('provider').orNull().changing(),
    sender: text('sender').orNull(),
    text: text('text'),
    app: text('app').orNull(),
    sim: text('sim').orNull(),
    sentAt: instant('sent_at').orNull(),
    receivedAt: instant('received_at').orNull(),
    arrivedAt: instant('arrived_at'),
    ruleName: text('rule_name').orNull().changing(),
    ruleVersion: integer('rule_version').orNull().changing(),
    fields: json<Readonly<Record<string, unknown>>>('fields').orNull().changing(),
    receiptId: uuid('receipt_id').orNull().changing(),
    raw: text('raw'),
    digest: bytes('digest').orNull(),
    redactedAt: instant('redacted_at').orNull().foreign(),
  },
  {
    foreignKeys: {
      messages_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] },
      messages_receipt_fkey: { on: ['receiptId', 'storeId'], to: 'receipts', columns: ['id', 'storeId'] },
    },
    indexes: {
      messages_arrived: { on: ['storeId', 'arrivedAt', 'id'] },
      messages_receipt: { on: ['storeId', 'receiptId'], where: 'receipt_id IS NOT NULL' },
      messages_by_status: { on: ['storeId', 'status', 'arrivedAt', 'id'] },
    },
    checks: { messages_status: `status IN ('receipt', 'ignored', 'unread')` },
  },
);
export type MessageRecord = RecordOf<typeof MESSAGES>;
