import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Statement } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { newId } from '../kernel/ids.js';
import { isStorableText } from '../kernel/text.js';
import { StoreStates } from '../stores/index.js';
import type { DeliveryStatus } from './delivery.entity.js';
import type { LanePlan } from './dispatching/lanes.js';
import type { AttemptRecord, DeliveryOutcome } from './dispatching/outcomes.js';

/** A delivery that this process has just leased. All of one claim share their lease token. */
export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly storeId: string;
  readonly body: string;
  readonly url: string | null;
  readonly apiKeyHeader: string | null;
  readonly simulated: boolean;
  readonly redacted: boolean;
  readonly leaseToken: string;
  readonly roundFailures: number;
  /** Its lease had run out, so whoever held it is gone or has lost touch with the database. */
  readonly takenOver: boolean;
  /** It has never been delivered before. */
  readonly firstDelivery: boolean;
  /** Since the event, in milliseconds. */
  readonly ageMs: number;
}

export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Where the next claim goes on, so that every store has its turn; null to begin with the first store again. */
  readonly nextStoreId: string | null;
}

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

export type Redelivery =
  /** Leased to this process, to be sent now. */
  | { readonly kind: 'leased'; readonly delivery: ClaimedDelivery }
  /** In the table: held, due for whoever takes it, or being sent at this moment. */
  | { readonly kind: 'left' };

/** Stores that one statement looks at. The walk costs one probe of an index for each, a few microseconds. */
const MAX_STORES_WALKED = 500;
/** Held deliveries that one statement lets go, so that it stays short. */
const MAX_RELEASED = 1_000;
/** Endpoints that are paused in one go. */
const MAX_FAILING_ENDPOINTS = 100;
/** Attempts of one delivery that are shown: the latest. */
const MAX_ATTEMPTS_SHOWN = 100;
const FIRST_STORE_ID = '00000000-0000-0000-0000-000000000000';

/** What `deliveries_due` holds. */
const DUE_AT = "(due_at AT TIME ZONE 'UTC')";
const MILLISECONDS = "double precision * interval '1 millisecond'";

/**
 * Walks over the stores that have something pending, in turn, and takes from each what is due and what it has room for.
 * A store that is left out costs one probe of `deliveries_due_store`, however much it has due (figures in the README).
 * Planned by index only, because its plan is kept: it must not be one that suits a table that is still small.
 */
const CLAIM: Statement = {
  name: 'deliveries-claim',
  text: `
  WITH RECURSIVE walk AS (
    (SELECT d.store_id, 1 AS step FROM deliveries d
     WHERE d.status = 'pending' AND d.store_id > $1 ORDER BY d.store_id LIMIT 1)
    UNION ALL
    SELECT next.store_id, walk.step + 1
    FROM walk CROSS JOIN LATERAL (
      SELECT d.store_id FROM deliveries d
      WHERE d.status = 'pending' AND d.store_id > walk.store_id ORDER BY d.store_id LIMIT 1
    ) next
    WHERE walk.step < $2
  ), picked AS (
    SELECT due.id, due.event_id, due.store_id, due.lease_token
    FROM walk
    LEFT JOIN unnest($3::uuid[], $4::integer[]) AS lane (store_id, room) ON lane.store_id = walk.store_id
    CROSS JOIN LATERAL (
      SELECT d.id, d.event_id, d.store_id, d.lease_token FROM deliveries d
      WHERE d.status = 'pending' AND d.store_id = walk.store_id AND d.due_at <= now()
      ORDER BY d.due_at
      LIMIT COALESCE(lane.room, $5)
      FOR UPDATE SKIP LOCKED
    ) due
    LIMIT $6
  ), claimed AS (
    UPDATE deliveries d
    SET due_at = now() + $7::${MILLISECONDS}, lease_token = $8
    FROM picked JOIN events e ON e.id = picked.event_id AND e.store_id = picked.store_id
    WHERE d.id = picked.id AND d.store_id = picked.store_id
    RETURNING d.id, d.event_id, d.store_id, e.body, d.url, d.api_key_header, e.simulated,
      e.redacted_at IS NOT NULL AS redacted, d.lease_token, d.round_failures,
      picked.lease_token IS NOT NULL AS taken_over, d.delivered_at IS NULL AS first_delivery,
      extract(epoch FROM now() - d.created_at)::double precision * 1000 AS age_ms
  )
  SELECT claimed.*, walked.store_id AS walked_to, walked.step AS walked
  FROM (SELECT walk.store_id, walk.step FROM walk ORDER BY walk.step DESC LIMIT 1) walked
  LEFT JOIN claimed ON true`,
};

/** The process that found out still holds the delivery. */
const HOLDS = '(d.lease_token = r.lease_token) IS TRUE';
/** Until the next attempt; the first step again when the schedule was begun anew meanwhile. */
const DELAY_MS =
  "CASE WHEN r.kind <> 'failed' OR d.round_failures = r.failures_before THEN r.delay_ms ELSE r.fresh_delay_ms END";

/**
 * A 2xx counts whoever holds the lease: the merchant has the event. Everything else changes the delivery only under the
 * lease, but every attempt that was made is kept. The millisecond makes up for rounding, so that no retry is early.
 * Answers the stores whose endpoint has begun to fail or works again, in the order in which that is written down, so that two
 * replicas do not wait for each other. Its plan is kept and made by index only, like that of `CLAIM`: planning costs more than
 * all the rest of a small batch.
 */
const SETTLE: Statement = {
  name: 'deliveries-settle',
  text: `
  WITH result AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::double precision[],
      $6::double precision[], $7::timestamptz[], $8::integer[], $9::integer[], $10::text[], $11::text[])
      AS r (delivery_id, lease_token, kind, failures_before, delay_ms, fresh_delay_ms, at, duration_ms,
            response_status, error, response_excerpt)
  ), settled AS (
    UPDATE deliveries d SET
      status = CASE
        WHEN r.kind = 'delivered' THEN 'delivered'
        WHEN NOT ${HOLDS} THEN d.status
        WHEN r.kind = 'held' THEN 'held'
        WHEN ${DELAY_MS} IS NULL THEN 'failed'
        ELSE 'pending' END,
      due_at = CASE
        WHEN r.kind = 'delivered' THEN NULL
        WHEN NOT ${HOLDS} THEN d.due_at
        WHEN r.kind = 'held' THEN NULL
        ELSE now() + (${DELAY_MS} + 1)::${MILLISECONDS} END,
      lease_token = CASE WHEN r.kind = 'delivered' OR ${HOLDS} THEN NULL ELSE d.lease_token END,
      round_failures = d.round_failures + (r.kind = 'failed' AND ${HOLDS})::integer,
      attempt_count = d.attempt_count + (r.at IS NOT NULL)::integer,
      delivered_at = CASE WHEN r.kind = 'delivered' THEN now() ELSE d.delivered_at END
    FROM result r
    WHERE d.id = r.delivery_id
      AND (r.at IS NOT NULL OR ${HOLDS})
      AND NOT ($12 AND EXISTS (
        SELECT FROM delivery_attempts a
        WHERE a.delivery_id = d.id AND a.store_id = d.store_id AND a.number = d.attempt_count AND a.at = r.at AND a.duration_ms = r.duration_ms))
    RETURNING d.id, d.store_id, d.attempt_count, d.url, r.kind, r.at, r.duration_ms, r.response_status, r.error,
      r.response_excerpt
  ), attempted AS (
    INSERT INTO delivery_attempts (delivery_id, store_id, number, at, duration_ms, response_status, error, response_excerpt)
    SELECT id, store_id, attempt_count, at, duration_ms, response_status, error, response_excerpt
    FROM settled WHERE at IS NOT NULL
  )
  SELECT s.store_id, answers.healthy, now() AS at
  FROM (SELECT settled.store_id, bool_or(settled.kind = 'delivered') AS healthy
        FROM settled WHERE settled.kind IN ('delivered', 'failed') AND settled.url IS NULL GROUP BY settled.store_id) answers
  JOIN store_states s ON s.store_id = answers.store_id
  WHERE answers.healthy = (s.webhook_failing_since IS NOT NULL)
  ORDER BY s.store_id`,
};

/**
 * A fresh schedule, from any state. An exchange that is under way cannot be called back, so it becomes the first of the new
 * schedule ($5: whoever took the delivery that recently may still be sending it). Otherwise the delivery is leased to this
 * process ($4), or due at once for whoever takes it ($4 is null). The event is locked, too: its body must not go meanwhile.
 * What stays is taken from the locked row: `d` may be the row before it at first, and PostgreSQL checks constraints on that try.
 */
const REDELIVER = `
  WITH found AS (
    SELECT d.id, d.event_id, d.due_at, d.lease_token,
      d.url IS NOT NULL OR s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL AS reachable,
      d.status = 'pending' AND d.lease_token IS NOT NULL AND d.due_at > now() + $5::${MILLISECONDS} AS in_flight
    FROM deliveries d JOIN events e ON e.id = d.event_id AND e.store_id = d.store_id JOIN stores s ON s.id = d.store_id
    WHERE d.id = $1 AND d.store_id = $2 AND e.store_id = $2 AND e.body IS NOT NULL
    FOR UPDATE OF d FOR SHARE OF e
  )
  UPDATE deliveries d SET
    round_failures = 0,
    status = CASE WHEN in_flight OR reachable THEN 'pending' ELSE 'held' END,
    due_at = CASE WHEN in_flight THEN found.due_at WHEN reachable THEN now() + $3::${MILLISECONDS} END,
    lease_token = CASE WHEN in_flight THEN found.lease_token WHEN reachable THEN $4::uuid END
  FROM found JOIN events e ON e.id = found.event_id AND e.store_id = $2
  WHERE d.id = found.id AND d.store_id = $2
  RETURNING d.id, d.event_id, d.store_id, e.body, d.url, d.api_key_header, e.simulated,
    e.redacted_at IS NOT NULL AS redacted, d.lease_token, d.delivered_at IS NULL AS first_delivery,
    reachable AND NOT in_flight AND $4::uuid IS NOT NULL AS leased,
    extract(epoch FROM now() - d.created_at)::double precision * 1000 AS age_ms`;

/**
 * Lets go what is held although its store has a URL: set while the event was being written, or more than the change of the
 * store released by itself. Walks over the stores like `CLAIM`.
 */
const RELEASE_FORGOTTEN = `
  WITH RECURSIVE walk AS (
    (SELECT d.store_id, 1 AS step FROM deliveries d
     WHERE d.status = 'held' AND d.store_id > $1 ORDER BY d.store_id LIMIT 1)
    UNION ALL
    SELECT next.store_id, walk.step + 1
    FROM walk CROSS JOIN LATERAL (
      SELECT d.store_id FROM deliveries d
      WHERE d.status = 'held' AND d.store_id > walk.store_id ORDER BY d.store_id LIMIT 1
    ) next
    WHERE walk.step < $2
  ), picked AS (
    SELECT held.id
    FROM walk JOIN stores s ON s.id = walk.store_id AND s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d WHERE d.status = 'held' AND d.store_id = walk.store_id
      LIMIT $3 FOR UPDATE SKIP LOCKED
    ) held
    LIMIT $3
  ), released AS (
    UPDATE deliveries d SET status = 'pending', due_at = now(), lease_token = NULL, round_failures = 0
    FROM picked WHERE d.id = picked.id
    RETURNING d.id
  )
  SELECT walked.store_id AS walked_to, walked.step AS walked, (SELECT count(*)::integer FROM released) AS released
  FROM (SELECT walk.store_id, walk.step FROM walk ORDER BY walk.step DESC LIMIT 1) walked`;

/** `$1` is the length of a lease in milliseconds, `$2` the store. */
const COLUMNS = `d.id, d.payment_id, e.event, d.status, e.body, d.created_at,
  CASE WHEN d.lease_token IS NULL THEN d.due_at ELSE d.due_at - $1::${MILLISECONDS} END AS next_attempt_at,
  (SELECT json_agg(a ORDER BY a.number)
   FROM (SELECT * FROM delivery_attempts WHERE delivery_id = d.id AND store_id = $2 ORDER BY number DESC LIMIT ${MAX_ATTEMPTS_SHOWN}) a
  ) AS attempts`;

interface ClaimRow {
  id: string | null;
  event_id: string;
  store_id: string;
  body: string;
  url: string | null;
  api_key_header: string | null;
  simulated: boolean;
  redacted: boolean;
  lease_token: string;
  round_failures: number;
  taken_over: boolean;
  first_delivery: boolean;
  age_ms: number;
  walked_to: string;
  walked: number;
}

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

/**
 * The only place that knows the tables `deliveries` and `delivery_attempts`, but for the row that comes with an event. Every
 * lease is counted by the database's clock, so that replicas need not agree on the time.
 */
@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly states: StoreStates,
  ) {}

  /** Takes what is due, at most `plan.total`, and leases it to this process for `leaseMs`. */
  async claim(plan: LanePlan, fromStoreId: string | null, leaseMs: number): Promise<Claim> {
    const values = [
      fromStoreId ?? FIRST_STORE_ID,
      MAX_STORES_WALKED,
      [...plan.rooms.keys()],
      [...plan.rooms.values()],
      plan.defaultRoom,
      plan.total,
      leaseMs,
      newId(),
    ];
    const rows = await this.database.transaction((tx) => tx.query<ClaimRow>(CLAIM, values), {
      byIndexOnly: true,
    });
    const deliveries = rows.filter(({ id }) => id !== null).map(claimedOf);
    return { deliveries, nextStoreId: nextStoreId(rows, deliveries, plan.total) };
  }

  /** Milliseconds until something is due that is not due yet, when that is within `horizonMs`; else null. */
  async findNextDueMs(horizonMs: number): Promise<number | null> {
    const [row] = await this.database.query<{ in_ms: number }>(
      `SELECT extract(epoch FROM due_at - now())::double precision * 1000 AS in_ms FROM deliveries
       WHERE status = 'pending' AND ${DUE_AT} > now() AT TIME ZONE 'UTC'
         AND ${DUE_AT} < (now() + $1::${MILLISECONDS}) AT TIME ZONE 'UTC'
       ORDER BY ${DUE_AT} LIMIT 1`,
      [horizonMs],
    );
    return row === undefined ? null : Math.max(0, row.in_ms);
  }

  /** How long the oldest delivery that is due has been waiting, in milliseconds; 0 when none is. */
  async findOldestDueAgeMs(): Promise<number> {
    const [row] = await this.database.query<{ age_ms: number }>(
      `SELECT extract(epoch FROM now() - due_at)::double precision * 1000 AS age_ms FROM deliveries
       WHERE status = 'pending' AND ${DUE_AT} <= now() AT TIME ZONE 'UTC' ORDER BY ${DUE_AT} LIMIT 1`,
    );
    return Math.max(0, row?.age_ms ?? 0);
  }

  /** Writes what became of deliveries, each at most once in `batch`. `again`: an earlier try may have been committed. */
  async settle(batch: readonly DeliveryOutcome[], again: boolean): Promise<void> {
    const attempts = batch.map((outcome) => ('attempt' in outcome ? (outcome.attempt ?? null) : null));
    const values = [
      plainArray(batch.map(({ deliveryId }) => deliveryId)),
      plainArray(batch.map(({ leaseToken }) => leaseToken)),
      plainArray(batch.map(({ kind }) => kind)),
      plainArray(batch.map((outcome) => (outcome.kind === 'failed' ? outcome.failuresBefore : 0))),
      plainArray(batch.map(delayMsOf)),
      plainArray(batch.map((outcome) => (outcome.kind === 'failed' ? outcome.freshDelayMs : null))),
      plainArray(attempts.map((attempt) => attempt?.at.toISOString() ?? null)),
      plainArray(attempts.map((attempt) => attempt?.durationMs ?? null)),
      plainArray(attempts.map((attempt) => attempt?.responseStatus ?? null)),
      attempts.map((attempt) => attempt?.error ?? null),
      attempts.map((attempt) => storable(attempt?.responseExcerpt ?? null)),
      again,
    ];
    await this.database.transaction(
      async (tx) => {
        const turned = await tx.query<{ store_id: string; healthy: boolean; at: Date }>(SETTLE, values);
        for (const { store_id: storeId, healthy, at } of turned)
          await this.states.markWebhook(tx, storeId, healthy ? null : at);
      },
      { byIndexOnly: true },
    );
  }

  /**
   * Begins a fresh schedule. With a `lease` the delivery is taken by this process, unless it is being sent at this moment:
   * taken less than `lease.ms - inFlightMs` ago. Null when the store has no such delivery, or its body is not kept any more.
   */
  async redeliver(
    storeId: string,
    deliveryId: string,
    lease: { readonly token: string | null; readonly ms: number; readonly inFlightMs: number },
  ): Promise<Redelivery | null> {
    const [row] = await this.database.query<ClaimRow & { leased: boolean }>(REDELIVER, [
      deliveryId,
      storeId,
      lease.token === null ? 0 : lease.ms,
      lease.token,
      lease.ms - lease.inFlightMs,
    ]);
    if (row === undefined) return null;
    if (!row.leased) return { kind: 'left' };
    return { kind: 'leased', delivery: claimedOf({ ...row, round_failures: 0, taken_over: false }) };
  }

  /** Endpoints that have had no success for `failingMs`, over attempts at `events` different events or more. */
  async listFailingEndpoints(
    failingMs: number,
    events: number,
  ): Promise<readonly { readonly storeId: string; readonly webhookUrl: string }[]> {
    const rows = await this.database.query<{ id: string; webhook_url: string }>(
      `SELECT s.id, s.webhook_url FROM store_states t JOIN stores s ON s.id = t.store_id
       WHERE t.webhook_failing_since < now() - $1::${MILLISECONDS}
         AND s.webhook_paused_at IS NULL AND s.webhook_url IS NOT NULL
         AND $2 <= (
           SELECT count(*) FROM (
             SELECT FROM deliveries d
             WHERE d.store_id = s.id AND d.status IN ('pending', 'failed') AND d.attempt_count > 0 AND d.url IS NULL
               AND EXISTS (SELECT FROM delivery_attempts a
                           WHERE a.delivery_id = d.id AND a.store_id = d.store_id AND a.at >= t.webhook_failing_since - interval '1 minute')
             ORDER BY d.created_at DESC, d.id DESC LIMIT $2
           ) failing)
       ORDER BY t.webhook_failing_since LIMIT ${MAX_FAILING_ENDPOINTS}`,
      [failingMs, events],
    );
    return rows.map(({ id, webhook_url }) => ({ storeId: id, webhookUrl: webhook_url }));
  }

  /** Lets go what a store holds, as far as one short statement can; `releaseForgotten` does the rest. */
  async releaseHeld(on: Queryable, storeId: string): Promise<number> {
    return on.execute(
      `UPDATE deliveries SET status = 'pending', due_at = now(), lease_token = NULL, round_failures = 0
       WHERE store_id = $1 AND id IN (SELECT id FROM deliveries WHERE store_id = $1 AND status = 'held'
                    LIMIT ${MAX_RELEASED} FOR UPDATE SKIP LOCKED)`,
      [storeId],
    );
  }

  /** Lets go what is held although its store has a URL. Answers how many, and where the next call goes on. */
  async releaseForgotten(
    fromStoreId: string | null,
  ): Promise<{ readonly released: number; readonly nextStoreId: string | null }> {
    const [row] = await this.database.query<{ walked_to: string; walked: number; released: number }>(
      RELEASE_FORGOTTEN,
      [fromStoreId ?? FIRST_STORE_ID, MAX_STORES_WALKED, MAX_RELEASED],
    );
    if (row === undefined) return { released: 0, nextStoreId: null };
    return { released: row.released, nextStoreId: row.walked < MAX_STORES_WALKED ? null : row.walked_to };
  }

  /** `leaseMs` tells since when a delivery is being sent: that is shown as its next attempt. */
  async find(storeId: string, deliveryId: string, leaseMs: number): Promise<DeliveryRow | null> {
    const [row] = await this.database.query<ViewRow>(
      `SELECT ${COLUMNS} FROM deliveries d JOIN events e ON e.id = d.event_id AND e.store_id = d.store_id
       WHERE d.id = $3 AND d.store_id = $2 AND e.store_id = $2`,
      [leaseMs, storeId, deliveryId],
    );
    return row === undefined ? null : deliveryOf(row);
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
           AND ($4::uuid IS NULL OR d.event_id IN (SELECT id FROM events WHERE store_id = $2 AND payment_id = $4))
           AND ($5::timestamptz IS NULL OR (d.created_at, d.id) < ($5, $6::uuid))
         ORDER BY d.created_at DESC, d.id DESC
         LIMIT $7
       ) d
       JOIN events e ON e.id = d.event_id AND e.store_id = d.store_id AND e.store_id = $2
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
}

/** After a full claim with the last store that got something, after a full walk where it ended, else from the beginning. */
function nextStoreId(
  rows: readonly ClaimRow[],
  deliveries: readonly ClaimedDelivery[],
  total: number,
): string | null {
  if (deliveries.length >= total && total > 0) {
    return deliveries.reduce((last, { storeId }) => (storeId > last ? storeId : last), FIRST_STORE_ID);
  }
  const [row] = rows;
  return row === undefined || row.walked < MAX_STORES_WALKED ? null : row.walked_to;
}

function claimedOf(row: ClaimRow): ClaimedDelivery {
  return {
    deliveryId: row.id!,
    eventId: row.event_id,
    storeId: row.store_id,
    body: row.body,
    url: row.url,
    apiKeyHeader: row.api_key_header,
    simulated: row.simulated,
    redacted: row.redacted,
    leaseToken: row.lease_token,
    roundFailures: row.round_failures,
    takenOver: row.taken_over,
    firstDelivery: row.first_delivery,
    ageMs: Math.max(0, row.age_ms),
  };
}

/**
 * An array as PostgreSQL writes it, for values that need no quotes: ids, numbers, times, and words of our own. The driver
 * looks at every character of every element, which costs more than all the rest of a large batch.
 */
function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

function delayMsOf(outcome: DeliveryOutcome): number | null {
  switch (outcome.kind) {
    case 'failed':
    case 'released':
      return outcome.delayMs;
    case 'interrupted':
      return 0;
    case 'delivered':
    case 'held':
      return null;
  }
}

/** Whatever a sender answers, one bad character must not keep a whole batch from being written. */
function storable(text: string | null): string | null {
  return text === null || isStorableText(text) ? text : text.toWellFormed().replaceAll('\u0000', ' ');
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
