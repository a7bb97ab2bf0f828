import { Injectable } from '@nestjs/common';
import { ReplicaReads } from '../platform/database/index.js';
import { isMuch, KeptPast, SETTLED_AFTER_MS } from '../kernel/kept-past.js';
import type { DeliveryStatus } from './deliveries.table.js';

/** How many events of one day of the shop's calendar have come to this state. */
export interface DeliveryDayTotal {
  /** `2026-11-21`: when the event happened. */
  readonly day: string;
  readonly status: DeliveryStatus;
  readonly count: number;
}

/** By the index of when they were made: the cost is that of the days asked for. */
const BY_DAY = {
  name: 'deliveries-by-day',
  text: `SELECT to_char(created_at AT TIME ZONE $4, 'YYYY-MM-DD') AS day, status, count(*)::integer AS count
    FROM deliveries WHERE store_id = $1 AND created_at >= $2 AND created_at < $3
    GROUP BY 1, 2 ORDER BY 1, 2`,
};

/** A delivery shows in the chart so long after its outcome at most, where there are many; in lists at once. */
const PAST_KEPT_FOR_MS = 60_000;

/** Counts for charts, read where reading costs payments least (contract 8.17). */
@Injectable()
export class DeliveryTotals {
  private readonly days = new KeptPast<DeliveryDayTotal>({
    keptForMs: PAST_KEPT_FOR_MS,
    worthKeeping: isMuch,
  });

  constructor(private readonly replica: ReplicaReads) {}

  /**
   * Oldest first, from an instant to before another, which lies now. Of a thousand and more, the past is as of the
   * last minute.
   */
  async byDay(
    storeId: string,
    range: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  ): Promise<DeliveryDayTotal[]> {
    const { from, to, timeZone } = range;
    const settled = new Date(to.getTime() - SETTLED_AFTER_MS);
    const rows = await this.days.read(`${from.getTime()} ${timeZone} ${storeId}`, range, settled, (part) =>
      this.replica.query<DeliveryDayTotal>(BY_DAY, [storeId, part.from, part.to, timeZone]),
    );
    const totals = new Map<string, DeliveryDayTotal>();
    for (const { day, status, count } of rows) {
      const key = `${day} ${status}`;
      totals.set(key, { day, status, count: count + (totals.get(key)?.count ?? 0) });
    }
    return [...totals.values()];
  }
}
