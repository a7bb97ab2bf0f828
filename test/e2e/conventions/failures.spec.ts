import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';

/*
 * Rules: contract 1.33, 1.34, 1.36, 1.39, 13.45, 13.46.
 *
 * Goal: a failure of the service says that it failed, and nothing of its inside. Method: a table is taken away behind
 * its back.
 */

let test: TestApp;
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp({ environment: { EXTENSIONS: 'create-charge' }, writesPastService: true });
  store = await createStore(test.http, await signIn(test.http));
  await test.database.query('ALTER TABLE payments RENAME TO elsewhere');
});
afterAll(() => test.close());

describe('a failure', () => {
  it('is a problem of 500 that shows nothing of the inside', async () => {
    const { status, headers, body, text } = await test.http.get('/api/v1/payments', store.key);
    expect([status, headers.get('content-type')]).toEqual([500, 'application/problem+json; charset=utf-8']);
    expect(body).toEqual({
      type: 'urn:joma:problem:internal.error',
      title: 'Internal Server Error',
      status: 500,
      detail: expect.any(String) as unknown,
      instance: '/api/v1/payments',
      code: 'internal.error',
      requestId: headers.get('x-request-id'),
    });
    expect(text).not.toMatch(/relation|select|elsewhere|42P01|\.ts|node_modules/i);
  });

  it('of create-charge has its status, in the words of its clients', async () => {
    const key = { 'mh-piprapay-api-key': store.apiKey };
    const { status, body, text } = await test.http.post('/api/create-charge', { amount: '5' }, key);
    expect([status, body]).toEqual([
      500,
      { error: { code: 'internal.error', message: expect.any(String) as unknown } },
    ]);
    expect(text).not.toMatch(/relation|elsewhere/i);
  });
});
