import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guessDigits } from '../../support/guesses.js';
import { nextTrxId } from '../../support/checkout-scene.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import { type DashboardScene, MERCHANT, startDashboardScene } from '../../support/dashboard-scene.js';

/*
 * Rules: contract 4.88, 10.16, 11.1.
 *
 * Goal: the overview says what a shop must know without asking, and a link can be printed, sent and followed
 * (contract 4.98, 10.16 and 11.1). Method: the pages as a browser without a screen reads them.
 */

let scene: DashboardScene;
let merchant: DashboardBrowser;

beforeAll(async () => {
  scene = await startDashboardScene({ writesPastService: true });
  merchant = await DashboardBrowser.signIn(scene.one.http.url, MERCHANT);
  await merchant.request('GET', '/dashboard/account?lang=en');
});
afterAll(() => scene.close());

const open = (path: string) => merchant.request('GET', `/dashboard/stores/${scene.store.id}${path}`);

describe('the overview', () => {
  it('draws how long verification took and what became of deliveries, each with its table', async () => {
    expect((await open('')).text).not.toContain('class="chart"');
    const paymentId = await scene.createPayment();
    const trxId = nextTrxId();
    await scene.submit(paymentId, { trxId, provider: 'bkash' });
    scene.clock.advance(90_000);
    await scene.receive({ trxId });
    const { text } = await open('');
    for (const title of ['median by day', 'Webhook deliveries of 30 days', 'Verified money of 30 days'])
      expect(text).toMatch(new RegExp(`role="img" aria-label="[^"]*${title}`));
    expect(text.match(/<caption>/g)).toHaveLength(3);
    expect(text).toContain('1.5 min');
  });

  it('offers amounts of their own where digits verify more than sixty payments an hour', async () => {
    const paymentId = await scene.createPayment({ amount: 777 });
    await scene.submit(paymentId, { last4digit: '4321' });
    await scene.receive({ last4digit: '4321', amount: 777 });
    const { database } = scene.one;
    // More of the same kind, as rows: each with a receipt of its own.
    const verifyMore = async (from: number, to: number) => {
      const id = (what: string) => `('00000000-0000-7000-${what}-' || lpad(number::text, 12, '0'))`;
      await database.query(
        `INSERT INTO receipts SELECT (jsonb_populate_record(r, jsonb_build_object(
           'id', ${id('8000')}, 'digest', '\\x' || lpad(to_hex(number), 64, '0')))).*
         FROM receipts r JOIN payments p ON p.receipt_id = r.id, generate_series($2::integer, $3::integer) number
         WHERE p.id = $1`,
        [paymentId, from, to],
      );
      await database.query(
        `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object(
           'id', ${id('9000')}, 'receipt_id', ${id('8000')}))).*
         FROM payments p, generate_series($2::integer, $3::integer) number WHERE p.id = $1`,
        [paymentId, from, to],
      );
    };
    await verifyMore(1, 59);
    expect((await open('')).text).not.toContain('unique-amounts');
    await verifyMore(60, 60);
    const { text } = await open('');
    expect(text).toMatch(/four digits verified so many payments: 61[^]*\/unique-amounts"/);
    await database.query(`UPDATE payments SET verified_at = verified_at - interval '1 hour' WHERE id = $1`, [
      paymentId,
    ]);
    expect((await open('')).text).not.toContain('unique-amounts');
  });

  it('says while a protection against guessing holds, and offers amounts of their own by one press', async () => {
    expect((await open('')).text).not.toContain('unique-amounts');
    await guessDigits(scene.one.database, scene.store.id, scene.clock.now());
    const { text } = await open('');
    expect(text).toContain('Somebody is guessing');
    expect(text).toContain('1,250.00');
    const path = `/dashboard/stores/${scene.store.id}/unique-amounts`;
    expect((await merchant.request('POST', path, { withToken: true })).status).toBe(303);
    const { body } = await scene.one.http.get<{ uniqueAmounts: boolean }>(
      `/api/v1/stores/${scene.store.id}`,
      scene.merchant,
    );
    expect(body.uniqueAmounts).toBe(true);
    const after = (await open('')).text;
    expect(after).toContain('Somebody is guessing');
    expect(after).not.toContain('unique-amounts');
  });
});

describe('a payment link', () => {
  it('is printed as a poster and a code, and leads to its payments', async () => {
    const { http } = scene.one;
    const created = await http.post<{ id: string; slug: string; url: string }>(
      '/api/v1/payment-links',
      { title: 'Book fair', amount: 300, slug: 'book-fair' },
      scene.store.key,
    );
    const payments = `/dashboard/stores/${scene.store.id}/payments?paymentLinkId=${created.body.id}`;
    expect((await open('/links')).text).toContain(`href="${payments}"`);
    const page = `/links/${created.body.id}`;
    const { text } = await open(page);
    for (const href of ['poster?size=a4', 'poster?size=a5', 'qr.svg']) expect(text).toContain(href);
    for (const size of ['a4', 'a5']) {
      const poster = await open(`${page}/poster?size=${size}`);
      expect(poster.status).toBe(200);
      expect(poster.text).toContain(`poster-${size}`);
      expect(poster.text).toContain('Dhaka Books');
      expect(poster.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    }
    const code = await open(`${page}/qr.svg`);
    expect(code.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(code.headers.get('content-disposition')).toBe('attachment; filename="book-fair.svg"');
    const form = new URLSearchParams({ token: 'a-form-of-this-test-0001' });
    const paid = await fetch(`${http.url}/l/book-fair`, { method: 'POST', redirect: 'manual', body: form });
    const paymentId = /\/pay\/([0-9a-f-]{36})/.exec(paid.headers.get('location') ?? '')?.[1] ?? 'none';
    const other = await scene.createPayment();
    const filtered = (await open(`/payments?paymentLinkId=${created.body.id}`)).text;
    expect([filtered.includes(paymentId), filtered.includes(other)]).toEqual([true, false]);
  });
});
