import { Injectable } from '@nestjs/common';
import { Configuration } from '../config/index.js';
import type { Statement, Transaction } from '../database/index.js';
import { newId } from '../kernel/ids.js';
import { deliveryLeaseMs } from './lease.js';

/** Every event there is (specification §6). */
export const EVENT_NAMES = ['payment.verified'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** Something that happened, in the words the merchant gets. */
export interface OutboxEvent {
  readonly storeId: string;
  readonly paymentId: string;
  readonly event: EventName;
  /** The exact text that is sent, and sent again; its UTF-8 bytes are what is signed (decisions §7). */
  readonly body: string;
  readonly createdAt: Date;
}

/** A delivery whose transaction has been committed, leased to this process. */
export interface CommittedDelivery {
  readonly deliveryId: string;
  /** The `webhook-id`. */
  readonly eventId: string;
  readonly storeId: string;
  readonly body: string;
  readonly leaseToken: string;
  /** On the clock of `performance.now()`, taken before the lease began: the lease ends no earlier than it seems to. */
  readonly leasedAtMs: number;
}

type CommittedListener = (delivery: CommittedDelivery) => void;
type LeftListener = (storeId: string) => void;
type Admission = (storeId: string) => boolean;

/**
 * The delivery is born pending and leased to this process, so that it can be sent from memory after the commit; or pending
 * and due at once, for whichever replica asks the table first; or held, when there is nowhere to send it to.
 * A transaction may wait for locks before it comes here, so the lease counts from the statement, not from its beginning.
 */
const APPEND: Statement = {
  name: 'outbox-append',
  text: `WITH store AS (
      SELECT webhook_url IS NOT NULL AND webhook_paused_at IS NULL AS reachable FROM stores WHERE id = $2
    ), event AS (
      INSERT INTO events (id, store_id, payment_id, event, body, created_at) VALUES ($1, $2, $3, $4, $5, $6)
    )
    INSERT INTO deliveries (id, event_id, store_id, payment_id, status, due_at, lease_token, created_at)
    SELECT $7, $1, $2, $3,
      CASE WHEN reachable THEN 'pending' ELSE 'held' END,
      CASE WHEN reachable THEN clock_timestamp() + $8::double precision * interval '1 millisecond' END,
      CASE WHEN reachable THEN $9::uuid END,
      $6
    FROM store
    RETURNING status`,
};

/**
 * Writes events in the transaction of what they tell about (decisions §7): committed together, or not at all. Whoever
 * sends them hears of each one in memory after the commit; what nobody hears of is found in the table.
 */
@Injectable()
export class Outbox {
  private readonly leaseMs: number;
  private readonly listeners: CommittedListener[] = [];
  private readonly leftListeners: LeftListener[] = [];
  private readonly admissions: Admission[] = [];

  constructor(configuration: Configuration) {
    this.leaseMs = deliveryLeaseMs(configuration.webhookTimeoutMs);
  }

  /**
   * One statement on `tx`. An event happens once for a payment; a second one breaks the unique constraint `events_once`.
   * Does not promise that the event is sent by this process, or before this process ends.
   */
  async append(tx: Transaction, event: OutboxEvent): Promise<{ eventId: string }> {
    const eventId = newId();
    const deliveryId = newId();
    const leaseToken = this.admits(event.storeId) ? newId() : null;
    const leasedAtMs = performance.now();
    const [row] = await tx.query<{ status: string }>(APPEND, [
      eventId,
      event.storeId,
      event.paymentId,
      event.event,
      event.body,
      event.createdAt,
      deliveryId,
      leaseToken === null ? 0 : this.leaseMs,
      leaseToken,
    ]);
    if (row?.status === 'pending') {
      const { storeId, body } = event;
      tx.afterCommit(() => {
        if (leaseToken === null) for (const listener of this.leftListeners) listener(storeId);
        else this.announce({ deliveryId, eventId, storeId, body, leaseToken, leasedAtMs });
      });
    }
    return { eventId };
  }

  /** Registers who sends committed deliveries. Called while modules start; `listener` must not throw. */
  onCommitted(listener: CommittedListener): void {
    this.listeners.push(listener);
  }

  /** Registers who looks after a store's event that was left in the table for lack of room, once that is committed. */
  onLeft(listener: LeftListener): void {
    this.leftListeners.push(listener);
  }

  /** Registers who knows whether this process has room to send a store's next event at once. Called while modules start. */
  admitWhen(admission: Admission): void {
    this.admissions.push(admission);
  }

  private admits(storeId: string): boolean {
    return this.admissions.length > 0 && this.admissions.every((admission) => admission(storeId));
  }

  private announce(delivery: CommittedDelivery): void {
    for (const listener of this.listeners) listener(delivery);
  }
}
