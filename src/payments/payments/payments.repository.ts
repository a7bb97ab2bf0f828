import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import {
  Database,
  interval,
  plainArray,
  type Queryable,
  textArray,
  type Transaction,
} from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import type { MinorUnits } from '../../kernel/money.js';
import { isUniqueViolation } from '../../kernel/sqlstate.js';
import { StoreRouting } from '../../stores/index.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import type { Payment, PaymentStatus, Submission } from './payment.js';
import { idsByMetadata, MANY_BY_METADATA, type PaymentFilter, paymentsPage } from './payments-list.js';
import { type PaymentRecord, PAYMENTS } from './payments.table.js';
import { arraysOfTrx, type StoreTrx } from './store-trx.js';
import { isOpen } from './open-payments.js';
import { hasOnlyWrongDigits } from './wrong-submissions.js';
import { PaymentsSettings } from '../payments.settings.js';

type PaymentRow = QueryResultRow;

const COLUMNS = PAYMENTS.list();

/**
 * Nothing where another payment has this amount to itself already: waits for who is about to, and then sees it. The
 * index holds reserved amounts alone, so it is nothing to any other payment.
 */
const INSERT = PAYMENTS.insert(
  'payments-insert',
  'ON CONFLICT (store_id, currency, pay_amount_minor) WHERE pay_amount_reserved DO NOTHING',
);
const INSERT_MANY = PAYMENTS.insertMany('payments-insert-many');
/**
 * It has ended before $4, written down or not; or its lifetime has, and nothing but wrong digits were submitted for it
 * (contract 4.96). $5 is `QR_WINDOW`.
 */
const HAS_ENDED = `(ended_at <= $4 OR (status = 'pending' AND expires_at <= $4)
  OR (status = 'submitted' AND (grace_ends_at <= $4 OR (expires_at <= $4 AND ${hasOnlyWrongDigits('$5')}))))`;
/** The first amount that nobody has: each is looked up by index, and none behind the first free one. */
const FIND_FREE_AMOUNT = {
  name: 'payments-find-free-amount',
  text: `SELECT wanted.amount FROM unnest($3::bigint[]) AS wanted (amount)
    WHERE (SELECT true FROM payments
           WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = wanted.amount
             AND status IN ('pending', 'submitted', 'review') AND NOT COALESCE(${HAS_ENDED}, false) LIMIT 1) IS NULL
      AND (SELECT true FROM payments
           WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = wanted.amount AND ended_at > $4 LIMIT 1) IS NULL
    LIMIT 1`,
};
const RELEASE_AMOUNT = {
  name: 'payments-release-amount',
  text: `UPDATE payments SET pay_amount_reserved = false
    WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND pay_amount_reserved AND ${HAS_ENDED}`,
};
const FIND = {
  name: 'payments-find',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 AND store_id = $2`,
};
const LIST_BY_IDS = {
  name: 'payments-list-by-ids',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = ANY ($1::uuid[]) AND store_id = ANY ($2::uuid[])`,
};
const LOCK = {
  name: 'payments-lock',
  text: `SELECT ${COLUMNS} FROM payments WHERE id = $1 AND store_id = $2 FOR UPDATE`,
};

/**
 * Payments with an entry of this TrxID that could still get its receipt: those that fit it first, then the earliest.
 */
const LOCK_FOR_TRX = {
  name: 'payments-lock-for-trx',
  text: `SELECT ${COLUMNS} FROM payments WHERE store_id = $1 AND id = ANY (ARRAY(
      SELECT p.id FROM submissions t JOIN payments p ON p.id = t.payment_id AND p.store_id = t.store_id
      WHERE t.store_id = $1 AND t.value = $2 AND t.kind = 'trx_id' AND p.store_id = $1
        AND p.status NOT IN ('verified', 'cancelled')
      ORDER BY (p.pay_amount_minor = $3 AND p.currency = $4 AND COALESCE(p.requested_provider, $5) IN ($5, '${QR_PROVIDER}')) DESC,
        t.at, p.id
      LIMIT $6) || $7::uuid[])
    ORDER BY id FOR UPDATE`,
};

/**
 * Locks the waiting payments for TrxIDs of several stores; two for one TrxID say already that it is not a simple
 * case. Never asked of a cluster.
 */
const LOCK_WAITING = {
  name: 'payments-lock-waiting',
  text: `SELECT ${PAYMENTS.list('p')} FROM unnest($1::uuid[], $2::text[]) AS wanted (store_id, trx_id)
    CROSS JOIN LATERAL (
      SELECT t.payment_id FROM submissions t
      WHERE t.store_id = wanted.store_id AND t.value = wanted.trx_id AND t.kind = 'trx_id' LIMIT 2
    ) entered
    JOIN payments p ON p.id = entered.payment_id AND p.store_id = wanted.store_id
    WHERE p.status NOT IN ('verified', 'cancelled')
    ORDER BY p.id FOR UPDATE OF p`,
};

/** The same for digits that were entered between two instants for payments of one of two amounts, to pay or plain. */
const LOCK_FOR_LAST4 = {
  name: 'payments-lock-for-last4',
  text: `SELECT ${COLUMNS} FROM payments WHERE store_id = $1 AND id = ANY (ARRAY(
      SELECT p.id FROM submissions t JOIN payments p ON p.id = t.payment_id AND p.store_id = t.store_id
      WHERE t.store_id = $1 AND t.value = $2 AND t.kind = 'last4digit' AND t.at BETWEEN $5 AND $6
        AND p.store_id = $1 AND p.currency = $4 AND (p.pay_amount_minor IN ($3, $9) OR p.amount_minor IN ($3, $9))
        AND p.status NOT IN ('verified', 'cancelled')
      GROUP BY p.id ORDER BY bool_or(p.pay_amount_minor = $3) DESC, min(t.at), p.id
      LIMIT $7) || $8::uuid[])
    ORDER BY id FOR UPDATE`,
};

const PHONE_DIGITS = `regexp_replace(customer_phone, '[^0-9]', '', 'g')`;
/** A payment that waits or is in review, other than one, with the same amount to pay and a phone of these digits. */
const FIND_PHONE = {
  name: 'payments-find-phone',
  text: `SELECT id FROM payments
    WHERE store_id = $1 AND currency = $2 AND pay_amount_minor = $3 AND id <> $4
      AND customer_phone IS NOT NULL AND right(${PHONE_DIGITS}, 4) = $5 AND length(${PHONE_DIGITS}) >= 10
      AND ${isOpen('$6')}
    LIMIT 1`,
};

/** A payment that a user verified over less than its amount, or over no receipt, and that names a TrxID. */
const FIND_APPROVED_FOR = {
  name: 'payments-find-approved-for',
  text: `SELECT p.id FROM submissions t JOIN payments p ON p.id = t.payment_id AND p.store_id = t.store_id
    WHERE t.store_id = $1 AND t.value = $2 AND t.kind = 'trx_id' AND p.store_id = $1
      AND p.status = 'verified' AND p.approved_at IS NOT NULL
      AND (p.receipt_id IS NULL OR p.received_currency <> p.currency OR p.received_amount_minor < p.pay_amount_minor)
    LIMIT 1`,
};

const LOCK_MANY = {
  name: 'payments-lock-many',
  text: `SELECT ${COLUMNS} FROM payments WHERE store_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE`,
};

const SAVE = {
  name: 'payments-save',
  text: `UPDATE payments SET ${PAYMENTS.changes(4)} WHERE id = $1 AND store_id = $2 AND status = $3`,
};

/**
 * Payments of several stores, each of which is locked and waits: what a receipt changes of them. The status stands in
 * a row, because the planner would take a word that it can read for a reason to walk the index of all payments that
 * wait. Never asked of a cluster.
 */
const VERIFY_MANY = {
  name: 'payments-verify-many',
  text: `UPDATE payments SET status = 'verified', review_reason = NULL, simulated = false, verified_at = $1, ended_at = $1,
      receipt_id = row.receipt_id, provider = row.provider, trx_id = row.trx_id, payer_number = row.payer_number,
      received_amount_minor = row.amount_minor, received_currency = row.currency
    FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[])
      AS row (id, store_id, before, receipt_id, provider, trx_id, payer_number, amount_minor, currency)
    WHERE payments.id = row.id AND payments.store_id = row.store_id AND payments.status = row.before`,
};

/** The sum of its refunds, beside which the refund itself is written. */
const SAVE_REFUNDED = {
  name: 'payments-save-refunded',
  text: `UPDATE payments SET refunded_amount_minor = $3 WHERE id = $1 AND store_id = $2 AND status = 'verified'`,
};

/** Grace counts for what was submitted, the lifetime for what was not. */
const EXPIRE = {
  name: 'payments-expire',
  text: `UPDATE payments SET status = 'expired', ended_at = CASE WHEN status = 'pending' THEN expires_at ELSE grace_ends_at END
    WHERE store_id = $1 AND id IN (
      SELECT id FROM payments
      WHERE store_id = $1 AND id = ANY ($2::uuid[])
        AND ((status = 'pending' AND expires_at <= $3) OR (status = 'submitted' AND grace_ends_at <= $3))
      ORDER BY id FOR UPDATE SKIP LOCKED)
    RETURNING id`,
};

/**
 * A receipt with a TrxID and digits can be claimed by either, under different keys; at the same instant the
 * constraint alone knows who was first. The code is that of a serialisation failure, because that is what it is:
 * whoever was second decides again, and then sees the claim.
 */
class ReceiptTaken extends Error {
  readonly code = '40001';

  constructor(cause: unknown) {
    super('Another payment has taken the receipt.', { cause });
  }
}

/** The most payments that one receipt is weighed against; more than a few is an attack, and goes to a user anyway. */
const MAX_CLAIMANTS = 100;

/** The only place that writes the table `payments`. */
@Injectable()
export class PaymentsRepository {
  constructor(
    private readonly database: Database,
    private readonly routing: StoreRouting,
    private readonly settings: PaymentsSettings,
  ) {}

  /** False when another payment has the amount that this one was to have to itself. */
  async insert(on: Queryable, payment: Payment): Promise<boolean> {
    return (await on.execute(INSERT, PAYMENTS.valuesOf(payment))) === 1;
  }

  /** Inserts payments of which none has an amount to itself, of several stores; all of them or none. */
  async insertMany(on: Queryable, payments: readonly Payment[]): Promise<void> {
    const [first] = payments;
    if (payments.length === 1 && first !== undefined) await this.insert(on, first);
    else await on.execute(INSERT_MANY, PAYMENTS.arraysOf(payments));
  }

  /**
   * The first of these amounts that no payment of the store and currency has which is open, in review, or has ended
   * after an instant; null when there is none.
   */
  async findFreeAmount(
    on: Queryable,
    { storeId, currency }: Pick<Payment, 'storeId' | 'currency'>,
    amounts: readonly MinorUnits[],
    endedBefore: Date,
  ): Promise<MinorUnits | null> {
    const window = interval(this.settings.qrWindowMs);
    const values = [storeId, currency, amounts, endedBefore, window];
    const [row] = await on.query<{ amount: string }>(FIND_FREE_AMOUNT, values);
    return row === undefined ? null : Number(row.amount);
  }

  /** Lets go an amount that a payment had to itself and that ended before an instant. False when there is none such. */
  async releaseAmount(
    on: Queryable,
    { storeId, currency, payAmountMinor }: Pick<Payment, 'storeId' | 'currency' | 'payAmountMinor'>,
    before: Date,
  ): Promise<boolean> {
    const window = interval(this.settings.qrWindowMs);
    return (await on.execute(RELEASE_AMOUNT, [storeId, currency, payAmountMinor, before, window])) > 0;
  }

  async findOfStore(storeId: string, paymentId: string): Promise<Payment | null> {
    const [row] = await this.database.query(FIND, [paymentId, storeId]);
    return row === undefined ? null : paymentOf(row);
  }

  async listByIds(paymentIds: readonly string[]): Promise<Payment[]> {
    const storeIds = await Promise.all(paymentIds.map((id) => this.routing.possibleStores(id)));
    const rows = await this.database.query(LIST_BY_IDS, [paymentIds, [...new Set(storeIds.flat())]]);
    return rows.map(paymentOf);
  }

  async lock(tx: Transaction, storeId: string, paymentId: string): Promise<Payment | null> {
    const [row] = await tx.query(LOCK, [paymentId, storeId]);
    return row === undefined ? null : paymentOf(row);
  }

  /**
   * Locks, in the order of their ids, the payments for which this TrxID was entered and that could still get its
   * receipt, at most a hundred, and `also`. The key's advisory lock must be held.
   */
  async lockForTrx(
    tx: Transaction,
    storeId: string,
    receipt: TrxMoney,
    also: readonly string[] = [],
  ): Promise<Payment[]> {
    const { trxId, amountMinor, currency, provider } = receipt;
    const values = [storeId, trxId, amountMinor, currency, provider, MAX_CLAIMANTS, also];
    return (await tx.query(LOCK_FOR_TRX, values)).map(paymentOf);
  }

  /**
   * Locks, in the order of their ids, payments that wait for TrxIDs of several stores, at most two for each. The
   * keys' advisory locks must be held.
   */
  async lockWaiting(tx: Transaction, wanted: readonly StoreTrx[]): Promise<Payment[]> {
    return (await tx.query(LOCK_WAITING, arraysOfTrx(wanted))).map(paymentOf);
  }

  /**
   * The same for digits that were entered between two instants for this amount, or a second one, be it to pay or
   * plain.
   */
  async lockForLast4(
    tx: Transaction,
    storeId: string,
    money: { last4digit: string; amountMinor: number; currency: string; plainAmountMinor?: number },
    between: { from: Date; to: Date },
    also: readonly string[] = [],
  ): Promise<Payment[]> {
    const { last4digit, amountMinor, currency, plainAmountMinor = amountMinor } = money;
    const { from, to } = between;
    const values = [storeId, last4digit, amountMinor, currency, from, to, MAX_CLAIMANTS, also];
    values.push(plainAmountMinor);
    return (await tx.query(LOCK_FOR_LAST4, values)).map(paymentOf);
  }

  /**
   * Whether four digits are the last of the phone of another payment of the same amount to pay that waits or is in
   * review.
   */
  async isPhoneOfAnother(
    tx: Queryable,
    { id, storeId, currency, payAmountMinor }: Payment,
    last4digit: string,
    now: Date,
  ): Promise<boolean> {
    const values = [storeId, currency, payAmountMinor, id, last4digit, now];
    return (await tx.query(FIND_PHONE, values)).length > 0;
  }

  /**
   * Whether this TrxID was submitted for a payment that a user verified over less than its amount, or over no receipt
   * (contract 4.19).
   */
  async isApprovedFor(tx: Queryable, storeId: string, trxId: string): Promise<boolean> {
    return (await tx.query(FIND_APPROVED_FOR, [storeId, trxId])).length > 0;
  }

  /** Locks payments in the order of their ids. */
  async lockMany(tx: Transaction, storeId: string, paymentIds: readonly string[]): Promise<Payment[]> {
    return (await tx.query(LOCK_MANY, [storeId, paymentIds])).map(paymentOf);
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

  /**
   * Writes what a receipt of real money has changed of payments of several stores that were `submitted`. Not on a
   * cluster.
   */
  async verifyMany(tx: Transaction, payments: readonly Payment[], verifiedAt: Date): Promise<void> {
    const touched = await tx.execute(VERIFY_MANY, [
      verifiedAt,
      plainArray(payments.map(({ id }) => id)),
      plainArray(payments.map(({ storeId }) => storeId)),
      plainArray(payments.map(() => 'submitted')),
      plainArray(payments.map(({ receiptId }) => receiptId)),
      textArray(payments.map(({ provider }) => provider)),
      textArray(payments.map(({ trxId }) => trxId)),
      textArray(payments.map(({ payerNumber }) => payerNumber)),
      plainArray(payments.map(({ receivedAmountMinor }) => receivedAmountMinor)),
      textArray(payments.map(({ receivedCurrency }) => receivedCurrency)),
    ]);
    if (touched !== payments.length)
      throw new Error('One of the payments is not what it was any longer, although it was locked.');
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
    const { id, storeId } = payment;
    return tx.execute(SAVE, [id, storeId, before, ...PAYMENTS.changedValuesOf(recordOf(payment))]);
  }

  /** Newest first. Answers one row more than `limit`. Statuses are as they are `now`, not as the sweep left them. */
  async list(
    storeId: string,
    filter: PaymentFilter,
    position: PagePosition | null,
    limit: number,
    now: Date,
  ): Promise<Payment[]> {
    const among = filter.metadata === undefined ? null : await this.findByMetadata(storeId, filter.metadata);
    if (among?.length === 0) return [];
    const { text, values } = paymentsPage({ storeId, filter, position, limit: limit + 1, now, among });
    const rows = await this.database.query(text, values);
    return rows.map(paymentOf);
  }

  /** The ids of a store's payments with this metadata; null if there are more than `MANY_BY_METADATA`. */
  private async findByMetadata(
    storeId: string,
    metadata: Readonly<Record<string, string>>,
  ): Promise<string[] | null> {
    const { text, values } = idsByMetadata(storeId, metadata);
    const rows = await this.database.query<{ id: string }>(text, values);
    return rows.length > MANY_BY_METADATA ? null : rows.map(({ id }) => id);
  }

  /**
   * Writes down expiries that have happened, at most about `limit`; what is locked right now is left for the next
   * round. Answers the ids of those it wrote, and whether there may be more. What waits for the receipt of something
   * entered expires up to `graceUntil` only.
   */
  async storeExpiries(
    now: Date,
    graceUntil: Date,
    limit: number,
  ): Promise<{ expired: string[]; isFull: boolean }> {
    const due = [
      ...(await this.database.query<{ id: string; store_id: string }>(
        `SELECT id, store_id FROM payments WHERE status = 'pending' AND expires_at <= $1
         ORDER BY expires_at LIMIT $2`,
        [now, limit],
      )),
      ...(await this.database.query<{ id: string; store_id: string }>(
        `SELECT id, store_id FROM payments WHERE status = 'submitted' AND grace_ends_at <= $1
         ORDER BY grace_ends_at LIMIT $2`,
        [graceUntil, limit],
      )),
    ];
    const expired: string[] = [];
    for (const [storeId, ids] of idsByStore(due)) {
      const written = await this.database.query<{ id: string }>(EXPIRE, [storeId, ids, now]);
      expired.push(...written.map(({ id }) => id));
    }
    return { expired, isFull: expired.length >= limit };
  }

  /** Lets go amounts that payments had to themselves and that ended before an instant, at most `limit`. */
  async releaseAmounts(before: Date, limit: number): Promise<void> {
    const due = await this.database.query<{ id: string; store_id: string }>(
      `SELECT id, store_id FROM payments WHERE pay_amount_reserved AND ended_at <= $1 ORDER BY ended_at LIMIT $2`,
      [before, limit],
    );
    for (const [storeId, ids] of idsByStore(due)) {
      await this.database.execute(
        `UPDATE payments SET pay_amount_reserved = false
         WHERE store_id = $1 AND id IN (
           SELECT id FROM payments WHERE store_id = $1 AND id = ANY ($2::uuid[]) AND ended_at <= $3
           ORDER BY id FOR UPDATE SKIP LOCKED)`,
        [storeId, ids, before],
      );
    }
  }
}

/** The content of a TrxID's receipt, as far as it decides to which payments it can belong. */
export interface TrxMoney {
  readonly trxId: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly provider: string | null;
}

function idsByStore(rows: readonly { id: string; store_id: string }[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, store_id: storeId } of rows) ids.set(storeId, [...(ids.get(storeId) ?? []), id]);
  return ids;
}

function submissionOf(record: PaymentRecord): Submission | null {
  const { submittedTrxId, submittedLast4, submittedProvider: provider } = record;
  if (submittedTrxId !== null) return { kind: 'trx_id', trxId: submittedTrxId, provider };
  if (submittedLast4 !== null) return { kind: 'last4digit', last4digit: submittedLast4, provider };
  return null;
}

function recordOf(payment: Payment) {
  const { submission } = payment;
  return {
    ...payment,
    submittedTrxId: submission?.kind === 'trx_id' ? submission.trxId : null,
    submittedLast4: submission?.kind === 'last4digit' ? submission.last4digit : null,
    submittedProvider: submission?.provider ?? null,
  };
}

/** Into the record itself: copies of its forty fields took a seventh of what a read costs. */
export function paymentOf(row: PaymentRow): Payment {
  const record = PAYMENTS.read(row);
  return Object.assign(record, { submission: submissionOf(record) });
}
