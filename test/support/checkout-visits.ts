import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { closeBrowser } from './browser.js';
import { type CheckoutScene, startCheckoutScene } from './checkout-scene.js';
import { Visits } from './page-visit.js';

/** Within this a change on another replica must be on the screen, in milliseconds. */
export const LIVE_WITHIN_MS = 2_000;

/**
 * Two replicas and a shop for the tests of a file, handed over once they run, and the browsers of their payers.
 * Whatever a page must not do fails the test that opened it.
 */
export function visitScene(take: (scene: CheckoutScene) => void): Visits {
  const visits = new Visits();
  let scene: CheckoutScene;
  beforeAll(async () => {
    scene = await startCheckoutScene();
    take(scene);
  });
  afterEach(async () => {
    expect(await visits.finish()).toEqual([]);
  });
  afterAll(async () => {
    await closeBrowser();
    await scene.close();
  });
  return visits;
}

/** The field that can be seen. */
export const field = (page: Page): Locator => page.locator('form:visible input[type=text]');

/** The heading that says where the payment stands. */
export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Types into it, and sends the form by Enter. */
export async function enterText(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
}
