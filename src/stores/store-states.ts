import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../platform/database/index.js';
import { FIRST_ID, isId } from '../kernel/ids.js';
import { STORE_STATES, type StoreState } from './stores.table.js';

/** The data of a phone about itself; fields that it leaves out stay as they were. */
export interface PhoneSigns {
  readonly app?: string | null | undefined;
  readonly battery?: number | null | undefined;
  readonly pending?: number | null | undefined;
  readonly clockOffsetMs?: number | null | undefined;
}

const INSERT = STORE_STATES.insert('store-states-insert');
const LOCK = {
  name: 'store-states-lock',
  text: 'SELECT pg_advisory_xact_lock($1) FROM store_states WHERE store_id = $2',
};
const FIND_FAILING = {
  name: 'store-states-find-failing',
  text: 'SELECT store_id FROM store_states WHERE store_id = $1 AND webhook_failing_since IS NOT NULL',
};
/** With a plan that is kept: PostgreSQL would plan anew for each array. */
const FIND_ONE = {
  name: 'store-states-find',
  text: `SELECT ${STORE_STATES.list()} FROM store_states WHERE store_id = $1`,
};
const FIND_MANY = {
  name: 'store-states-find-many',
  text: `SELECT ${STORE_STATES.list()} FROM store_states WHERE store_id = ANY ($1::uuid[])`,
};
const FIND_FAILING_OF_MANY = {
  name: 'store-states-find-failing-of-many',
  text: 'SELECT store_id FROM store_states WHERE store_id = ANY($1::uuid[]) AND webhook_failing_since IS NOT NULL',
};
const KEEP_SIGN = {
  name: 'phone-signs-keep',
  text: `INSERT INTO phone_signs (store_id, slot, at) VALUES ($1, $2, $3)
    ON CONFLICT (store_id, slot) DO UPDATE SET at = GREATEST(phone_signs.at, excluded.at)`,
};
const TRY_LOCK = {
  name: 'store-states-try-lock',
  text: 'SELECT pg_try_advisory_xact_lock($1) AS held FROM store_states WHERE store_id = $2',
};

/**
 * As a text without parameters, since several go in one message. @throws Error for what is no id: it would be part of
 * the text
 */
function lockOf(storeId: string, key: bigint): string {
  if (!isId(storeId)) throw new Error('A store is named by its id.');
  return `SELECT pg_advisory_xact_lock('${key}'::bigint) FROM store_states WHERE store_id = '${storeId}'`;
}

/**
 * The only place that knows the tables `store_states` and `phone_signs`. `store_states` has one row a store, on the
 * node where its payments are. Locks of a store are taken through it, so that they meet whichever node was asked; it
 * holds what changes often, and it is what sweeps walk over.
 */
@Injectable()
export class StoreStates {
  constructor(private readonly database: Database) {
    database.takeStoreLocksBy(lockOf);
  }

  /** In the transaction that makes the store: without its row nothing of the store can be locked. */
  async insert(tx: Transaction, storeId: string): Promise<void> {
    await tx.execute(INSERT, STORE_STATES.valuesOf({ storeId }));
  }

  /** Waits for the keys in ascending order, one order for everybody; held until the transaction ends. */
  async lock(tx: Transaction, storeId: string, keys: readonly bigint[]): Promise<void> {
    const ordered = [...new Set(keys)].sort((left, right) => (left < right ? -1 : 1));
    for (const key of ordered) {
      const rows = await tx.query(LOCK, [String(key), storeId]);
      if (rows.length !== 1) throw new Error(`There is no state of store ${storeId} to take locks on.`);
    }
  }

  /** True when nobody else holds this key just now; the hold ends with the transaction. */
  async tryLock(tx: Transaction, storeId: string, key: bigint): Promise<boolean> {
    const [row] = await tx.query<{ held: boolean }>(TRY_LOCK, [String(key), storeId]);
    if (row === undefined) throw new Error(`There is no state of store ${storeId} to take locks on.`);
    return row.held;
  }

  /**
   * Notes that a store's phone was heard, and what it says about itself. Never goes back in time. For each slot of
   * `slotMs` the last sign of life is kept (contract 4.81).
   */
  async markPhone(storeId: string, at: Date, slotMs: number, signs: PhoneSigns = {}): Promise<void> {
    await this.database.execute(KEEP_SIGN, [storeId, Math.floor(at.getTime() / slotMs), at]);
    await this.database.execute(
      `UPDATE store_states SET phone_last_seen_at = GREATEST(phone_last_seen_at, $2),
         phone_app = COALESCE($3, phone_app), phone_battery = COALESCE($4, phone_battery),
         phone_pending = COALESCE($5, phone_pending),
         phone_has_backlog = CASE WHEN $7 THEN COALESCE($5, 0) > 0 ELSE phone_has_backlog END,
         phone_clock_offset_ms = COALESCE($6, phone_clock_offset_ms)
       WHERE store_id = $1`,
      [
        ...[storeId, at, signs.app ?? null, signs.battery ?? null],
        // A heartbeat without `pending` has no backlog; other signs of life say nothing about it.
        ...[signs.pending ?? null, signs.clockOffsetMs ?? null, signs.pending !== undefined],
      ],
    );
  }

  /** Forgets the signs of life of all phones before an instant. */
  async pruneSigns(before: Date): Promise<void> {
    await this.database.execute('DELETE FROM phone_signs WHERE at < $1', [before]);
  }

  /** Those of these stores whose endpoint is failing. */
  async findFailing(on: Queryable, storeIds: readonly string[]): Promise<string[]> {
    const [first, ...more] = storeIds;
    const rows = await (more.length === 0
      ? on.query<{ store_id: string }>(FIND_FAILING, [first])
      : on.query<{ store_id: string }>(FIND_FAILING_OF_MANY, [storeIds]));
    return rows.map(({ store_id: storeId }) => storeId);
  }

  /** The store's endpoint has begun to fail at that instant, or (null) works. Written only where that is a change. */
  async markWebhook(on: Queryable, storeId: string, failingSince: Date | null): Promise<void> {
    await on.execute(
      `UPDATE store_states SET webhook_failing_since = $2
       WHERE store_id = $1 AND (webhook_failing_since IS NULL) <> ($2::timestamptz IS NULL)`,
      [storeId, failingSince],
    );
  }

  /**
   * Since when payments of the store wait for a receipt, or (null) that none does. Written only where that is a
   * change.
   */
  async markWaiting(on: Queryable, storeId: string, waitingSince: Date | null): Promise<void> {
    await on.execute(
      `UPDATE store_states SET waiting_since = $2 WHERE store_id = $1 AND waiting_since IS DISTINCT FROM $2`,
      [storeId, waitingSince],
    );
  }

  async find(on: Queryable, storeId: string): Promise<StoreState | null> {
    const [row] = await on.query(`SELECT ${STORE_STATES.list()} FROM store_states WHERE store_id = $1`, [
      storeId,
    ]);
    return row === undefined ? null : STORE_STATES.read(row);
  }

  async listByIds(storeIds: readonly string[]): Promise<ReadonlyMap<string, StoreState>> {
    const rows = await (storeIds.length === 1
      ? this.database.query(FIND_ONE, [storeIds[0]])
      : this.database.query(FIND_MANY, [storeIds]));
    return new Map(rows.map((row) => STORE_STATES.read(row)).map((state) => [state.storeId, state]));
  }

  /** The stores behind one in the order of their ids, from the first when it is null: what sweeps walk over. */
  async walk(afterStoreId: string | null, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ store_id: string }>(
      'SELECT store_id FROM store_states WHERE store_id > $1 ORDER BY store_id LIMIT $2',
      [afterStoreId ?? FIRST_ID, limit],
    );
    return rows.map(({ store_id: storeId }) => storeId);
  }
}
