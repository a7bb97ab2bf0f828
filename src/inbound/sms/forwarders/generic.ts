import { type Body, type Forwarder, instantOf, isObject, textOf } from './forwarder.js';

/**
 * Any other app, by the names that are usual (wallets §6), at the top or under `payload` or `data`. Some parse on the
 * phone and send what they found beside the text; only the text is read.
 */
export const GENERIC: Forwarder = {
  name: 'generic',
  recipe: {
    title: 'Any other app',
    home: null,
    settings: ({ address, webhookSecret }) => [
      ['address', address],
      ['method', 'POST'],
      ['secret_header', `X-Webhook-Secret: ${webhookSecret}`],
      ['address_with_secret', `${address}?token=${webhookSecret}`],
    ],
  },
  wrote: () => true,
  read: (body) => {
    const places: readonly Body[] = [body, body['payload'], body['data']].filter(isObject);
    const raw = textOf(places, ['raw_sms']);
    // The line beside the raw text may be a title of the app's own.
    const text =
      raw !== null && raw !== '' ? raw : textOf(places, ['text', 'message', 'body', 'content', 'msg']);
    if (text === null) return null;
    return {
      app: textOf([body], ['app']) ?? 'generic',
      sender:
        textOf(places, ['from', 'sender', 'phoneNumber', 'contact', 'address', 'package', 'packageName']) ??
        '',
      text,
      sentAt: instantOf(places, ['sentStamp']),
      receivedAt: instantOf(places, ['receivedStamp', 'receivedAt', 'timestamp', 'time', 'sms_time']),
      sim: textOf(places, ['sim', 'simNumber', 'card_slot']),
      phone: textOf(places, ['deviceId', 'owner', 'recipient']),
      isNotification: textOf(places, ['package', 'packageName']) !== null,
      encrypted: places.some((place) => place['encrypted'] === true),
    };
  },
};
