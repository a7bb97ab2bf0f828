export { NotificationsModule } from './notifications.module.js';
export { checkWebhookUrl, type OutboundPolicy, type UrlVerdict } from './sending/outbound-address.js';
export { type WebhookOutcome, type WebhookRequest, WebhookSender } from './sending/webhook-sender.js';
export { NOTIFICATIONS_CODES } from './deliveries.errors.js';
export { WEBHOOK_TEST_WEBHOOK } from './sending/webhook-test.service.js';
