import { Injectable } from '@nestjs/common';
import { Database, lockKey, type RecordOf, type Transaction } from '../database/index.js';
import { EVENTS } from './events.table.js';

const EVENT = EVENTS.pick(
  ...([
    'id',
    'storeId',
    'paymentId',
    'subjectId',
    'event',
    'body',
    'createdAt',
    'inFeed',
    'simulated',
  ] as const),
);

/** An event; its id is the `webhook-id`. */
export interface EventRecord extends RecordOf<typeof EVENT> {
  /** Personal data has been taken out of the body (contract 14.63). */
  readonly redacted: boolean;
  readonly position: bigint;
}

/** Events that one transaction places; the next call goes on. */
const MAX_PLACED = 1_000;

/** Every subscriber there has ever been has something to do, as soon as nobody is doing it already. */
const TELL = {
  name: 'events-tell-subscribers',
  text: `INSERT INTO subscriber_positions (subscriber, store_id, placed, due_at)
    SELECT name, $1, $2::bigint, now() FROM subscribers
    ON CONFLICT (subscriber, store_id)
    DO UPDATE SET placed = EXCLUDED.placed, due_at = COALESCE(subscriber_positions.due_at, EXCLUDED.due_at)`,
};

/** The most events of one moment that are compared: far more than a store writes while one transaction runs. */
const OF_ONE_MOMENT = 1_000;

/**
 * A store's events as a feed. An event's id and time are given before its transaction commits, so neither can say
 * what a reader has seen: a transaction that began earlier may commit later, and its event would be skipped. So
 * events get their position from the readers, one reader of a store at a time: what is committed gets the next
 * positions, and what commits later gets later ones. A position once read never gets a new neighbour before it.
 */
@Injectable()
export class FeedRepository {
  constructor(private readonly database: Database) {}

  /**
   * Gives positions to committed events that have none. Answers whether there may be more of them. Costs one probe of
   * an index, and no lock, when there is nothing to do.
   */
  async place(storeId: string): Promise<boolean> {
    const [found] = await this.database.query<{ unplaced: boolean }>(
      'SELECT EXISTS (SELECT FROM events WHERE store_id = $1 AND position IS NULL) AS unplaced',
      [storeId],
    );
    if (!found?.unplaced) return false;
    const options = { locks: [lockKey('events-position', storeId)], storeId };
    const placed = await this.database.transaction((tx) => this.placeNext(tx, storeId), options);
    return placed === MAX_PLACED;
  }

  /** Must run under the store's lock: two readers would give the same positions. */
  private async placeNext(tx: Transaction, storeId: string): Promise<number> {
    const rows = await tx.query<{ position: string }>(
      `UPDATE events SET position = last.position + next.number
       FROM (
         SELECT COALESCE((SELECT position FROM events WHERE store_id = $1 AND position IS NOT NULL
                          ORDER BY position DESC LIMIT 1), 0) AS position
       ) last,
       (
         SELECT id, row_number() OVER (ORDER BY created_at, id) AS number
         FROM (SELECT id, created_at FROM events WHERE store_id = $1 AND position IS NULL
               ORDER BY created_at, id LIMIT ${MAX_PLACED}) unplaced
       ) next
       WHERE events.id = next.id AND events.store_id = $1
       RETURNING events.position`,
      [storeId],
    );
    const last = rows
      .map(({ position }) => BigInt(position))
      .reduce((one, other) => (one > other ? one : other), 0n);
    // In the same transaction, so that a position is never seen by a reader and missed by a subscriber.
    if (rows.length > 0) await tx.execute(TELL, [storeId, String(last)]);
    return rows.length;
  }

  /** The oldest events behind a position, oldest first; `all` also those that stand in no merchant's feed. */
  async listAfter(storeId: string, position: bigint, limit: number, all = false): Promise<EventRecord[]> {
    const rows = await this.database.query<{ redacted: boolean; position: string }>(
      `SELECT ${EVENT.list()}, position, redacted_at IS NOT NULL AS redacted FROM events
       WHERE store_id = $1 AND position IS NOT NULL AND position > $2::bigint ${all ? '' : 'AND in_feed'}
       ORDER BY position LIMIT $3`,
      [storeId, String(position), limit],
    );
    return rows.map((row) => ({
      ...EVENT.read(row),
      redacted: row.redacted,
      position: BigInt(row.position),
    }));
  }

  /**
   * The position before the first placed event since an instant; that of the last event if there is none. Events of one
   * moment are placed in any order, so the positions of the first of them are compared.
   */
  async findPositionSince(storeId: string, since: Date): Promise<bigint> {
    const [row] = await this.database.query<{ position: string }>(
      `SELECT COALESCE(
         (SELECT min(position) - 1 FROM (
            SELECT position FROM events WHERE store_id = $1 AND position IS NOT NULL AND created_at >= $2
            ORDER BY created_at, id LIMIT ${OF_ONE_MOMENT}) first),
         (SELECT position FROM events WHERE store_id = $1 AND position IS NOT NULL ORDER BY position DESC LIMIT 1),
         0) AS position`,
      [storeId, since],
    );
    return BigInt(row?.position ?? 0);
  }

  /** `position` is null while no reader has placed the event; null altogether when the store has no such event. */
  async findPosition(storeId: string, eventId: string): Promise<{ readonly position: bigint | null } | null> {
    const [row] = await this.database.query<{ position: string | null }>(
      'SELECT position FROM events WHERE store_id = $1 AND id = $2 AND in_feed',
      [storeId, eventId],
    );
    if (row === undefined) return null;
    return { position: row.position === null ? null : BigInt(row.position) };
  }
}
