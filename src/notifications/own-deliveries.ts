import { Injectable } from '@nestjs/common';
import type { Transaction } from '../platform/database/index.js';
import { Events, type NewEvent } from '../platform/events/index.js';
import { NewDeliveries, type OwnAddress } from './new-deliveries.js';

/**
 * For an extension that sends something to an address of its own, by the same guarded and retried way as a store's
 * webhook.
 */
@Injectable()
export class OwnDeliveries {
  constructor(
    private readonly events: Events,
    private readonly newDeliveries: NewDeliveries,
  ) {}

  /**
   * Stands in the store's deliveries, not in its feed. Sent after the commit, at least once; a second one of the same
   * name about the same subject breaks the unique constraint `events_once`.
   */
  append(
    tx: Transaction,
    event: Omit<NewEvent, 'inFeed'>,
    address: OwnAddress,
  ): Promise<{ eventId: string }> {
    return this.events.append(tx, { ...event, inFeed: false }, (appended) =>
      this.newDeliveries.to(address, appended),
    );
  }
}
