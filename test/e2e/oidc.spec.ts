import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { AUDIENCE, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js';
import { ADMIN_EMAIL, createStore, signIn, startTestApp, type TestApp } from '../support/test-app.js';

/*
 * Goal: a company's people come in with the tokens of its own identity provider, with the role it gives them, and nobody else
 * does.
 * Method: a real provider on loopback with real keys; every way to forge or bend a token that the reviewer's books know.
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
  it('makes its bearer a person here, with the role it names, always the same one', async () => {
    const token = await provider.token(claimsOf('karim', 'merchant'));
    const answers = await Promise.all([me(token), me(token), me(token), me(token)]);
    for (const { status, body } of answers) {
      expect([status, body['email'], body['role']]).toEqual([200, 'karim@company.example', 'merchant']);
    }
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    const person = { Authorization: `Bearer ${token}` };
    const store = await createStore(app.http, person);
    const foreign = await createStore(app.http, admin);
    expect((await app.http.get(`/api/v1/stores/${store.id}`, person)).status).toBe(200);
    expect((await app.http.get(`/api/v1/stores/${foreign.id}`, person)).status).toBe(404);
    expect((await app.http.get('/api/v1/users', person)).status).toBe(403);
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
    const person = { Authorization: `Bearer ${token}` };
    const change = { currentPassword: 'anything at all', newPassword: 'fifteen green lamps' };
    expect((await app.http.post('/api/v1/auth/password', change, person)).status).toBe(401);
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
