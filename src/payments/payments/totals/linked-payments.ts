import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../../platform/database/index.js';
import { isWaiting } from '../open-payments.js';
import { Clock } from '../../../kernel/clock.js';

/** Totals of a payment link: its verified payments, and their money in minor units. */
export interface LinkedTotals {
  readonly verifiedCount: number;
  readonly verifiedAmountMinor: number;
}

const TOTALS = {
  name: 'payments-totals-of-links',
  text: `SELECT payment_link_id, count(*) AS verified_count,
      sum(COALESCE(received_amount_minor, pay_amount_minor)) AS verified_amount_minor
    FROM payments
    WHERE store_id = $1 AND payment_link_id = ANY ($2::uuid[]) AND status = 'verified'
    GROUP BY payment_link_id`,
};

const COUNT_OPEN = {
  name: 'payments-count-open',
  text: `SELECT count(*) AS open FROM payments
    WHERE store_id = $1 AND id = ANY ($2::uuid[])
      AND ${isWaiting('$3')}`,
};

const COUNT_OPEN_OF_LINK = {
  name: 'payments-count-open-of-link',
  text: `SELECT count(*) AS open FROM (
      SELECT 1 FROM payments
      WHERE store_id = $1 AND payment_link_id = $2 AND created_at > $4
        AND ${isWaiting('$3')}
      LIMIT $5) AS counted`,
};

/** Payments as the links know them that made them. Nothing is counted beforehand, so nothing can be counted wrongly. */
@Injectable()
export class LinkedPayments {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** By the id of the link; one through which nothing has come is left out. Money counts as it came. */
  async totalsOf(storeId: string, linkIds: readonly string[]): Promise<ReadonlyMap<string, LinkedTotals>> {
    if (linkIds.length === 0) return new Map();
    const rows = await this.database.query<{
      payment_link_id: string;
      verified_count: string;
      verified_amount_minor: string;
    }>(TOTALS, [storeId, linkIds]);
    return new Map(
      rows.map((row) => [
        row.payment_link_id,
        {
          verifiedCount: Number(row.verified_count),
          verifiedAmountMinor: Number(row.verified_amount_minor),
        },
      ]),
    );
  }

  /** The number of open payments of a link that were created after `since`; `most` if there are more. */
  async countOpenOfLink(
    on: Queryable,
    { storeId, linkId }: { readonly storeId: string; readonly linkId: string },
    since: Date,
    most: number,
  ): Promise<number> {
    const values = [storeId, linkId, this.clock.now(), since, most];
    const [row] = await on.query<{ open: string }>(COUNT_OPEN_OF_LINK, values);
    return Number(row?.open ?? 0);
  }

  /** How many of these payments still wait for their payer or their receipt. */
  async countOpen(on: Queryable, storeId: string, paymentIds: readonly string[]): Promise<number> {
    if (paymentIds.length === 0) return 0;
    const [row] = await on.query<{ open: string }>(COUNT_OPEN, [storeId, paymentIds, this.clock.now()]);
    return Number(row?.open ?? 0);
  }
}
