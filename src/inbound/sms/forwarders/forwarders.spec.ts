import { describe, expect, it } from 'vitest';
import { PHONE_APPS } from '../../../tools/phone/phone-apps.js';
import { readInstant } from './forwarder.js';
import { readForwarded } from './index.js';

/*
 * Rules: contract 6.23, 6.29.
 *
 * Goal: what each app sends is read as what it was, and any other app by the usual names. Method: the bytes that the
 * apps' own sources write, then the published bodies and their variations as tables.
 */

const TEXT = 'Money Received.\nAmount: Tk 60.00\nSender: 01700000001\nRef: "ধন্যবাদ"/1\nTxnID: 75K92M3Z';
const AT = new Date('2026-01-21T19:54:08.000Z');
const TARGET = { address: 'http://localhost/sms', storeId: 's', webhookSecret: 'joma_wh_x' };

function bodyOf(app: string): Record<string, unknown> {
  const request = PHONE_APPS[app]?.({ sender: 'NAGAD', text: TEXT, at: AT }, TARGET);
  if (request === undefined) throw new Error(`${app} is no app.`);
  return request.headers['Content-Type']?.includes('form')
    ? Object.fromEntries(new URLSearchParams(request.body))
    : (JSON.parse(request.body) as Record<string, unknown>);
}

describe('the apps', () => {
  it.each(Object.keys(PHONE_APPS))('%s is read whole', (app) => {
    expect(readForwarded(bodyOf(app))).toMatchObject({
      app: app.replace('-form', ''),
      sender: 'NAGAD',
      text: TEXT,
      receivedAt: AT,
      encrypted: false,
    });
  });

  it('say when the network stamped it, and which card it came to, where they know', () => {
    expect(readForwarded(bodyOf('bogkonstantin'))).toMatchObject({
      sim: 'sim1',
      sentAt: new Date(AT.getTime() - 7_000),
    });
    expect(readForwarded(bodyOf('smsgate'))).toMatchObject({ sim: '1', sentAt: null });
  });

  it('tell of events that are no SMS', () => {
    expect(readForwarded({ ...bodyOf('smsgate'), event: 'system:ping' })).toEqual({
      app: 'smsgate',
      event: 'system:ping',
    });
    expect(readForwarded({ ...bodyOf('textbee'), webhookEvent: 'MESSAGE_SENT' })).toEqual({
      app: 'textbee',
      event: 'MESSAGE_SENT',
    });
    expect(readForwarded({ ...bodyOf('httpsms'), type: 'phone.heartbeat.offline' })).toMatchObject({
      app: 'httpsms',
    });
  });

  it('may encrypt', () => {
    const { data } = bodyOf('httpsms');
    expect(
      readForwarded({ ...bodyOf('httpsms'), data: { ...(data as object), encrypted: true } }),
    ).toMatchObject({ encrypted: true });
  });

  it('of old wrote times as texts, and the sender as phoneNumber', () => {
    const old = {
      from: 'bKash',
      text: 'x',
      sentStamp: '1769025241000',
      receivedStamp: '1769025248417',
      sim: 'undetected',
    };
    expect(readForwarded(old)).toMatchObject({
      sentAt: new Date(1_769_025_241_000),
      receivedAt: new Date(1_769_025_248_417),
    });
    const { payload } = bodyOf('smsgate') as { payload: Record<string, unknown> };
    delete payload['sender'];
    expect(readForwarded({ ...bodyOf('smsgate'), payload })).toMatchObject({ sender: 'NAGAD' });
  });
});

describe('any other app', () => {
  it.each([
    [{ from: 'bKash', message: 'x' }],
    [{ sender: 'bKash', body: 'x', date: 1 }],
    [{ address: 'bKash', body: 'x' }],
    [{ payload: { contact: 'bKash', content: 'x' } }],
    [{ data: { phoneNumber: 'bKash', msg: 'x' } }],
    [{ from: 'bKash', raw_sms: 'x', amount: 5_000, trx_id: 'DGB2AC4RC9' }],
    [{ from: 'bKash', message: 'New payment', raw_sms: 'x' }],
    [{ from: 'bKash', text: 'x', raw_sms: '' }],
  ])('is read from %j', (body) => {
    expect(readForwarded(body)).toMatchObject({ app: 'generic', sender: 'bKash', text: 'x' });
  });

  it('has a sender that is a number, or none at all', () => {
    expect(readForwarded({ from: 16216, text: 'x' })).toMatchObject({ sender: '16216' });
    expect(readForwarded({ text: 'x' })).toMatchObject({ sender: '' });
    expect(readForwarded({ from: 'bKash' })).toBeNull();
    expect(readForwarded({ from: 'bKash', text: {} })).toBeNull();
  });
});

describe('a time', () => {
  it.each([
    [1_769_025_241, '2026-01-21T19:54:01.000Z'],
    [1_769_025_241_500, '2026-01-21T19:54:01.500Z'],
    ['1769025241', '2026-01-21T19:54:01.000Z'],
    ['1769025241000', '2026-01-21T19:54:01.000Z'],
    ['2026-01-22T01:54:01+06:00', '2026-01-21T19:54:01.000Z'],
    ['2026-01-21T19:54:01.250Z', '2026-01-21T19:54:01.250Z'],
  ])('%j is %s', (value, at) => {
    expect(readInstant(value)?.toISOString()).toBe(at);
  });
  it.each([
    ['2026-01-22 01:54:01'],
    ['soon'],
    [''],
    [0],
    [-1],
    [NaN],
    [1e20],
    [null],
    [{}],
    ['2026-13-01T00:00:00Z'],
    ['2026-02-30T00:00:00Z'],
  ])('%j is none', (value) => {
    expect(readInstant(value)).toBeNull();
  });
});
