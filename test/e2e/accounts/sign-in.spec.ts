import { DashboardBrowser } from '../../support/dashboard-browser.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardSessions } from '../../../src/accounts/index.js';
import { AccountsSweep } from '../../../src/accounts/accounts-sweep.js';
import { totpCode } from '../../../src/accounts/second-factor/totp.js';
import { Clock } from '../../../src/kernel/clock.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 2.14, 10.15, 14.8 to 14.18, 14.20 to 14.25, 14.53, 14.54.
 *
 * Goal: signing in is as hard for a stranger as contract 14.22 says, and nobody can keep its owner out. Method: the
 * API, as an admin, a user and a stranger; addresses by a trusted proxy; a clock that is moved.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PASSWORD = 'seven green boats';

class MovedClock extends Clock {
  private offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  advance(durationMs: number): void {
    this.offsetMs += durationMs;
  }
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}
type Headers = Record<string, string>;

const clock = new MovedClock();
let one: TestApp;
let admin: Headers;
let users = 0;
beforeAll(async () => {
  const environment = { RATE_LIMIT_LOGIN: '3/1h', TRUST_PROXY: '127.0.0.1' };
  one = await startTestApp({ clock, environment });
  admin = await signIn(one.http);
});
afterAll(() => one.close());

const from = (address: string): Headers => ({ 'X-Forwarded-For': address });
const newAddress = () => `198.18.${(users += 1) % 256}.${users >> 8}`;

async function newUser(more: Record<string, unknown> = {}): Promise<{ id: string; email: string }> {
  const email = `person${(users += 1)}@example.com`;
  const body = { email, password: PASSWORD, name: 'Rahima Khatun', role: 'merchant', ...more };
  const answer = await one.http.post<{ id: string }>('/api/v1/users', body, await fresh());
  expect(answer.status, answer.text).toBe(201);
  return { id: answer.body.id, email };
}

/** The admin's token, however far the clock has been moved. */
async function fresh(): Promise<Headers> {
  if ((await one.http.get('/api/v1/auth/me', admin)).status !== 200) admin = await signIn(one.http);
  return admin;
}

const login = (email: string, more: Record<string, unknown> = {}, headers: Headers = from(newAddress())) =>
  one.http.post<Tokens & { code?: string }>(
    '/api/v1/auth/login',
    { email, password: PASSWORD, ...more },
    headers,
  );

async function enter(email: string, more: Record<string, unknown> = {}): Promise<Headers> {
  const answer = await login(email, more);
  expect(answer.status, answer.text).toBe(200);
  return { Authorization: `Bearer ${answer.body.accessToken}` };
}

describe('a stranger who guesses', () => {
  it('locks strangers out, and not who has signed in from where they are', async () => {
    const { email } = await newUser();
    const home = from('203.0.113.7');
    expect((await login(email, {}, home)).status).toBe(200);
    for (let index = 0; index < 3; index += 1)
      expect((await login(email, { password: 'wrong' })).status).toBe(401);
    expect((await login(email)).status).toBe(429);
    expect((await login(email, {}, home)).status).toBe(200);
    // Nor by guessing from the same network at other accounts.
    for (let index = 0; index < 3; index += 1) await login('nobody@example.com', {}, home);
    expect((await login('nobody@example.com', {}, home)).status).toBe(429);
    expect((await login(email, {}, home)).status).toBe(200);
    // From there, too, tries are counted.
    for (let index = 0; index < 3; index += 1) await login(email, { password: 'wrong' }, home);
    expect((await login(email, {}, home)).status).toBe(429);
  });

  it('leaves no row for each account he invents once his address is over its limit', async () => {
    const address = from(newAddress());
    const rows = async () => {
      const [found] = await one.database.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM rate_limits',
      );
      return found!.count;
    };
    const before = await rows();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => login(`nobody${index}@example.com`, {}, address)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    // His address, and the accounts he really tried.
    expect((await rows()) - before).toBeLessThanOrEqual(4);
  });

  it('is a stranger again 30 days after the last sign-in', async () => {
    const { email } = await newUser();
    const home = from('203.0.113.8');
    expect((await login(email, {}, home)).status).toBe(200);
    clock.advance(30 * DAY_MS + MINUTE_MS);
    for (let index = 0; index < 3; index += 1) await login(email, { password: 'wrong' });
    expect((await login(email, {}, home)).status).toBe(429);
    await one.app.get(AccountsSweep).run();
    const rows = await one.database.query('SELECT 1 FROM sign_in_addresses WHERE at < now()');
    expect(rows).toEqual([]);
  });

  it('with a stolen access token is counted for that session, and keeps its owner from nothing', async () => {
    const { email } = await newUser();
    const [stolen, own] = [await enter(email), await enter(email)];
    const change = (headers: Headers, currentPassword: string) =>
      one.http.post('/api/v1/auth/password', { currentPassword, newPassword: 'nine blue boats' }, headers);
    for (let index = 0; index < 3; index += 1) expect((await change(stolen, 'wrong')).status).toBe(401);
    expect((await change(stolen, PASSWORD)).status).toBe(429);
    expect((await login(email)).status).toBe(200);
    expect((await change(own, PASSWORD)).status).toBe(204);
  });

  it('stands in the audit log with the account, for admins', async () => {
    const { id, email } = await newUser();
    const address = newAddress();
    await login(email, { password: 'wrong' }, from(address));
    const answer = await one.http.get<{ data: Record<string, unknown>[]; nextCursor: string }>(
      '/api/v1/audit-log?limit=1',
      await fresh(),
    );
    expect(answer.body.data[0]).toMatchObject({
      action: 'auth.sign_in_failed',
      actor: { type: 'user', id, email },
      address,
      details: { userId: id, reason: 'password' },
    });
    const next = await one.http.get(`/api/v1/audit-log?cursor=${answer.body.nextCursor}`, admin);
    expect(next.status).toBe(200);
    expect((await one.http.get('/api/v1/audit-log', await enter(email))).status).toBe(403);
    const store = await createStore(one.http, admin);
    const all = await one.http.get('/api/v1/audit-log?limit=100', admin);
    expect(all.text).not.toContain(store.id);
  });
});

describe('a password', () => {
  it.each(['qwertyuiop', 'Password123', 'rahima@example.com', 'rahima khatun', 'Rahima.Khatun1'])(
    '%s is refused, with the reason',
    async (password) => {
      const body = { email: 'rahima@example.com', password, name: 'Rahima Khatun', role: 'merchant' };
      const answer = await one.http.post('/api/v1/users', body, await fresh());
      expect(answer.status).toBe(400);
      expect(answer.body['errors']).toEqual([
        { pointer: '/password', detail: expect.stringMatching(/commonest|address or the name/) as unknown },
      ]);
    },
  );

  it('of one’s own is held to the same', async () => {
    const { email } = await newUser();
    const headers = await enter(email);
    const answer = await one.http.post(
      '/api/v1/auth/password',
      { currentPassword: PASSWORD, newPassword: 'qwertyuiop' },
      headers,
    );
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/newPassword' }]);
  });

  it('that somebody else knows must be changed before anything else', async () => {
    const { email } = await newUser({ mustChangePassword: true });
    const headers = await enter(email);
    const me = await one.http.get('/api/v1/auth/me', headers);
    expect(me).toMatchObject({ status: 200, body: { mustChangePassword: true } });
    for (const path of ['/api/v1/stores', '/api/v1/auth/sessions', '/api/v1/users']) {
      const answer = await one.http.get(path, headers);
      expect(answer).toMatchObject({ status: 403, body: { code: 'auth.password_change_required' } });
    }
    const start = await one.http.post('/api/v1/auth/second-factor', { currentPassword: PASSWORD }, headers);
    expect(start).toMatchObject({ status: 403, body: { code: 'auth.password_change_required' } });
    const same = { currentPassword: PASSWORD, newPassword: PASSWORD };
    expect(await one.http.post('/api/v1/auth/password', same, headers)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/newPassword' }] },
    });
    const body = { currentPassword: PASSWORD, newPassword: 'nine blue boats' };
    expect((await one.http.post('/api/v1/auth/password', body, headers)).status).toBe(204);
    const again = await enter(email, { password: 'nine blue boats' });
    expect((await one.http.get('/api/v1/stores', again)).status).toBe(200);
  });
});

/** Sets a second factor up, as an app would. */
async function addSecondFactor(headers: Headers): Promise<{ secret: string; recoveryCodes: string[] }> {
  const started = await one.http.post<{ secret: string; uri: string }>(
    '/api/v1/auth/second-factor',
    { currentPassword: PASSWORD },
    headers,
  );
  expect(started.status, started.text).toBe(200);
  const { secret, uri } = started.body;
  expect(uri).toContain(`secret=${secret}`);
  const code = totpCode(secret, clock.now());
  const confirmed = await one.http.post<{ recoveryCodes: string[] }>(
    '/api/v1/auth/second-factor/confirm',
    { code },
    headers,
  );
  expect(confirmed.status, confirmed.text).toBe(200);
  return { secret, recoveryCodes: confirmed.body.recoveryCodes };
}

describe('a second factor', () => {
  it('is asked for from its confirmation on, and a code is good once', async () => {
    const { email } = await newUser();
    const headers = await enter(email);
    const { secret, recoveryCodes } = await addSecondFactor(headers);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(await one.http.get('/api/v1/auth/me', headers)).toMatchObject({ body: { secondFactor: true } });
    const missing = await login(email);
    expect(missing).toMatchObject({ status: 401, body: { code: 'auth.second_factor_required' } });
    // The code that confirmed it has been used.
    const used = await login(email, { code: totpCode(secret, clock.now()) });
    expect(used).toMatchObject({ status: 401, body: { code: 'auth.invalid_second_factor' } });
    clock.advance(MINUTE_MS);
    const code = totpCode(secret, clock.now());
    const atOnce = await Promise.all([login(email, { code }), login(email, { code })]);
    // The other one is wrong, or one try too many by then.
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('can be replaced by a recovery code, each once', async () => {
    const { email } = await newUser();
    const { recoveryCodes } = await addSecondFactor(await enter(email));
    const [first = '', second = ''] = recoveryCodes;
    expect((await login(email, { recoveryCode: first.toUpperCase().replaceAll('-', ' ') })).status).toBe(200);
    expect((await login(email, { recoveryCode: first })).status).toBe(401);
    expect((await login(email, { recoveryCode: second })).status).toBe(200);
    const stored = await one.database.query('SELECT digest FROM recovery_codes');
    expect(JSON.stringify(stored)).not.toContain(second);
  });

  it('missing counts as a try', async () => {
    const { email } = await newUser();
    const { recoveryCodes } = await addSecondFactor(await enter(email));
    for (let index = 0; index < 3; index += 1) expect((await login(email)).status).toBe(401);
    expect((await login(email, { recoveryCode: recoveryCodes[0] })).status).toBe(429);
  });

  it('is not in force before a right code, and is removed by one', async () => {
    const { email } = await newUser();
    const headers = await enter(email);
    const path = '/api/v1/auth/second-factor';
    expect((await one.http.request('DELETE', path, { headers, body: { code: '000000' } })).status).toBe(409);
    expect((await one.http.post(`${path}/confirm`, { code: '000000' }, headers)).status).toBe(409);
    await one.http.post(path, { currentPassword: PASSWORD }, headers);
    expect((await one.http.post(`${path}/confirm`, { code: 'abcdef' }, headers)).status).toBe(401);
    expect((await login(email)).status).toBe(200);
    const { secret } = await addSecondFactor(headers);
    expect((await one.http.post(path, { currentPassword: PASSWORD }, headers)).status).toBe(409);
    clock.advance(MINUTE_MS);
    const wrong = await one.http.request('DELETE', path, { headers, body: {} });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'auth.invalid_second_factor' } });
    const code = totpCode(secret, clock.now());
    expect((await one.http.request('DELETE', path, { headers, body: { code } })).status).toBe(204);
    expect((await login(email)).status).toBe(200);
  });

  it('attack: an open session without the password sets none up (contract 14.14)', async () => {
    const { email } = await newUser();
    const headers = await enter(email);
    const start = (body: object | undefined) => one.http.post('/api/v1/auth/second-factor', body, headers);
    expect((await start(undefined)).status).toBe(400);
    expect((await start({ currentPassword: '' })).status).toBe(400);
    expect(await start({ currentPassword: 'not the password' })).toMatchObject({
      status: 401,
      body: { code: 'auth.invalid_credentials' },
    });
    for (let index = 0; index < 5; index += 1) await start({ currentPassword: 'not the password' });
    expect(await start({ currentPassword: PASSWORD })).toMatchObject({
      status: 429,
      body: { code: 'auth.too_many_attempts' },
    });
    expect((await login(email)).status).toBe(200);
  });

  it('ends the other sessions when it is put in force (contract 14.15)', async () => {
    const { email } = await newUser();
    const other = await enter(email);
    const headers = await enter(email);
    await addSecondFactor(headers);
    expect((await one.http.get('/api/v1/auth/me', other)).status).toBe(401);
    expect((await one.http.get('/api/v1/auth/me', headers)).status).toBe(200);
  });

  it('is removed by an admin, and the account says so until its user has read it (contract 14.20)', async () => {
    const { id, email } = await newUser();
    const headers = await enter(email);
    await addSecondFactor(headers);
    const path = `/api/v1/users/${id}/second-factor`;
    const remove = (by: Headers) => one.http.request('DELETE', path, { headers: by });
    expect((await remove(headers)).status).toBe(403);
    const byAdmin = await fresh();
    expect((await remove(byAdmin)).status).toBe(204);
    expect((await remove(byAdmin)).status).toBe(204);
    const unknown = '/api/v1/users/0193b3a0-7c00-7000-8000-000000000001/second-factor';
    expect((await one.http.request('DELETE', unknown, { headers: byAdmin })).status).toBe(404);
    expect((await login(email)).status).toBe(200);
    const log = await one.http.get<{ data: { action: string; details: object }[] }>(
      '/api/v1/audit-log?limit=100',
      byAdmin,
    );
    const removals = log.body.data.filter(({ action }) => action === 'auth.second_factor_removed');
    expect(removals.filter(({ details }) => JSON.stringify(details).includes(id))).toHaveLength(1);

    const browser = await DashboardBrowser.signIn(one.http.url, { email, password: PASSWORD });
    const notice = 'An admin removed your second factor on';
    expect((await browser.request('GET', '/dashboard/account?lang=en')).text).toContain(notice);
    await browser.request('POST', '/dashboard/account/second-factor/dismiss', { withToken: true });
    expect((await browser.request('GET', '/dashboard/account?lang=en')).text).not.toContain(notice);
  });

  it('is kept encrypted, and set up first by admins who must have one', async () => {
    const strict = await startTestApp({
      clock,
      database: one.database,
      environment: { ADMIN_SECOND_FACTOR: 'required' },
    });
    try {
      const { email } = await newUser({ role: 'admin' });
      const headers = await signIn(strict.http, email, PASSWORD);
      const refused = await strict.http.get('/api/v1/users', headers);
      expect(refused).toMatchObject({ status: 403, body: { code: 'auth.second_factor_setup_required' } });
      expect((await strict.http.get('/api/v1/auth/me', headers)).status).toBe(200);
      const { secret } = await addSecondFactor(headers);
      expect((await strict.http.get('/api/v1/users', headers)).status).toBe(200);
      const merchant = await newUser();
      expect((await strict.http.get('/api/v1/stores', await enter(merchant.email))).status).toBe(200);
      const rows = await one.database.query<{ secret: Buffer }>(
        'SELECT second_factor_secret AS secret FROM users WHERE second_factor_secret IS NOT NULL',
      );
      for (const row of rows) expect(row.secret.includes(secret)).toBe(false);
    } finally {
      await strict.close();
    }
  });
});

describe('sessions', () => {
  interface Listed {
    readonly id: string;
    readonly current: boolean;
    readonly kind: string;
    readonly userAgent: string | null;
  }
  const list = async (headers: Headers) =>
    (await one.http.get<{ data: Listed[] }>('/api/v1/auth/sessions', headers)).body.data;

  it('are listed, and ended one by one, at once', async () => {
    const { email } = await newUser();
    const [phone, own] = [await enter(email), await enter(email)];
    const listed = await list(own);
    expect(listed.map(({ current, kind }) => [current, kind])).toEqual([
      [true, 'api'],
      [false, 'api'],
    ]);
    const other = listed[1]?.id ?? '';
    const end = (id: string, headers: Headers) =>
      one.http.request('DELETE', `/api/v1/auth/sessions/${id}`, { headers });
    const stranger = await enter((await newUser()).email);
    expect(await end(other, stranger)).toMatchObject({ status: 404, body: { code: 'session.not_found' } });
    expect((await end(other, own)).status).toBe(204);
    expect((await end(other, own)).status).toBe(404);
    expect((await one.http.get('/api/v1/auth/me', phone)).status).toBe(401);
    expect(await list(own)).toHaveLength(1);
  });

  it('end unused after 7 days, and in any case after 30', async () => {
    const { email } = await newUser();
    const refresh = (refreshToken: string) =>
      one.http.post<Tokens>('/api/v1/auth/refresh', { refreshToken }, from(newAddress()));
    const idle = (await login(email)).body.refreshToken;
    let used = (await login(email)).body.refreshToken;
    for (let day = 6; day < 30; day += 6) {
      clock.advance(6 * DAY_MS);
      const answer = await refresh(used);
      expect(answer.status).toBe(200);
      used = answer.body.refreshToken;
      if (day > 6) expect((await refresh(idle)).status).toBe(401);
    }
    clock.advance(6 * DAY_MS + MINUTE_MS);
    expect((await refresh(used)).status).toBe(401);
  });

  it('of a dashboard hold for 12 hours unused, and end with a new role', async () => {
    const { id, email } = await newUser();
    const dashboards = one.app.get(DashboardSessions);
    const open = () =>
      dashboards.open({ email, password: PASSWORD, address: newAddress(), userAgent: 'Firefox' });
    const [first, second] = [await open(), await open()];
    expect(await dashboards.find(first)).toMatchObject({
      user: { id },
      restriction: null,
    });
    expect((await list(await enter(email)))[1]).toMatchObject({ kind: 'dashboard', userAgent: 'Firefox' });
    clock.advance(11 * 60 * MINUTE_MS);
    expect(await dashboards.find(first)).not.toBeNull();
    clock.advance(2 * 60 * MINUTE_MS);
    expect(await dashboards.find(first)).not.toBeNull();
    expect(await dashboards.find(second)).toBeNull();
    const change = { headers: await fresh(), body: { role: 'admin' } };
    expect((await one.http.request('PATCH', `/api/v1/users/${id}`, change)).status).toBe(200);
    expect(await dashboards.find(first)).toBeNull();
    expect(await dashboards.find('unknown')).toBeNull();
  });
});
