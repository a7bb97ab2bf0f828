import { instant, integer, table, text, uuid } from '../platform/database/index.js';

/**
 * Table `delivery_attempts`: every attempt that was made, in the order in which its end was written down. Without a
 * foreign key: a row comes from the statement that has just changed its delivery, and deliveries are never deleted.
 */
export const DELIVERY_ATTEMPTS = table('delivery_attempts', {
  deliveryId: uuid('delivery_id').key(),
  storeId: uuid('store_id').key(),
  number: integer('number').key(),
  at: instant('at'),
  durationMs: integer('duration_ms'),
  responseStatus: integer('response_status').orNull(),
  error: text('error').orNull(),
  responseExcerpt: text('response_excerpt').orNull(),
});
