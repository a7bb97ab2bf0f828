export { NotificationsModule } from './notifications.module.js';
export { checkWebhookUrl, type OutboundPolicy, type UrlVerdict } from './outbound-address.js';
export { type WebhookOutcome, type WebhookRequest, WebhookSender } from './webhook-sender.js';
