import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectAlive,
  expectAnswered,
  expectInvalid,
  expectProblem,
  type Headers,
  operationsOf,
  type Problem,
} from '../../support/bad-input.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 1.11, 1.28, 1.29, 1.32, 1.35, 3.10.
 *
 * Goal: a query that a list does not know, or that says something wrong, is a 400 that names it, and none is a 5xx.
 */

const service = useService({ replicas: 1 });
let shop: Shop;

beforeAll(async () => {
  shop = await service.openShop();
});

describe('query parameters', () => {
  const merchant = () => shop.store.key as Headers;
  const lists = async (): Promise<[string, Headers][]> => {
    const admin = await shop.admin();
    const store = `/api/v1/stores/${shop.store.id}`;
    return [
      ['/api/v1/payments', merchant()],
      ['/api/v1/deliveries', merchant()],
      ['/api/v1/stores', admin],
      ['/api/v1/users', admin],
      [`${store}/payments`, admin],
      [`${store}/receipts`, admin],
      [`${store}/deliveries`, admin],
      [`${store}/audit-log`, admin],
    ];
  };
  const read = (path: string, headers: Headers) => shop.http.get<Problem>(path, headers);

  it('limit is a whole number from 1 to 100', async () => {
    for (const [path, headers] of await lists()) {
      for (const limit of [
        '0',
        '101',
        '-1',
        '1.5',
        '1e1',
        'ten',
        '',
        '%00',
        '0x10',
        '1&limit=2',
        '999999999999999999',
      ]) {
        expectInvalid(await read(`${path}?limit=${limit}`, headers), '/limit', `${path}?limit=${limit}`);
      }
      expect((await read(`${path}?limit=100`, headers)).status).toBe(200);
    }
  });

  it('cursor is one of ours', async () => {
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const id = '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55';
    const foreign = [
      ...[
        '',
        'x',
        '%00',
        '%F0%9F%98%80',
        '0',
        'null',
        '..%2F..',
        'x'.repeat(300),
        'a&cursor=b',
        'a&cursor[]=b',
      ],
      ...[encode(`1.${id}x`), encode(`-1.${id}`), encode(`1e3.${id}`), encode(`9999999999999999.${id}`)],
      ...[
        encode(`1.${id.toUpperCase()}`),
        `${encode(`1.${id}`)}==`,
        encode('{"at":1}'),
        encode(`1.${'g'.repeat(36)}`),
      ],
    ];
    for (const [path, headers] of await lists()) {
      for (const cursor of foreign) {
        expectProblem(await read(`${path}?cursor=${cursor}`, headers), 400, `${path}?cursor=${cursor}`);
      }
      // One that could be ours, from the edges of time, is a page like any other.
      for (const atMs of [0, 999_999_999_999_999]) {
        const page = await read(`${path}?cursor=${encode(`${atMs}.${id}`)}`, headers);
        expect([page.status, page.text]).toEqual([200, expect.any(String)]);
      }
    }
  });

  it('filters of payments are checked', async () => {
    const wrong: Record<string, string[]> = {
      status: ['', 'paid', 'PENDING', 'pending&status=review', '%00'],
      provider: ['', 'b', 'bKash', '%00', 'a&provider=b'],
      createdFrom: ['', '2026-02-31T00:00:00Z', '2026-01-01', 'now', '%00', '2026-01-01T00:00:00+06:00'],
      createdTo: ['yesterday', '2026-13-01T00:00:00Z'],
      verifiedFrom: ['now', '2026-01-01'],
      verifiedTo: ['', '%00'],
      trxId: ['%00', 'a%00b', 'x'.repeat(201), 'a&trxId=b'],
      customerPhone: ['%00', '01700%0000002', 'x'.repeat(65), 'a&customerPhone=b'],
    };
    const store = `/api/v1/stores/${shop.store.id}/payments`;
    for (const [path, headers] of [
      ['/api/v1/payments', merchant()],
      [store, await shop.admin()],
    ] as const) {
      for (const [field, values] of Object.entries(wrong)) {
        for (const value of values) {
          const what = `${path}?${field}=${value}`;
          // An unescaped plus is a blank: no time zone.
          expectInvalid(await read(what, headers), `/${field}`, what);
        }
      }
      for (const query of [
        'trxId=',
        'trxId=%F0%9F%98%80',
        'trxId=ab',
        'customerPhone=',
        'trxId=%25',
        "trxId=';--",
      ]) {
        expect((await read(`${path}?${query}`, headers)).status, query).toBe(200);
      }
    }
  });

  it('of the other lists are checked, too', async () => {
    const admin = await shop.admin();
    const store = `/api/v1/stores/${shop.store.id}`;
    const wrong: [string, Headers][] = [
      [`${store}/receipts?status=paid`, admin],
      [`${store}/receipts?status=%00`, admin],
      ['/api/v1/deliveries?status=sent', merchant()],
      ['/api/v1/deliveries?paymentId=%00', merchant()],
      ['/api/v1/deliveries?paymentId=1', merchant()],
      ['/api/v1/events?limit=0', merchant()],
      ['/api/v1/events?after=%00', merchant()],
      ['/api/v1/events?after=x', merchant()],
      ['/api/v1/events?after=a&after=b', merchant()],
    ];
    for (const [path, headers] of wrong) expectProblem(await read(path, headers), 400, path);
  });

  it('are refused by every operation that has none', async () => {
    const routes = (await operationsOf(shop)).filter(({ hasQuery }) => !hasQuery);
    expect(routes.length).toBeGreaterThan(55);
    for (const { method, path, headers } of routes) {
      const what = `${method} ${path}?verbose=1`;
      const answer = await shop.http.request<Problem>(method, `${path}?verbose=1`, { headers });
      expectInvalid(answer, '/verbose', what);
    }
  });

  it('with a parameter that the route does not know are refused, and pages take what browsers add', async () => {
    const admin = await shop.admin();
    const wrong: [string, Headers][] = [
      ['/api/v1/payments?statsu=verified', merchant()],
      ['/api/v1/payments?limit=1&utm_source=x', merchant()],
      ['/api/v1/auth/me?verbose=1', admin],
      [`/api/v1/stores/${shop.store.id}?expand=wallets`, admin],
      [`/api/v1/stores?page=2`, admin],
    ];
    for (const [path, headers] of wrong) {
      const answer = await read(path, headers);
      expectProblem(answer, 400, path);
      expect(answer.text, path).toMatch(/"pointer":"\/(?:statsu|utm_source|verbose|expand|page)"/);
    }
    for (const path of ['/health/live?x=1', '/api/docs?x=1', '/dashboard/sign-in?utm_source=x']) {
      expect((await read(path, {})).status, path).toBeLessThan(400);
    }
  });

  it('cannot be nested or polluted', async () => {
    for (const query of [
      '__proto__[admin]=1',
      'constructor=1',
      'limit[]=1',
      'limit[a]=1',
      '%5F%5Fproto%5F%5F=1',
      'a'.repeat(5_000),
    ]) {
      expectAnswered(await read(`/api/v1/payments?${query}`, merchant()), query);
    }
    expect(({} as { admin?: string }).admin).toBeUndefined();
    await expectAlive(shop);
  });
});
