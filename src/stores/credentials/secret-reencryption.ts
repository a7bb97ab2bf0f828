import type { Database, Transaction } from '../../platform/database/index.js';
import { boxOwner, KEY_ID_IN_BOX, type SecretBox } from '../../platform/config/index.js';
import { FIRST_ID } from '../../kernel/ids.js';
import type { SecretKind } from '../store.js';

interface SealedRow {
  readonly id: string;
  readonly store_id: string;
  readonly kind: SecretKind;
  readonly ciphertext: Buffer;
}

export interface ReencryptionProgress {
  /** Secrets that are now under the current key, and were not before. */
  readonly reencrypted: number;
  /** Secrets that no known key opens; they stay as they are. */
  readonly unreadable: number;
  /** Secrets that have been looked at, of how many there were at the start. */
  readonly seen: number;
  readonly total: number;
}

export interface ReencryptionOptions {
  /** Secrets in one transaction; they are locked for as long as it takes. */
  readonly batchSize: number;
  readonly onProgress: (progress: ReencryptionProgress) => void;
}

const SEALED_UNDER = `substring(ciphertext FROM ${KEY_ID_IN_BOX.from} FOR ${KEY_ID_IN_BOX.length})`;

/**
 * Seals every secret that is not under the current key anew, batch by batch, while the service runs. What is done stays
 * done: a run that was stopped goes on where it stood when it is started again, and two at once do no harm.
 */
export async function reencryptSecrets(
  database: Database,
  box: SecretBox,
  { batchSize, onProgress }: ReencryptionOptions,
): Promise<ReencryptionProgress> {
  const total = await countToDo(database, box);
  let progress: ReencryptionProgress = { reencrypted: 0, unreadable: 0, seen: 0, total };
  let afterId = FIRST_ID;
  for (;;) {
    const after = afterId;
    const batch = await database.transaction((tx) => reencryptBatch(tx, box, after, batchSize));
    if (batch.lastId === null) return progress;
    afterId = batch.lastId;
    progress = {
      reencrypted: progress.reencrypted + batch.reencrypted,
      unreadable: progress.unreadable + batch.unreadable,
      seen: progress.seen + batch.reencrypted + batch.unreadable,
      total,
    };
    onProgress(progress);
  }
}

/** Ids in hex of the keys that secrets were sealed under and that this box does not know. */
export async function listUnknownKeyIds(database: Database, box: SecretBox): Promise<string[]> {
  const rows = await database.query<{ key_id: Buffer }>(
    `SELECT DISTINCT ${SEALED_UNDER} AS key_id FROM store_secrets`,
  );
  return rows
    .filter(({ key_id: keyId }) => !box.knows(keyId))
    .map(({ key_id: keyId }) => keyId.toString('hex'));
}

async function countToDo(database: Database, box: SecretBox): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `SELECT count(*) AS count FROM store_secrets WHERE ${SEALED_UNDER} <> $1`,
    [box.keyId],
  );
  return Number(row?.count ?? 0);
}

interface Batch {
  readonly reencrypted: number;
  readonly unreadable: number;
  /** Where the next batch begins; null when nothing is left. */
  readonly lastId: string | null;
}

/**
 * Locks its rows, so that a secret that is rotated meanwhile is either gone before or deleted afterwards, never
 * revived.
 */
async function reencryptBatch(
  tx: Transaction,
  box: SecretBox,
  afterId: string,
  limit: number,
): Promise<Batch> {
  const rows = await tx.query<SealedRow>(
    `SELECT id, store_id, kind, ciphertext FROM store_secrets
     WHERE ${SEALED_UNDER} <> $1 AND id > $2 ORDER BY id LIMIT $3 FOR UPDATE`,
    [box.keyId, afterId, limit],
  );
  let reencrypted = 0;
  for (const row of rows) {
    const resealed = reseal(box, row);
    if (resealed === null) continue;
    await tx.execute('UPDATE store_secrets SET ciphertext = $2 WHERE id = $1', [row.id, resealed]);
    reencrypted += 1;
  }
  return { reencrypted, unreadable: rows.length - reencrypted, lastId: rows.at(-1)?.id ?? null };
}

function reseal(box: SecretBox, { store_id: storeId, kind, ciphertext }: SealedRow): Buffer | null {
  const owner = boxOwner(storeId, kind);
  try {
    return box.seal(box.open(ciphertext, owner), owner);
  } catch {
    return null;
  }
}
