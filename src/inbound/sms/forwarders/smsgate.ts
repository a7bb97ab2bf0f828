import { addressOfStore, type Forwarder, instantOf, isObject, textOf } from './forwarder.js';

const RECEIVED = 'sms:received';

/** SMSGate (capcom6/android-sms-gateway): an envelope with `payload`; `phoneNumber` is the old name of `sender`. */
export const SMSGATE: Forwarder = {
  name: 'smsgate',
  recipe: {
    title: 'SMSGate',
    home: 'https://github.com/capcom6/android-sms-gateway',
    settings: (door) => [
      ['address', addressOfStore(door)],
      ['event', RECEIVED],
      ['signing_key', door.webhookSecret],
    ],
  },
  wrote: (body) => typeof body['event'] === 'string' && isObject(body['payload']) && 'deviceId' in body,
  read: (body) => {
    const payload = isObject(body['payload']) ? body['payload'] : {};
    const event = String(body['event']);
    if (event !== RECEIVED) return { app: 'smsgate', event };
    const text = textOf([payload], ['message']);
    if (text === null) return null;
    return {
      app: 'smsgate',
      sender: textOf([payload], ['sender', 'phoneNumber']) ?? '',
      text,
      sentAt: null,
      receivedAt: instantOf([payload], ['receivedAt']),
      sim: textOf([payload], ['simNumber']),
      phone: textOf([body], ['deviceId']),
      isNotification: false,
      encrypted: false,
    };
  },
};
