import { Injectable } from '@nestjs/common';
import { Database, ReplicaReads } from '../../../platform/database/index.js';
import { isMuch, KeptPast, SETTLED_AFTER_MS, type Span } from '../../../kernel/kept-past.js';
import { dayAt, spanOfDay } from '../../../kernel/time-zone.js';

/** The money of one wallet on one day of the shop's calendar. Amounts are minor units. */
export interface DayTotal {
  /** `2026-11-21`. */
  readonly day: string;
  readonly provider: string;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

interface DayRow {
  readonly store_id: string;
  readonly day: string;
  readonly provider: string;
  readonly currency: string;
  readonly count: number;
  readonly amount_minor: string;
}

interface SpeedRow {
  readonly day: string;
  readonly count: number;
  readonly median: number;
}

/** The work that waits for users of one store. */
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
const UNMATCHED = {
  name: 'receipts-count-unclaimed',
  text: `SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM receipts WHERE store_id = $1 AND status = 'unmatched' LIMIT ${MAX_COUNTED}) AS counted`,
};

/** From the payer's entry to the verification, of each day of the shop's calendar; what users decided too. */
const TIME_TO_VERIFIED = {
  name: 'payments-time-to-verified',
  text: `SELECT to_char(verified_at AT TIME ZONE $4, 'YYYY-MM-DD') AS day,
      count(*)::integer AS count,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM verified_at - submitted_at))) AS median
    FROM payments
    WHERE store_id = $1 AND verified_at >= $2 AND verified_at < $3 AND submitted_at IS NOT NULL AND NOT simulated
    GROUP BY 1 ORDER BY 1`,
};

/** A verified payment stays verified, so the past is asked for again only every so often. */
const PAST_KEPT_FOR_MS = 300_000;
/**
 * The median of a day that is not over cannot be added to; of a thousand payments and more it is that of the last
 * minute.
 */
const TODAY_KEPT_FOR_MS = 60_000;

/** Sums for reports, read where reading costs payments least (contract 8.17). Nothing is decided by them. */
@Injectable()
export class PaymentTotals {
  private readonly days = new KeptPast<DayRow>({ keptForMs: PAST_KEPT_FOR_MS, worthKeeping: isMuch });
  private readonly speeds = new KeptPast<SpeedRow>({ keptForMs: PAST_KEPT_FOR_MS, worthKeeping: isMuch });
  private readonly speedsOfToday = new KeptPast<SpeedRow>({
    keptForMs: TODAY_KEPT_FOR_MS,
    worthKeeping: isMuch,
  });

  constructor(
    private readonly replica: ReplicaReads,
    private readonly database: Database,
  ) {}

  /**
   * Verified money by day and wallet, oldest first, from an instant to before another, which lies now. Where a
   * thousand payments and more are to be added up, those of more than three minutes ago are as they were up to five
   * minutes ago.
   */
  async verifiedByDay(
    storeIds: readonly string[],
    range: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  ): Promise<(DayTotal & { readonly storeId: string })[]> {
    if (storeIds.length === 0) return [];
    const { from, to, timeZone } = range;
    const key = [from.getTime(), timeZone, ...storeIds].join(' ');
    const settled = new Date(to.getTime() - SETTLED_AFTER_MS);
    const rows = await this.days.read(key, range, settled, (part) =>
      this.replica.query<DayRow>(VERIFIED_BY_DAY, [storeIds, part.from, part.to, timeZone]),
    );
    return merged(rows);
  }

  /** At most a thousand of each; as of now. */
  async waitingIn(storeIds: readonly string[]): Promise<WaitingCounts[]> {
    return Promise.all(
      storeIds.map(async (storeId) => {
        const [review, unclaimed] = await Promise.all(
          [IN_REVIEW, UNMATCHED].map(async (statement) => {
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
    const { from, to, timeZone } = range;
    // A day has one median: the past ends with yesterday.
    const today = spanOfDay(dayAt(new Date(to.getTime() - SETTLED_AFTER_MS), timeZone), timeZone);
    const startOfToday = today?.from ?? from;
    const key = `${from.getTime()} ${timeZone} ${storeId}`;
    const ask = (part: Span) =>
      this.replica.query<SpeedRow>(TIME_TO_VERIFIED, [storeId, part.from, part.to, timeZone]);
    const rows = await this.speeds.read(key, range, startOfToday, (part) =>
      part.to > startOfToday
        ? this.speedsOfToday.read(`${key} ${part.from.getTime()}`, part, part.to, ask)
        : ask(part),
    );
    // A day with two rows has first the whole day, then what has come since.
    const medians = new Map<string, number>();
    for (const { day, median } of rows) if (!medians.has(day)) medians.set(day, Number(median));
    return [...medians].map(([day, seconds]) => ({ day, seconds }));
  }
}

/** A day that lies on both sides of what is kept is one day all the same. */
function merged(rows: readonly DayRow[]): (DayTotal & { readonly storeId: string })[] {
  const totals = new Map<string, DayTotal & { readonly storeId: string }>();
  for (const { store_id: storeId, day, provider, currency, count, amount_minor: amount } of rows) {
    const key = [storeId, day, provider, currency].join(' ');
    const before = totals.get(key) ?? { storeId, day, provider, currency, count: 0, amountMinor: 0 };
    totals.set(key, {
      ...before,
      count: before.count + count,
      amountMinor: before.amountMinor + Number(amount),
    });
  }
  return [...totals.values()];
}
