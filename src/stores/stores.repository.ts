import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { newId } from '../kernel/ids.js';
import type { SecretKind, SignWith, Store, Wallet, WebhookPauseReason } from './store.js';

interface StoreRow {
  id: string;
  owner_id: string;
  name: string;
  currency: string;
  webhook_url: string | null;
  webhook_paused_at: Date | null;
  webhook_pause_reason: WebhookPauseReason | null;
  sign_with: SignWith;
  simulation_enabled: boolean;
  wallets: Wallet[];
  api_key_hint: string;
  phone_last_seen_at: Date | null;
  archived_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface StoredSecret {
  readonly kind: SecretKind;
  readonly digest: Buffer;
  readonly ciphertext: Buffer;
  readonly hint: string;
}

export interface CurrentSecret {
  readonly kind: SecretKind;
  readonly ciphertext: Buffer;
  readonly retired: boolean;
}

/** Where a store's events go, with the secrets that sign them as they are kept: in force first, then in overlap. */
export interface SealedDeliveryTarget {
  readonly storeId: string;
  readonly webhookUrl: string | null;
  readonly webhookPaused: boolean;
  readonly secrets: readonly CurrentSecret[];
}

const STORE_COLUMNS = `s.id, s.owner_id, s.name, s.currency, s.webhook_url, s.sign_with, s.simulation_enabled, s.wallets,
  s.phone_last_seen_at, s.archived_at, s.created_at, s.updated_at, s.webhook_paused_at, s.webhook_pause_reason`;
const COLUMNS = `${STORE_COLUMNS}, k.hint AS api_key_hint`;

const STORE_WITH_HINT = `FROM stores s
  JOIN store_secrets k ON k.store_id = s.id AND k.kind = 'api_key' AND k.retired_at IS NULL`;

/** Retired secrets of one kind that sign beside the current one. */
const MAX_RETIRED_SECRETS = 8;

const FIND_BY_SECRET = {
  name: 'stores-find-by-secret',
  text: `SELECT ${STORE_COLUMNS}, c.digest,
      CASE WHEN c.kind = 'api_key' THEN c.hint ELSE (
        SELECT k.hint FROM store_secrets k
        WHERE k.store_id = s.id AND k.kind = 'api_key' AND k.retired_at IS NULL) END AS api_key_hint
    FROM store_secrets c
    JOIN stores s ON s.id = c.store_id
    WHERE c.digest = ANY($1::bytea[]) AND c.kind = $2 AND c.retired_at IS NULL AND s.archived_at IS NULL`,
};

const FIND_DELIVERY_SECRETS = {
  name: 'stores-find-delivery-secrets',
  text: `SELECT s.id AS store_id, s.webhook_url, s.webhook_paused_at IS NOT NULL AS webhook_paused, s.sign_with, k.kind, k.ciphertext, k.retired_at IS NOT NULL AS retired
    FROM stores s
    JOIN store_secrets k ON k.store_id = s.id
    WHERE s.id = ANY($1)
      AND (k.kind = s.sign_with OR k.kind = 'signing_secret')
      AND (k.retired_at IS NULL OR k.signs_until > now())
    ORDER BY k.retired_at NULLS FIRST, k.created_at DESC`,
};

/** The only place that knows the tables `stores` and `store_secrets`. */
@Injectable()
export class StoresRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Transaction, store: Store): Promise<void> {
    await tx.execute(
      `INSERT INTO stores (id, owner_id, name, currency, webhook_url, sign_with, simulation_enabled, wallets,
                           created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
      [
        store.id,
        store.ownerId,
        store.name,
        store.currency,
        store.webhookUrl,
        store.signWith,
        store.simulationEnabled,
        JSON.stringify(store.wallets),
        store.createdAt,
      ],
    );
  }

  /** Another address, and one that is sent to again, begins with a clean record. */
  async update(tx: Transaction, store: Store): Promise<void> {
    await tx.execute(
      `UPDATE stores SET name = $2, currency = $3, webhook_url = $4, sign_with = $5, simulation_enabled = $6,
                         wallets = $7, archived_at = $8, updated_at = $9, webhook_paused_at = $10,
                         webhook_pause_reason = $11,
                         webhook_failing_since = CASE
                           WHEN webhook_url IS NOT DISTINCT FROM $4
                             AND (webhook_paused_at IS NULL OR $10::timestamptz IS NOT NULL)
                           THEN webhook_failing_since END
       WHERE id = $1`,
      [
        store.id,
        store.name,
        store.currency,
        store.webhookUrl,
        store.signWith,
        store.simulationEnabled,
        JSON.stringify(store.wallets),
        store.archivedAt,
        store.updatedAt,
        store.webhookPausedAt,
        store.webhookPauseReason,
      ],
    );
  }

  /** False when it is paused already, has another URL by now, or has had a success meanwhile. */
  async pauseWebhook(
    tx: Transaction,
    storeId: string,
    webhookUrl: string,
    reason: WebhookPauseReason,
  ): Promise<boolean> {
    const paused = await tx.execute(
      `UPDATE stores SET webhook_paused_at = now(), webhook_pause_reason = $3
       WHERE id = $1 AND webhook_url = $2 AND webhook_paused_at IS NULL
         AND ($3 <> 'failing' OR webhook_failing_since IS NOT NULL)`,
      [storeId, webhookUrl, reason],
    );
    return paused > 0;
  }

  async insertSecret(tx: Transaction, storeId: string, secret: StoredSecret, createdAt: Date): Promise<void> {
    await tx.execute(
      `INSERT INTO store_secrets (id, store_id, kind, digest, ciphertext, hint, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [newId(), storeId, secret.kind, secret.digest, secret.ciphertext, secret.hint, createdAt],
    );
  }

  /** A secret that does not sign any longer is not kept: nothing may bring it back. */
  async deleteSecrets(tx: Transaction, storeId: string, kind: SecretKind): Promise<void> {
    await tx.execute('DELETE FROM store_secrets WHERE store_id = $1 AND kind = $2', [storeId, kind]);
  }

  /**
   * Lets the current secret of a kind sign beside its successor for a while. Those before it sign as long as they were
   * promised; of many within that time only the latest are kept, since every request carries a signature of each.
   */
  async retireSecret(
    tx: Transaction,
    storeId: string,
    kind: SecretKind,
    retiredAt: Date,
    signsUntil: Date,
  ): Promise<void> {
    await tx.execute(
      `DELETE FROM store_secrets WHERE id IN (
         SELECT id FROM (
           SELECT id, signs_until, row_number() OVER (ORDER BY retired_at DESC, created_at DESC) AS place
           FROM store_secrets WHERE store_id = $1 AND kind = $2 AND retired_at IS NOT NULL) retired
         WHERE signs_until <= $3 OR place >= $4)`,
      [storeId, kind, retiredAt, MAX_RETIRED_SECRETS],
    );
    await tx.execute(
      `UPDATE store_secrets SET retired_at = $3, signs_until = $4
       WHERE store_id = $1 AND kind = $2 AND retired_at IS NULL`,
      [storeId, kind, retiredAt, signsUntil],
    );
  }

  /** The live stores whose current secrets of this kind have those digests, by the digest as it is stored, in hex. */
  async findBySecretDigests(
    kind: SecretKind,
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
    const [row] = await on.query<StoreRow>(
      `SELECT ${COLUMNS} ${STORE_WITH_HINT} WHERE s.id = $1 ${options.lock ? 'FOR NO KEY UPDATE OF s' : ''}`,
      [storeId],
    );
    return row === undefined ? null : storeOf(row);
  }

  /** Newest first; of one owner, or of everybody when `ownerId` is null. Answers one row more than `limit`. */
  async list(ownerId: string | null, position: PagePosition | null, limit: number): Promise<Store[]> {
    const rows = await this.database.query<StoreRow>(
      `SELECT ${COLUMNS} ${STORE_WITH_HINT}
       WHERE ($1::uuid IS NULL OR s.owner_id = $1)
         AND ($2::timestamptz IS NULL OR (s.created_at, s.id) < ($2, $3::uuid))
       ORDER BY s.created_at DESC, s.id DESC
       LIMIT $4`,
      [ownerId, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map(storeOf);
  }

  /** Ids of the live stores a person owns, or of all live stores; at most two, which is enough to tell "the only one". */
  async listLiveIds(ownerId: string | null): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM stores WHERE archived_at IS NULL AND ($1::uuid IS NULL OR owner_id = $1) LIMIT 2`,
      [ownerId],
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

  async findSecret(on: Queryable, storeId: string, kind: SecretKind): Promise<Buffer | null> {
    const [row] = await on.query<{ ciphertext: Buffer }>(
      'SELECT ciphertext FROM store_secrets WHERE store_id = $1 AND kind = $2 AND retired_at IS NULL',
      [storeId, kind],
    );
    return row?.ciphertext ?? null;
  }

  /** What is needed to deliver to stores, in one round trip; the secret in force comes before the one in overlap. */
  async findDeliverySecrets(storeIds: readonly string[]): Promise<Map<string, SealedDeliveryTarget>> {
    const rows = await this.database.query<{
      store_id: string;
      webhook_url: string | null;
      webhook_paused: boolean;
      kind: SecretKind;
      ciphertext: Buffer;
      retired: boolean;
    }>(FIND_DELIVERY_SECRETS, [storeIds]);
    const targets = new Map<string, SealedDeliveryTarget & { readonly secrets: CurrentSecret[] }>();
    for (const row of rows) {
      const { store_id: storeId, webhook_url: webhookUrl, webhook_paused: webhookPaused } = row;
      const known = targets.get(storeId);
      if (known === undefined) targets.set(storeId, { storeId, webhookUrl, webhookPaused, secrets: [row] });
      else known.secrets.push(row);
    }
    return targets;
  }

  async markPhoneSeen(storeId: string, at: Date): Promise<void> {
    await this.database.execute(
      `UPDATE stores SET phone_last_seen_at = $2
       WHERE id = $1 AND (phone_last_seen_at IS NULL OR phone_last_seen_at < $2)`,
      [storeId, at],
    );
  }
}

function storeOf(row: StoreRow): Store {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    currency: row.currency,
    webhookUrl: row.webhook_url,
    webhookPausedAt: row.webhook_paused_at,
    webhookPauseReason: row.webhook_pause_reason,
    signWith: row.sign_with,
    simulationEnabled: row.simulation_enabled,
    wallets: row.wallets,
    apiKeyHint: row.api_key_hint,
    phoneLastSeenAt: row.phone_last_seen_at,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
