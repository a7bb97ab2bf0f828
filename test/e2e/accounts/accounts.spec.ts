import { createHmac, randomBytes } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountsService } from '../../../src/accounts/index.js';
import { AccountsSweep } from '../../../src/accounts/accounts-sweep.js';
import { PasswordHasher } from '../../../src/accounts/users/password-hasher.js';
import { AuditLog, THE_SERVICE } from '../../../src/platform/audit/index.js';
import { ConfigurationError } from '../../../src/platform/config/index.js';
import { newId } from '../../../src/kernel/ids.js';
import { secretDigest } from '../../../src/kernel/secret.js';
import { createJoma, loadConfiguration } from '../../../src/app.module.js';
import { Database } from '../../../src/platform/database/index.js';
import { Clock } from '../../../src/kernel/clock.js';
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  startTestApp as startApp,
  type TestApp as App,
} from '../../support/test-app.js';
import { expectDocumented } from '../../support/answer-validation.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

/*
 * Rules: contract 1.30, 2.5, 2.9 to 2.24, 2.37, 2.38, 8.22, 8.23, 8.25, 8.27, 8.28.
 */

const PASSWORD = 'seven green boats';
const JWT_SECRET = 'a secret of more than thirty-two characters';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const ENVIRONMENT = { JWT_SECRET, ENCRYPTION_KEY, RATE_LIMIT_LOGIN: '10/1m' };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The system's time, moved. */
class MovedClock extends Clock {
  private offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  advance(durationMs: number): void {
    this.offsetMs += durationMs;
  }

  reset(): void {
    this.offsetMs = 0;
  }
}

interface TestApp extends App {
  readonly clock: MovedClock;
}

async function startTestApp(options: {
  environment?: Record<string, string>;
  database?: TestDatabase;
}): Promise<TestApp> {
  const clock = new MovedClock();
  return { ...(await startApp({ ...options, clock })), clock };
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Body;
}

/** A body as far as these tests look into it by name. */
type Body = Record<string, unknown> & { readonly id?: string; readonly requestId?: string };

interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Where the request comes from; an own address for each test keeps their limits apart. */
  readonly address?: string | undefined;
}

interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
}

// Matchers are typed `any`; these are not.
const AN_ID: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const AN_INSTANT: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let addresses = 0;
let users = 0;
const newAddress = () => `198.18.${(addresses >> 8) & 255}.${addresses++ & 255}`;
const newEmail = () => `person${++users}@example.com`;

async function call(
  test: Pick<App, 'app'>,
  method: string,
  url: string,
  options: Call = {},
): Promise<Answer> {
  const response = await test.app.inject({
    method: method as 'GET',
    url,
    remoteAddress: options.address ?? newAddress(),
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { payload: JSON.stringify(options.body) }),
  });
  const body = response.payload === '' ? {} : (JSON.parse(response.payload) as Body);
  const contentType = String(response.headers['content-type'] ?? '');
  expectDocumented({ method, path: url, status: response.statusCode, contentType, body });
  return { status: response.statusCode, headers: response.headers, body };
}

const login = (test: Pick<App, 'app'>, email: string, password: string, address?: string) =>
  call(test, 'POST', '/api/v1/auth/login', { body: { email, password }, address });

const refresh = (test: Pick<App, 'app'>, refreshToken: string) =>
  call(test, 'POST', '/api/v1/auth/refresh', { body: { refreshToken } });

const me = (test: Pick<App, 'app'>, token?: string) => call(test, 'GET', '/api/v1/auth/me', { token });

async function signIn(test: TestApp, email: string, password = PASSWORD): Promise<SignedIn> {
  const answer = await login(test, email, password);
  expect(answer.status).toBe(200);
  return answer.body as unknown as SignedIn;
}

async function createUser(
  test: TestApp,
  role: 'admin' | 'merchant' = 'merchant',
): Promise<{ id: string; email: string }> {
  const { accessToken } = await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD);
  const email = newEmail();
  const body = { email, password: PASSWORD, name: 'Rahima Khatun', role };
  const answer = await call(test, 'POST', '/api/v1/users', { token: accessToken, body });
  expect(answer.status).toBe(201);
  return { id: String(answer.body.id), email };
}

async function patchAsAdmin(test: TestApp, id: string, body: unknown): Promise<Answer> {
  const { accessToken } = await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD);
  return call(test, 'PATCH', `/api/v1/users/${id}`, { token: accessToken, body });
}

const withoutRequestId = ({ requestId: _requestId, ...problem }: Answer['body']) => problem;

describe('accounts', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp({ environment: ENVIRONMENT });
  });
  afterAll(() => test.close());
  afterEach(() => {
    vi.restoreAllMocks();
    test.clock.reset();
  });

  describe('sign-in', () => {
    it('answers with a bearer token for 15 minutes and a refresh token, and nobody may keep the answer', async () => {
      const answer = await login(test, `  ${ADMIN_EMAIL.toUpperCase()} `, ADMIN_PASSWORD);
      expect(answer).toMatchObject({ status: 200, body: { tokenType: 'Bearer', expiresIn: 900 } });
      expect(Object.keys(answer.body).sort()).toEqual([
        'accessToken',
        'expiresIn',
        'refreshToken',
        'tokenType',
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
      const accessToken = String(answer.body['accessToken']);
      const [header, payload] = accessToken
        .split('.')
        .map((part) => Buffer.from(part, 'base64url').toString())
        .slice(0, 2)
        .map((part) => JSON.parse(part) as Record<string, unknown>);
      expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
      const { iat, exp, ...claims } = payload as Record<string, number>;
      expect(claims).toEqual({ iss: 'joma', aud: 'joma:people', sub: AN_ID, sid: AN_ID, ver: 1 });
      expect((exp ?? 0) - (iat ?? 0)).toBe(900);
      const whoami = await me(test, accessToken);
      expect(whoami).toMatchObject({
        status: 200,
        body: { email: ADMIN_EMAIL, role: 'admin', active: true },
      });
    });

    it('answers a wrong e-mail, a wrong password and a deactivated account alike, after one Argon2 computation', async () => {
      const known = await createUser(test);
      const former = await createUser(test);
      expect((await patchAsAdmin(test, former.id, { active: false })).status).toBe(200);
      const verify = vi.spyOn(test.app.get(PasswordHasher), 'verify');
      const problems = [];
      for (const [email, password] of [
        [known.email, 'not the password'],
        ['nobody@example.com', PASSWORD],
        [former.email, PASSWORD],
        ['not an e-mail address', PASSWORD],
        [known.email, 'x'],
      ] as const) {
        verify.mockClear();
        const answer = await login(test, email, password);
        expect(answer).toMatchObject({ status: 401, body: { code: 'auth.invalid_credentials' } });
        expect(verify).toHaveBeenCalledTimes(1);
        problems.push(withoutRequestId(answer.body));
      }
      expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1);
    });

    it.each([
      ['nothing', undefined],
      ['no password', { email: ADMIN_EMAIL }],
      ['no e-mail', { password: ADMIN_PASSWORD }],
      ['null', { email: null, password: null }],
      ['a number', { email: ADMIN_EMAIL, password: 1234567890 }],
      ['a list', { email: [ADMIN_EMAIL], password: ADMIN_PASSWORD }],
      ['an object', { email: { $ne: '' }, password: ADMIN_PASSWORD }],
      ['an empty password', { email: ADMIN_EMAIL, password: '' }],
      ['a password of 129 characters', { email: ADMIN_EMAIL, password: 'x'.repeat(129) }],
      ['an e-mail of 255 characters', { email: `${'x'.repeat(243)}@example.com`, password: ADMIN_PASSWORD }],
      ['an unknown field', { email: ADMIN_EMAIL, password: ADMIN_PASSWORD, remember: true }],
    ])('refuses %s with 400', async (_what, body) => {
      const answer = await call(test, 'POST', '/api/v1/auth/login', { body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
      expect(JSON.stringify(answer.body)).not.toContain(ADMIN_PASSWORD);
    });

    it('lets nobody in whose account changes while the password is being checked', async () => {
      const { id, email } = await createUser(test);
      const passwords = test.app.get(PasswordHasher);
      const verify = passwords.verify.bind(passwords);
      vi.spyOn(passwords, 'verify').mockImplementationOnce(async (hash, password) => {
        const fits = await verify(hash, password);
        await test.database.query('UPDATE users SET active = false, token_version = 2 WHERE id = $1', [id]);
        return fits;
      });
      expect(await login(test, email, PASSWORD)).toMatchObject({
        status: 401,
        body: { code: 'auth.invalid_credentials' },
      });
      expect(await test.database.query('SELECT 1 FROM sessions WHERE user_id = $1', [id])).toEqual([]);
    });

    it('keeps passwords as Argon2id and refresh tokens as digests', async () => {
      const { email } = await createUser(test);
      const { refreshToken } = await signIn(test, email);
      const [user] = await test.database.query('SELECT password_hash FROM users WHERE email = $1', [email]);
      expect(user?.['password_hash']).toMatch(/^\$argon2id\$/);
      const kept = await test.database.query('SELECT 1 FROM refresh_tokens WHERE digest = $1', [
        secretDigest(refreshToken),
      ]);
      expect(kept).toHaveLength(1);
    });
  });

  describe('access tokens', () => {
    let signedIn: SignedIn;
    let payload: Record<string, unknown>;

    beforeAll(async () => {
      const { email } = await createUser(test);
      signedIn = await signIn(test, email);
      payload = JSON.parse(
        Buffer.from(signedIn.accessToken.split('.')[1] ?? '', 'base64url').toString(),
      ) as typeof payload;
    });

    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forge = (header: object, claims: object, secret = JWT_SECRET, hash = 'sha256') => {
      const content = `${encode(header)}.${encode(claims)}`;
      return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`;
    };
    const HS256 = { alg: 'HS256', typ: 'JWT' };

    it('takes a token that is signed as its own are, so that the next test proves something', async () => {
      expect((await me(test, forge(HS256, payload))).status).toBe(200);
    });

    it.each<[string, () => string | undefined]>([
      ['no token', () => undefined],
      ['no signature', () => `${encode({ alg: 'none' })}.${encode(payload)}.`],
      ['alg none with the right signature', () => forge({ alg: 'none', typ: 'JWT' }, payload)],
      ['alg None', () => forge({ alg: 'None' }, payload)],
      ['no alg', () => forge({ typ: 'JWT' }, payload)],
      ['HS384', () => forge({ alg: 'HS384' }, payload, JWT_SECRET, 'sha384')],
      ['HS512', () => forge({ alg: 'HS512' }, payload, JWT_SECRET, 'sha512')],
      ['RS256 in the header', () => forge({ alg: 'RS256' }, payload)],
      ['ES256 in the header', () => forge({ alg: 'ES256' }, payload)],
      ['another secret', () => forge(HS256, payload, 'another secret of more than 32 characters')],
      ['an empty secret', () => forge(HS256, payload, '')],
      ['an own key in the header', () => forge({ ...HS256, jwk: { kty: 'oct', k: 'eA' } }, payload, 'x')],
      [
        'a changed payload',
        () => signedIn.accessToken.replace(/\.[^.]+\./, `.${encode({ ...payload, ver: 1, sub: newId() })}.`),
      ],
      ['no exp', () => forge(HS256, { ...payload, exp: undefined })],
      ['an exp of text', () => forge(HS256, { ...payload, exp: '99999999999' })],
      ['an exp in the past', () => forge(HS256, { ...payload, exp: 1 })],
      ['another issuer', () => forge(HS256, { ...payload, iss: 'somebody' })],
      ['no issuer', () => forge(HS256, { ...payload, iss: undefined })],
      ['another audience', () => forge(HS256, { ...payload, aud: 'joma:machines' })],
      ['no audience', () => forge(HS256, { ...payload, aud: undefined })],
      ['another version', () => forge(HS256, { ...payload, ver: 99 })],
      ['no version', () => forge(HS256, { ...payload, ver: undefined })],
      ['somebody else', () => forge(HS256, { ...payload, sub: newId() })],
      ['no session', () => forge(HS256, { ...payload, sid: undefined })],
      ['a session that is no id', () => forge(HS256, { ...payload, sid: "x' OR '1'='1" })],
      ['a session that is not there', () => forge(HS256, { ...payload, sid: newId() })],
      ['a payload that is null', () => `${encode(HS256)}.${Buffer.from('null').toString('base64url')}.AAAA`],
      ['rubbish', () => 'a.b.c'],
      ['a refresh token', () => signedIn.refreshToken],
    ])('refuses %s with the same 401', async (_what, token) => {
      const answer = await me(test, token());
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="joma"');
      expect(withoutRequestId(answer.body)).toEqual({
        type: 'urn:joma:problem:auth.required',
        title: 'Unauthorized',
        status: 401,
        detail: 'A valid credential is required.',
        instance: '/api/v1/auth/me',
        code: 'auth.required',
      });
    });

    it('refuses a token in the address', async () => {
      const answer = await call(test, 'GET', `/api/v1/auth/me?access_token=${signedIn.accessToken}`);
      expect(answer.status).toBe(401);
    });

    it('holds for 15 minutes', async () => {
      test.clock.advance(14 * MINUTE_MS);
      expect((await me(test, signedIn.accessToken)).status).toBe(200);
      test.clock.advance(MINUTE_MS);
      expect((await me(test, signedIn.accessToken)).status).toBe(401);
    });

    it('never mistakes one of many simultaneous callers for another', async () => {
      const users = await Promise.all(Array.from({ length: 4 }, () => createUser(test)));
      const tokens = await Promise.all(
        users.map(async ({ email }) => (await signIn(test, email)).accessToken),
      );
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, index) => me(test, tokens[index % 4])),
      );
      expect(answers.map(({ body }) => body.id)).toEqual(answers.map((_, index) => users[index % 4]?.id));
    });
  });

  describe('refresh', () => {
    it('rotates: new tokens work, and the sign-in is still the same', async () => {
      const { email } = await createUser(test);
      const first = await signIn(test, email);
      const answer = await refresh(test, first.refreshToken);
      expect(answer).toMatchObject({ status: 200, body: { tokenType: 'Bearer', expiresIn: 900 } });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body['refreshToken']).not.toBe(first.refreshToken);
      expect((await me(test, String(answer.body['accessToken']))).status).toBe(200);
      expect((await me(test, first.accessToken)).status).toBe(200);
      expect((await refresh(test, String(answer.body['refreshToken']))).status).toBe(200);
    });

    it('takes a spent token for stolen: that sign-in ends, and no other', async () => {
      const { email } = await createUser(test);
      const [stolen, other] = [await signIn(test, email), await signIn(test, email)];
      const next = (await refresh(test, stolen.refreshToken)).body as unknown as SignedIn;
      const reuse = await refresh(test, stolen.refreshToken);
      expect(reuse).toMatchObject({ status: 401, body: { code: 'auth.invalid_refresh_token' } });
      expect((await refresh(test, next.refreshToken)).status).toBe(401);
      expect((await me(test, next.accessToken)).status).toBe(401);
      expect((await me(test, stolen.accessToken)).status).toBe(401);
      expect((await me(test, other.accessToken)).status).toBe(200);
      expect((await refresh(test, other.refreshToken)).status).toBe(200);
    });

    it('of two at the same instant lets exactly one win, and ends the sign-in', async () => {
      const { email } = await createUser(test);
      for (let round = 0; round < 10; round += 1) {
        const { refreshToken } = await signIn(test, email);
        const answers = await Promise.all([refresh(test, refreshToken), refresh(test, refreshToken)]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
        const won = answers.find(({ status }) => status === 200)?.body as unknown as SignedIn;
        expect((await me(test, won.accessToken)).status).toBe(401);
        expect((await refresh(test, won.refreshToken)).status).toBe(401);
      }
    });

    it('ends 30 days after the sign-in, however often it is refreshed', async () => {
      const { email } = await createUser(test);
      const first = await signIn(test, email);
      let second = { body: { ...first } as Body };
      for (const days of [6, 6, 6, 6, 5]) {
        test.clock.advance(days * DAY_MS);
        const answer = await refresh(test, String(second.body['refreshToken']));
        expect(answer.status).toBe(200);
        second = answer;
      }
      test.clock.advance(DAY_MS);
      const over = await refresh(test, String(second.body['refreshToken']));
      expect(over).toMatchObject({ status: 401, body: { code: 'auth.invalid_refresh_token' } });
      expect((await me(test, String(second.body['accessToken']))).status).toBe(401);
    });

    it('answers an unknown token like a spent one, and an impossible one with 400', async () => {
      const { email } = await createUser(test);
      const { refreshToken } = await signIn(test, email);
      await refresh(test, refreshToken);
      const [spent, unknown] = [await refresh(test, refreshToken), await refresh(test, 'x'.repeat(43))];
      expect(withoutRequestId(unknown.body)).toEqual(withoutRequestId(spent.body));
      for (const body of [
        {},
        { refreshToken: '' },
        { refreshToken: 1 },
        { refreshToken: 'x'.repeat(513) },
        undefined,
      ]) {
        expect((await call(test, 'POST', '/api/v1/auth/refresh', { body })).status).toBe(400);
      }
    });
  });

  describe('sign-out', () => {
    it('ends one sign-in at once, access token included, and says nothing', async () => {
      const { email } = await createUser(test);
      const [left, kept] = [await signIn(test, email), await signIn(test, email)];
      const logout = (refreshToken: string) =>
        call(test, 'POST', '/api/v1/auth/logout', { body: { refreshToken } });
      expect(await logout(left.refreshToken)).toMatchObject({ status: 204, body: {} });
      expect((await me(test, left.accessToken)).status).toBe(401);
      expect((await refresh(test, left.refreshToken)).status).toBe(401);
      expect((await me(test, kept.accessToken)).status).toBe(200);
      expect((await logout(left.refreshToken)).status).toBe(204);
      expect((await logout('never seen')).status).toBe(204);
      expect((await call(test, 'POST', '/api/v1/auth/logout', { body: {} })).status).toBe(400);
    });
  });

  describe('password', () => {
    const change = (token: string | undefined, currentPassword: unknown, newPassword: unknown) =>
      call(test, 'POST', '/api/v1/auth/password', { token, body: { currentPassword, newPassword } });
    const NEW_PASSWORD = 'eight blue kites over Dhaka';

    it('ends the other sign-ins and every access token; the own refresh token fetches the next', async () => {
      const { email } = await createUser(test);
      const [own, other] = [await signIn(test, email), await signIn(test, email)];
      expect(await change(own.accessToken, PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 204, body: {} });
      expect((await me(test, own.accessToken)).status).toBe(401);
      expect((await me(test, other.accessToken)).status).toBe(401);
      expect((await refresh(test, other.refreshToken)).status).toBe(401);
      const next = await refresh(test, own.refreshToken);
      expect((await me(test, String(next.body['accessToken']))).status).toBe(200);
      expect((await login(test, email, PASSWORD)).status).toBe(401);
      expect((await login(test, email, NEW_PASSWORD)).status).toBe(200);
    });

    it('wants the current one, and changes nothing without it', async () => {
      const { email } = await createUser(test);
      const { accessToken } = await signIn(test, email);
      const answer = await change(accessToken, 'not the password', NEW_PASSWORD);
      expect(answer).toMatchObject({ status: 401, body: { code: 'auth.invalid_credentials' } });
      expect((await change(undefined, PASSWORD, NEW_PASSWORD)).status).toBe(401);
      expect((await me(test, accessToken)).status).toBe(200);
      expect((await login(test, email, PASSWORD)).status).toBe(200);
    });

    it('cannot be guessed with a stolen access token: wrong ones count for its session', async () => {
      const { email } = await createUser(test);
      const { accessToken } = await signIn(test, email);
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await change(accessToken, `wrong number ${attempt}`, NEW_PASSWORD)).status).toBe(401);
      }
      expect(await change(accessToken, PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 429 });
      expect(await login(test, email, PASSWORD)).toMatchObject({ status: 200 });
    });

    it('has 10 to 128 characters, as people count them', async () => {
      const { email } = await createUser(test);
      const { accessToken } = await signIn(test, email);
      for (const refused of ['x'.repeat(9), '💸'.repeat(9), 'x'.repeat(129), '', null, 1234567890]) {
        const answer = await change(accessToken, PASSWORD, refused);
        expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
        expect(answer.body['errors']).toContainEqual(expect.objectContaining({ pointer: '/newPassword' }));
      }
      const longest = '💸'.repeat(128);
      expect((await change(accessToken, PASSWORD, longest)).status).toBe(204);
      expect((await login(test, email, longest)).status).toBe(200);
    });

    it('of two changes at once lets one win', async () => {
      const { email } = await createUser(test);
      const sessions = [await signIn(test, email), await signIn(test, email)];
      const answers = await Promise.all(
        sessions.map(({ accessToken }, index) => change(accessToken, PASSWORD, `a new password ${index}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    });
  });

  describe('users', () => {
    let admin: string;
    beforeEach(async () => {
      admin = (await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD)).accessToken;
    });
    const create = (body: unknown, token: string | undefined = admin) =>
      call(test, 'POST', '/api/v1/users', { token, body });
    const valid = () => ({ email: newEmail(), password: PASSWORD, name: 'Rahima Khatun', role: 'merchant' });

    it('are created by an admin, who then sees them', async () => {
      const email = newEmail();
      const answer = await create({
        ...valid(),
        email: ` ${email.toUpperCase()} `,
        name: '  Rahima Khatun ',
      });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: AN_ID,
        email,
        name: 'Rahima Khatun',
        role: 'merchant',
        active: true,
        mustChangePassword: false,
        secondFactor: false,
        createdAt: AN_INSTANT,
        updatedAt: answer.body['createdAt'],
      });
      const got = await call(test, 'GET', `/api/v1/users/${answer.body.id}`, { token: admin });
      expect(got).toMatchObject({ status: 200, body: answer.body });
      expect((await login(test, email, PASSWORD)).status).toBe(200);
    });

    it("are nobody else's business", async () => {
      const { id, email } = await createUser(test);
      const { accessToken } = await signIn(test, email);
      for (const [method, url, body] of [
        ['POST', '/api/v1/users', valid()],
        ['GET', '/api/v1/users', undefined],
        ['GET', `/api/v1/users/${id}`, undefined],
        ['PATCH', `/api/v1/users/${id}`, { role: 'admin' }],
      ] as const) {
        expect(await call(test, method, url, { body })).toMatchObject({
          status: 401,
          body: { code: 'auth.required' },
        });
        expect(await call(test, method, url, { body, token: accessToken })).toMatchObject({
          status: 403,
          body: { code: 'auth.forbidden' },
        });
      }
    });

    it.each<[string, object]>([
      ['no e-mail', { email: undefined }],
      ['an e-mail without a domain', { email: 'rahima' }],
      [
        'an e-mail of 255 characters',
        { email: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.com` },
      ],
      ['an e-mail whose lower case is a matter of opinion', { email: 'İpek@example.com' }],
      ['a list of e-mails', { email: ['a@example.com'] }],
      ['a short password', { password: 'x'.repeat(9) }],
      ['a long password', { password: 'x'.repeat(129) }],
      ['a password that is a number', { password: 1234567890 }],
      ['no name', { name: undefined }],
      ['a blank name', { name: '   ' }],
      ['a name of 201 characters', { name: 'x'.repeat(201) }],
      ['a name with NUL', { name: 'a\u0000b' }],
      ['another role', { role: 'owner' }],
      ['a list of roles', { role: ['admin'] }],
      ['no role', { role: undefined }],
      ['an unknown field', { active: false }],
    ])('are refused with %s', async (_what, changes) => {
      expect(await create({ ...valid(), ...changes })).toMatchObject({
        status: 400,
        body: { code: 'request.invalid' },
      });
    });

    it('have names of up to 200 characters in any script', async () => {
      expect(await create({ ...valid(), name: '𠮷'.repeat(200) })).toMatchObject({ status: 201 });
    });

    it('have an e-mail address of their own, however it is written, also when two come at once', async () => {
      const body = valid();
      const answers = await Promise.all([create(body), create({ ...body, email: body.email.toUpperCase() })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(await create(body)).toMatchObject({ status: 409, body: { code: 'user.email_taken' } });
    });

    it('are listed newest first, page by page, each once', async () => {
      const created: string[] = [];
      for (let index = 0; index < 5; index += 1) created.unshift((await createUser(test)).id);
      const seen: string[] = [];
      let cursor = '';
      do {
        const answer = await call(test, 'GET', `/api/v1/users?limit=2${cursor}`, { token: admin });
        expect(answer.status).toBe(200);
        const data = answer.body['data'] as { id: string }[];
        expect(data.length).toBeLessThanOrEqual(2);
        seen.push(...data.map(({ id }) => id));
        const { nextCursor } = answer.body as { nextCursor: string | null };
        cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
      } while (cursor !== '');
      expect(seen.slice(0, 5)).toEqual(created);
      expect(new Set(seen).size).toBe(seen.length);
      const [{ count } = { count: 0 }] = await test.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM users',
      );
      expect(seen).toHaveLength(count);
      for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x']) {
        expect((await call(test, 'GET', `/api/v1/users?${query}`, { token: admin })).status).toBe(400);
      }
    });

    it('that are not there are a 404', async () => {
      for (const id of [newId(), 'x', '00000000-0000-0000-0000-000000000000']) {
        expect((await call(test, 'GET', `/api/v1/users/${id}`, { token: admin })).status).toBe(404);
        expect(
          (await call(test, 'PATCH', `/api/v1/users/${id}`, { token: admin, body: { name: 'x' } })).status,
        ).toBe(404);
      }
    });

    it('take a new name; nothing given changes nothing', async () => {
      const { id } = await createUser(test);
      const renamed = await patchAsAdmin(test, id, { name: ' Rahima Begum ' });
      expect(renamed).toMatchObject({
        status: 200,
        body: { name: 'Rahima Begum', role: 'merchant', active: true },
      });
      test.clock.advance(MINUTE_MS);
      for (const body of [{}, undefined, { name: 'Rahima Begum', active: true }]) {
        expect(await patchAsAdmin(test, id, body)).toMatchObject({ status: 200, body: renamed.body });
      }
      for (const body of [
        { name: null },
        { role: null },
        { active: null },
        { active: 'false' },
        { active: 0 },
        { role: 'owner' },
        { name: '' },
        { email: 'new@example.com' },
        { password: PASSWORD },
        { tokenVersion: 1 },
        [],
        null,
      ]) {
        expect((await patchAsAdmin(test, id, body)).status).toBe(400);
      }
    });

    it('have a new role at once, with the token they already have', async () => {
      const { id, email } = await createUser(test);
      const { accessToken } = await signIn(test, email);
      await patchAsAdmin(test, id, { role: 'admin' });
      expect((await call(test, 'GET', '/api/v1/users', { token: accessToken })).status).toBe(200);
      await patchAsAdmin(test, id, { role: 'merchant' });
      expect((await call(test, 'GET', '/api/v1/users', { token: accessToken })).status).toBe(403);
      expect(await me(test, accessToken)).toMatchObject({ status: 200, body: { role: 'merchant' } });
    });

    it('that are deactivated are out at once, and stay out when they come back', async () => {
      const { id, email } = await createUser(test);
      const [before, other] = [await signIn(test, email), await signIn(test, email)];
      expect(await patchAsAdmin(test, id, { active: false })).toMatchObject({
        status: 200,
        body: { active: false },
      });
      expect((await me(test, before.accessToken)).status).toBe(401);
      expect((await refresh(test, before.refreshToken)).status).toBe(401);
      expect((await login(test, email, PASSWORD)).status).toBe(401);
      await expect(test.app.get(AccountsService).findUser(id)).resolves.toBeNull();
      await patchAsAdmin(test, id, { active: true });
      expect((await me(test, before.accessToken)).status).toBe(401);
      expect((await refresh(test, other.refreshToken)).status).toBe(401);
      expect((await login(test, email, PASSWORD)).status).toBe(200);
      await expect(test.app.get(AccountsService).findUser(id)).resolves.toEqual({
        id,
        email,
        name: 'Rahima Khatun',
        role: 'merchant',
      });
    });
  });

  describe('audit log', () => {
    it('holds every change with who, from where and what, and no secret', async () => {
      const { accessToken } = await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD);
      const address = newAddress();
      const email = newEmail();
      const body = { email, password: PASSWORD, name: 'Rahima', role: 'merchant' };
      const { id } = (await call(test, 'POST', '/api/v1/users', { token: accessToken, body, address })).body;
      await call(test, 'PATCH', `/api/v1/users/${id}`, {
        token: accessToken,
        body: { role: 'admin' },
        address,
      });
      const signedIn = (await login(test, email, PASSWORD, address)).body as unknown as SignedIn;
      const newPassword = 'eight blue kites';
      await call(test, 'POST', '/api/v1/auth/password', {
        token: signedIn.accessToken,
        body: { currentPassword: PASSWORD, newPassword },
        address,
      });
      const again = (await login(test, email, newPassword, address)).body as unknown as SignedIn;
      await call(test, 'POST', '/api/v1/auth/logout', {
        body: { refreshToken: again.refreshToken },
        address,
      });
      await refresh(test, signedIn.refreshToken);
      await refresh(test, signedIn.refreshToken);

      const entries = await test.database.query<Record<string, unknown>>(
        `SELECT action, actor_type, actor_email, address, details FROM audit_entries
         WHERE address = $1 OR details->>'userId' = $2 ORDER BY at, id`,
        [address, id],
      );
      expect(entries).toMatchObject([
        {
          action: 'user.created',
          actor_type: 'user',
          actor_email: ADMIN_EMAIL,
          address,
          details: { userId: id, after: { email, name: 'Rahima', role: 'merchant', active: true } },
        },
        {
          action: 'user.updated',
          actor_email: ADMIN_EMAIL,
          details: { userId: id, before: { role: 'merchant' }, after: { role: 'admin' } },
        },
        { action: 'auth.signed_in', actor_email: email, address },
        { action: 'auth.password_changed', actor_email: email, details: { endedSessions: 0 } },
        { action: 'auth.signed_in', actor_email: email },
        { action: 'auth.signed_out', actor_email: email },
        { action: 'auth.refresh_token_reused', actor_type: 'system', actor_email: null },
      ]);
      const all = JSON.stringify(await test.database.query('SELECT * FROM audit_entries'));
      for (const secret of [
        PASSWORD,
        newPassword,
        ADMIN_PASSWORD,
        '$argon2id',
        signedIn.refreshToken,
        accessToken,
      ]) {
        expect(all).not.toContain(secret);
      }
    });

    it('cannot be changed, not even by the service', async () => {
      await expect(test.database.query(`UPDATE audit_entries SET action = 'nothing'`)).rejects.toThrow(
        'append-only',
      );
      await expect(test.database.query('DELETE FROM audit_entries')).rejects.toThrow('append-only');
      await expect(test.database.query('TRUNCATE audit_entries')).rejects.toThrow('append-only');
    });

    it('is read store by store, newest first, page by page, also within one millisecond', async () => {
      const auditLog = test.app.get(AuditLog);
      const [storeId, otherId] = [newId(), newId()];
      const caller = { user: { id: newId(), email: 'rahima@example.com' }, address: '203.0.113.7' };
      await test.app.get(Database).transaction(async (tx) => {
        for (let index = 0; index < 7; index += 1) {
          await auditLog.record(tx, caller, 'store.updated', { storeId, details: { index } });
        }
        await auditLog.record(tx, { by: 'api_key', address: null }, 'store.seen', { storeId: otherId });
      });
      const seen: unknown[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await auditLog.listOfStore(storeId, { limit: 3, ...(cursor ? { cursor } : {}) });
        seen.push(...page.data.map(({ details }) => details['index']));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0]);
      const other = await auditLog.listOfStore(otherId, { limit: 20 });
      expect(other).toEqual({
        data: [
          {
            id: AN_ID,
            at: AN_INSTANT,
            actor: { type: 'api_key', id: null },
            action: 'store.seen',
            address: null,
            details: {},
          },
        ],
        nextCursor: null,
      });
      await expect(auditLog.listOfStore(storeId, { limit: 3, cursor: 'x' })).rejects.toThrow('cursor');
    });

    it('loses its line when the change is rolled back', async () => {
      const auditLog = test.app.get(AuditLog);
      const storeId = newId();
      const change = test.app.get(Database).transaction(async (tx) => {
        await auditLog.record(tx, THE_SERVICE, 'store.updated', { storeId });
        throw new Error('something else failed');
      });
      await expect(change).rejects.toThrow('something else failed');
      expect((await auditLog.listOfStore(storeId, { limit: 20 })).data).toEqual([]);
    });
  });

  describe('sweep', () => {
    it('runs every hour', () => {
      const job = test.app.get(SchedulerRegistry, { strict: false }).getCronJob('accounts-sweep');
      const [first, second] = job.nextDates(2).map((date) => date.toMillis());
      expect((second ?? 0) - (first ?? 0)).toBe(60 * MINUTE_MS);
    });

    it('removes what is past its end, and nothing else', async () => {
      const { id, email } = await createUser(test);
      const old = await signIn(test, email);
      await refresh(test, old.refreshToken);
      const count = async () => {
        const [row] = await test.database.query(
          `SELECT count(DISTINCT s.id)::int AS sessions, count(t.digest)::int AS tokens
           FROM sessions s LEFT JOIN refresh_tokens t ON t.session_id = s.id WHERE s.user_id = $1`,
          [id],
        );
        return row;
      };
      await test.database.query(
        `INSERT INTO rate_limits (key, points, expire) VALUES ('old', 1, $1), ('live', 1, $2)`,
        [Date.now() - 2 * 60 * MINUTE_MS, Date.now() + 40 * DAY_MS],
      );
      test.clock.advance(29 * DAY_MS);
      const young = await signIn(test, email);
      await test.app.get(AccountsSweep).run();
      expect(await count()).toEqual({ sessions: 2, tokens: 3 });
      test.clock.advance(DAY_MS + 1);
      const sweep = test.app.get(AccountsSweep);
      await Promise.all([sweep.run(), sweep.run()]);
      expect(await count()).toEqual({ sessions: 1, tokens: 1 });
      expect((await refresh(test, young.refreshToken)).status).toBe(200);
      const limits = await test.database.query(`SELECT key FROM rate_limits WHERE key IN ('old', 'live')`);
      expect(limits).toEqual([{ key: 'live' }]);
    });
  });
});

describe('the last admin', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ environment: ENVIRONMENT });
  });
  afterAll(() => test.close());

  it('can be neither deactivated nor demoted, and nothing of the request is done', async () => {
    const { accessToken } = await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD);
    const { id } = (await me(test, accessToken)).body;
    for (const body of [
      { active: false },
      { role: 'merchant' },
      { name: 'Nobody', active: false, role: 'merchant' },
    ]) {
      const answer = await call(test, 'PATCH', `/api/v1/users/${id}`, { token: accessToken, body });
      expect(answer).toMatchObject({ status: 409, body: { code: 'user.last_admin' } });
    }
    expect(await me(test, accessToken)).toMatchObject({
      body: { name: 'Administrator', role: 'admin', active: true },
    });
    const renamed = await call(test, 'PATCH', `/api/v1/users/${id}`, {
      token: accessToken,
      body: { name: 'Boss' },
    });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Boss' } });
  });

  it('is left over when two admins remove each other at the same instant', async () => {
    const first = (await me(test, (await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD)).accessToken)).body;
    for (let round = 0; round < 5; round += 1) {
      const second = await createUser(test, 'admin');
      const tokens = [await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD), await signIn(test, second.email)];
      const body = round % 2 === 0 ? { role: 'merchant' } : { active: false };
      const answers = await Promise.all(
        [second.id, first.id].map((id, index) =>
          call(test, 'PATCH', `/api/v1/users/${id}`, { token: tokens[index]?.accessToken, body }),
        ),
      );
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      const admins = await test.database.query(`SELECT id FROM users WHERE role = 'admin' AND active`);
      expect(admins).toHaveLength(1);
      await test.database.query(`UPDATE users SET role = 'admin', active = true WHERE id = $1`, [first.id]);
      await test.database.query('UPDATE users SET active = false WHERE id = $1', [second.id]);
    }
  });
});

describe('the first admin', () => {
  const SETTINGS = { NODE_ENV: 'test', LOG_LEVEL: 'silent', JWT_SECRET, ENCRYPTION_KEY };
  let database: TestDatabase;
  let apps: NestFastifyApplication[];

  beforeEach(async () => {
    apps = [];
    database = await createTestDatabase();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  /** An application whose first admin nobody has asked for yet. */
  async function startWithoutAdmin(environment: Record<string, string>): Promise<NestFastifyApplication> {
    const configuration = loadConfiguration({ ...SETTINGS, DATABASE_URL: database.url, ...environment });
    const app = await createJoma({ configuration, databaseUrl: database.url });
    apps.push(app);
    return app.init();
  }

  /** All callers have seen that there is nobody, and computed their password, before the first of them goes on. */
  function meetAfterHashing(replicas: readonly NestFastifyApplication[], callers: number): void {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let arrived = 0;
    for (const app of replicas) {
      const passwords = app.get(PasswordHasher);
      const hash = passwords.hash.bind(passwords);
      vi.spyOn(passwords, 'hash').mockImplementation(async (password) => {
        const passwordHash = await hash(password);
        arrived += 1;
        if (arrived === callers) open();
        await gate;
        return passwordHash;
      });
    }
  }

  it('is created once, by whichever replica comes first, with a password that nobody else knows', async () => {
    const environment = { ADMIN_EMAIL: 'Boss@Example.com' };
    const replicas = [await startWithoutAdmin(environment), await startWithoutAdmin(environment)];
    meetAfterHashing(replicas, 6);
    const created = await Promise.all(
      replicas.flatMap((app) => [1, 2, 3].map(() => app.get(AccountsService).ensureFirstAdmin())),
    );
    const [admin, ...others] = created.filter((result) => result !== null);
    expect(others).toEqual([]);
    expect(admin?.email).toBe('boss@example.com');
    expect(admin?.generatedPassword).toMatch(/^[A-Za-z0-9_-]{27}$/);
    for (const app of replicas) {
      expect((await login({ app }, 'boss@example.com', admin?.generatedPassword ?? '')).status).toBe(200);
      await expect(app.get(AccountsService).ensureFirstAdmin()).resolves.toBeNull();
    }
    const written = JSON.stringify(await database.query('SELECT * FROM audit_entries'));
    expect(written).toContain('user.created');
    expect(written).not.toContain(admin?.generatedPassword);
  });

  it('has the password of the configuration, which is not given out', async () => {
    const app = await startWithoutAdmin({ NODE_ENV: 'production', ADMIN_EMAIL, ADMIN_PASSWORD });
    const created = await app.get(AccountsService).ensureFirstAdmin();
    expect(created).toMatchObject({ email: ADMIN_EMAIL, generatedPassword: null });
    expect((await login({ app }, ADMIN_EMAIL, ADMIN_PASSWORD)).status).toBe(200);
  });

  it('is refused in production without a password, and not needed once somebody is there', async () => {
    const accounts = (await startWithoutAdmin({ NODE_ENV: 'production' })).get(AccountsService);
    await expect(accounts.ensureFirstAdmin()).rejects.toThrow(ConfigurationError);
    await expect(accounts.ensureFirstAdmin()).rejects.toThrow(/^ADMIN_PASSWORD must be set/);
    expect(await database.query('SELECT 1 FROM users')).toEqual([]);
    await database.query(
      `INSERT INTO users (id, email, name, role, password_hash, created_at, updated_at)
       VALUES ($1, 'somebody@example.com', 'Somebody', 'merchant', 'none', now(), now())`,
      [newId()],
    );
    await expect(accounts.ensureFirstAdmin()).resolves.toBeNull();
  });
});

describe('limits of refreshing and signing out', () => {
  it('count by address, and cost nobody their token', async () => {
    const test = await startTestApp({ environment: { ...ENVIRONMENT, RATE_LIMIT_PUBLIC: '3/1m' } });
    try {
      const { refreshToken } = await signIn(test, ADMIN_EMAIL, ADMIN_PASSWORD);
      const send = (path: string, token: string, address: string) =>
        call(test, 'POST', `/api/v1/auth/${path}`, { body: { refreshToken: token }, address });
      for (const path of ['refresh', 'logout', 'refresh']) {
        const { status, headers } = await send(path, 'unknown', '2001:db8:0:7::1');
        expect(status).toBe(path === 'logout' ? 204 : 401);
        expect(headers['ratelimit-limit']).toBe('3');
      }
      for (const path of ['refresh', 'logout']) {
        const refused = await send(path, refreshToken, '2001:db8:0:7::2');
        expect(refused).toMatchObject({ status: 429, body: { code: 'request.rate_limited' } });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
      }
      expect(await send('refresh', refreshToken, '2001:db8:0:8::1')).toMatchObject({ status: 200 });
    } finally {
      await test.close();
    }
  });
});

describe('the door of the sign-in', () => {
  it('takes ten times the public limit from one address, and reads no body beyond', async () => {
    const test = await startTestApp({ environment: { ...ENVIRONMENT, RATE_LIMIT_PUBLIC: '1/1m' } });
    try {
      const address = newAddress();
      for (let count = 0; count < 10; count += 1)
        expect((await login(test, ADMIN_EMAIL, ADMIN_PASSWORD, address)).status).toBe(200);
      const refused = await call(test, 'POST', '/api/v1/auth/login', { body: 'no login', address });
      expect(refused).toMatchObject({ status: 429, body: { code: 'request.rate_limited' } });
      expect((await login(test, ADMIN_EMAIL, ADMIN_PASSWORD)).status).toBe(200);
    } finally {
      await test.close();
    }
  });
});

describe('limits of sign-in', () => {
  const LIMIT = 3;
  const environment = { ...ENVIRONMENT, RATE_LIMIT_LOGIN: `${LIMIT}/1m` };
  let database: TestDatabase;
  let replicas: TestApp[];
  let test: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    replicas = [await startTestApp({ environment, database }), await startTestApp({ environment, database })];
    test = replicas[0] as TestApp;
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await database.drop();
  });
  afterEach(() => vi.restoreAllMocks());
  const points = async () => {
    const rows = await test.database.query<{ points: number }>(
      'SELECT points FROM rate_limits WHERE points <> 0',
    );
    return rows.map((row) => row.points);
  };
  beforeEach(() => test.database.query('DELETE FROM rate_limits'));

  it('refuse the account after so many wrong ones, from any address and over all replicas, right ones too', async () => {
    const { email } = await createUser(test);
    for (let attempt = 0; attempt < LIMIT; attempt += 1) {
      expect((await login(replicas[attempt % 2] as TestApp, email, 'wrong wrong wrong')).status).toBe(401);
    }
    for (const replica of replicas) {
      const answer = await login(replica, email, PASSWORD);
      expect(answer).toMatchObject({ status: 429, body: { code: 'auth.too_many_attempts' } });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    expect((await login(test, ADMIN_EMAIL, ADMIN_PASSWORD)).status).toBe(200);
  });

  it('hold over a restart, and end with their window', async () => {
    const { email } = await createUser(test);
    for (let attempt = 0; attempt < LIMIT; attempt += 1) await login(test, email, 'wrong wrong wrong');
    const restarted = await startTestApp({ environment, database });
    try {
      expect((await login(restarted, email, PASSWORD)).status).toBe(429);
      await test.database.query('UPDATE rate_limits SET expire = $1', [Date.now() - 1]);
      expect((await login(restarted, email, PASSWORD)).status).toBe(200);
    } finally {
      await restarted.close();
    }
  });

  it('refuse an account that is not there just the same', async () => {
    for (let attempt = 0; attempt < LIMIT; attempt += 1) {
      expect((await login(test, 'nobody@example.com', PASSWORD)).status).toBe(401);
    }
    expect((await login(test, ' NOBODY@example.com', PASSWORD)).status).toBe(429);
  });

  it('refuse the address after so many wrong ones for any accounts', async () => {
    const { email } = await createUser(test);
    const address = newAddress();
    for (let attempt = 0; attempt < LIMIT; attempt += 1) {
      expect((await login(test, newEmail(), 'wrong wrong wrong', address)).status).toBe(401);
    }
    expect((await login(test, email, PASSWORD, address)).status).toBe(429);
    expect((await login(test, email, PASSWORD)).status).toBe(200);
  });

  it('take the whole /64 of an IPv6 address for one', async () => {
    for (let attempt = 0; attempt < LIMIT; attempt += 1) {
      expect(
        (await login(test, newEmail(), 'wrong wrong wrong', `2001:db8:0:1::${attempt + 1}`)).status,
      ).toBe(401);
    }
    expect((await login(test, newEmail(), 'wrong wrong wrong', '2001:db8:0:1:ffff::9')).status).toBe(429);
    expect((await login(test, newEmail(), 'wrong wrong wrong', '2001:db8:0:2::9')).status).toBe(401);
  });

  it('let only so many of any number of simultaneous guesses through', async () => {
    const { email } = await createUser(test);
    await test.database.query('DELETE FROM rate_limits');
    const verify = replicas.map(({ app }) => vi.spyOn(app.get(PasswordHasher), 'verify'));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        login(replicas[index % 2] as TestApp, email, `wrong number ${index}`),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - LIMIT);
    expect(verify.reduce((sum, spy) => sum + spy.mock.calls.length, 0)).toBe(LIMIT);
    // The account's points, and one for the address of each guess.
    expect((await points()).sort()).toEqual([1, 1, 1, LIMIT]);
  });

  it('never refuse right ones, however many at once from one address, and count none of them', async () => {
    const users = await Promise.all(Array.from({ length: 3 }, () => createUser(test)));
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        login(replicas[index % 2] as TestApp, users[index % 3]?.email ?? '', PASSWORD, address),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await points()).toEqual([]);
  });

  it('are not reset by a right one in between', async () => {
    const { email } = await createUser(test);
    await login(test, email, 'wrong wrong wrong');
    await login(test, email, 'wrong wrong wrong');
    expect((await login(test, email, PASSWORD)).status).toBe(200);
    expect((await login(test, email, 'wrong wrong wrong')).status).toBe(401);
    expect((await login(test, email, PASSWORD)).status).toBe(429);
  });

  it('give a point back to the window it came from alone', async () => {
    const { email } = await createUser(test);
    await test.database.query('DELETE FROM rate_limits');
    const passwords = test.app.get(PasswordHasher);
    const verify = passwords.verify.bind(passwords);
    vi.spyOn(passwords, 'verify').mockImplementationOnce(async (hash, password) => {
      await test.database.query('UPDATE rate_limits SET points = 2, expire = expire + 60000');
      return verify(hash, password);
    });
    expect((await login(test, email, PASSWORD)).status).toBe(200);
    expect(await points()).toEqual([2, 2]);
  });

  it('keep no e-mail address and no network address', async () => {
    const address = newAddress();
    const email = newEmail();
    await login(test, email, 'wrong wrong wrong', address);
    const rows = await test.database.query<{ key: string }>('SELECT key FROM rate_limits');
    expect(rows).toHaveLength(2);
    for (const { key } of rows) {
      expect(key).toMatch(/^sign-in:[A-Za-z0-9_-]{43}$/);
      expect([email, address].map((value) => secretDigest(value).toString('base64url'))).not.toContain(
        key.slice(8),
      );
    }
  });

  it('can be switched off', async () => {
    const unlimited = await startTestApp({
      environment: { ...environment, RATE_LIMIT_LOGIN: 'off' },
      database,
    });
    try {
      const { email } = await createUser(unlimited);
      for (let attempt = 0; attempt < LIMIT + 2; attempt += 1) {
        expect((await login(unlimited, email, 'wrong wrong wrong')).status).toBe(401);
      }
      expect((await login(unlimited, email, PASSWORD)).status).toBe(200);
    } finally {
      await unlimited.close();
    }
  });
});
