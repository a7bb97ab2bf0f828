import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENT_ID,
  type CertifiedProvider,
  DASHBOARD_URL,
  JOMA_RESOURCE,
  startCertifiedProvider,
} from '../../support/certified-provider.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import { AUDIENCE, type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.js';
import { ManualClock } from '../../support/money-clock.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 10.36 to 10.41, 14.29.
 *
 * Goal: users sign in to the dashboard at the identity provider, and nobody else gets in by it (contract 10.37).
 * Method: the certified provider for what it does itself; one of our own, which hands out whatever a test wants, for
 * what no honest provider does.
 */

const CALLBACK = '/dashboard/sign-in/callback';
const COMPANY = '/dashboard/sign-in/company';

/** Goes to the provider as the link does; answers where the browser is sent, and the cookie it takes along. */
async function leave(app: TestApp, next = '') {
  const browser = new DashboardBrowser(app.http.url);
  const answer = await browser.request('GET', COMPANY + next);
  expect(answer.status).toBe(303);
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('joma_company=')) ?? '';
  return { browser, cookie, address: new URL(answer.headers.get('location') ?? '') };
}

const sessionSetBy = (headers: Headers): string | undefined =>
  headers.getSetCookie().find((line) => /^joma_session=[^;]/.test(line));

async function nameOnAccountPage(browser: DashboardBrowser): Promise<string> {
  return (await browser.request('GET', '/dashboard/account')).text;
}

const partOf = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const jsonOf = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;

/** A token with other claims, or another header, under the signature that it had. */
function withClaims(token: string, claims: object): string {
  const [header, payload, signature] = token.split('.');
  return [header, partOf({ ...jsonOf(payload), ...claims }), signature].join('.');
}

function withHeader(token: string, header: object): string {
  const [was, payload, signature] = token.split('.');
  return [partOf({ ...jsonOf(was), ...header }), payload, signature].join('.');
}

describe('at a certified provider', () => {
  let provider: CertifiedProvider;
  let app: TestApp;

  beforeAll(async () => {
    provider = await startCertifiedProvider();
    provider.employ('anika', { email: 'anika@company.example', name: 'Anika Rahman', roles: ['merchant'] });
    provider.employ('tareq', { email: 'tareq@company.example', roles: [] });
    app = await startTestApp({
      environment: {
        PUBLIC_URL: DASHBOARD_URL,
        OIDC_ISSUER: provider.issuer,
        OIDC_AUDIENCE: JOMA_RESOURCE,
        OIDC_CLIENT_ID: CLIENT_ID,
        ADMIN_SECOND_FACTOR: 'required',
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  it('the page has a link there, which is no form, and takes along where the user was going', async () => {
    const { text } = await app.http.get('/dashboard/sign-in?next=%2Fdashboard%2Faccount');
    expect(text).toContain('href="/dashboard/sign-in/company?next=%2Fdashboard%2Faccount"');
    const { cookie, address } = await leave(app);
    expect(cookie).toMatch(
      /^joma_company=[\w-]+; Path=\/dashboard\/sign-in\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: `${DASHBOARD_URL}${CALLBACK}`,
      code_challenge_method: 'S256',
    });
    // What only this browser and the provider may know stands in no cookie that can be read.
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(cookie).not.toContain(address.searchParams.get(name));
  });

  it('somebody signs in, is led back, and has a session like any other', async () => {
    const { browser, address } = await leave(app, '?next=%2Fdashboard%2Faccount');
    const back = await provider.visit('anika', address.href);
    const answer = await browser.request('GET', CALLBACK + back.search);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/account']);
    expect(sessionSetBy(answer.headers)).toMatch(/HttpOnly; SameSite=Lax/);
    const account = await nameOnAccountPage(browser);
    expect(account).toContain('Anika Rahman');
    // Their password and their second factor are the company's business.
    expect(account).not.toContain('name="currentPassword"');
    expect((await browser.request('POST', '/dashboard/sign-out', { withToken: true })).status).toBe(303);
    expect((await browser.request('GET', '/dashboard/account')).status).toBe(303);
  });

  it('a code is good once, and for the browser alone that asked for it', async () => {
    const mine = await leave(app);
    const back = await provider.visit('anika', mine.address.href);
    const stranger = await leave(app);
    const forced = await stranger.browser.request('GET', CALLBACK + back.search);
    expect([forced.status, sessionSetBy(forced.headers)]).toEqual([401, undefined]);
    // The same with the stranger's own state: the code belongs to another verifier.
    const bent = new URLSearchParams(back.search);
    const other = await leave(app);
    bent.set('state', other.address.searchParams.get('state') ?? '');
    expect((await other.browser.request('GET', `${CALLBACK}?${bent.toString()}`)).status).toBe(401);
    const fresh = await leave(app);
    const again = await provider.visit('anika', fresh.address.href);
    const headers = { Cookie: fresh.cookie.split(';', 1)[0] ?? '' };
    expect((await app.http.get(CALLBACK + again.search, headers)).status).toBe(303);
    const replayed = await app.http.get(CALLBACK + again.search, headers);
    expect([replayed.status, sessionSetBy(replayed.headers)]).toEqual([401, undefined]);
  });

  it('who has no role here is told so', async () => {
    const { browser, address } = await leave(app);
    const back = await provider.visit('tareq', address.href);
    const answer = await browser.request('GET', CALLBACK + back.search);
    expect([answer.status, sessionSetBy(answer.headers)]).toEqual([403, undefined]);
    expect(answer.text).toContain('role="alert"');
  });

  it('while the provider is away, that is what is said', async () => {
    const { browser, address } = await leave(app);
    const back = await provider.visit('anika', address.href);
    provider.setAway(true);
    try {
      expect((await browser.request('GET', CALLBACK + back.search)).status).toBe(503);
    } finally {
      provider.setAway(false);
    }
  });
});

describe('with answers that no honest provider gives', () => {
  const clock = new ManualClock();
  let provider: IdentityProvider;
  let app: TestApp;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    app = await startTestApp({
      clock,
      environment: {
        PUBLIC_URL: DASHBOARD_URL,
        OIDC_ISSUER: provider.issuer,
        OIDC_AUDIENCE: AUDIENCE,
        OIDC_CLIENT_ID: 'joma dashboard',
        OIDC_CLIENT_SECRET: 'a secret: of the client',
        OIDC_ROLES_CLAIM: 'realm.roles',
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });
  afterEach(() => provider.answerCodes(null));

  const claimsFor = (nonce: string | null): Record<string, unknown> => ({
    sub: 'salma',
    aud: 'joma dashboard',
    email: 'salma@company.example',
    nonce: nonce ?? undefined,
    realm: { roles: ['merchant'] },
    iat: Math.floor(clock.now().getTime() / 1_000),
    exp: Math.floor(clock.now().getTime() / 1_000) + 300,
  });

  async function comeBack(
    claims: (nonce: string | null) => Record<string, unknown>,
    bend: (query: URLSearchParams) => void = () => undefined,
    header: Record<string, unknown> = {},
  ) {
    const { browser, address } = await leave(app);
    const token = await provider.token(claims(address.searchParams.get('nonce')), header);
    provider.answerCodes({ access_token: 'opaque', id_token: token });
    const query = new URLSearchParams({ code: 'a-code', state: address.searchParams.get('state') ?? '' });
    bend(query);
    const answer = await browser.request('GET', `${CALLBACK}?${query.toString()}`);
    return { browser, address, answer, session: sessionSetBy(answer.headers) };
  }

  it('a right one is taken, with the roles where they were said to stand, and the client says who it is', async () => {
    const { browser, answer } = await comeBack(claimsFor);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard']);
    expect(await nameOnAccountPage(browser)).toContain('salma@company.example');
    const { form, authorization } = provider.exchanges.at(-1) ?? { form: new URLSearchParams() };
    expect(authorization).toBe(
      `Basic ${Buffer.from('joma+dashboard:a+secret%3A+of+the+client').toString('base64')}`,
    );
    expect(form.get('client_secret')).toBeNull();
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  it.each<[string, (nonce: string | null) => Record<string, unknown>, Record<string, unknown>?]>([
    ['another nonce', () => claimsFor('another')],
    ['no nonce', () => claimsFor(null)],
    ['a token for the API', (nonce) => ({ ...claimsFor(nonce), aud: AUDIENCE })],
    ['an access token for the same name', claimsFor, { typ: 'at+jwt' }],
    ['a token made for another of its audiences', (nonce) => ({ ...claimsFor(nonce), azp: 'another' })],
    [
      'one for several that names none',
      (nonce) => ({ ...claimsFor(nonce), aud: ['joma dashboard', 'another'] }),
    ],
    ['one of another issuer', (nonce) => ({ ...claimsFor(nonce), iss: 'https://evil.example' })],
    ['one that is over', (nonce) => ({ ...claimsFor(nonce), exp: 1_000 })],
    ['a logout token', (nonce) => ({ ...claimsFor(nonce), events: {} })],
    ['an address nobody has verified', (nonce) => ({ ...claimsFor(nonce), email_verified: false })],
  ])('%s opens nothing', async (_name, claims, header) => {
    const { answer, session } = await comeBack(claims, undefined, header);
    expect([answer.status, session]).toEqual([401, undefined]);
  });

  it.each<[string, (token: string) => string | Promise<string>]>([
    ['signed with a key that the provider has no more', async (token) => (await provider.rotate(), token)],
    ['with claims that nobody has signed', (token) => withClaims(token, { realm: { roles: ['admin'] } })],
    ['without a signature', (token) => withHeader(token, { alg: 'none' }).replace(/[^.]*$/, '')],
    ['whose signature names another algorithm', (token) => withHeader(token, { alg: 'HS256' })],
    ['that is no token', () => 'an ID token'],
  ])('one %s opens nothing', async (_name, bend) => {
    const { browser, address } = await leave(app);
    const right = await provider.token(claimsFor(address.searchParams.get('nonce')));
    provider.answerCodes({ access_token: 'opaque', token_type: 'Bearer', id_token: await bend(right) });
    const state = address.searchParams.get('state') ?? '';
    const answer = await browser.request('GET', `${CALLBACK}?code=a&state=${state}`);
    expect([answer.status, sessionSetBy(answer.headers)]).toEqual([401, undefined]);
  });

  it.each<[string, (query: URLSearchParams) => void]>([
    ['another state', (query) => query.set('state', 'x'.repeat(43))],
    ['no state', (query) => query.delete('state')],
    ['two states', (query) => query.append('state', 'another')],
    ['no code', (query) => query.delete('code')],
    ['a code of 4,097 characters', (query) => query.set('code', 'x'.repeat(4_097))],
    ['a refusal', (query) => (query.delete('code'), query.set('error', 'access_denied'))],
    ['the name of another provider', (query) => query.set('iss', 'https://evil.example')],
  ])('%s opens nothing, and asks the provider nothing', async (_name, bend) => {
    const before = provider.exchanges.length;
    const { answer, session } = await comeBack(claimsFor, bend);
    expect([answer.status, session, provider.exchanges.length - before]).toEqual([401, undefined, 0]);
  });

  it('neither does who has no cookie, another one, or one that is ten minutes old', async () => {
    const { browser, address } = await leave(app);
    provider.answerCodes({ id_token: await provider.token(claimsFor(address.searchParams.get('nonce'))) });
    const query = `?code=a&state=${address.searchParams.get('state') ?? ''}`;
    for (const cookie of [{}, { Cookie: `joma_company=${'A'.repeat(200)}` }])
      expect((await app.http.get(CALLBACK + query, cookie as Record<string, string>)).status).toBe(401);
    clock.advance(10 * 60_000);
    expect((await browser.request('GET', CALLBACK + query)).status).toBe(401);
  });

  it('leads back to this dashboard only', async () => {
    for (const next of ['//evil.example', 'https://evil.example', '/dashboard//evil', '/api/docs']) {
      const { browser, address } = await leave(app, `?next=${encodeURIComponent(next)}`);
      const token = await provider.token(claimsFor(address.searchParams.get('nonce')));
      provider.answerCodes({ id_token: token });
      const query = `?code=a&state=${address.searchParams.get('state') ?? ''}`;
      const answer = await browser.request('GET', CALLBACK + query);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard']);
    }
  });

  it('both paths are limited by RATE_LIMIT_PUBLIC', async () => {
    const environment = {
      ...{ PUBLIC_URL: DASHBOARD_URL, OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
      ...{ OIDC_CLIENT_ID: 'joma dashboard', RATE_LIMIT_PUBLIC: '2/1m' },
    };
    for (const path of [COMPANY, CALLBACK]) {
      const limited = await startTestApp({ environment });
      try {
        const statuses = [];
        for (let count = 0; count < 3; count += 1) statuses.push((await limited.http.get(path)).status);
        expect(statuses[0]).toBe(path === COMPANY ? 303 : 401);
        expect(statuses[2]).toBe(429);
      } finally {
        await limited.close();
      }
    }
  });

  it('a role that the company takes away ends the sessions that had it', async () => {
    const { browser } = await comeBack(claimsFor);
    clock.advance(1_000);
    const later = await comeBack((nonce) => ({ ...claimsFor(nonce), realm: { roles: ['admin'] } }));
    expect((await later.browser.request('GET', '/dashboard/people')).status).toBe(200);
    expect((await browser.request('GET', '/dashboard/account')).status).toBe(303);
  });
});

it('without a client there is neither a link nor a page', async () => {
  const app = await startTestApp();
  try {
    expect((await app.http.get('/dashboard/sign-in')).text).not.toContain(COMPANY);
    for (const path of [COMPANY, CALLBACK]) expect((await app.http.get(path)).status).toBe(404);
  } finally {
    await app.close();
  }
});
