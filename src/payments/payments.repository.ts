import { Injectable } from '@nestjs/common';
import { Database, GroupedWrites, type Queryable, type Transaction } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { RawJson } from '../kernel/raw-json.js';
import { isUniqueViolation } from '../kernel/sqlstate.js';
import type { WaitingPayment } from './matching.js';
import {
  type Payment,
  type PaymentStatus,
  type ReviewReason,
  statusAt,
  type Submission,
  submissionValue,
} from './payment.js';

interface PaymentRow {
  id: string;
  store_id: string;
  status: PaymentStatus;
  review_reason: ReviewReason | null;
  amount_minor: string;
  currency: string;
  requested_provider: string | null;
  customer_name: string | null;
  customer_phone: string | null;
  note: string | null;
  products: string | null;
  metadata: string | null;
  redirect_url: string | null;
  cancel_url: string | null;
  submitted_trx_id: string | null;
  submitted_last4: string | null;
  submitted_provider: string | null;
  submitted_at: Date | null;
  grace_ends_at: Date | null;
  receipt_id: string | null;
  provider: string | null;
  trx_id: string | null;
  payer_number: string | null;
  received_amount_minor: string | null;
  received_currency: string | null;
  simulated: boolean;
  approved_at: Date | null;
  created_at: Date;
  expires_at: Date;
  verified_at: Date | null;
  cancelled_at: Date | null;
}

export interface PaymentFilter {
  readonly status?: PaymentStatus;
  readonly provider?: string;
  readonly trxId?: string;
  readonly customerPhone?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

export interface StoredAnswer {
  readonly bodyHash: Buffer;
  readonly status: number;
  readonly answer: string;
}

const COLUMNS = `id, store_id, status, review_reason, amount_minor, currency, requested_provider, customer_name,
  customer_phone, note, products, metadata, redirect_url, cancel_url, submitted_trx_id, submitted_last4,
  submitted_provider, submitted_at, grace_ends_at, receipt_id, provider, trx_id, payer_number, received_amount_minor,
  received_currency, simulated, approved_at, created_at, expires_at, verified_at, cancelled_at`;

const INSERT = {
  name: 'payments-insert',
  text: `INSERT INTO payments (id, store_id, status, amount_minor, currency, requested_provider, customer_name,
      customer_phone, note, products, metadata, redirect_url, cancel_url, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
};

/** The same for any number of payments; one parameter, because a statement may have 65,535 at most. */
const INSERT_MANY = {
  name: 'payments-insert-many',
  text: `INSERT INTO payments (id, store_id, status, amount_minor, currency, requested_provider, customer_name,
      customer_phone, note, products, metadata, redirect_url, cancel_url, created_at, expires_at)
    SELECT * FROM json_to_recordset($1::json) AS row (id uuid, store_id uuid, status text, amount_minor bigint,
      currency text, requested_provider text, customer_name text, customer_phone text, note text, products text,
      metadata text, redirect_url text, cancel_url text, created_at timestamptz, expires_at timestamptz)`,
};

const FIND = { name: 'payments-find', text: `SELECT ${COLUMNS} FROM payments WHERE id = $1` };
const LIST_BY_IDS = {
  name: 'payments-list-by-ids',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = ANY ($1::uuid[])`,
};
const LOCK = { name: 'payments-lock', text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 FOR UPDATE` };

/** Payments that wait for a TrxID, and those that expired while they did, locked in the order of their ids. */
const LOCK_WAITING_FOR_TRX = {
  name: 'payments-lock-waiting-for-trx',
  text: `SELECT ${COLUMNS} FROM payments
    WHERE store_id = $1 AND submitted_trx_id = $2 AND status IN ('submitted', 'expired')
    ORDER BY id LIMIT $3 FOR UPDATE`,
};

/** The same for the digits and the amount of a Bangla QR payment, and those that are ambiguous already. */
const LOCK_WAITING_FOR_LAST4 = {
  name: 'payments-lock-waiting-for-last4',
  text: `SELECT ${COLUMNS}, t.at AS repeated_at FROM payments
    JOIN submission_tries t ON t.payment_id = id AND t.kind = 'last4digit' AND t.value = submitted_last4
    WHERE store_id = $1 AND submitted_last4 = $2 AND amount_minor = $3
      AND (submitted_at BETWEEN $4 AND $5 OR t.at BETWEEN $4 AND $5)
      AND (status IN ('submitted', 'expired') OR (status = 'review' AND receipt_id IS NULL))
    ORDER BY id LIMIT $6 FOR UPDATE OF payments`,
};

const SAVE = {
  name: 'payments-save',
  text: `UPDATE payments SET status = $3, review_reason = $4, submitted_trx_id = $5, submitted_last4 = $6,
      submitted_provider = $7, submitted_at = $8, grace_ends_at = $9, receipt_id = $10, provider = $11, trx_id = $12,
      payer_number = $13, received_amount_minor = $14, received_currency = $15, simulated = $16, approved_at = $17,
      verified_at = $18, cancelled_at = $19
    WHERE id = $1 AND status = $2`,
};

/**
 * Notes an entry, or that it was repeated. Answers how many there were before, and whether this one is new: the statement does
 * not see its own row, and the payment's lock keeps others out.
 */
const ADD_TRY = {
  name: 'payments-add-try',
  text: `WITH noted AS (
      INSERT INTO submission_tries (payment_id, kind, value, at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (payment_id, kind, value) DO UPDATE SET at = excluded.at
    )
    SELECT count(*) FILTER (WHERE value = $3) = 0 AS added, count(*)::integer AS earlier
    FROM submission_tries WHERE payment_id = $1 AND kind = $2`,
};

const COUNT_TRIES = {
  name: 'payments-count-tries',
  text: 'SELECT kind, count(*)::integer AS tries FROM submission_tries WHERE payment_id = $1 GROUP BY kind',
};

const FIND_REPEATED_AT = {
  name: 'payments-find-repeated-at',
  text: 'SELECT at FROM submission_tries WHERE payment_id = $1 AND kind = $2 AND value = $3',
};

/**
 * A receipt with a TrxID and digits can be claimed by either, under different keys; at the same instant the constraint alone
 * knows who was first. The code is that of a serialisation failure, because that is what it is: whoever was second decides
 * again, and then sees the claim.
 */
class ReceiptTaken extends Error {
  readonly code = '40001';

  constructor(cause: unknown) {
    super('Another payment has taken the receipt.', { cause });
  }
}

/** The most payments that one receipt is weighed against; more than a few is an attack, and goes to a person anyway. */
const MAX_RIVALS = 100;

/** The only place that knows the tables `payments`, `submission_tries` and `idempotency_keys`. */
@Injectable()
export class PaymentsRepository {
  private readonly inserts = new GroupedWrites<Payment>((payments) => this.insertMany(payments));

  constructor(private readonly database: Database) {}

  /** Resolves when the payment is committed, perhaps together with others that were created at the same moment. */
  insertGrouped(payment: Payment): Promise<void> {
    return this.inserts.add(payment);
  }

  async insert(on: Queryable, payment: Payment): Promise<void> {
    await on.execute(INSERT, [
      payment.id,
      payment.storeId,
      payment.status,
      payment.amountMinor,
      payment.currency,
      payment.requestedProvider,
      payment.customerName,
      payment.customerPhone,
      payment.note,
      payment.products?.text ?? null,
      payment.metadata?.text ?? null,
      payment.redirectUrl,
      payment.cancelUrl,
      payment.createdAt,
      payment.expiresAt,
    ]);
  }

  private async insertMany(payments: readonly Payment[]): Promise<void> {
    const [first] = payments;
    if (payments.length === 1 && first !== undefined) return this.insert(this.database, first);
    const rows = payments.map((payment) => ({
      id: payment.id,
      store_id: payment.storeId,
      status: payment.status,
      amount_minor: payment.amountMinor,
      currency: payment.currency,
      requested_provider: payment.requestedProvider,
      customer_name: payment.customerName,
      customer_phone: payment.customerPhone,
      note: payment.note,
      products: payment.products?.text ?? null,
      metadata: payment.metadata?.text ?? null,
      redirect_url: payment.redirectUrl,
      cancel_url: payment.cancelUrl,
      created_at: payment.createdAt,
      expires_at: payment.expiresAt,
    }));
    await this.database.execute(INSERT_MANY, [JSON.stringify(rows)]);
  }

  async find(paymentId: string): Promise<Payment | null> {
    const [row] = await this.database.query<PaymentRow>(FIND, [paymentId]);
    return row === undefined ? null : paymentOf(row);
  }

  async findOfStore(storeId: string, paymentId: string): Promise<Payment | null> {
    const payment = await this.find(paymentId);
    return payment?.storeId === storeId ? payment : null;
  }

  async listByIds(paymentIds: readonly string[]): Promise<Payment[]> {
    const rows = await this.database.query<PaymentRow>(LIST_BY_IDS, [paymentIds]);
    return rows.map(paymentOf);
  }

  async lock(tx: Transaction, paymentId: string): Promise<Payment | null> {
    const [row] = await tx.query<PaymentRow>(LOCK, [paymentId]);
    return row === undefined ? null : paymentOf(row);
  }

  /** Locks the payments that submitted this TrxID and still need a receipt. The key's advisory lock must be held. */
  async lockWaitingForTrx(
    tx: Transaction,
    storeId: string,
    trxId: string,
    now: Date,
  ): Promise<WaitingRecord[]> {
    const rows = await tx.query<PaymentRow>(LOCK_WAITING_FOR_TRX, [storeId, trxId, MAX_RIVALS]);
    return rows.map((row) => waitingOf(row, row.submitted_at, now));
  }

  /** Locks the payments that submitted these digits for this amount, or repeated them, between two instants. */
  async lockWaitingForLast4(
    tx: Transaction,
    key: { storeId: string; last4digit: string; amountMinor: number },
    between: { from: Date; to: Date },
    now: Date,
  ): Promise<WaitingRecord[]> {
    const values = [key.storeId, key.last4digit, key.amountMinor, between.from, between.to, MAX_RIVALS];
    const rows = await tx.query<PaymentRow & { repeated_at: Date }>(LOCK_WAITING_FOR_LAST4, values);
    return rows.map((row) => waitingOf(row, row.repeated_at, now));
  }

  /**
   * Writes what can change of a payment whose row is locked. `before` is the status it was loaded with.
   *
   * @throws ReceiptTaken, upon which the transaction runs again, when another payment has just taken the receipt
   */
  async save(tx: Transaction, payment: Payment, before: PaymentStatus): Promise<void> {
    const touched = await this.update(tx, payment, before).catch((error: unknown) => {
      throw isUniqueViolation(error, 'payments_receipt_key') ? new ReceiptTaken(error) : error;
    });
    if (touched !== 1)
      throw new Error(`Payment ${payment.id} is not ${before} any longer, although it was locked.`);
  }

  private update(tx: Transaction, payment: Payment, before: PaymentStatus): Promise<number> {
    const { submission } = payment;
    return tx.execute(SAVE, [
      payment.id,
      before,
      payment.status,
      payment.reviewReason,
      submission?.kind === 'trx_id' ? submission.trxId : null,
      submission?.kind === 'last4digit' ? submission.last4digit : null,
      submission?.provider ?? null,
      payment.submittedAt,
      payment.graceEndsAt,
      payment.receiptId,
      payment.provider,
      payment.trxId,
      payment.payerNumber,
      payment.receivedAmountMinor,
      payment.receivedCurrency,
      payment.simulated,
      payment.approvedAt,
      payment.verifiedAt,
      payment.cancelledAt,
    ]);
  }

  /** Notes an entry of the payer; answers whether it is a new one, and how many others there were before. */
  async addTry(
    tx: Transaction,
    paymentId: string,
    submission: Submission,
    at: Date,
  ): Promise<{ added: boolean; earlier: number }> {
    const values = [paymentId, submission.kind, submissionValue(submission), at];
    const [row] = await tx.query<{ added: boolean; earlier: number }>(ADD_TRY, values);
    return row ?? { added: false, earlier: 0 };
  }

  /** How many different entries of each kind the payer has made. */
  async countTries(paymentId: string): Promise<{ kind: Submission['kind']; tries: number }[]> {
    return this.database.query<{ kind: Submission['kind']; tries: number }>(COUNT_TRIES, [paymentId]);
  }

  /** When an entry of the payer was last made, or null when it never was. */
  async findRepeatedAt(tx: Transaction, paymentId: string, submission: Submission): Promise<Date | null> {
    const values = [paymentId, submission.kind, submissionValue(submission)];
    const [row] = await tx.query<{ at: Date }>(FIND_REPEATED_AT, values);
    return row?.at ?? null;
  }

  /** Newest first. Answers one row more than `limit`. Statuses are as they are `now`, not as the sweep left them. */
  async list(
    storeId: string,
    filter: PaymentFilter,
    position: PagePosition | null,
    limit: number,
    now: Date,
  ): Promise<Payment[]> {
    const values: unknown[] = [storeId];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const conditions = ['store_id = $1'];
    if (filter.status !== undefined) conditions.push(statusCondition(filter.status, parameter, now));
    if (filter.provider !== undefined) {
      conditions.push(`COALESCE(provider, requested_provider) = ${parameter(filter.provider)}`);
    }
    if (filter.trxId !== undefined) {
      const trxId = parameter(filter.trxId);
      conditions.push(`(trx_id = ${trxId} OR submitted_trx_id = ${trxId})`);
    }
    if (filter.customerPhone !== undefined)
      conditions.push(`customer_phone = ${parameter(filter.customerPhone)}`);
    if (filter.createdFrom !== undefined) conditions.push(`created_at >= ${parameter(filter.createdFrom)}`);
    if (filter.createdTo !== undefined) conditions.push(`created_at <= ${parameter(filter.createdTo)}`);
    if (position !== null) {
      conditions.push(`(created_at, id) < (${parameter(position.at)}, ${parameter(position.id)}::uuid)`);
    }
    const rows = await this.database.query<PaymentRow>(
      `SELECT ${COLUMNS} FROM payments WHERE ${conditions.join(' AND ')}
       ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit + 1)}`,
      values,
    );
    return rows.map(paymentOf);
  }

  /** Writes down expiries that have happened, at most `limit`; what is locked right now is left for the next round. */
  async storeExpiries(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH unpaid AS (
         SELECT id FROM payments WHERE status = 'pending' AND expires_at <= $1
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ), unmatched AS (
         SELECT id FROM payments WHERE status = 'submitted' AND grace_ends_at <= $1
         ORDER BY grace_ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ), due AS (SELECT id FROM unpaid UNION ALL SELECT id FROM unmatched)
       UPDATE payments SET status = 'expired' FROM due
       WHERE payments.id = due.id AND payments.status IN ('pending', 'submitted')
       RETURNING payments.id`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Waiting submissions for which a receipt lies there: the safety net under matching. Normally empty, except after a
   * receipt has become free again.
   */
  async listMissedMatches(now: Date, windowMs: number, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT p.id FROM payments p
       LEFT JOIN submission_tries t
         ON t.payment_id = p.id AND t.kind = 'last4digit' AND t.value = p.submitted_last4
       WHERE p.status = 'submitted' AND p.grace_ends_at > $1 AND (
         EXISTS (SELECT FROM receipts r
                 WHERE r.store_id = p.store_id AND r.trx_id = p.submitted_trx_id AND r.status <> 'ignored')
         OR EXISTS (SELECT FROM receipts r
                    WHERE r.store_id = p.store_id AND r.last4digit = p.submitted_last4
                      AND r.amount_minor = p.amount_minor AND r.currency = p.currency AND r.status = 'unmatched'
                      AND (LEAST(r.received_at, r.arrived_at) BETWEEN p.submitted_at - $2::interval
                                                                  AND p.submitted_at + $2::interval
                           OR LEAST(r.received_at, r.arrived_at) BETWEEN t.at - $2::interval
                                                                     AND t.at + $2::interval)))
       ORDER BY p.submitted_at LIMIT $3`,
      [now, `${windowMs} milliseconds`, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** True when nobody else holds this key just now; the hold ends with the transaction. */
  async tryHoldIdempotencyKey(tx: Transaction, key: bigint): Promise<boolean> {
    const [row] = await tx.query<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [
      key.toString(),
    ]);
    return row?.held === true;
  }

  async findAnswer(
    tx: Transaction,
    storeId: string,
    key: string,
    notBefore: Date,
  ): Promise<StoredAnswer | null> {
    const [row] = await tx.query<{ body_hash: Buffer; status: number; answer: string }>(
      `SELECT body_hash, status, answer FROM idempotency_keys
       WHERE store_id = $1 AND key = $2 AND created_at > $3`,
      [storeId, key, notBefore],
    );
    return row === undefined ? null : { bodyHash: row.body_hash, status: row.status, answer: row.answer };
  }

  async storeAnswer(
    tx: Transaction,
    storeId: string,
    key: string,
    answer: StoredAnswer,
    at: Date,
  ): Promise<void> {
    await tx.execute(
      `INSERT INTO idempotency_keys (store_id, key, body_hash, status, answer, created_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (store_id, key) DO UPDATE
       SET body_hash = excluded.body_hash, status = excluded.status, answer = excluded.answer,
           created_at = excluded.created_at`,
      [storeId, key, answer.bodyHash, answer.status, answer.answer, at],
    );
  }

  async pruneAnswers(before: Date, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM idempotency_keys WHERE (store_id, key) IN (
         SELECT store_id, key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`,
      [before, limit],
    );
  }
}

/** A locked payment, with what matching needs. */
export interface WaitingRecord extends WaitingPayment {
  readonly payment: Payment;
}

function statusCondition(status: PaymentStatus, parameter: (value: unknown) => string, now: Date): string {
  const over = (() => {
    const at = parameter(now);
    return `((status = 'pending' AND expires_at <= ${at}) OR (status = 'submitted' AND grace_ends_at <= ${at}))`;
  })();
  if (status === 'expired') return `(status = 'expired' OR ${over})`;
  return `(status = ${parameter(status)} AND NOT ${over})`;
}

function waitingOf(row: PaymentRow, repeatedAt: Date | null, now: Date): WaitingRecord {
  const payment = paymentOf(row);
  if (payment.submission === null || payment.submittedAt === null || repeatedAt === null)
    throw new Error('A waiting payment has a submission.');
  return {
    id: payment.id,
    status: statusAt(payment, now),
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    requestedProvider: payment.requestedProvider,
    submission: payment.submission,
    submittedAt: payment.submittedAt,
    repeatedAt,
    payment,
  };
}

function submissionOf(row: PaymentRow): Submission | null {
  const provider = row.submitted_provider;
  if (row.submitted_trx_id !== null) return { kind: 'trx_id', trxId: row.submitted_trx_id, provider };
  if (row.submitted_last4 !== null) return { kind: 'last4digit', last4digit: row.submitted_last4, provider };
  return null;
}

function paymentOf(row: PaymentRow): Payment {
  return {
    id: row.id,
    storeId: row.store_id,
    status: row.status,
    reviewReason: row.review_reason,
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    requestedProvider: row.requested_provider,
    customerName: row.customer_name,
    customerPhone: row.customer_phone,
    note: row.note,
    products: row.products === null ? null : new RawJson(row.products),
    metadata: row.metadata === null ? null : new RawJson(row.metadata),
    redirectUrl: row.redirect_url,
    cancelUrl: row.cancel_url,
    submission: submissionOf(row),
    submittedAt: row.submitted_at,
    graceEndsAt: row.grace_ends_at,
    receiptId: row.receipt_id,
    provider: row.provider,
    trxId: row.trx_id,
    payerNumber: row.payer_number,
    receivedAmountMinor: row.received_amount_minor === null ? null : Number(row.received_amount_minor),
    receivedCurrency: row.received_currency,
    simulated: row.simulated,
    approvedAt: row.approved_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    verifiedAt: row.verified_at,
    cancelledAt: row.cancelled_at,
  };
}
