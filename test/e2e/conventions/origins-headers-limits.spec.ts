import { newId } from '../../../src/kernel/ids.js';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../support/raw-connection.js';
import { eventually } from '../../support/eventually.js';
import { HttpClient } from '../../support/http-client.js';
import {
  ADMIN_EMAIL,
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
} from '../../support/test-app.js';

/*
 * Rules: contract 1.27, 1.36, 1.37, 2.3, 2.4, 2.7, 5.2, 5.3, 5.37, 5.38, 8.23, 8.24, 8.26, 8.28.
 *
 * Goal: what a security review tries from outside: forged tokens, rotated secrets on another replica, other origins,
 * oversized and malformed requests, headers, limits, false addresses (contract 1.36, 2.7 and 8.13). Method: two
 * replicas on one database over HTTP; raw sockets where a client library would be too polite. What accounts.spec.ts
 * has about tokens and sign-in limits is not repeated.
 */

let one: TestApp;
let two: TestApp;
let admin: { Authorization: string };
let store: TestStore;
let paymentId: string;

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ database: one.database });
  admin = await signIn(one.http);
  store = await createStore(one.http, admin);
  paymentId = await createPayment();
});
afterAll(async () => {
  await two.close();
  await one.close();
});

async function createPayment(): Promise<string> {
  return (await one.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, store.key)).body.id;
}

/** Sends bytes as they are and answers everything that comes back until the server closes. */
describe('access tokens', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (head: object, secret: string | Buffer) => {
    const claims = admin.Authorization.split('.')[1] ?? '';
    const content = `${encode(head)}.${claims}`;
    return `Bearer ${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  };
  const secretOf = (app: TestApp, name: string) => app.environment[name] ?? '';

  it('are taken when they are signed with the secret, so that the next test proves something', async () => {
    const Authorization = sign({ alg: 'HS256', typ: 'JWT' }, secretOf(one, 'JWT_SECRET'));
    expect((await two.http.get('/api/v1/stores', { Authorization })).status).toBe(200);
  });

  it.each<[string, () => string]>([
    ['a key id that is a path', () => sign({ alg: 'HS256', kid: '../../../../dev/null' }, '')],
    ['a key id that is a statement', () => sign({ alg: 'HS256', kid: "x' UNION SELECT 'k" }, 'k')],
    ['a key set of its own', () => sign({ alg: 'HS256', jku: 'http://127.0.0.1:1/keys' }, 'x')],
    [
      'the encryption key',
      () => sign({ alg: 'HS256' }, Buffer.from(secretOf(one, 'ENCRYPTION_KEY'), 'base64')),
    ],
    ['the encryption key as text', () => sign({ alg: 'HS256' }, secretOf(one, 'ENCRYPTION_KEY'))],
    [
      'the secret decoded from base64',
      () => sign({ alg: 'HS256' }, Buffer.from(secretOf(one, 'JWT_SECRET'), 'base64')),
    ],
    ['the API key of a store', () => sign({ alg: 'HS256' }, store.apiKey)],
    ['the webhook secret of a store', () => sign({ alg: 'HS256' }, store.webhookSecret)],
    ['another scheme', () => admin.Authorization.replace('Bearer', 'Token')],
    ['no scheme', () => admin.Authorization.replace('Bearer ', '')],
    ['something after it', () => `${admin.Authorization}, Bearer x.y.z`],
    [
      'a letter of the signature changed',
      () => admin.Authorization.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    ],
    ['no signature', () => admin.Authorization.replace(/\.[^.]*$/, '.')],
    ['a fourth part', () => `${admin.Authorization}.x`],
    ['16 KB of rubbish', () => `Bearer ${'a'.repeat(8_000)}.${'b'.repeat(7_000)}.c`],
  ])('are refused with %s', async (_what, token) => {
    const answer = await one.http.get(`/api/v1/stores/${store.id}/webhook-secret`, {
      Authorization: token(),
    });
    expect([answer.status, answer.body['code']]).toEqual([401, 'auth.required']);
  });

  it('are refused in a cookie, in the address and in the body', async () => {
    const token = admin.Authorization.slice('Bearer '.length);
    const answers = [
      await one.http.get('/api/v1/stores', { Cookie: `access_token=${token}; Authorization=${token}` }),
      await one.http.get(`/api/v1/stores?access_token=${token}&token=${token}`),
      await one.http.post('/api/v1/stores', { name: 'x', access_token: token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('a rotated secret', () => {
  const rotate = async (path: string) =>
    (await one.http.post<Record<string, string>>(`/api/v1/stores/${store.id}/${path}`, undefined, admin))
      .body;
  const heartbeat = (app: TestApp, secret: string | undefined) =>
    app.http.post('/api/webhooks/joma/heartbeat', { app: 'phone' }, { 'X-Webhook-Secret': secret ?? '' });

  it('is refused by the very next request on every replica, the new one taken', async () => {
    for (const replica of [one, two])
      expect((await heartbeat(replica, store.webhookSecret)).status).toBe(204);
    const { webhookSecret } = await rotate('webhook-secret/regenerate');
    for (const replica of [two, one]) {
      expect((await heartbeat(replica, store.webhookSecret)).status).toBe(401);
      expect((await heartbeat(replica, webhookSecret)).status).toBe(204);
      expect((await replica.http.get('/api/v1/payments', store.key)).status).toBe(200);
    }
    const { apiKey = '' } = await rotate('api-key/rotate');
    for (const replica of [two, one]) {
      expect((await replica.http.get('/api/v1/payments', store.key)).status).toBe(401);
      expect((await replica.http.get('/api/v1/payments', { 'X-Api-Key': apiKey })).status).toBe(200);
      expect((await heartbeat(replica, webhookSecret)).status).toBe(204);
    }
    store = { ...store, apiKey, key: { 'X-Api-Key': apiKey } };
  });

  it('of many rotations at once leaves exactly one that works', async () => {
    const mine = await createStore(one.http, admin);
    const path = `/api/v1/stores/${mine.id}/api-key/rotate`;
    const answers = await Promise.all(
      [one, two, one, two, one, two].map(({ http }) => http.post<{ apiKey: string }>(path, undefined, admin)),
    );
    const keys = [mine.apiKey, ...answers.map(({ body }) => body.apiKey)];
    const statuses = await Promise.all(
      keys.map(async (key) => (await two.http.get('/api/v1/payments', { 'X-Api-Key': key })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(keys.length - 1);
  });

  it('of an archived store is refused at once on every replica', async () => {
    const mine = await createStore(one.http, admin);
    expect((await two.http.get('/api/v1/payments', mine.key)).status).toBe(200);
    await one.http.request('DELETE', `/api/v1/stores/${mine.id}`, { headers: admin });
    for (const replica of [two, one]) {
      expect((await replica.http.get('/api/v1/payments', mine.key)).status).toBe(401);
      expect((await heartbeat(replica, mine.webhookSecret)).status).toBe(401);
    }
  });
});

describe('other origins', () => {
  const ORIGIN = 'https://shop.example.com';

  async function routes(): Promise<{ method: string; path: string }[]> {
    const { body } = await one.http.get<{ paths: Record<string, object> }>('/api/docs/openapi.json');
    return Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, paymentId),
      })),
    );
  }

  it('get no permission for anything but the public checkout, in no preflight the API key, and no cookies', async () => {
    for (const { method, path } of await routes()) {
      const preflight = await one.http.request('OPTIONS', path, {
        headers: {
          Origin: ORIGIN,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'x-api-key, authorization, x-webhook-secret',
        },
      });
      const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
      expect(allowed, path).not.toMatch(/api-key|authorization|secret|\*/i);
      expect(preflight.headers.get('access-control-allow-credentials'), path).toBeNull();
      const isPublic = path.startsWith('/api/v1/payments/public/');
      expect(preflight.headers.get('access-control-allow-origin'), path).toBe(isPublic ? '*' : null);
      expect(preflight.status, path).toBe(isPublic ? 204 : 405);
    }
  });

  it('may read the public checkout alone, whatever is answered', async () => {
    const at = async (path: string, headers: Record<string, string> = {}) =>
      (await one.http.get(path, { Origin: ORIGIN, ...headers })).headers.get('access-control-allow-origin');
    expect(await at(`/api/v1/payments/public/${paymentId}`)).toBe('*');
    expect(await at('/api/v1/payments/public/nothing')).toBe('*');
    for (const path of [
      '/api/v1/payments',
      '/api/v1/payments/publicity',
      '/health/live',
      '/',
      '/api/v1/nothing',
    ]) {
      expect(await at(path, store.key), path).toBeNull();
    }
    expect(await at('/api/v1/payments/public/../../payments', store.key)).toBeNull();
    expect(await at('/api/v1/payments/public/%2e%2e/', store.key)).not.toBe(ORIGIN);
    expect(await at('/api/v1/stores', admin)).toBeNull();
  });
});

describe('requests that are too much', () => {
  const post = (text: string, headers: Record<string, string> = {}) =>
    one.http.request('POST', '/api/v1/payments', { headers: { ...store.key, ...headers }, text });

  it.each<[string, string, Record<string, string>, number, string]>([
    [
      'a body over 64 KiB',
      JSON.stringify({ amount: 1, note: 'x'.repeat(65_536) }),
      {},
      413,
      'request.too_large',
    ],
    [
      'another content type',
      'amount=1',
      { 'Content-Type': 'text/plain' },
      415,
      'request.unsupported_media_type',
    ],
    [
      'a form',
      'amount=1',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      415,
      'request.unsupported_media_type',
    ],
    ['XML', '<!DOCTYPE x>', { 'Content-Type': 'application/xml' }, 415, 'request.unsupported_media_type'],
    ['half a body', '{"amount":', {}, 400, 'request.malformed_json'],
    ['30,000 brackets', '['.repeat(30_000), {}, 400, 'request.invalid'],
    ['a prototype', '{"amount":1,"__proto__":{"admin":true}}', {}, 400, 'request.invalid'],
    [
      'a prototype deeper down',
      '{"amount":1,"metadata":{"constructor":{"prototype":{}}}}',
      {},
      400,
      'request.invalid',
    ],
    ['a number that is none', '{"amount":1e999}', {}, 400, 'request.invalid'],
    ['a list', '[]', {}, 400, 'request.invalid'],
    ['an operator', '{"amount":{"$gt":0}}', {}, 400, 'request.invalid'],
  ])('such as %s are refused', async (_what, text, headers, status, code) => {
    const answer = await post(text, headers);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('and addresses that are no addresses are refused as problems, without a word about the inside', async () => {
    for (const path of [
      '/api/v1/payments/%00',
      '/api/v1/payments/%E0%A4%A',
      '/..%2f..%2fetc/passwd',
      `/${'a'.repeat(9_000)}`,
    ]) {
      const answer = await one.http.get(path, store.key);
      expect([400, 404, 414], path).toContain(answer.status);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.text).not.toMatch(/node_modules|at \w+ \(|\/work|SELECT/);
    }
  });

  it('in the head, or two lengths at once, end the connection', async () => {
    const large = await openConnection(
      one.http.url,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`,
    ).end;
    expect(large).toMatch(/^HTTP\/1\.1 431/);
    const head = 'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const smuggled = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await openConnection(one.http.url, smuggled).end;
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('and slow ones lose their connection while others are served', async () => {
    const slow = openConnection(one.http.url, 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ').end;
    expect((await one.http.get('/health/live')).status).toBe(200);
    expect(await slow).toMatch(/^HTTP\/1\.1 408/);
    const server = one.app.getHttpServer() as { requestTimeout: number; headersTimeout: number };
    expect([server.requestTimeout, server.headersTimeout]).toEqual([120_000, 10_000]);
  });
});

describe('headers', () => {
  it('keep every answer from being sniffed, framed, kept and told on', async () => {
    for (const path of [
      '/',
      '/api/v1/stores',
      '/api/v1/nothing',
      '/health/live',
      '/api/docs',
      `/pay/${paymentId}`,
    ]) {
      const { headers } = await one.http.get(path, admin);
      const policy = headers.get('content-security-policy') ?? '';
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).toContain("base-uri 'none'");
      expect(policy.split(';').find((rule) => rule.includes('script-src')) ?? '', path).not.toContain(
        'unsafe',
      );
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('referrer-policy'), path).toMatch(/^(no-referrer|same-origin|strict-origin)$/);
      expect(headers.get('x-powered-by'), path).toBeNull();
      expect(headers.get('server'), path).toBeNull();
      expect(headers.get('strict-transport-security'), path).toBeNull();
      if (path.startsWith('/api/v1')) expect(headers.get('cache-control'), path).toBe('no-store');
    }
  });

  it.each([
    ['production', 'https://pay.example.com', 'max-age=31536000'],
    ['production', 'http://pay.internal', null],
    ['test', 'https://pay.example.com', null],
  ])('in %s with %s: Strict-Transport-Security is %s', async (environment, publicUrl, expected) => {
    const app = await startTestApp({
      database: one.database,
      environment: { NODE_ENV: environment, PUBLIC_URL: publicUrl },
    });
    try {
      const { headers } = await app.http.get('/health/live');
      expect(headers.get('strict-transport-security')).toBe(expected);
    } finally {
      await app.close();
    }
  });
});

describe('the public limit', () => {
  const path = () => `/api/v1/payments/public/${paymentId}`;
  const limited = (trustProxy: string) =>
    startTestApp({
      database: one.database,
      environment: { RATE_LIMIT_PUBLIC: '2/1m', TRUST_PROXY: trustProxy },
    });
  const from = (http: HttpClient, address: string) => http.get(path(), { 'X-Forwarded-For': address });

  it('says what is left, and when to come again', async () => {
    const app = await limited('');
    try {
      const [first, second, third] = [
        await app.http.get(path()),
        await app.http.get(path()),
        await app.http.get(path()),
      ];
      expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
      const left = [first, second, third].map(({ headers }) => headers.get('ratelimit-remaining'));
      expect(left).toEqual(['1', '0', '0']);
      for (const { headers } of [first, second, third]) {
        expect(headers.get('ratelimit-limit')).toBe('2');
        const resetSeconds = Number(headers.get('ratelimit-reset'));
        expect(resetSeconds).toBeGreaterThan(0);
        expect(resetSeconds).toBeLessThanOrEqual(60);
      }
      expect(third.headers.get('retry-after')).toBe(third.headers.get('ratelimit-reset'));
      expect(third.headers.get('access-control-expose-headers')).toContain('RateLimit-Remaining');
      expect(third.body['code']).toBe('request.rate_limited');
    } finally {
      await app.close();
    }
  });

  it('is for one payment, and ten times that for all together', async () => {
    const app = await limited('');
    try {
      const ask = async (id: string) => (await app.http.get(`/api/v1/payments/public/${id}`)).status;
      expect([await ask(paymentId), await ask(paymentId), await ask(paymentId)]).toEqual([200, 200, 429]);
      const others = [];
      for (let index = 0; index < 20; index += 1) others.push(await ask(newId()));
      expect(others).toEqual([...Array<number>(18).fill(404), 429, 429]);
    } finally {
      await app.close();
    }
  });

  it('cannot be got around with X-Forwarded-For where no proxy is trusted', async () => {
    for (const trusted of ['', '10.0.0.0/8']) {
      const app = await limited(trusted);
      try {
        const statuses = [];
        for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
          statuses.push((await from(app.http, address)).status);
        }
        expect(statuses).toEqual([200, 200, 429]);
      } finally {
        await app.close();
      }
    }
  });

  it('counts the address that a trusted proxy names, and not what the client wrote before it', async () => {
    const app = await limited('127.0.0.1');
    try {
      const statuses = [];
      for (const forged of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
        statuses.push((await from(app.http, `${forged}, 198.51.100.1`)).status);
      }
      expect(statuses).toEqual([200, 200, 429]);
      expect((await from(app.http, '198.51.100.2')).status).toBe(200);
      // A /64 is one payer.
      const network = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'];
      const ofNetwork = [];
      for (const address of network) ofNetwork.push((await from(app.http, address)).status);
      expect(ofNetwork).toEqual([200, 200, 429, 200]);
      // Nor is a port somebody else, or what a proxy passes on without looking.
      const ofConnections = [];
      for (const port of [1, 2, 3]) ofConnections.push((await from(app.http, `192.0.2.9:${port}`)).status);
      expect(ofConnections).toEqual([200, 200, 429]);
      const ofTexts = [];
      for (const text of ['nobody', '"><script>', 'x'.repeat(5_000)])
        ofTexts.push((await from(app.http, text)).status);
      expect(ofTexts).toEqual([200, 200, 429]);
    } finally {
      await app.close();
    }
  });

  it('of open event streams takes a /64 for one payer, and gives back what is closed', async () => {
    const app = await startTestApp({ database: one.database, environment: { TRUST_PROXY: '127.0.0.1' } });
    const abort = new AbortController();
    // An answer that nobody holds is collected, and its connection closed.
    const held: Response[] = [];
    const open = async (address: string) => {
      const headers = { 'X-Forwarded-For': address };
      const answer = await fetch(`${app.http.url}${path()}/events`, { headers, signal: abort.signal });
      held.push(answer);
      return answer.status;
    };
    try {
      const statuses = new Set<number>();
      for (let host = 1; host <= 50; host += 1) statuses.add(await open(`2001:db8::${host.toString(16)}`));
      expect([...statuses]).toEqual([200]);
      expect(await open('2001:db8::ffff')).toBe(429);
      expect(await open('2001:db8:0:1::1')).toBe(200);
      abort.abort();
      const again = () =>
        fetch(`${app.http.url}${path()}/events`, { headers: { 'X-Forwarded-For': '2001:db8::1' } });
      const answer = await eventually(again, ({ status }) => status === 200, 'a free stream');
      await answer.body?.cancel();
    } finally {
      abort.abort();
      await app.close();
    }
  });

  it('and the audit log name the same address', async () => {
    const addressOf = async (app: TestApp) => {
      const body = { email: ADMIN_EMAIL, password: app.environment['ADMIN_PASSWORD'] };
      await app.http.post('/api/v1/auth/login', body, { 'X-Forwarded-For': '192.0.2.77' });
      const [entry] = await app.database.query<{ address: string }>(
        `SELECT address FROM audit_entries WHERE action = 'auth.signed_in' ORDER BY at DESC, id DESC LIMIT 1`,
      );
      return entry?.address;
    };
    expect(await addressOf(one)).toBe('127.0.0.1');
    const behindProxy = await limited('127.0.0.0/8');
    try {
      expect(await addressOf(behindProxy)).toBe('192.0.2.77');
    } finally {
      await behindProxy.close();
    }
  });
});
