import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { type CheckoutScene, nextTrxId } from '../support/checkout-scene.js';
import { enterText, field, heading, visitScene } from '../support/checkout-visits.js';
import { startDatabaseLine } from '../support/database-line.js';
import { HOUR_MS } from '../support/money-clock.js';
import { keepScreenshot, seriousFindings } from '../support/page-visit.js';
import { startTestApp } from '../support/test-app.js';

/*
 * Rules: contract 5.22 to 5.25, 5.33, 5.35, 5.36.
 *
 * Goal: the checkout page under the conditions payers really have: a slow or broken connection, a browser without
 * JavaScript, another language; and what it promises about itself: small, from this server alone, under a strict
 * policy. Method: the real application in a real browser, whose connection is cut and whose bytes are counted.
 */

/** Everything the first look at the page costs, as it comes over the line, headers included. */
const MOST_BYTES = 60_000;

const words = wordsOf('en');
const bangla = wordsOf('bn');
let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

describe('what the page asks for', () => {
  it.each(['bn', 'en'])('is little: at most 60 KB as sent, once (%s)', async (language) => {
    const { page, context } = await visits.start(scene.one.http.url);
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    let bytes = 0;
    let fromCache = 0;
    network.on('Network.responseReceived', ({ response }) => {
      if (response.fromDiskCache) fromCache += 1;
      if (response.mimeType === 'text/event-stream') bytes += response.encodedDataLength;
    });
    network.on('Network.requestServedFromCache', () => (fromCache += 1));
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const look = async () => {
      const stream = page.waitForResponse('**/events');
      await page.goto(`/pay/${await scene.createPayment()}?lang=${language}`, { waitUntil: 'networkidle' });
      await stream;
    };
    await look();
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(fromCache).toBe(0);
    await look();
    expect(fromCache).toBeGreaterThanOrEqual(2);
  });

  it('comes from this server alone, by a policy that the browser enforces', async () => {
    const { page } = await visits.start(scene.one.http.url);
    const answer = await page.goto(`/pay/${await scene.createPayment()}`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    const directives = policy.split('; ').map((directive) => directive.split(' '));
    const sources = Object.fromEntries(directives.map(([name = '', ...values]) => [name, values.join(' ')]));
    expect(sources).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    });
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      const image = document.createElement('img');
      image.src = '${scene.shop.url}/pixel.png';
      document.body.append(image);
    })()`);
    expect(await page.evaluate(`window.injected`)).toBeUndefined();
    await page.evaluate(`new Promise((done) => setTimeout(done))`);
    const complaints = (await visits.finish()).join('\n');
    expect(complaints).toMatch(/inline script .*Content Security Policy/);
    expect(complaints).toMatch(/image .*Content Security Policy/);
    expect(scene.shop.visited.join()).not.toContain('pixel');
  });

  it('can be an operator’s own: name, colour and logo, still from this server alone', async () => {
    const app = await startTestApp({
      database: scene.one.database,
      clock: scene.clock,
      environment: {
        CHECKOUT_BRAND_NAME: 'Amar Pay',
        CHECKOUT_BRAND_COLOUR: '#ffde2d',
        CHECKOUT_BRAND_LOGO: resolve('src/platform/web/assets/icon.svg'),
      },
    });
    const { page } = await visits.start(app.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await page.getByText('Checkout: Amar Pay').waitFor();
    expect(await page.evaluate(`document.querySelector('img.logo').naturalWidth`)).toBeGreaterThan(0);
    expect(
      await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--accent')`),
    ).not.toBe('#0b6b4f');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
      await keepScreenshot(page, `brand-en-${colorScheme}`);
    }
    await app.close();
  });

  it('shows what a merchant wrote, and never runs it', async () => {
    const evil = `"><img src=x onerror="alert(1)"><script>alert(2)</script>`;
    const paymentId = await scene.createPayment({
      note: evil,
      products: [{ name: evil, quantity: 1, price: 1 }],
    });
    const { page } = await visits.start(scene.one.http.url);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`/pay/${paymentId}?lang=en`);
    await page.locator('.note').getByText(evil).waitFor();
    await page.locator('.product-list').getByText(evil).waitFor();
    expect(dialogs).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  it('offline: says so, keeps what is typed, and sends it when the connection is back', async () => {
    const { page, context } = await visits.start(scene.one.http.url, { goesOffline: true });
    const paymentId = await scene.createPayment();
    await page.goto(`/pay/${paymentId}?lang=en`);
    const trxId = nextTrxId();
    await context.setOffline(true);
    await page.getByText(words.script.offline).waitFor();
    await enterText(page, trxId);
    await page.getByText(words.script.keptOffline).waitFor();
    expect(await field(page).inputValue()).toBe(trxId);
    await keepScreenshot(page, 'offline-en-light');
    await context.setOffline(false);
    await heading(page, words.submittedHeading).waitFor();
    await page.locator('#connection:empty').waitFor({ state: 'attached' });
    await scene.receive({ trxId });
    await heading(page, words.verifiedHeading).waitFor();
  });

  it('what happened while it was away is on the screen when it is back', async () => {
    const { page, context } = await visits.start(scene.one.http.url, { goesOffline: true });
    const paymentId = await scene.createPayment();
    await page.goto(`/pay/${paymentId}?lang=en`);
    await context.setOffline(true);
    await page.getByText(words.script.offline).waitFor();
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    await scene.submit(paymentId, { trxId });
    await context.setOffline(false);
    await heading(page, words.verifiedHeading).waitFor();
  });

  it('a server that does not answer is tried again, until what is typed changes', async () => {
    const { page, context } = await visits.start(scene.one.http.url, { goesOffline: true });
    await page.clock.install();
    let refused = 0;
    await context.route('**/verify', (route) => {
      refused += 1;
      return route.abort('internetdisconnected');
    });
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await enterText(page, 'FIRSTENTRY');
    await page.getByText(words.script.keptUnreachable).waitFor();
    await page.clock.runFor(1_500);
    await expect.poll(() => refused).toBe(2);
    await field(page).fill('SECONDTRY1');
    await page.locator('#connection:empty').waitFor({ state: 'attached' });
    await page.clock.runFor(10_000);
    expect(refused).toBe(2);
    await context.unroute('**/verify');
    await page.keyboard.press('Enter');
    await heading(page, words.submittedHeading).waitFor();
    expect(await page.locator('.facts').innerText()).toContain('SECONDTRY1');
  });

  it('a service that loses its database for a moment gets what was typed all the same', async () => {
    const line = await startDatabaseLine(scene.one.database);
    const app = await startTestApp({ database: line.database, clock: scene.clock });
    const { page } = await visits.start(app.http.url, { expectedStatuses: [503] });
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await line.cut();
    await enterText(page, nextTrxId());
    await page.getByText(words.script.keptUnreachable).waitFor();
    await line.mend();
    await heading(page, words.submittedHeading).waitFor();
    await page.context().close();
    await app.close();
    await line.cut();
  });

  it('a page that is loaded again still holds the wallet and what was typed', async () => {
    const { page } = await visits.start(scene.one.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await page.locator('label.tile').getByText('Nagad', { exact: true }).click();
    await field(page).fill('75XK3');
    await page.reload();
    await page.getByText('Nagad · Make Payment').waitFor();
    expect(await field(page).inputValue()).toBe('75XK3');
  });
});

describe('the language', () => {
  const languageOf = (page: Page) => page.locator('html').getAttribute('lang');

  it.each([
    ['fr-FR', '', 'bn'],
    ['bn-BD', '', 'bn'],
    ['en-GB', '', 'en'],
    ['en-GB', '?lang=bn', 'bn'],
    ['bn-BD', '?lang=en', 'en'],
    ['en-GB', '?lang=fr', 'en'],
  ])('of a browser in %s at /pay/:id%s is %s', async (locale, query, expected) => {
    const { page } = await visits.start(scene.one.http.url, { locale });
    await page.goto(`/pay/${await scene.createPayment()}${query}`);
    expect(await languageOf(page)).toBe(expected);
    await page.getByText(wordsOf(expected as 'bn' | 'en').amountToPay).waitFor();
  });

  it('changes in place, keeps what was typed, and is remembered for the next payment', async () => {
    const { page, context } = await visits.start(scene.one.http.url, { locale: 'en-GB' });
    await page.goto(`/pay/${await scene.createPayment()}`);
    await page.evaluate(`window.neverReloaded = true`);
    await page.locator('label.tile').getByText('upay', { exact: true }).click();
    await field(page).fill('01M3V6');
    await page.locator('#language').click();
    await page.getByText(bangla.amountToPay).waitFor();
    expect(await languageOf(page)).toBe('bn');
    expect(await page.evaluate(`window.neverReloaded`)).toBe(true);
    expect(await page.evaluate(`document.activeElement.id`)).toBe('language');
    expect(await field(page).inputValue()).toBe('01M3V6');
    expect(page.url()).toContain('?lang=bn');

    await page.goto(`/pay/${await scene.createPayment()}`);
    expect(await languageOf(page)).toBe('bn');
    const cookies = await context.cookies(page.url());
    expect(cookies).toMatchObject([
      { name: 'joma_lang', value: 'bn', path: '/', httpOnly: true, sameSite: 'Lax' },
    ]);
  });

  it('stays through every exchange of the page', async () => {
    const { page } = await visits.start(scene.one.http.url, { locale: 'en-GB' });
    await page.goto(`/pay/${await scene.createPayment()}?lang=bn`);
    const trxId = nextTrxId();
    await enterText(page, trxId);
    await heading(page, bangla.submittedHeading).waitFor();
    await scene.receive({ trxId });
    await heading(page, bangla.verifiedHeading).waitFor();
  });
});

describe('without JavaScript', () => {
  async function openPlain(paymentId: string, expectedStatuses: readonly number[] = []): Promise<Page> {
    const { page } = await visits.start(scene.one.http.url, { javaScriptEnabled: false, expectedStatuses });
    await page.goto(`/pay/${paymentId}?lang=en`);
    return page;
  }

  const notice = (page: Page, text: string) =>
    page.locator('.error, .notice').getByText(text, { exact: true });

  it('shows how to pay with each wallet, a clock time, and no button that would do nothing', async () => {
    const page = await openPlain(await scene.createPayment({ expiresInSeconds: 3600 }));
    await page.getByText(words.payBefore).waitFor();
    for (const [tile, title] of [
      ['bKash', 'bKash · Send Money'],
      ['Nagad', 'Nagad · Make Payment'],
      ['Rocket', 'Rocket · Cash Out'],
    ] as const) {
      await page.locator('label.tile').getByText(tile, { exact: true }).click();
      await page.getByText(title).waitFor();
      expect(await page.getByRole('button').allInnerTexts()).toEqual([words.submit]);
    }
    await keepScreenshot(page, 'without-script-en-light');
  });

  it('waits, and is paid when one looks again', async () => {
    const page = await openPlain(await scene.createPayment({ redirectUrl: `${scene.shop.url}/thanks` }));
    const trxId = nextTrxId();
    await enterText(page, trxId.toLowerCase());
    await heading(page, words.submittedHeading).waitFor();
    await scene.receive({ trxId });
    await page.getByRole('link', { name: words.checkNow }).click();
    await heading(page, words.verifiedHeading).waitFor();
    const back = page.getByRole('link', { name: words.backToShop });
    expect(await back.getAttribute('href')).toMatch(/\/thanks\?paymentId=[0-9a-f-]{36}$/);
    expect(await page.locator('[data-redirect]').isVisible()).toBe(false);
  });

  it('is paid at once when the receipt was first, by TrxID and by four digits', async () => {
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    const byId = await openPlain(await scene.createPayment());
    await enterText(byId, trxId);
    await heading(byId, words.verifiedHeading).waitFor();

    await scene.receive({ last4digit: '0099' });
    const byDigits = await openPlain(await scene.createPayment());
    await byDigits.locator('label.tile').getByText('Bangla QR', { exact: true }).click();
    await enterText(byDigits, '০০৯৯');
    await heading(byDigits, words.verifiedHeading).waitFor();
  });

  it('goes to the shop for review', async () => {
    const trxId = nextTrxId();
    await scene.receive({ trxId, amount: 1249.99 });
    const page = await openPlain(await scene.createPayment());
    await enterText(page, trxId);
    await heading(page, words.reviewHeading).waitFor();
  });

  it('explains what is typed wrong, beside the wallet that was chosen, and never shows a PIN again', async () => {
    const page = await openPlain(await scene.createPayment(), [400]);
    await page.locator('label.tile').getByText('Nagad', { exact: true }).click();
    await enterText(page, '01812345678');
    await notice(page, words.notices['trxId.phone']).waitFor();
    await page.getByText('Nagad · Make Payment').waitFor();
    expect(await field(page).inputValue()).toBe('01812345678');
    expect(await field(page).getAttribute('aria-invalid')).toBe('true');
    await enterText(page, '1234');
    await notice(page, words.notices['entry.pin']).waitFor();
    expect(await field(page).inputValue()).toBe('');
    expect(await page.content()).not.toContain('1234"');
  });

  it('says that a TrxID is used, and keeps it', async () => {
    const trxId = nextTrxId();
    await scene.receive({ trxId });
    await scene.submit(await scene.createPayment(), { trxId });
    const page = await openPlain(await scene.createPayment(), [409]);
    await enterText(page, trxId);
    await notice(page, words.notices['payment.trx_id_used']).waitFor();
    expect(await field(page).inputValue()).toBe(trxId);
  });

  it('says when there were too many tries, and goes on waiting for the last one', async () => {
    const paymentId = await scene.createPayment({ provider: 'qr' });
    for (const last4digit of ['0001', '0002', '0003', '0004']) await scene.submit(paymentId, { last4digit });
    const page = await openPlain(paymentId, [429]);
    await page.getByText(words.sendAnother).click();
    await scene.submit(paymentId, { last4digit: '0005' });
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await enterText(page, '0006');
    expect((await refused).status()).toBe(429);
    expect(Number((await refused).headers()['retry-after'])).toBeGreaterThan(0);
    await heading(page, words.byHandHeading).waitFor();
    await notice(page, words.notices['payment.too_many_attempts']).waitFor();
    await page.goto(`/pay/${paymentId}?lang=en`);
    await heading(page, words.byHandHeading).waitFor();
    await page.locator('.status').getByText(words.byHandWhy.last4digit).waitFor();
    await page.getByText(words.submittedKeepPlain).waitFor();
    expect(await page.getByText(words.limitedKeep).isVisible()).toBe(false);
    await page.locator('#language').click();
    await heading(page, bangla.byHandHeading).waitFor();
    await scene.receive({ last4digit: '0005' });
    await page.getByRole('link', { name: bangla.checkNow }).click();
    await heading(page, bangla.verifiedHeading).waitFor();
  });

  it('promises nothing that only the script does, and nothing turns', async () => {
    const trxId = nextTrxId();
    const page = await openPlain(await scene.createPayment());
    await enterText(page, trxId);
    await heading(page, words.submittedHeading).waitFor();
    await page.getByText(words.submittedKeepPlain).waitFor();
    expect(await page.getByText(words.submittedKeep).isVisible()).toBe(false);
    expect(await page.locator('.icon-waiting').isVisible()).toBe(false);
    await keepScreenshot(page, 'without-script-submitted-en-light');
    await scene.receive({ trxId, amount: 1 });
    await page.getByRole('link', { name: words.checkNow }).click();
    await heading(page, words.reviewHeading).waitFor();
    await page.getByText(words.reviewNextPlain).waitFor();
    expect(await page.getByText(words.reviewNext).isVisible()).toBe(false);
  });

  it('leaves what the page does by itself to where the script runs', async () => {
    const { page } = await visits.start(scene.one.http.url);
    await page.goto(`/pay/${await scene.createPayment()}?lang=en`);
    await enterText(page, nextTrxId());
    await heading(page, words.submittedHeading).waitFor();
    await page.getByText(words.submittedKeep).waitFor();
    expect(await page.getByText(words.submittedKeepPlain).isVisible()).toBe(false);
    expect(await page.locator('.icon-waiting').isVisible()).toBe(true);
    expect(await page.locator('.status .icon').count()).toBe(2);
  });

  it('takes “I have already paid” after the time is over', async () => {
    const page = await openPlain(await scene.createPayment(), [409]);
    scene.clock.advance(HOUR_MS);
    const trxId = nextTrxId();
    await enterText(page, trxId);
    await heading(page, words.expiredHeading).waitFor();
    await notice(page, words.notices['payment.expired']).waitFor();
    expect(await field(page).inputValue()).toBe(trxId);
    const late = nextTrxId();
    await scene.receive({ trxId: late });
    await enterText(page, late);
    await heading(page, words.reviewHeading).waitFor();
    await page.getByText(words.reviewReasons.late).waitFor();
  });

  it('says that the shop has cancelled', async () => {
    const paymentId = await scene.createPayment();
    const page = await openPlain(paymentId, [409]);
    await scene.cancel(paymentId);
    await enterText(page, nextTrxId());
    await heading(page, words.cancelledHeading).waitFor();
    await notice(page, words.notices['payment.cancelled']).waitFor();
  });

  it.each([
    ['paid', {}, words.verifiedHeading],
    ['in review', { amount: 1 }, words.reviewHeading],
  ])('shows a payment that is %s by now, whatever else is typed', async (_state, receipt, expected) => {
    const paymentId = await scene.createPayment();
    const page = await openPlain(paymentId);
    const trxId = nextTrxId();
    await scene.receive({ trxId, ...receipt });
    await scene.submit(paymentId, { trxId });
    await enterText(page, nextTrxId());
    await heading(page, expected).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
  });

  it('changes its language by a link', async () => {
    const page = await openPlain(await scene.createPayment());
    await page.locator('#language').click();
    await page.getByText(bangla.amountToPay).waitFor();
  });
});
