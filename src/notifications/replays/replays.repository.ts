import { Injectable } from '@nestjs/common';
import { Database, type RecordOf, type Transaction } from '../../platform/database/index.js';
import { isFree, UNLEASED } from '../dispatching/lease.js';
import { DELIVERY_REPLAYS, type ReplayChoice } from './delivery-replays.table.js';

const REPLAY = DELIVERY_REPLAYS.pick(
  ...(['id', 'status', 'only', 'since', 'until', 'total', 'done', 'createdAt', 'finishedAt'] as const),
);
export type ReplayRecord = RecordOf<typeof REPLAY>;

export interface NewReplay {
  readonly id: string;
  readonly storeId: string;
  readonly only: ReplayChoice;
  readonly since: Date;
  readonly until: Date;
}

/** Replays that one look takes a step further. */
const MAX_REPLAYS_ADVANCED = 16;

/** The condition of a choice in the table. One text for each, so that `failed` is found by its own index. */
const CHOSEN: Readonly<Record<ReplayChoice, string>> = {
  failed: `d.status = 'failed'`,
  all: `d.status IN ('failed', 'delivered')`,
};

/**
 * The next deliveries of a replay, in the order of their events. They are locked in that order, and looked at again
 * when another transaction was there first.
 */
const nextBatch = (only: ReplayChoice) => `
  SELECT d.id, d.created_at, d.url IS NOT NULL OR s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL AS reachable
  FROM deliveries d JOIN events e ON e.id = d.id AND e.store_id = d.store_id JOIN stores s ON s.id = d.store_id
  WHERE d.store_id = $1 AND e.store_id = $1 AND ${CHOSEN[only]}
    AND e.body IS NOT NULL
    AND d.created_at >= $2 AND d.created_at < $3
    AND ($4::timestamptz IS NULL OR (d.created_at, d.id) > ($4, $5::uuid))
  ORDER BY d.created_at, d.id
  LIMIT $6
  FOR UPDATE OF d FOR SHARE OF e`;

/** Due at once or held, like a redelivery. */
const SEND = (due: boolean) => `
  UPDATE deliveries SET status = '${due ? 'pending' : 'held'}', due_at = ${due ? 'now()' : 'NULL'},
    ${UNLEASED}, round_failures = 0
  WHERE store_id = $1 AND id = ANY($2::uuid[])`;

interface NextRow {
  id: string;
  created_at: Date;
  reachable: boolean;
}

/** A replay that is not done, and whose it is. */
export interface RunningReplay {
  readonly id: string;
  readonly storeId: string;
}

/** The only place that knows the table `delivery_replays`. */
@Injectable()
export class ReplaysRepository {
  constructor(private readonly database: Database) {}

  /** Null when the store has a replay that is not done. */
  async insert(replay: NewReplay): Promise<ReplayRecord | null> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM deliveries d
       WHERE d.store_id = $1 AND ${CHOSEN[replay.only]} AND d.created_at >= $2 AND d.created_at < $3`,
      [replay.storeId, replay.since, replay.until],
    );
    const [row] = await this.database.query(
      `INSERT INTO delivery_replays (id, store_id, status, choice, since, until, total, created_at, advanced_at)
       VALUES ($1, $2, 'running', $3, $4, $5, $6, now(), now())
       ON CONFLICT (store_id) WHERE status = 'running' DO NOTHING
       RETURNING ${REPLAY.list()}`,
      [replay.id, replay.storeId, replay.only, replay.since, replay.until, counted?.count ?? 0],
    );
    return row === undefined ? null : REPLAY.read(row);
  }

  async find(storeId: string, replayId: string): Promise<ReplayRecord | null> {
    const [row] = await this.database.query(
      `SELECT ${REPLAY.list()} FROM delivery_replays WHERE id = $1 AND store_id = $2`,
      [replayId, storeId],
    );
    return row === undefined ? null : REPLAY.read(row);
  }

  /** Those that have waited longest for a step. */
  async listRunning(): Promise<RunningReplay[]> {
    const rows = await this.database.query<{ id: string; store_id: string }>(
      `SELECT id, store_id FROM delivery_replays WHERE status = 'running'
       ORDER BY advanced_at LIMIT ${MAX_REPLAYS_ADVANCED}`,
    );
    return rows.map(({ id, store_id: storeId }) => ({ id, storeId }));
  }

  /**
   * Takes a replay one step further, in one transaction: as many deliveries as bring what is due for its store to
   * `batch`. Answers how many. 0 also while another replica does it, or while enough is due.
   */
  async advance({ id, storeId }: RunningReplay, batch: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [row] = await tx.query(
        `SELECT ${DELIVERY_REPLAYS.list()} FROM delivery_replays
         WHERE id = $1 AND store_id = $2 AND status = 'running' FOR UPDATE SKIP LOCKED`,
        [id, storeId],
      );
      if (row === undefined) return 0;
      const replay = DELIVERY_REPLAYS.read(row);
      const room = batch - (await this.countDue(tx, storeId, batch));
      const sent = room > 0 ? await this.sendNext(tx, replay, room) : [];
      const last = sent.at(-1);
      await tx.execute(
        `UPDATE delivery_replays SET done = done + $3, cursor_at = COALESCE($4, cursor_at),
           cursor_id = COALESCE($5, cursor_id), advanced_at = now(), total = GREATEST(total, done + $3)
         WHERE id = $1 AND store_id = $2`,
        [id, storeId, sent.length, last?.created_at ?? null, last?.id ?? null],
      );
      if (room > 0 && sent.length < room)
        await tx.execute(
          `UPDATE delivery_replays SET status = 'done', finished_at = now() WHERE id = $1 AND store_id = $2`,
          [id, storeId],
        );
      return sent.length;
    });
  }

  private async countDue(tx: Transaction, storeId: string, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM (
         SELECT FROM deliveries d
         WHERE d.store_id = $1 AND d.status = 'pending' AND d.due_at <= now() AND ${isFree('d')} LIMIT $2) due`,
      [storeId, limit],
    );
    return row?.count ?? 0;
  }

  private async sendNext(
    tx: Transaction,
    replay: RecordOf<typeof DELIVERY_REPLAYS>,
    limit: number,
  ): Promise<NextRow[]> {
    const found = await tx.query<NextRow>(nextBatch(replay.only), [
      replay.storeId,
      replay.since,
      replay.until,
      replay.cursorAt,
      replay.cursorId,
      limit,
    ]);
    for (const due of [true, false]) {
      const ids = found.filter(({ reachable }) => reachable === due).map(({ id }) => id);
      if (ids.length > 0) await tx.execute(SEND(due), [replay.storeId, ids]);
    }
    // Where another transaction was there first, rows may come in another order than they were looked for in.
    return found.sort(
      (left, right) =>
        left.created_at.getTime() - right.created_at.getTime() || (left.id < right.id ? -1 : 1),
    );
  }
}
