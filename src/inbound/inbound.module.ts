import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { PaymentsModule } from '../payments/index.js';
import { StoresModule } from '../stores/index.js';
import { MESSAGES } from './messages.table.js';
import { PhoneController } from './phone.controller.js';
import { SimulateController } from './simulate.controller.js';
import { Simulations } from './simulations.js';

/** What the phone calls; mounted under the service's own name. */
@Module({ imports: [PaymentsModule, StoresModule], controllers: [PhoneController] })
export class PhoneModule {}

/** Receipts that a person makes up; for other doors than the API's, too. */
@Module({ imports: [PaymentsModule], providers: [Simulations], exports: [Simulations] })
export class SimulationsModule {}

/** Receipts that come in: from the phone, and from a person who tries things out. */
@Module({
  imports: [
    TypeOrmModule.forFeature([MESSAGES.entity()]),
    AccountsModule,
    PaymentsModule,
    StoresModule,
    PhoneModule,
    SimulationsModule,
  ],
  controllers: [SimulateController],
})
export class InboundModule {
  /** `serviceName` names the phone's path (decisions: `SERVICE_NAME`). */
  static forRoot(serviceName: string): DynamicModule {
    return {
      module: InboundModule,
      imports: [RouterModule.register([{ path: `api/webhooks/${serviceName}`, module: PhoneModule }])],
    };
  }
}
