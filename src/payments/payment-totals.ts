import { Injectable } from '@nestjs/common';
import { Database, ReplicaReads } from '../database/index.js';

/** What came with one wallet on one day of the shop's calendar. Amounts are minor units. */
export interface DayTotal {
  /** `2026-11-21`. */
  readonly day: string;
  readonly provider: string;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

/** What waits for a person, of one store. */
export interface WaitingCounts {
  readonly storeId: string;
  readonly review: number;
  readonly unclaimed: number;
}

/** Simulated money is no money. By the index of what was verified: the cost is that of the days asked for. */
const VERIFIED_BY_DAY = {
  name: 'payments-verified-by-day',
  text: `SELECT store_id, to_char(verified_at AT TIME ZONE $4, 'YYYY-MM-DD') AS day, COALESCE(provider, 'unknown') AS provider,
      COALESCE(received_currency, currency) AS currency, count(*)::integer AS count,
      sum(COALESCE(received_amount_minor, pay_amount_minor))::text AS amount_minor
    FROM payments
    WHERE store_id = ANY ($1::uuid[]) AND verified_at >= $2 AND verified_at < $3 AND NOT simulated
    GROUP BY 1, 2, 3, 4 ORDER BY 2, 3, 4`,
};

/** Counts end where nobody would read them any more. */
const MAX_COUNTED = 1_000;

const IN_REVIEW = {
  name: 'payments-count-in-review',
  text: `SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM payments WHERE store_id = $1 AND status = 'review' LIMIT ${MAX_COUNTED}) AS counted`,
};
const UNCLAIMED = {
  name: 'receipts-count-unclaimed',
  text: `SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM receipts WHERE store_id = $1 AND status = 'unmatched' LIMIT ${MAX_COUNTED}) AS counted`,
};

/** From the payer's entry to the verification, of each day of the shop's calendar; what people decided too. */
const TIME_TO_VERIFIED = {
  name: 'payments-time-to-verified',
  text: `SELECT to_char(verified_at AT TIME ZONE $4, 'YYYY-MM-DD') AS day,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM verified_at - submitted_at))) AS median
    FROM payments
    WHERE store_id = $1 AND verified_at >= $2 AND verified_at < $3 AND submitted_at IS NOT NULL AND NOT simulated
    GROUP BY 1 ORDER BY 1`,
};

/** Sums for reports, read where reading costs payments least (decisions §8). Nothing is decided by them. */
@Injectable()
export class PaymentTotals {
  constructor(
    private readonly replica: ReplicaReads,
    private readonly database: Database,
  ) {}

  /** Verified money by day and wallet, oldest first, from an instant to before another. */
  async verifiedByDay(
    storeIds: readonly string[],
    range: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  ): Promise<(DayTotal & { readonly storeId: string })[]> {
    if (storeIds.length === 0) return [];
    const values = [storeIds, range.from, range.to, range.timeZone];
    const rows = await this.replica.query<{
      store_id: string;
      day: string;
      provider: string;
      currency: string;
      count: number;
      amount_minor: string;
    }>(VERIFIED_BY_DAY, values);
    return rows.map(({ store_id: storeId, amount_minor: amountMinor, ...row }) => ({
      ...row,
      storeId,
      amountMinor: Number(amountMinor),
    }));
  }

  /** At most a thousand of each; as of now. */
  async waitingIn(storeIds: readonly string[]): Promise<WaitingCounts[]> {
    return Promise.all(
      storeIds.map(async (storeId) => {
        const [review, unclaimed] = await Promise.all(
          [IN_REVIEW, UNCLAIMED].map(async (statement) => {
            const [row] = await this.database.query<{ count: number }>(statement, [storeId]);
            return row?.count ?? 0;
          }),
        );
        return { storeId, review: review ?? 0, unclaimed: unclaimed ?? 0 };
      }),
    );
  }

  /** From the payer's entry to the verification, the median in seconds, of each day that had one; oldest first. */
  async medianSecondsByDay(
    storeId: string,
    range: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  ): Promise<{ readonly day: string; readonly seconds: number }[]> {
    const values = [storeId, range.from, range.to, range.timeZone];
    const rows = await this.replica.query<{ day: string; median: number }>(TIME_TO_VERIFIED, values);
    return rows.map(({ day, median }) => ({ day, seconds: Number(median) }));
  }
}
