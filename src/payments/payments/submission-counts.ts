import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { CountsOfSubmissions } from './payment.js';

/** How many different submissions of each kind the payer of a payment has made: one row, whatever there is. */
export const COUNT_SUBMISSIONS = (paymentId: string, storeId: string) =>
  `SELECT count(*) FILTER (WHERE kind = 'trx_id')::integer AS trx_ids, count(*) FILTER (WHERE kind = 'last4digit')::integer AS digits
    FROM submissions WHERE payment_id = ${paymentId} AND store_id = ${storeId}`;
const COUNT = { name: 'submissions-count', text: COUNT_SUBMISSIONS('$1', '$2') };

/** A row of `COUNT_SUBMISSIONS`. */
export interface SubmissionCountsRow {
  readonly trx_ids: number;
  readonly digits: number;
}

export const submissionCountsOf = (row: SubmissionCountsRow): CountsOfSubmissions => ({
  trx_id: row.trx_ids,
  last4digit: row.digits,
});

/** Counts submissions for the views of payments. It reads a table of `matching`, which writes it. */
@Injectable()
export class SubmissionCounts {
  constructor(private readonly database: Database) {}

  /** How many different submissions of each kind the payer has made. */
  async of(storeId: string, paymentId: string): Promise<CountsOfSubmissions> {
    const [row] = await this.database.query<SubmissionCountsRow>(COUNT, [paymentId, storeId]);
    return submissionCountsOf(row!);
  }
}
