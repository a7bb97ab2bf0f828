import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { PHONE_APPS } from '../../../src/tools/phone/phone-apps.js';
import { bkashText } from '../../support/bkash-text.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { PhoneWatch, rereadAllStores } from '../../../src/inbound/index.js';
import { WALLETS } from '../../../src/wallets/index.js';

/*
 * Rules: contract 6.2, 6.3, 6.5 to 6.9, 6.23 to 6.25, 6.27, 6.28, 6.30 to 6.32, 6.52, 9.1 to 9.6, 9.8, 9.9, 9.13 to
 * 9.15, 9.17, 9.19, 9.20.
 *
 * Goal: a merchant with any of the forwarder apps is paid by what their wallet writes, once, and nobody else's words
 * pay anything. Method: the bytes that each app sends, through the real application on two replicas.
 */

const service = useService();
let shop: Shop;

beforeAll(async () => {
  shop = await service.openShop({
    wallets: [{ provider: 'bkash', number: '01700000001', accountType: 'personal' }],
  });
});

interface SmsAnswer {
  readonly status: number;
  readonly body: {
    receiptId?: string;
    messageId?: string;
    status: string;
    reason?: string;
    paymentId?: string;
    code?: string;
  };
}

let serial = 0;
function trxIdOf(): string {
  serial += 1;
  return `DIJ${serial.toString(36).toUpperCase().padStart(7, '0')}`;
}

const receiptText = (trxId: string, fields?: Parameters<typeof bkashText>[2]): string =>
  bkashText(trxId, service.clock.now(), fields);

async function send(
  app: string,
  text: string,
  options: { sender?: string; to?: Shop; change?: (request: Sent) => void; door?: number } = {},
): Promise<SmsAnswer> {
  const { sender = 'bKash', to = shop, change, door = 0 } = options;
  const base = await service.replicas[door]!.app.getUrl();
  const target = {
    address: `${base}/api/webhooks/joma/sms`,
    storeId: to.store.id,
    webhookSecret: to.store.webhookSecret,
  };
  const made = PHONE_APPS[app]!({ sender, text, at: service.clock.now() }, target);
  const request: Sent = { url: made.url, headers: { ...made.headers }, body: made.body };
  change?.(request);
  const { headers, body } = request;
  return to.http.request('POST', request.url.slice(base.length), { headers, text: body });
}

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

describe('an app', () => {
  it.each(Object.keys(PHONE_APPS))('%s: its message pays the payment that waits for it', async (app) => {
    const trxId = trxIdOf();
    const { id } = await shop.create();
    await shop.submit(id, { trxId });
    expect(await send(app, receiptText(trxId))).toMatchObject({
      status: 200,
      body: { status: 'matched', paymentId: id },
    });
    expect(await shop.get(id)).toMatchObject({
      status: 'verified',
      provider: 'bkash',
      trxId,
      payerNumber: '01700000002',
    });
    const [message] = await shop.messages();
    expect(message).toMatchObject({
      status: 'receipt',
      app: app.replace('-form', ''),
      sender: 'bKash',
      rule: { name: 'bkash.send_money', version: 1 },
      fields: { provider: 'bkash', trxId, amount: 500, counterparty: '01700000002', balance: 10_500 },
    });
  });

  it.each(Object.keys(PHONE_APPS))('%s: with another store’s secret it is nobody', async (app) => {
    const other = await service.openShop();
    const text = receiptText(trxIdOf());
    const answer = await send(app, text, {
      change: (request) => {
        const stolen = PHONE_APPS[app]!(
          { sender: 'bKash', text, at: service.clock.now() },
          {
            address: request.url.split('?')[0]!,
            storeId: shop.store.id,
            webhookSecret: `${other.store.webhookSecret}x`,
          },
        );
        Object.assign(request, { url: stolen.url, headers: { ...stolen.headers }, body: stolen.body });
      },
    });
    expect(answer).toMatchObject({ status: 401, body: { code: 'auth.required' } });
  });
});

describe('a signature', () => {
  it.each(['smsgate', 'textbee'])('%s: covers every byte of the body', async (app) => {
    const answer = await send(app, receiptText(trxIdOf()), {
      change: (sent) => (sent.body = sent.body.replace('500.00', '900.00')),
    });
    expect(answer.status).toBe(401);
  });

  it('textbee: is for JSON; the same bytes as a form would say what a stranger wrote in a message', async () => {
    const forged = `hi&from=bKash&text=${receiptText(trxIdOf())}&z=1`;
    const asForm = (sent: Sent) => (sent.headers['Content-Type'] = 'application/x-www-form-urlencoded');
    expect((await send('textbee', forged, { sender: '+8801711000000' })).status).toBe(200);
    expect((await send('textbee', forged, { sender: '+8801711000000', change: asForm })).status).toBe(401);
  });

  it('smsgate: does not hold for its body and time together, as an app signs that sends no time', async () => {
    const answer = await send('smsgate', receiptText(trxIdOf()), {
      change: (sent) => {
        sent.body += sent.headers['X-Timestamp'] ?? '';
        delete sent.headers['X-Timestamp'];
      },
    });
    expect(answer.status).toBe(401);
  });

  it.each([-6, 6])('smsgate: of %i minutes from now is none', async (minutes) => {
    const answer = await send('smsgate', receiptText(trxIdOf()), {
      change: (sent) => {
        const timestamp = String(Math.floor(service.clock.now().getTime() / 1_000) + minutes * 60);
        const signature = createHmac('sha256', shop.store.webhookSecret)
          .update(sent.body + timestamp)
          .digest('hex');
        Object.assign(sent.headers, { 'X-Timestamp': timestamp, 'X-Signature': signature });
      },
    });
    expect(answer.status).toBe(401);
  });

  it('httpsms: is for this store’s address alone, from httpSMS, and not without a signature', async () => {
    const tokenOf = (claims: object, header: object = { alg: 'HS256', typ: 'JWT' }) => {
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const signed = `${encode(header)}.${encode(claims)}`;
      return `${signed}.${createHmac('sha256', shop.store.webhookSecret).update(signed).digest('base64url')}`;
    };
    const seconds = Math.floor(service.clock.now().getTime() / 1_000);
    const right = { iss: 'api.httpsms.com', exp: seconds + 600, nbf: seconds - 600 };
    const wrong = [
      (aud: string) =>
        tokenOf({ ...right, aud: aud.replace(shop.store.id, '019aa5a1-02f6-7b1d-8a59-6f1f2f6d5a10') }),
      (aud: string) => tokenOf({ ...right, aud: aud.replace('/sms', '/else') }),
      (aud: string) => tokenOf({ ...right, iss: 'somebody', aud }),
      (aud: string) => tokenOf({ ...right, exp: seconds - 3_600, aud }),
      (aud: string) => tokenOf({ ...right, aud }, { alg: 'none' }),
      () => tokenOf(right),
    ];
    for (const make of wrong) {
      const answer = await send('httpsms', receiptText(trxIdOf()), {
        change: (sent) => (sent.headers['Authorization'] = `Bearer ${make(sent.url)}`),
      });
      expect(answer.status).toBe(401);
    }
  });

  it('of the old secret is none once there is a new one', async () => {
    const own = await service.openShop();
    expect((await send('textbee', 'x', { to: own })).status).toBe(200);
    await own.http.post(
      `/api/v1/stores/${own.store.id}/webhook-secret/regenerate`,
      undefined,
      await own.admin(),
    );
    for (const app of Object.keys(PHONE_APPS))
      expect((await send(app, 'x', { to: own })).status, app).toBe(401);
  });
});

describe('the same receipt', () => {
  it('from every app, the phone app and again, at once over two replicas, is one', async () => {
    const trxId = trxIdOf();
    const { id } = await shop.create();
    await shop.submit(id, { trxId });
    const text = receiptText(trxId);
    const apps = Object.keys(PHONE_APPS);
    const all = await Promise.all([
      ...apps.flatMap((app) => [0, 1, 0, 1].map((door) => send(app, text, { door }))),
      ...[0, 1].map(() =>
        shop.receipt({ trxId, provider: 'BKASH', kind: 'Received', counterparty: '01700000002' }),
      ),
    ]);
    const statuses = all.map(({ body }) => body.status);
    expect(statuses.filter((status) => status === 'matched')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(all.length - 1);
    expect(new Set(all.map(({ body }) => body.receiptId)).size).toBe(1);
    expect(await shop.get(id)).toMatchObject({ status: 'verified', receivedAmount: 500 });
  });

  it('is another where the id is another, in the same minute and amount', async () => {
    const [first, second] = [
      await send('smsgate', receiptText(trxIdOf())),
      await send('smsgate', receiptText(trxIdOf())),
    ];
    expect(first.body.receiptId).not.toBe(second.body.receiptId);
  });
});

describe('what pays nothing', () => {
  it.each([
    ['a look-alike sender', { sender: 'bK\u0430sh' }, 'ignored', 'look_alike_sender'],
    ['an ordinary number', { sender: '+8801700000009' }, 'ignored', 'unknown_sender'],
    ['another wallet’s sender', { sender: 'upay' }, 'unread', 'no_rule'],
  ] as const)('%s', async (_what, options, status, reason) => {
    const trxId = trxIdOf();
    const { id } = await shop.create();
    await shop.submit(id, { trxId });
    expect(await send('smsgate', receiptText(trxId), options)).toMatchObject({
      status: 200,
      body: { status, reason },
    });
    expect((await shop.get(id)).status).toBe('submitted');
  });

  it('a forged receipt as the reference of a true one', async () => {
    const [forged, real] = [trxIdOf(), trxIdOf()];
    const { id } = await shop.create();
    await shop.submit(id, { trxId: forged });
    const reference = receiptText(forged, { balance: '9,999.00' });
    const answer = await send('smsgate', receiptText(real, { amount: '10.00', reference }));
    expect(answer.body.status).toBe('unmatched');
    expect((await shop.get(id)).status).toBe('submitted');
    expect(await shop.receiptOf(answer.body.receiptId!)).toMatchObject({ trxId: real, amount: 10 });
  });

  it('money that went out, a text that was cut, an encrypted one: each is kept with what it was taken for', async () => {
    const out = `Send Money Tk 500.00 to 01700000002 successful. Fee Tk 5.00. Balance Tk 4,479.65. TrxID ${trxIdOf()} at 20/03/2026 00:08`;
    for (let time = 0; time < 2; time += 1) {
      expect(await send('smsgate', out)).toMatchObject({
        status: 200,
        body: { status: 'ignored', reason: 'outgoing' },
      });
    }
    const [second, first] = await shop.messages();
    expect(first).toMatchObject({ fields: { kind: 'sent', amount: 500, counterparty: '01700000002' } });
    expect(first!.receiptId).toBe(second!.receiptId);
    expect(await shop.receiptOf(first!.receiptId!)).toMatchObject({ status: 'ignored', kind: 'sent' });
    expect(await send('smsgate', receiptText(trxIdOf()).slice(0, 80))).toMatchObject({
      body: { status: 'unread', reason: 'incomplete' },
    });
    const encrypted = await send('httpsms', 'b64', {
      change: (sent) => (sent.body = sent.body.replace('"encrypted":false', '"encrypted":true')),
    });
    expect(encrypted).toMatchObject({ status: 200, body: { status: 'unread', reason: 'encrypted' } });
  });

  it('a message to another account: agents are not sent money by customers', async () => {
    const agent = await service.openShop({
      wallets: [{ provider: 'bkash', number: '01700000005', accountType: 'agent' }],
    });
    expect(await send('smsgate', receiptText(trxIdOf()), { to: agent })).toMatchObject({
      body: { status: 'ignored', reason: 'agent_direction' },
    });
  });
});

describe('a body that cannot be read', () => {
  it.each([
    ['no JSON', '{"from":"b"Kash","text":"x"}', 'application/json'],
    ['no text', '{"from":"bKash"}', 'application/json'],
    ['a list', '[1]', 'application/json'],
    ['a form without text', 'from=bKash', 'application/x-www-form-urlencoded'],
  ])('%s is a 400, and kept', async (_what, body, type) => {
    const own = await service.openShop();
    const answer = await send('generic', 'x', {
      to: own,
      change: (sent) => Object.assign(sent, { body, headers: { 'Content-Type': type } }),
    });
    expect(answer.status).toBe(400);
    expect(await own.messages('status=unread')).toMatchObject([
      { reason: 'unreadable_body', text: body, receiptId: null },
    ]);
  });

  it('at the phone app’s door is kept, too', async () => {
    const own = await service.openShop();
    const answer = await own.receipt({ amount: 'much', trxId: 'ABCD1234' });
    expect(answer.status).toBe(400);
    const [message] = await own.messages('status=unread');
    expect(message?.text).toContain('ABCD1234');
  });

  it('of a stranger is not', async () => {
    const own = await service.openShop();
    const answer = await send('generic', 'x', {
      to: own,
      change: (sent) => Object.assign(sent, { url: `${sent.url}x`, body: '{' }),
    });
    expect(answer.status).toBe(401);
    expect(await own.messages()).toEqual([]);
  });
});

describe('messages', () => {
  it('are read again with today’s rules, and match as if they had just come', async () => {
    const own = await service.openShop();
    const trxId = trxIdOf();
    const { id } = await own.create();
    await own.submit(id, { trxId });
    const text = receiptText(trxId).replace('You have received', 'You have got');
    expect((await send('smsgate', text, { to: own })).body).toMatchObject({
      status: 'unread',
      reason: 'no_rule',
    });
    const reread = async () =>
      (await own.http.post(`/api/v1/stores/${own.store.id}/messages/reread`, undefined, await own.admin()))
        .body;
    expect(await reread()).toEqual({ read: 1, receipts: 0, ignored: 0, unread: 1 });
    const rules = WALLETS.find('bkash')!.messages!.rules as unknown as { name: string; start: string }[];
    const added = {
      ...rules.find(({ name }) => name === 'send_money')!,
      name: 'send_money_2',
      start: 'You have got {amount} from {phone}',
    };
    rules.push(added);
    const { messages: known } = WALLETS.find('bkash')! as { messages: object };
    Object.assign(WALLETS.find('bkash')!, { messages: { ...known } });
    try {
      expect(await reread()).toEqual({ read: 1, receipts: 1, ignored: 0, unread: 0 });
      expect(await reread()).toEqual({ read: 0, receipts: 0, ignored: 0, unread: 0 });
      const seen: number[] = [];
      const all = await rereadAllStores(service.test.app, ({ stores }) => seen.push(stores));
      expect(all.stores).toBe(seen.at(-1));
      expect(all).toMatchObject({ receipts: 0, read: all.unread + all.ignored });
    } finally {
      rules.pop();
      Object.assign(WALLETS.find('bkash')!, { messages: known });
    }
    expect((await own.get(id)).status).toBe('verified');
    const [message] = await own.messages();
    expect(message).toMatchObject({ status: 'receipt', text, rule: { name: 'bkash.send_money_2' } });
    const one = await own.http.get(
      `/api/v1/stores/${own.store.id}/messages/${message!.id}`,
      await own.admin(),
    );
    expect(one.body).toEqual(message);
  });

  it('are tried without being kept', async () => {
    const body = { sender: 'bKash', text: receiptText('DIJ3MXAHCJ') };
    const tried = await shop.http.post('/api/v1/sms/parse', body, await shop.admin());
    expect(tried).toMatchObject({
      status: 200,
      body: {
        status: 'receipt',
        reason: null,
        provider: 'bkash',
        rule: { version: 1 },
        fields: { trxId: 'DIJ3MXAHCJ', amount: 500 },
      },
    });
    const agent = await shop.http.post(
      '/api/v1/sms/parse',
      { ...body, accountType: 'agent' },
      await shop.admin(),
    );
    expect(agent.body).toMatchObject({ status: 'ignored', reason: 'agent_direction' });
    expect((await shop.http.post('/api/v1/sms/parse', body)).status).toBe(401);
  });

  it('of another store are not there', async () => {
    const own = await service.openShop();
    const [message] = await shop.messages();
    const answer = await own.http.get(
      `/api/v1/stores/${own.store.id}/messages/${message!.id}`,
      await own.admin(),
    );
    expect(answer).toMatchObject({ status: 404, body: { code: 'message.not_found' } });
  });
});

describe('a balance that does not add up', () => {
  const pay = async (of: Shop, balance: string, amount = '500.00') => {
    const trxId = trxIdOf();
    const { id } = await of.create();
    await of.submit(id, { trxId });
    const { body } = await send('smsgate', receiptText(trxId, { balance, amount }), { to: of });
    return {
      payment: await of.get(id),
      receipt: (await of.receiptOf(body.receiptId!)) as unknown as { flags: string[] },
    };
  };

  it('goes to review below its own amount, and a broken chain is noted', async () => {
    const own = await service.openShop();
    expect(await pay(own, '400.00')).toMatchObject({
      payment: { status: 'review', reviewReason: 'flagged' },
      receipt: { flags: ['balance_below_amount'] },
    });
    expect(await pay(own, '900.00')).toMatchObject({
      payment: { status: 'verified' },
      receipt: { flags: [] },
    });
    expect(await pay(own, '9,900.00')).toMatchObject({
      payment: { status: 'verified' },
      receipt: { flags: ['balance_gap'] },
    });
  });
});

describe('the phone', () => {
  it('is shown with what it said of itself, and what its clock is off by', async () => {
    const own = await service.openShop();
    const at = new Date(service.clock.now().getTime() + 300_000).toISOString();
    const beat = await own.http.post(
      '/api/webhooks/joma/heartbeat',
      { app: 'joma-phone', battery: 86.6, pending: 2, at },
      own.store.phone,
    );
    expect(beat.status).toBe(204);
    const { body } = await own.http.get<{ phone: Record<string, unknown> }>(
      `/api/v1/stores/${own.store.id}`,
      await own.admin(),
    );
    expect(body.phone).toMatchObject({
      app: 'joma-phone',
      battery: 87,
      pending: 2,
      silent: false,
      clockOffsetSeconds: 300,
    });
  });

  it('is silent once payments wait and nothing is heard, and speaks again with its next sign', async () => {
    const own = await service.openShop();
    const phone = async () =>
      (
        await own.http.get<{ phone: { silent: boolean } }>(
          `/api/v1/stores/${own.store.id}`,
          await own.admin(),
        )
      ).body.phone;
    const watch = () => service.test.app.get(PhoneWatch).round();
    const { id } = await own.create();
    await own.submit(id, { trxId: trxIdOf() });
    await watch();
    expect(await phone()).toMatchObject({ silent: false });
    service.clock.advance(16 * 60_000);
    await watch();
    expect(await phone()).toMatchObject({ silent: true });
    const metrics = await service.test.http.get('/metrics');
    expect(metrics.text).toMatch(/^joma_silent_phones [1-9]/m);
    await send('smsgate', 'Eid Mubarak!', { to: own });
    expect(await phone()).toMatchObject({ silent: false });
  });
});

describe('a payer who mixes up O and 0', () => {
  it('is asked to look again when exactly this money waits, and told no id; nothing is matched', async () => {
    const trxId = 'O1XKMAHCJ9';
    const typed = trxId.replace('O', '0').replace('1', 'I');
    const { id } = await shop.create();
    await shop.submit(id, { trxId: typed });
    const page = async () => (await shop.http.get(`/pay/${id}?lang=en`)).text;
    expect(await page()).not.toContain('Did you mean');
    const other = receiptText(`OI${trxId.slice(2)}`, { amount: '499.00' });
    await send('smsgate', other);
    expect(await page()).not.toContain('Did you mean');
    expect((await send('smsgate', receiptText(trxId))).body.status).toBe('unmatched');
    expect(await page()).toContain('Did you mean another letter?');
    expect(await page()).not.toContain(trxId);
    expect((await shop.get(id)).status).toBe('submitted');
    await shop.submit(id, { trxId });
    expect(await page()).not.toContain('Did you mean');
    expect((await shop.get(id)).status).toBe('verified');
  });
});
