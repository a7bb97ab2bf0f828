/*
 * What each forwarder app sends for an SMS, byte by byte, as their own sources have it: for `npm run phone`, and for
 * the tests. Nothing of the service is imported.
 */
import { createHmac, randomUUID } from 'node:crypto';

export interface PhoneMessage {
  readonly sender: string;
  readonly text: string;
  /** When the phone got it. */
  readonly at: Date;
}

/** Where a store's messages go. */
export interface PhoneTarget {
  /** `…/api/webhooks/joma/sms`. */
  readonly address: string;
  readonly storeId: string;
  readonly webhookSecret: string;
}

export interface PhoneRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type PhoneApp = (message: PhoneMessage, target: PhoneTarget) => PhoneRequest;

/** The phones of this market are in Dhaka, six hours ahead all year. */
const DHAKA_OFFSET_MS = 6 * 3_600_000;

const hmac = (key: string, text: string, encoding: 'hex' | 'base64url' = 'hex') =>
  createHmac('sha256', key).update(text).digest(encoding);

/** `2026-01-22T01:54:08+06:00` */
function inDhaka(at: Date, milliseconds: boolean): string {
  const local = new Date(at.getTime() + DHAKA_OFFSET_MS).toISOString();
  return `${local.slice(0, milliseconds ? 23 : 19)}+06:00`;
}

/** `2026-01-22 01:54:08`, as Android writes it where no format is given. */
const localText = (at: Date) => inDhaka(at, false).slice(0, 19).replace('T', ' ');

/** Apache's `escapeJson`: also slashes, and everything that is not ASCII. */
function escapeJson(text: string): string {
  const quoted = JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/');
  return quoted.replace(/[\u007f-\uffff]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/** Its default template, line by line; the sender is not escaped. */
const bogkonstantin: PhoneApp = ({ sender, text, at }, { address, webhookSecret }) => ({
  url: address,
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    'User-agent': 'SMS Forwarder App',
    'X-Webhook-Secret': webhookSecret,
  },
  body: [
    '{',
    `  "from":"${sender}",`,
    `  "text":"${escapeJson(text)}",`,
    `  "sentStamp":${at.getTime() - 7_000},`,
    `  "receivedStamp":${at.getTime()},`,
    '  "sim":"sim1"',
    '}',
  ].join('\n'),
});

const smsgate: PhoneApp = ({ sender, text, at }, { address, storeId, webhookSecret }) => {
  const payload = {
    messageId: hmac('id', text).slice(0, 8),
    sender,
    recipient: '01700000009',
    simNumber: 1,
    phoneNumber: sender,
    message: text,
    receivedAt: inDhaka(at, true),
  };
  const id = randomUUID().replaceAll('-', '').slice(0, 21);
  const body = JSON.stringify({ id, webhookId: 'w1', event: 'sms:received', deviceId: 'd1', payload });
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return {
    url: `${address}?store=${storeId}`,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'me.capcom.smsgateway/1.45.0',
      'X-Timestamp': timestamp,
      'X-Signature': hmac(webhookSecret, body + timestamp),
    },
    body,
  };
};

/** It names no content type at all. */
const httpsms: PhoneApp = ({ sender, text, at }, { address, storeId, webhookSecret }) => {
  const url = `${address}?store=${storeId}`;
  const seconds = Math.floor(at.getTime() / 1_000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = {
    aud: url,
    exp: seconds + 600,
    iat: seconds,
    iss: 'api.httpsms.com',
    nbf: seconds - 600,
    sub: 'XtABz6zdeFMoBLoltz6SREDvRSh2',
  };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const data = {
    message_id: randomUUID(),
    user_id: claims.sub,
    owner: '+8801700000009',
    encrypted: false,
    contact: sender,
    timestamp: inDhaka(at, false),
    content: text,
    sim: 'SIM1',
    attachments: [],
  };
  const event = {
    specversion: '1.0',
    id: randomUUID(),
    source: '/v1/messages/receive',
    type: 'message.phone.received',
    time: at.toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  return {
    url,
    headers: {
      'User-Agent': 'Go-http-client/1.1',
      'X-Event-Type': event.type,
      Authorization: `Bearer ${signed}.${hmac(webhookSecret, signed, 'base64url')}`,
    },
    body: JSON.stringify(event),
  };
};

const textbee: PhoneApp = ({ sender, text, at }, { address, storeId, webhookSecret }) => {
  const objectId = () => randomUUID().replaceAll('-', '').slice(0, 24);
  const body = JSON.stringify({
    smsId: objectId(),
    message: text,
    deviceId: objectId(),
    webhookSubscriptionId: objectId(),
    webhookEvent: 'MESSAGE_RECEIVED',
    idempotencyKey: randomUUID(),
    sender,
    receivedAt: at.toISOString(),
  });
  return {
    url: `${address}?store=${storeId}`,
    headers: {
      Accept: 'application/json, text/plain, */*',
      'Content-Type': 'application/json',
      'User-Agent': 'axios/1.8.2',
      'X-Signature': hmac(webhookSecret, body),
    },
    body,
  };
};

/** The JSON of the recipe's template. */
const smsforwarder: PhoneApp = ({ sender, text, at }, { address, webhookSecret }) => ({
  url: `${address}?timeStamp=${at.getTime()}`,
  headers: { 'Content-Type': 'application/json', 'X-Webhook-Secret': webhookSecret },
  body:
    `{"from":"${sender}","text":${JSON.stringify(text)},"sim":"SIM1_Grameenphone",` +
    `"receivedAt":"${localText(at)}","timestamp":"${at.getTime()}","sign":""}`,
});

/** Without a template: a form, whose `content` is dressed with sender, card, time and device. */
const smsforwarderForm: PhoneApp = ({ sender, text, at }, { address, webhookSecret }) => ({
  url: `${address}?timeStamp=${at.getTime()}`,
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Webhook-Secret': webhookSecret },
  body: new URLSearchParams({
    from: sender,
    content: [sender, text, 'SIM1_Grameenphone', localText(at), 'Pixel 6a'].join('\n'),
    timestamp: String(at.getTime()),
    type_id: '0',
    phone: '',
    phone2: '',
  }).toString(),
});

/** An app that can neither sign nor send a header. */
const generic: PhoneApp = ({ sender, text, at }, { address, webhookSecret }) => ({
  url: `${address}?token=${encodeURIComponent(webhookSecret)}`,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ from: sender, message: text, timestamp: Math.floor(at.getTime() / 1_000) }),
});

export const PHONE_APPS: Readonly<Record<string, PhoneApp>> = {
  bogkonstantin,
  smsgate,
  httpsms,
  textbee,
  smsforwarder,
  'smsforwarder-form': smsforwarderForm,
  generic,
};
