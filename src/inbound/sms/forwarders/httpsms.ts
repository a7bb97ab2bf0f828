import { addressOfStore, type Forwarder, instantOf, isObject, textOf } from './forwarder.js';

const RECEIVED = 'message.phone.received';

/**
 * httpSMS (NdoleStudio/httpsms): a CloudEvent without any Content-Type. What it encrypts only its own phones can
 * read.
 */
export const HTTPSMS: Forwarder = {
  name: 'httpsms',
  recipe: {
    title: 'httpSMS',
    home: 'https://github.com/NdoleStudio/httpsms',
    settings: (door) => [
      ['address', addressOfStore(door)],
      ['event', RECEIVED],
      ['signing_key', door.webhookSecret],
      ['encryption', 'off'],
    ],
  },
  wrote: (body) => typeof body['type'] === 'string' && 'specversion' in body && isObject(body['data']),
  read: (body) => {
    const data = isObject(body['data']) ? body['data'] : {};
    const event = String(body['type']);
    if (event !== RECEIVED) return { app: 'httpsms', event };
    const text = textOf([data], ['content']);
    if (text === null) return null;
    return {
      app: 'httpsms',
      sender: textOf([data], ['contact']) ?? '',
      text,
      sentAt: null,
      receivedAt: instantOf([data, body], ['timestamp', 'time']),
      sim: textOf([data], ['sim']),
      phone: textOf([data], ['owner']),
      isNotification: false,
      encrypted: data['encrypted'] === true,
    };
  },
};
