import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { PhoneWatch } from '../../src/inbound/phone-watch.js';
import { type CheckoutScene, nextTrxId, QR_PAYLOAD } from '../support/checkout-scene.js';
import { enterText, field, LIVE_WITHIN_MS, visitScene } from '../support/checkout-visits.js';
import { HOUR_MS, MINUTE_MS } from '../support/money-clock.js';
import { decodeQr } from '../support/page-visit.js';

/*
 * Rules: contract 3.14, 5.14, 5.17, 5.26 to 5.30, 5.32, 5.36.
 *
 * Goal: what happens to a payer on the checkout page, from opening the link to the way back to the shop, or to
 * whatever comes in between (contract 3.14 and 5.22). Method: the page of one replica in a real browser, the phone
 * and the shop on the other replica. No page is ever reloaded by a test; whatever a page asks of another server, or
 * says on its console, fails the test that opened it.
 */

const words = wordsOf('en');
let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

async function open(paymentId: string, expectedStatuses: readonly number[] = []): Promise<Page> {
  const { page } = await visits.start(scene.one.http.url, { expectedStatuses, mayLeaveFor: scene.shop.url });
  await page.goto(`/pay/${paymentId}?lang=en`);
  await page.evaluate(`window.neverReloaded = true`);
  return page;
}

async function chooseWallet(page: Page, name: string): Promise<void> {
  await page.locator('label.tile').getByText(name, { exact: true }).click();
}

/** Waits for the page of a state, and that the browser got there without loading it anew. */
async function waitForHeading(page: Page, name: string, timeout?: number): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor({ timeout });
  expect(await page.evaluate(`window.neverReloaded`)).toBe(true);
}

async function waitForError(page: Page, text: string): Promise<void> {
  await page.locator('form:visible .error').getByText(text, { exact: true }).waitFor();
  expect(await field(page).getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate(`document.activeElement.id`)).toBe(await field(page).getAttribute('id'));
}

/** Presses Tab until an element of the selector has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`Forty presses of Tab did not lead to ${selector}.`);
}

describe('the main flow', () => {
  it('goes by keyboard alone: wallet, TrxID, waiting, and paid as soon as the phone says so', async () => {
    const paymentId = await scene.createPayment({ redirectUrl: `${scene.shop.url}/thanks?order=7#end` });
    const page = await open(paymentId);
    await tabTo(page, 'input[type=radio]');
    await page.keyboard.press('ArrowRight');
    await page.getByText('Nagad · Make Payment').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('bKash · Send Money').waitFor();
    await tabTo(page, 'form input[type=text]');
    const trxId = nextTrxId();
    await page.keyboard.type(` ${trxId.slice(0, 5).toLowerCase()} ${trxId.slice(5)} `);
    await page.keyboard.press('Enter');

    await waitForHeading(page, words.submittedHeading);
    expect(await page.evaluate(`document.activeElement.id`)).toBe('state');
    expect(await page.locator('.facts').innerText()).toContain(trxId);
    expect(await scene.receive({ trxId })).toBe('matched');

    await waitForHeading(page, words.verifiedHeading, LIVE_WITHIN_MS);
    expect(await page.evaluate(`document.activeElement.id`)).toBe('state');
    await page.locator('#live').getByText('You will be taken back to the shop').waitFor();
    await tabTo(page, '[data-redirect-link]');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${scene.shop.url}/**`);
    expect(page.url()).toBe(`${scene.shop.url}/thanks?order=7&paymentId=${paymentId}#end`);
  });

  it('is paid at once when the receipt was first', async () => {
    const paymentId = await scene.createPayment({ note: 'Order 7' });
    const trxId = nextTrxId();
    expect(await scene.receive({ trxId })).toBe('unmatched');
    const page = await open(paymentId);
    await enterText(page, trxId);
    await waitForHeading(page, words.verifiedHeading);
    const receipt = await page.locator('.receipt').innerText();
    for (const fact of ['Dhaka Books', '৳1,250.00', 'bKash', trxId, 'Order 7', paymentId])
      expect(receipt).toContain(fact);
    expect(await page.locator('[data-redirect-link]').count()).toBe(0);
  });

  it('takes the payer back to the shop by itself, unless they stay', async () => {
    const redirectUrl = `${scene.shop.url}/by-itself`;
    const [leaving, staying] = [
      await scene.createPayment({ redirectUrl }),
      await scene.createPayment({ redirectUrl }),
    ];
    for (const paymentId of [leaving, staying]) {
      const trxId = nextTrxId();
      await scene.receive({ trxId });
      await scene.submit(paymentId, { trxId });
    }
    const { page } = await visits.start(scene.one.http.url, { mayLeaveFor: scene.shop.url });
    await page.clock.install();
    await page.goto(`/pay/${staying}?lang=en`);
    await page.getByRole('button', { name: words.stayHere }).click();
    await page.clock.runFor(30_000);
    await page.locator('main').getByText(words.staying).waitFor();

    await page.goto(`/pay/${leaving}?lang=en`);
    await page.getByText('You will be taken back to the shop in 20 seconds.').waitFor();
    await page.clock.runFor(19_500);
    await page.getByText(/in [12] seconds/).waitFor();
    await page.clock.runFor(2_000);
    await page.waitForURL(`${redirectUrl}?paymentId=${leaving}`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: words.verifiedHeading }).waitFor();
    await page.clock.runFor(30_000);
    expect(page.url()).toContain(leaving);
  });

  it('goes on where the event stream does not get through', async () => {
    const { page, context } = await visits.start(scene.one.http.url);
    await context.route('**/events', (route) => route.fulfill({ status: 204 }));
    await page.clock.install();
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    const trxId = nextTrxId();
    await enterText(page, trxId);
    await page.getByRole('heading', { name: words.submittedHeading }).waitFor();
    await scene.receive({ trxId });
    await page.clock.runFor(10_000);
    await page.getByRole('heading', { name: words.verifiedHeading }).waitFor();
  });

  it('can be asked to look again, and says that it did', async () => {
    const page = await open(await scene.createPayment());
    await enterText(page, nextTrxId());
    await waitForHeading(page, words.submittedHeading);
    await tabTo(page, '[data-check]');
    await page.keyboard.press('Enter');
    await page.locator('#check').getByText(words.script.sending).waitFor();
    await page.locator('#live').getByText(words.submittedHeading).waitFor();
    expect(await page.locator('#check').innerText()).toBe(words.checkNow);
    expect(await page.evaluate(`document.activeElement.id`)).toBe('check');
  });

  it('tells how long it can take while nothing comes from the shop’s phone', async () => {
    const [first, second] = [await scene.createPayment(), await scene.createPayment()];
    await scene.receive({ trxId: nextTrxId() });
    const page = await open(first);
    await enterText(page, nextTrxId());
    await page.getByText(words.submittedLead).waitFor();
    scene.clock.advance(16 * MINUTE_MS);
    await scene.one.app.get(PhoneWatch).round();
    const later = await open(second);
    await enterText(later, nextTrxId());
    await later.getByText(words.submittedLeadQuiet).waitFor();
  });

  it('finds the TrxID in a pasted message, and copies what the wallet needs', async () => {
    const { page } = await visits.start(scene.one.http.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`/pay/${await scene.createPayment({ amount: 1250.5 })}?lang=en`);
    const clipboard = () => page.evaluate<string>(`navigator.clipboard.readText()`);
    await page.getByRole('button', { name: words.copyNumber }).first().click();
    await page.getByText(words.script.copied).first().waitFor();
    expect(await clipboard()).toBe('01700000001');
    await page.locator('.amount-row').getByRole('button', { name: words.copyAmount }).click();
    await expect.poll(clipboard).toBe('1250.50');

    const trxId = nextTrxId();
    const message = `You have received Tk 1,250.50 from 01700000009. Ref 7. Fee Tk 0.00. Balance Tk 9,999.00. TrxID ${trxId} at 21/11/2026 14:20`;
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(message)})`);
    await field(page).focus();
    await page.keyboard.press('Control+V');
    expect(await field(page).inputValue()).toBe(trxId);
    await field(page).fill('');
    await page.getByRole('button', { name: words.paste }).click();
    await expect.poll(() => field(page).inputValue()).toBe(trxId);
  });
});

describe('Bangla QR', () => {
  it('scans to exactly the merchant’s payload, and is paid by four digits in Bangla', async () => {
    const { page } = await visits.start(scene.one.http.url, { acceptDownloads: true });
    const paymentId = await scene.createPayment();
    await page.goto(`/pay/${paymentId}?lang=bn`);
    await chooseWallet(page, 'বাংলা কিউআর');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await decodeQr(await page.locator('svg.qr-code:visible').screenshot())).toBe(QR_PAYLOAD);
    }
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: wordsOf('bn').saveQr }).click();
    const picture = await download;
    expect(picture.suggestedFilename()).toBe(`qr-${paymentId}.png`);
    expect(await decodeQr(await picture.path())).toBe(QR_PAYLOAD);

    await enterText(page, '০৪২৭');
    await page.getByRole('heading', { name: wordsOf('bn').submittedHeading }).waitFor();
    expect(await page.locator('.facts').innerText()).toContain('0427');
    expect(await scene.receive({ last4digit: '0427' })).toBe('matched');
    await page
      .getByRole('heading', { name: wordsOf('bn').verifiedHeading })
      .waitFor({ timeout: LIVE_WITHIN_MS });
  });

  it('takes a whole number for its last four digits, refuses fewer, and says from when on the shop looks at it', async () => {
    const paymentId = await scene.createPayment({ provider: 'qr' });
    const page = await open(paymentId);
    await enterText(page, '427');
    await waitForError(page, words.notices['last4digit.invalid']);
    for (const typed of ['+880 1712-340001', '0002', '0003', '0004', '0005']) {
      await enterText(page, typed);
      await page.locator('.facts').getByText(typed.slice(-4)).waitFor();
      if (typed !== '0005') await page.getByText(words.sendAnother).click();
    }
    await waitForHeading(page, words.byHandHeading);
    expect(await scene.submit(paymentId, { last4digit: '0006' })).toBe(429);
  });
});

describe('what is typed wrong', () => {
  it.each([
    ['a PIN', '12345', words.notices['entry.pin'], ''],
    ['a phone number', '+8801712345678', words.notices['trxId.phone'], '+8801712345678'],
    ['words', 'I have paid!', words.notices['trxId.invalid'], 'I have paid!'],
    ['letters that only look Latin', '74HΝΕΚΟ8', words.notices['trxId.invalid'], '74HΝΕΚΟ8'],
    ['nothing', ' ', words.notices['trxId.invalid'], ' '],
  ])('%s is explained, and never sent', async (_what, typed, explanation, left) => {
    const { page, requests } = await visits.start(scene.one.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await enterText(page, typed);
    await waitForError(page, explanation);
    expect(await field(page).inputValue()).toBe(left);
    expect(requests.filter((address) => address.endsWith('/verify'))).toEqual([]);
    await field(page).pressSequentially('X');
    expect(await field(page).getAttribute('aria-invalid')).toBeNull();
  });

  it('doubts an id of another shape, and takes it all the same', async () => {
    const page = await open(await scene.createPayment());
    await field(page).fill('ABCDEF');
    await page.keyboard.press('Tab');
    await page
      .locator('form:visible [data-doubt-text]')
      .getByText(/10 letters and digits/)
      .waitFor();
    await enterText(page, 'ABCDEF');
    await waitForHeading(page, words.submittedHeading);
    await page
      .locator('.doubt:visible')
      .getByText(/10 letters and digits/)
      .waitFor();
  });

  it('is corrected from the waiting page', async () => {
    const page = await open(await scene.createPayment());
    const [wrong, right] = [nextTrxId(), nextTrxId()];
    await enterText(page, wrong);
    await waitForHeading(page, words.submittedHeading);
    await page.getByText(words.sendAnother).click();
    await enterText(page, right);
    await page.locator('.facts').getByText(right).waitFor();
    await page.locator('details[data-again]:not([open])').waitFor();
    expect(await page.evaluate(`[window.scrollY, document.activeElement.id]`)).toEqual([0, 'state']);
    await scene.receive({ trxId: right });
    await waitForHeading(page, words.verifiedHeading);
  });
});

describe('when something is off', () => {
  it('a TrxID of another payment is refused, and what was typed stays', async () => {
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    await scene.submit(await scene.createPayment(), { trxId });
    const page = await open(await scene.createPayment(), [409]);
    await enterText(page, trxId);
    await waitForError(page, words.notices['payment.trx_id_used']);
    expect(await field(page).inputValue()).toBe(trxId);
  });

  it.each([
    ['underpaid', {}, { amount: 1000 }],
    ['overpaid', {}, { amount: 1273.13 }],
    ['currency_mismatch', { currency: 'USD' }, {}],
    ['wrong_wallet', { provider: 'nagad' }, {}],
  ] as const)('the page says by itself that the shop looks at it: %s', async (reason, payment, receipt) => {
    const page = await open(await scene.createPayment(payment));
    const trxId = nextTrxId();
    await enterText(page, trxId);
    await waitForHeading(page, words.submittedHeading);
    await scene.receive({ trxId, ...receipt });
    await waitForHeading(page, words.reviewHeading);
    const explanation = words.reviewReasons[reason].replace('{amount}', '৳1,250.00');
    await page.getByText(explanation).waitFor();
  });

  it('of two payers with one TrxID, the second is told that the shop looks at it', async () => {
    const [first, second] = [await scene.createPayment(), await scene.createPayment()];
    const trxId = nextTrxId();
    await scene.submit(first, { trxId });
    const page = await open(second);
    scene.clock.advance(1_000);
    await enterText(page, trxId);
    await waitForHeading(page, words.submittedHeading);
    await scene.receive({ trxId });
    await waitForHeading(page, words.reviewHeading);
    await page.getByText(words.reviewReasons.trx_id_used).waitFor();
  });

  it('two receipts that fit the four digits are never a guess', async () => {
    const amount = 1300;
    const page = await open(await scene.createPayment({ provider: 'qr', amount }));
    for (const seconds of [1, 2]) {
      const receivedAt = scene.clock.isoIn(-seconds * 1_000);
      await scene.receive({ provider: 'qr', last4digit: '7777', trxId: nextTrxId(), amount, receivedAt });
    }
    await enterText(page, '7777');
    await waitForHeading(page, words.reviewHeading);
    await page.getByText(words.reviewReasons.ambiguous).waitFor();
  });

  it.each([
    ['approve', words.verifiedHeading],
    ['reject', words.cancelledHeading],
  ] as const)('the page changes when the shop has decided: %s', async (decision, heading) => {
    const paymentId = await scene.createPayment();
    const trxId = nextTrxId();
    await scene.receive({ trxId, amount: 1000 });
    const page = await open(paymentId);
    await enterText(page, trxId);
    await waitForHeading(page, words.reviewHeading);
    await scene.review(paymentId, decision);
    await waitForHeading(page, heading);
  });
});

describe('when it is over', () => {
  it('an open page expires by itself, and still takes “I have already paid”', async () => {
    const page = await open(await scene.createPayment(), [409]);
    const trxId = nextTrxId();
    await field(page).fill(trxId);
    scene.clock.advance(HOUR_MS);
    await waitForHeading(page, words.expiredHeading);
    await page.getByRole('heading', { name: words.expiredPaid }).waitFor();
    expect(await field(page).inputValue()).toBe(trxId);

    await field(page).press('Enter');
    await waitForError(page, words.notices['payment.expired']);
    expect(await scene.receive({ trxId })).toBe('review');
    await waitForHeading(page, words.reviewHeading);
    await page.getByText(words.reviewReasons.late).waitFor();
  });

  it('a TrxID whose money is there goes from the expired page to the shop', async () => {
    const paymentId = await scene.createPayment({ cancelUrl: `${scene.shop.url}/cart` });
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    scene.clock.advance(HOUR_MS);
    const page = await open(paymentId);
    await waitForHeading(page, words.expiredHeading);
    expect(await page.getByRole('link', { name: words.backToShop }).getAttribute('href')).toBe(
      `${scene.shop.url}/cart`,
    );
    await enterText(page, trxId);
    await waitForHeading(page, words.reviewHeading);
    await page.getByText(words.reviewReasons.late).waitFor();
  });

  it('a submission that nobody confirmed for a day is over, too', async () => {
    const page = await open(await scene.createPayment());
    await enterText(page, nextTrxId());
    await waitForHeading(page, words.submittedHeading);
    scene.clock.advance(24 * HOUR_MS);
    await waitForHeading(page, words.expiredHeading);
  });

  it('the shop cancels: the page says so and takes nothing more', async () => {
    const paymentId = await scene.createPayment({ cancelUrl: `${scene.shop.url}/cart` });
    const page = await open(paymentId);
    await scene.cancel(paymentId);
    await waitForHeading(page, words.cancelledHeading);
    expect(await page.locator('form').count()).toBe(0);
    await page.getByRole('link', { name: words.backToShop }).click();
    await page.waitForURL(`${scene.shop.url}/cart`);
  });

  it.each(['01890000-0000-7000-8000-000000000000', 'nothing-like-an-id'])(
    'a link to %s is unknown',
    async (id) => {
      const { page, requests } = await visits.start(scene.one.http.url, { expectedStatuses: [404] });
      const answer = await page.goto(`/pay/${id}?lang=en`);
      expect(answer?.status()).toBe(404);
      await page.getByRole('heading', { level: 1, name: words.notFoundTitle }).waitFor();
      await page.locator('#language').click();
      await page.getByRole('heading', { level: 1, name: wordsOf('bn').notFoundTitle }).waitFor();
      expect(requests.filter((address) => address.includes('/api/'))).toEqual([]);
    },
  );
});
