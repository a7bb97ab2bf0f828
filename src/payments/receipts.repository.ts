import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { newId } from '../kernel/ids.js';
import type { Payment } from './payment.js';
import {
  type NewReceipt,
  type Receipt,
  receiptDigest,
  type ReceiptSource,
  type ReceiptStatus,
} from './receipt.js';

interface ReceiptRow {
  id: string;
  store_id: string;
  status: ReceiptStatus;
  source: ReceiptSource;
  app: string;
  provider: string;
  kind: string;
  trx_id: string | null;
  last4digit: string | null;
  amount_minor: string;
  currency: string;
  counterparty: string | null;
  balance_minor: string | null;
  received_at: Date;
  arrived_at: Date;
  simulated: boolean;
  flags: string[];
  raw: string;
  payment_id: string | null;
}

const SELECT = `SELECT r.id, r.store_id, r.status, r.source, r.app, r.provider, r.kind, r.trx_id, r.last4digit,
    r.amount_minor, r.currency, r.counterparty, r.balance_minor, r.received_at, r.arrived_at, r.simulated, r.flags,
    r.raw, p.id AS payment_id
  FROM receipts r LEFT JOIN payments p ON p.receipt_id = r.id`;

const INSERT = {
  name: 'receipts-insert',
  text: `INSERT INTO receipts (id, store_id, status, source, app, provider, kind, trx_id, last4digit, amount_minor,
      currency, counterparty, balance_minor, received_at, arrived_at, simulated, flags, raw, digest)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
    ON CONFLICT DO NOTHING`,
};

const FIND_SAME = {
  name: 'receipts-find-same',
  text: `${SELECT} WHERE r.store_id = $1 AND r.status <> 'ignored'
      AND ((r.provider = $2 AND r.trx_id = $3) OR (r.trx_id IS NULL AND r.digest = $4))
    LIMIT 1`,
};

const FIND = { name: 'receipts-find', text: `${SELECT} WHERE r.id = $1` };

const LIST_BY_TRX = {
  name: 'receipts-list-by-trx',
  text: `${SELECT} WHERE r.store_id = $1 AND r.trx_id = $2 AND r.status <> 'ignored' ORDER BY r.id LIMIT 100`,
};

const LIST_UNCLAIMED_BY_LAST4 = {
  name: 'receipts-list-unclaimed-by-last4',
  text: `${SELECT} WHERE r.store_id = $1 AND r.last4digit = $2 AND r.amount_minor = $3
      AND r.status IN ('unmatched', 'review') AND p.id IS NULL
      AND LEAST(r.received_at, r.arrived_at) BETWEEN $4 AND $5
    ORDER BY r.id LIMIT 100`,
};

const SET_STATUS = {
  name: 'receipts-set-status',
  text: 'UPDATE receipts SET status = $2 WHERE id = ANY ($1::uuid[])',
};

const DOUBT = {
  name: 'receipts-doubt',
  text: `UPDATE receipts SET status = 'review' WHERE id = ANY ($1::uuid[]) AND status = 'unmatched'`,
};

const RELEASE = {
  name: 'receipts-release',
  text: `UPDATE receipts r SET status = 'unmatched'
    WHERE r.store_id = $1 AND r.status = 'review'
      AND (r.trx_id = $2 OR (r.last4digit = $3 AND r.amount_minor = $4))
      AND NOT EXISTS (SELECT FROM payments p WHERE p.receipt_id = r.id)
      AND NOT EXISTS (
        SELECT FROM payments p
        WHERE p.store_id = $1 AND p.status = 'review' AND p.review_reason IN ('ambiguous', 'late')
          AND p.receipt_id IS NULL
          AND (p.submitted_trx_id = r.trx_id
               OR (p.submitted_last4 = r.last4digit AND p.amount_minor = r.amount_minor)))`,
};

/** The only place that knows the table `receipts`. */
@Injectable()
export class ReceiptsRepository {
  constructor(private readonly database: Database) {}

  /** Stores a receipt, or answers null when the store has it already: the database decides, not a query before it. */
  async insert(
    tx: Queryable,
    storeId: string,
    receipt: NewReceipt & { currency: string },
    status: ReceiptStatus,
    arrivedAt: Date,
  ): Promise<Receipt | null> {
    const id = newId();
    const inserted = await tx.execute(INSERT, [
      id,
      storeId,
      status,
      receipt.source,
      receipt.app,
      receipt.provider,
      receipt.kind,
      receipt.trxId,
      receipt.last4digit,
      receipt.amountMinor,
      receipt.currency,
      receipt.counterparty,
      receipt.balanceMinor,
      receipt.receivedAt,
      arrivedAt,
      receipt.simulated,
      JSON.stringify(receipt.flags),
      receipt.raw,
      receiptDigest(receipt),
    ]);
    return inserted === 0 ? null : { ...receipt, id, storeId, status, arrivedAt, paymentId: null };
  }

  /** The receipt that makes another one a duplicate. */
  async findSame(tx: Queryable, storeId: string, receipt: NewReceipt): Promise<Receipt | null> {
    const values = [storeId, receipt.provider, receipt.trxId, receiptDigest(receipt)];
    const [row] = await tx.query<ReceiptRow>(FIND_SAME, values);
    return row === undefined ? null : receiptOf(row);
  }

  async findOfStore(on: Queryable, storeId: string, receiptId: string): Promise<Receipt | null> {
    const [row] = await on.query<ReceiptRow>(FIND, [receiptId]);
    return row?.store_id === storeId ? receiptOf(row) : null;
  }

  /** Every receipt of the store with this TrxID, whoever holds it. */
  async listByTrx(tx: Queryable, storeId: string, trxId: string): Promise<Receipt[]> {
    return (await tx.query<ReceiptRow>(LIST_BY_TRX, [storeId, trxId])).map(receiptOf);
  }

  /** Unclaimed receipts with these digits and this amount, whose money came between two instants. */
  async listUnclaimedByLast4(
    tx: Queryable,
    key: { storeId: string; last4digit: string; amountMinor: number },
    between: { from: Date; to: Date },
  ): Promise<Receipt[]> {
    const values = [key.storeId, key.last4digit, key.amountMinor, between.from, between.to];
    return (await tx.query<ReceiptRow>(LIST_UNCLAIMED_BY_LAST4, values)).map(receiptOf);
  }

  async setStatus(tx: Transaction, receiptIds: readonly string[], status: ReceiptStatus): Promise<void> {
    if (receiptIds.length > 0) await tx.execute(SET_STATUS, [receiptIds, status]);
  }

  /**
   * Leaves receipts to a person. One with a TrxID and digits can be claimed under either key, so one of these may have found
   * its payment since it was read; that one stays what it is.
   */
  async doubt(tx: Transaction, receiptIds: readonly string[]): Promise<void> {
    if (receiptIds.length > 0) await tx.execute(DOUBT, [receiptIds]);
  }

  /**
   * Frees the receipts that a payment contested, now that it does not any longer: without this, money that nobody was given
   * would stay in review for ever, without a payment that anybody could decide. What others still contest stays.
   */
  async release(tx: Transaction, payment: Payment): Promise<void> {
    const { submission } = payment;
    await tx.execute(RELEASE, [
      payment.storeId,
      submission?.kind === 'trx_id' ? submission.trxId : null,
      submission?.kind === 'last4digit' ? submission.last4digit : null,
      payment.amountMinor,
    ]);
  }

  /** Newest first. Answers one row more than `limit`. */
  async list(
    storeId: string,
    status: ReceiptStatus | undefined,
    position: PagePosition | null,
    limit: number,
  ): Promise<Receipt[]> {
    const rows = await this.database.query<ReceiptRow>(
      `${SELECT} WHERE r.store_id = $1
         AND ($2::text IS NULL OR r.status = $2)
         AND ($3::timestamptz IS NULL OR (r.arrived_at, r.id) < ($3, $4::uuid))
       ORDER BY r.arrived_at DESC, r.id DESC LIMIT $5`,
      [storeId, status ?? null, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map(receiptOf);
  }
}

function receiptOf(row: ReceiptRow): Receipt {
  return {
    id: row.id,
    storeId: row.store_id,
    status: row.status,
    source: row.source,
    app: row.app,
    provider: row.provider,
    kind: row.kind,
    trxId: row.trx_id,
    last4digit: row.last4digit,
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    counterparty: row.counterparty,
    balanceMinor: row.balance_minor === null ? null : Number(row.balance_minor),
    receivedAt: row.received_at,
    arrivedAt: row.arrived_at,
    simulated: row.simulated,
    flags: row.flags,
    raw: row.raw,
    paymentId: row.payment_id,
  };
}
