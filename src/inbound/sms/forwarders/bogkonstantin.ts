import { type Forwarder, instantOf, textOf } from './forwarder.js';

/**
 * "Incoming SMS to URL forwarder" (bogkonstantin/android_income_sms_gateway_webhook): a template of its owner, whose
 * default has these names. Times are epoch milliseconds, in older templates as texts.
 */
export const BOGKONSTANTIN: Forwarder = {
  name: 'bogkonstantin',
  recipe: {
    title: 'Incoming SMS to URL',
    home: 'https://github.com/bogkonstantin/android_income_sms_gateway_webhook',
    settings: ({ address, webhookSecret }) => [
      ['address', address],
      ['headers', JSON.stringify({ 'User-agent': 'SMS Forwarder App', 'X-Webhook-Secret': webhookSecret })],
      ['chunked_mode', 'on'],
    ],
  },
  wrote: (body) => 'from' in body && 'text' in body && ('sentStamp' in body || 'receivedStamp' in body),
  read: (body) => {
    const text = textOf([body], ['text']);
    if (text === null) return null;
    return {
      app: 'bogkonstantin',
      sender: textOf([body], ['from']) ?? '',
      text,
      sentAt: instantOf([body], ['sentStamp']),
      receivedAt: instantOf([body], ['receivedStamp']),
      sim: textOf([body], ['sim']),
      phone: null,
      isNotification: false,
      encrypted: false,
    };
  },
};
