import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, GroupedWrites, type Queryable, type Transaction } from '../database/index.js';
import type { PagePosition } from '../http/index.js';
import { isUniqueViolation } from '../kernel/sqlstate.js';
import { FreshLookup } from '../kernel/fresh-lookup.js';
import { confirmedKey, STORE_STAMP, type StoreAdmission, StoreRouting } from '../stores/index.js';
import type { WaitingPayment } from './matching.js';
import { type Payment, type PaymentStatus, statusAt, type Submission, submissionValue } from './payment.js';
import { type PaymentRecord, PAYMENTS, SUBMISSION_TRIES } from './payments.table.js';

type PaymentRow = QueryResultRow;

export interface PaymentFilter {
  readonly status?: PaymentStatus;
  readonly provider?: string;
  readonly trxId?: string;
  readonly customerPhone?: string;
  readonly paymentLinkId?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

const COLUMNS = PAYMENTS.list();

const INSERT = PAYMENTS.insert('payments-insert');
const INSERT_MANY = PAYMENTS.insertMany('payments-insert-many');
/** Only for keys that are in force, of stores that are as they were when the payment was prepared. */
const INSERT_CONFIRMED = PAYMENTS.insertManyWhere('payments-insert-confirmed', {
  extra: ['key_digest text', 'stamp text'],
  join: `${confirmedKey(`decode(row.key_digest, 'hex')`)} AND s.id = row.store_id AND ${STORE_STAMP} = row.stamp`,
});

const FIND = {
  name: 'payments-find',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 AND store_id = $2`,
};
const FIND_AMONG = {
  name: 'payments-find-among',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 AND store_id = ANY ($2::uuid[])`,
};
/** Each by its id, with the stamp of its store. LIMIT makes it one look-up by index after the other. */
const FIND_STAMPED = {
  name: 'payments-find-stamped',
  text: `SELECT p.*, ${STORE_STAMP} AS store_stamp FROM unnest($1::uuid[]) AS g (id)
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM payments WHERE payments.id = g.id LIMIT 1) p
    JOIN stores s ON s.id = p.store_id`,
};
/** Each by an API key and its id: no row where the key is not in force, a row without a payment where the store has none. */
const FIND_CONFIRMED = {
  name: 'payments-find-confirmed',
  text: `SELECT g.place::integer, p.* FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS g (digest, wanted, place)
    ${confirmedKey(`decode(g.digest, 'hex')`)}
    LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM payments WHERE payments.id = g.wanted AND payments.store_id = c.store_id LIMIT 1
    ) p ON true`,
};
/** Asks every shard: only for an id that does not end as its store's does. */
const FIND_ANYWHERE = {
  name: 'payments-find-anywhere',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1`,
};
const LIST_BY_IDS = {
  name: 'payments-list-by-ids',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = ANY ($1::uuid[]) AND store_id = ANY ($2::uuid[])`,
};
const LOCK = {
  name: 'payments-lock',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 AND store_id = $2 FOR UPDATE`,
};

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
  text: `SELECT ${PAYMENTS.list('p')}, t.at AS repeated_at FROM payments p
    JOIN submission_tries t
      ON t.payment_id = p.id AND t.store_id = p.store_id AND t.kind = 'last4digit' AND t.value = p.submitted_last4
    WHERE p.store_id = $1 AND t.store_id = $1 AND t.value = $2 AND p.pay_amount_minor = $3
      AND (p.submitted_at BETWEEN $4 AND $5 OR t.at BETWEEN $4 AND $5)
      AND (p.status IN ('submitted', 'expired') OR (p.status = 'review' AND p.receipt_id IS NULL))
    ORDER BY p.id LIMIT $6 FOR UPDATE OF p`,
};

const SAVE = {
  name: 'payments-save',
  text: `UPDATE payments SET ${PAYMENTS.changes(4)} WHERE id = $1 AND store_id = $2 AND status = $3`,
};

/** The sum of its refunds, beside which the refund itself is written. */
const SAVE_REFUNDED = {
  name: 'payments-save-refunded',
  text: `UPDATE payments SET refunded_amount_minor = $3 WHERE id = $1 AND store_id = $2 AND status = 'verified'`,
};

/** Grace counts for what was submitted, the lifetime for what was not. */
const EXPIRE = {
  name: 'payments-expire',
  text: `UPDATE payments SET status = 'expired', settled_at = CASE WHEN status = 'pending' THEN expires_at ELSE grace_ends_at END
    WHERE store_id = $1 AND id IN (
      SELECT id FROM payments
      WHERE store_id = $1 AND id = ANY ($2::uuid[])
        AND ((status = 'pending' AND expires_at <= $3) OR (status = 'submitted' AND grace_ends_at <= $3))
      ORDER BY id FOR UPDATE SKIP LOCKED)
    RETURNING id`,
};

const ADD_TRY = SUBMISSION_TRIES.insert('payments-add-try');
const LIST_TRIES = {
  name: 'payments-list-tries',
  text: `SELECT ${SUBMISSION_TRIES.list()} FROM submission_tries
    WHERE payment_id = $1 AND store_id = $2 ORDER BY number`,
};
const REPEAT_TRY = {
  name: 'payments-repeat-try',
  text: `UPDATE submission_tries SET at = $5 WHERE payment_id = $1 AND store_id = $2 AND kind = $3 AND value = $4`,
};

const COUNT_TRIES = {
  name: 'payments-count-tries',
  text: `SELECT kind, count(*)::integer AS tries FROM submission_tries
    WHERE payment_id = $1 AND store_id = $2 GROUP BY kind`,
};

const FIND_REPEATED_AT = {
  name: 'payments-find-repeated-at',
  text: `SELECT at FROM submission_tries
    WHERE payment_id = $1 AND store_id = $2 AND kind = $3 AND value = $4 ORDER BY number DESC LIMIT 1`,
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

/** Statements that read for requests of the same moment: the next one leaves when one of them has come back. */
const MAX_SHARED_READS = 2;

/** A payment that is to be inserted only if its store is still as the admission has it, and the key in force. */
interface PreparedPayment {
  readonly payment: Payment;
  readonly admission: StoreAdmission;
}

/** A payment, and which version of its store's row was in force when it was read. */
export interface StampedPayment {
  readonly payment: Payment;
  readonly storeStamp: string;
}

/** The only place that knows the tables `payments` and `submission_tries`. */
@Injectable()
export class PaymentsRepository {
  private readonly inserts = new GroupedWrites<Payment>((payments) => this.insertMany(payments));
  private readonly confirmedInserts = new GroupedWrites<PreparedPayment, boolean>((prepared) =>
    this.insertManyConfirmed(prepared),
  );
  private readonly stampedReads = new FreshLookup<StampedPayment>(
    (ids) => this.readStamped(ids),
    MAX_SHARED_READS,
  );
  private readonly confirmedReads = new FreshLookup<{ readonly payment: Payment | null }>(
    (keys) => this.readConfirmed(keys),
    MAX_SHARED_READS,
  );

  constructor(
    private readonly database: Database,
    private readonly routing: StoreRouting,
  ) {}

  /** Resolves when the payment is committed, perhaps together with others that were created at the same moment. */
  insertGrouped(payment: Payment): Promise<void> {
    return this.inserts.add(payment);
  }

  async insert(on: Queryable, payment: Payment): Promise<void> {
    await on.execute(INSERT, PAYMENTS.valuesOf(payment));
  }

  private async insertMany(payments: readonly Payment[]): Promise<void[]> {
    const [first] = payments;
    if (payments.length === 1 && first !== undefined) await this.insert(this.database, first);
    else await this.database.execute(INSERT_MANY, [PAYMENTS.jsonOf(payments)]);
    return [];
  }

  /**
   * The same by a statement that also confirms the caller's key, and that the store is as the payment was prepared for. False when
   * it is not, and nothing was written.
   */
  insertConfirmed(payment: Payment, admission: StoreAdmission): Promise<boolean> {
    return this.confirmedInserts.add({ payment, admission });
  }

  private async insertManyConfirmed(prepared: readonly PreparedPayment[]): Promise<boolean[]> {
    const extras = prepared.map(({ admission }) => ({
      key_digest: admission.keyDigest,
      stamp: admission.stamp,
    }));
    const json = PAYMENTS.jsonOf(
      prepared.map(({ payment }) => payment),
      extras,
    );
    const rows = await this.database.query<{ id: string }>(INSERT_CONFIRMED, [json]);
    const written = new Set(rows.map(({ id }) => id));
    return prepared.map(({ payment }) => written.has(payment.id));
  }

  /** As `find`, with the stamp of its store's row. Requests of the same moment share the statement. */
  async findStamped(paymentId: string): Promise<StampedPayment | null> {
    return (await this.stampedReads.get(paymentId.toLowerCase())) ?? null;
  }

  private async readStamped(paymentIds: readonly string[]): Promise<Map<string, StampedPayment>> {
    const rows = await this.database.query<{ id: string; store_stamp: string }>(FIND_STAMPED, [paymentIds]);
    return new Map(rows.map((row) => [row.id, { payment: paymentOf(row), storeStamp: row.store_stamp }]));
  }

  /**
   * A payment of the store whose API key has that digest: null when the store has none with this id, undefined when the key is not
   * in force. Requests of the same moment share the statement.
   */
  async findConfirmed(keyDigest: string, paymentId: string): Promise<Payment | null | undefined> {
    return (await this.confirmedReads.get(`${keyDigest} ${paymentId}`))?.payment;
  }

  private async readConfirmed(
    keys: readonly string[],
  ): Promise<Map<string, { readonly payment: Payment | null }>> {
    const parts = keys.map((key) => key.split(' '));
    const values = [parts.map(([digest]) => digest), parts.map(([, id]) => id)];
    const rows = await this.database.query<{ place: number; id: string | null }>(FIND_CONFIRMED, values);
    return new Map(
      rows.map((row) => [keys[row.place - 1]!, { payment: row.id === null ? null : paymentOf(row) }]),
    );
  }

  /**
   * By the id alone, which ends as its store's does: looked for where the stores with that ending lie. A
   * store that has just been made, and an id that was not made here, are found all the same.
   */
  async find(paymentId: string): Promise<Payment | null> {
    if (!this.database.isDistributed) return (await this.findStamped(paymentId))?.payment ?? null;
    const storeIds = await this.routing.candidates(paymentId);
    const [row] = storeIds.length === 0 ? [] : await this.database.query(FIND_AMONG, [paymentId, storeIds]);
    const [found] = row === undefined ? await this.database.query(FIND_ANYWHERE, [paymentId]) : [row];
    return found === undefined ? null : paymentOf(found);
  }

  async findOfStore(storeId: string, paymentId: string): Promise<Payment | null> {
    const [row] = await this.database.query(FIND, [paymentId, storeId]);
    return row === undefined ? null : paymentOf(row);
  }

  async listByIds(paymentIds: readonly string[]): Promise<Payment[]> {
    const storeIds = await Promise.all(paymentIds.map((id) => this.routing.candidates(id)));
    const rows = await this.database.query(LIST_BY_IDS, [paymentIds, [...new Set(storeIds.flat())]]);
    return rows.map(paymentOf);
  }

  async lock(tx: Transaction, storeId: string, paymentId: string): Promise<Payment | null> {
    const [row] = await tx.query(LOCK, [paymentId, storeId]);
    return row === undefined ? null : paymentOf(row);
  }

  /** Locks the payments that submitted this TrxID and still need a receipt. The key's advisory lock must be held. */
  async lockWaitingForTrx(
    tx: Transaction,
    storeId: string,
    trxId: string,
    now: Date,
  ): Promise<WaitingRecord[]> {
    const rows = await tx.query(LOCK_WAITING_FOR_TRX, [storeId, trxId, MAX_RIVALS]);
    return rows.map((row) => waitingOf(row, row['submitted_at'] as Date | null, now));
  }

  /** Locks the payments that submitted these digits for this amount, or repeated them, between two instants. */
  async lockWaitingForLast4(
    tx: Transaction,
    key: { storeId: string; last4digit: string; amountMinor: number },
    between: { from: Date; to: Date },
    now: Date,
  ): Promise<WaitingRecord[]> {
    const values = [key.storeId, key.last4digit, key.amountMinor, between.from, between.to, MAX_RIVALS];
    const rows = await tx.query(LOCK_WAITING_FOR_LAST4, values);
    return rows.map((row) => waitingOf(row, row['repeated_at'] as Date, now));
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

  /** Writes what has gone back of a verified payment whose row is locked, in minor units. */
  async saveRefunded(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    refundedAmountMinor: number,
  ): Promise<void> {
    const touched = await tx.execute(SAVE_REFUNDED, [paymentId, storeId, refundedAmountMinor]);
    if (touched !== 1)
      throw new Error(`Payment ${paymentId} is not verified any longer, although it was locked.`);
  }

  private update(tx: Transaction, payment: Payment, before: PaymentStatus): Promise<number> {
    const { submission } = payment;
    const record = {
      ...payment,
      submittedTrxId: submission?.kind === 'trx_id' ? submission.trxId : null,
      submittedLast4: submission?.kind === 'last4digit' ? submission.last4digit : null,
      submittedProvider: submission?.provider ?? null,
    };
    return tx.execute(SAVE, [payment.id, payment.storeId, before, ...PAYMENTS.changedValuesOf(record)]);
  }

  /** Notes an entry of the payer; answers whether it is a new one, and how many others there were before. */
  async addTry(
    tx: Transaction,
    payment: Payment,
    submission: Submission,
    at: Date,
  ): Promise<{ added: boolean; earlier: number }> {
    const { id, storeId } = payment;
    const value = submissionValue(submission);
    const known = (await tx.query(LIST_TRIES, [id, storeId])).map((row) => SUBMISSION_TRIES.read(row));
    const earlier = known.filter(({ kind }) => kind === submission.kind);
    const added = !earlier.some((entry) => entry.value === value);
    if (!added) await tx.execute(REPEAT_TRY, [id, storeId, submission.kind, value, at]);
    else {
      const entry = {
        paymentId: id,
        storeId,
        number: known.length + 1,
        kind: submission.kind,
        value,
        provider: submission.provider,
        currency: payment.currency,
        amountMinor: payment.payAmountMinor,
        standing: 'counted' as const,
        ownPhone: false,
        at,
      };
      await tx.execute(ADD_TRY, SUBMISSION_TRIES.valuesOf(entry));
    }
    return { added, earlier: earlier.length };
  }

  /** How many different entries of each kind the payer has made. */
  async countTries(
    storeId: string,
    paymentId: string,
  ): Promise<{ kind: Submission['kind']; tries: number }[]> {
    return this.database.query<{ kind: Submission['kind']; tries: number }>(COUNT_TRIES, [
      paymentId,
      storeId,
    ]);
  }

  /** When an entry of the payer was last made, or null when it never was. */
  async findRepeatedAt(tx: Transaction, payment: Payment, submission: Submission): Promise<Date | null> {
    const values = [payment.id, payment.storeId, submission.kind, submissionValue(submission)];
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
    if (filter.paymentLinkId !== undefined)
      conditions.push(`payment_link_id = ${parameter(filter.paymentLinkId)}`);
    if (filter.createdFrom !== undefined) conditions.push(`created_at >= ${parameter(filter.createdFrom)}`);
    if (filter.createdTo !== undefined) conditions.push(`created_at <= ${parameter(filter.createdTo)}`);
    if (position !== null) {
      conditions.push(`(created_at, id) < (${parameter(position.at)}, ${parameter(position.id)}::uuid)`);
    }
    const rows = await this.database.query(
      `SELECT ${COLUMNS} FROM payments WHERE ${conditions.join(' AND ')}
       ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit + 1)}`,
      values,
    );
    return rows.map(paymentOf);
  }

  /**
   * Writes down expiries that have happened, at most about `limit`; what is locked right now is left for the next round.
   * Answers the ids of those it wrote, and whether there may be more.
   */
  async storeExpiries(now: Date, limit: number): Promise<{ expired: string[]; isFull: boolean }> {
    const due = [
      ...(await this.database.query<{ id: string; store_id: string }>(
        `SELECT id, store_id FROM payments WHERE status = 'pending' AND expires_at <= $1
         ORDER BY expires_at LIMIT $2`,
        [now, limit],
      )),
      ...(await this.database.query<{ id: string; store_id: string }>(
        `SELECT id, store_id FROM payments WHERE status = 'submitted' AND grace_ends_at <= $1
         ORDER BY grace_ends_at LIMIT $2`,
        [now, limit],
      )),
    ];
    const idsByStore = new Map<string, string[]>();
    for (const { id, store_id: storeId } of due) {
      idsByStore.set(storeId, [...(idsByStore.get(storeId) ?? []), id]);
    }
    const expired: string[] = [];
    for (const [storeId, ids] of idsByStore) {
      const written = await this.database.query<{ id: string }>(EXPIRE, [storeId, ids, now]);
      expired.push(...written.map(({ id }) => id));
    }
    return { expired, isFull: expired.length >= limit };
  }

  /**
   * Waiting submissions for which a receipt lies there: the safety net under matching. Normally empty, except after a
   * receipt has become free again.
   */
  async listMissedMatches(
    now: Date,
    windowMs: number,
    limit: number,
  ): Promise<{ storeId: string; paymentId: string }[]> {
    const rows = await this.database.query<{ id: string; store_id: string }>(
      `SELECT p.id, p.store_id FROM payments p
       LEFT JOIN submission_tries t ON t.payment_id = p.id AND t.store_id = p.store_id
         AND t.kind = 'last4digit' AND t.value = p.submitted_last4
       WHERE p.status = 'submitted' AND p.grace_ends_at > $1 AND (
         EXISTS (SELECT FROM receipts r
                 WHERE r.store_id = p.store_id AND r.trx_id = p.submitted_trx_id AND r.status <> 'ignored')
         OR EXISTS (SELECT FROM receipts r
                    WHERE r.store_id = p.store_id AND r.last4digit = p.submitted_last4
                      AND r.amount_minor = p.pay_amount_minor AND r.currency = p.currency AND r.status = 'unmatched'
                      AND (r.money_from BETWEEN p.submitted_at - $2::interval AND p.submitted_at + $2::interval
                           OR r.money_from BETWEEN t.at - $2::interval AND t.at + $2::interval)))
       ORDER BY p.submitted_at LIMIT $3`,
      [now, `${windowMs} milliseconds`, limit],
    );
    return rows.map((row) => ({ storeId: row.store_id, paymentId: row.id }));
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
    amountMinor: payment.payAmountMinor,
    currency: payment.currency,
    requestedProvider: payment.requestedProvider,
    submission: payment.submission,
    submittedAt: payment.submittedAt,
    repeatedAt,
    payment,
  };
}

function submissionOf(record: PaymentRecord): Submission | null {
  const { submittedTrxId, submittedLast4, submittedProvider: provider } = record;
  if (submittedTrxId !== null) return { kind: 'trx_id', trxId: submittedTrxId, provider };
  if (submittedLast4 !== null) return { kind: 'last4digit', last4digit: submittedLast4, provider };
  return null;
}

function paymentOf(row: PaymentRow): Payment {
  const { submittedTrxId, submittedLast4, submittedProvider, ...record } = PAYMENTS.read(row);
  return {
    ...record,
    submission: submissionOf({ ...record, submittedTrxId, submittedLast4, submittedProvider }),
  };
}
