import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../platform/database/index.js';
import type { Claim } from './matching.js';

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
/** Those that hold it, claim it, or lost it, and are in review now. */
const COUNT = {
  name: 'claims-count',
  text: `SELECT c.exact, count(*)::integer AS number FROM receipt_claims c
    JOIN payments p ON p.id = c.payment_id AND p.store_id = c.store_id
    WHERE c.store_id = $1 AND c.receipt_id = $2 AND p.status = 'review' AND p.receipt_id IS DISTINCT FROM $2
    GROUP BY c.exact`,
};
const END_OF_PAYMENT = {
  name: 'claims-end-of-payment',
  text: `UPDATE receipt_claims SET ended_at = $3
    WHERE store_id = $1 AND payment_id = $2 AND ended_at IS NULL RETURNING receipt_id`,
};
const END_OF_RECEIPT = {
  name: 'claims-end-of-receipt',
  text: `UPDATE receipt_claims SET ended_at = $3
    WHERE store_id = $1 AND receipt_id = $2 AND ended_at IS NULL RETURNING payment_id`,
};

interface Row {
  receipt_id: string;
  payment_id: string;
  exact: boolean;
}

/** The only place that writes the table `receipt_claims`: which payments are in review over which receipt. */
@Injectable()
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  /** `ended`: it was in review over a receipt that is another's for good; kept, because it counts among those. */
  async put(
    tx: Transaction,
    storeId: string,
    { receiptId, paymentId, exact }: Claim,
    at: Date,
    ended = false,
  ): Promise<void> {
    await tx.execute(PUT, [receiptId, storeId, paymentId, exact, at, ended ? at : null]);
  }

  async listOfPayments(on: Queryable, storeId: string, paymentIds: readonly string[]): Promise<Claim[]> {
    if (paymentIds.length === 0) return [];
    return (await on.query<Row>(LIST_OF_PAYMENTS, [storeId, paymentIds])).map(claimOf);
  }

  async listOfReceipts(on: Queryable, storeId: string, receiptIds: readonly string[]): Promise<Claim[]> {
    if (receiptIds.length === 0) return [];
    return (await on.query<Row>(LIST_OF_RECEIPTS, [storeId, receiptIds])).map(claimOf);
  }

  /** How many payments are in review over a receipt without holding it. */
  async count(
    tx: Transaction,
    storeId: string,
    receiptId: string,
  ): Promise<{ exact: number; inexact: number }> {
    const rows = await tx.query<{ exact: boolean; number: number }>(COUNT, [storeId, receiptId]);
    const of = (exact: boolean) => rows.find((row) => row.exact === exact)?.number ?? 0;
    return { exact: of(true), inexact: of(false) };
  }

  /** Answers the receipts that it contested. */
  async endOfPayment(tx: Transaction, storeId: string, paymentId: string, at: Date): Promise<string[]> {
    const rows = await tx.query<{ receipt_id: string }>(END_OF_PAYMENT, [storeId, paymentId, at]);
    return rows.map((row) => row.receipt_id);
  }

  /** Answers the payments that contested it. */
  async endOfReceipt(tx: Transaction, storeId: string, receiptId: string, at: Date): Promise<string[]> {
    const rows = await tx.query<{ payment_id: string }>(END_OF_RECEIPT, [storeId, receiptId, at]);
    return rows.map((row) => row.payment_id);
  }

  /** For users: what each of these payments claims. */
  listForUsers(storeId: string, paymentIds: readonly string[]): Promise<Claim[]> {
    return this.listOfPayments(this.database, storeId, paymentIds);
  }
}

function claimOf(row: Row): Claim {
  return { receiptId: row.receipt_id, paymentId: row.payment_id, exact: row.exact };
}
