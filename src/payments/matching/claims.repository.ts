import { Injectable } from '@nestjs/common';
import type { Queryable, Transaction } from '../../platform/database/index.js';
import type { Claim } from './decision.js';
import type { StoredClaim } from './case-changes.js';

const PUT = {
  name: 'claims-put',
  text: `INSERT INTO receipt_claims (receipt_id, store_id, payment_id, exact, at, ended_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (receipt_id, store_id, payment_id)
    DO UPDATE SET exact = excluded.exact, ended_at = excluded.ended_at`,
};
const LIST_OF_PAYMENTS = {
  name: 'claims-list-of-payments',
  text: `SELECT receipt_id, payment_id, exact FROM receipt_claims
    WHERE store_id = $1 AND payment_id = ANY ($2::uuid[]) AND ended_at IS NULL ORDER BY receipt_id`,
};
const LIST_OF_RECEIPTS = {
  name: 'claims-list-of-receipts',
  text: `SELECT receipt_id, payment_id, exact FROM receipt_claims
    WHERE store_id = $1 AND receipt_id = ANY ($2::uuid[]) AND ended_at IS NULL ORDER BY payment_id`,
};
/** A claim that has ended counts, too, while its payment is in review. */
const LIST_OF_CASE = {
  name: 'claims-list-of-case',
  text: `SELECT c.receipt_id, c.payment_id, c.exact, c.ended_at IS NULL AS is_live,
      p.receipt_id IS NOT DISTINCT FROM c.receipt_id AS is_attached
    FROM (
      SELECT * FROM receipt_claims WHERE store_id = $1 AND receipt_id = ANY ($2::uuid[])
      UNION
      SELECT * FROM receipt_claims WHERE store_id = $1 AND payment_id = ANY ($3::uuid[])
    ) c
    JOIN payments p ON p.id = c.payment_id AND p.store_id = c.store_id
    WHERE p.store_id = $1 AND p.status = 'review' ORDER BY c.receipt_id, c.payment_id`,
};

interface Row {
  receipt_id: string;
  payment_id: string;
  exact: boolean;
}

interface StoredRow extends Row {
  is_live: boolean;
  is_attached: boolean;
}

/** The only place that writes the table `receipt_claims`: which payments are in review over which receipt. */
@Injectable()
export class ClaimsRepository {
  async put(tx: Transaction, storeId: string, claim: StoredClaim, at: Date): Promise<void> {
    const { receiptId, paymentId, exact, isLive } = claim;
    await tx.execute(PUT, [receiptId, storeId, paymentId, exact, at, isLive ? null : at]);
  }

  /** The claims on these receipts and those of these payments, live or ended, of payments that are in review. */
  async listOfCase(
    tx: Transaction,
    storeId: string,
    receiptIds: readonly string[],
    paymentIds: readonly string[],
  ): Promise<StoredClaim[]> {
    if (receiptIds.length === 0 && paymentIds.length === 0) return [];
    const rows = await tx.query<StoredRow>(LIST_OF_CASE, [storeId, receiptIds, paymentIds]);
    return rows.map((row) => ({ ...claimOf(row), isLive: row.is_live, isAttached: row.is_attached }));
  }

  async listOfPayments(on: Queryable, storeId: string, paymentIds: readonly string[]): Promise<Claim[]> {
    if (paymentIds.length === 0) return [];
    return (await on.query<Row>(LIST_OF_PAYMENTS, [storeId, paymentIds])).map(claimOf);
  }

  async listOfReceipts(on: Queryable, storeId: string, receiptIds: readonly string[]): Promise<Claim[]> {
    if (receiptIds.length === 0) return [];
    return (await on.query<Row>(LIST_OF_RECEIPTS, [storeId, receiptIds])).map(claimOf);
  }
}

function claimOf(row: Row): Claim {
  return { receiptId: row.receipt_id, paymentId: row.payment_id, exact: row.exact };
}
