import { Injectable } from '@nestjs/common';
import {
  Database,
  MILLISECONDS,
  plainArray,
  type Statement,
  type Transaction,
} from '../platform/database/index.js';
import { type AppendedEvent, DeliveryCreation, type WriteDeliveries } from '../platform/events/index.js';
import { newId } from '../kernel/ids.js';
import { DeliveryTargets, type SealedDeliveryTarget } from '../stores/index.js';
import { Dispatcher } from './dispatching/dispatcher.js';

/**
 * The delivery is born pending and leased to this process, so that it can be sent from memory after the commit; or
 * pending and due at once, for whichever replica asks the table first; or held, when there is nowhere to send it to.
 * A transaction may wait for locks before it comes here, so the lease counts from the statement, not from its
 * beginning.
 */
const INSERT: Statement = {
  name: 'deliveries-append',
  text: `INSERT INTO deliveries (id, store_id, payment_id, status, due_at, leased_until, lease_token, created_at, url, api_key_header)
    SELECT $1, $2, $3,
      CASE WHEN reachable THEN 'pending' ELSE 'held' END,
      CASE WHEN reachable THEN at END,
      CASE WHEN reachable THEN at + $5::${MILLISECONDS} END,
      CASE WHEN reachable THEN $6::uuid END,
      $4, $7, $8
    FROM (
      SELECT $7::text IS NOT NULL OR webhook_url IS NOT NULL AND webhook_paused_at IS NULL AS reachable,
        clock_timestamp() AS at
      FROM stores WHERE id = $2
    ) store
    RETURNING id, status`,
};

/** Deliveries of several stores, each to its webhook URL: never asked of a cluster, whose nodes have a store each. */
const INSERT_MANY: Statement = {
  name: 'deliveries-append-many',
  text: `INSERT INTO deliveries (id, store_id, payment_id, status, due_at, leased_until, lease_token, created_at)
    SELECT id, store_id, payment_id,
      CASE WHEN reachable THEN 'pending' ELSE 'held' END,
      CASE WHEN reachable THEN at END,
      CASE WHEN reachable THEN at + lease_ms * interval '1 millisecond' END,
      CASE WHEN reachable THEN lease_token END,
      created_at
    FROM (
      SELECT wanted.*, s.webhook_url IS NOT NULL AND s.webhook_paused_at IS NULL AS reachable, clock_timestamp() AS at
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::double precision[], $6::uuid[])
        AS wanted (id, store_id, payment_id, created_at, lease_ms, lease_token)
      JOIN stores s ON s.id = wanted.store_id
    ) row
    RETURNING id, status`,
};

/** Where one delivery goes instead of the store's webhook URL. */
export interface OwnAddress {
  /** Checked as a store's webhook URL is, by whoever took it. */
  readonly url: string;
  /**
   * The header under which the store's API key in force goes with it, only to https or where private addresses may be
   * called.
   */
  readonly apiKeyHeader: string | null;
}

/** A delivery that is about to be written; without a lease for whichever replica asks the table first. */
interface PreparedDelivery {
  readonly event: AppendedEvent;
  readonly leaseToken: string | null;
  readonly leasedAtMs: number;
  readonly leaseMs: number | null;
}

/** Writes the delivery of an event in the event's own transaction, and sends it from memory once that is committed. */
@Injectable()
export class NewDeliveries extends DeliveryCreation {
  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly targets: DeliveryTargets,
  ) {
    super();
  }

  /** Does not promise that the events are sent by this process, or before this process ends. */
  deliveriesOf(events: readonly AppendedEvent[]): WriteDeliveries | null {
    const inFeed = events.filter((event) => event.inFeed !== false);
    if (inFeed.length <= 1) return inFeed.length === 0 ? null : this.to(null, inFeed);
    const deliveries = inFeed.map((event) => this.prepare(event));
    const values = [
      plainArray(deliveries.map(({ event }) => event.eventId)),
      plainArray(deliveries.map(({ event }) => event.storeId)),
      plainArray(deliveries.map(({ event }) => event.paymentId)),
      plainArray(deliveries.map(({ event }) => event.createdAt.toISOString())),
      plainArray(deliveries.map(({ leaseMs }) => leaseMs)),
      plainArray(deliveries.map(({ leaseToken }) => leaseToken)),
    ];
    return (tx) => this.write(tx, { statement: INSERT_MANY, values }, deliveries, null);
  }

  /** The same of one event to an address of its own, or (null) to the store's. */
  to(address: OwnAddress | null, [event]: readonly AppendedEvent[]): WriteDeliveries | null {
    if (event === undefined) return null;
    const { url = null, apiKeyHeader = null } = address ?? {};
    const prepared = this.prepare(event);
    const { leaseMs, leaseToken } = prepared;
    const { eventId, storeId, paymentId, createdAt } = event;
    const values = [eventId, storeId, paymentId, createdAt, leaseMs, leaseToken, url, apiKeyHeader];
    return (tx) => this.write(tx, { statement: INSERT, values }, [prepared], address);
  }

  private prepare(event: AppendedEvent): PreparedDelivery {
    const leaseToken = this.dispatcher.admits(event.storeId) ? newId() : null;
    const leaseMs = leaseToken === null ? null : this.dispatcher.leaseMs;
    return { event, leaseToken, leasedAtMs: performance.now(), leaseMs };
  }

  private async write(
    tx: Transaction,
    { statement, values }: { readonly statement: Statement; readonly values: readonly unknown[] },
    deliveries: readonly PreparedDelivery[],
    address: OwnAddress | null,
  ): Promise<void> {
    const readAtMs = performance.now();
    const [rows, targets] = await Promise.all([tx.query(statement, values), this.targetsOf(tx, deliveries)]);
    const pending = new Set(rows.filter(({ status }) => status === 'pending').map(({ id }) => id as string));
    const { url = null, apiKeyHeader = null } = address ?? {};
    const sendable = deliveries.filter(({ event }) => pending.has(event.eventId));
    if (sendable.length === 0) return;
    tx.afterCommit(() => {
      for (const { event, leaseToken, leasedAtMs } of sendable) {
        const { eventId: deliveryId, storeId, body, simulated = false } = event;
        if (leaseToken === null) this.dispatcher.lookAfter(storeId);
        else {
          const sealed = targets.get(storeId);
          const target = sealed === undefined ? null : { sealed, readAtMs };
          this.dispatcher.takeCommitted({
            deliveryId,
            storeId,
            body,
            url,
            apiKeyHeader,
            simulated,
            redacted: false,
            leaseToken,
            leasedAtMs,
            target,
          });
        }
      }
    });
  }

  /**
   * Reads the targets in this transaction, so that nothing has to be asked after the commit. A cluster would need a
   * round trip.
   */
  private targetsOf(
    tx: Transaction,
    deliveries: readonly PreparedDelivery[],
  ): Promise<ReadonlyMap<string, SealedDeliveryTarget>> {
    const leased = deliveries.filter(({ leaseToken }) => leaseToken !== null);
    if (this.database.isDistributed || leased.length === 0) return Promise.resolve(new Map());
    return this.targets.findSealed([...new Set(leased.map(({ event }) => event.storeId))], tx);
  }
}
