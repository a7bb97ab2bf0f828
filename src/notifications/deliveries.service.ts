import { Injectable } from '@nestjs/common';
import type { Subject } from '../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../platform/http/index.js';
import { isId } from '../kernel/ids.js';
import { deliveryNotFound, eventBodyPruned } from './deliveries.problems.js';
import { type DeliveryFilter, type DeliveryRow, DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryWorker } from './dispatching/delivery-worker.js';
import { Dispatcher } from './dispatching/dispatcher.js';

/** Deliveries as a store sees its own (contract 7.34). */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly worker: DeliveryWorker,
  ) {}

  /** Fingerprints of what pages show of the latest deliveries, by store. */
  latestFingerprints(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.repository.latestFingerprints(storeIds);
  }

  /** Fingerprints of what pages show of the deliveries of payments, by payment. */
  fingerprintsOfPayments(payments: readonly Subject[]): Promise<ReadonlyMap<string, string>> {
    return this.repository.fingerprintsOfPayments(payments);
  }

  /** Newest first. @throws DomainError `request.invalid` for a cursor that is none */
  async list(storeId: string, filter: DeliveryFilter, query: PageQuery): Promise<Page<DeliveryRow>> {
    const position = decodeCursor(query.cursor);
    const rows = await this.repository.list(storeId, filter, position, query.limit, this.dispatcher.leaseMs);
    return pageOf(
      rows,
      query.limit,
      (row) => ({ at: row.createdAt, id: row.id }),
      (row) => row,
    );
  }

  /** @throws DomainError `delivery.not_found` when there is none, or when it is another store's */
  async get(storeId: string, deliveryId: string): Promise<DeliveryRow> {
    const row = isId(deliveryId)
      ? await this.repository.find(storeId, deliveryId, this.dispatcher.leaseMs)
      : null;
    if (row === null) throw deliveryNotFound();
    return row;
  }

  /**
   * Sends a delivery again, whatever became of it, with the same `webhook-id` and a fresh schedule. What is being
   * sent at this moment is not sent beside itself: that attempt becomes the first of the fresh schedule. What has
   * nowhere to go stays held. Answers the delivery as it is before the attempt.
   *
   * @throws DomainError `delivery.not_found`; `event.body_pruned` when what would be sent is not kept any more
   */
  async redeliver(storeId: string, deliveryId: string): Promise<DeliveryRow> {
    if (!isId(deliveryId)) throw deliveryNotFound();
    const redelivered = await this.repository.redeliver(storeId, deliveryId, this.dispatcher);
    if (redelivered === null) {
      await this.get(storeId, deliveryId);
      throw eventBodyPruned();
    }
    this.worker.wakeIn(0);
    return redelivered;
  }
}
