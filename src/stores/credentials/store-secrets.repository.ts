import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../platform/database/index.js';
import { newId } from '../../kernel/ids.js';
import type { SecretKind } from '../store.js';
import { STORE_SECRETS } from '../stores.table.js';

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

/** Retired secrets of one kind that sign beside the current one. */
const MAX_RETIRED_SECRETS = 8;

const INSERT = STORE_SECRETS.insert('store-secrets-insert');

/**
 * With their number as a parameter the plan is kept: by the array alone, PostgreSQL would plan it anew each time,
 * seven times the work.
 */
const FIND_DELIVERY_SECRETS = {
  name: 'stores-find-delivery-secrets',
  text: `SELECT s.id AS store_id, s.webhook_url, s.webhook_paused_at IS NOT NULL AS webhook_paused, s.sign_with, k.kind, k.ciphertext, k.retired_at IS NOT NULL AS retired
    FROM (SELECT unnest($1::uuid[]) AS id LIMIT $2) wanted
    JOIN stores s ON s.id = wanted.id
    JOIN store_secrets k ON k.store_id = s.id
    WHERE (k.kind = s.sign_with OR k.kind = 'signing_secret')
      AND (k.retired_at IS NULL OR k.signs_until > now())
    ORDER BY k.retired_at NULLS FIRST, k.created_at DESC`,
};

/** The only place that knows the table `store_secrets`, but for the command that seals it under another key. */
@Injectable()
export class StoreSecretsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Transaction, storeId: string, secret: StoredSecret, createdAt: Date): Promise<void> {
    await tx.execute(INSERT, STORE_SECRETS.valuesOf({ ...secret, id: newId(), storeId, createdAt }));
  }

  /** A secret that does not sign any longer is not kept: nothing may bring it back. */
  async delete(tx: Transaction, storeId: string, kind: SecretKind): Promise<void> {
    await tx.execute('DELETE FROM store_secrets WHERE store_id = $1 AND kind = $2', [storeId, kind]);
  }

  /**
   * Lets the current secret of a kind sign beside its successor for a while. Those before it sign as long as they were
   * promised; of many within that time only the latest are kept, since every request carries a signature of each.
   */
  async retire(
    tx: Transaction,
    storeId: string,
    kind: SecretKind,
    retiredAt: Date,
    signsUntil: Date,
  ): Promise<void> {
    await tx.execute(
      `DELETE FROM store_secrets WHERE store_id = $1 AND id IN (
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

  async find(on: Queryable, storeId: string, kind: SecretKind): Promise<Buffer | null> {
    const [row] = await on.query<{ ciphertext: Buffer }>(
      'SELECT ciphertext FROM store_secrets WHERE store_id = $1 AND kind = $2 AND retired_at IS NULL',
      [storeId, kind],
    );
    return row?.ciphertext ?? null;
  }

  /**
   * Reads what is needed to deliver to stores, in one round trip; the secret in force comes before the one in
   * overlap.
   */
  findInForce(storeId: string, kind: SecretKind): Promise<Buffer | null> {
    return this.find(this.database, storeId, kind);
  }

  async findDeliverySecrets(
    storeIds: readonly string[],
    on: Queryable = this.database,
  ): Promise<Map<string, SealedDeliveryTarget>> {
    const rows = await on.query<{
      store_id: string;
      webhook_url: string | null;
      webhook_paused: boolean;
      kind: SecretKind;
      ciphertext: Buffer;
      retired: boolean;
    }>(FIND_DELIVERY_SECRETS, [storeIds, storeIds.length]);
    const targets = new Map<string, SealedDeliveryTarget & { readonly secrets: CurrentSecret[] }>();
    for (const row of rows) {
      const { store_id: storeId, webhook_url: webhookUrl, webhook_paused: webhookPaused } = row;
      const known = targets.get(storeId);
      if (known === undefined) targets.set(storeId, { storeId, webhookUrl, webhookPaused, secrets: [row] });
      else known.secrets.push(row);
    }
    return targets;
  }
}
