import { boxOwner, KEY_ID_IN_BOX, type SecretBox } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/index.js';

const SEALED_UNDER = `substring(second_factor_secret FROM ${KEY_ID_IN_BOX.from} FOR ${KEY_ID_IN_BOX.length})`;

/** The context to which the secret of a second factor is sealed. */
export function secondFactorOwner(userId: string): string {
  return boxOwner(userId, 'second_factor');
}

/** Ids in hex of the keys that second factors were sealed under and that this box does not know. */
export async function listUnknownSecondFactorKeyIds(database: Database, box: SecretBox): Promise<string[]> {
  const rows = await database.query<{ key_id: Buffer }>(
    `SELECT DISTINCT ${SEALED_UNDER} AS key_id FROM users WHERE second_factor_secret IS NOT NULL`,
  );
  return rows.filter((row) => !box.knows(row.key_id)).map((row) => row.key_id.toString('hex'));
}

/**
 * Seals the secrets of second factors that are not under the current key anew; those that no key opens stay as they
 * are.
 */
export async function reencryptSecondFactors(
  database: Database,
  box: SecretBox,
): Promise<{ reencrypted: number; unreadable: number }> {
  return database.transaction(async (tx) => {
    const rows = await tx.query<{ id: string; secret: Buffer }>(
      `SELECT id, second_factor_secret AS secret FROM users
       WHERE second_factor_secret IS NOT NULL AND ${SEALED_UNDER} <> $1 FOR UPDATE`,
      [box.keyId],
    );
    let reencrypted = 0;
    for (const { id, secret } of rows) {
      if (!box.knows(secret.subarray(KEY_ID_IN_BOX.from - 1, KEY_ID_IN_BOX.from - 1 + KEY_ID_IN_BOX.length)))
        continue;
      const resealed = box.seal(box.open(secret, secondFactorOwner(id)), secondFactorOwner(id));
      await tx.execute('UPDATE users SET second_factor_secret = $2 WHERE id = $1', [id, resealed]);
      reencrypted += 1;
    }
    return { reencrypted, unreadable: rows.length - reencrypted };
  });
}
