import { Injectable } from '@nestjs/common';
import { BY_INDEX, Database, type Transaction } from '../platform/database/index.js';
import { Events } from '../platform/events/index.js';
import { FIRST_ID } from '../kernel/ids.js';

/** Where a walk over events goes on. */
export interface EventPlace {
  readonly createdAt: Date;
  readonly id: string;
}

/**
 * Walks over old rows, the oldest first: what is younger than the limit is never looked at. Attempts go by the ids of
 * their deliveries, which begin with the time they were made at (version 7); no index on a time has to be kept for
 * them.
 */
@Injectable()
export class RetentionRepository {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Deletes attempts made before an instant, at most `limit`. Answers where the next call goes on; null at the end. */
  async pruneAttempts(before: Date, cursor: string | null, limit: number): Promise<string | null> {
    const old = await this.database.query<{ id: string; store_id: string; number: number }>(
      `SELECT delivery_id AS id, store_id, number FROM delivery_attempts
       WHERE delivery_id >= $1 AND delivery_id < $2 AND at < $3
       ORDER BY delivery_id, number LIMIT $4`,
      [cursor ?? FIRST_ID, firstIdOf(before), before, limit],
    );
    for (const [storeId, attempts] of byStore(old))
      await this.database.execute(
        `DELETE FROM delivery_attempts a USING unnest($2::uuid[], $3::integer[]) AS old (delivery_id, number)
         WHERE a.delivery_id = old.delivery_id AND a.store_id = $1 AND a.number = old.number`,
        [storeId, attempts.map(({ id }) => id), attempts.map(({ number }) => number)],
      );
    return nextCursor(old, limit);
  }

  /**
   * Forgets bodies of events that were delivered before an instant, at most `limit`. The delivery is locked, so that
   * none is sent again beside it; what is being sent again, held or given up keeps its body.
   */
  async pruneBodies(before: Date, cursor: EventPlace | null, limit: number): Promise<EventPlace | null> {
    const after = cursor ?? { createdAt: new Date(0), id: FIRST_ID };
    const old = await this.database.transaction(
      (tx) =>
        tx.query<{ id: string; store_id: string; created_at: Date }>(
          `SELECT e.id, e.store_id, e.created_at
           FROM events e JOIN deliveries d ON d.id = e.id AND d.store_id = e.store_id
           WHERE (e.created_at, e.id) > ($1, $2::uuid) AND e.created_at < $3 AND e.body IS NOT NULL
             AND d.status = 'delivered' AND d.delivered_at < $3
           ORDER BY e.created_at, e.id LIMIT $4`,
          [after.createdAt, after.id, before, limit],
        ),
      { settings: BY_INDEX },
    );
    for (const [storeId, events] of byStore(old)) {
      const ids = events.map(({ id }) => id);
      await this.database.transaction((tx) => this.forgetDelivered(tx, storeId, ids, before), {
        settings: BY_INDEX,
      });
    }
    const last = old.at(-1);
    return last === undefined || old.length < limit ? null : { createdAt: last.created_at, id: last.id };
  }

  private async forgetDelivered(
    tx: Transaction,
    storeId: string,
    eventIds: readonly string[],
    before: Date,
  ): Promise<void> {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM deliveries
       WHERE store_id = $1 AND id = ANY($2::uuid[]) AND status = 'delivered' AND delivered_at < $3
       FOR UPDATE SKIP LOCKED`,
      [storeId, eventIds, before],
    );
    await this.events.forgetBodies(
      tx,
      rows.map(({ id }) => ({ id, storeId })),
    );
  }
}

function byStore<Row extends { readonly store_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(row.store_id, [...(found.get(row.store_id) ?? []), row]);
  return found;
}

function nextCursor(rows: readonly { readonly id: string }[], limit: number): string | null {
  if (rows.length < limit) return null;
  return rows.reduce((last, { id }) => (id > last ? id : last), FIRST_ID);
}

/** The smallest id that could have been made at that instant. */
function firstIdOf(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
