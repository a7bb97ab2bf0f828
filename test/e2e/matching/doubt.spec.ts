import { afterAll, beforeAll, expect, it } from 'vitest';
import { Clock } from '../../../src/kernel/clock.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 3.21, 3.32, 4.6, 4.60.
 *
 * Goal: what is in doubt stays a user's matter, whatever the payer tries next (contract 3.21 and 4.6).
 * Method: the ways around a doubt, one by one, through the API.
 */

class TestClock extends Clock {
  offsetMs = 0;
  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}
const clock = new TestClock();
let test: TestApp;
let store: TestStore;
beforeAll(async () => {
  test = await startTestApp({ clock });
  store = await createStore(test.http, await signIn(test.http), {});
});
afterAll(async () => test.close());
type Body = Record<string, unknown>;
const create = async (body: Body = {}) =>
  (await test.http.post<{ id: string }>('/api/v1/payments', { amount: 500, ...body }, store.key)).body.id;
const verify = (id: string, body: Body) => test.http.post<Body>(`/api/v1/payments/public/${id}/verify`, body);
const send = (body: Body) =>
  test.http.post<Body>(
    '/api/webhooks/joma',
    {
      app: 'a',
      kind: 'received',
      amount: 500,
      counterparty: '01700000002',
      receivedAt: clock.now().toISOString(),
      ...body,
    },
    store.phone,
  );

it('going back and forth between two submissions does not lengthen the grace for ever', async () => {
  const id = await create();
  const answers = [];
  for (let round = 0; round < 6; round += 1) {
    answers.push((await verify(id, { trxId: round % 2 === 0 ? 'AAAA1' : 'BBBB1' })).status);
    clock.offsetMs += 20 * 3_600_000;
  }
  expect(answers.at(-1)).toBe(409);
});

it('money in doubt by TrxID stays a matter for a user', async () => {
  for (const provider of ['bkash', 'nagad']) await send({ trxId: 'DOUBT1', provider });
  const [first, second] = [await create(), await create()];
  expect((await verify(first, { trxId: 'DOUBT1' })).body).toEqual({
    status: 'review',
    reviewReason: 'ambiguous',
  });
  expect((await verify(second, { trxId: 'DOUBT1', provider: 'bkash' })).body['status']).not.toBe('verified');
});

it('a late and ambiguous payment is not approved without saying which receipt', async () => {
  const id = await create({ expiresInSeconds: 60 });
  clock.offsetMs += 61_000;
  for (const provider of ['bkash', 'nagad']) await send({ trxId: 'LATE-DOUBT', provider });
  expect((await verify(id, { trxId: 'LATE-DOUBT' })).body).toEqual({
    status: 'review',
    reviewReason: 'late',
  });
  const admin = await signIn(test.http);
  const approved = await test.http.post<Body>(
    `/api/v1/stores/${store.id}/payments/${id}/approve`,
    { reason: 'x' },
    admin,
  );
  const other = await create();
  const second = await verify(other, { trxId: 'LATE-DOUBT', provider: 'bkash' });
  expect([approved.body['status'] ?? approved.status, second.body['status']]).not.toEqual([
    'verified',
    'verified',
  ]);
});
