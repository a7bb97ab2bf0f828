import { type Forwarder, instantOf, textOf } from './forwarder.js';

const TEMPLATE =
  '{"from":"[from]","text":"[org_content]","sim":"[card_slot]","receivedAt":"[receive_time]","timestamp":"[timestamp]","sign":"[sign]"}';

/**
 * SmsForwarder (pppscn): a form by default, `from`, `content`, `timestamp` and, with a secret, `sign`; or the JSON of
 * a template. Its times may be local text, which names no instant. As a form, `content` is the message as its own
 * template dresses it, so `org_content` goes first where it is sent.
 */
export const SMSFORWARDER: Forwarder = {
  name: 'smsforwarder',
  recipe: {
    title: 'SmsForwarder',
    home: 'https://github.com/pppscn/SmsForwarder',
    settings: ({ address, webhookSecret }) => [
      ['address', address],
      ['method', 'POST'],
      ['secret_header', `X-Webhook-Secret: ${webhookSecret}`],
      ['type_header', 'Content-Type: application/json'],
      ['template', TEMPLATE],
    ],
  },
  wrote: (body) =>
    'from' in body && 'timestamp' in body && ('content' in body || 'sign' in body || 'org_content' in body),
  read: (body) => {
    const whole = textOf([body], ['org_content', 'text', 'content', 'msg']);
    if (whole === null) return null;
    const text = undress(whole, textOf([body], ['from']) ?? '');
    return {
      app: 'smsforwarder',
      sender: textOf([body], ['from']) ?? '',
      text,
      sentAt: null,
      receivedAt: instantOf([body], ['receivedAt', 'receive_time', 'timestamp']),
      sim: textOf([body], ['sim', 'card_slot']),
      phone: null,
      isNotification: false,
      encrypted: false,
    };
  },
};

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** Its own template puts the sender in front, and the SIM card, the time and the device behind, each on a line. */
function undress(content: string, sender: string): string {
  const lines = content.split(/\r?\n/);
  const isDressed = lines.length >= 5 && lines[0] === sender && LOCAL_TIME.test(lines.at(-2) ?? '');
  return isDressed ? lines.slice(1, -3).join('\n') : content;
}
