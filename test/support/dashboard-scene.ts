import type { Page } from 'playwright-core';
import { QR_PAYLOAD, WALLETS } from './checkout-scene.js';
import { ManualClock } from './money-clock.js';
import {
  createStore,
  signedInUser,
  signIn,
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestStore,
} from './test-app.js';
import { receiptBody } from './receipt-body.js';

export const MERCHANT = { email: 'rahima@example.com', password: 'seven green boats', name: 'Rahima Khatun' };
export const STRANGER = { email: 'karim@example.com', password: 'nine yellow kites', name: 'Karim Uddin' };

/** A service with a merchant, a shop that has had a busy day, and somebody else with a shop of their own. */
export interface DashboardScene {
  readonly one: TestApp;
  readonly clock: ManualClock;
  readonly store: TestStore;
  readonly foreign: TestStore;
  /** Header of the merchant, for the API. */
  readonly merchant: { Authorization: string };
  createPayment(body?: Record<string, unknown>): Promise<string>;
  submit(paymentId: string, body: Record<string, unknown>): Promise<void>;
  /** A receipt of bKash; answers its id. */
  receive(receipt: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function startDashboardScene(
  options: Pick<TestAppOptions, 'writesPastService'> = {},
): Promise<DashboardScene> {
  const clock = new ManualClock();
  const one = await startTestApp({ clock, ...options });
  const admin = await signIn(one.http);
  const { headers: merchant } = await signedInUser(one.http, admin, MERCHANT);
  const { headers: stranger } = await signedInUser(one.http, admin, STRANGER);
  const store = await createStore(one.http, merchant, { name: 'Dhaka Books', wallets: WALLETS });
  const foreign = await createStore(one.http, stranger, { name: 'Sylhet Tea' });
  return {
    one,
    clock,
    store,
    foreign,
    merchant,
    createPayment: async (body = {}) => {
      const answer = one.http.post<{ id: string }>('/api/v1/payments', { amount: 1250, ...body }, store.key);
      return (await expectStatus(answer, 201)).body.id;
    },
    submit: async (paymentId, body) => {
      await one.http.post(`/api/v1/payments/public/${paymentId}/verify`, body);
    },
    receive: async (receipt) => {
      const body = receiptBody({ amount: 1250, counterparty: '01700000009', ...receipt }, clock.now());
      const answer = one.http.post<{ receiptId: string }>('/api/webhooks/joma', body, store.phone);
      return (await expectStatus(answer, 200)).body.receiptId;
    },
    close: () => one.close(),
  };
}

async function expectStatus<Answer extends { status: number; text: string }>(
  answering: Promise<Answer>,
  wanted: number,
): Promise<Answer> {
  const answer = await answering;
  if (answer.status !== wanted) throw new Error(`Answered ${answer.status}, not ${wanted}: ${answer.text}`);
  return answer;
}

/** Signs in through the page, in whatever language it is. */
export async function signInOnPage(page: Page, user: { email: string; password: string }): Promise<void> {
  await page.goto('/dashboard/sign-in');
  await page.locator('#field-email').fill(user.email);
  await page.locator('#field-password').fill(user.password);
  await page.locator('main button[type=submit]').click();
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}

export { QR_PAYLOAD };
