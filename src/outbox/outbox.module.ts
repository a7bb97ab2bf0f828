import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveryEntity } from './delivery.entity.js';
import { EventEntity } from './event.entity.js';
import { Outbox } from './outbox.js';

/** Where features write their events. Knows nothing about how they are sent. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([EventEntity, DeliveryEntity])],
  providers: [Outbox],
  exports: [Outbox],
})
export class OutboxModule {}
