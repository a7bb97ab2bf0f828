import { type BeforeApplicationShutdown, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Configuration } from '../config/index.js';
import { Outbox } from '../outbox/index.js';
import { StoresModule, StoresService } from '../stores/index.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryAttemptEntity } from './delivery-attempt.entity.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryReplayEntity } from './delivery-replay.entity.js';
import { DeliveryWorker } from './delivery-worker.js';
import { Dispatcher } from './dispatcher.js';
import { EndpointWatch } from './endpoint-watch.js';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';
import { EventsService } from './events.service.js';
import { SLOTS } from './lanes.js';
import { ReplaysRepository } from './replays.repository.js';
import { ReplaysService } from './replays.service.js';
import { Retention } from './retention.js';
import { RetentionRepository } from './retention.repository.js';
import { StoreDeliveriesController } from './store-deliveries.controller.js';
import { UndiciWebhookSender, WebhookSender } from './webhook-sender.js';
import { MAX_RUNNING_TESTS, WebhookTestService } from './webhook-test.service.js';

/** Brings events to merchants: at once after their commit, again on a schedule, or when they are asked for. */
@Module({
  imports: [TypeOrmModule.forFeature([DeliveryAttemptEntity, DeliveryReplayEntity]), StoresModule],
  controllers: [DeliveriesController, StoreDeliveriesController, EventsController],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliveryMetrics,
    DeliveryWorker,
    Dispatcher,
    EndpointWatch,
    EventsRepository,
    EventsService,
    ReplaysRepository,
    ReplaysService,
    Retention,
    RetentionRepository,
    WebhookTestService,
    {
      provide: WebhookSender,
      inject: [Configuration],
      useFactory: (configuration: Configuration) =>
        new UndiciWebhookSender({
          allowPrivate: configuration.webhookAllowPrivate,
          // The lanes decide who may send. A connection for each slot, also where many stores share one receiver:
          // whoever had to wait for one here would be taken for slow.
          maxConnections: SLOTS + MAX_RUNNING_TESTS,
          maxConnectionsPerOrigin: SLOTS + MAX_RUNNING_TESTS,
        }),
    },
  ],
  exports: [Dispatcher],
})
export class NotificationsModule implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly outbox: Outbox,
    private readonly stores: StoresService,
    private readonly repository: DeliveriesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly worker: DeliveryWorker,
  ) {}

  onModuleInit(): void {
    this.outbox.admitWhen((storeId) => this.dispatcher.admits(storeId));
    this.outbox.onCommitted((delivery) => this.dispatcher.takeCommitted(delivery));
    this.outbox.onLeft((storeId) => this.dispatcher.lookAfter(storeId));
    this.stores.onWebhookUrlSet(async (tx, storeId) => {
      await this.repository.releaseHeld(tx, storeId);
      tx.afterCommit(() => this.worker.releaseSoon());
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  /** Stops sending: nothing new is taken, what runs may end, the rest is handed back (decisions §8). At most about 9 s. */
  async drain(): Promise<void> {
    await this.worker.stop();
    await this.dispatcher.drain();
  }
}
