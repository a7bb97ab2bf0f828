import { instant, integer, table, text, uuid } from '../../platform/database/index.js';

export const REPLAY_STATUSES = ['running', 'done'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** The deliveries that a replay sends again: the failed ones, or the delivered ones, too. */
export const REPLAY_CHOICES = ['failed', 'all'] as const;
export type ReplayChoice = (typeof REPLAY_CHOICES)[number];

/** Table `delivery_replays`: how far a replay of a range has come. */
export const DELIVERY_REPLAYS = table(
  'delivery_replays',
  {
    id: uuid('id').key(),
    storeId: uuid('store_id').key(),
    status: text<ReplayStatus>('status'),
    only: text<ReplayChoice>('choice'),
    /** The range, by the time of the event; without its end. */
    since: instant('since'),
    until: instant('until'),
    total: integer('total'),
    done: integer('done').withDefault(0),
    /** The last delivery that was looked at; null before the first one. */
    cursorAt: instant('cursor_at').orNull(),
    cursorId: uuid('cursor_id').orNull(),
    createdAt: instant('created_at'),
    /** When a replica last looked after it; the replay that waits longest is next. */
    advancedAt: instant('advanced_at'),
    finishedAt: instant('finished_at').orNull(),
  },
  {
    foreignKeys: { delivery_replays_store_fkey: { on: ['storeId'], to: 'stores', columns: ['id'] } },
    indexes: { delivery_replays_running: { on: ['storeId'], unique: true, where: `status = 'running'` } },
    checks: {
      delivery_replays_status: `status IN ('running', 'done')`,
      delivery_replays_choice: `choice IN ('failed', 'all')`,
      delivery_replays_finished: `(status = 'done') = (finished_at IS NOT NULL)`,
      delivery_replays_cursor: `(cursor_at IS NULL) = (cursor_id IS NULL)`,
    },
  },
);
