import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../support/raw-connection.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  signedInUser,
} from '../../support/test-app.js';

/*
 * Rules: contract 1.19, 11.18, 14.7, 14.26, 14.27, 14.34 to 14.37, 14.48, 14.49.
 *
 * Goal: the small rules of hardening hold, each with the attack that it is for and the honest case beside it (contract
 * 14.7, 14.27, 14.34 to 14.37, 14.48, 14.49, 14.57 and 1.19). Method: requests as an attacker writes them.
 */

let app: TestApp;
let admin: { Authorization: string };
let store: TestStore;

beforeAll(async () => {
  app = await startTestApp({ environment: { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PUBLIC: 'off' } });
  admin = await signIn(app.http);
  store = await createStore(app.http, admin);
});
afterAll(() => app.close());

const newUser = () => signedInUser(app.http, admin);

/** Sends bytes as they are; answers what came until the end. */
const raw = (text: string) => openConnection(app.http.url, text).end;

describe('a request', () => {
  it.each([
    ['two Host headers', 'Host: one\r\nHost: two\r\n'],
    ['the same Host header twice, in another case', 'Host: one\r\nhOST: one\r\n'],
    ['no Host header', ''],
  ])('with %s is a 400', async (_what, hosts) => {
    const answer = await raw(`GET /health/live HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"request.invalid"');
  });

  it('with TRACE is refused, and nothing of it is sent back', async () => {
    const lines = 'Host: one\r\nX-Secret: seven\r\nConnection: close\r\n\r\n';
    for (const path of ['/health/live', '/api/v1/payments', '/dashboard']) {
      const answer = await raw(`TRACE ${path} HTTP/1.1\r\n${lines}`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[45] /);
      expect(answer).not.toContain('seven');
    }
  });

  it('with one Host header is served, and one of HTTP/1.0 without any, too', async () => {
    expect(await raw('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/ 200 OK/);
    expect(await raw('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/ 200 OK/);
  });

  it.each([
    '/api/v1/payments',
    '/%61pi/v1/payments',
    '/api/v1/%70ayments',
    '/health/live',
    '/%68ealth/live',
    '/api/none',
  ])('for %s is answered with no-store, however it is spelled', async (path) => {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${store.apiKey}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/cache-control: no-store/i);
  });
});

describe('the dashboard', () => {
  it('may be loaded by its own pages alone, and the checkout by any', async () => {
    const policy = async (path: string) =>
      (await fetch(app.http.url + path, { redirect: 'manual' })).headers.get('cross-origin-resource-policy');
    expect(await policy('/dashboard')).toBe('same-origin');
    expect(await policy('/dashboard/sign-in')).toBe('same-origin');
    expect(await policy('/%64ashboard/sign-in')).toBe('same-origin');
    expect(await policy('/api/v1/payments/public/0193b3a0-7c00-7000-8000-000000000001')).toBe('cross-origin');
  });

  it.each([
    ['/dashboard/stores/../../evil', '/dashboard'],
    ['/dashboard/%2e%2e/evil', '/dashboard'],
    ['/dashboard/.%2e/api/docs', '/dashboard'],
    ['/dashboard/..', '/dashboard'],
    ['/dashboardevil', '/dashboard'],
    ['//evil.example', '/dashboard'],
    ['/dashboard/stores/../account', '/dashboard/account'],
    ['/dashboard/stores?x=1', '/dashboard/stores?x=1'],
  ])('leads from next=%s to %s', async (next, to) => {
    const browser = new DashboardBrowser(app.http.url);
    await browser.request('GET', '/dashboard/sign-in');
    const answer = await browser.submitSignIn({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD }, next);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, to]);
  });

  it('ends the session that the browser had when its user signs in again (contract 14.26)', async () => {
    const user = { email: ADMIN_EMAIL, password: ADMIN_PASSWORD };
    const browser = await DashboardBrowser.signIn(app.http.url, user);
    const [old, other] = [browser.clone(), await DashboardBrowser.signIn(app.http.url, user)];
    expect((await old.request('GET', '/dashboard/account')).status).toBe(200);
    expect((await browser.submitSignIn(user, '/dashboard')).status).toBe(303);
    expect((await browser.request('GET', '/dashboard/account')).status).toBe(200);
    expect((await old.request('GET', '/dashboard/account')).status).toBe(303);
    // The sessions of other browsers stay.
    expect((await other.request('GET', '/dashboard/account')).status).toBe(200);
  });

  it('takes no NUL in a form, nor does the page of a payer', async () => {
    const browser = await DashboardBrowser.signIn(app.http.url, {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    const fields = { name: 'Shop\0', currency: 'BDT' };
    expect((await browser.request('POST', '/dashboard/stores/new', { fields, withToken: true })).status).toBe(
      400,
    );
    const { id } = (await app.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body;
    const paid = await fetch(`${app.http.url}/pay/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'provider=bkash&trxId=ABCD%001234',
    });
    expect(paid.status).toBe(400);
  });
});

describe('members', () => {
  it('leave a store by themselves; the owner does not', async () => {
    const [owner, member] = [await newUser(), await newUser()];
    const own = await createStore(app.http, owner.headers);
    const members = `/api/v1/stores/${own.id}/members`;
    await app.http.post(members, { email: member.email, role: 'viewer' }, owner.headers);
    const leave = (headers: Record<string, string>) =>
      app.http.request('DELETE', `${members}/me`, { headers });
    expect((await leave(member.headers)).status).toBe(204);
    expect((await app.http.get(`/api/v1/stores/${own.id}`, member.headers)).status).toBe(404);
    expect((await leave(member.headers)).status).toBe(404);
    expect(await leave(owner.headers)).toMatchObject({ status: 409, body: { code: 'member.is_owner' } });
  });

  it('attack: thirty unknown addresses an hour, and known ones as before', async () => {
    const [owner, member] = [await newUser(), await newUser()];
    const own = await createStore(app.http, owner.headers);
    const add = (email: string) =>
      app.http.post(`/api/v1/stores/${own.id}/members`, { email, role: 'viewer' }, owner.headers);
    for (let index = 0; index < 30; index += 1)
      expect((await add(`nobody${index}@example.com`)).status).toBe(404);
    const refused = await add('nobody30@example.com');
    expect(refused).toMatchObject({ status: 429, body: { code: 'request.rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await add(member.email)).status).toBe(201);
  });
});

describe('a payment link', () => {
  const newLink = async () =>
    (
      await app.http.post<{ slug: string }>(
        '/api/v1/payment-links',
        { title: 'Saree', amount: 100 },
        store.key,
      )
    ).body.slug;
  const pay = (slug: string, address: string) =>
    fetch(`${app.http.url}/l/${slug}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': address },
      body: '',
    });

  it('attack: one household with a /56 has five open payments', async () => {
    const slug = await newLink();
    const statuses: number[] = [];
    for (let network = 0; network < 6; network += 1)
      statuses.push((await pay(slug, `2001:db8:0:12${network.toString(16).padStart(2, '0')}::1`)).status);
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429]);
    expect((await pay(slug, '2001:db8:0:1300::1')).status).toBe(303);
  });

  it('attack: all addresses together have a hundred open payments', async () => {
    const slug = await newLink();
    const statuses = await Promise.all(
      Array.from({ length: 103 }, async (_, index) => (await pay(slug, `198.51.100.${index}`)).status),
    );
    expect(statuses.filter((status) => status === 303)).toHaveLength(100);
    const refused = await pay(slug, '203.0.113.1');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await pay(await newLink(), '203.0.113.1')).status).toBe(303);
  });
});
