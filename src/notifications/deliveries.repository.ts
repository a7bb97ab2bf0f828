import { Injectable } from '@nestjs/common';
import {
  BY_INDEX,
  Database,
  Fingerprints,
  plainArray,
  type Queryable,
  type Statement,
  type Subject,
  type Transaction,
} from '../platform/database/index.js';
import type { PagePosition } from '../platform/http/index.js';
import { FIRST_ID, newId } from '../kernel/ids.js';
import type { DeliveryStatus } from './deliveries.table.js';
import type { QuotaPlan } from './dispatching/sending-quotas.js';
import { isFree, UNLEASED } from './dispatching/lease.js';
import type { AttemptRecord } from './dispatching/outcomes.js';

/** A delivery that this process has just leased. All of one claim share their lease token. */
export interface ClaimedDelivery {
  readonly deliveryId: string;
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

/** Stores that one statement looks at. The walk costs one probe of an index for each, a few microseconds. */
const MAX_STORES_WALKED = 500;
/** Held deliveries that one statement lets go, so that it stays short. */
const MAX_RELEASED = 1_000;
/** Endpoints that one statement looks at. */
const MAX_FAILING_ENDPOINTS = 100;
/** Attempts of one delivery that are shown: the latest. */
const MAX_ATTEMPTS_SHOWN = 100;
/** The value in the index `deliveries_due`. */
const DUE_AT = "(due_at AT TIME ZONE 'UTC')";
const MILLISECONDS = "double precision * interval '1 millisecond'";

/**
 * The stores behind $1 that have something due, in turn: one probe of `deliveries_due_store` for each store there is,
 * however much it has due (docs/performance.md).
 */
const WALK: Statement = {
  name: 'deliveries-walk',
  text: `SELECT s.store_id FROM store_states s
    WHERE s.store_id > $1 AND EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.store_id = s.store_id AND d.status = 'pending' AND d.due_at <= now() AND ${isFree('d')})
    ORDER BY s.store_id LIMIT $2`,
};

const CLAIMED = `d.id, d.store_id, e.body, d.url, d.api_key_header, e.simulated,
    e.redacted_at IS NOT NULL AS redacted, d.round_failures, d.lease_token IS NOT NULL AS taken_over,
    d.delivered_at IS NULL AS first_delivery, extract(epoch FROM now() - d.created_at)::double precision * 1000 AS age_ms`;

/** Locks what is due, of each store as much as it has room for. */
const CLAIM: Statement = {
  name: 'deliveries-claim',
  text: `SELECT ${CLAIMED}
    FROM unnest($1::uuid[], $2::integer[]) AS quota (store_id, room)
    CROSS JOIN LATERAL (
      SELECT due.* FROM deliveries due
      WHERE due.store_id = quota.store_id AND due.status = 'pending' AND due.due_at <= now() AND ${isFree('due')}
      ORDER BY due.due_at LIMIT quota.room
      FOR UPDATE SKIP LOCKED
    ) d
    JOIN events e ON e.id = d.id AND e.store_id = d.store_id
    LIMIT $3`,
};
const CLAIM_OF_STORE: Statement = {
  name: 'deliveries-claim-of-store',
  text: `SELECT ${CLAIMED}
    FROM deliveries d JOIN events e ON e.id = d.id AND e.store_id = d.store_id
    WHERE d.store_id = $1 AND e.store_id = $1 AND d.status = 'pending' AND d.due_at <= now() AND ${isFree('d')}
    ORDER BY d.due_at LIMIT $2
    FOR UPDATE OF d SKIP LOCKED`,
};

const LEASE: Statement = {
  name: 'deliveries-lease',
  text: `UPDATE deliveries d SET leased_until = now() + $1::${MILLISECONDS}, lease_token = $2
    FROM unnest($3::uuid[], $4::uuid[]) AS taken (id, store_id)
    WHERE d.id = taken.id AND d.store_id = taken.store_id`,
};
const LEASE_OF_STORE: Statement = {
  name: 'deliveries-lease-of-store',
  text: `UPDATE deliveries SET leased_until = now() + $1::${MILLISECONDS}, lease_token = $2
    WHERE id = ANY($3::uuid[]) AND store_id = $4`,
};

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

interface ClaimRow {
  id: string;
  store_id: string;
  body: string;
  url: string | null;
  api_key_header: string | null;
  simulated: boolean;
  redacted: boolean;
  round_failures: number;
  taken_over: boolean;
  first_delivery: boolean;
  age_ms: number;
}

/** How many deliveries to take of which store. */
type Room = readonly [storeId: string, room: number];

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
 * The only place that knows the tables `deliveries` and `delivery_attempts`, but for the row that comes with an
 * event. Every lease is counted by the database's clock, so that replicas need not agree on the time.
 */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes what is due, at most `plan.total`, and leases it to this process for `leaseMs`. Walks over the stores that
   * have something due; one that has no room is not looked at any further.
   */
  async claim(plan: QuotaPlan, fromStoreId: string | null, leaseMs: number): Promise<Claim> {
    const lease: Lease = { token: newId(), ms: leaseMs };
    const from = fromStoreId ?? FIRST_ID;
    if (this.database.isDistributed) return this.claimByStore(plan, from, lease);
    return this.database.transaction(
      async (tx) => {
        const stores = await this.walk(tx, from);
        const rooms = roomsOf(stores, plan);
        const deliveries = rooms.length === 0 ? [] : await this.claimAll(tx, rooms, plan.total, lease);
        return { deliveries, nextStoreId: nextStoreId(stores, deliveries, plan.total) };
      },
      { settings: BY_INDEX },
    );
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
       WHERE status = 'pending' AND ${DUE_AT} <= now() AT TIME ZONE 'UTC' AND ${isFree('deliveries')}
       ORDER BY ${DUE_AT} LIMIT 1`,
    );
    return Math.max(0, row?.age_ms ?? 0);
  }

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

  private async walk(on: Queryable, fromStoreId: string): Promise<string[]> {
    const rows = await on.query<{ store_id: string }>(WALK, [fromStoreId, MAX_STORES_WALKED]);
    return rows.map(({ store_id: storeId }) => storeId);
  }

  private async claimAll(
    tx: Transaction,
    rooms: readonly Room[],
    total: number,
    { token, ms }: Lease,
  ): Promise<ClaimedDelivery[]> {
    const quotas = [rooms.map(([storeId]) => storeId), rooms.map(([, room]) => room)];
    const rows = await tx.query<ClaimRow>(CLAIM, [...quotas, total]);
    if (rows.length === 0) return [];
    const [ids, storeIds] = [
      plainArray(rows.map(({ id }) => id)),
      plainArray(rows.map((row) => row.store_id)),
    ];
    await tx.last(LEASE, [ms, token, ids, storeIds]);
    return rows.map((row) => claimedOf(row, token));
  }

  /**
   * The same on a cluster: each store on its own node, in a transaction of its own. What has been taken is sent, also
   * when the next store's node does not answer.
   */
  private async claimByStore(plan: QuotaPlan, fromStoreId: string, lease: Lease): Promise<Claim> {
    const stores = await this.walk(this.database, fromStoreId);
    const deliveries: ClaimedDelivery[] = [];
    try {
      for (const [storeId, room] of roomsOf(stores, plan)) {
        if (deliveries.length >= plan.total) break;
        const left = Math.min(room, plan.total - deliveries.length);
        deliveries.push(...(await this.claimOfStore(storeId, left, lease)));
      }
    } catch (error) {
      if (deliveries.length === 0) throw error;
    }
    return { deliveries, nextStoreId: nextStoreId(stores, deliveries, plan.total) };
  }

  private claimOfStore(storeId: string, room: number, { token, ms }: Lease): Promise<ClaimedDelivery[]> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<ClaimRow>(CLAIM_OF_STORE, [storeId, room]);
      if (rows.length === 0) return [];
      await tx.last(LEASE_OF_STORE, [ms, token, plainArray(rows.map(({ id }) => id)), storeId]);
      return rows.map((row) => claimedOf(row, token));
    });
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

/** The lease of one claim. */
interface Lease {
  readonly token: string;
  readonly ms: number;
}

/**
 * After a full claim with the last store that got something, after a full walk where it ended, else from the
 * beginning.
 */
function nextStoreId(
  walked: readonly string[],
  deliveries: readonly ClaimedDelivery[],
  total: number,
): string | null {
  if (deliveries.length >= total && total > 0)
    return deliveries.reduce((last, { storeId }) => (storeId > last ? storeId : last), FIRST_ID);
  return walked.length < MAX_STORES_WALKED ? null : walked.at(-1)!;
}

function roomsOf(stores: readonly string[], { rooms, defaultRoom }: QuotaPlan): Room[] {
  return stores
    .map((storeId) => [storeId, rooms.get(storeId) ?? defaultRoom] as const)
    .filter(([, room]) => room > 0);
}

function claimedOf(row: ClaimRow, leaseToken: string): ClaimedDelivery {
  return {
    deliveryId: row.id,
    storeId: row.store_id,
    body: row.body,
    url: row.url,
    apiKeyHeader: row.api_key_header,
    simulated: row.simulated,
    redacted: row.redacted,
    leaseToken,
    roundFailures: row.round_failures,
    takenOver: row.taken_over,
    firstDelivery: row.first_delivery,
    ageMs: Math.max(0, row.age_ms),
  };
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
