export {
  type AppendedEvent,
  type WriteDeliveries,
  DeliveryCreation,
  Events,
  type NewEvent,
} from './events.js';
export { EventsModule } from './events.module.js';
export { EventSubscriber, type HeardEvent } from './event-subscriber.js';
export { EventFeed, type FeedPage } from './feed.js';
export { Subscriptions } from './subscriptions.js';
export type { WebhookSchema } from './webhook-schema.js';
export { EventBodyHolder, EventRedaction } from './event-redaction.js';
export { Ports } from './ports.js';
