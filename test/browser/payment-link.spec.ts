import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/checkout/page/checkout-words.js';
import { linkWordsOf } from '../../src/payment-links/page/link-words.js';
import type { Language } from '../../src/platform/web/language.js';
import { type CheckoutScene, nextTrxId } from '../support/checkout-scene.js';
import { field, heading, visitScene } from '../support/checkout-visits.js';
import { decodeQr, keepScreenshot, PHONE, seriousFindings, sidewaysScroll } from '../support/page-visit.js';
import { signIn } from '../support/test-app.js';

/*
 * Rules: contract 11.9 to 11.11, 11.13, 11.16.
 *
 * Goal: somebody who gets a link in a chat pays with it, on any phone, with or without scripts, in either language.
 * Method: the real page in Chromium, from the link to the paid page; axe-core, the width of the page, and pictures to
 * look at.
 */

let scene: CheckoutScene;
const visits = visitScene((started) => (scene = started));

interface Link {
  readonly id: string;
  readonly slug: string;
}

async function makeLink(body: Record<string, unknown> = {}): Promise<Link> {
  const answer = await scene.one.http.post<Link>(
    '/api/v1/payment-links',
    {
      title: 'হাতে বোনা লাল শাড়ি',
      note: 'ঢাকার ভেতরে ডেলিভারি ফ্রি',
      products: [{ name: 'শাড়ি', quantity: 1, price: 1250 }],
      ...body,
    },
    scene.store.key,
  );
  if (answer.status !== 201) throw new Error(`Making a link was answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

const origin = () => scene.one.http.url;
const ASKING = { minAmount: 100, maxAmount: 5000, askName: true, askPhone: true };
const CELLS: readonly { name: string; language: Language; dark: boolean; script: boolean; width: number }[] =
  [
    { name: 'bn-360', language: 'bn', dark: false, script: true, width: 360 },
    { name: 'en-360-dark-noscript', language: 'en', dark: true, script: false, width: 360 },
    { name: 'bn-1280-dark', language: 'bn', dark: true, script: true, width: 1280 },
  ];

describe('a link from a chat', () => {
  for (const { name, language, dark, script, width } of CELLS) {
    it(`is paid in ${name}`, async () => {
      const words = linkWordsOf(language);
      const link = await makeLink(ASKING);
      const { page } = await visits.start(origin(), {
        viewport: { ...PHONE, width },
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: script,
        locale: language === 'bn' ? 'bn-BD' : 'en-GB',
        expectedStatuses: [400],
      });
      await page.goto(`/l/${link.slug}`);
      await keepScreenshot(page, `payment-link/${name}`);
      expect(await sidewaysScroll(page)).toBe(0);
      if (script) expect(await seriousFindings(page)).toEqual([]);

      await page.getByLabel(words.amountLabel).fill('99');
      await page.getByLabel(words.phoneLabel).fill('01700000002');
      await page.getByRole('button', { name: words.submit }).click();
      expect(await page.getByRole('alert').textContent()).toContain(words.checkFields);
      expect(await page.getByLabel(words.phoneLabel).inputValue()).toBe('01700000002');
      await keepScreenshot(page, `payment-link/${name}-wrong`);
      if (script) expect(await seriousFindings(page)).toEqual([]);

      await page.getByLabel(words.amountLabel).fill('১,২৫০');
      await page.getByLabel(words.nameLabel).fill('Rahim Uddin');
      await page.getByRole('button', { name: words.submit }).click();
      await page.waitForURL('**/pay/*');
      const paymentId = new URL(page.url()).pathname.slice('/pay/'.length);
      const trxId = nextTrxId();
      await field(page).fill(trxId);
      await page.keyboard.press('Enter');
      await heading(page, wordsOf(language).submittedHeading).waitFor();
      expect(await scene.receive({ trxId })).toBe('matched');
      if (!script) await page.goto(`/pay/${paymentId}`);
      await heading(page, wordsOf(language).verifiedHeading).waitFor();
    });
  }

  it('pressed twice, or sent again after going back, is one payment', async () => {
    const link = await makeLink({ amount: 1250 });
    const { page } = await visits.start(origin(), { javaScriptEnabled: false });
    await page.goto(`/l/${link.slug}`);
    const button = page.getByRole('button', { name: linkWordsOf('bn').submit });
    await button.dblclick();
    await page.waitForURL('**/pay/*');
    const first = page.url();
    await page.goBack();
    await page.goForward();
    expect(page.url()).toBe(first);
    const listed = await scene.one.http.get<{ data: unknown[] }>(
      `/api/v1/payments?paymentLinkId=${link.id}`,
      scene.store.key,
    );
    expect(listed.body.data.length).toBe(1);
  });
});

describe('a link that takes nothing', () => {
  it('says so, and where it is unknown, too', async () => {
    const link = await makeLink({ amount: 5 });
    await scene.one.http.request('PATCH', `/api/v1/payment-links/${link.id}`, {
      headers: scene.store.key,
      body: { active: false },
    });
    const { page } = await visits.start(origin(), { expectedStatuses: [404, 410] });
    await page.goto(`/l/${link.slug}`);
    await heading(page, linkWordsOf('bn').closedTitle.off).waitFor();
    await keepScreenshot(page, 'payment-link/closed');
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto('/l/no-such-link');
    await heading(page, linkWordsOf('bn').notFoundTitle).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'English' }).click();
    await heading(page, linkWordsOf('en').notFoundTitle).waitFor();
  });
});

describe('the QR code of a link', () => {
  it('scans to its address', async () => {
    const link = await makeLink({ amount: 5 });
    const path = `/api/v1/stores/${scene.store.id}/payment-links/${link.id}/qr`;
    const { text: svg } = await scene.one.http.get(path, await signIn(scene.one.http));
    const { page } = await visits.start(origin());
    await page.setContent(svg);
    const picture = await page.locator('svg').screenshot();
    expect(await decodeQr(picture)).toMatch(new RegExp(`/l/${link.slug}$`));
  });
});
