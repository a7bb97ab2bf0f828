import { instant, integer, table, text, uuid } from '../platform/database/index.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Table `deliveries`: how far an event has come on its way to the store's webhook URL. Narrow, because it changes
 * often.
 */
export const DELIVERIES = table(
  'deliveries',
  {
    /** The id of its event. */
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    paymentId: uuid('payment_id').orNull(),
    /** Its own address; null sends it to the store's. */
    url: text('url').orNull(),
    /** The header under which the store's API key goes with it; null for none. */
    apiKeyHeader: text('api_key_header').orNull(),
    status: text<DeliveryStatus>('status'),
    /** The next attempt, or the one that is being made. */
    dueAt: instant('due_at').orNull(),
    /** The end of the lease under which it is being sent. In no index, so that a lease writes nothing but the row. */
    leasedUntil: instant('leased_until').orNull(),
    /** Names the one lease under which the delivery is being sent; null while nobody sends it. */
    leaseToken: uuid('lease_token').orNull(),
    /** Failed attempts since the schedule began, or began anew. */
    roundFailures: integer('round_failures').withDefault(0),
    attemptCount: integer('attempt_count').withDefault(0),
    createdAt: instant('created_at'),
    deliveredAt: instant('delivered_at').orNull(),
  },
  {
    foreignKeys: {
      deliveries_event_fkey: { on: ['id', 'storeId'], to: 'events', columns: ['id', 'storeId'] },
    },
    indexes: {
      // On an expression, which TypeORM cannot say: (due_at AT TIME ZONE 'UTC') WHERE status = 'pending'.
      deliveries_due: 'expression',
      deliveries_failed: { on: ['storeId', 'createdAt', 'id'], where: `status = 'failed'` },
      deliveries_due_store: { on: ['storeId', 'dueAt'], where: `status = 'pending'` },
      deliveries_held: { on: ['storeId'], where: `status = 'held'` },
      deliveries_created: { on: ['storeId', 'createdAt', 'id'] },
    },
    checks: {
      deliveries_status: `status IN ('pending', 'delivered', 'failed', 'held')`,
      deliveries_pending_due: `(status = 'pending') = (due_at IS NOT NULL)`,
    },
  },
);
