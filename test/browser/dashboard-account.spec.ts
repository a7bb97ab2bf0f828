import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { totpCode } from '../../src/accounts/second-factor/totp.js';
import { type DashboardScene, signInOnPage, startDashboardScene } from '../support/dashboard-scene.js';
import {
  decodeQr,
  keepScreenshot,
  PHONE,
  seriousFindings,
  sidewaysScroll,
  Visits,
} from '../support/page-visit.js';
import { signIn, createUser } from '../support/test-app.js';

/*
 * Rules: contract 10.16, 14.13, 14.15, 14.23.
 *
 * Goal: users see to their own account in the browser: second factor, first password, open sessions (contract 10.16
 * and 14.13). Method: the journeys with and without a script; the authenticator app is whatever reads the QR code on
 * the screen.
 */

let scene: DashboardScene;
const visits = new Visits();

beforeAll(async () => {
  scene = await startDashboardScene();
});
afterAll(() => scene.close());
afterEach(async () => {
  expect(await visits.finish()).toEqual([]);
});

const newUser = async (fields: Record<string, unknown> = {}) =>
  createUser(scene.one.http, await signIn(scene.one.http), fields);

const press = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name }).click();
const heading = (page: Page) => page.locator('h1').innerText();

async function look(page: Page, name: string): Promise<void> {
  await keepScreenshot(page, `dashboard/${name}`);
  expect(await seriousFindings(page), name).toEqual([]);
  expect(await sidewaysScroll(page), name).toBe(0);
}

describe.each([
  ['with-script', { javaScriptEnabled: true, viewport: PHONE }],
  [
    'without-script-dark',
    { javaScriptEnabled: false, colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  ],
] as const)('%s', (cell, options) => {
  const open = async (user: { email: string; password: string }, expectedStatuses: number[] = []) => {
    const all = { locale: 'en-GB', ...options, expectedStatuses };
    const { page } = await visits.start(scene.one.http.url, all);
    await signInOnPage(page, user);
    return page;
  };

  it('a second factor is set up, asked for, and removed', async () => {
    const user = await newUser();
    const page = await open(user, [401]);
    await page.goto('/dashboard/account');
    await press(page, 'Set up a second factor');
    await page.getByLabel('Current password').fill(user.password);
    await press(page, 'Set up a second factor');
    const uri = await decodeQr(await page.locator('svg.qr-code').screenshot());
    const secret = new URL(uri ?? '').searchParams.get('secret') ?? '';
    if (options.javaScriptEnabled) await look(page, 'second-factor');
    await page.getByLabel('Code').fill('000000');
    await press(page, 'Confirm');
    expect(await page.locator('main > [role=alert]').innerText()).toContain('wrong');
    expect(await decodeQr(await page.locator('svg.qr-code').screenshot())).toBe(uri);
    await page.getByLabel('Code').fill(totpCode(secret, scene.clock.now()));
    await press(page, 'Confirm');
    expect(await heading(page)).toContain('Recovery codes');
    const codes = await page.locator('.recovery-codes li').allInnerTexts();
    expect(new Set(codes).size).toBe(10);
    if (options.javaScriptEnabled) await look(page, 'recovery-codes');
    await page.goto('/dashboard/account');
    expect(await page.locator('main').innerText()).not.toContain(codes[0]);
    await page.getByRole('button', { name: 'Sign out' }).click();

    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await press(page, 'Sign in');
    expect(await page.locator('main > [role=alert]').innerText()).toContain('second factor');
    await page.getByLabel('Password').fill(user.password);
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await press(page, 'Sign in');
    expect(await heading(page)).toBe('Stores');

    await page.goto('/dashboard/account');
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await press(page, 'Remove the second factor');
    expect(await page.locator('main > [role=alert]').innerText()).toContain('wrong');
    await page.getByLabel('Code').fill(codes[1] ?? '');
    await press(page, 'Remove the second factor');
    expect(await page.locator('main').innerText()).toContain('Set up a second factor');
  });

  it('who must choose a password first is led there, and then on', async () => {
    const user = await newUser({ mustChangePassword: true });
    const page = await open(user);
    expect(await heading(page)).toBe('Account');
    await page.goto('/dashboard/stores/new');
    expect(await heading(page)).toBe('Account');
    if (options.javaScriptEnabled) await look(page, 'account-first');
    await page.getByLabel('Current password').fill(user.password);
    await page.getByLabel('New password').fill('nine yellow kites');
    await press(page, 'Save');
    expect(await heading(page)).toBe('Stores');
    expect(await page.locator('main > [role=status]').innerText()).toContain('changed');
  });

  it('another open session is ended', async () => {
    const user = await newUser();
    const [here, there] = [await open(user), await open(user)];
    await here.goto('/dashboard/account');
    await here.getByRole('button', { name: 'End' }).click();
    expect(await here.locator('main > [role=status]').innerText()).toContain('Ended');
    expect(await here.getByRole('button', { name: 'End', exact: true }).count()).toBe(0);
    await there.goto('/dashboard/account');
    expect(await heading(there)).toBe('Sign in');
  });
});
