import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type DashboardScene,
  MERCHANT,
  signInOnPage,
  startDashboardScene,
  STRANGER,
} from '../support/dashboard-scene.js';
import {
  keepScreenshot,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  Visits,
  weightOf,
} from '../support/page-visit.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD } from '../support/test-app.js';

/*
 * Rules: contract 10.3, 10.5, 10.6, 10.16.
 *
 * Goal: every page of the dashboard can be read and operated on the narrowest phone, by whoever uses what (contract
 * 10.3). Method: a shop with payments in every state; each page in one cell (English, with script, 360 px) with
 * axe-core, its width and a picture for users to look at; some in Bangla, dark, wide and without a script.
 */

let scene: DashboardScene;
const visits = new Visits();
const ids: Record<string, string> = {};

beforeAll(async () => {
  scene = await startDashboardScene();
  ids['pending'] = await scene.createPayment({
    note: 'Order 1001',
    customerName: 'Rahim Uddin',
    customerPhone: '01711111111',
  });
  ids['submitted'] = await scene.createPayment({ amount: 500, note: 'Order 1002' });
  await scene.submit(ids['submitted'], { trxId: 'DKL0002QXP', provider: 'bkash' });
  ids['verified'] = await scene.createPayment({
    note: 'Order 1003',
    customerName: 'করিম মিয়া',
    products: [{ name: 'পথের পাঁচালী', quantity: 2, price: 350 }],
  });
  await scene.submit(ids['verified'], { trxId: 'DKL0003QXP', provider: 'bkash' });
  await scene.receive({ trxId: 'DKL0003QXP' });
  ids['review'] = await scene.createPayment({ note: 'Order 1004', customerPhone: '01700000009' });
  await scene.submit(ids['review'], { trxId: 'DKL0004QXP', provider: 'bkash' });
  await scene.receive({ trxId: 'DKL0004QXP', amount: 1200 });
  ids['contested'] = await scene.createPayment({ amount: 611, customerName: 'Nadia Islam' });
  const claimant = await scene.createPayment({
    amount: 611,
    customerName: 'Shila',
    customerPhone: '01700000009',
  });
  for (const paymentId of [ids['contested'], claimant])
    await scene.submit(paymentId, { trxId: 'DKL0006QXP' });
  await scene.receive({ trxId: 'DKL0006QXP', amount: 611 });
  ids['receipt'] = await scene.receive({ trxId: 'DKL0005QXP', amount: 1250 });
  for (const text of [
    'You have received Tk 500.00 from 01700000002. Fee Tk',
    'You have received Tk 500.00 from 01700000002. Fee Tk 0.00. Balance Tk 1,504.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
  ]) {
    const sms = { from: 'bKash', text };
    await scene.one.http.post('/api/webhooks/joma/sms', sms, scene.store.phone);
  }
  const ofStore = `/api/v1/stores/${scene.store.id}`;
  const messages = await scene.one.http.get<{ data: { id: string }[] }>(
    `${ofStore}/messages`,
    scene.merchant,
  );
  ids['message'] = messages.body.data[0]?.id ?? '';
  const member = { email: STRANGER.email, role: 'reviewer' };
  const added = await scene.one.http.post<{ userId: string }>(`${ofStore}/members`, member, scene.merchant);
  ids['member'] = added.body.userId;
  const { body } = await scene.one.http.get<{ data: { id: string }[] }>(
    `/api/v1/stores/${scene.store.id}/deliveries`,
    scene.merchant,
  );
  ids['delivery'] = body.data[0]?.id ?? '';
  const link = await scene.one.http.post<{ id: string }>(
    '/api/v1/payment-links',
    { title: 'বইমেলা ২০২৬', amount: 300, note: 'Stall 12' },
    scene.store.key,
  );
  ids['link'] = link.body.id;
});
afterAll(() => scene.close());
afterEach(async () => {
  expect(await visits.finish()).toEqual([]);
});

/** Addresses by the name of their picture; `:…` stands for an id. */
const OF_STORE: Readonly<Record<string, string>> = {
  overview: '',
  payments: '/payments',
  'payments-none': '/payments?search=nothing-like-it',
  'payment-new': '/payments/new',
  'payment-pending': '/payments/:pending',
  'payment-submitted': '/payments/:submitted',
  'payment-verified': '/payments/:verified',
  'payment-review': '/payments/:review',
  'payment-contested': '/payments/:contested',
  'payment-match': '/payments/:pending/match',
  review: '/review',
  receipts: '/receipts',
  receipt: '/receipts/:receipt',
  messages: '/messages',
  message: '/messages/:message',
  phone: '/phone',
  members: '/members',
  member: '/members/:member',
  deliveries: '/deliveries',
  delivery: '/deliveries/:delivery',
  links: '/links',
  'link-new': '/links/new',
  link: '/links/:link',
  wallets: '/wallets',
  wallet: '/wallets/0',
  developers: '/developers',
  settings: '/settings',
  audit: '/audit',
};
const GENERAL = {
  stores: '/dashboard/stores',
  'store-new': '/dashboard/stores/new',
  account: '/dashboard/account',
};

const address = (path: string) =>
  `/dashboard/stores/${scene.store.id}${path.replace(/:(\w+)/, (_all, name: string) => ids[name] ?? '')}`;

describe('every page, in English on a phone', () => {
  it('can be read, operated and scrolled in one direction only', async () => {
    const { page } = await visits.start(scene.one.http.url, { locale: 'en-GB' });
    await signInOnPage(page, MERCHANT);
    const pages = [
      ...Object.entries(OF_STORE).map(([name, path]) => [name, address(path)] as const),
      ...Object.entries(GENERAL),
    ];
    for (const [name, path] of pages) {
      const answer = await page.goto(path);
      expect(answer?.status(), path).toBe(200);
      expect(await page.locator('h1').count(), path).toBe(1);
      await keepScreenshot(page, `dashboard/${name}`);
      expect(await seriousFindings(page), path).toEqual([]);
      expect(await sidewaysScroll(page), path).toBe(0);
      expect(await weightOf(page), path).toBeLessThan(250 * 1024);
    }
  });

  it('so can the admin’s', async () => {
    const { page } = await visits.start(scene.one.http.url, { locale: 'en-GB' });
    await page.goto('/dashboard/sign-in');
    await keepScreenshot(page, 'dashboard/sign-in');
    expect(await seriousFindings(page)).toEqual([]);
    await signInOnPage(page, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
    for (const path of ['/dashboard/people', '/dashboard/stores', '/dashboard/audit', '/dashboard/health']) {
      await page.goto(path);
      await keepScreenshot(page, `dashboard/admin${path.slice('/dashboard'.length).replaceAll('/', '-')}`);
      expect(await seriousFindings(page), path).toEqual([]);
      expect(await sidewaysScroll(page), path).toBe(0);
    }
  });
});

describe('the central pages elsewhere', () => {
  it.each([
    ['bn', { locale: 'bn-BD', viewport: PHONE }],
    ['bn-dark-wide', { locale: 'bn-BD', colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
    ['en-wide', { locale: 'en-GB', viewport: { width: 1280, height: 800 } }],
    ['en-dark', { locale: 'en-GB', colorScheme: 'dark', viewport: PHONE }],
  ] as const)('%s', async (name, options) => {
    const { page } = await visits.start(scene.one.http.url, options);
    await signInOnPage(page, MERCHANT);
    for (const which of [
      'overview',
      'payments',
      'payment-review',
      'payment-contested',
      'receipt',
      'review',
      'developers',
      'wallets',
      'messages',
      'message',
      'phone',
      'members',
    ]) {
      await page.goto(address(OF_STORE[which] ?? ''));
      await keepScreenshot(page, `dashboard/${which}-${name}`);
      expect(await seriousFindings(page), which).toEqual([]);
      expect(await sidewaysScroll(page), which).toBe(0);
    }
  });
});
