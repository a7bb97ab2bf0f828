import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, type Transaction } from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import { isUniqueViolation } from '../../kernel/sqlstate.js';
import type { Refund } from './refund.js';
import { refundTrxIdUsed } from './refunds.problems.js';
import { REFUNDS } from './refunds.table.js';

const COLUMNS = REFUNDS.list();
const INSERT = REFUNDS.insert('refunds-insert');

const LIST_OF_PAYMENT = {
  name: 'refunds-list-of-payment',
  text: `SELECT ${COLUMNS} FROM refunds
    WHERE store_id = $1 AND payment_id = $2
      AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
    ORDER BY created_at DESC, id DESC LIMIT $5`,
};

const LOCK_BY_TRX = {
  name: 'refunds-lock-by-trx',
  text: `SELECT ${COLUMNS} FROM refunds WHERE store_id = $1 AND provider = $2 AND trx_id = $3 FOR UPDATE`,
};

const CONFIRM = {
  name: 'refunds-confirm',
  text: `UPDATE refunds SET status = 'confirmed', receipt_id = $3, confirmed_at = $4
    WHERE id = $1 AND store_id = $2 AND status = 'recorded'`,
};

/** The only place that knows the table `refunds`. */
@Injectable()
export class RefundsRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `refund.trx_id_used`: the database decides, not a query before it */
  async insert(tx: Transaction, refund: Refund): Promise<void> {
    await tx.execute(INSERT, REFUNDS.valuesOf(refund)).catch((error: unknown) => {
      throw isUniqueViolation(error, 'refunds_once_by_trx') ? refundTrxIdUsed() : error;
    });
  }

  /** Newest first. Answers one row more than `limit`. */
  async listOfPayment(
    storeId: string,
    paymentId: string,
    position: PagePosition | null,
    limit: number,
  ): Promise<Refund[]> {
    const values = [storeId, paymentId, position?.at ?? null, position?.id ?? null, limit + 1];
    const rows = await this.database.query<QueryResultRow>(LIST_OF_PAYMENT, values);
    return rows.map((row) => REFUNDS.read(row));
  }

  /** The refund that a wallet's TrxID stands for. The key's advisory lock must be held. */
  async lockByTrx(tx: Transaction, storeId: string, provider: string, trxId: string): Promise<Refund | null> {
    const [row] = await tx.query<QueryResultRow>(LOCK_BY_TRX, [storeId, provider, trxId]);
    return row === undefined ? null : REFUNDS.read(row);
  }

  /** Writes down that a recorded refund, whose row is locked, is confirmed. */
  async confirm(
    tx: Transaction,
    refund: Pick<Refund, 'id' | 'storeId'>,
    receiptId: string,
    at: Date,
  ): Promise<void> {
    const touched = await tx.execute(CONFIRM, [refund.id, refund.storeId, receiptId, at]);
    if (touched !== 1)
      throw new Error(`Refund ${refund.id} is not recorded any longer, although it was locked.`);
  }
}
