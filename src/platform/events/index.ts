export {
  type AppendedEvent,
  type WriteDeliveries,
  type DeliveryCreation,
  Events,
  type NewEvent,
} from './events.js';
export { EventsModule } from './events.module.js';
export { EventSubscriber, type HeardEvent } from './event-subscriber.js';
export { EventFeed, type FeedPage } from './feed.js';
export { Subscriptions } from './subscriptions.js';
export type { WebhookSchema } from './webhook-schema.js';
export { EventRedaction } from './event-redaction.js';
