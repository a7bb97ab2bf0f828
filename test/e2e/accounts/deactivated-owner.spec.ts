import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, signIn, startTestApp, type TestApp, signedInUser } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 5.2, 6.11, 7.53, 14.31 to 14.33.
 *
 * Goal: a deactivated merchant's stores are closed at once, on every replica, and lose no receipt; and nobody owns
 * stores without end (contract 14.31). Method: two replicas, a merchant who is deactivated and let in again.
 */

let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };
beforeAll(async () => {
  const environment = { STORES_PER_MERCHANT: '2' };
  one = await startTestApp({ environment });
  two = await startTestApp({ environment, database: one.database });
  admin = await signIn(one.http);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const setActive = (id: string, active: boolean) =>
  one.http.request('PATCH', `/api/v1/users/${id}`, { headers: admin, body: { active } });

describe('a deactivated owner', () => {
  it('closes the key, the checkout and the outbound test, and leaves the phone its door', async () => {
    const merchant = await signedInUser(one.http, admin);
    const store = await createStore(one.http, merchant.headers, {
      webhookUrl: 'http://127.0.0.1:9/webhooks',
      wallets: [{ provider: 'bkash', number: '01700000001' }],
    });
    const created = await two.http.post<{ id: string }>('/api/v1/payments', { amount: 500 }, store.key);
    expect(created.status).toBe(201);
    const payment = `/api/v1/payments/public/${created.body.id}`;
    expect((await two.http.get(`/pay/${created.body.id}`)).status).toBe(200);

    expect((await setActive(merchant.id, false)).status).toBe(200);
    for (const { http } of [one, two]) {
      const creation = await http.post('/api/v1/payments', { amount: 500 }, store.key);
      expect([creation.status, creation.body['code']]).toEqual([401, 'auth.required']);
      expect((await http.get('/api/v1/payments', store.key)).status).toBe(401);
      for (const answer of [
        await http.get(payment),
        await http.get(`${payment}/events`),
        await http.post(`${payment}/verify`, { trxId: 'DIJ3MXAHCJ' }),
        await http.post(`/api/v1/stores/${store.id}/webhook/test`, undefined, admin),
      ])
        expect([answer.status, answer.body['code']]).toEqual([403, 'store.owner_inactive']);
      const page = await http.get(`/pay/${created.body.id}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    }
    const receipt = receiptBody({ trxId: 'DIJ3MXAHCJ' });
    const kept = await two.http.post('/api/webhooks/joma', receipt, store.phone);
    expect(kept).toMatchObject({ status: 200, body: { status: 'unmatched' } });
    const refused = { name: 'Another', ownerId: merchant.id };
    expect((await one.http.post('/api/v1/stores', refused, admin)).status).toBe(400);

    await setActive(merchant.id, true);
    expect((await two.http.get('/api/v1/payments', store.key)).status).toBe(200);
    const entered = await two.http.post(`${payment}/verify`, { trxId: 'DIJ3MXAHCJ' });
    expect(entered).toMatchObject({ status: 200, body: { status: 'verified' } });
  });
});

describe('a merchant', () => {
  it('owns so many live stores, however many are asked for at once', async () => {
    const { headers } = await signedInUser(one.http, admin);
    const create = () => one.http.post<{ id: string }>('/api/v1/stores', { name: 'One of many' }, headers);
    const answers = await Promise.all([create(), create(), create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'store.too_many' });
    const [made] = answers.filter(({ status }) => status === 201);
    await one.http.request('DELETE', `/api/v1/stores/${made?.body.id}`, { headers });
    expect((await create()).status).toBe(201);
    for (let index = 0; index < 3; index += 1) await createStore(one.http, admin);
  });
});
