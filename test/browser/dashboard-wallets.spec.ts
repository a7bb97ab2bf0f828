import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { checksumOf } from '../../src/platform/web/emv-qr.js';
import { renderQrSvg } from '../../src/platform/web/qr-svg.js';
import {
  type DashboardScene,
  MERCHANT,
  signInOnPage,
  startDashboardScene,
} from '../support/dashboard-scene.js';
import {
  decodeQr,
  keepScreenshot,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  Visits,
} from '../support/page-visit.js';

/*
 * Rules: contract 10.16, 14.39.
 *
 * Goal: the printed code comes into the shop by a photo (contract 10.28).
 * Method: a real browser uploads what it has photographed from its own screen, with and without a script.
 */

const UNSIGNED = '00020126150011bd.banglaqr53030505802BD5911Dhaka Books6005Dhaka6304';
const SHOP_QR = UNSIGNED + checksumOf(UNSIGNED);

let scene: DashboardScene;
const visits = new Visits();

beforeAll(async () => {
  scene = await startDashboardScene();
});
afterAll(() => scene.close());
afterEach(async () => {
  expect(await visits.finish()).toEqual([]);
});

it.each([
  ['with-script', { javaScriptEnabled: true, viewport: PHONE }],
  ['without-script', { javaScriptEnabled: false, viewport: { width: 1280, height: 800 } }],
] as const)('%s', async (cell, options) => {
  const { page } = await visits.start(scene.one.http.url, {
    locale: 'en-GB',
    ...options,
    expectedStatuses: [400],
  });
  await page.setContent(`<main style="width: 340px">${String(renderQrSvg(SHOP_QR, 'code'))}</main>`);
  const photo = await page.screenshot({ type: 'jpeg', quality: 60 });
  await page.setContent('<p>No code at all</p>');
  const empty = await page.screenshot({ type: 'jpeg' });
  await signInOnPage(page, MERCHANT);
  const { body } = await scene.one.http.get<{ wallets: { provider: string }[] }>(
    `/api/v1/stores/${scene.store.id}`,
    scene.merchant,
  );
  const index = body.wallets.findIndex(({ provider }) => provider === 'qr');
  await page.goto(`/dashboard/stores/${scene.store.id}/wallets/${index}`);
  const upload = async (buffer: Buffer) => {
    await page.getByLabel('Picture').setInputFiles({ name: 'code.jpg', mimeType: 'image/jpeg', buffer });
    await page.getByRole('button', { name: 'Read the picture' }).click();
  };
  await upload(empty);
  expect(await page.locator('main').innerText()).toContain('No QR code was found');
  await upload(photo);
  expect(await page.locator('main').innerText()).toContain('Dhaka Books');
  expect(await decodeQr(await page.locator('svg.qr-code').screenshot())).toBe(SHOP_QR);
  await keepScreenshot(page, `dashboard/wallet-picture-${cell}`);
  if (options.javaScriptEnabled) expect(await seriousFindings(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await page.locator('main > [role=status]').innerText()).toContain('Saved');
});
