import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { type CheckoutScene, nextTrxId, QR_PAYLOAD } from '../support/checkout-scene.js';
import { enterText, heading, LIVE_WITHIN_MS, visitScene } from '../support/checkout-visits.js';
import { decodeQr, keepScreenshot } from '../support/page-visit.js';
import { signIn } from '../support/test-app.js';

/*
 * Rules: contract 3.22, 4.99 to 4.101.
 *
 * Goal: a payer with an amount of their own sees it, can copy it and is told why it is odd; and who is in review, or
 * typed one letter for another, is told what to do and heard. Method: the real application in a real browser of 360
 * pixels.
 */

const words = wordsOf('en');
let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

interface PublicPayment {
  readonly payAmount: number;
  readonly status: string;
}

async function publicData(paymentId: string): Promise<PublicPayment> {
  return (await scene.one.http.get<PublicPayment>(`/api/v1/payments/public/${paymentId}`)).body;
}

async function uniqueAmounts(on: boolean): Promise<void> {
  const headers = await signIn(scene.one.http);
  const path = `/api/v1/stores/${scene.store.id}`;
  await scene.one.http.request('PATCH', path, { headers, body: { uniqueAmounts: on } });
}

async function open(
  paymentId: string,
  { lang = 'en', ...options }: { lang?: string; javaScriptEnabled?: boolean; permissions?: string[] } = {},
): Promise<Page> {
  const { page } = await visits.start(scene.one.http.url, options);
  await page.goto(`/pay/${paymentId}?lang=${lang}`);
  return page;
}

const money = (amount: number) => `৳${amount.toLocaleString('en-IN', { minimumFractionDigits: 2 })}`;

/** Everything that is written larger than the smallest element with this text. */
const LARGER = `(text) => {
  const own = [...document.querySelectorAll('body *')].filter((element) =>
    element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  const sizes = own.filter((element) => element.textContent.trim() === text && element.matches('.amount')).map(size);
  return own.filter((element) => size(element) > Math.min(...sizes)).map((element) => element.textContent.trim());
}`;

describe('an amount of one’s own', () => {
  beforeAll(() => uniqueAmounts(true));
  afterAll(() => uniqueAmounts(false));

  it('stands largest, at the top and at the code, with a button that copies it as a wallet takes it', async () => {
    const paymentId = await scene.createPayment();
    const { payAmount } = await publicData(paymentId);
    const page = await open(paymentId, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByText(`Send exactly ${money(payAmount)}`).waitFor();
    await page.locator('label.tile').getByText('Bangla QR', { exact: true }).click();
    const amounts = page.locator('.amount:visible').getByText(money(payAmount), { exact: true });
    expect(await amounts.count()).toBe(2);
    expect(await page.evaluate(`(${LARGER})(${JSON.stringify(money(payAmount))})`)).toEqual([]);
    expect(await decodeQr(await page.locator('svg.qr-code:visible').screenshot())).toBe(QR_PAYLOAD);
    await page.locator('.qr-amount [data-copy]:visible').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(payAmount.toFixed(2));
    // The price is never offered to be copied.
    expect(await page.locator('[data-copy="1250"]').count()).toBe(0);
    await keepScreenshot(page, 'own-amount-qr-en-light');

    await enterText(page, '0427');
    await heading(page, words.submittedHeading).waitFor();
    expect(await scene.receive({ last4digit: '0427', amount: payAmount })).toBe('matched');
    await heading(page, words.verifiedHeading).waitFor({ timeout: LIVE_WITHIN_MS });
    expect(await page.locator('.status .amount').innerText()).toBe(money(payAmount));
  });

  it('can be marked whole where no script copies it', async () => {
    const paymentId = await scene.createPayment();
    const { payAmount } = await publicData(paymentId);
    const page = await open(paymentId, { lang: 'bn', javaScriptEnabled: false });
    await page.locator('label.tile').getByText('বাংলা কিউআর', { exact: true }).click();
    const plain = page.locator('.qr-amount .plain-amount');
    expect(await plain.innerText()).toBe(payAmount.toFixed(2));
    expect(await page.locator('[data-copy]:visible').count()).toBe(0);
    await plain.click({ clickCount: 2 });
    expect(await page.evaluate('getSelection().toString()')).toBe(payAmount.toFixed(2));
    await keepScreenshot(page, 'own-amount-without-script-bn-light');
  });

  it('who sends the price instead is told that the shop looks at it', async () => {
    const paymentId = await scene.createPayment();
    const { payAmount } = await publicData(paymentId);
    const page = await open(paymentId);
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    await enterText(page, trxId);
    await heading(page, words.reviewHeading).waitFor();
    await page.getByText(words.reviewReasons.underpaid.replace('{amount}', money(payAmount))).waitFor();
  });
});

describe('while the shop looks at it', () => {
  it('who paid 400 of 500 and then the rest says so on the page', async () => {
    const paymentId = await scene.createPayment({ amount: 500 });
    const [first, rest] = [nextTrxId(), nextTrxId()];
    await scene.receive({ trxId: first, amount: 400 });
    await scene.submit(paymentId, { trxId: first });
    const page = await open(paymentId);
    await heading(page, words.reviewHeading).waitFor();
    await page.getByText(words.furtherRest.lead).waitFor();
    await page.locator('label.tile').getByText('bKash', { exact: true }).click();
    await enterText(page, rest);
    await page.locator('.facts').getByText(rest).waitFor();
    await heading(page, words.reviewHeading).waitFor();
    expect(await scene.receive({ trxId: rest, amount: 100 })).toBe('review');
    expect((await publicData(paymentId)).status).toBe('review');
  });

  it('whose payment a stranger’s submission has sent there types their own, without a script too', async () => {
    const paymentId = await scene.createPayment({ amount: 700, provider: 'bkash' });
    const [strange, own] = [nextTrxId(), nextTrxId()];
    await scene.receive({ trxId: strange, amount: 9_000 });
    await scene.submit(paymentId, { trxId: strange });
    await scene.receive({ trxId: own, amount: 700 });
    const page = await open(paymentId, { javaScriptEnabled: false });
    await page.getByText(words.further.lead).waitFor();
    await enterText(page, own);
    await page.getByText(words.reviewReasons.ambiguous).waitFor();
    await page.locator('.facts').getByText(own).waitFor();
  });
});

describe('“Did you mean …?”', () => {
  it.each([
    ['O for 0', 'DKL4M7X2QO', 'DKL4M7X2Q0'],
    ['I for 1', 'DKL4M7X2QI', 'DKL4M7X2Q1'],
  ])('%s: asked where exactly this money waits, and the right one pays', async (_what, right, typed) => {
    const paymentId = await scene.createPayment({ amount: 810, provider: 'bkash' });
    await scene.receive({ trxId: right, amount: 810 });
    const page = await open(paymentId);
    await enterText(page, typed);
    await heading(page, words.submittedHeading).waitFor();
    await page.locator('.doubt').getByText(words.lookAlikeDoubt).waitFor();
    // Never told: only who has the message can type it.
    expect(await page.content()).not.toContain(right);
    await page.getByText(words.sendAnother).click();
    await enterText(page, right);
    await heading(page, words.verifiedHeading).waitFor();
  });

  it('not where the money that waits is another', async () => {
    const paymentId = await scene.createPayment({ amount: 811, provider: 'bkash' });
    await scene.receive({ trxId: 'DKL4M7XOQA', amount: 810 });
    const page = await open(paymentId);
    await enterText(page, 'DKL4M7X0QA');
    await heading(page, words.submittedHeading).waitFor();
    expect(await page.getByText(words.lookAlikeDoubt).count()).toBe(0);
  });
});
