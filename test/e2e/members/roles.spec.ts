import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAtLeast, STORE_ROLES, type StoreRole } from '../../../src/stores/store-role.js';
import {
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  signedInUser,
  type SignedInUser,
} from '../../support/test-app.js';

/*
 * Rules: contract 3.11, 3.28, 6.45, 6.47, 7.35, 9.3, 15.1 to 15.6, 15.8, 15.9, 15.11 to 15.13.
 *
 * Goal: in a store everybody may what their role says, on every route there is or will be, from the next request on
 * (contract 15.1). Method: every operation of the OpenAPI document under `{storeId}` is called by a user of each
 * role. One that is not listed here fails: whoever adds it decides whose it is.
 */

/** The least role that may. */
const WHO: Readonly<Record<string, StoreRole>> = {
  'GET /api/v1/stores/{storeId}': 'viewer',
  'PATCH /api/v1/stores/{storeId}': 'manager',
  'DELETE /api/v1/stores/{storeId}': 'owner',
  'POST /api/v1/stores/{storeId}/webhook/resume': 'manager',
  'POST /api/v1/stores/{storeId}/webhook/test': 'manager',
  'POST /api/v1/stores/{storeId}/api-key/rotate': 'manager',
  'GET /api/v1/stores/{storeId}/webhook-secret': 'manager',
  'POST /api/v1/stores/{storeId}/webhook-secret/regenerate': 'manager',
  'GET /api/v1/stores/{storeId}/signing-secret': 'manager',
  'POST /api/v1/stores/{storeId}/signing-secret/rotate': 'manager',
  'GET /api/v1/stores/{storeId}/audit-log': 'manager',
  'GET /api/v1/stores/{storeId}/members': 'manager',
  'POST /api/v1/stores/{storeId}/members': 'owner',
  'PATCH /api/v1/stores/{storeId}/members/{userId}': 'owner',
  'DELETE /api/v1/stores/{storeId}/members/{userId}': 'owner',
  'DELETE /api/v1/stores/{storeId}/members/me': 'viewer',
  'GET /api/v1/stores/{storeId}/payments': 'viewer',
  'POST /api/v1/stores/{storeId}/payments': 'reviewer',
  'GET /api/v1/stores/{storeId}/payments/{id}': 'viewer',
  'POST /api/v1/stores/{storeId}/payments/{id}/cancel': 'reviewer',
  'POST /api/v1/stores/{storeId}/payments/{id}/approve': 'reviewer',
  'POST /api/v1/stores/{storeId}/payments/{id}/reject': 'reviewer',
  'GET /api/v1/stores/{storeId}/payments/{id}/refunds': 'viewer',
  'POST /api/v1/stores/{storeId}/payments/{id}/refunds': 'reviewer',
  'GET /api/v1/stores/{storeId}/receipts': 'viewer',
  'GET /api/v1/stores/{storeId}/receipts/{receiptId}': 'viewer',
  'POST /api/v1/stores/{storeId}/receipts/{receiptId}/match': 'reviewer',
  'POST /api/v1/stores/{storeId}/receipts/{receiptId}/void': 'reviewer',
  'POST /api/v1/stores/{storeId}/receipts/{receiptId}/restore': 'manager',
  'GET /api/v1/stores/{storeId}/messages': 'viewer',
  'GET /api/v1/stores/{storeId}/messages/{messageId}': 'viewer',
  'POST /api/v1/stores/{storeId}/messages/reread': 'reviewer',
  'GET /api/v1/stores/{storeId}/deliveries': 'viewer',
  'GET /api/v1/stores/{storeId}/deliveries/{id}': 'viewer',
  'POST /api/v1/stores/{storeId}/deliveries/{id}/redeliver': 'reviewer',
  'POST /api/v1/stores/{storeId}/deliveries/replay': 'reviewer',
  'GET /api/v1/stores/{storeId}/deliveries/replay': 'viewer',
  'GET /api/v1/stores/{storeId}/deliveries/replay/{id}': 'viewer',
  'GET /api/v1/stores/{storeId}/payment-links': 'viewer',
  'POST /api/v1/stores/{storeId}/payment-links': 'reviewer',
  'GET /api/v1/stores/{storeId}/payment-links/{id}': 'viewer',
  'GET /api/v1/stores/{storeId}/payment-links/{id}/qr': 'viewer',
  'PATCH /api/v1/stores/{storeId}/payment-links/{id}': 'reviewer',
};

const NOWHERE = '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Credential = { Authorization: string };

let app: TestApp;
let admin: Credential;
let owner: SignedInUser;
let store: TestStore;
let users: Readonly<Record<StoreRole, Credential>>;

beforeAll(async () => {
  app = await startTestApp();
  admin = await signIn(app.http);
  owner = await signedInUser(app.http, admin);
  store = await createStore(app.http, owner.headers);
  const viewer = await signedInUser(app.http, admin);
  const reviewer = await signedInUser(app.http, admin);
  const manager = await signedInUser(app.http, admin);
  for (const [role, user] of Object.entries({ viewer, reviewer, manager })) {
    expect((await addMember({ email: user.email.toUpperCase(), role })).status).toBe(201);
  }
  users = {
    viewer: viewer.headers,
    reviewer: reviewer.headers,
    manager: manager.headers,
    owner: owner.headers,
    admin,
  };
});
afterAll(() => app.close());

const members = (of: TestStore = store) => `/api/v1/stores/${of.id}/members`;

function addMember(body: unknown, by: Credential = owner.headers, of: TestStore = store) {
  return app.http.post<{ code?: string; userId: string }>(members(of), body, by);
}

describe('every route of a store', () => {
  it('is somebody’s, and takes each role that may, and no other', async () => {
    const { body } = await app.http.get<Document>('/api/docs/openapi.json');
    const routes = Object.entries(body.paths)
      .filter(([path]) => path.includes('{storeId}'))
      .flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
      )
      .sort((left, right) => lastness(left) - lastness(right));
    const unknown = routes.map(({ method, path }) => `${method} ${path}`).filter((name) => !(name in WHO));
    expect(unknown).toEqual([]);
    const audited = await auditCount();
    for (const { method, path } of routes) {
      const wanted = WHO[`${method} ${path}`]!;
      const address = path.replace('{storeId}', store.id).replace(/\{\w+\}/g, NOWHERE);
      for (const role of STORE_ROLES.filter((one) => !isAtLeast(one, wanted))) {
        const answer = await app.http.request(method, address, {
          headers: users[role],
          body: bodyFor(method),
        });
        const named = `${role}: ${method} ${path} answered ${answer.status} ${answer.text}`;
        expect([answer.status, answer.body['code']], named).toEqual([403, 'auth.role_required']);
        expect(answer.body['detail'], named).toContain(wanted);
      }
    }
    expect(await auditCount()).toBe(audited);
    for (const { method, path } of routes) {
      const wanted = WHO[`${method} ${path}`]!;
      const address = path.replace('{storeId}', store.id).replace(/\{\w+\}/g, NOWHERE);
      for (const role of STORE_ROLES.filter((one) => isAtLeast(one, wanted))) {
        const answer = await app.http.request(method, address, {
          headers: users[role],
          body: bodyFor(method),
        });
        const named = `${role}: ${method} ${path} answered ${answer.status} ${answer.text}`;
        expect(answer.status, named).toBeLessThan(500);
        expect(['auth.role_required', 'store.not_found'], named).not.toContain(answer.body['code']);
      }
    }
  });
});

/** What ends a store comes late, and after it what takes the caller's own role away. */
function lastness({ method, path }: { method: string; path: string }): number {
  if (path.endsWith('/members/me')) return 2;
  return method === 'DELETE' ? 1 : 0;
}

const bodyFor = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : {});

async function auditCount(): Promise<number> {
  const [row] = await app.database.query<{ count: string }>(
    'SELECT count(*) FROM audit_entries WHERE store_id = $1',
    [store.id],
  );
  return Number(row?.count);
}

describe('a member', () => {
  it('sees the store in their list, with what they are in it', async () => {
    const mine = await createStore(app.http, owner.headers, { name: 'Mine' });
    const user = await signedInUser(app.http, admin);
    const own = await createStore(app.http, user.headers, { name: 'Own' });
    await addMember({ email: user.email, role: 'reviewer' }, owner.headers, mine);
    const listed = await app.http.get<{ data: { id: string; role: string }[] }>(
      '/api/v1/stores',
      user.headers,
    );
    expect(listed.body.data.map(({ id, role }) => [id, role])).toEqual([
      [own.id, 'owner'],
      [mine.id, 'reviewer'],
    ]);
    const shown = await app.http.get<{ role: string }>(`/api/v1/stores/${mine.id}`, user.headers);
    expect(shown.body.role).toBe('reviewer');
    expect((await app.http.get<{ role: string }>(`/api/v1/stores/${mine.id}`, admin)).body.role).toBe(
      'admin',
    );
    const pages = await app.http.get<{ data: { id: string }[]; nextCursor: string }>(
      '/api/v1/stores?limit=1',
      user.headers,
    );
    const next = await app.http.get<{ data: { id: string }[] }>(
      `/api/v1/stores?limit=1&cursor=${pages.body.nextCursor}`,
      user.headers,
    );
    expect([pages.body.data[0]?.id, next.body.data[0]?.id]).toEqual([own.id, mine.id]);
  });

  it('is what the owner says, from the next request on', async () => {
    const mine = await createStore(app.http, owner.headers);
    const user = await signedInUser(app.http, admin);
    const path = `/api/v1/stores/${mine.id}`;
    const status = async () => (await app.http.get(path, user.headers)).status;
    const secret = async () => (await app.http.get(`${path}/webhook-secret`, user.headers)).status;
    expect(await status()).toBe(404);
    await addMember({ email: user.email, role: 'viewer' }, owner.headers, mine);
    expect([await status(), await secret()]).toEqual([200, 403]);
    const raised = await app.http.request('PATCH', `${members(mine)}/${user.id}`, {
      headers: owner.headers,
      body: { role: 'manager' },
    });
    expect(raised.body).toMatchObject({ userId: user.id, email: user.email, role: 'manager' });
    expect([await status(), await secret()]).toEqual([200, 200]);
    const removed = await app.http.request('DELETE', `${members(mine)}/${user.id}`, {
      headers: owner.headers,
    });
    expect(removed.status).toBe(204);
    expect([await status(), await secret()]).toEqual([404, 404]);
    const log = await app.http.get<{ data: { action: string; details: unknown }[] }>(
      `${path}/audit-log`,
      owner.headers,
    );
    const lines = log.body.data.filter(({ action }) => action.startsWith('member.'));
    expect(lines.map(({ action }) => action)).toEqual(['member.removed', 'member.changed', 'member.added']);
  });

  it('is listed with the owner, and only users who are there can be one', async () => {
    const mine = await createStore(app.http, owner.headers);
    const user = await signedInUser(app.http, admin);
    expect((await addMember({ email: user.email, role: 'viewer' }, owner.headers, mine)).status).toBe(201);
    const again = await addMember({ email: user.email, role: 'manager' }, owner.headers, mine);
    expect([again.status, again.body.code]).toEqual([409, 'member.exists']);
    const unknown = await addMember({ email: 'nobody@example.com', role: 'viewer' }, owner.headers, mine);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'member.not_found']);
    const self = await addMember({ email: owner.email, role: 'viewer' }, owner.headers, mine);
    expect([self.status, self.body.code]).toEqual([409, 'member.is_owner']);
    for (const body of [{ email: user.email }, { email: user.email, role: 'owner' }, { role: 'viewer' }])
      expect((await addMember(body, owner.headers, mine)).status).toBe(400);
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { role: 'viewer' } : undefined;
      const of = (id: string) =>
        app.http.request(method, `${members(mine)}/${id}`, { headers: owner.headers, body });
      expect([(await of(owner.id)).status, (await of(owner.id)).body['code']]).toEqual([
        409,
        'member.is_owner',
      ]);
      expect((await of(NOWHERE)).body['code']).toBe('member.not_found');
    }
    const listed = await app.http.get<{ data: { email: string; role: string }[] }>(members(mine), admin);
    expect(listed.body.data.map(({ email, role }) => [email, role])).toEqual([
      [user.email, 'viewer'],
      [owner.email, 'owner'],
    ]);
  });

  it('may simulate receipts as a reviewer, in the only store they are in', async () => {
    const mine = await createStore(app.http, owner.headers);
    const user = await signedInUser(app.http, admin);
    const body = { provider: 'bkash', trxId: 'SIMULATED01', amount: 5, sender: '01700000002', type: 'in' };
    const simulate = (more: object = {}) =>
      app.http.post('/api/webhooks/simulate', { ...body, ...more }, user.headers);
    expect((await simulate()).body['code']).toBe('simulate.store_required');
    await addMember({ email: user.email, role: 'viewer' }, owner.headers, mine);
    for (const more of [{}, { storeId: mine.id }]) {
      const refused = await simulate(more);
      expect([refused.status, refused.body['code']]).toEqual([403, 'auth.role_required']);
    }
    await app.http.request('PATCH', `${members(mine)}/${user.id}`, {
      headers: owner.headers,
      body: { role: 'reviewer' },
    });
    expect((await simulate()).status).toBe(200);
    expect((await simulate({ storeId: store.id })).body['code']).toBe('store.not_found');
  });
});
