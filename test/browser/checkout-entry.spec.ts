import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { type CheckoutScene, nextTrxId } from '../support/checkout-scene.js';
import { field, heading, LIVE_WITHIN_MS, visitScene } from '../support/checkout-visits.js';
import { seriousFindings } from '../support/page-visit.js';

/*
 * Rules: contract 4.61 to 4.63, 5.29, 5.34.
 *
 * Goal: what a payer enters is taken by the first press of the button, whatever the page has to say at that moment;
 * four digits are never guessed; and when the tries are used up the page says so and still shows the money when it
 * comes. Method: the real application in a real browser of 360 pixels, pressed with a mouse and with a finger.
 */

/** A slow press of a mouse button, in milliseconds. */
const PRESS_MS = 120;

const words = wordsOf('en');
const bangla = wordsOf('bn');
let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

const button = (page: Page) => page.locator('form:visible button[type=submit]');
const doubt = (page: Page) => page.locator('form:visible [data-doubt-text]');

async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await button(page).boundingBox();
  if (box === null) throw new Error('There is no button.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Presses with the mouse as a hand does: aims first, then presses, then lets go. */
async function press(page: Page, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  const { x, y } = await middleOf(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.waitForTimeout(PRESS_MS);
  await meanwhile();
  await page.mouse.up();
}

async function tap(page: Page): Promise<void> {
  const { x, y } = await middleOf(page);
  await page.touchscreen.tap(x, y);
}

/** Collects the bodies of submissions; the answer is a refusal, so that the form stays. */
async function collectSubmissions(page: Page): Promise<unknown[]> {
  const bodies: unknown[] = [];
  await page.route('**/verify', async (route) => {
    bodies.push(route.request().postDataJSON());
    await route.fulfill({ status: 409, json: { code: 'payment.trx_id_used' } });
  });
  return bodies;
}

describe('the first press sends', () => {
  const ODD_IDS = ['TRX1234567890AB', 'ABC123', 'dkl4m7x2', 'A.B-C_D.E-F'];

  it.each(ODD_IDS.flatMap((id) => [[id, 'bn'] as const, [id, 'en'] as const]))(
    'an odd TrxID, by mouse and by finger: %s (%s)',
    async (trxId, language) => {
      for (const hasTouch of [false, true]) {
        const { page, requests } = await visits.start(scene.one.http.url, { hasTouch, isMobile: hasTouch });
        await page.goto(`/pay/${await scene.createPayment()}?lang=${language}`);
        await field(page).pressSequentially(trxId);
        await button(page).scrollIntoViewIfNeeded();
        await (hasTouch ? tap(page) : press(page));
        await heading(page, wordsOf(language).submittedHeading).waitFor();
        expect(requests.filter((address) => address.endsWith('/verify'))).toHaveLength(1);
        await page.locator('.doubt:visible').waitFor();
      }
    },
  );

  it('the doubt is said and shown below the button, which stays where it is', async () => {
    const { page } = await visits.start(scene.one.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await field(page).pressSequentially('ABCDEF');
    await button(page).scrollIntoViewIfNeeded();
    const before = await middleOf(page);
    await field(page).blur();
    await doubt(page).waitFor();
    expect(await middleOf(page)).toEqual(before);
    await page.locator('#live').getByText('10 letters and digits').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('a doubt that is over is gone before the button is pressed, at the page’s very end', async () => {
    const { page, requests } = await visits.start(scene.one.http.url, {
      viewport: { width: 360, height: 400 },
    });
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await field(page).fill('ABCDEF');
    await field(page).blur();
    await doubt(page).waitFor();
    await field(page).fill('');
    await field(page).pressSequentially(nextTrxId());
    expect(await doubt(page).isVisible()).toBe(false);
    await page.evaluate(`window.scrollTo(0, document.body.scrollHeight)`);
    await button(page).scrollIntoViewIfNeeded();
    await press(page);
    await heading(page, words.submittedHeading).waitFor();
    expect(requests.filter((address) => address.endsWith('/verify'))).toHaveLength(1);
  });

  it('the connection goes while the button is pressed: nothing moves, and it is sent when it is back', async () => {
    const { page, context } = await visits.start(scene.one.http.url, { goesOffline: true });
    await page.goto(`/pay/${await scene.createPayment({ provider: 'bkash' })}?lang=en`);
    await page.evaluate(`(() => {
      document.documentElement.style.overflowAnchor = 'none';
      window.scrollTo(0, 0);
    })()`);
    await page.setViewportSize({ width: 360, height: 1_600 });
    await field(page).pressSequentially('TRX1234567890AB');
    const before = await middleOf(page);
    await press(page, async () => {
      await context.setOffline(true);
      await page.waitForTimeout(PRESS_MS);
      expect(await middleOf(page)).toEqual(before);
      expect(await page.locator('#connection').textContent()).toBe('');
    });
    await page.locator('#connection').getByText(words.script.keptOffline).waitFor();
    await context.setOffline(false);
    await heading(page, words.submittedHeading).waitFor();
  });

  it('the page changes while something is pressed: only when it is let go', async () => {
    const { page } = await visits.start(scene.one.http.url);
    const paymentId = await scene.createPayment({ provider: 'bkash' });
    await page.goto(`/pay/${paymentId}?lang=en`);
    await field(page).pressSequentially('TRX1234567890AB');
    await button(page).scrollIntoViewIfNeeded();
    await press(page, async () => {
      await scene.submit(paymentId, { trxId: nextTrxId() });
      await page.waitForTimeout(1_000);
      expect(await field(page).isVisible()).toBe(true);
    });
    await heading(page, words.submittedHeading).waitFor();
    await page.locator('.facts').getByText('TRX1234567890AB').waitFor();
  });
});

describe('four digits', () => {
  it.each([
    ['0427', '0427'],
    ['০৪২৭', '0427'],
    ['+880 1712-345678', '5678'],
    ['01***0251', '0251'],
    ['4242 **** **** 0042', '0042'],
    ['01XX-XXX0251', '0251'],
    ['01xx–xxx 02 51', '0251'],
    ['•••0251', '0251'],
    ['12345', null],
    ['1234567', null],
    ['1234-5678', null],
    ['0251**', null],
    ['01712***251', null],
    ['****', null],
  ])('of %s are %s', async (typed, expected) => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [409] });
    const bodies = await collectSubmissions(page);
    await page.goto(`/pay/${await scene.createPayment({ provider: 'qr' })}?lang=en`);
    await field(page).fill(typed);
    await field(page).press('Enter');
    const explanation = words.notices[expected === null ? 'last4digit.invalid' : 'payment.trx_id_used'];
    await page.locator('form:visible .error').getByText(explanation, { exact: true }).waitFor();
    expect(bodies).toEqual(expected === null ? [] : [{ last4digit: expected, provider: 'qr' }]);
  });
});

describe('too many tries', () => {
  // Digits that fit a receipt of the test before, within its window, would lead to review.
  beforeEach(() => scene.clock.advance(10 * 60_000));

  async function useUpBut(paymentId: string, left: number): Promise<void> {
    const tries = ['0001', '0002', '0003', '0004', '0005'].slice(0, 5 - left);
    for (const last4digit of tries) await scene.submit(paymentId, { last4digit, provider: 'qr' });
  }

  it('the sixth different submission: a state of its own, that lasts, and that the money ends', async () => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [429] });
    const paymentId = await scene.createPayment({ provider: 'qr' });
    await useUpBut(paymentId, 1);
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.evaluate(`window.neverReloaded = true`);
    await page.getByText(words.sendAnother).click();
    // On another device, so that this page still has its form.
    await scene.submit(paymentId, { last4digit: '0005', provider: 'qr' });
    await field(page).fill('0006');
    await button(page).click();

    await heading(page, words.byHandHeading).waitFor();
    expect(await page.evaluate(`[window.neverReloaded, document.activeElement.id]`)).toEqual([true, 'state']);
    expect(await page.title()).toContain(words.byHandTitle);
    for (const text of [words.limitedLead, words.byHandWhy.last4digit, words.limitedKeep])
      await page.locator('.status').getByText(text, { exact: true }).waitFor();
    expect(await page.locator('.facts').innerText()).toContain('0005');

    await page.reload();
    await heading(page, words.byHandHeading).waitFor();
    await page.evaluate(`window.neverReloaded = true`);
    await page.locator('#language').click();
    await heading(page, bangla.byHandHeading).waitFor();
    await page.locator('.status').getByText(bangla.byHandWhy.last4digit).waitFor();

    expect(await scene.receive({ last4digit: '0005' })).toBe('matched');
    await heading(page, bangla.verifiedHeading).waitFor({ timeout: LIVE_WITHIN_MS });
    expect(await page.evaluate(`window.neverReloaded`)).toBe(true);
  });

  it('money that comes for one of those goes to the shop, and the page says so', async () => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [429] });
    const paymentId = await scene.createPayment({ provider: 'qr' });
    await useUpBut(paymentId, 0);
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.getByText(words.byHandAgain).click();
    for (const last4digit of ['0006', '0007']) {
      await field(page).fill(last4digit);
      await button(page).click();
      await page
        .locator('form:visible .error')
        .getByText(words.notices['payment.too_many_attempts'])
        .waitFor();
      expect(await field(page).inputValue()).toBe('');
    }
    expect(await scene.receive({ last4digit: '0006' })).toBe('review');
    await heading(page, words.reviewHeading).waitFor({ timeout: LIVE_WITHIN_MS });
    await page.getByText(words.reviewReasons.flagged).waitFor();
  });

  it('beyond those that are kept there is no form, and the page says what to do', async () => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [429] });
    const paymentId = await scene.createPayment({ provider: 'qr' });
    await useUpBut(paymentId, 0);
    for (const last4digit of ['0006', '0007', '0008', '0009'])
      await scene.submit(paymentId, { last4digit, provider: 'qr' });
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.getByText(words.byHandAgain).click();
    await field(page).fill('0010');
    await button(page).click();
    await heading(page, words.limitedHeading).waitFor();
    expect(await page.title()).toContain(words.limitedTitle);
    expect(await page.locator('form').count()).toBe(0);
    for (const text of [words.limitedLead, words.limitedWhy.last4digit, words.limitedKeep, words.limitedNext])
      await page.getByText(text, { exact: true }).waitFor();
  });

  it('the eleventh different TrxID', async () => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [429] });
    const paymentId = await scene.createPayment({ provider: 'bkash' });
    for (let tries = 0; tries < 9; tries += 1) await scene.submit(paymentId, { trxId: nextTrxId() });
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.getByText(words.sendAnother).click();
    const last = nextTrxId();
    await scene.submit(paymentId, { trxId: last });
    await field(page).fill(nextTrxId());
    await button(page).click();
    await heading(page, words.byHandHeading).waitFor();
    await page.locator('.status').getByText(words.byHandWhy.trxId).waitFor();
    await scene.receive({ trxId: last });
    await heading(page, words.verifiedHeading).waitFor({ timeout: LIVE_WITHIN_MS });
  });

  it('of one kind leave the other as it was: a TrxID is taken', async () => {
    const { page } = await visits.start(scene.one.http.url);
    const paymentId = await scene.createPayment();
    await useUpBut(paymentId, 0);
    await page.goto(`/pay/${paymentId}?lang=en`);
    await heading(page, words.byHandHeading).waitFor();
    await page.getByText(words.byHandAgain).click();
    await page.locator('.panel:visible .callout').getByText(words.byHandWhy.last4digit).waitFor();
    await page.locator('label.tile').getByText('bKash', { exact: true }).click();
    const trxId = nextTrxId();
    await field(page).fill(trxId);
    await button(page).click();
    await heading(page, words.submittedHeading).waitFor();
    await page.locator('.facts').getByText(trxId).waitFor();
  });

  it('a page that was left open says so at the form of the kind that ran out', async () => {
    const { page } = await visits.start(scene.one.http.url, { expectedStatuses: [429] });
    const paymentId = await scene.createPayment();
    await useUpBut(paymentId, 1);
    await scene.submit(paymentId, { trxId: nextTrxId(), provider: 'bkash' });
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.getByText(words.sendAnother).click();
    await page.locator('label.tile').getByText('Bangla QR', { exact: true }).click();
    await scene.submit(paymentId, { last4digit: '0005', provider: 'qr' });
    await scene.submit(paymentId, { trxId: nextTrxId(), provider: 'bkash' });
    await field(page).fill('0006');
    await button(page).click();
    await page.locator('.panel:visible .callout').getByText(words.byHandWhy.last4digit).waitFor();
    await page.locator('#live').getByText(words.notices['payment.too_many_attempts']).waitFor();
    await heading(page, words.submittedHeading).waitFor();
  });

  it('after the time is over it is the same', async () => {
    const { page } = await visits.start(scene.one.http.url);
    const paymentId = await scene.createPayment({ provider: 'qr' });
    await useUpBut(paymentId, 0);
    scene.clock.advance(25 * 3_600_000);
    await page.goto(`/pay/${paymentId}?lang=en`);
    await heading(page, words.expiredHeading).waitFor();
    await page.locator('.callout').getByText(words.byHandWhy.last4digit).waitFor();
    for (const last4digit of ['0006', '0007', '0008', '0009', '0010'])
      await scene.submit(paymentId, { last4digit, provider: 'qr' });
    await page.reload();
    await page.locator('.callout').getByText(words.limitedWhy.last4digit).waitFor();
    expect(await page.locator('form').count()).toBe(0);
  });
});

describe('the paid page', () => {
  it('names the wallet of the receipt where the payer named none', async () => {
    const { page } = await visits.start(scene.one.http.url);
    const paymentId = await scene.createPayment();
    const trxId = nextTrxId();
    await scene.receive({ trxId, provider: 'nagad' });
    await scene.submit(paymentId, { trxId });
    await page.goto(`/pay/${paymentId}?lang=en`);
    const rows = await page.locator('.receipt .facts > div').allInnerTexts();
    expect(rows.map((row) => row.replace(/\s+/g, ' '))).toContain('Wallet Nagad');
  });

  it('leads back with this payment’s id alone', async () => {
    const { page } = await visits.start(scene.one.http.url, { mayLeaveFor: scene.shop.url });
    const paymentId = await scene.createPayment({ redirectUrl: `${scene.shop.url}/t?o=1&paymentId=zz#frag` });
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    await scene.submit(paymentId, { trxId });
    await page.goto(`/pay/${paymentId}?lang=en`);
    const expected = `${scene.shop.url}/t?o=1&paymentId=${paymentId}#frag`;
    expect(await page.locator('#page').getAttribute('data-redirect-url')).toBe(expected);
    await page.getByRole('link', { name: words.backToShop }).click();
    await page.waitForURL(expected);
  });
});
