import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/index.js';
import type { AppendedEvent, Companion } from '../events/index.js';
import { newId } from '../kernel/ids.js';
import { Dispatcher } from './dispatching/dispatcher.js';

/**
 * The delivery is born pending and leased to this process, so that it can be sent from memory after the commit; or pending
 * and due at once, for whichever replica asks the table first; or held, when there is nowhere to send it to.
 * A transaction may wait for locks before it comes here, so the lease counts from the statement, not from its beginning.
 */
const INSERT: Statement = {
  name: 'deliveries-append',
  text: `INSERT INTO deliveries (id, event_id, store_id, payment_id, status, due_at, lease_token, created_at, url, api_key_header)
    SELECT $1, $2, $3, $4,
      CASE WHEN reachable THEN 'pending' ELSE 'held' END,
      CASE WHEN reachable THEN lease_end END,
      CASE WHEN reachable THEN $7::uuid END,
      $5, $8, $9
    FROM (
      SELECT $8::text IS NOT NULL OR webhook_url IS NOT NULL AND webhook_paused_at IS NULL AS reachable,
        clock_timestamp() + $6::double precision * interval '1 millisecond' AS lease_end
      FROM stores WHERE id = $3
    ) store
    RETURNING status`,
};

/** Where one delivery goes instead of the store's webhook URL. */
export interface OwnAddress {
  /** Checked as a store's webhook URL is, by whoever took it. */
  readonly url: string;
  /** The header under which the store's API key in force goes with it, only to https or where private addresses may be called. */
  readonly apiKeyHeader: string | null;
}

/** Writes the delivery of an event in the event's own transaction, and sends it from memory once that is committed. */
@Injectable()
export class NewDeliveries {
  constructor(private readonly dispatcher: Dispatcher) {}

  /** Does not promise that the event is sent by this process, or before this process ends. */
  companionOf(event: AppendedEvent): Companion | null {
    return event.inFeed === false ? null : this.to(null, event);
  }

  /** The same to an address of its own, or (null) to the store's. */
  to(address: OwnAddress | null, event: AppendedEvent): Companion {
    const { eventId, storeId, body, simulated = false } = event;
    const { url = null, apiKeyHeader = null } = address ?? {};
    const deliveryId = newId();
    const leaseToken = this.dispatcher.admits(storeId) ? newId() : null;
    const leasedAtMs = performance.now();
    const leaseMs = leaseToken === null ? 0 : this.dispatcher.leaseMs;
    return {
      statement: INSERT,
      values: [
        deliveryId,
        eventId,
        storeId,
        event.paymentId,
        event.createdAt,
        leaseMs,
        leaseToken,
        url,
        apiKeyHeader,
      ],
      written: ([row], tx) => {
        if (row?.['status'] !== 'pending') return;
        tx.afterCommit(() => {
          if (leaseToken === null) this.dispatcher.lookAfter(storeId);
          else {
            const sent = { deliveryId, eventId, storeId, body, leaseToken, leasedAtMs };
            this.dispatcher.takeCommitted({ ...sent, url, apiKeyHeader, simulated, redacted: false });
          }
        });
      },
    };
  }
}
