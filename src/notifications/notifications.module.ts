import { type BeforeApplicationShutdown, Module } from '@nestjs/common';
import { Database, forTables } from '../platform/database/index.js';
import { StoresModule, StoreStates } from '../stores/index.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryTotals } from './delivery-totals.js';
import { DELIVERY_ATTEMPTS } from './delivery-attempts.table.js';
import { DeliveryMetrics } from './dispatching/delivery-metrics.js';
import { DELIVERIES } from './deliveries.table.js';
import { DELIVERY_REPLAYS } from './replays/delivery-replays.table.js';
import { DeliveryWorker } from './dispatching/delivery-worker.js';
import { Dispatcher } from './dispatching/dispatcher.js';
import { EndpointWatch } from './endpoint-watch.js';
import { EventsController } from './feed/feed.controller.js';
import { SLOTS } from './dispatching/sending-quotas.js';
import { NewDeliveries } from './new-deliveries.js';
import { OwnDeliveries } from './own-deliveries.js';
import { ReplaysRepository } from './replays/replays.repository.js';
import { ReplaysService } from './replays/replays.service.js';
import { RedactionHolder } from './redaction-holder.js';
import { DeliveryOutcomesByStore } from './dispatching/cluster/delivery-outcomes-by-store.js';
import { DeliveryOutcomesRepository } from './dispatching/delivery-outcomes.repository.js';
import { DueDeliveriesByStore } from './dispatching/cluster/due-deliveries-by-store.js';
import { DueDeliveriesRepository } from './dispatching/due-deliveries.repository.js';
import { Retention } from './retention.js';
import { RetentionRepository } from './retention.repository.js';
import { StoreDeliveriesController } from './store-deliveries.controller.js';
import { UndiciWebhookSender, WebhookSender } from './sending/webhook-sender.js';
import { MAX_RUNNING_TESTS, WebhookTestService } from './sending/webhook-test.service.js';
import { NotificationsSettings } from './notifications.settings.js';

/** Brings events to merchants: at once after their commit, again on a schedule, or when they are asked for. */
@Module({
  imports: [forTables(DELIVERIES, DELIVERY_ATTEMPTS, DELIVERY_REPLAYS), StoresModule],
  controllers: [DeliveriesController, StoreDeliveriesController, EventsController],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliveryMetrics,
    DeliveryTotals,
    DeliveryWorker,
    Dispatcher,
    EndpointWatch,
    NewDeliveries,
    OwnDeliveries,
    ReplaysRepository,
    ReplaysService,
    RedactionHolder,
    Retention,
    RetentionRepository,
    // On a cluster each store's deliveries are taken and written on the store's own node.
    {
      provide: DueDeliveriesRepository,
      inject: [Database],
      useFactory: (database: Database) =>
        database.isDistributed ? new DueDeliveriesByStore(database) : new DueDeliveriesRepository(database),
    },
    {
      provide: DeliveryOutcomesRepository,
      inject: [Database, StoreStates],
      useFactory: (database: Database, states: StoreStates) =>
        database.isDistributed
          ? new DeliveryOutcomesByStore(database, states)
          : new DeliveryOutcomesRepository(database, states),
    },
    WebhookTestService,
    {
      provide: WebhookSender,
      inject: [NotificationsSettings],
      useFactory: (settings: NotificationsSettings) =>
        new UndiciWebhookSender({
          allowPrivate: settings.webhookAllowPrivate,
          // The quotas decide who may send.
          maxRunning: SLOTS + MAX_RUNNING_TESTS,
          connectTimeoutMs: settings.webhookTimeoutMs,
        }),
    },
  ],
  exports: [DeliveriesService, DeliveryTotals, Dispatcher, OwnDeliveries, ReplaysService, WebhookTestService],
})
export class NotificationsModule implements BeforeApplicationShutdown {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly worker: DeliveryWorker,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  /**
   * Stops sending: nothing new is taken, what runs may end, the rest is handed back (contract 8.33). At most about 9
   * s.
   */
  async drain(): Promise<void> {
    await this.worker.stop();
    await this.dispatcher.drain();
  }
}
