import { newId } from '../../src/kernel/ids.js';
import type { TestDatabase } from './test-database.js';

/**
 * Writes 31 payments of 1,250 whose digits wait at once, and 90 payments of 999 whose TrxIDs do. At the default limit
 * guess protection holds for 1,250, and not for 999 (contract 4.84).
 */
export async function guessDigits(database: TestDatabase, storeId: string, at: Date): Promise<void> {
  for (const [kind, column, count, amountMinor] of [
    ['last4digit', 'submitted_last4', 31, 125_000],
    ['trx_id', 'submitted_trx_id', 90, 99_900],
  ] as const)
    for (let index = 0; index < count; index += 1) {
      const value = kind === 'trx_id' ? `70000000${index}` : String(1_000 + index);
      const id = newId();
      await database.query(
        `INSERT INTO payments (id, store_id, status, amount_minor, pay_amount_minor, currency, ${column}, submitted_at,
           grace_ends_at, created_at, expires_at)
         VALUES ($1, $2, 'submitted', $4, $4, 'BDT', $3, $5, $6, $5, $6)`,
        [id, storeId, value, amountMinor, at, new Date(at.getTime() + 3_600_000)],
      );
      await database.query(
        `INSERT INTO submissions
           (payment_id, store_id, number, kind, value, currency, amount_minor, standing, guessable, at)
         VALUES ($1, $2, 1, '${kind}', $3, 'BDT', $4, 'counted', true, $5)`,
        [id, storeId, value, amountMinor, at],
      );
    }
}
