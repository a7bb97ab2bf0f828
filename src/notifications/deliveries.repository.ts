import { Injectable } from '@nestjs/common';
import {
  BY_INDEX,
  Database,
  Fingerprints,
  MILLISECONDS,
  type Queryable,
  type Subject,
} from '../platform/database/index.js';
import type { PagePosition } from '../platform/http/index.js';
import { FIRST_ID } from '../kernel/ids.js';
import type { DeliveryStatus } from './deliveries.table.js';
import { MAX_STORES_WALKED } from './dispatching/due-deliveries.repository.js';
import { UNLEASED } from './dispatching/lease.js';
import type { AttemptRecord } from './dispatching/outcomes.js';

export interface DeliveryRow {
  readonly id: string;
  readonly paymentId: string | null;
  readonly event: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptRecord[];
  readonly nextAttemptAt: Date | null;
  readonly body: string | null;
  readonly createdAt: Date;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly paymentId?: string;
}

/** Held deliveries that one statement lets go, so that it stays short. */
const MAX_RELEASED = 1_000;
/** Endpoints that one statement looks at. */
const MAX_FAILING_ENDPOINTS = 100;
/** Attempts of one delivery that are shown: the latest. */
const MAX_ATTEMPTS_SHOWN = 100;

/**
 * The deliveries that are sent again, locked. An exchange that is under way ($3: whoever took the delivery that
 * recently may still be sending it) cannot be called back. The event is locked, too: its body must not go meanwhile.
 */
const FIND_AGAIN = `
  SELECT d.url IS NOT NULL OR s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL AS reachable,
    d.status = 'pending' AND d.leased_until > now() + $3::${MILLISECONDS} AS in_flight
  FROM deliveries d JOIN events e ON e.id = d.id AND e.store_id = d.store_id JOIN stores s ON s.id = d.store_id
  WHERE d.id = $1 AND d.store_id = $2 AND e.store_id = $2 AND e.body IS NOT NULL
  FOR UPDATE OF d FOR SHARE OF e`;

const SENT_AGAIN = `round_failures = 0, status = 'pending', due_at = now(), ${UNLEASED}`;
const HELD_AGAIN = `round_failures = 0, status = 'held', due_at = NULL, ${UNLEASED}`;

/** The stores behind $1 that hold something although they have a URL, in turn. */
const WALK_HELD = `
  SELECT t.store_id FROM store_states t JOIN stores s ON s.id = t.store_id
  WHERE t.store_id > $1 AND s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL
    AND EXISTS (SELECT 1 FROM deliveries d WHERE d.store_id = t.store_id AND d.status = 'held')
  ORDER BY t.store_id LIMIT $2`;

/** `$1` is the length of a lease in milliseconds, `$2` the store. */
const COLUMNS = `d.id, d.payment_id, e.event, d.status, e.body, d.created_at,
  CASE WHEN d.status = 'pending' THEN COALESCE(d.leased_until - $1::${MILLISECONDS}, d.due_at) END AS next_attempt_at,
  (SELECT json_agg(a ORDER BY a.number)
   FROM (SELECT * FROM delivery_attempts WHERE delivery_id = d.id AND store_id = $2 ORDER BY number DESC LIMIT ${MAX_ATTEMPTS_SHOWN}) a
  ) AS attempts`;

interface ViewRow {
  id: string;
  payment_id: string | null;
  event: string;
  status: DeliveryStatus;
  body: string | null;
  created_at: Date;
  next_attempt_at: Date | null;
  attempts:
    | {
        at: string;
        duration_ms: number;
        response_status: number | null;
        error: string | null;
        response_excerpt: string | null;
      }[]
    | null;
}

const MARK = `concat_ws(' ', d.id, d.status,
    (SELECT max(a.number) FROM delivery_attempts a WHERE a.delivery_id = d.id AND a.store_id = d.store_id)) AS mark`;
const LATEST = new Fingerprints(
  'deliveries-fingerprints',
  (storeId) =>
    `SELECT ${MARK} FROM deliveries d WHERE d.store_id = ${storeId} ORDER BY d.created_at DESC, d.id DESC LIMIT 20`,
);
const OF_PAYMENT = new Fingerprints(
  'deliveries-fingerprints-of-payment',
  (
    storeId,
    paymentId,
  ) => `SELECT ${MARK} FROM deliveries d WHERE d.store_id = ${storeId} AND d.payment_id = ${paymentId}
    ORDER BY d.created_at DESC, d.id DESC LIMIT 20`,
);

/**
 * Deliveries as merchants and users see them, and what they do to them: send again, let go. Taking what is due stands
 * in `DueDeliveriesRepository`, writing down what became of it in `DeliveryOutcomesRepository`.
 */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Begins a fresh schedule: due at once, or held where there is nowhere to send it to. What is being sent at this
   * moment, because it was taken less than `leaseMs - exchangeMs` ago, is left to that attempt. Answers the delivery as
   * it is before the attempt; null when the store has no such delivery, or its body is not kept any more.
   */
  async redeliver(
    storeId: string,
    deliveryId: string,
    { leaseMs, exchangeMs }: { readonly leaseMs: number; readonly exchangeMs: number },
  ): Promise<DeliveryRow | null> {
    return this.database.transaction(async (tx) => {
      const [row] = await tx.query<{ reachable: boolean; in_flight: boolean }>(FIND_AGAIN, [
        ...[deliveryId, storeId, leaseMs - exchangeMs],
      ]);
      if (row === undefined) return null;
      const change = row.in_flight ? 'round_failures = 0' : row.reachable ? SENT_AGAIN : HELD_AGAIN;
      await tx.execute(`UPDATE deliveries SET ${change} WHERE id = $1 AND store_id = $2`, [
        deliveryId,
        storeId,
      ]);
      // In this transaction: after it somebody may be sending it already.
      return this.find(storeId, deliveryId, leaseMs, tx);
    });
  }

  /** Endpoints that have had no success for `failingMs`, over attempts at `events` different events or more. */
  async listFailingEndpoints(
    failingMs: number,
    events: number,
  ): Promise<readonly { readonly storeId: string; readonly webhookUrl: string }[]> {
    const failing: { storeId: string; webhookUrl: string }[] = [];
    let afterStoreId = FIRST_ID;
    // Those that have failed too few events stay, however long: nobody behind them waits for them.
    for (;;) {
      const endpoints = await this.database.query<{ id: string; webhook_url: string; since: Date }>(
        `SELECT s.id, s.webhook_url, t.webhook_failing_since AS since
         FROM store_states t JOIN stores s ON s.id = t.store_id
         WHERE t.webhook_failing_since < now() - $1::${MILLISECONDS} AND t.store_id > $2
           AND s.webhook_paused_at IS NULL AND s.webhook_url IS NOT NULL
         ORDER BY t.store_id LIMIT ${MAX_FAILING_ENDPOINTS}`,
        [failingMs, afterStoreId],
      );
      for (const { id: storeId, webhook_url: webhookUrl, since } of endpoints)
        if ((await this.countFailing(storeId, since, events)) >= events)
          failing.push({ storeId, webhookUrl });
      if (endpoints.length < MAX_FAILING_ENDPOINTS) return failing;
      afterStoreId = endpoints.at(-1)!.id;
    }
  }

  /** Lets go what a store holds, as far as one short statement can; `releaseForgotten` does the rest. */
  async releaseHeld(storeId: string): Promise<number> {
    return this.database.execute(
      `UPDATE deliveries SET status = 'pending', due_at = now(), ${UNLEASED}, round_failures = 0
       WHERE store_id = $1 AND id IN (SELECT id FROM deliveries WHERE store_id = $1 AND status = 'held'
                    LIMIT ${MAX_RELEASED} FOR UPDATE SKIP LOCKED)`,
      [storeId],
    );
  }

  /** Lets go what is held although its store has a URL. Answers how many, and where the next call goes on. */
  async releaseForgotten(
    fromStoreId: string | null,
  ): Promise<{ readonly released: number; readonly nextStoreId: string | null }> {
    const stores = await this.database.transaction(
      (tx) => tx.query<{ store_id: string }>(WALK_HELD, [fromStoreId ?? FIRST_ID, MAX_STORES_WALKED]),
      { settings: BY_INDEX },
    );
    let released = 0;
    for (const { store_id: storeId } of stores) {
      released += await this.releaseHeld(storeId);
      if (released >= MAX_RELEASED) return { released, nextStoreId: storeId };
    }
    return { released, nextStoreId: stores.length < MAX_STORES_WALKED ? null : stores.at(-1)!.store_id };
  }

  /** `leaseMs` tells since when a delivery is being sent: that is shown as its next attempt. */
  async find(
    storeId: string,
    deliveryId: string,
    leaseMs: number,
    on: Queryable = this.database,
  ): Promise<DeliveryRow | null> {
    const [row] = await on.query<ViewRow>(
      `SELECT ${COLUMNS} FROM deliveries d JOIN events e ON e.id = d.id AND e.store_id = d.store_id
       WHERE d.id = $3 AND d.store_id = $2 AND e.store_id = $2`,
      [leaseMs, storeId, deliveryId],
    );
    return row === undefined ? null : deliveryOf(row);
  }

  /** Fingerprints of what pages show of the latest deliveries, by store. */
  latestFingerprints(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return LATEST.ofStores(this.database, storeIds);
  }

  /** Fingerprints of what pages show of the deliveries of payments, by payment. */
  fingerprintsOfPayments(payments: readonly Subject[]): Promise<ReadonlyMap<string, string>> {
    return OF_PAYMENT.of(this.database, payments);
  }

  /** Newest first. Answers one row more than `limit`. */
  async list(
    storeId: string,
    filter: DeliveryFilter,
    position: PagePosition | null,
    limit: number,
    leaseMs: number,
  ): Promise<DeliveryRow[]> {
    const rows = await this.database.query<ViewRow>(
      `SELECT ${COLUMNS}
       FROM (
         SELECT * FROM deliveries d
         WHERE d.store_id = $2
           AND ($3::text IS NULL OR d.status = $3)
           AND ($4::uuid IS NULL
             OR d.id = ANY (ARRAY(SELECT id FROM events WHERE store_id = $2 AND payment_id = $4)))
           AND ($5::timestamptz IS NULL OR (d.created_at, d.id) < ($5, $6::uuid))
         ORDER BY d.created_at DESC, d.id DESC
         LIMIT $7
       ) d
       JOIN events e ON e.id = d.id AND e.store_id = d.store_id AND e.store_id = $2
       ORDER BY d.created_at DESC, d.id DESC`,
      [
        leaseMs,
        storeId,
        filter.status ?? null,
        filter.paymentId ?? null,
        position?.at ?? null,
        position?.id ?? null,
        limit + 1,
      ],
    );
    return rows.map(deliveryOf);
  }

  /**
   * Attempts at how many different events, of the latest that were tried, have failed since; no more than `limit` are
   * counted.
   */
  private async countFailing(storeId: string, since: Date, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM (
         SELECT d.id FROM deliveries d
         WHERE d.store_id = $1 AND d.status IN ('pending', 'failed') AND d.attempt_count > 0 AND d.url IS NULL
           AND EXISTS (SELECT 1 FROM delivery_attempts a
                       WHERE a.delivery_id = d.id AND a.store_id = $1 AND a.at >= $2::timestamptz - interval '1 minute')
         ORDER BY d.created_at DESC, d.id DESC LIMIT $3) failing`,
      [storeId, since, limit],
    );
    return row?.count ?? 0;
  }
}

function deliveryOf(row: ViewRow): DeliveryRow {
  return {
    id: row.id,
    paymentId: row.payment_id,
    event: row.event,
    status: row.status,
    attempts: (row.attempts ?? []).map((attempt) => ({
      at: new Date(attempt.at),
      durationMs: attempt.duration_ms,
      responseStatus: attempt.response_status,
      error: attempt.error,
      responseExcerpt: attempt.response_excerpt,
    })),
    nextAttemptAt: row.next_attempt_at,
    body: row.body,
    createdAt: row.created_at,
  };
}
