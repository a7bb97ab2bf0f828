import { Injectable } from '@nestjs/common';
import { Database, lockKey, type Transaction } from '../database/index.js';

export interface EventRow {
  readonly id: string;
  readonly event: string;
  /** Null when it is not kept any more. */
  readonly body: string | null;
  readonly createdAt: Date;
  readonly position: bigint;
}

/** Events that one transaction places; the next call goes on. */
const MAX_PLACED = 1_000;

interface Row {
  id: string;
  event: string;
  body: string | null;
  created_at: Date;
  position: string;
}

/**
 * A store's events as a feed. An event's id and time are given before its transaction commits, so neither can say what a
 * reader has seen: a transaction that began earlier may commit later, and its event would be skipped. So events get their
 * position from the readers, one reader of a store at a time: what is committed gets the next positions, and what commits
 * later gets later ones. A position once read never gets a new neighbour before it.
 */
@Injectable()
export class FeedRepository {
  constructor(private readonly database: Database) {}

  /**
   * Gives positions to committed events that have none. Answers whether there may be more of them. Costs one probe of an
   * index, and no lock, when there is nothing to do.
   */
  async place(storeId: string): Promise<boolean> {
    const [found] = await this.database.query<{ unplaced: boolean }>(
      'SELECT EXISTS (SELECT FROM events WHERE store_id = $1 AND position IS NULL) AS unplaced',
      [storeId],
    );
    if (!found?.unplaced) return false;
    const options = { locks: [lockKey('events-position', storeId)] };
    const placed = await this.database.transaction((tx) => this.placeNext(tx, storeId), options);
    return placed === MAX_PLACED;
  }

  /** Must run under the store's lock: two readers would give the same positions. */
  private placeNext(tx: Transaction, storeId: string): Promise<number> {
    return tx.execute(
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
       WHERE events.id = next.id`,
      [storeId],
    );
  }

  /** The oldest events behind a position, oldest first. */
  async listAfter(storeId: string, position: bigint, limit: number): Promise<EventRow[]> {
    const rows = await this.database.query<Row>(
      `SELECT id, event, body, created_at, position FROM events
       WHERE store_id = $1 AND position IS NOT NULL AND position > $2::bigint ORDER BY position LIMIT $3`,
      [storeId, String(position), limit],
    );
    return rows.map((row) => ({
      id: row.id,
      event: row.event,
      body: row.body,
      createdAt: row.created_at,
      position: BigInt(row.position),
    }));
  }

  /** `position` is null while no reader has placed the event; null altogether when the store has no such event. */
  async findPosition(storeId: string, eventId: string): Promise<{ readonly position: bigint | null } | null> {
    const [row] = await this.database.query<{ position: string | null }>(
      'SELECT position FROM events WHERE store_id = $1 AND id = $2',
      [storeId, eventId],
    );
    if (row === undefined) return null;
    return { position: row.position === null ? null : BigInt(row.position) };
  }
}
