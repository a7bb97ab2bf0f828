export { NotificationsModule } from './notifications.module.js';
export { checkWebhookUrl, type OutboundPolicy, type UrlVerdict } from './sending/outbound-address.js';
export { type WebhookOutcome, type WebhookRequest, WebhookSender } from './sending/webhook-sender.js';
