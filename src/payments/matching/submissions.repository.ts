import { Injectable } from '@nestjs/common';
import { interval, type Queryable, type Transaction } from '../../platform/database/index.js';
import { SUBMISSIONS, type SubmissionRecord } from '../payments/payments.table.js';
import { arraysOfTrx, type StoreTrx } from '../payments/store-trx.js';
import type { ReceiptRecord } from '../receipts/receipts.table.js';
import { PaymentsSettings } from '../payments.settings.js';

const ADD = SUBMISSIONS.insert('submissions-add');
const LIST = {
  name: 'submissions-list',
  text: `SELECT ${SUBMISSIONS.list()} FROM submissions
    WHERE payment_id = $1 AND store_id = $2 ORDER BY number`,
};
const LIST_OF_VALUES = {
  name: 'submissions-list-of-values',
  text: `SELECT ${SUBMISSIONS.list()} FROM submissions
    WHERE store_id = $1 AND payment_id = ANY ($4::uuid[])
      AND ((kind = 'trx_id' AND value = $2) OR (kind = 'last4digit' AND value = $3))
    ORDER BY payment_id, number`,
};
/**
 * Submissions of the TrxIDs of several stores; two for one TrxID say already that it is not a simple case. Never
 * asked of a cluster.
 */
const LIST_OF_TRX_IDS = {
  name: 'submissions-list-of-trx-ids',
  text: `SELECT t.* FROM unnest($1::uuid[], $2::text[]) AS wanted (store_id, trx_id)
    CROSS JOIN LATERAL (
      SELECT ${SUBMISSIONS.list()} FROM submissions
      WHERE store_id = wanted.store_id AND value = wanted.trx_id AND kind = 'trx_id' LIMIT 2
    ) t`,
};
const CHANGE = {
  name: 'submissions-change',
  text: `UPDATE submissions SET standing = $4, provider = $5, guessable = $6
    WHERE payment_id = $1 AND store_id = $2 AND number = $3`,
};
/** Digits that were submitted outside the window of the receipt stay countable. */
const MARK_NO_GUESS = {
  name: 'submissions-mark-no-guess',
  text: `UPDATE submissions SET guessable = false
    WHERE payment_id = $1 AND store_id = $2 AND guessable
      AND ((kind = 'trx_id' AND value = $3)
           OR (kind = 'last4digit' AND value = $4
               AND at BETWEEN $5::timestamptz - $7::interval AND $6::timestamptz + $7::interval))`,
};

/** The only place that writes the table `submissions`: what payers have submitted, each with the instant of it. */
@Injectable()
export class SubmissionsRepository {
  constructor(private readonly settings: PaymentsSettings) {}

  /** All submissions of a payment, the oldest first. */
  async list(on: Queryable, storeId: string, paymentId: string): Promise<SubmissionRecord[]> {
    return (await on.query(LIST, [paymentId, storeId])).map((row) => SUBMISSIONS.read(row));
  }

  /** The submissions of several payments that name a TrxID or digits, the oldest first. */
  async listOfValues(
    tx: Transaction,
    storeId: string,
    { trxId, last4digit }: { readonly trxId: string | null; readonly last4digit: string | null },
    paymentIds: readonly string[],
  ): Promise<SubmissionRecord[]> {
    if (paymentIds.length === 0) return [];
    const rows = await tx.query(LIST_OF_VALUES, [storeId, trxId, last4digit, paymentIds]);
    return rows.map((row) => SUBMISSIONS.read(row));
  }

  /**
   * Lists the submissions of the TrxIDs of several stores, at most two for each. The keys' advisory locks must be
   * held.
   */
  async listOfTrxIds(tx: Transaction, wanted: readonly StoreTrx[]): Promise<SubmissionRecord[]> {
    return (await tx.query(LIST_OF_TRX_IDS, arraysOfTrx(wanted))).map((row) => SUBMISSIONS.read(row));
  }

  async add(tx: Transaction, submission: SubmissionRecord): Promise<void> {
    await tx.execute(ADD, SUBMISSIONS.valuesOf(submission));
  }

  /** A payment's submissions that a receipt fits are no guesses: no count need look at them again (contract 4.83). */
  async markNoGuess(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    receipt: Pick<ReceiptRecord, 'trxId' | 'last4digit' | 'moneyFrom' | 'moneyUntil'>,
  ): Promise<void> {
    const { trxId, last4digit, moneyFrom, moneyUntil } = receipt;
    const window = interval(this.settings.qrWindowMs);
    await tx.execute(MARK_NO_GUESS, [paymentId, storeId, trxId, last4digit, moneyFrom, moneyUntil, window]);
  }

  /** Writes what can change of a submission. */
  async change(tx: Transaction, submission: SubmissionRecord): Promise<void> {
    const { paymentId, storeId, number, standing, provider, guessable } = submission;
    await tx.execute(CHANGE, [paymentId, storeId, number, standing, provider, guessable]);
  }
}
