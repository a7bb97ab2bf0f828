import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  signedInUser,
} from '../../support/test-app.js';

/*
 * Rules: contract 14.50 to 14.52, 14.55 to 14.57.
 *
 * Goal: access that is refused shows, by reason and without a word about users, and what the service says about
 * itself is for its operator alone (contract 14.50). Method: requests to a production configuration, and its own
 * metrics.
 */

const METRICS_TOKEN = 'a-token-of-the-operator';

let one: TestApp;
let store: TestStore;
let admin: { Authorization: string };
beforeAll(async () => {
  one = await startTestApp({ environment: { RATE_LIMIT_LOGIN: '3/1m', METRICS_TOKEN } });
  admin = await signIn(one.http);
  store = await createStore(one.http, admin);
});
afterAll(() => one.close());
afterEach(() => vi.restoreAllMocks());

async function refusedBecause(reason: string): Promise<number> {
  const { text } = await one.http.get('/metrics');
  return Number(new RegExp(`joma_refused_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

describe('refused access', () => {
  it.each<[string, () => Promise<{ status: number }>]>([
    ['api_key', () => one.http.get('/api/v1/payments', { 'X-Api-Key': 'joma_sk_wrong' })],
    ['webhook_secret', () => one.http.post('/api/webhooks/joma', {}, { 'X-Webhook-Secret': 'wrong' })],
    ['token', () => one.http.get('/api/v1/auth/me', { Authorization: 'Bearer a.b.c' })],
    ['no_credential', () => one.http.get('/api/v1/payments')],
    ['sign_in', () => one.http.post('/api/v1/auth/login', { email: 'a@example.com', password: 'wrong' })],
    ['refresh_token', () => one.http.post('/api/v1/auth/refresh', { refreshToken: 'unknown' })],
  ])('is counted as %s, once each time', async (reason, request) => {
    const before = await refusedBecause(reason);
    const answer = await request();
    expect(answer.status).toBe(401);
    expect(await refusedBecause(reason)).toBe(before + 1);
  });

  it('at the dashboard is counted like the API’s, once each time', async () => {
    const browser = new DashboardBrowser(await one.app.getUrl());
    await browser.request('GET', '/dashboard/sign-in');
    const [signIns, forbidden] = [await refusedBecause('sign_in'), await refusedBecause('forbidden')];
    const wrong = await browser.submitSignIn({ email: 'b@example.com', password: 'wrong' }, '');
    expect(wrong.status).toBe(401);
    expect(await refusedBecause('sign_in')).toBe(signIns + 1);
    const foreign = await browser.request('POST', '/dashboard/sign-in', { fields: { _token: 'of another' } });
    expect(foreign.status).toBe(403);
    expect(await refusedBecause('forbidden')).toBe(forbidden + 1);
  });

  it('is counted as forbidden and as a lock-out', async () => {
    const forbidden = await refusedBecause('forbidden');
    const { headers: merchant } = await signedInUser(one.http, admin);
    expect((await one.http.get('/api/v1/users', merchant)).status).toBe(403);
    expect(await refusedBecause('forbidden')).toBe(forbidden + 1);
    for (let index = 0; index < 3; index += 1)
      await one.http.post('/api/v1/auth/login', { email: 'nobody@example.com', password: 'wrong' });
    expect(await refusedBecause('lock_out')).toBeGreaterThanOrEqual(1);
  });

  it('is said in the log, a few lines a second, and names nobody', async () => {
    const lines: unknown[][] = [];
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((...line: unknown[]) => void lines.push(line));
    const before = await refusedBecause('api_key');
    const sent = Array.from({ length: 40 }, (_, index) => `joma_sk_secret${index}`);
    await Promise.all(sent.map((key) => one.http.get('/api/v1/payments', { 'X-Api-Key': key })));
    expect(await refusedBecause('api_key')).toBe(before + 40);
    // What this second may hold can have been said before.
    await eventually(
      async () => {
        await one.http.get('/api/v1/payments', { 'X-Api-Key': 'joma_sk_secret' });
        return lines.length;
      },
      (count) => count > 0,
      'a line in the log',
    );
    // Five a second, and the clock may have struck meanwhile.
    expect(lines.length).toBeLessThanOrEqual(20);
    const said = JSON.stringify(lines);
    expect(said).toContain('"reason":"api_key"');
    expect(said).not.toMatch(/joma_sk_|127\.0\.0\.1/);
    expect(store.apiKey).toMatch(/^joma_sk_/);
  });
});

describe('metrics in production', () => {
  const production = (environment: Record<string, string>) =>
    startTestApp({ database: one.database, environment: { NODE_ENV: 'production', ...environment } });

  async function statuses(
    environment: Record<string, string>,
    requests: Record<string, string>[],
  ): Promise<number[]> {
    const app = await production(environment);
    try {
      const answers = [];
      for (const headers of requests) answers.push(await app.http.get('/metrics', headers));
      return answers.map(({ status }) => status);
    } finally {
      await app.close();
    }
  }

  it('are for this machine, but not for whom it hands on', async () => {
    const forwarded: Record<string, string>[] = [
      { 'X-Forwarded-For': '127.0.0.1' },
      { 'X-Forwarded-Proto': 'https' },
      { Forwarded: 'for=127.0.0.1' },
      { 'X-Real-IP': '127.0.0.1' },
      { Via: '1.1 proxy' },
    ];
    expect(await statuses({}, [{}, ...forwarded])).toEqual([200, 404, 404, 404, 404, 404]);
  });

  it('are for the addresses behind a trusted proxy that are allowed', async () => {
    const environment = { TRUST_PROXY: '127.0.0.1', METRICS_ALLOW: '10.1.0.0/16' };
    const requests: Record<string, string>[] = [
      { 'X-Forwarded-For': '10.1.2.3' },
      { 'X-Forwarded-For': '10.2.2.3' },
      { 'X-Forwarded-For': '10.1.2.3, 203.0.113.9' },
      { 'X-Forwarded-Proto': 'https' },
      {},
    ];
    expect(await statuses(environment, requests)).toEqual([200, 404, 404, 404, 200]);
  });

  it('are for who has the token, wherever they are', async () => {
    const stranger = { 'X-Forwarded-For': '203.0.113.9' };
    const requests = [
      { ...stranger, Authorization: `Bearer ${METRICS_TOKEN}` },
      { ...stranger, Authorization: `Bearer ${METRICS_TOKEN}x` },
      stranger,
    ];
    expect(await statuses({ TRUST_PROXY: '127.0.0.1', METRICS_TOKEN }, requests)).toEqual([200, 404, 404]);
    expect(await statuses({}, [{ ...stranger, Authorization: 'Bearer null' }])).toEqual([404]);
  });
});
