import { Injectable } from '@nestjs/common';
import { MILLISECONDS, plainArray, type Statement } from '../../../platform/database/index.js';
import { newId } from '../../../kernel/ids.js';
import {
  type Claim,
  CLAIMED,
  type ClaimedDelivery,
  claimedOf,
  type ClaimRow,
  DueDeliveriesRepository,
  type Lease,
  nextStoreId,
  roomsOf,
} from '../due-deliveries.repository.js';
import { isFree } from '../lease.js';
import type { QuotaPlan } from '../sending-quotas.js';

const CLAIM_OF_STORE: Statement = {
  name: 'deliveries-claim-of-store',
  text: `SELECT ${CLAIMED}
    FROM deliveries d JOIN events e ON e.id = d.id AND e.store_id = d.store_id
    WHERE d.store_id = $1 AND e.store_id = $1 AND d.status = 'pending' AND d.due_at <= now() AND ${isFree('d')}
    ORDER BY d.due_at LIMIT $2
    FOR UPDATE OF d SKIP LOCKED`,
};

const LEASE_OF_STORE: Statement = {
  name: 'deliveries-lease-of-store',
  text: `UPDATE deliveries SET leased_until = now() + $1::${MILLISECONDS}, lease_token = $2
    WHERE id = ANY($3::uuid[]) AND store_id = $4`,
};

/**
 * The same on a cluster: each store on its own node, in a transaction of its own. What has been taken is sent, also
 * when the next store's node does not answer.
 */
@Injectable()
export class DueDeliveriesByStore extends DueDeliveriesRepository {
  override async claim(plan: QuotaPlan, fromStoreId: string | null, leaseMs: number): Promise<Claim> {
    const lease = { token: newId(), ms: leaseMs };
    const stores = await this.walk(this.database, fromStoreId);
    const deliveries: ClaimedDelivery[] = [];
    try {
      for (const [storeId, room] of roomsOf(stores, plan)) {
        if (deliveries.length >= plan.total) break;
        const left = Math.min(room, plan.total - deliveries.length);
        deliveries.push(...(await this.claimOfStore(storeId, left, lease)));
      }
    } catch (error) {
      if (deliveries.length === 0) throw error;
    }
    return { deliveries, nextStoreId: nextStoreId(stores, deliveries, plan.total) };
  }

  private claimOfStore(storeId: string, room: number, { token, ms }: Lease): Promise<ClaimedDelivery[]> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<ClaimRow>(CLAIM_OF_STORE, [storeId, room]);
      if (rows.length === 0) return [];
      await tx.last(LEASE_OF_STORE, [ms, token, plainArray(rows.map(({ id }) => id)), storeId]);
      return rows.map((row) => claimedOf(row, token));
    });
  }
}
