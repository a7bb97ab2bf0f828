import { Injectable } from '@nestjs/common';
import {
  BY_INDEX,
  Database,
  MILLISECONDS,
  plainArray,
  type Queryable,
  type Statement,
  type Transaction,
} from '../../platform/database/index.js';
import { FIRST_ID, newId } from '../../kernel/ids.js';
import { isFree } from './lease.js';
import type { QuotaPlan } from './sending-quotas.js';

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
  /** The store after which the next claim goes on, so that every store has its turn; null: the first store is next. */
  readonly nextStoreId: string | null;
}

/** Stores that one statement looks at. The walk costs one probe of an index for each, a few microseconds. */
export const MAX_STORES_WALKED = 500;
/** The value in the index `deliveries_due`. */
const DUE_AT = "(due_at AT TIME ZONE 'UTC')";

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

export const CLAIMED = `d.id, d.store_id, e.body, d.url, d.api_key_header, e.simulated,
    e.redacted_at IS NOT NULL AS redacted, d.round_failures, d.lease_token IS NOT NULL AS taken_over,
    d.delivered_at IS NULL AS first_delivery,
    extract(epoch FROM now() - d.created_at)::double precision * 1000 AS age_ms`;

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
const LEASE: Statement = {
  name: 'deliveries-lease',
  text: `UPDATE deliveries d SET leased_until = now() + $1::${MILLISECONDS}, lease_token = $2
    FROM unnest($3::uuid[], $4::uuid[]) AS taken (id, store_id)
    WHERE d.id = taken.id AND d.store_id = taken.store_id`,
};

export interface ClaimRow {
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

/**
 * Finds the deliveries that are due, and takes them. Every lease is counted by the database's clock, so that replicas
 * need not agree on the time.
 */
@Injectable()
export class DueDeliveriesRepository {
  constructor(protected readonly database: Database) {}

  /**
   * Takes what is due, at most `plan.total`, and leases it to this process for `leaseMs`. Walks over the stores behind
   * `fromStoreId` that have something due; one that has no room is not looked at any further.
   */
  async claim(plan: QuotaPlan, fromStoreId: string | null, leaseMs: number): Promise<Claim> {
    const lease = { token: newId(), ms: leaseMs };
    return this.database.transaction(
      async (tx) => {
        const stores = await this.walk(tx, fromStoreId);
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

  protected async walk(on: Queryable, fromStoreId: string | null): Promise<string[]> {
    const rows = await on.query<{ store_id: string }>(WALK, [fromStoreId ?? FIRST_ID, MAX_STORES_WALKED]);
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
}

/** The lease of one claim. */
export interface Lease {
  readonly token: string;
  readonly ms: number;
}

/**
 * After a full claim with the last store that got something, after a full walk where it ended, else from the
 * beginning.
 */
export function nextStoreId(
  walked: readonly string[],
  deliveries: readonly ClaimedDelivery[],
  total: number,
): string | null {
  if (deliveries.length >= total && total > 0)
    return deliveries.reduce((last, { storeId }) => (storeId > last ? storeId : last), FIRST_ID);
  return walked.length < MAX_STORES_WALKED ? null : walked.at(-1)!;
}

export function roomsOf(stores: readonly string[], { rooms, defaultRoom }: QuotaPlan): Room[] {
  return stores
    .map((storeId) => [storeId, rooms.get(storeId) ?? defaultRoom] as const)
    .filter(([, room]) => room > 0);
}

export function claimedOf(row: ClaimRow, leaseToken: string): ClaimedDelivery {
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
