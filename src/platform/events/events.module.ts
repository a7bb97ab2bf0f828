import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { forTables } from '../database/index.js';
import { EVENTS, SUBSCRIBER_POSITIONS, SUBSCRIBERS } from './events.table.js';
import { EventRedaction } from './event-redaction.js';
import { Events } from './events.js';
import { EventFeed } from './feed.js';
import { FeedRepository } from './feed.repository.js';
import { Ports } from './ports.js';
import { SubscribersRepository } from './subscribers.repository.js';
import { Subscriptions } from './subscriptions.js';

/** Events: written where they happen, read in order, and told to subscribers. */
@Global()
@Module({
  imports: [DiscoveryModule, forTables(EVENTS, SUBSCRIBERS, SUBSCRIBER_POSITIONS)],
  providers: [EventRedaction, Events, EventFeed, FeedRepository, Ports, SubscribersRepository, Subscriptions],
  exports: [EventRedaction, Events, EventFeed, Ports, Subscriptions],
})
export class EventsModule {}
