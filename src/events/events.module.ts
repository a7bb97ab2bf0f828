import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventEntity, SubscriberPositionEntity } from './event.entity.js';
import { Events } from './events.js';
import { EventFeed } from './feed.js';
import { FeedRepository } from './feed.repository.js';

/** What happened, written where it happens and read in order. Knows nothing about how merchants are told. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([EventEntity, SubscriberPositionEntity])],
  providers: [Events, EventFeed, FeedRepository],
  exports: [Events, EventFeed],
})
export class EventsModule {}
