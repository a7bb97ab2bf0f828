import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation, type Queryable, type Transaction } from '../platform/database/index.js';
import type { PagePosition } from '../platform/http/index.js';
import {
  LIVE_STORE,
  type StampedStore,
  STORE_STAMP,
  type StoreCredential,
} from './credentials/store-credential.js';
import { type Store, type Wallet, walletKey, type WebhookPauseReason } from './store.js';
import { walletInUse } from './stores.problems.js';
import { STORE_WALLETS, STORES } from './stores.table.js';

interface StoreRow {
  readonly wallets: Wallet[] | null;
  readonly api_key_hint: string;
}

/** The columns of a store's row, and its wallets in their order: one look-up, on whichever node. */
const STORE_COLUMNS = `${STORES.list('s')}, (
    SELECT json_agg(json_build_object('provider', w.provider, 'number', w.number, 'accountType', w.account_type,
      'qrPayload', w.qr_payload, 'enabled', w.enabled) ORDER BY w.position)
    FROM store_wallets w WHERE w.store_id = s.id) AS wallets`;
const COLUMNS = `${STORE_COLUMNS}, k.hint AS api_key_hint`;

/** The stores that a user owns or is a member of. */
const OF_USER = `SELECT id FROM stores WHERE owner_id = $1
    UNION ALL SELECT store_id FROM store_members WHERE user_id = $1`;

const STORE_WITH_HINT = `FROM stores s
  JOIN store_secrets k ON k.store_id = s.id AND k.kind = 'api_key' AND k.retired_at IS NULL`;

const INSERT = STORES.insert('stores-insert');
const INSERT_WALLETS = STORE_WALLETS.insertMany('stores-insert-wallets');

const FIND_BY_SECRET = {
  name: 'stores-find-by-secret',
  text: `SELECT ${STORE_COLUMNS}, c.digest,
      CASE WHEN c.kind = 'api_key' THEN c.hint ELSE (
        SELECT k.hint FROM store_secrets k
        WHERE k.store_id = s.id AND k.kind = 'api_key' AND k.retired_at IS NULL) END AS api_key_hint
    FROM store_secrets c
    JOIN stores s ON s.id = c.store_id
    WHERE c.digest = ANY($1::bytea[]) AND c.kind = $2 AND c.retired_at IS NULL AND ${LIVE_STORE}
      AND (c.kind <> 'api_key' OR s.owner_active)`,
};

const FIND_STAMPED = {
  name: 'stores-find-stamped',
  text: `SELECT ${COLUMNS}, ${STORE_STAMP} AS stamp ${STORE_WITH_HINT} WHERE s.id = ANY ($1::uuid[])`,
};
const FIND = { name: 'stores-find', text: `SELECT ${COLUMNS} ${STORE_WITH_HINT} WHERE s.id = $1` };
const LIST_BY_MARK = {
  name: 'stores-list-by-mark',
  text: `SELECT id FROM stores WHERE "right"(id::text, 4) = $1 LIMIT 1000`,
};

/** The only place that writes the tables `stores` and `store_wallets`. */
@Injectable()
export class StoresRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `store.wallet_in_use` */
  async insert(tx: Transaction, store: Store): Promise<void> {
    await tx.execute(INSERT, STORES.valuesOf(store));
    await this.insertWallets(tx, store);
  }

  /** Closes or opens the stores of an owner, whose account has been changed. */
  async setOwnerActive(tx: Transaction, ownerId: string, active: boolean): Promise<void> {
    await tx.execute('UPDATE stores SET owner_active = $2 WHERE owner_id = $1', [ownerId, active]);
  }

  /** The number of live stores of an owner. */
  async countLive(tx: Transaction, ownerId: string): Promise<number> {
    const [row] = await tx.query<{ count: string }>(
      'SELECT count(*) AS count FROM stores WHERE owner_id = $1 AND archived_at IS NULL',
      [ownerId],
    );
    return Number(row?.count ?? 0);
  }

  /** All stores of an owner, archived ones too, with their `receiptLead`. */
  async listReceiptLeads(
    tx: Transaction,
    ownerId: string,
  ): Promise<Pick<Store, 'id' | 'receiptLeadMs' | 'archivedAt'>[]> {
    const rows = await tx.query<{ id: string; receipt_lead_ms: string; archived_at: Date | null }>(
      'SELECT id, receipt_lead_ms, archived_at FROM stores WHERE owner_id = $1 ORDER BY id',
      [ownerId],
    );
    return rows.map((row) => ({
      id: row.id,
      receiptLeadMs: Number(row.receipt_lead_ms),
      archivedAt: row.archived_at,
    }));
  }

  /** Everything of a store but its wallets. */
  async update(tx: Transaction, store: Store): Promise<void> {
    await tx.execute(`UPDATE stores SET ${STORES.changes(2)} WHERE id = $1`, [
      store.id,
      ...STORES.changedValuesOf(store),
    ]);
  }

  /** @throws DomainError `store.wallet_in_use` */
  async replaceWallets(tx: Transaction, store: Store): Promise<void> {
    await tx.execute('DELETE FROM store_wallets WHERE store_id = $1', [store.id]);
    await this.insertWallets(tx, store);
  }

  /** The wallets of an archived store are free for another one. */
  async freeWallets(tx: Transaction, storeId: string): Promise<void> {
    await tx.execute('UPDATE store_wallets SET live = false WHERE store_id = $1', [storeId]);
  }

  /** False when it is paused already, or has another URL by now. */
  async pauseWebhook(
    tx: Transaction,
    storeId: string,
    webhookUrl: string,
    reason: WebhookPauseReason,
    at: Date,
  ): Promise<boolean> {
    const paused = await tx.execute(
      `UPDATE stores SET webhook_paused_at = $4, webhook_pause_reason = $3
       WHERE id = $1 AND webhook_url = $2 AND webhook_paused_at IS NULL`,
      [storeId, webhookUrl, reason, at],
    );
    return paused > 0;
  }

  /** The live stores whose current secrets of this kind have those digests, by the digest as it is stored, in hex. */
  async findBySecretDigests(
    kind: StoreCredential,
    digests: readonly Buffer[],
  ): Promise<Map<string, { readonly store: Store; readonly digest: Buffer }>> {
    const rows = await this.database.query<StoreRow & { digest: Buffer }>(FIND_BY_SECRET, [digests, kind]);
    return new Map(
      rows.map((row) => [row.digest.toString('hex'), { store: storeOf(row), digest: row.digest }]),
    );
  }

  async find(
    on: Queryable,
    storeId: string,
    options: { lock: boolean } = { lock: false },
  ): Promise<Store | null> {
    if (options.lock) await on.query('SELECT FROM stores WHERE id = $1 FOR NO KEY UPDATE', [storeId]);
    const [row] = await on.query<StoreRow>(FIND, [storeId]);
    return row === undefined ? null : storeOf(row);
  }

  /** By id, each with the stamp of its row. */
  async findStamped(storeIds: readonly string[]): Promise<Map<string, StampedStore>> {
    const rows = await this.database.query<StoreRow & { stamp: string }>(FIND_STAMPED, [storeIds]);
    return new Map(rows.map((row) => [storeOf(row).id, { store: storeOf(row), stamp: row.stamp }] as const));
  }

  /** Newest first; those a user owns or is a member of, or all when `personId` is null. One row more than `limit`. */
  async list(userId: string | null, position: PagePosition | null, limit: number): Promise<Store[]> {
    const rows = await this.database.query<StoreRow>(
      `SELECT ${COLUMNS} ${STORE_WITH_HINT}
       WHERE ($1::uuid IS NULL OR s.id IN (${OF_USER}))
         AND ($2::timestamptz IS NULL OR (s.created_at, s.id) < ($2, $3::uuid))
       ORDER BY s.created_at DESC, s.id DESC
       LIMIT $4`,
      [userId, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map(storeOf);
  }

  /**
   * Ids of the live stores a user is in, or of all live stores; at most two, which is enough to tell "the only one".
   */
  async listLiveIds(userId: string | null): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM stores WHERE archived_at IS NULL AND ($1::uuid IS NULL OR id IN (${OF_USER})) LIMIT 2`,
      [userId],
    );
    return rows.map(({ id }) => id);
  }

  async findLiveIdByName(ownerId: string, name: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(
      `SELECT id FROM stores WHERE owner_id = $1 AND name = $2 AND archived_at IS NULL ORDER BY created_at, id LIMIT 1`,
      [ownerId, name],
    );
    return row?.id ?? null;
  }

  /** Stores whose id ends with these four hexadecimal digits; archived ones too. */
  async listIdsByMark(mark: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(LIST_BY_MARK, [mark]);
    return rows.map(({ id }) => id);
  }

  private async insertWallets(tx: Transaction, store: Store): Promise<void> {
    if (store.wallets.length === 0) return;
    const rows = store.wallets.map((wallet, position) => ({
      ...wallet,
      storeId: store.id,
      position,
      ownerId: store.ownerId,
      live: store.archivedAt === null,
      numberKey: walletKey(wallet),
    }));
    await tx.execute(INSERT_WALLETS, STORE_WALLETS.arraysOf(rows)).catch((error: unknown) => {
      throw isUniqueViolation(error, 'store_wallets_in_use') ? walletInUse() : error;
    });
  }
}

function storeOf(row: StoreRow): Store {
  return { ...STORES.read(row), wallets: row.wallets ?? [], apiKeyHint: row.api_key_hint };
}
