import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { AUDIENCE, type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.js';
import { ADMIN_EMAIL, createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 14.19, 14.28, 14.30.
 *
 * Goal: a company's users come in with the tokens of its own identity provider, with the role it gives them, and
 * nobody else does. Method: a real provider on loopback with real keys; every way to forge or bend a token that the
 * reviewer's books know.
 */

let provider: IdentityProvider;
let stranger: IdentityProvider;
let app: TestApp;
let admin: { Authorization: string };

beforeAll(async () => {
  provider = await startIdentityProvider();
  stranger = await startIdentityProvider();
  app = await startTestApp({ environment: environmentFor(provider) });
  admin = await signIn(app.http);
});
afterAll(async () => {
  await app.close();
  await provider.close();
  await stranger.close();
});

const environmentFor = ({ issuer }: IdentityProvider) => ({
  OIDC_ISSUER: issuer,
  OIDC_AUDIENCE: AUDIENCE,
  OIDC_ROLES_CLAIM: 'realm_access.roles',
});

const claimsOf = (sub: string, ...roles: string[]) => ({
  sub,
  email: `${sub}@company.example`,
  name: `${sub} of the company`,
  realm_access: { roles },
});

const me = (token: string, on: TestApp = app) =>
  on.http.get('/api/v1/auth/me', { Authorization: `Bearer ${token}` });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token of the company', () => {
  it('makes its bearer a user here, with the role it names, always the same one', async () => {
    const token = await provider.token(claimsOf('karim', 'merchant'));
    const answers = await Promise.all([me(token), me(token), me(token), me(token)]);
    for (const { status, body } of answers) {
      expect([status, body['email'], body['role']]).toEqual([200, 'karim@company.example', 'merchant']);
    }
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    const user = { Authorization: `Bearer ${token}` };
    const store = await createStore(app.http, user);
    const foreign = await createStore(app.http, admin);
    expect((await app.http.get(`/api/v1/stores/${store.id}`, user)).status).toBe(200);
    expect((await app.http.get(`/api/v1/stores/${foreign.id}`, user)).status).toBe(404);
    expect((await app.http.get('/api/v1/users', user)).status).toBe(403);
    const written = await app.database.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE details->>'userId' = $1`,
      [answers[0]?.body['id']],
    );
    expect(written.map(({ action }) => action)).toEqual(['user.created']);
  });

  it('gives another role at once when the next one names another, and none without a role', async () => {
    const as = async (...roles: string[]) => me(await provider.token(claimsOf('salma', ...roles)));
    expect((await as('admin', 'offline_access')).body['role']).toBe('admin');
    expect((await as('merchant')).body['role']).toBe('merchant');
    const refused = await as('administrator');
    expect([refused.status, refused.body['code']]).toEqual([403, 'auth.forbidden']);
  });

  it('has no password here, and takes nobody else’s address', async () => {
    const token = await provider.token(claimsOf('jamal', 'merchant'));
    expect((await me(token)).status).toBe(200);
    const user = { Authorization: `Bearer ${token}` };
    const change = { currentPassword: 'anything at all', newPassword: 'fifteen green lamps' };
    expect((await app.http.post('/api/v1/auth/password', change, user)).status).toBe(401);
    const taken = await provider.token({ ...claimsOf('mallory', 'admin'), email: ADMIN_EMAIL });
    expect((await me(taken)).status).toBe(401);
  });

  it('ends with the account here, at once', async () => {
    const token = await provider.token(claimsOf('nadia', 'admin'));
    const { body } = await me(token);
    const deactivate = { headers: admin, body: { active: false } };
    await app.http.request('PATCH', `/api/v1/users/${String(body['id'])}`, deactivate);
    expect((await me(token)).status).toBe(401);
    expect((await me(await provider.token(claimsOf('nadia', 'merchant')))).status).toBe(401);
  });

  it('has no second factor here', async () => {
    const user = { Authorization: `Bearer ${await provider.token(claimsOf('parvin', 'admin'))}` };
    const body = { currentPassword: 'anything at all' };
    const refused = await app.http.post('/api/v1/auth/second-factor', body, user);
    expect([refused.status, refused.body['code']]).toEqual([403, 'auth.forbidden']);
  });

  it.each([
    [true, 200],
    [undefined, 200],
    [false, 401],
  ])(
    'with OIDC_REQUIRE_EMAIL_VERIFIED=false and email_verified %s is answered %i',
    async (verified, status) => {
      const environment = { ...environmentFor(provider), OIDC_REQUIRE_EMAIL_VERIFIED: 'false' };
      const lenient = await startTestApp({ environment });
      try {
        const claims = { ...claimsOf('tania', 'merchant'), email_verified: verified };
        expect((await me(await provider.token(claims), lenient)).status).toBe(status);
      } finally {
        await lenient.close();
      }
    },
  );

  const seconds = () => Math.floor(Date.now() / 1_000);
  const eve = claimsOf('eve', 'admin');
  it.each<[string, () => Promise<string>]>([
    ['of another provider', () => stranger.token(eve)],
    ['of another provider that names this one', () => stranger.token({ ...eve, iss: provider.issuer })],
    ['for somebody else', () => provider.token({ ...eve, aud: 'another-service' })],
    ['for nobody', () => provider.token({ ...eve, aud: undefined })],
    ['that is over', () => provider.token({ ...eve, exp: seconds() - 60 })],
    ['that never ends', () => provider.token({ ...eve, exp: undefined })],
    ['that does not hold yet', () => provider.token({ ...eve, nbf: seconds() + 120 })],
    ['without a subject', () => provider.token({ ...eve, sub: undefined })],
    ['with an unverified address', () => provider.token({ ...eve, email_verified: false })],
    ['with an address of which nothing is said', () => provider.token({ ...eve, email_verified: undefined })],
    ['that is an ID token', () => provider.token({ ...eve, nonce: 'n' }, { typ: 'JWT' })],
    ['that is a logout token', () => provider.token(eve, { typ: 'logout+jwt' })],
    ['without an address', () => provider.token({ ...eve, email: undefined })],
    ['under an unknown key', () => provider.token(eve, { kid: 'nobody' })],
    [
      'with an unknown critical header',
      () => provider.token(eve, { crit: ['x-unknown'], 'x-unknown': true }),
    ],
    [
      'without a signature',
      async () =>
        `${encode({ alg: 'none' })}.${encode({ ...eve, iss: provider.issuer, aud: AUDIENCE, exp: seconds() + 60 })}.AA`,
    ],
    [
      'signed with the public key as a secret',
      async () => {
        const claims = encode({ ...eve, iss: provider.issuer, aud: AUDIENCE, exp: seconds() + 60 });
        const content = `${encode({ alg: 'HS256', kid: provider.publicKey().kid })}.${claims}`;
        const secret = JSON.stringify(provider.publicKey());
        return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
      },
    ],
    [
      'signed with the service’s own secret',
      async () => {
        const claims = encode({ ...eve, iss: provider.issuer, aud: AUDIENCE, exp: seconds() + 60 });
        const content = `${encode({ alg: 'HS256' })}.${claims}`;
        const secret = app.environment['JWT_SECRET'] ?? '';
        return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
      },
    ],
    [
      'with another payload',
      async () =>
        (await provider.token(eve)).replace(/\.[^.]+\./, `.${encode({ ...eve, iss: provider.issuer })}.`),
    ],
  ])('%s is refused like any other', async (_what, token) => {
    const answer = await me(await token());
    expect([answer.status, answer.body['code']]).toEqual([401, 'auth.required']);
    expect(await app.database.query(`SELECT 1 FROM users WHERE email = 'eve@company.example'`)).toEqual([]);
  });
});

describe('the accounts that come of it', () => {
  it('have ids of the usual kind, and stand in the list in the order they came, each once', async () => {
    const ids: string[] = [];
    for (const sub of ['list-a', 'list-b', 'list-c']) {
      const { body } = await me(await provider.token(claimsOf(sub, 'merchant')));
      expect(body['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      ids.unshift(String(body['id']));
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await app.http.get<{ data: { id: string }[]; nextCursor: string | null }>(
        `/api/v1/users?limit=2${cursor}`,
        admin,
      );
      seen.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.nextCursor === null ? '' : `&cursor=${page.body.nextCursor}`;
    } while (cursor !== '');
    expect(seen.slice(0, 3)).toEqual(ids);
    const [{ count } = { count: 0 }] = await app.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM users',
    );
    expect([seen.length, new Set(seen).size]).toEqual([count, count]);
  });

  it('stay one for each subject, also when many replicas meet them at once', async () => {
    const started = await startTestApp({ database: app.database, environment: environmentFor(provider) });
    try {
      const token = await provider.token(claimsOf('twofold', 'merchant'));
      const answers = await Promise.all([app, started, app, started].map((on) => me(token, on)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    } finally {
      await started.close();
    }
  });

  it('never get back from an older token what a newer one has taken away', async () => {
    const at = (secondsAgo: number, role: string, name = 'Mitu') =>
      provider.token({
        ...claimsOf('mitu', role),
        name,
        iat: Math.floor(Date.now() / 1_000) - secondsAgo,
      });
    expect((await me(await at(60, 'admin'))).body['role']).toBe('admin');
    expect((await me(await at(0, 'merchant'))).body['role']).toBe('merchant');
    const old = await me(await at(60, 'admin'));
    expect([old.status, old.body['code']]).toEqual([401, 'auth.required']);
    const sameRole = await me(await at(30, 'merchant', 'Old name'));
    expect([sameRole.status, sameRole.body['name']]).toEqual([200, 'Mitu']);
    expect((await me(await at(0, 'admin'))).body['role']).toBe('admin');
  });
});

describe('the last active admin', () => {
  let first: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    first = await startTestApp({ environment: environmentFor(provider) });
    second = await startTestApp({ database: first.database, environment: environmentFor(provider) });
    // From here on the company's admins are the only ones.
    const boss = await provider.token(claimsOf('boss', 'admin'));
    const local = (await first.http.get('/api/v1/auth/me', await signIn(first.http))).body;
    const deactivated = await first.http.request('PATCH', `/api/v1/users/${String(local['id'])}`, {
      headers: { Authorization: `Bearer ${boss}` },
      body: { active: false },
    });
    expect(deactivated.status).toBe(200);
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  const refusals = () =>
    first.database.query<{ details: unknown }>(
      `SELECT details FROM audit_entries WHERE action = 'user.role_change_refused' ORDER BY at`,
    );
  const as = async (sub: string, role: string, on: TestApp = first) =>
    me(await provider.token(claimsOf(sub, role)), on);

  it('is not made a merchant by a token: it is refused, and written down once', async () => {
    const { id } = (await as('boss', 'admin')).body;
    const demoted = await provider.token(claimsOf('boss', 'merchant'));
    for (let index = 0; index < 3; index += 1) {
      const answer = await me(demoted, first);
      expect([answer.status, answer.body['code']]).toEqual([403, 'auth.last_admin']);
    }
    const users = { Authorization: `Bearer ${demoted}` };
    expect((await first.http.get('/api/v1/users', users)).status).toBe(403);
    expect(await refusals()).toEqual([
      {
        details: {
          userId: id,
          issuer: provider.issuer,
          reason: 'last_admin',
          before: { role: 'admin' },
          refused: { role: 'merchant' },
        },
      },
    ]);
    expect((await as('boss', 'admin')).body).toMatchObject({ id, role: 'admin' });
  });

  it('is one no more as soon as there is another, who then has to stay', async () => {
    expect((await as('deputy', 'admin')).status).toBe(200);
    expect((await as('boss', 'merchant')).body['role']).toBe('merchant');
    const answer = await as('deputy', 'merchant');
    expect([answer.status, answer.body['code']]).toEqual([403, 'auth.last_admin']);
    expect((await as('boss', 'admin')).body['role']).toBe('admin');
  });

  it('is left when two go at the same instant, on two replicas', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect((await as('boss', 'admin')).body['role']).toBe('admin');
      expect((await as('deputy', 'admin')).body['role']).toBe('admin');
      const answers = await Promise.all([as('boss', 'merchant', first), as('deputy', 'merchant', second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });

  it('is left when one is deactivated here while the company demotes the other', async () => {
    const boss = await provider.token(claimsOf('boss', 'admin'));
    const { id: deputyId } = (await as('deputy', 'admin')).body;
    expect((await me(boss, first)).body['role']).toBe('admin');
    const [patched, demoted] = await Promise.all([
      first.http.request('PATCH', `/api/v1/users/${String(deputyId)}`, {
        headers: { Authorization: `Bearer ${boss}` },
        body: { active: false },
      }),
      as('boss', 'merchant', second),
    ]);
    const left = await first.database.query(`SELECT 1 FROM users WHERE role = 'admin' AND active`);
    expect(left, `${patched.status} ${demoted.status}`).toHaveLength(1);
  });
});

describe('the provider’s keys', () => {
  it('are fetched once, again for a new key, and not again for what nobody signed', async () => {
    const before = provider.keyRequests();
    for (let index = 0; index < 5; index += 1) await me(await provider.token(claimsOf('karim', 'merchant')));
    expect(provider.keyRequests()).toBe(before);
    const old = await provider.token(claimsOf('karim', 'merchant'));
    await provider.rotate();
    const renewed = await provider.token(claimsOf('karim', 'merchant'));
    await eventually(
      async () => (await me(renewed)).status,
      (status) => status === 200,
      'the new key',
    );
    const after = provider.keyRequests();
    expect((await me(old)).status).toBe(401);
    for (let index = 0; index < 20; index += 1)
      await me(await provider.token(claimsOf('karim'), { kid: `x${index}` }));
    expect(provider.keyRequests() - after).toBeLessThanOrEqual(1);
  });

  it('are kept while the provider is away; without them it is a 503, and own tokens hold all the same', async () => {
    const token = await provider.token(claimsOf('karim', 'merchant'));
    expect((await me(token)).status).toBe(200);
    provider.setAway(true);
    const started = await startTestApp({ database: app.database, environment: environmentFor(provider) });
    try {
      expect((await me(token)).status).toBe(200);
      const answer = await me(token, started);
      expect([answer.status, answer.body['code']]).toEqual([503, 'service.unavailable']);
      expect((await started.http.get('/api/v1/auth/me', admin)).status).toBe(200);
      provider.setAway(false);
      await eventually(
        async () => (await me(token, started)).status,
        (status) => status === 200,
        'the provider’s return',
      );
    } finally {
      provider.setAway(false);
      await started.close();
    }
  });

  it('are not asked for at all where no provider is set', async () => {
    const without = await startTestApp({ database: app.database });
    try {
      const before = provider.keyRequests();
      expect((await me(await provider.token(claimsOf('karim', 'merchant')), without)).status).toBe(401);
      expect(provider.keyRequests()).toBe(before);
    } finally {
      await without.close();
    }
  });
});
