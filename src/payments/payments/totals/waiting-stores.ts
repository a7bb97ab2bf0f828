import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';

/** Since when payments of stores wait for a receipt: for whoever watches over the phones that should bring it. */
@Injectable()
export class WaitingStores {
  constructor(private readonly database: Database) {}

  /** The first submission that waits, of each store that has one. */
  async since(storeIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.database.query<{ store_id: string; since: Date }>(
      `SELECT store_id, min(submitted_at) AS since FROM payments
       WHERE store_id = ANY($1::uuid[]) AND status = 'submitted' GROUP BY store_id`,
      [storeIds],
    );
    return new Map(rows.map(({ store_id: storeId, since }) => [storeId, since]));
  }
}
