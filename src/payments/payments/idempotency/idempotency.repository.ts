import { Injectable } from '@nestjs/common';
import { Database, lockKey, type Transaction } from '../../../platform/database/index.js';
import { StoreStates } from '../../../stores/index.js';
import { IDEMPOTENCY_KEYS } from '../payments.table.js';

/** The first answer under a key, with the hash of the request that it answers. */
export interface StoredAnswer {
  readonly bodyHash: Buffer;
  readonly status: number;
  readonly answer: string;
}

const STORE = IDEMPOTENCY_KEYS.insert(
  'idempotency-store',
  `ON CONFLICT (store_id, key) DO UPDATE
     SET body_hash = excluded.body_hash, status = excluded.status, answer = excluded.answer,
         created_at = excluded.created_at`,
);

/** The only place that knows the table `idempotency_keys` (contract 1.22). Keys are a store's own. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    private readonly database: Database,
    private readonly states: StoreStates,
  ) {}

  /** True when nobody else holds this key just now; the hold ends with the transaction. */
  hold(tx: Transaction, storeId: string, key: string): Promise<boolean> {
    return this.states.tryLock(tx, storeId, lockKey('idempotency', storeId, key));
  }

  async find(tx: Transaction, storeId: string, key: string, notBefore: Date): Promise<StoredAnswer | null> {
    const [row] = await tx.query(
      `SELECT ${IDEMPOTENCY_KEYS.list()} FROM idempotency_keys
       WHERE store_id = $1 AND key = $2 AND created_at > $3`,
      [storeId, key, notBefore],
    );
    return row === undefined ? null : IDEMPOTENCY_KEYS.read(row);
  }

  async store(
    tx: Transaction,
    storeId: string,
    key: string,
    answer: StoredAnswer,
    createdAt: Date,
  ): Promise<void> {
    await tx.execute(STORE, IDEMPOTENCY_KEYS.valuesOf({ ...answer, storeId, key, createdAt }));
  }

  async prune(before: Date, limit: number): Promise<number> {
    return this.database.execute(
      // Asked for twice: one may have been given anew while this waited for its row.
      `DELETE FROM idempotency_keys WHERE created_at <= $1 AND (store_id, key) IN (
         SELECT store_id, key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`,
      [before, limit],
    );
  }
}
