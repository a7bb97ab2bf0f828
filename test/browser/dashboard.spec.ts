import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nextTrxId } from '../support/checkout-scene.js';
import {
  type DashboardScene,
  MERCHANT,
  signInOnPage,
  startDashboardScene,
} from '../support/dashboard-scene.js';
import {
  keepScreenshot,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  Visits,
  weightOf,
} from '../support/page-visit.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 10.1, 10.3 to 10.5, 10.9, 10.10, 10.16, 10.20 to 10.27, 10.34, 14.59.
 *
 * Goal: what a shop does all day is done with the dashboard, with and without a script, on a phone and on a desk
 * (contract 10.1). Method: a real browser against two replicas; controls and fields by the names that the contract
 * gives them.
 */

let scene: DashboardScene;
let other: TestApp;
const visits = new Visits();

beforeAll(async () => {
  scene = await startDashboardScene();
  other = await startTestApp({ clock: scene.clock, database: scene.one.database });
});
afterAll(async () => {
  await other.close();
  await scene.close();
});
afterEach(async () => {
  expect(await visits.finish()).toEqual([]);
});

const inStore = (path: string) => `/dashboard/stores/${scene.store.id}/${path}`;
const press = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('button', { name })
    .or(page.getByRole('main').getByRole('link', { name }))
    .first()
    .click();
const message = (page: Page) => page.locator('main > [role=alert], main > [role=status]').innerText();

describe.each([
  ['with a script, on a phone', { javaScriptEnabled: true, viewport: PHONE }],
  ['without a script, on a phone', { javaScriptEnabled: false, viewport: PHONE }],
  [
    'without a script, on a desk in the dark',
    { javaScriptEnabled: false, colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  ],
] as const)('%s', (_name, options) => {
  const open = async (expectedStatuses: number[] = []) => {
    const { page } = await visits.start(scene.one.http.url, {
      locale: 'en-GB',
      ...options,
      expectedStatuses,
    });
    await signInOnPage(page, MERCHANT);
    return page;
  };

  it('a wrong password is said, and what was typed stays', async () => {
    const { page } = await visits.start(scene.one.http.url, {
      locale: 'en-GB',
      ...options,
      expectedStatuses: [401],
    });
    await page.goto('/dashboard');
    await page.getByLabel('E-mail').fill(MERCHANT.email);
    await page.getByLabel('Password').fill('not my password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await message(page)).toContain('wrong');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(MERCHANT.email);
    await page.getByLabel('Password').fill(MERCHANT.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.locator('h1').innerText()).toBe('Overview');
  });

  it('a payment is created, simulated and verified', async () => {
    const page = await open([400]);
    await page.goto(inStore('payments'));
    await press(page, 'Create payment');
    await page.getByLabel('Amount').fill('10.555');
    await page.getByLabel('Customer name').fill('Rahim Uddin');
    await press(page, 'Create payment');
    expect(await page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Customer name').inputValue()).toBe('Rahim Uddin');
    await page.getByLabel('Amount').fill('১,২৫০');
    await press(page, 'Create payment');
    await page.getByLabel('TrxID').fill(nextTrxId());
    await press(page, 'Simulate receipt');
    await expect.poll(() => page.locator('main').innerText()).toContain('Verified');
    expect(await page.locator('main').innerText()).toContain('Simulated');
  });

  it('a review is decided, with payment and receipt side by side', async () => {
    const trxId = nextTrxId();
    const paymentId = await scene.createPayment();
    await scene.submit(paymentId, { trxId, provider: 'bkash' });
    await scene.receive({ trxId, amount: 1200 });
    const page = await open();
    await page.goto(inStore('review'));
    const card = page.locator('article', { hasText: trxId });
    expect(await card.innerText()).toMatch(/Less money[^]*1,250\.00[^]*1,200\.00/);
    await card.getByRole('link', { name: 'Decide' }).click();
    await page.getByLabel('Reason').fill('The rest was paid in cash.');
    await press(page, 'Approve');
    expect(await message(page)).toContain('Approved');
    expect(await page.locator('main').innerText()).toContain('Verified');
  });

  it('a stray receipt is matched to the payment that is proposed', async () => {
    const receiptId = await scene.receive({ trxId: nextTrxId(), amount: 777 });
    const paymentId = await scene.createPayment({ amount: 777, customerName: 'Shila' });
    const page = await open();
    await page.goto(inStore(`receipts/${receiptId}`));
    expect(await page.getByLabel('Payment', { exact: true }).inputValue()).toBe(paymentId);
    await page.getByLabel('Reason').fill('She sent a screenshot.');
    await press(page, 'Match');
    expect(page.url()).toContain(paymentId);
    expect(await message(page)).toContain('Matched');
  });

  it('what cannot be undone is asked once more', async () => {
    const paymentId = await scene.createPayment();
    const page = await open();
    await page.goto(inStore(`payments/${paymentId}`));
    await press(page, 'Cancel');
    expect(await page.locator('main').innerText()).toContain('cannot be opened again');
    await press(page, 'Confirm');
    expect(await message(page)).toContain('cancelled');
  });

  it('secrets are shown after a press, which is written down', async () => {
    const page = await open();
    await page.goto(inStore('developers'));
    expect(await page.content()).not.toContain(scene.store.webhookSecret);
    await page.getByRole('button', { name: 'Show: Webhook secret' }).click();
    expect(await page.locator('main').innerText()).toContain(scene.store.webhookSecret);
    await page.goto(inStore('audit'));
    expect(await page.locator('main').innerText()).toContain('webhook_secret.viewed');
  });

  it('a wallet is added and found wrong where it is wrong', async () => {
    const page = await open([400]);
    await page.goto(inStore('wallets'));
    await page.getByLabel('Wallet').selectOption('nagad');
    await page.getByLabel('Number').fill(`018${String(Date.now()).slice(-8)}`);
    await page.getByLabel('Account type').selectOption('merchant');
    await press(page, 'Add');
    expect(await message(page)).toContain('Added');
  });

  it('speaks Bangla when it is asked to', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'বাংলা' }).click();
    expect(await page.locator('h1').innerText()).toBe('সারাংশ');
    await page.goto(inStore('payments'));
    expect(await page.locator('html').getAttribute('lang')).toBe('bn');
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.locator('h1').innerText()).toBe('Payments');
  });
});

describe('in Bangla, in the dark, on a desk and without a script', () => {
  const open = async () => {
    const { page } = await visits.start(scene.one.http.url, {
      locale: 'bn-BD',
      colorScheme: 'dark',
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 800 },
    });
    await signInOnPage(page, MERCHANT);
    return page;
  };
  const send = (page: Page, action: string) =>
    page.locator(`form[action$="${action}"] button`).first().click();

  it('a new merchant comes from a store to a verified payment', async () => {
    const page = await open();
    await page.goto('/dashboard/stores/new');
    await page.locator('[name=name]').fill('মিরপুর বই ঘর');
    await send(page, '/stores/new');
    await page.locator('main a.primary').click();
    const overview = page.url();
    const follow = async (step: string) => {
      await page.goto(overview);
      await page.getByRole('main').getByRole('link', { name: step }).click();
    };
    await follow('ওয়ালেটে টাকা নেবেন');
    await page.locator('form[action$="/wallets"] [name=provider]').selectOption('bkash');
    await page.locator('form[action$="/wallets"] [name=number]').fill(`017${String(Date.now()).slice(-8)}`);
    await send(page, '/wallets');
    expect(await message(page)).toContain('যোগ হয়েছে');
    await follow('ওয়ালেটের বার্তা আসে');
    await send(page, '/phone/show');
    expect(await page.locator('main').innerText()).toMatch(/joma_wh_[\w-]{10,}/);
    await follow('পরীক্ষামূলক প্রথম পেমেন্ট');
    await page.locator('[name=amount]').fill('১,২৫০');
    await send(page, '/payments/new');
    await page.locator('[name=trxId]').fill(nextTrxId());
    await send(page, '/simulate');
    expect(await page.locator('main').innerText()).toContain('যাচাই হয়েছে');
  });

  it('a review is decided and a stray receipt is matched', async () => {
    const trxId = nextTrxId();
    const paymentId = await scene.createPayment({ amount: 941 });
    await scene.submit(paymentId, { trxId, provider: 'bkash' });
    await scene.receive({ trxId, amount: 900 });
    const page = await open();
    await page.goto(inStore('review'));
    await page.locator('article', { hasText: trxId }).getByRole('link', { name: 'সিদ্ধান্ত দিন' }).click();
    await page.getByLabel('কারণ').fill('বাকিটা নগদে দিয়েছেন।');
    await send(page, '/approve');
    expect(await message(page)).toContain('অনুমোদিত');

    const receiptId = await scene.receive({ trxId: nextTrxId(), amount: 942 });
    const wanted = await scene.createPayment({ amount: 942 });
    await page.goto(inStore(`receipts/${receiptId}`));
    expect(await page.locator('[name=paymentId]').inputValue()).toBe(wanted);
    await page.getByLabel('কারণ').fill('স্ক্রিনশট দেখেছি।');
    await send(page, '/match');
    expect(await message(page)).toContain('মেলানো হয়েছে');
  });
});

describe('live', () => {
  it('a new payment and its states appear without a reload, whichever replica it came to', async () => {
    const { page } = await visits.start(other.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    await page.goto(inStore('payments'));
    const note = `Order ${nextTrxId()}`;
    const paymentId = await scene.createPayment({ note });
    const row = page.locator('.rows li', { hasText: note });
    await row.waitFor();
    expect(await row.innerText()).toContain('Not paid yet');
    await scene.submit(paymentId, { trxId: nextTrxId(), provider: 'bkash' });
    await row.getByText('Waiting for the receipt').waitFor();
  });

  it('the first message of a phone is waited for', async () => {
    const body = { name: `Corner ${nextTrxId()}` };
    const store = (
      await scene.one.http.post<{ id: string; webhookSecret: string }>('/api/v1/stores', body, scene.merchant)
    ).body;
    const { page } = await visits.start(other.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    await page.goto(`/dashboard/stores/${store.id}/phone`);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(store.webhookSecret).first().waitFor();
    await page.getByText('Waiting for the first message').waitFor();
    await keepScreenshot(page, 'dashboard/phone-shown');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await weightOf(page)).toBeLessThan(250 * 1024);
    const sms = { from: 'bKash', text: 'You have got something new' };
    await scene.one.http.post('/api/webhooks/joma/sms', sms, { 'X-Webhook-Secret': store.webhookSecret });
    await page.getByText('messages are received').waitFor();
    expect(await page.getByText(store.webhookSecret).first().isVisible()).toBe(true);
  });

  it('nothing that was typed is lost, and news is announced instead', async () => {
    const trxId = nextTrxId();
    const paymentId = await scene.createPayment();
    await scene.submit(paymentId, { trxId, provider: 'bkash' });
    await scene.receive({ trxId, amount: 1200 });
    const { page } = await visits.start(other.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    await page.goto(inStore(`payments/${paymentId}`));
    await page.getByLabel('Reason').fill('I am still wri');
    await scene.one.http.post(`/api/v1/payments/${paymentId}/cancel`, undefined, scene.store.key);
    await page.getByRole('button', { name: 'Something new' }).waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('I am still wri');
    await page.getByRole('button', { name: 'Something new' }).click();
    await page.locator('main').getByText('Cancelled').first().waitFor();
  });

  it('news of the moment between the page and its stream is announced, too', async () => {
    const trxId = nextTrxId();
    const paymentId = await scene.createPayment();
    await scene.submit(paymentId, { trxId, provider: 'bkash' });
    await scene.receive({ trxId, amount: 1200 });
    const { page } = await visits.start(other.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    const held = new Promise<Route>((resolve) => void page.route(/\/live\?/, resolve, { times: 1 }));
    await page.goto(inStore(`payments/${paymentId}`));
    await page.getByLabel('Reason').fill('I am still wri');
    const stream = await held;
    await scene.one.http.post(`/api/v1/payments/${paymentId}/cancel`, undefined, scene.store.key);
    await stream.continue();
    await page.getByRole('button', { name: 'Something new' }).waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('I am still wri');
  });
});

describe('an export', () => {
  it('holds what is filtered, named as the API does, and no formula', async () => {
    await scene.createPayment({
      customerName: '=HYPERLINK("https://evil.example")',
      amount: 4321.5,
      note: 'export me',
    });
    const { page } = await visits.start(scene.one.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    await page.goto(inStore('payments?search=export+me'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const stream = await download.createReadStream();
    const text = Buffer.concat(await stream.toArray()).toString();
    const [columns = '', row = '', end] = text.replace('\ufeff', '').split('\r\n');
    expect(columns.split(',')).toEqual(
      expect.arrayContaining(['id', 'status', 'amount', 'customerName', 'trxId']),
    );
    expect(row).toContain('4321.5');
    expect(row).toContain(`"'=HYPERLINK`);
    expect(end).toBe('');
  });
});
