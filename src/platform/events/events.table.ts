import { bigText, flag, instant, integer, table, text, uuid } from '../database/index.js';

/**
 * Table `events`: what happened, with the exact text that merchants get. Rows are never changed but for `position`,
 * and `body` at its end.
 */
export const EVENTS = table(
  'events',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    paymentId: uuid('payment_id').orNull(),
    /** The subject of the event: a payment or a refund. */
    subjectId: uuid('subject_id'),
    event: text('event'),
    /** Null when it is not kept any more: the event was delivered long ago (`RETENTION_BODIES`). */
    body: text('body').orNull(),
    createdAt: instant('created_at'),
    /** Place in the store's feed, given by the first reader who sees the committed row. A `bigint`, so a string here. */
    position: bigText('position').orNull(),
    /** False for what is delivered, but does not stand in the store's feed. */
    inFeed: flag('in_feed').withDefault(true),
    /** A simulated receipt is behind it. */
    simulated: flag('simulated').withDefault(false),
    redactedAt: instant('redacted_at').orNull(),
  },
  {
    foreignKeys: { events_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    unique: { events_once: ['storeId', 'event', 'subjectId'] },
    indexes: {
      events_payment: { on: ['storeId', 'paymentId'], where: 'payment_id IS NOT NULL' },
      events_position: { on: ['storeId', 'position'], unique: true, where: 'position IS NOT NULL' },
      events_by_time: { on: ['storeId', 'createdAt', 'id'], where: 'position IS NOT NULL' },
      events_with_body: { on: ['createdAt', 'id'], where: 'body IS NOT NULL' },
      events_unplaced: { on: ['storeId', 'createdAt', 'id'], where: 'position IS NULL' },
    },
  },
);

/** Table `subscriber_positions`: how far each subscriber has come in the feed of each store. */
export const SUBSCRIBER_POSITIONS = table(
  'subscriber_positions',
  {
    subscriber: text('subscriber').key(),
    storeId: uuid('store_id').key(),
    /** The last event that was handed over. */
    position: bigText('position').withDefault(0),
    /** The last event that there is. */
    placed: bigText('placed').withDefault(0),
    failures: integer('failures').withDefault(0),
    /** When to hand over what is left; while a process holds the lease, its end. Null when nothing is left. */
    dueAt: instant('due_at').orNull(),
    /** Names the one lease under which a process hands events over; null while nobody does. */
    leaseToken: uuid('lease_token').orNull(),
  },
  {
    foreignKeys: { subscriber_positions_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: { subscriber_positions_due: { on: ['subscriber', 'dueAt'], where: 'due_at IS NOT NULL' } },
  },
);

/** Table `subscribers`: everybody who has ever subscribed. */
export const SUBSCRIBERS = table('subscribers', {
  name: text('name').key(),
  firstSeenAt: instant('first_seen_at'),
  /** When every store that had events before had been found for it. */
  seededAt: instant('seeded_at').orNull(),
});
