import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextTrxId } from '../../support/checkout-scene.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  type DashboardScene,
  MERCHANT,
  startDashboardScene,
  STRANGER,
} from '../../support/dashboard-scene.js';

/*
 * Rules: contract 3.36, 3.47, 4.44, 4.98, 9.3, 9.14, 10.16, 10.17, 10.18, 10.20, 10.21, 10.24, 10.33 to 10.35, 15.14,
 * 15.15.
 *
 * Goal: messages, the phone and the members of a store are handled in the dashboard as by the API, by whoever has the
 * role, and by nobody else (contract 9.3, 10.16 and 15.1). Method: forms as a browser without a script sends them;
 * what they did is asked of the API.
 */

const READ = {
  from: 'bKash',
  text: 'You have received Tk 500.00 from 01700000002. Fee Tk 0.00. Balance Tk 1,504.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
};
const UNREADABLE = { from: 'bKash', text: 'You have received Tk 500.00 from <b>shiny</b> & Co. Fee Tk' };

let scene: DashboardScene;
let owner: DashboardBrowser;

beforeAll(async () => {
  scene = await startDashboardScene();
  owner = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
});
afterAll(() => scene.close());

const inStore = (path: string) => `/dashboard/stores/${scene.store.id}/${path}?lang=en`;
const overview = () => inStore('').replace('/?', '?');
const send = (browser: DashboardBrowser, path: string, fields: Record<string, string> = {}) =>
  browser.request('POST', inStore(path), { fields, withToken: true });
const forward = (body: object) =>
  scene.one.http.post<{ messageId?: string; receiptId?: string }>(
    '/api/webhooks/joma/sms',
    body,
    scene.store.phone,
  );
const textOf = (page: string) =>
  page
    .slice(page.indexOf('<main'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
const audit = async () =>
  (
    await scene.one.http.get<{ data: { action: string; details: Record<string, unknown> }[] }>(
      `/api/v1/stores/${scene.store.id}/audit-log?limit=100`,
      scene.merchant,
    )
  ).body.data;

describe('wallets', () => {
  const own = () =>
    scene.one.http.get<{ wallets: { provider: string; number: string | null }[] }>(
      `/api/v1/stores/${scene.store.id}`,
      scene.merchant,
    );
  const add = (provider: string, number: string) =>
    send(owner, 'wallets', { provider, number, accountType: 'personal' });
  const codes = async () => (await own()).body.wallets.map(({ provider }) => provider);

  it('added by several at the same moment are all there', async () => {
    const before = await codes();
    const answers = await Promise.all([
      add('upay', '01812345601'),
      add('rocket', '018123456023'),
      add('tap', '01812345604'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await codes()).sort()).toEqual([...before, 'upay', 'rocket', 'tap'].sort());
  });

  it('are not changed by a form that was drawn for another one', async () => {
    const list = async () => (await own()).body.wallets.map(({ number }) => number);
    const before = await list();
    const mine = '018123456023';
    const at = before.indexOf(mine);
    const page = await owner.request('GET', inStore(`wallets/${at}`));
    const [, was = ''] = /name="was" value="([^"]+)"/.exec(page.text) ?? [];
    expect(was).not.toBe('');
    // Somebody else moves it meanwhile.
    expect((await send(owner, `wallets/${at}/up`)).status).toBe(303);
    const fields = {
      was,
      provider: 'rocket',
      number: '018123456031',
      accountType: 'personal',
      enabled: 'yes',
    };
    expect((await send(owner, `wallets/${at}`, fields)).status).toBe(404);
    expect((await send(owner, `wallets/${at}/remove`, { was, _confirmed: 'yes' })).status).toBe(404);
    expect([...(await list())].sort()).toEqual([...before].sort());
    expect((await send(owner, `wallets/${at - 1}/remove`, { was, _confirmed: 'yes' })).status).toBe(303);
    expect(await list()).toEqual(before.filter((number) => number !== mine));
  });
});

describe('a refund', () => {
  it('is recorded once however often its form is sent, and again with another form', async () => {
    const paymentId = await scene.createPayment();
    const trxId = nextTrxId();
    await scene.submit(paymentId, { trxId });
    await scene.receive({ trxId });
    const drawn = async () => {
      const { text } = await owner.request('GET', inStore(`payments/${paymentId}`));
      return /name="once" value="([^"]+)"/.exec(text)?.[1] ?? '';
    };
    const once = await drawn();
    expect(once).not.toBe('');
    const press = (form: string, amount: string) =>
      send(owner, `payments/${paymentId}/refund`, { once: form, amount });
    const refunded = async () =>
      (await scene.one.http.get<{ refundedAmount: number }>(`/api/v1/payments/${paymentId}`, scene.store.key))
        .body.refundedAmount;
    const answers = await Promise.all([press(once, '10'), press(once, '10'), press(once, '10')]);
    expect(answers.map(({ status }) => status)).toContain(303);
    expect((await press(once, '10')).status).toBe(303);
    expect(await refunded()).toBe(10);
    expect((await press(once, '11')).status).toBe(303);
    expect((await press(await drawn(), '10')).status).toBe(303);
    expect(await refunded()).toBe(31);
  });

  it('is not the only deed about money that names who did it: a user who cancels does, too', async () => {
    const paymentId = await scene.createPayment({ amount: 1300 });
    const cancel = `/api/v1/stores/${scene.store.id}/payments/${paymentId}/cancel`;
    expect((await scene.one.http.post(cancel, {}, scene.merchant)).status).toBe(200);
    const other = await scene.createPayment();
    expect((await send(owner, `payments/${other}/cancel`, { _confirmed: 'yes' })).status).toBe(303);
    const byKey = await scene.createPayment();
    await scene.one.http.post(`/api/v1/payments/${byKey}/cancel`, {}, scene.store.key);
    const lines = (await audit()).filter(({ action }) => action === 'payment.cancelled');
    expect(lines.map(({ details }) => details['paymentId'])).toEqual([other, paymentId]);
    expect(lines[1]).toMatchObject({ details: { status: { before: 'pending', after: 'cancelled' } } });
    const inReview = await scene.createPayment({ amount: 700 });
    const trxId = nextTrxId();
    await scene.submit(inReview, { trxId });
    await scene.receive({ trxId, amount: 699 });
    await scene.one.http.post(`/api/v1/payments/${inReview}/cancel`, { receipt: 'void' }, scene.store.key);
    const page = await owner.request('GET', `${inStore('audit')}&action=payment.cancelled`);
    expect(textOf(page.text)).toMatch(/payment\.cancelled\s+The API key/);
  });
});

describe('messages', () => {
  it('stand with what nobody could read first, and lead to the receipt', async () => {
    const { messageId = '' } = (await forward(UNREADABLE)).body;
    const { receiptId = '' } = (await forward(READ)).body;
    const list = await owner.request('GET', inStore('messages'));
    const text = textOf(list.text);
    expect(text.indexOf('was cut off')).toBeGreaterThan(0);
    expect(text.indexOf('was cut off')).toBeLessThan(text.indexOf('You have received Tk 500.00'));
    expect(list.text).toContain(`/messages/${messageId}"`);
    expect(list.text).toContain('from &lt;b&gt;shiny&lt;/b&gt; &amp; Co');

    const read = await owner.request('GET', `${inStore('messages')}&status=receipt`);
    expect(read.text).not.toContain('shiny');
    const [, address = ''] = /href="([^"]*\/messages\/[0-9a-f-]{36})"/.exec(read.text) ?? [];
    const one = await owner.request('GET', `${address}?lang=en`);
    expect(one.text).toContain(`/receipts/${receiptId}"`);
    expect(textOf(one.text)).toMatch(/bkash\.\w+[^]*DIJ3MXAHCJ/);
    expect((await owner.request('GET', `${inStore('messages')}&status=nothing`)).status).toBe(400);
    expect((await owner.request('GET', inStore(`messages/${scene.store.id}`))).status).toBe(404);
  });

  it('are counted on the overview while nobody could read them', async () => {
    const text = textOf((await owner.request('GET', overview())).text);
    expect(text).toMatch(/Unread messages 1\b/);
  });

  it('are read again on demand, and the outcome is said', async () => {
    const answer = await send(owner, 'messages/reread');
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(
      /role="status"[^]*Read again: 1 · receipts 0 · no receipts 0 · still unread 1/,
    );
  });

  it('can be tried, which keeps nothing', async () => {
    const count = async () =>
      (
        await scene.one.http.get<{ data: unknown[] }>(
          `/api/v1/stores/${scene.store.id}/messages?limit=100`,
          scene.merchant,
        )
      ).body.data.length;
    const before = await count();
    const answer = await send(owner, 'messages/try', {
      sender: READ.from,
      text: READ.text.replace('500', '777'),
    });
    expect(answer.status).toBe(200);
    expect(textOf(answer.text)).toMatch(/Receipt[^]*৳777\.00[^]*DIJ3MXAHCJ/);
    // In the other language the page is shown again, not what was done: nobody can ask for an action's address.
    expect(answer.text).toContain(`href="/dashboard/stores/${scene.store.id}/messages?lang=bn"`);
    const odd = await send(owner, 'messages/try', { sender: 'bKashh', text: READ.text });
    expect(textOf(odd.text)).toContain('only looks like a wallet');
    expect(odd.text).toContain('value="bKashh"');
    const wrong = await send(owner, 'messages/try', { sender: 'x'.repeat(201), text: READ.text });
    expect([wrong.status, wrong.text.includes('aria-invalid="true"')]).toEqual([400, true]);
    expect(await count()).toBe(before);
  });
});

describe('the phone', () => {
  it('is connected with settings whose secret is shown after a press, which is written down', async () => {
    const hidden = await owner.request('GET', inStore('phone'));
    expect(hidden.text).not.toContain(scene.store.webhookSecret);
    expect(textOf(hidden.text)).toContain('Connected: messages are received.');
    for (const app of [
      'Incoming SMS to URL',
      'SMSGate',
      'httpSMS',
      'textbee',
      'SmsForwarder',
      'Any other app',
    ])
      expect(hidden.text).toContain(app);
    expect(hidden.text).toContain(`/api/webhooks/joma/sms?store=${scene.store.id}`);
    expect(hidden.text).not.toContain('data-qr=');
    const views = async () =>
      (await audit()).filter(({ action }) => action === 'webhook_secret.viewed').length;
    const before = await views();
    const shown = await send(owner, 'phone/show');
    expect(shown.text).toContain(scene.store.webhookSecret);
    expect(shown.text.match(/data-qr=/g)).toHaveLength(6);
    expect(await views()).toBe(before + 1);
  });

  it('says how it is', async () => {
    const at = new Date(scene.clock.now().getTime() - 90_000).toISOString();
    const beat = { app: 'joma-phone', battery: 41, pending: 3, at };
    expect((await scene.one.http.post('/api/webhooks/joma/heartbeat', beat, scene.store.phone)).status).toBe(
      204,
    );
    const text = textOf((await owner.request('GET', inStore('phone'))).text);
    expect(text).toMatch(/joma-phone[^]*41%[^]*3[^]*90 seconds slow/);
  });
});

describe('receipts', () => {
  const statusOf = async (receiptId: string) =>
    (
      await scene.one.http.get<{ status: string }>(
        `/api/v1/stores/${scene.store.id}/receipts/${receiptId}`,
        scene.merchant,
      )
    ).body.status;

  it('are voided with a reason, listed as such, and restored', async () => {
    const receiptId = await scene.receive({ trxId: nextTrxId(), amount: 4321 });
    const page = `receipts/${receiptId}`;
    const without = await send(owner, `${page}/void`, { reason: ' ' });
    expect([without.status, await statusOf(receiptId)]).toEqual([400, 'unmatched']);
    expect((await send(owner, `${page}/void`, { reason: 'It was rent.' })).status).toBe(303);
    expect(await statusOf(receiptId)).toBe('void');
    const list = (await owner.request('GET', `${inStore('receipts')}&status=void`)).text;
    expect(list).toContain(`/receipts/${receiptId}"`);
    expect((await owner.request('GET', inStore('receipts'))).text).not.toContain(`/receipts/${receiptId}"`);
    const voided = textOf((await owner.request('GET', inStore(page))).text);
    expect(voided).toContain('Restore');
    expect(voided).not.toContain('Whose is it?');
    expect((await send(owner, `${page}/restore`, { reason: 'It was no rent.' })).status).toBe(303);
    expect(await statusOf(receiptId)).toBe('unmatched');
    expect((await send(owner, `${page}/restore`, { reason: 'Again.' })).status).toBe(409);
  });

  it('propose payments with why, and keep what was typed when there is no such payment', async () => {
    const paymentId = await scene.createPayment({ amount: 876, customerPhone: '01700000009' });
    const receiptId = await scene.receive({ trxId: nextTrxId(), amount: 876 });
    const page = await owner.request('GET', inStore(`receipts/${receiptId}`));
    expect(textOf(page.text)).toMatch(/৳876\.00[^]*same amount, same phone/);
    expect(page.text).toContain(`value="${paymentId}"`);
    const typed = { otherPaymentId: scene.store.id, reason: 'She called.' };
    const wrong = await send(owner, `receipts/${receiptId}/match`, typed);
    expect([wrong.status, wrong.text.includes('value="She called."')]).toEqual([404, true]);
    const right = await send(owner, `receipts/${receiptId}/match`, { paymentId, reason: 'She called.' });
    expect(right.headers.get('location')).toBe(
      `/dashboard/stores/${scene.store.id}/payments/${paymentId}?done=matched`,
    );
  });
});

describe('a review', () => {
  const paymentOf = async (paymentId: string) =>
    (
      await scene.one.http.get<{ status: string; reviewReason: string | null; trxId: string | null }>(
        `/api/v1/payments/${paymentId}`,
        scene.store.key,
      )
    ).body;

  it('of several payments over one receipt shows them together, and who would get it', async () => {
    const trxId = nextTrxId();
    const quiet = await scene.createPayment({ amount: 611, customerName: 'Nobody' });
    const named = await scene.createPayment({
      amount: 611,
      customerName: 'Shila',
      customerPhone: '01700000009',
    });
    for (const paymentId of [quiet, named]) await scene.submit(paymentId, { trxId });
    const receiptId = await scene.receive({ trxId, amount: 611 });
    expect((await paymentOf(quiet)).reviewReason).toBe('ambiguous');

    const review = await owner.request('GET', inStore('review'));
    expect(textOf(review.text)).toContain('2 payments over the same money');
    expect(review.text.split(`/receipts/${receiptId}"`)).toHaveLength(2);
    const one = await owner.request('GET', inStore(`payments/${quiet}`));
    expect(textOf(one.text)).toMatch(/It would go to[^]*Shila/);
    expect(one.text).not.toMatch(/type="radio"[^>]*checked/);

    const unsaid = await send(owner, `payments/${quiet}/approve`, { reason: 'Paid.' });
    expect(unsaid.status).toBe(400);
    expect(textOf(unsaid.text)).toContain('Choose the receipt that belongs to it.');
    expect(unsaid.text).toContain('value="Paid."');
    const decision = { reason: 'A slip.', receipt: 'release' };
    expect((await send(owner, `payments/${quiet}/reject`, decision)).status).toBe(303);
    expect((await paymentOf(quiet)).status).toBe('cancelled');
    expect(await paymentOf(named)).toMatchObject({ status: 'verified', trxId });
  });

  it('of one payment with two receipts shows both, and takes the one that is chosen', async () => {
    const [first, second] = [nextTrxId(), nextTrxId()];
    const paymentId = await scene.createPayment({ amount: 622 });
    await scene.submit(paymentId, { trxId: first });
    await scene.receive({ trxId: first, amount: 600 });
    const receiptId = await scene.receive({ trxId: second, amount: 622 });
    await scene.submit(paymentId, { trxId: second });
    const page = textOf((await owner.request('GET', inStore(`payments/${paymentId}`))).text);
    expect(page).toMatch(/Which receipt is this payment’s\?/);
    expect(page).toContain('Another receipt that fits');
    for (const trxId of [first, second]) expect(page).toContain(trxId);
    const done = await send(owner, `payments/${paymentId}/approve`, { reason: 'The second.', receiptId });
    expect(done.status).toBe(303);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'verified', trxId: second });
  });

  it('is decided by what the form showed: after another user’s decision it is asked again', async () => {
    const trxId = nextTrxId();
    const [quiet, named] = await Promise.all([
      scene.createPayment({ amount: 644 }),
      scene.createPayment({ amount: 644, customerPhone: '01700000009' }),
    ]);
    for (const paymentId of [quiet, named]) await scene.submit(paymentId, { trxId });
    const receiptId = await scene.receive({ trxId, amount: 644 });
    // Two users have the pages open at the same moment.
    const shown = (await owner.request('GET', inStore(`payments/${quiet}`))).text;
    const [, name, seen] = /name="(seen-[^"]+)" value="([^"]+)"/.exec(shown)!;
    expect(name).toBe(`seen-${quiet}`);
    expect((await send(owner, `payments/${named}/approve`, { reason: 'Hers.', receiptId })).status).toBe(303);
    for (const action of ['approve', 'reject', 'cancel']) {
      const form = { reason: 'His.', receiptId: 'none', [name!]: seen!, _confirmed: 'yes' };
      const refused = await send(owner, `payments/${quiet}/${action}`, form);
      expect(refused.status).toBe(409);
      expect(textOf(refused.text)).toContain('The payment has changed since this page was opened.');
    }
    expect(await paymentOf(quiet)).toMatchObject({ status: 'review', reviewReason: 'trx_id_used' });
    // The page as it is now carries what it shows now; without a receipt only by choice.
    const again = (await owner.request('GET', inStore(`payments/${quiet}`))).text;
    const now = /name="seen-[^"]+" value="([^"]+)"/.exec(again)![1]!;
    const form = { reason: 'Cash.', [name!]: now, choice: 'required' };
    expect((await send(owner, `payments/${quiet}/approve`, form)).status).toBe(400);
    expect((await send(owner, `payments/${quiet}/approve`, { ...form, receiptId: 'none' })).status).toBe(303);
    expect((await paymentOf(quiet)).status).toBe('verified');
  });

  it('can end with a receipt that is void; a cancelled one asks first and says nothing of it by itself', async () => {
    const short = async () => {
      const trxId = nextTrxId();
      const paymentId = await scene.createPayment({ amount: 633 });
      await scene.submit(paymentId, { trxId });
      return { paymentId, receiptId: await scene.receive({ trxId, amount: 600 }) };
    };
    const receiptOf = async (receiptId: string) =>
      textOf((await owner.request('GET', inStore(`receipts/${receiptId}`))).text);
    const rejected = await short();
    const decision = { reason: 'Sent back.', receipt: 'void' };
    expect((await send(owner, `payments/${rejected.paymentId}/reject`, decision)).status).toBe(303);
    expect(await receiptOf(rejected.receiptId)).toMatch(/৳600\.00 Void/);

    const cancelled = await short();
    const asked = await send(owner, `payments/${cancelled.paymentId}/cancel`, {
      receipt: 'leave',
      reason: '',
    });
    expect([asked.status, asked.text.includes('name="receipt" value="leave"')]).toEqual([200, true]);
    const said = { receipt: 'leave', reason: '', _confirmed: 'yes' };
    expect((await send(owner, `payments/${cancelled.paymentId}/cancel`, said)).status).toBe(303);
    expect(await receiptOf(cancelled.receiptId)).toMatch(/৳600\.00 Unclaimed/);
  });
});

describe('members', () => {
  it('are added, changed and removed by the owner, and each change is in force at once', async () => {
    const other = await DashboardBrowser.signIn(scene.one.http.url, STRANGER);
    expect((await other.request('GET', inStore('messages'))).status).toBe(404);

    const unknown = await send(owner, 'members', { email: 'nobody@example.com', role: 'viewer' });
    expect([unknown.status, unknown.text.includes('value="nobody@example.com"')]).toEqual([404, true]);
    expect(unknown.text).toContain('role="alert"');
    expect((await send(owner, 'members', { email: STRANGER.email, role: 'viewer' })).status).toBe(303);
    expect((await send(owner, 'members', { email: STRANGER.email, role: 'viewer' })).status).toBe(409);

    const list = await owner.request('GET', inStore('members'));
    const [, userId = ''] =
      new RegExp(`/members/([0-9a-f-]{36})"[^]{0,600}${STRANGER.email}`).exec(list.text) ?? [];
    expect(textOf(list.text)).toMatch(new RegExp(`${STRANGER.name} Viewer[^]*${MERCHANT.name} Owner`));

    expect((await other.request('GET', inStore('messages'))).text).not.toContain('messages/reread');
    expect((await send(other, 'messages/reread')).status).toBe(403);
    expect((await send(other, 'phone/show')).status).toBe(403);
    expect((await other.request('GET', inStore('members'))).status).toBe(403);
    expect((await other.request('GET', overview())).text).not.toContain('>Members<');

    expect((await send(owner, `members/${userId}`, { role: 'manager' })).status).toBe(303);
    const asManager = await other.request('GET', inStore('members'));
    expect(asManager.status).toBe(200);
    expect(asManager.text).not.toContain('name="email"');
    expect((await send(other, 'members', { email: STRANGER.email, role: 'viewer' })).status).toBe(403);
    expect((await send(other, `members/${userId}/remove`, { _confirmed: 'yes' })).status).toBe(403);
    expect((await send(other, 'phone/show')).text).toContain(scene.store.webhookSecret);

    const asked = await send(owner, `members/${userId}/remove`);
    expect([asked.status, asked.text.includes('>Confirm<') || asked.text.includes('Confirm')]).toEqual([
      200,
      true,
    ]);
    expect((await other.request('GET', inStore('members'))).status).toBe(200);
    expect((await send(owner, `members/${userId}/remove`, { _confirmed: 'yes' })).status).toBe(303);
    expect((await other.request('GET', inStore('members'))).status).toBe(404);
    const actions = (await audit()).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['member.added', 'member.changed', 'member.removed']));
  });

  it('have the owner among them, who stays', async () => {
    const me = await scene.one.http.get<{ id: string }>('/api/v1/auth/me', scene.merchant);
    const page = await owner.request('GET', inStore(`members/${me.body.id}`));
    expect(textOf(page.text)).toContain('cannot be changed or removed');
    expect((await send(owner, `members/${me.body.id}`, { role: 'viewer' })).status).toBe(409);
  });
});

describe('amounts of their own', () => {
  const turn = (uniqueAmounts: boolean) =>
    scene.one.http.request('PATCH', `/api/v1/stores/${scene.store.id}`, {
      headers: scene.merchant,
      body: { uniqueAmounts },
    });

  it('are what a simulated receipt brings, and stand beside what was asked', async () => {
    await turn(true);
    const id = await scene.createPayment({ amount: 500 });
    const payment = async () =>
      (
        await scene.one.http.get<{ status: string; payAmount: number }>(
          `/api/v1/payments/${id}`,
          scene.store.key,
        )
      ).body;
    const { payAmount } = await payment();
    const text = textOf((await owner.request('GET', inStore(`payments/${id}`))).text);
    expect(text).toContain(`To be sent ৳${payAmount.toFixed(2)}`);
    await send(owner, `payments/${id}/simulate`, { provider: 'bkash', trxId: 'SIM0WNAM01' });
    expect((await payment()).status).toBe('verified');
    await turn(false);
  });

  it('that have run out are told on the overview and beside the setting', async () => {
    const told = async () =>
      Promise.all(
        [overview(), inStore('settings')].map(async (page) =>
          textOf((await owner.request('GET', page)).text).includes('payments of ৳9,99,99,999.99: some got'),
        ),
      );
    expect(await told()).toEqual([false, false]);
    await turn(true);
    // Nothing is above the highest amount there is.
    await scene.createPayment({ amount: 99_999_999.99 });
    expect(await told()).toEqual([true, true]);
    await turn(false);
  });
});
