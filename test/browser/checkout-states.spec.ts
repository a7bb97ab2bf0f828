import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { type CheckoutScene, nextTrxId, WALLETS } from '../support/checkout-scene.js';
import { visitScene } from '../support/checkout-visits.js';
import { startDatabaseLine } from '../support/database-line.js';
import { HOUR_MS } from '../support/money-clock.js';
import { keepScreenshot, PHONE, seriousFindings, sidewaysScroll } from '../support/page-visit.js';
import { createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 3.14, 5.2, 5.22.
 *
 * Goal: every state of the checkout page can be read and operated by everyone, in both languages and both themes, on
 * the narrowest phone. Method: real payments brought into each state; axe-core, the width of the page, and a picture
 * for users to look at.
 */

/** An id that no payment has. */
const NOBODY = '01890000-0000-7000-8000-000000000000';

let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

interface State {
  readonly name: string;
  /** Brings a payment into the state; answers its id. */
  readonly make: () => Promise<string>;
  /** What the payer does on the page. */
  readonly act?: (page: Page) => Promise<void>;
  readonly expectedStatuses?: readonly number[];
}

const ORDER = {
  note: 'অর্ডার #৭৭১',
  products: [
    { name: 'পথের পাঁচালী', quantity: 2, price: 350 },
    { name: 'Notebook, A5', quantity: 1, price: 400 },
    { name: 'Delivery', quantity: 1, price: 150 },
  ],
};
const withUrls = () => ({
  ...ORDER,
  redirectUrl: `${scene.shop.url}/thanks`,
  cancelUrl: `${scene.shop.url}/cart`,
});

async function submitted(): Promise<string> {
  const paymentId = await scene.createPayment(withUrls());
  await scene.submit(paymentId, { trxId: nextTrxId(), provider: 'bkash' });
  return paymentId;
}

async function limited(body: Record<string, unknown> = {}): Promise<string> {
  const paymentId = await scene.createPayment({ ...withUrls(), ...body });
  for (const last4digit of ['0001', '0002', '0003', '0004', '0005'])
    await scene.submit(paymentId, { last4digit, provider: 'qr' });
  return paymentId;
}

/** None that is kept is left either. */
async function usedUp(body: Record<string, unknown> = {}): Promise<string> {
  const paymentId = await limited(body);
  for (const last4digit of ['0006', '0007', '0008', '0009', '0010'])
    await scene.submit(paymentId, { last4digit, provider: 'qr' });
  return paymentId;
}

/** A payment with an amount of its own. */
async function ownAmount(): Promise<string> {
  const headers = await signIn(scene.one.http);
  const turn = (uniqueAmounts: boolean) =>
    scene.one.http.request('PATCH', `/api/v1/stores/${scene.store.id}`, { headers, body: { uniqueAmounts } });
  await turn(true);
  const paymentId = await scene.createPayment(withUrls());
  await turn(false);
  return paymentId;
}

/** Ten TrxIDs of other payments: all refused, so that nothing waits. */
async function limitedUnpaid(): Promise<string> {
  const paymentId = await scene.createPayment({ provider: 'bkash' });
  for (const trxId of Array.from({ length: 10 }, nextTrxId)) {
    await scene.receive({ trxId });
    await scene.submit(await scene.createPayment(), { trxId });
    await scene.submit(paymentId, { trxId });
  }
  return paymentId;
}

async function settled(receipt: Record<string, unknown> = {}): Promise<string> {
  const paymentId = await scene.createPayment(withUrls());
  const trxId = nextTrxId();
  await scene.submit(paymentId, { trxId, provider: 'bkash' });
  await scene.receive({ trxId, ...receipt });
  return paymentId;
}

async function expired(): Promise<string> {
  const paymentId = await scene.createPayment(withUrls());
  scene.clock.advance(HOUR_MS);
  return paymentId;
}

const STATES: readonly State[] = [
  { name: 'pending', make: () => scene.createPayment(withUrls()) },
  {
    name: 'pending-qr',
    make: () => scene.createPayment(withUrls()),
    act: (page) => page.locator('label.tile', { hasText: /QR|কিউআর/ }).click(),
  },
  { name: 'pending-own-amount', make: ownAmount },
  {
    name: 'pending-own-amount-qr',
    make: ownAmount,
    act: (page) => page.locator('label.tile', { hasText: /QR|কিউআর/ }).click(),
  },
  {
    name: 'pending-one-wallet',
    make: () => scene.createPayment({ provider: 'nagad', amount: 9_99_99_999.99 }),
  },
  {
    name: 'pending-error',
    make: () => scene.createPayment(),
    act: async (page) => {
      await page.locator('form:visible input[type=text]').fill('01712345678');
      await page.keyboard.press('Enter');
      await page.locator('.error:visible').waitFor();
    },
  },
  { name: 'submitted', make: submitted },
  {
    name: 'submitted-open',
    make: submitted,
    act: async (page) => {
      for (const summary of await page.locator('details.fold > summary').all()) await summary.click();
    },
  },
  { name: 'limited', make: () => limited({ provider: 'qr' }) },
  { name: 'used-up', make: () => usedUp({ provider: 'qr' }) },
  {
    name: 'used-up-other-way',
    make: () => usedUp(),
    act: async (page) => {
      await page.locator('details[data-again] > summary').click();
      await page.locator('.panel:visible .callout').waitFor();
    },
  },
  {
    name: 'limited-other-way',
    make: () => limited(),
    act: async (page) => {
      await page.locator('details[data-again] > summary').click();
      await page.locator('.panel:visible .callout').waitFor();
    },
  },
  { name: 'limited-unpaid', make: limitedUnpaid },
  {
    name: 'limited-expired',
    make: async () => {
      const paymentId = await limited({ provider: 'qr' });
      scene.clock.advance(25 * HOUR_MS);
      return paymentId;
    },
  },
  { name: 'verified', make: () => settled() },
  { name: 'review', make: () => settled({ amount: 1000 }) },
  { name: 'expired', make: expired },
  {
    name: 'expired-no-money',
    make: expired,
    expectedStatuses: [409],
    act: async (page) => {
      await page.locator('form:visible input[type=text]').fill(nextTrxId());
      await page.keyboard.press('Enter');
      await page.locator('.error:visible').waitFor();
    },
  },
  {
    name: 'cancelled',
    make: async () => {
      const paymentId = await submitted();
      await scene.cancel(paymentId);
      return paymentId;
    },
  },
  { name: 'unknown', make: async () => NOBODY, expectedStatuses: [404] },
];

async function lookAt(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await keepScreenshot(page, `${name}-${colorScheme}`);
    // In the other theme it is the same document in other colours.
    const rules = colorScheme === 'light' ? 'all' : 'colour';
    expect(await seriousFindings(page, rules), `${name}, ${colorScheme}`).toEqual([]);
  }
  expect(await sidewaysScroll(page), name).toBe(0);
}

describe('each state is sound in both languages and themes', () => {
  it.each(STATES.map((state) => [state.name, state] as const))('%s', async (name, state) => {
    const { make, act, expectedStatuses } = state;
    const paymentId = await make();
    for (const language of ['bn', 'en']) {
      const { page } = await visits.start(scene.one.http.url, { expectedStatuses, reducedMotion: 'reduce' });
      await page.goto(`/pay/${paymentId}?lang=${language}`);
      await act?.(page);
      await lookAt(page, `${name}-${language}`);
    }
  });

  it('while the database is away', async () => {
    const line = await startDatabaseLine(scene.one.database);
    const app = await startTestApp({ database: line.database });
    await line.cut();
    await lookAtMessage(app, 503, 'unavailable');
    await app.close();
  });

  it('while too many requests come from one address', async () => {
    const strict = await startTestApp({
      database: scene.one.database,
      environment: { RATE_LIMIT_PUBLIC: '1/1h' },
    });
    await strict.http.get(`/pay/${NOBODY}`);
    await lookAtMessage(strict, 429, 'busy');
    await strict.close();
  });
});

/** Looks at a page that stands for no payment. */
async function lookAtMessage(app: TestApp, status: number, name: string): Promise<void> {
  const { page } = await visits.start(app.http.url, { expectedStatuses: [status], reducedMotion: 'reduce' });
  for (const language of ['bn', 'en'] as const) {
    const answer = await page.goto(`/pay/${NOBODY}?lang=${language}`);
    expect(answer?.status()).toBe(status);
    await page.getByRole('heading', { level: 1, name: wordsOf(language).unavailableTitle }).waitFor();
    await lookAt(page, `${name}-${language}`);
  }
}

describe('the page', () => {
  it('keeps its form whatever a shop is called and sells, down to 320 pixels and with letters twice as large', async () => {
    const { http } = scene.one;
    const store = await createStore(http, await signIn(http), {
      name: 'Wwwwwwwwwwwwwwwwwwww'.repeat(10),
      wallets: [
        // A wallet stands in one live store of an owner only, and the scene's own store has these.
        ...WALLETS.map(({ number, qrPayload, ...wallet }) => ({
          ...wallet,
          ...(number === undefined ? { qrPayload: `${qrPayload} ` } : { number: number.replace(/.$/, '9') }),
        })),
        ...['tap', 'cellfin', 'mcash', 'ok_wallet', 'pathao_pay', 'some_other_wallet_12'].map((provider) => ({
          provider,
          number: '01700000002',
          accountType: 'personal',
        })),
      ],
    });
    const created = await http.post<{ id: string }>(
      '/api/v1/payments',
      {
        amount: 99_999_999.99,
        note: `https://example.com/${'long'.repeat(60)}`,
        products: [
          { name: 'ক্ষ'.repeat(99), quantity: 1_000_000_000, price: 99_999_999.99 },
          { name: 'N'.repeat(300), quantity: 3, price: 0.01 },
        ],
      },
      store.key,
    );
    for (const language of ['bn', 'en']) {
      const { page } = await visits.start(http.url, { reducedMotion: 'reduce' });
      await page.goto(`/pay/${created.body.id}?lang=${language}`);
      await lookAt(page, `long-${language}`);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await sidewaysScroll(page)).toBe(0);
      await keepScreenshot(page, `long-320-${language}`);
      await page.setViewportSize(PHONE);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await sidewaysScroll(page)).toBe(0);
      await keepScreenshot(page, `long-large-${language}`);
    }
  });

  it('uses the room of a wide screen', async () => {
    const viewport = { width: 1280, height: 800 };
    const { page } = await visits.start(scene.one.http.url, { viewport, reducedMotion: 'reduce' });
    await page.goto(`/pay/${await scene.createPayment(withUrls())}?lang=en`);
    const [summary, pay] = [
      await page.locator('.summary').boundingBox(),
      await page.locator('.pay').boundingBox(),
    ];
    expect(summary?.y).toBe(pay?.y);
    await lookAt(page, 'wide-en');
    await page.goto(`/pay/${await settled()}?lang=bn`);
    await lookAt(page, 'wide-verified-bn');
  });

  it('prints a receipt: what was paid, in black on white, and nothing to press', async () => {
    const { page } = await visits.start(scene.one.http.url, { colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.goto(`/pay/${await settled()}?lang=en`);
    await page.emulateMedia({ media: 'print' });
    await keepScreenshot(page, 'print-en');
    expect(await page.locator('.receipt').isVisible()).toBe(true);
    for (const control of await page.locator('button, a').all())
      expect(await control.isVisible()).toBe(false);
    const colours = await page.evaluate<string[]>(
      `[document.body, document.querySelector('.receipt')].map((part) => getComputedStyle(part).backgroundColor)`,
    );
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(255, 255, 255)']);
  });

  it('would be found out: the yardstick sees bad contrast, a missing label and a page that is too wide', async () => {
    const { page } = await visits.start(scene.one.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await page.evaluate(`(() => {
      document.querySelector('.amount').style.color = '#ccc';
      document.querySelector('form label').remove();
      document.querySelector('.amount').style.width = '500px';
    })()`);
    const findings = (await seriousFindings(page)).join();
    expect(findings).toMatch(/color-contrast/);
    expect(findings).toMatch(/label/);
    expect(await sidewaysScroll(page)).toBeGreaterThan(100);
  });
});
