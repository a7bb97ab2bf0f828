import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, launchBrowser } from '../support/browser.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Rules: contract 8.29.
 *
 * Goal: somebody new can try the whole flow in Swagger UI, with the examples as they stand, under our security
 * policy. Method: a real browser does what the text at the top of the page says; whatever the browser refuses or asks
 * of another host fails the test.
 */

let service: TestApp;
let page: Page;
const complaints: string[] = [];
const elsewhere: string[] = [];

beforeAll(async () => {
  service = await startTestApp();
  const context = await (await launchBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(service.http.url)) {
      elsewhere.push(request.url());
    }
  });
  await page.goto(`${service.http.url}/api/docs`);
});
afterAll(async () => {
  await page.context().close();
  await closeBrowser();
  await service.close();
});

/** The block of one operation, opened. */
async function open(operationId: string): Promise<Locator> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.waitFor();
  if (!(await block.getByRole('button', { name: 'Execute' }).isVisible())) {
    await block.locator('.opblock-summary-control').click();
  }
  await block.getByRole('button', { name: 'Execute' }).waitFor();
  return block;
}

/** Presses Execute, gives what the server answered, and waits until the page shows it. */
async function execute(block: Locator): Promise<{ status: number; body: Record<string, unknown> }> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().startsWith(`${service.http.url}/api/`)),
    block.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const shown = block
    .locator('.live-responses-table .response-col_status')
    .filter({ hasText: String(answer.status()) });
  await shown.first().waitFor();
  return { status: answer.status(), body: (await answer.json()) as Record<string, unknown> };
}

/** Pastes a credential under Authorize. */
async function authorise(scheme: string, credential: unknown): Promise<void> {
  await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
  const form = page.locator('.auth-container').filter({ has: page.locator(`h4 code:text-is("${scheme}")`) });
  await form.locator('input').fill(String(credential));
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await form.getByRole('button', { name: 'Remove authorization' }).waitFor();
  await form.getByRole('button', { name: 'Close' }).click();
  await form.waitFor({ state: 'detached' });
}

describe('Swagger UI', () => {
  it('carries a payment from sign-in to verified, with the examples as they stand', async () => {
    const login = await open('authLogin');
    await login.locator('textarea').fill(JSON.stringify({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD }));
    const signedIn = await execute(login);
    expect(signedIn.status).toBe(200);
    await authorise('person', signedIn.body['accessToken']);

    const store = await execute(await open('storesCreate'));
    expect(store.status).toBe(201);
    await authorise('apiKey', store.body['apiKey']);
    await authorise('webhookSecret', store.body['webhookSecret']);

    const payment = await execute(await open('paymentsCreate'));
    expect(payment.status).toBe(201);

    const verify = await open('checkoutVerify');
    await verify.locator('input[placeholder^="id"]').fill(String(payment.body['id']));
    const submitted = await execute(verify);
    expect([submitted.status, submitted.body]).toEqual([202, { status: 'submitted' }]);

    const received = await execute(await open('phoneReceive'));
    expect([received.status, received.body['status']]).toEqual([200, 'matched']);
    expect(received.body['paymentId']).toBe(payment.body['id']);

    const simulated = await execute(await open('simulate'));
    expect([simulated.status, simulated.body['status']]).toEqual([200, 'unmatched']);

    const list = await execute(await open('paymentsList'));
    expect(list.body['data']).toMatchObject([{ id: payment.body['id'], status: 'verified' }]);

    const deliveries = await execute(await open('deliveriesList'));
    expect(deliveries.body['data']).toMatchObject([{ paymentId: payment.body['id'], status: 'held' }]);
  });

  it('shows an error as the problem it is', async () => {
    const create = await open('paymentsCreate');
    await create.locator('textarea').fill('{"amount": 0}');
    const refused = await execute(create);
    expect([refused.status, refused.body['code']]).toEqual([400, 'request.invalid']);
  });

  it('lists every code at the top, and what this service sends', async () => {
    await page.getByText('All codes').click();
    await page.locator('details table code', { hasText: 'idempotency.key_reused' }).waitFor();
    expect(await page.locator('.webhooks').innerText()).toContain('payment.verified');
  });

  it('says where the document is', async () => {
    const link = page.getByRole('link', { name: '/api/docs/openapi.json' }).first();
    const address = new URL((await link.getAttribute('href')) ?? '', service.http.url);
    const answer = await fetch(address);
    expect([answer.status, address.origin]).toEqual([200, service.http.url]);
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0' });
  });

  it('asks nothing of another host, and nothing that the policy refuses', () => {
    expect(elsewhere).toEqual([]);
    // A refused request of ours is an answer, not a complaint about the page.
    expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('keeps no credential in the browser', async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toMatch(/joma_|eyJ/);
  });
});
