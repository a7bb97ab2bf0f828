import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totpCode } from '../../../src/accounts/second-factor/totp.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import { ADMIN_EMAIL, ADMIN_PASSWORD, signIn, startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 10.31, 14.10, 14.11, 14.18.
 *
 * Goal: what must be seen to first keeps everything else shut in the browser, as it does in the API (contract 14.11).
 * Method: the dashboard's forms as a browser without a screen sends them.
 */

const ADMIN = { email: ADMIN_EMAIL, password: ADMIN_PASSWORD };
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ environment: { ADMIN_SECOND_FACTOR: 'required' } });
});
afterAll(() => app.close());

const post = (browser: DashboardBrowser, path: string, fields: Record<string, string> = {}) =>
  browser.request('POST', `/dashboard/${path}`, { fields, withToken: true });

describe('an admin who must have a second factor', () => {
  it('reaches the account alone, sets it up there, and then everything', async () => {
    const browser = await DashboardBrowser.signIn(app.http.url, ADMIN);
    for (const path of ['people', 'stores', 'stores/new', 'stores/0193b3a0-7c00-7000-8000-000000000001']) {
      const answer = await browser.request('GET', `/dashboard/${path}`);
      expect([answer.status, answer.headers.get('location')], path).toEqual([303, '/dashboard/account']);
    }
    const { text } = await browser.request('GET', '/dashboard/account');
    expect(text).toContain('action="/dashboard/account/second-factor"');
    expect(text).not.toContain('/end"');
    const wrong = await post(browser, 'account/second-factor', { currentPassword: 'not the password' });
    expect(wrong.status).toBe(401);
    const started = await post(browser, 'account/second-factor', { currentPassword: ADMIN.password });
    expect(started.headers.get('cache-control')).toBe('no-store');
    const secret = /data-copy="([A-Z2-7]{32})"/.exec(started.text)?.[1] ?? '';
    expect((await post(browser, 'account/second-factor/confirm', { code: '12' })).status).toBe(401);
    expect((await browser.request('GET', '/dashboard/account/second-factor')).text).not.toContain(secret);
    const code = totpCode(secret, new Date()).replace(/\d/g, (digit) => '০১২৩৪৫৬৭৮৯'[Number(digit)] ?? '');
    const confirmed = await post(browser, 'account/second-factor/confirm', { code });
    expect(confirmed.text.match(/<li>[a-z2-7-]{19}<\/li>/g)).toHaveLength(10);
    expect((await browser.request('GET', '/dashboard/people')).status).toBe(200);
  });
});

describe('somebody who must change the password', () => {
  it('can do that, and nothing else', async () => {
    const other = await startTestApp({ database: app.database, environment: { RATE_LIMIT_LOGIN: 'off' } });
    try {
      const user = { email: 'new@example.com', password: 'seven green boats' };
      await app.database.query(
        `UPDATE users SET second_factor_confirmed_at = NULL, second_factor_secret = NULL`,
      );
      const admin = await signIn(other.http);
      const body = { ...user, name: 'New', role: 'merchant', mustChangePassword: true };
      expect((await other.http.post('/api/v1/users', body, admin)).status).toBe(201);
      const browser = await DashboardBrowser.signIn(other.http.url, user);
      const shut = ['account/second-factor', 'account/sessions/0193b3a0-7c00-7000-8000-000000000001/end'];
      for (const path of shut) {
        const answer = await post(browser, path);
        expect([answer.status, answer.headers.get('location')], path).toEqual([303, '/dashboard/account']);
      }
      const fields = { currentPassword: user.password, newPassword: 'nine yellow kites' };
      const changed = await post(browser, 'account/password', fields);
      expect(changed.headers.get('location')).toBe('/dashboard/stores?done=password');
      expect((await browser.request('GET', '/dashboard/stores')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('a long password', () => {
  it('is checked whole, as by the API', async () => {
    const other = await startTestApp({ environment: { RATE_LIMIT_LOGIN: 'off' } });
    try {
      const admin = await signIn(other.http);
      const users = [
        // 81 characters, which JavaScript counts as 161.
        { email: 'smile@example.com', password: `${'\u{1f642}'.repeat(80)}x` },
        { email: 'long@example.com', password: 'seven green boats '.repeat(8).slice(0, 128) },
      ];
      for (const user of users) {
        const body = { ...user, name: 'Long', role: 'merchant' };
        expect((await other.http.post('/api/v1/users', body, admin)).status).toBe(201);
        expect((await other.http.post('/api/v1/auth/login', user)).status).toBe(200);
        await DashboardBrowser.signIn(other.http.url, user);
        const browser = new DashboardBrowser(other.http.url);
        await browser.request('GET', '/dashboard/sign-in');
        for (const password of [`${user.password}WRONG`, user.password.slice(0, -1)]) {
          const answer = await browser.submitSignIn({ ...user, password }, '');
          expect([400, 401]).toContain(answer.status);
          expect((await browser.request('GET', '/dashboard/account')).status).toBe(303);
        }
      }
    } finally {
      await other.close();
    }
  });
});
