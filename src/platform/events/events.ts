import { Injectable } from '@nestjs/common';
import { plainArray, type Statement, textArray, type Transaction } from '../database/index.js';
import { newId } from '../../kernel/ids.js';
import { Ports } from './ports.js';

/** Something that happened, in the words the merchant gets. */
export interface NewEvent {
  readonly storeId: string;
  readonly paymentId: string | null;
  /** The subject of the event, once for each event name; the payment if left out. One of both must be there. */
  readonly subjectId?: string;
  /** `payment.verified` and the like: a stable name, described beside the code that appends it. */
  readonly event: string;
  /** The exact text that is sent, and sent again; its UTF-8 bytes are what is signed (contract 7.9). */
  readonly body: string;
  readonly createdAt: Date;
  /** False keeps it out of the merchant's feed and from the store's webhook; default true. */
  readonly inFeed?: boolean;
  /** A simulated receipt is behind it; default false. */
  readonly simulated?: boolean;
}

/** An event with the id under which the whole world knows it: the `webhook-id`. */
export interface AppendedEvent extends NewEvent {
  readonly eventId: string;
}

/**
 * Writes rows in the transaction of events; it sends its statements at once, so that they leave together with the
 * events'.
 */
export type WriteDeliveries = (tx: Transaction) => Promise<void>;

/** The port for whoever writes a row of its own with every event, in the same transaction: found by its class. */
export abstract class DeliveryCreation {
  /**
   * The write of events that are appended together; null for none. Called while they are appended, so it must not
   * throw.
   */
  abstract deliveriesOf(events: readonly AppendedEvent[]): WriteDeliveries | null;
}

const INSERT: Statement = {
  name: 'events-append',
  text: `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at, in_feed, simulated)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

/** Events of several stores: never asked of a cluster, whose nodes have a store each. */
const INSERT_MANY: Statement = {
  name: 'events-append-many',
  text: `INSERT INTO events (id, store_id, payment_id, subject_id, event, body, created_at, in_feed, simulated)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[],
      $8::boolean[], $9::boolean[])`,
};

/**
 * Where features write what happened, in the transaction of what it tells about (contract 7.1): committed together,
 * or not at all. Knows nothing about who is told; whoever must be certain of a row of its own beside each event
 * extends `DeliveryCreation`.
 */
@Injectable()
export class Events {
  private readonly listeners: ((storeId: string) => void)[] = [];

  constructor(private readonly ports: Ports) {}

  /**
   * An event happens once for its subject; a second one breaks the unique constraint `events_once`. The creations'
   * statements leave together with the event's own, so that they cost the transaction no further round trip. `own`
   * takes the place of the implementations of `DeliveryCreation`.
   */
  async append(
    tx: Transaction,
    event: NewEvent,
    own: DeliveryCreation['deliveriesOf'] | null = null,
  ): Promise<{ eventId: string }> {
    const eventId = newId();
    await this.write(tx, [Object.assign({ eventId }, event)], own);
    return { eventId };
  }

  /** The same for events of the same moment, whichever stores they are of, in one statement each. Not on a cluster. */
  async appendMany(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
    const appended = events.map((event) => Object.assign({ eventId: newId() }, event));
    if (appended.length > 0) await this.write(tx, appended, null);
  }

  private async write(
    tx: Transaction,
    events: readonly AppendedEvent[],
    own: DeliveryCreation['deliveriesOf'] | null,
  ): Promise<void> {
    const creations =
      own === null
        ? this.ports.implementationsOf(DeliveryCreation).map((one) => one.deliveriesOf(events))
        : [own(events)];
    const [first] = events;
    const [statement, values] =
      events.length === 1 && first !== undefined
        ? [INSERT, valuesOf(first)]
        : [INSERT_MANY, columnsOf(events)];
    await Promise.all([tx.execute(statement, values), ...creations.map((write) => write?.(tx))]);
    const storeIds = new Set(events.map(({ storeId }) => storeId));
    tx.afterCommit(() => {
      for (const storeId of storeIds) for (const listener of this.listeners) listener(storeId);
    });
  }

  /**
   * The events themselves stay; their bodies are not kept any more. Whoever still sends one must be locked out
   * meanwhile.
   */
  async forgetBodies(
    tx: Transaction,
    events: readonly { readonly id: string; readonly storeId: string }[],
  ): Promise<void> {
    await tx.execute(
      `UPDATE events SET body = NULL FROM unnest($1::uuid[], $2::uuid[]) AS old (id, store_id)
       WHERE events.id = old.id AND events.store_id = old.store_id`,
      [events.map(({ id }) => id), events.map(({ storeId }) => storeId)],
    );
  }

  /**
   * Registers who wants to know, in this process, that a store has a new event, once it is committed. It must not
   * throw.
   */
  onAppended(listener: (storeId: string) => void): void {
    this.listeners.push(listener);
  }
}

function valuesOf(event: AppendedEvent): unknown[] {
  return [
    event.eventId,
    event.storeId,
    event.paymentId,
    event.subjectId ?? event.paymentId,
    event.event,
    event.body,
    event.createdAt,
    event.inFeed ?? true,
    event.simulated ?? false,
  ];
}

/** The same of several, as an array of each column. */
function columnsOf(events: readonly AppendedEvent[]): string[] {
  return [
    plainArray(events.map(({ eventId }) => eventId)),
    plainArray(events.map(({ storeId }) => storeId)),
    plainArray(events.map(({ paymentId }) => paymentId)),
    plainArray(events.map(({ subjectId, paymentId }) => subjectId ?? paymentId)),
    textArray(events.map(({ event }) => event)),
    textArray(events.map(({ body }) => body)),
    plainArray(events.map(({ createdAt }) => createdAt.toISOString())),
    plainArray(events.map(({ inFeed = true }) => String(inFeed))),
    plainArray(events.map(({ simulated = false }) => String(simulated))),
  ];
}
