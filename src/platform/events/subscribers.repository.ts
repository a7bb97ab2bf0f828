import { Injectable } from '@nestjs/common';
import { Database, MILLISECONDS } from '../database/index.js';
import { FIRST_ID } from '../../kernel/ids.js';

/** A store's events that one process may hand over to a subscriber, until its lease ends. */
export interface Hold {
  readonly subscriber: string;
  readonly storeId: string;
  readonly leaseToken: string;
}

/**
 * The only place that knows the tables `subscribers` and `subscriber_positions`, but for the row that comes with a
 * placed event. `due_at` is the next attempt, or the end of a lease: one index finds both, and nobody has to rescue
 * anything.
 */
@Injectable()
export class SubscribersRepository {
  constructor(private readonly database: Database) {}

  /** Answers when it was first seen. From now on every event that is placed waits for it. */
  async register(name: string): Promise<{ readonly firstSeenAt: Date; readonly seeded: boolean }> {
    await this.database.execute(
      'INSERT INTO subscribers (name, first_seen_at) VALUES ($1, now()) ON CONFLICT (name) DO NOTHING',
      [name],
    );
    const [row] = await this.database.query<{ first_seen_at: Date; seeded: boolean }>(
      'SELECT first_seen_at, seeded_at IS NOT NULL AS seeded FROM subscribers WHERE name = $1',
      [name],
    );
    if (row === undefined) throw new Error(`Subscriber "${name}" is not there.`);
    return { firstSeenAt: row.first_seen_at, seeded: row.seeded };
  }

  /** The store behind one, in the order of ids, that has placed events; null at the end. One probe of an index. */
  async findStoreWithEvents(afterStoreId: string | null): Promise<string | null> {
    const [row] = await this.database.query<{ store_id: string }>(
      'SELECT store_id FROM events WHERE position IS NOT NULL AND store_id > $1 ORDER BY store_id LIMIT 1',
      [afterStoreId ?? FIRST_ID],
    );
    return row?.store_id ?? null;
  }

  /** The same for events that nobody has placed yet. */
  async findStoreWithUnplaced(afterStoreId: string | null): Promise<string | null> {
    const [row] = await this.database.query<{ store_id: string }>(
      'SELECT store_id FROM events WHERE position IS NULL AND store_id > $1 ORDER BY store_id LIMIT 1',
      [afterStoreId ?? FIRST_ID],
    );
    return row?.store_id ?? null;
  }

  /** Events that a store had before the subscriber came wait for it, too. */
  async seed(subscriber: string, storeId: string): Promise<void> {
    await this.database.execute(
      `INSERT INTO subscriber_positions (subscriber, store_id, placed, due_at)
       SELECT $1, $2, max(position), now() FROM events WHERE store_id = $2 AND position IS NOT NULL
       ON CONFLICT (subscriber, store_id) DO NOTHING`,
      [subscriber, storeId],
    );
  }

  async markSeeded(subscriber: string): Promise<void> {
    await this.database.execute('UPDATE subscribers SET seeded_at = now() WHERE name = $1', [subscriber]);
  }

  /** Stores whose events wait for a subscriber, longest first. */
  async listDue(subscriber: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ store_id: string }>(
      `SELECT store_id FROM subscriber_positions WHERE subscriber = $1 AND due_at <= now() ORDER BY due_at LIMIT $2`,
      [subscriber, limit],
    );
    return rows.map(({ store_id: storeId }) => storeId);
  }

  /** Where to go on; null when another process was first, or nothing is due any more. */
  async take({ subscriber, storeId, leaseToken }: Hold, leaseMs: number): Promise<bigint | null> {
    const [row] = await this.database.query<{ position: string }>(
      `UPDATE subscriber_positions SET due_at = now() + $4::${MILLISECONDS}, lease_token = $3
       WHERE subscriber = $1 AND store_id = $2 AND due_at <= now() RETURNING position`,
      [subscriber, storeId, leaseToken, leaseMs],
    );
    return row === undefined ? null : BigInt(row.position);
  }

  /** Makes the lease last so long from now. False when it is lost. */
  async hold({ subscriber, storeId, leaseToken }: Hold, leaseMs: number): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE subscriber_positions SET due_at = now() + $4::${MILLISECONDS}
       WHERE subscriber = $1 AND store_id = $2 AND lease_token = $3`,
      [subscriber, storeId, leaseToken, leaseMs],
    );
    return count === 1;
  }

  /** An event was heard. False when the lease is lost: another process goes on. */
  async advance({ subscriber, storeId, leaseToken }: Hold, position: bigint): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE subscriber_positions SET position = $4::bigint, failures = 0
       WHERE subscriber = $1 AND store_id = $2 AND lease_token = $3`,
      [subscriber, storeId, leaseToken, String(position)],
    );
    return count === 1;
  }

  /** Gives the lease back when all that is placed was heard. False when there is more, or the lease is lost. */
  async finish({ subscriber, storeId, leaseToken }: Hold): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE subscriber_positions SET due_at = NULL, lease_token = NULL, failures = 0
       WHERE subscriber = $1 AND store_id = $2 AND lease_token = $3 AND position >= placed`,
      [subscriber, storeId, leaseToken],
    );
    return count === 1;
  }

  /** Gives the lease back with work left, to go on after `delayMs`. */
  async giveBack({ subscriber, storeId, leaseToken }: Hold, delayMs: number, failed: boolean): Promise<void> {
    await this.database.execute(
      `UPDATE subscriber_positions SET due_at = now() + $4::${MILLISECONDS}, lease_token = NULL,
         failures = failures + $5::integer
       WHERE subscriber = $1 AND store_id = $2 AND lease_token = $3`,
      [subscriber, storeId, leaseToken, delayMs, failed ? 1 : 0],
    );
  }

  async findFailures(subscriber: string, storeId: string): Promise<number> {
    const [row] = await this.database.query<{ failures: number }>(
      'SELECT failures FROM subscriber_positions WHERE subscriber = $1 AND store_id = $2',
      [subscriber, storeId],
    );
    return row?.failures ?? 0;
  }
}
