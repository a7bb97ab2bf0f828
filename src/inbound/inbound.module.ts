import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule, type Routes } from '@nestjs/core';
import { forTables } from '../platform/database/index.js';
import { AccountsModule } from '../accounts/index.js';
import { PaymentsModule } from '../payments/index.js';
import { StoresModule } from '../stores/index.js';
import { MessageRetention } from './message-retention.js';
import { MESSAGES } from './messages.table.js';
import { KeepUnreadableFilter } from './keep-unreadable.filter.js';
import { PhoneWatch } from './phone-watch.js';
import { PhoneController } from './phone.controller.js';
import { SimulateController } from './simulate.controller.js';
import { Simulations } from './simulations.js';
import { MessagesController, ParseController } from './sms/messages.controller.js';
import { MessagesRepository } from './sms/messages.repository.js';
import { MessagesService } from './sms/messages.service.js';
import { SmsController } from './sms/sms.controller.js';

/** Messages of phones, and what was read from them. */
@Module({
  imports: [forTables(MESSAGES), AccountsModule, PaymentsModule, StoresModule],
  controllers: [MessagesController, ParseController],
  providers: [MessagesService, MessagesRepository, PhoneWatch],
  exports: [MessagesService],
})
export class MessagesModule {}

/** The webhooks of the phone; mounted under the service's own name. */
@Module({
  imports: [MessagesModule, PaymentsModule, StoresModule],
  controllers: [PhoneController, SmsController],
  providers: [KeepUnreadableFilter],
})
export class PhoneModule {}

/** Receipts that a user makes up; for other doors than the API's, too. */
@Module({ imports: [PaymentsModule], providers: [Simulations], exports: [Simulations] })
export class SimulationsModule {}

/** Receipts that come in: from the phone, and from a user who tries things out. */
@Module({
  imports: [AccountsModule, PaymentsModule, StoresModule, MessagesModule, PhoneModule, SimulationsModule],
  controllers: [SimulateController],
  providers: [MessageRetention],
})
export class InboundModule {
  static forRoot(serviceName: string): DynamicModule {
    return { module: InboundModule, imports: [RouterModule.register(phoneRoutes(serviceName))] };
  }
}

/** `serviceName` names the phone's path (contract 1.4). */
export function phoneRoutes(serviceName: string): Routes {
  return [{ path: `api/webhooks/${serviceName}`, module: PhoneModule }];
}
