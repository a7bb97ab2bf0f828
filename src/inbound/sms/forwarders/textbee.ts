import { addressOfStore, type Forwarder, instantOf, textOf } from './forwarder.js';

const RECEIVED = 'MESSAGE_RECEIVED';

/** textbee (vernu/textbee). It also tells of messages that the phone sent. */
export const TEXTBEE: Forwarder = {
  name: 'textbee',
  recipe: {
    title: 'textbee',
    home: 'https://github.com/vernu/textbee',
    settings: (door) => [
      ['address', addressOfStore(door)],
      ['event', RECEIVED],
      ['signing_key', door.webhookSecret],
    ],
  },
  wrote: (body) => typeof body['webhookEvent'] === 'string' && 'smsId' in body,
  read: (body) => {
    const event = String(body['webhookEvent']);
    if (event !== RECEIVED) return { app: 'textbee', event };
    const text = textOf([body], ['message']);
    if (text === null) return null;
    return {
      app: 'textbee',
      sender: textOf([body], ['sender']) ?? '',
      text,
      sentAt: null,
      receivedAt: instantOf([body], ['receivedAt']),
      sim: null,
      phone: textOf([body], ['deviceId']),
      isNotification: false,
      encrypted: false,
    };
  },
};
