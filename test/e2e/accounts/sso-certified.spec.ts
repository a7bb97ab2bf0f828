import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clock } from '../../../src/kernel/clock.js';
import {
  CLIENT_ID,
  COMPANY_TOKEN_SECONDS,
  type CertifiedProvider,
  type Employee,
  JOMA_RESOURCE,
  OTHER_RESOURCE,
  startCertifiedProvider,
} from '../../support/certified-provider.js';
import { eventually } from '../../support/eventually.js';
import { createStore, signIn, startTestApp, type TestApp } from '../../support/test-app.js';

/*
 * Rules: contract 14.28 to 14.30.
 *
 * Goal: the tokens that a company's people really have work here. Method: `oidc-provider`, a certified implementation
 * that shares no code with ours beside the JWT library, issues them over the whole browser flow (authorization code,
 * PKCE, resource indicators). Forged tokens are the business of oidc.spec.ts.
 */

class MovedClock extends Clock {
  offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}

const clock = new MovedClock();
let provider: CertifiedProvider;
let app: TestApp;

beforeAll(async () => {
  provider = await startCertifiedProvider();
  app = await startTestApp({ clock, environment: environmentFor(JOMA_RESOURCE) });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const environmentFor = (audience: string) => ({ OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: audience });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

function employ(login: string, more: Partial<Employee> = {}): string {
  provider.employ(login, { email: `${login}@company.example`, name: `${login} of the company`, ...more });
  return login;
}

async function tokenOf(login: string, resource?: string): Promise<string> {
  return (await provider.signIn(login, resource)).access_token;
}

const me = (token: string, on: TestApp = app) => on.http.get('/api/v1/auth/me', bearer(token));

async function expectRefused(token: string, on: TestApp = app): Promise<void> {
  const answer = await me(token, on);
  expect([answer.status, answer.body['code']]).toEqual([401, 'auth.required']);
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
}

describe('somebody the company signs in', () => {
  it('has a token as such providers write them, so that the tests below prove something', async () => {
    const token = await tokenOf(employ('rupa', { roles: ['admin'] }));
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(token)).toMatchObject({
      iss: provider.issuer,
      aud: JOMA_RESOURCE,
      sub: 'rupa',
      client_id: CLIENT_ID,
    });
  });

  it('as an admin reaches what is for admins', async () => {
    const admin = bearer(await tokenOf(employ('anika', { roles: ['staff', 'admin'] })));
    expect((await app.http.get('/api/v1/auth/me', admin)).body).toMatchObject({
      email: 'anika@company.example',
      name: 'anika of the company',
      role: 'admin',
    });
    const user = { email: 'new@example.com', password: 'seven green boats', name: 'New', role: 'merchant' };
    expect((await app.http.post('/api/v1/users', user, admin)).status).toBe(201);
    const others = await createStore(app.http, await signIn(app.http));
    expect((await app.http.get(`/api/v1/stores/${others.id}`, admin)).status).toBe(200);
  });

  it('as a merchant reaches the own stores, and of the others nothing', async () => {
    const [first, second] = [
      employ('karim', { roles: ['merchant'] }),
      employ('salma', { roles: ['merchant'] }),
    ];
    const [karim, salma] = [bearer(await tokenOf(first)), bearer(await tokenOf(second))];
    const store = await createStore(app.http, karim);
    const stores = (person: { Authorization: string }) =>
      app.http.get<{ data: { id: string }[] }>('/api/v1/stores', person);
    expect((await stores(karim)).body.data.map(({ id }) => id)).toEqual([store.id]);
    expect((await stores(salma)).body.data).toEqual([]);
    expect((await app.http.get(`/api/v1/stores/${store.id}`, salma)).status).toBe(404);
    expect((await app.http.get('/api/v1/users', karim)).status).toBe(403);
  });

  it('without a role here is told so, and gets no account', async () => {
    for (const roles of [undefined, [], ['administrator', 'Admin']]) {
      const answer = await me(await tokenOf(employ('tareq', { roles })));
      expect([answer.status, answer.body['code']]).toEqual([403, 'auth.forbidden']);
    }
    expect(await app.database.query(`SELECT 1 FROM users WHERE email LIKE 'tareq@%'`)).toEqual([]);
  });

  it('with an address that nobody has verified stays out', async () => {
    await expectRefused(await tokenOf(employ('shadow', { roles: ['admin'], emailVerified: false })));
  });

  it('stays the same user when they sign in again, with the role of the day', async () => {
    const first = await me(await tokenOf(employ('nasrin', { roles: ['merchant'] })));
    const second = await me(await tokenOf(employ('nasrin', { roles: ['admin'] })));
    expect(second.body).toMatchObject({ id: first.body['id'], role: 'admin' });
  });
});

describe('a token of the right provider', () => {
  it('for another API of the company is refused', async () => {
    await expectRefused(await tokenOf(employ('anika', { roles: ['admin'] }), OTHER_RESOURCE));
  });

  it('that is an ID token, for the portal and not for us, is refused; where it is for us it is taken', async () => {
    const { id_token: token } = await provider.signIn(employ('jamal', { roles: ['merchant'] }));
    expect(decodeJwt(token).aud).toBe(CLIENT_ID);
    await expectRefused(token);
    const started = await startTestApp({ environment: environmentFor(CLIENT_ID) });
    try {
      expect((await me(token, started)).body).toMatchObject({ email: 'jamal@company.example' });
    } finally {
      await started.close();
    }
  });

  it('holds until it is over, and half a minute for clocks that differ', async () => {
    const token = await tokenOf(employ('anika', { roles: ['admin'] }));
    try {
      clock.offsetMs = COMPANY_TOKEN_SECONDS * 1_000;
      expect((await me(token)).status).toBe(200);
      clock.offsetMs += 31_000;
      await expectRefused(token);
    } finally {
      clock.offsetMs = 0;
    }
  });
});

describe('the provider', () => {
  it('may come back with other keys; this service is not started anew', async () => {
    const login = employ('anika', { roles: ['admin'] });
    const old = await tokenOf(login);
    expect((await me(old)).status).toBe(200);
    await provider.restartWithNewKeys();
    const renewed = await tokenOf(login);
    expect(decodeProtectedHeader(renewed).kid).not.toBe(decodeProtectedHeader(old).kid);
    await eventually(
      async () => (await me(renewed)).status,
      (status) => status === 200,
      'the new key',
    );
    await expectRefused(old);
  });

  it('may be away for a while: who has a token goes on working, also who comes for the first time', async () => {
    const [known, unknown] = [
      await tokenOf(employ('anika', { roles: ['admin'] })),
      await tokenOf(employ('newcomer', { roles: ['merchant'] })),
    ];
    expect((await me(known)).status).toBe(200);
    provider.setAway(true);
    try {
      await expect(tokenOf('anika')).rejects.toThrow();
      expect((await me(known)).status).toBe(200);
      expect((await me(unknown)).status).toBe(200);
      const started = await startTestApp({
        database: app.database,
        environment: environmentFor(JOMA_RESOURCE),
      });
      const answer = await me(known, started);
      await started.close();
      expect([answer.status, answer.body['code']]).toEqual([503, 'service.unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      provider.setAway(false);
    }
  });
});
