import { Injectable } from '@nestjs/common';
import { ReplicaReads } from '../database/index.js';
import type { DeliveryStatus } from './delivery.entity.js';

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

/** Counts for charts, read where reading costs payments least (decisions §8). */
@Injectable()
export class DeliveryTotals {
  constructor(private readonly replica: ReplicaReads) {}

  /** Oldest first, from an instant to before another. */
  async byDay(
    storeId: string,
    range: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  ): Promise<DeliveryDayTotal[]> {
    return this.replica.query<DeliveryDayTotal>(BY_DAY, [storeId, range.from, range.to, range.timeZone]);
  }
}
