import { beforeAll, describe, expect, it } from 'vitest';
import { expectAlive, expectProblem, type Headers, type Problem } from '../../support/bad-input.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { sendRaw } from '../../support/money-raw-http.js';
import { openConnection } from '../../support/raw-connection.js';

/*
 * Rules: contract 1.33, 1.34, 1.36, 1.38, 6.4.
 *
 * Goal: an address that leads nowhere, and a credential that is none, are answered with what is wrong about them and
 * nothing else, however strange they are.
 */

const service = useService({ replicas: 1 });
let shop: Shop;

beforeAll(async () => {
  shop = await service.openShop();
});

describe('addresses', () => {
  const raw = async (path: string, method = 'GET', headers: Headers = {}) => {
    const answer = await sendRaw(shop.http.url, { path, method, headers });
    const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json');
    return { ...answer, isProblem, problem: isProblem ? (JSON.parse(answer.text) as Problem) : null };
  };

  it('that are malformed are a 400', async () => {
    for (const path of [
      '/%',
      '/api/v1/payments/%',
      '/api/v1/payments/%E0%A4%A',
      '/pay/%ff',
      '/api/v1/payments/public/%c3%28',
    ]) {
      const { status, problem } = await raw(path, 'GET', shop.store.key);
      expect([status, problem?.code], path).toEqual([400, 'request.invalid']);
    }
  });

  it('that lead nowhere are a 404', async () => {
    const paths = [
      ...[
        '/nothing',
        '/api',
        '/api/v1',
        '/api/v2/payments',
        '//',
        '/api//v1/payments',
        '/API/v1/payments',
        '/%00',
      ],
      ...[
        '/api/v1/payments/public/../../stores',
        '/api/webhooks/other',
        '/api/v1/payments/public',
        '/.env',
        '/api/v1/%2e%2e',
      ],
    ];
    for (const path of paths) {
      const { status, problem } = await raw(path, 'GET', shop.store.key);
      expect([status, problem?.status], path).toEqual([404, 404]);
    }
  });

  it('with an id that is none, or somebody else’s, are a 404', async () => {
    const admin = await shop.admin();
    const elsewhere = await service.openShop();
    const { id: strangers } = await elsewhere.create();
    const ids = [
      '1',
      'x',
      'null',
      '%00',
      "';--",
      '00000000-0000-0000-0000-00000000000',
      'x'.repeat(200),
      strangers,
      shop.store.id,
    ];
    const { id: storeId } = shop.store;
    for (const id of ids) {
      const asked: [string, string, Headers][] = [
        ['GET', `/api/v1/payments/${id}`, shop.store.key],
        ['POST', `/api/v1/payments/${id}/cancel`, shop.store.key],
        ['GET', `/api/v1/deliveries/${id}`, shop.store.key],
        ['POST', `/api/v1/deliveries/${id}/redeliver`, shop.store.key],
        ['GET', `/api/v1/stores/${storeId}/payments/${id}`, admin],
        ['GET', `/api/v1/stores/${storeId}/receipts/${id}`, admin],
        ['GET', `/api/v1/users/${id}`, admin],
        ...(id === shop.store.id
          ? []
          : ([['GET', `/api/v1/stores/${id}`, admin]] as [string, string, Headers][])),
        ...(id === strangers
          ? []
          : ([['GET', `/api/v1/payments/public/${id}`, {}]] as [string, string, Headers][])),
      ];
      for (const [method, path, headers] of asked) {
        const { status, problem } = await raw(path, method, headers);
        expect([status, problem?.status], `${method} ${path}`).toEqual([404, 404]);
      }
    }
  });

  it('that take other methods say which', async () => {
    const { id } = await shop.create();
    const asked: [string, string, string][] = [
      ['PUT', '/api/v1/payments', 'GET, HEAD, POST'],
      ['DELETE', `/api/v1/payments/${id}`, 'GET, HEAD'],
      ['GET', `/api/v1/payments/${id}/cancel`, 'POST'],
      ['PATCH', `/api/v1/payments/public/${id}/verify`, 'POST'],
      ['GET', '/api/webhooks/joma', 'POST'],
      ['GET', '/api/webhooks/simulate', 'POST'],
      ['GET', '/api/v1/auth/login', 'POST'],
    ];
    for (const [method, path, allow] of asked) {
      const { status, problem, headers } = await raw(path, method, shop.store.key);
      expect([status, problem?.code, headers['allow']], `${method} ${path}`).toEqual([
        405,
        'request.method_not_allowed',
        allow,
      ]);
    }
  });

  it('with a slash at the end are other addresses, and there is nothing', async () => {
    const { id } = await shop.create();
    for (const path of [
      '/api/v1/payments/',
      '/api/v1/stores/',
      `/api/v1/payments/public/${id}/`,
      '/health/live/',
    ]) {
      const { status, problem } = await raw(path, 'GET', shop.store.key);
      expect([status, problem?.code], path).toEqual([404, 'request.not_found']);
    }
  });

  it('of the page with a slash at the end lead to it, and longer ones to a page that says so', async () => {
    const { id } = await shop.create();
    const slash = await raw(`/pay/${id}/?lang=en`, 'GET', {});
    expect([slash.status, slash.headers['location']]).toEqual([308, `/pay/${id}?lang=en`]);
    for (const path of [`/pay/${id}/x`, `/pay/${id}//`, '/pay/x/', '/pay//evil.example/', '/pay/..%2f/']) {
      const { status, headers } = await raw(path, 'GET', {});
      expect([status, headers['location']], path).toEqual([404, undefined]);
    }
    const longer = await raw(`/pay/${id}/x`, 'GET', {});
    expect(longer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('that are too long, or cannot be decoded, are named so', async () => {
    for (const path of ['/api/v1/payments/', '/api/v1/payments/public/', '/api/v1/users/']) {
      const long = await raw(`${path}${'x'.repeat(3_000)}`, 'GET', shop.store.key);
      expect([long.status, long.problem?.code], path).toEqual([414, 'request.uri_too_long']);
      const broken = await raw(`${path}%E0%A4%A`, 'GET', shop.store.key);
      expect([broken.status, broken.problem?.code], path).toEqual([400, 'request.invalid']);
    }
  });

  it('of event streams answer HEAD with their head', async () => {
    const { id } = await shop.create();
    const { status, headers } = await raw(`/api/v1/payments/public/${id}/events`, 'HEAD', {});
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('that are endless, and headers that are, are refused before anything reads them', async () => {
    const long = await raw(`/api/v1/payments?note=${'x'.repeat(60_000)}`, 'GET', shop.store.key);
    expect([400, 414, 431]).toContain(long.status);
    const headers = await raw('/api/v1/payments', 'GET', { ...shop.store.key, 'X-Long': 'x'.repeat(60_000) });
    expect(headers.status).toBe(431);
    await expectAlive(shop);
  });

  it('in requests that are no HTTP are refused, and the connection is closed', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const answer = await openConnection(shop.http.url, bytes).end;
      expect(answer.slice(0, 13), JSON.stringify(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    await expectAlive(shop);
  });
});

describe('credentials', () => {
  it('that are strange are a 401 that says nothing, with a challenge', async () => {
    const values = [
      '',
      ' ',
      'x',
      'null',
      'joma_sk_',
      `joma_sk_${'x'.repeat(10_000)}`,
      '\u00ff\u00fe',
      'a,b',
      shop.store.webhookSecret,
    ];
    const { id } = await shop.create();
    for (const value of values) {
      const answers = [
        await shop.http.get<Problem>(`/api/v1/payments/${id}`, { 'X-Api-Key': value }),
        await shop.http.post<Problem>('/api/v1/payments', { amount: 1 }, { 'X-Api-Key': value }),
        await shop.http.get<Problem>('/api/v1/stores', { Authorization: `Bearer ${value}` }),
        await shop.http.get<Problem>('/api/v1/stores', { Authorization: value }),
        ...(value === shop.store.webhookSecret
          ? []
          : [await shop.http.post<Problem>('/api/webhooks/joma', {}, { 'X-Webhook-Secret': value })]),
      ];
      for (const answer of answers) {
        expectProblem(answer, 401, value.slice(0, 40));
        expect(answer.body.code).toBe('auth.required');
        expect(answer.headers.get('www-authenticate')).not.toBeNull();
      }
    }
  });
});
