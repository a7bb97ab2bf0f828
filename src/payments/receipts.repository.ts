import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { newId } from '../kernel/ids.js';
import type { Payment } from './payment.js';
import { type NewReceipt, type Receipt, receiptDigest, type ReceiptStatus, SENT_KIND } from './receipt.js';
import { RECEIPTS } from './receipts.table.js';

interface ReceiptRow {
  readonly payment_id: string | null;
}

const SELECT = `SELECT ${RECEIPTS.list('r')}, p.id AS payment_id
  FROM receipts r LEFT JOIN payments p ON p.receipt_id = r.id AND p.store_id = r.store_id`;

const INSERT = RECEIPTS.insert('receipts-insert', 'ON CONFLICT DO NOTHING');

const FIND_SAME = {
  name: 'receipts-find-same',
  text: `${SELECT} WHERE r.store_id = $1 AND r.status <> 'ignored'
      AND ((r.provider = $2 AND r.trx_id = $3) OR (r.trx_id IS NULL AND r.digest = $4))
    LIMIT 1`,
};

const FIND = { name: 'receipts-find', text: `${SELECT} WHERE r.id = $1 AND r.store_id = $2` };

const LIST_BY_TRX = {
  name: 'receipts-list-by-trx',
  text: `${SELECT} WHERE r.store_id = $1 AND r.trx_id = $2 AND r.status <> 'ignored' ORDER BY r.id LIMIT 100`,
};

/** What the store's phone said about money that it sent; kept, and ignored by all matching. */
const FIND_SENT = {
  name: 'receipts-find-sent',
  text: `SELECT id FROM receipts
    WHERE store_id = $1 AND trx_id = $2 AND provider = $3 AND amount_minor = $4 AND currency = $5 AND kind = '${SENT_KIND}'
      AND status = 'ignored' AND NOT simulated
    ORDER BY arrived_at LIMIT 1`,
};

const LIST_UNCLAIMED_BY_LAST4 = {
  name: 'receipts-list-unclaimed-by-last4',
  text: `${SELECT} WHERE r.store_id = $1 AND r.last4digit = $2 AND r.amount_minor = $3
      AND r.status IN ('unmatched', 'review') AND p.id IS NULL
      AND r.money_from BETWEEN $4 AND $5
    ORDER BY r.id LIMIT 100`,
};

const FIND_BALANCE = {
  name: 'receipts-find-balance',
  text: `SELECT r.balance_minor FROM receipts r
    WHERE r.store_id = $1 AND r.provider = $2 AND r.app = $3 AND r.balance_minor IS NOT NULL AND NOT r.simulated
    ORDER BY r.arrived_at DESC, r.id DESC LIMIT 1`,
};

const SET_STATUS = {
  name: 'receipts-set-status',
  text: 'UPDATE receipts SET status = $3 WHERE id = ANY ($1::uuid[]) AND store_id = $2',
};

const DOUBT = {
  name: 'receipts-doubt',
  text: `UPDATE receipts SET status = 'review'
    WHERE id = ANY ($1::uuid[]) AND store_id = $2 AND status = 'unmatched'`,
};

const RELEASE = {
  name: 'receipts-release',
  text: `UPDATE receipts r SET status = 'unmatched'
    WHERE r.store_id = $1 AND r.status = 'review'
      AND (r.trx_id = $2 OR (r.last4digit = $3 AND r.amount_minor = $4))
      AND NOT EXISTS (SELECT FROM payments p WHERE p.receipt_id = r.id AND p.store_id = $1)
      AND NOT EXISTS (
        SELECT FROM payments p
        WHERE p.store_id = $1 AND p.status = 'review' AND p.review_reason IN ('ambiguous', 'late')
          AND p.receipt_id IS NULL
          AND (p.submitted_trx_id = r.trx_id
               OR (p.submitted_last4 = r.last4digit AND p.pay_amount_minor = r.amount_minor)))`,
};

const NOT_YET = { voidedAt: null, voidReason: null, redactedAt: null } as const;

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
    const moneyAt = receipt.receivedAt > arrivedAt ? arrivedAt : receipt.receivedAt;
    const record = {
      ...receipt,
      id: newId(),
      storeId,
      status,
      arrivedAt,
      moneyFrom: moneyAt,
      moneyUntil: moneyAt,
      digest: receiptDigest(receipt),
      messageId: receipt.messageId ?? null,
    };
    const inserted = await tx.execute(INSERT, RECEIPTS.valuesOf(record));
    return inserted === 0 ? null : { ...record, ...NOT_YET, paymentId: null };
  }

  /** The receipt that makes another one a duplicate. */
  async findSame(tx: Queryable, storeId: string, receipt: NewReceipt): Promise<Receipt | null> {
    const values = [storeId, receipt.provider, receipt.trxId, receiptDigest(receipt)];
    const [row] = await tx.query<ReceiptRow>(FIND_SAME, values);
    return row === undefined ? null : receiptOf(row);
  }

  async findOfStore(on: Queryable, storeId: string, receiptId: string): Promise<Receipt | null> {
    const [row] = await on.query<ReceiptRow>(FIND, [receiptId, storeId]);
    return row === undefined ? null : receiptOf(row);
  }

  /** Every receipt of the store with this TrxID, whoever holds it. */
  async listByTrx(tx: Queryable, storeId: string, trxId: string): Promise<Receipt[]> {
    return (await tx.query<ReceiptRow>(LIST_BY_TRX, [storeId, trxId])).map(receiptOf);
  }

  /** The phone's message about money that was sent with this TrxID, in exactly this amount; null when none has come. */
  async findSent(
    tx: Queryable,
    storeId: string,
    sent: { provider: string; trxId: string; amountMinor: number; currency: string },
  ): Promise<{ readonly id: string } | null> {
    const values = [storeId, sent.trxId, sent.provider, sent.amountMinor, sent.currency];
    const [row] = await tx.query<{ id: string }>(FIND_SENT, values);
    return row ?? null;
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

  async setStatus(
    tx: Transaction,
    storeId: string,
    receiptIds: readonly string[],
    status: ReceiptStatus,
  ): Promise<void> {
    if (receiptIds.length > 0) await tx.execute(SET_STATUS, [receiptIds, storeId, status]);
  }

  /**
   * Leaves receipts to a person. One with a TrxID and digits can be claimed under either key, so one of these may have found
   * its payment since it was read; that one stays what it is.
   */
  async doubt(tx: Transaction, storeId: string, receiptIds: readonly string[]): Promise<void> {
    if (receiptIds.length > 0) await tx.execute(DOUBT, [receiptIds, storeId]);
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
      payment.payAmountMinor,
    ]);
  }

  /** The balance that a wallet's latest receipt from a phone told; null without one. */
  async findBalance(storeId: string, provider: string, app: string): Promise<number | null> {
    const [row] = await this.database.query<{ balance_minor: string }>(FIND_BALANCE, [
      storeId,
      provider,
      app,
    ]);
    return row === undefined ? null : Number(row.balance_minor);
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
  return { ...RECEIPTS.read(row), paymentId: row.payment_id };
}
