export { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';
export { deliveryLeaseMs } from './lease.js';
export { type CommittedDelivery, EVENT_NAMES, type EventName, Outbox, type OutboxEvent } from './outbox.js';
export { OutboxModule } from './outbox.module.js';
