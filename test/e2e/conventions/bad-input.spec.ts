import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../support/openapi.js';
import { inTurns } from '../../support/in-turns.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { receiptBody } from '../../support/receipt-body.js';
import { createUser } from '../../support/test-app.js';
import { useService } from '../../support/use-shop.js';
import { sendBytes, sendRaw } from '../../support/money-raw-http.js';

/*
 * Rules: contract 1.6, 1.8 to 1.12, 1.14 to 1.19, 1.28, 1.29, 1.32 to 1.36, 1.38, 2.29, 2.30, 3.2, 3.3, 3.5, 3.10,
 * 4.9, 4.22, 5.8, 5.10, 5.34, 6.3, 6.4, 6.13 to 6.15, 6.17, 6.18, 6.41, 6.42 to 6.44, 14.1, 14.4, 14.5, 14.6.
 *
 * Goal: nothing that anybody can send is answered with a 5xx; what is wrong is a 4xx problem document with a code
 * and, for 400, pointers to the wrong places (contract 1.36), and the service works on. Method: one table of
 * endpoints with a body that each of them takes, and everything that can be wrong with a body in general and with
 * each of its fields.
 */

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { pointer: string; detail: string }[];
}

type Headers = Readonly<Record<string, string>>;

interface Endpoint {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Headers;
  /** What it takes. Each body may be used once. */
  readonly valid: () => Record<string, unknown>;
  /** Fields that may be left out but are not in `valid`. */
  readonly optional?: Record<string, unknown>;
  /** Takes fields that it does not know. */
  readonly tolerant?: true;
  /** Takes a body without any field. */
  readonly needsNothing?: true;
  /** Takes no body at all, and null. */
  readonly mayBeLeftOut?: true;
}

const service = useService({ replicas: 1 });
let shop: Shop;
let endpoints: Record<EndpointName, Endpoint>;

const ENDPOINT_NAMES = [
  'create a payment',
  'submit a TrxID',
  'forward a receipt',
  'heartbeat',
  'simulate a receipt',
  'create a store',
  'change a store',
  'approve',
  'reject',
  'match a receipt',
  'replay deliveries',
  'sign in',
  'refresh',
  'sign out',
  'change the password',
  'create a user',
  'change a user',
  'start a second factor',
  'confirm a second factor',
  'remove a second factor',
  'add a member',
  'change a member',
  'cancel a payment',
  'cancel a payment of a store',
  'create a payment of a store',
  'void a receipt',
  'restore a receipt',
  'record a refund',
  'record a refund of a store',
  'create a link',
  'create a link of a store',
  'change a link',
  'change a link of a store',
  'try a text',
] as const;
type EndpointName = (typeof ENDPOINT_NAMES)[number];

beforeAll(async () => {
  shop = await service.openShop();
  endpoints = await listEndpoints();
});

async function listEndpoints(): Promise<Record<EndpointName, Endpoint>> {
  const admin = await shop.admin();
  const { key, phone, id: storeId } = shop.store;
  const payment = await shop.create({ amount: 1, expiresInSeconds: 86_400 });
  const receipt = await shop.receipt({ trxId: newTrxId(), amount: 2 });
  const other = await service.openShop();
  const user = await createUser(shop.http, admin, { email: 'target@example.com' });
  const of = (
    method: Endpoint['method'],
    path: string,
    headers: Headers,
    valid: () => Record<string, unknown>,
    more: Pick<Endpoint, 'optional' | 'tolerant' | 'needsNothing' | 'mayBeLeftOut'> = {},
  ): Endpoint => ({ method, path, headers, valid, ...more });
  const reason = 'The customer called.';
  let users = 0;
  const store = `/api/v1/stores/${storeId}`;
  const member = { email: 'target@example.com', role: 'viewer' };
  await shop.http.post(`${store}/members`, member, admin);
  const paid = await shop.create({ amount: 900 });
  const trxId = newTrxId();
  await shop.submit(paid.id, { trxId });
  await shop.receipt({ trxId, amount: 900 });
  const open = await shop.create({ amount: 4 });
  const link = await shop.http.post<{ id: string }>('/api/v1/payment-links', { title: 'Tea' }, key);
  const newPayment = {
    currency: 'BDT',
    provider: 'bkash',
    customerName: 'Rahim',
    customerPhone: '01700000002',
    note: 'Order 1001',
    products: [{ name: 'a', quantity: 1, price: 1 }],
    metadata: { orderId: '1001' },
    redirectUrl: 'https://shop.example.com/thanks',
    cancelUrl: 'https://shop.example.com/cart',
    expiresInSeconds: 600,
  };
  const newLink = {
    amount: 5,
    note: 'Tea',
    products: newPayment.products,
    metadata: newPayment.metadata,
    provider: 'bkash',
    redirectUrl: newPayment.redirectUrl,
    maxPayments: 3,
    askName: true,
    askPhone: true,
  };
  const refund = { reason, provider: 'bkash', trxId: newTrxId(), sentAt: '2026-11-20T00:00:00Z' };
  const changes = { note: 'Tea', redirectUrl: null, maxPayments: 3, expiresAt: null, active: true };
  const ending = {
    optional: { receiptId: receipt.body.receiptId },
    needsNothing: true as const,
    mayBeLeftOut: true as const,
  };
  return {
    'create a payment': of('POST', '/api/v1/payments', key, () => ({ amount: 500 }), {
      optional: newPayment,
    }),
    'create a payment of a store': of('POST', `${store}/payments`, admin, () => ({ amount: 500 }), {
      optional: newPayment,
    }),
    'start a second factor': of('POST', '/api/v1/auth/second-factor', admin, () => ({
      currentPassword: 'not the right one',
    })),
    'confirm a second factor': of('POST', '/api/v1/auth/second-factor/confirm', admin, () => ({
      code: '123456',
    })),
    'remove a second factor': of('DELETE', '/api/v1/auth/second-factor', admin, () => ({ code: '123456' }), {
      optional: { recoveryCode: 'ABCD-EFGH-IJKL-MNOP' },
      // That one of the two is there is asked once there is a second factor.
      needsNothing: true,
    }),
    'add a member': of('POST', `${store}/members`, admin, () => member),
    'change a member': of('PATCH', `${store}/members/${user.id}`, admin, () => ({ role: 'viewer' })),
    'cancel a payment': of(
      'POST',
      `/api/v1/payments/${open.id}/cancel`,
      key,
      () => ({ receipt: 'release' }),
      ending,
    ),
    'cancel a payment of a store': of(
      'POST',
      `${store}/payments/${open.id}/cancel`,
      admin,
      () => ({ receipt: 'release' }),
      ending,
    ),
    'void a receipt': of('POST', `${store}/receipts/${receipt.body.receiptId}/void`, admin, () => ({
      reason,
    })),
    'restore a receipt': of('POST', `${store}/receipts/${receipt.body.receiptId}/restore`, admin, () => ({
      reason,
    })),
    'record a refund': of('POST', `/api/v1/payments/${paid.id}/refunds`, key, () => ({ amount: 0.01 }), {
      optional: refund,
    }),
    'record a refund of a store': of(
      'POST',
      `${store}/payments/${paid.id}/refunds`,
      admin,
      () => ({ amount: 0.01 }),
      { optional: refund },
    ),
    'create a link': of('POST', '/api/v1/payment-links', key, () => ({ title: 'Tea' }), {
      optional: newLink,
    }),
    'create a link of a store': of('POST', `${store}/payment-links`, admin, () => ({ title: 'Tea' }), {
      optional: newLink,
    }),
    'change a link': of('PATCH', `/api/v1/payment-links/${link.body.id}`, key, () => ({ title: 'Tea' }), {
      ...{ optional: changes, needsNothing: true },
    }),
    'change a link of a store': of(
      'PATCH',
      `${store}/payment-links/${link.body.id}`,
      admin,
      () => ({ title: 'Tea' }),
      { optional: changes, needsNothing: true },
    ),
    'try a text': of('POST', '/api/v1/sms/parse', admin, () => ({ sender: 'bKash', text: 'Tk 5' }), {
      optional: { accountType: 'personal' },
    }),
    'submit a TrxID': of(
      'POST',
      `/api/v1/payments/public/${payment.id}/verify`,
      {},
      () => ({ trxId: 'BADINPUT' }),
      {
        optional: { provider: 'bkash' },
      },
    ),
    'forward a receipt': of(
      'POST',
      '/api/webhooks/joma',
      phone,
      () => receiptBody({ trxId: newTrxId() }, service.clock.now()),
      { optional: { balance: 5.5, currency: 'BDT', last4digit: '0042' }, tolerant: true },
    ),
    heartbeat: of('POST', '/api/webhooks/joma/heartbeat', phone, () => ({ app: 'joma-phone' }), {
      optional: { battery: 87, pending: 0 },
      tolerant: true,
    }),
    'simulate a receipt': of(
      'POST',
      '/api/webhooks/simulate',
      admin,
      () => ({ storeId, provider: 'bkash', trxId: newTrxId(), amount: 3, sender: '01700000002', type: 'in' }),
      { optional: { last4digit: '0042' } },
    ),
    'create a store': of('POST', '/api/v1/stores', admin, () => ({ name: 'Bad input' }), {
      optional: {
        webhookUrl: null,
        currency: 'BDT',
        signWith: 'api_key',
        wallets: [
          {
            provider: 'bkash',
            number: '01700000001',
            accountType: 'personal',
            qrPayload: null,
            enabled: true,
          },
        ],
      },
    }),
    'change a store': of('PATCH', `/api/v1/stores/${other.store.id}`, admin, () => ({ name: 'Other' }), {
      optional: { simulationEnabled: true, currency: 'BDT', signWith: 'api_key', wallets: [] },
      needsNothing: true,
    }),
    approve: of(
      'POST',
      `/api/v1/stores/${storeId}/payments/${payment.id}/approve`,
      admin,
      () => ({ reason }),
      { optional: { receiptId: receipt.body.receiptId } },
    ),
    reject: of('POST', `/api/v1/stores/${storeId}/payments/${payment.id}/reject`, admin, () => ({ reason })),
    'match a receipt': of(
      'POST',
      `/api/v1/stores/${storeId}/receipts/${receipt.body.receiptId}/match`,
      admin,
      () => ({ paymentId: storeId, reason }),
    ),
    'replay deliveries': of(
      'POST',
      `/api/v1/stores/${storeId}/deliveries/replay`,
      admin,
      () => ({ since: '2026-11-20T00:00:00Z' }),
      { optional: { until: '2026-11-21T00:00:00Z', only: 'failed' } },
    ),
    'sign in': of('POST', '/api/v1/auth/login', {}, () => ({
      email: 'nobody@example.com',
      password: 'wrong',
    })),
    refresh: of('POST', '/api/v1/auth/refresh', {}, () => ({ refreshToken: 'unknown' })),
    'sign out': of('POST', '/api/v1/auth/logout', {}, () => ({ refreshToken: 'unknown' })),
    'change the password': of('POST', '/api/v1/auth/password', admin, () => ({
      currentPassword: 'not the right one',
      newPassword: 'seven green boats',
    })),
    'create a user': of('POST', '/api/v1/users', admin, () => ({
      email: `person${(users += 1)}@example.com`,
      password: 'seven green boats',
      name: 'Rahima',
      role: 'merchant',
    })),
    'change a user': of('PATCH', `/api/v1/users/${user.id}`, admin, () => ({ name: 'Target' }), {
      optional: { active: true, role: 'merchant' },
      needsNothing: true,
    }),
  };
}

function send(endpoint: Endpoint, body: unknown): Promise<HttpAnswer<Problem>> {
  return shop.http.request<Problem>(endpoint.method, endpoint.path, { headers: endpoint.headers, body });
}

function sendText(endpoint: Endpoint, text: string, headers: Headers = {}): Promise<HttpAnswer<Problem>> {
  return shop.http.request<Problem>(endpoint.method, endpoint.path, {
    headers: { ...endpoint.headers, ...headers },
    text,
  });
}

/** Fails unless the answer is a problem document of that status, whole. */
function expectProblem(answer: HttpAnswer<Problem>, status: number, what: string): void {
  expect([answer.status, answer.headers.get('content-type')], `${what} → ${answer.text}`).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ]);
  const { body } = answer;
  expect(body.status, what).toBe(status);
  expect(body.code, what).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
  expect(body.type, what).toBe(`urn:joma:problem:${body.code}`);
  expect(
    [body.title, body.detail].every((text) => text.length > 0),
    what,
  ).toBe(true);
  expect(body.requestId, what).toBe(answer.headers.get('x-request-id'));
  if (body.code === 'request.invalid') {
    expect(body.errors?.length, `${what} → ${answer.text}`).toBeGreaterThan(0);
    for (const { pointer, detail } of body.errors ?? []) {
      expect(pointer, what).toMatch(/^(\/.*)?$/s);
      expect(detail.length, what).toBeGreaterThan(0);
    }
  }
}

/** A 400 that points at this place. */
function expectInvalid(answer: HttpAnswer<Problem>, pointer: string, what: string): void {
  expectProblem(answer, 400, what);
  const pointers = (answer.body.errors ?? []).map((error) => error.pointer);
  expect(pointers, `${what} → ${answer.text}`).toContain(pointer);
}

/** Whatever it is, it is answered, and not with a 5xx. */
function expectAnswered(answer: HttpAnswer<Problem>, what: string): void {
  expect(answer.status, `${what} → ${answer.text}`).toBeGreaterThanOrEqual(200);
  expect(answer.status, `${what} → ${answer.text}`).toBeLessThan(500);
  if (answer.status >= 400) expectProblem(answer, answer.status, what);
}

/** The service still does what it is there for. */
async function expectAlive(): Promise<void> {
  const { id, trxId } = await shop.submitted();
  expect((await shop.receipt({ trxId })).body.status).toBe('matched');
  expect((await shop.get(id)).status).toBe('verified');
}

const pathTo = (field: string): string => `/${field}`;
const shown = (value: unknown): string => JSON.stringify(value).slice(0, 80);

describe('the endpoints here', () => {
  it('are all operations of the document that take JSON', () => {
    const { paths } = JSON.parse(readFileSync('test/openapi.json', 'utf8')) as OpenApiDocument;
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { requestBody }]) => requestBody?.content['application/json'] !== undefined)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const tried = Object.values(endpoints).map(({ method, path }) => {
      const pattern = documented.find((name) =>
        new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${path}`),
      );
      return pattern ?? `no operation: ${method} ${path}`;
    });
    // What forwarder apps send is nobody's to prescribe: all of it is kept (contract 6.28).
    expect([...tried, 'POST /api/webhooks/joma/sms'].sort()).toEqual(documented.sort());
  });
});

describe.each(ENDPOINT_NAMES)('%s', (name) => {
  const at = () => endpoints[name];

  it('takes the body that all the others here are made of', async () => {
    const { status, text, body } = await send(at(), at().valid());
    // Approving, matching and signing in go as far as their own rules: it is not the body that is wrong.
    if (body.code !== 'payment.receipt_required')
      expect([200, 201, 202, 204, 401, 404, 409], text).toContain(status);
  });

  it('refuses what is not a JSON object in UTF-8', async () => {
    const malformed = [
      '{',
      '{"a":1}}',
      "{'a':1}",
      '{"a":1,}',
      '{"a":NaN}',
      '{"a":01}',
      '<a/>',
      'a=1',
      '\u0000',
      ' ',
    ];
    for (const text of malformed) {
      const answer = await sendText(at(), text);
      expectProblem(answer, 400, text);
      expect(answer.body.code, text).toBe('request.malformed_json');
    }
    const other = ['[]', '[{}]', '[[]]', '"text"', '42', 'true', 'false', '""', '0'];
    for (const text of at().mayBeLeftOut === true ? other : ['null', ...other]) {
      expectProblem(await sendText(at(), text), 400, text);
    }
    const bytes = Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]);
    const notUtf8 = await sendRaw(shop.http.url, {
      method: at().method,
      path: at().path,
      headers: {
        ...at().headers,
        'Content-Type': 'application/json',
        'Content-Length': String(bytes.length),
      },
      body: bytes,
    });
    expect([notUtf8.status, (JSON.parse(notUtf8.text) as Problem).code]).toEqual([
      400,
      'request.malformed_json',
    ]);
  });

  it('refuses no body at all, unless it needs none', async () => {
    for (const headers of [{ 'Content-Type': 'application/json' }, {}] as Headers[]) {
      const { method, path, headers: own } = at();
      const answer = await shop.http.request<Problem>(method, path, { headers: { ...own, ...headers } });
      if (at().needsNothing === true) expectAnswered(answer, 'no body');
      else expectProblem(answer, 400, 'no body');
    }
  });

  it('refuses NUL, halves of surrogate pairs, and keys that reach a prototype, wherever they stand', async () => {
    const body = JSON.stringify({ ...at().valid(), ...at().optional }).slice(1);
    const spoilt = [
      '{"\\u0000":1,',
      '{"extra":"\\u0000",',
      '{"extra":"\\ud800",',
      '{"extra":"\\udc00\\ud800",',
      '{"extra":{"a":["\\ud83d"]},',
      '{"\\udfff":1,',
      '{"__proto__":{"admin":true},',
      '{"constructor":{"prototype":{"admin":true}},',
      '{"extra":[{"__proto__":1}],',
      '{"\\u005f_proto__":{"admin":true},',
      '{"__pr\\u006fto__":{"admin":true},',
      '{"extra":{"a":{"constr\\u0075ctor":1}},',
    ];
    for (const start of spoilt) expectProblem(await sendText(at(), start + body), 400, start);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('refuses a key that stands there twice, which parsers do not agree about', async () => {
    const body = JSON.stringify({ ...at().valid(), ...at().optional }).slice(1);
    const [field] = Object.keys(at().valid());
    const spoilt: Record<string, string> = {
      [`{"${field}":1,`]: `/${field}`,
      [`{"\\u00${field!.charCodeAt(0).toString(16)}${field!.slice(1)}":1,`]: `/${field}`,
      '{"extra":"\\u0000","extra":1,': '/extra',
      '{"extra":[{"a/b":1,"c":[],"a/b":1}],': '/extra/0/a~1b',
    };
    for (const [start, pointer] of Object.entries(spoilt))
      expectInvalid(await sendText(at(), start + body), pointer, start);
  });

  it('refuses what is nested too deeply, and what is too large, without reading on', async () => {
    const body = JSON.stringify(at().valid()).slice(1);
    for (const depth of [40, 1_000, 15_000]) {
      const deep = `{"extra":${'['.repeat(depth)}${']'.repeat(depth)},${body}`;
      expectProblem(await sendText(at(), deep), 400, `${depth} levels`);
      expectProblem(await sendText(at(), `{"extra":${'{"a":'.repeat(depth / 5)}1`), 400, 'unclosed');
    }
    for (const size of [65_537, 200_000]) {
      const large = `{"extra":"${'x'.repeat(size - body.length - 12)}",${body}`;
      const answer = await sendText(at(), large);
      expectProblem(answer, 413, `${size} bytes`);
      expect(answer.body.code).toBe('request.too_large');
    }
  });

  it('refuses other content types', async () => {
    const text = JSON.stringify(at().valid());
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
      'x',
    ];
    for (const type of types) {
      const answer = await sendText(at(), text, { 'Content-Type': type });
      expectProblem(answer, 415, type);
      expect(answer.body.code, type).toBe('request.unsupported_media_type');
    }
    const compressed = await sendText(at(), text.replace('{', '\u001f\ufffd{'), {
      'Content-Encoding': 'gzip',
    });
    expectProblem(compressed, 415, 'gzip');
  });

  it('refuses fields that it does not know, or ignores them where a newer phone may send them', async () => {
    // The last ones are names that every object in JavaScript has.
    for (const extra of ['unknown', 'ID', 'status', 'a/b~c', '', 'toString', 'valueOf', '__defineGetter__']) {
      const answer = await send(at(), { ...at().valid(), [extra]: 1 });
      if (at().tolerant === true) expectAnswered(answer, extra);
      else expectInvalid(answer, `/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}`, extra);
    }
  });

  it('answers each field with anything in it, and never with a 5xx', async () => {
    const strange: unknown[] = [
      ...[null, true, false, 0, -0, -1, 1.5, 1e-7, 1e21, 1e308, Number.MAX_SAFE_INTEGER + 2],
      ...[
        '',
        ' ',
        '\n',
        '0',
        '-1',
        '1e3',
        'null',
        'true',
        'x',
        '../..',
        '%00',
        '${x}',
        "';--",
        '<b>',
        '\u202e\ufeff',
      ],
      ...['x'.repeat(10_000), '😀'.repeat(2_000), '٠١٢٣', '２０２６', '2026-02-31T00:00:00Z'],
      ...[
        [],
        ['x'],
        [[]],
        [null],
        {},
        { length: 1 },
        { $ne: null },
        { toString: 'x' },
        { then: 1 },
        { valueOf: null },
      ],
    ];
    const complete = { ...at().valid(), ...at().optional };
    const requests = Object.keys(complete).flatMap((field) =>
      strange.map((value) => ({ what: `${field}: ${shown(value)}`, body: { ...complete, [field]: value } })),
    );
    await inTurns(requests, async ({ what, body }) =>
      expectAnswered(await send(at(), { ...body, ...freshIds(at(), body) }), what),
    );
    const huge = JSON.stringify(complete).replace(/:(\d+)/, ':1e999');
    expectAnswered(await sendText(at(), huge), huge);
    await expectAlive();
  });

  it('refuses each field with a wrong type, and says where', async () => {
    const complete = { ...at().valid(), ...at().optional };
    for (const [field, value] of Object.entries(complete)) {
      for (const wrong of wrongTypesFor(value)) {
        const answer = await send(at(), { ...complete, [field]: wrong });
        const what = `${field}: ${shown(wrong)}`;
        expectProblem(answer, 400, what);
        const pointers = (answer.body.errors ?? []).map(({ pointer }) => pointer);
        expect(
          pointers.some((pointer) => pointer.startsWith(pathTo(field))),
          `${what} → ${answer.text}`,
        ).toBe(true);
      }
    }
  });

  it('refuses a body that lacks what is required, and names it', async () => {
    if (at().needsNothing === true) return;
    for (const field of Object.keys(at().valid())) {
      if (name === 'simulate a receipt' && ['storeId', 'type'].includes(field)) continue;
      const { [field]: _left, ...rest } = at().valid();
      const answer = await send(at(), rest);
      expectInvalid(answer, name === 'submit a TrxID' ? '' : pathTo(field), `without ${field}`);
    }
  });
});

/** What would otherwise be the second of its kind. */
function freshIds(endpoint: Endpoint, body: Record<string, unknown>): Record<string, unknown> {
  const { trxId, email } = endpoint.valid();
  return {
    ...(typeof body['trxId'] === 'string' && /^TX/.test(body['trxId']) ? { trxId } : {}),
    ...(typeof body['email'] === 'string' && /^person/.test(body['email']) ? { email } : {}),
  };
}

function wrongTypesFor(value: unknown): unknown[] {
  if (typeof value === 'number') return ['1', `${value}`, true, [value], { value }];
  if (typeof value === 'string') return [1, true, [value], { value }, ['a', 'b']];
  if (typeof value === 'boolean') return ['true', 1, 'on', [value], {}];
  if (Array.isArray(value)) return ['x', 1, true, { 0: 'x', length: 1 }];
  // Null stands for an address or a text.
  return value === null ? [1, true, ['x'], {}] : ['x', 1, true, [value]];
}

describe('what is wrong in several ways', () => {
  it.each([
    ['forward a receipt', '/app', 'must be a string'],
    [
      'replay deliveries',
      '/since',
      'must be an ISO 8601 time with its zone, such as 2026-11-21T08:20:09.123Z',
    ],
    ['create a user', '/name', 'must not be empty'],
  ] as const)('is said once for each place: %s', async (name, pointer, detail) => {
    const { errors } = (await send(endpoints[name], {})).body;
    expect(errors?.filter((error) => error.pointer === pointer)).toEqual([{ pointer, detail }]);
    expect(new Set(errors?.map((error) => error.pointer)).size).toBe(errors?.length);
  });
});

describe('null', () => {
  it.each([
    ['create a store', ['currency', 'signWith', 'wallets', 'ownerId']],
    ['change a store', ['name', 'currency', 'signWith', 'wallets', 'simulationEnabled']],
    ['approve', ['seen']],
    ['replay deliveries', ['until', 'only']],
    ['change a user', ['name', 'role', 'active']],
  ] as const)('is refused where the document has none: %s', async (name, fields) => {
    const endpoint = endpoints[name];
    for (const field of fields)
      expectInvalid(await send(endpoint, { ...endpoint.valid(), [field]: null }), `/${field}`, field);
  });

  it('is refused within a wallet, where it has no meaning', async () => {
    const wallet = (more: object) => ({ name: 'Wallets', wallets: [{ provider: 'bkash', ...more }] });
    const endpoint = endpoints['create a store'];
    for (const field of ['accountType', 'enabled'])
      expectInvalid(await send(endpoint, wallet({ [field]: null })), `/wallets/0/${field}`, field);
    expectInvalid(await send(endpoint, wallet({ toString: 1 })), '/wallets/0/toString', 'toString');
    expect((await send(endpoint, wallet({ number: null, qrPayload: null }))).status).toBe(201);
  });
});

describe('a product', () => {
  it('keeps names of its own, also those that every object has', async () => {
    const products = [{ name: 'a', quantity: 1, price: 1, toString: 'x', valueOf: { hasOwnProperty: 1 } }];
    const created = await shop.create({ products });
    const kept = (await shop.get(created.id)) as unknown as { products: unknown };
    expect(kept.products).toEqual(products);
  });

  it.each([
    ['"price":-500,"price":1', 'price'],
    ['"name":"\\u0000","price":1', 'name'],
    ['"price":1,"x":{"\\ud800":1},"x":1', 'x'],
  ])('hides nothing behind a key that stands there twice: %s', async (members, key) => {
    const text = `{"amount":5,"products":[{"name":"a","quantity":1,${members}}]}`;
    expectInvalid(await sendText(endpoints['create a payment'], text), `/products/0/${key}`, text);
  });
});

/** Operations of the document under `/api/v1`, with what lets us in. Ids but the store's name nothing. */
async function operations(): Promise<
  { method: string; path: string; headers: Headers; hasBody: boolean; hasQuery: boolean }[]
> {
  const admin = await shop.admin();
  const { paths } = JSON.parse(readFileSync('test/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { requestBody?: object; parameters?: { in: string }[] }>>;
  };
  return Object.entries(paths).flatMap(([pattern, of]) => {
    if (!pattern.startsWith('/api/v1/')) return [];
    const path = pattern
      .replace('{storeId}', shop.store.id)
      .replace(/\{\w+\}/g, '0193b3a0-7c00-7000-8000-000000000001');
    const isUsers = /^\/api\/v1\/(?:stores|users|auth|audit-log|sms)/.test(pattern);
    return Object.entries(of).map(([method, { requestBody, parameters = [] }]) => ({
      ...{ method: method.toUpperCase(), path, headers: isUsers ? admin : shop.store.key },
      hasBody: requestBody !== undefined,
      hasQuery: parameters.some((parameter) => parameter.in === 'query'),
    }));
  });
}

describe('an address that takes no body', () => {
  it('refuses fields, and takes what says nothing', async () => {
    const { key } = shop.store;
    const { id } = await shop.create();
    const routes = (await operations()).filter(({ method, hasBody }) => method !== 'GET' && !hasBody);
    expect(routes.length).toBeGreaterThan(12);
    routes.push({
      method: 'POST',
      path: `/api/v1/payments/${id}/cancel`,
      headers: key,
      hasBody: true,
      hasQuery: false,
    });
    for (const { method, path, headers } of routes) {
      for (const [text, pointer] of [
        ['{"reason":"a typo"}', '/reason'],
        ['{"toString":1}', '/toString'],
        ['"null"', ''],
        ['[]', ''],
      ] as const) {
        const answer = await shop.http.request<Problem>(method, path, { headers, text });
        expectInvalid(answer, pointer, `${method} ${path} ${text}`);
      }
    }
    // Some clients write null where they were given nothing.
    for (const text of ['{}', 'null', '']) {
      const other = await shop.create();
      const path = `/api/v1/payments/${other.id}/cancel`;
      const answer = await shop.http.request('POST', path, {
        headers: { ...key, 'Content-Type': 'application/json' },
        text,
      });
      expect(answer.status, text).toBe(200);
    }
  });
});

describe('the amount', () => {
  const create = (amount: string) => sendText(endpoints['create a payment'], `{"amount":${amount}}`);

  it.each([
    '0',
    '-0',
    '-1',
    '0.001',
    '10.555',
    '0.30000000000000004',
    '99999999.991',
    '100000000',
    '1e-9',
    '1e400',
  ])('is never %s', async (amount) => expectInvalid(await create(amount), '/amount', amount));

  it.each([
    ['0.01', 0.01],
    ['10', 10],
    ['10.0', 10],
    ['10.5', 10.5],
    ['1e2', 100],
    ['0.07', 0.07],
    ['1.15', 1.15],
    ['99999999.99', 99_999_999.99],
  ])('may be %s', async (written, amount) => {
    const { status, body } = await create(written);
    expect([status, (body as unknown as { amount: number }).amount]).toEqual([201, amount]);
  });
});

describe('texts', () => {
  const LIMITS: readonly [EndpointName, string, number, (text: string) => Record<string, unknown>][] = [
    ['create a payment', '/customerName', 200, (customerName) => ({ customerName })],
    ['create a payment', '/customerPhone', 32, (customerPhone) => ({ customerPhone })],
    ['create a payment', '/note', 1_000, (note) => ({ note })],
    [
      'create a payment',
      '/products/0/name',
      300,
      (name) => ({ products: [{ name, quantity: 1, price: 0 }] }),
    ],
    ['create a payment', '/metadata/a', 500, (a) => ({ metadata: { a } })],
    ['forward a receipt', '/app', 100, (app) => ({ app })],
    ['forward a receipt', '/counterparty', 64, (counterparty) => ({ counterparty })],
    ['simulate a receipt', '/sender', 64, (sender) => ({ sender })],
    ['heartbeat', '/app', 100, (app) => ({ app })],
    ['create a store', '/name', 200, (name) => ({ name })],
    ['create a store', '/wallets/0/number', 32, (number) => ({ wallets: [{ provider: 'bkash', number }] })],
    ['create a user', '/name', 200, (name) => ({ name })],
    ['approve', '/reason', 500, (reason) => ({ reason })],
    ['reject', '/reason', 500, (reason) => ({ reason })],
    ['match a receipt', '/reason', 500, (reason) => ({ reason })],
  ];

  it.each(LIMITS)(
    '%s: %s has at most %i characters, as people count them',
    async (name, pointer, limit, make) => {
      const endpoint = endpoints[name];
      for (const character of ['x', 'ক', '😀']) {
        const fits = await send(endpoint, { ...endpoint.valid(), ...make(character.repeat(limit)) });
        expect([200, 201, 204, 404, 409], fits.text).toContain(fits.status);
        const tooLong = await send(endpoint, { ...endpoint.valid(), ...make(character.repeat(limit + 1)) });
        expectInvalid(tooLong, pointer, `${limit + 1} times ${character}`);
      }
    },
  );

  it.each(['redirectUrl', 'cancelUrl'])(
    '%s has at most 2,048 characters and leads to a web page',
    async (field) => {
      const endpoint = endpoints['create a payment'];
      const start = 'https://shop.example.com/';
      for (const character of ['x', '😀']) {
        const longest = start + character.repeat(2_048 - start.length);
        const fits = await send(endpoint, { amount: 1, [field]: longest });
        expect([fits.status, (fits.body as unknown as Record<string, unknown>)[field]]).toEqual([
          201,
          longest,
        ]);
        expectInvalid(await send(endpoint, { amount: 1, [field]: `${longest}x` }), `/${field}`, 'too long');
      }
      const refused = [
        ...[
          'javascript:alert(1)',
          'data:text/html,x',
          'ftp://example.com/',
          'file:///etc/passwd',
          '//example.com/',
        ],
        ...[
          '/thanks',
          'example.com',
          'https://',
          'https://exa mple.com/',
          'https://example.com/\n',
          'http://[::1',
          '',
        ],
      ];
      for (const url of refused) {
        expectInvalid(await send(endpoint, { amount: 1, [field]: url }), `/${field}`, url);
      }
    },
  );

  it('in metadata: keys of 40 characters, twenty of them, flat', async () => {
    const endpoint = endpoints['create a payment'];
    const withKeys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
    const create = (metadata: unknown) => send(endpoint, { amount: 1, metadata });
    expect((await create({ ['😀'.repeat(40)]: '😀'.repeat(500), ...withKeys(19) })).status).toBe(201);
    expectInvalid(await create({ ['😀'.repeat(41)]: 1 }), `/metadata/${'😀'.repeat(41)}`, 'key');
    expectInvalid(await create(withKeys(21)), '/metadata', 'keys');
    for (const value of [null, {}, [], ['x']]) {
      expectInvalid(await create({ 'a/b': value }), '/metadata/a~1b', shown(value));
    }
    for (const metadata of ['x', 1, true, [], [{ a: 1 }]]) {
      expectInvalid(await create(metadata), '/metadata', shown(metadata));
    }
  });
});

describe('products', () => {
  const item = { name: 'a', quantity: 1, price: 1 };

  it.each([
    ['/products', { name: 'a' }],
    ['/products', Array.from({ length: 101 }, () => item)],
    ['/products/0', [null]],
    ['/products/0', [[]]],
    ['/products/1', [item, 'a']],
    ['/products/0/name', [{ ...item, name: 1 }]],
    ['/products/0/name', [{ quantity: 1, price: 1 }]],
    ['/products/2/quantity', [item, item, { ...item, quantity: 0 }]],
    ['/products/0/quantity', [{ ...item, quantity: 1.5 }]],
    ['/products/0/quantity', [{ ...item, quantity: '1' }]],
    ['/products/0/quantity', [{ ...item, quantity: -1 }]],
    ['/products/0/quantity', [{ ...item, quantity: 2 ** 53 }]],
    ['/products/0/price', [{ ...item, price: -0.01 }]],
    ['/products/0/price', [{ ...item, price: '1' }]],
    ['/products/0/price', [{ ...item, price: null }]],
    ['/products/0/price', [{ ...item, price: 1e9 }]],
  ])('are refused at %s', async (pointer, products) => {
    const answer = await send(endpoints['create a payment'], { amount: 1, products });
    expectInvalid(answer, pointer, shown(products));
  });

  it('may cost nothing and be a hundred', async () => {
    const products = Array.from({ length: 100 }, () => ({ ...item, price: 0 }));
    expect((await send(endpoints['create a payment'], { amount: 1, products })).status).toBe(201);
  });
});

describe('other fields of a payment', () => {
  it.each([
    ['currency', ['bdt', 'BD', 'BDTT', 'XXQ', '', 'B\u0000T', 'ＢＤＴ']],
    ['provider', ['b', 'bKash', 'x'.repeat(21), 'bkash ', 'b-kash', 'বিকাশ', '']],
    ['expiresInSeconds', [59, 30 * 86_400 + 1, 60.5, -60, '600', 1e21]],
  ])('%s is checked', async (field, values) => {
    for (const value of values) {
      const answer = await send(endpoints['create a payment'], { amount: 1, [field]: value });
      expectInvalid(answer, `/${field}`, shown(value));
    }
  });

  it('have edges that belong to them', async () => {
    for (const body of [
      { expiresInSeconds: 60 },
      { expiresInSeconds: 30 * 86_400 },
      { provider: 'a_' },
      { provider: 'x'.repeat(20) },
    ]) {
      expect((await send(endpoints['create a payment'], { amount: 1, ...body })).status).toBe(201);
    }
  });
});

describe('a time', () => {
  const receive = (receivedAt: unknown) =>
    shop.receipt({ trxId: newTrxId(), receivedAt }) as Promise<unknown>;

  it('that is no instant is refused', async () => {
    const wrong: unknown[] = [
      ...[
        '2026-02-31T00:00:00Z',
        '2025-02-29T00:00:00Z',
        '2026-04-31T12:00:00+06:00',
        '2026-13-01T00:00:00Z',
      ],
      ...['2026-00-10T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2026-01-01T25:00:00Z'],
      ...[
        '2026-01-01T00:60:00Z',
        '2026-01-01T00:00:61Z',
        '2026-01-01T00:00:00+25:00',
        '2026-01-01T00:00:00+06:60',
      ],
      ...[
        '2026-01-01',
        '2026-01-01T00:00:00',
        '21/11/2026 08:20',
        '1767225600',
        1_767_225_600_000,
        'now',
        '',
      ],
      ...[
        '0000-12-31T23:59:59Z',
        '10000-01-01T00:00:00Z',
        '0001-01-01T00:00:00+06:00',
        '+002026-01-01T00:00:00Z',
      ],
      ...[
        '2026-11-21T08:20:09.123Z\n',
        ' 2026-11-21T08:20:09Z',
        '2026-11-21 08:20:09Z',
        '2026-W47-6T00:00:00Z',
      ],
      ...['২০২৬-১১-২১T০৮:২০:০৯Z', '2026-11-21T08:20:09.1234567890Z', null, {}, ['2026-11-21T08:20:09Z']],
    ];
    for (const receivedAt of wrong) {
      const answer = (await receive(receivedAt)) as HttpAnswer<Problem>;
      expectInvalid(answer, '/receivedAt', shown(receivedAt));
    }
  });

  it('is taken with any zone and fraction, and kept to the millisecond', async () => {
    const right: Record<string, string> = {
      '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
      '2026-11-21T14:20:09+06:00': '2026-11-21T08:20:09.000Z',
      '2026-11-21T14:20:09.1+0600': '2026-11-21T08:20:09.100Z',
      '2026-11-21T08:20Z': '2026-11-21T08:20:00.000Z',
      '2026-11-21T08:20:09.123456789Z': '2026-11-21T08:20:09.123Z',
      '2026-12-31T23:59:59-12:00': '2027-01-01T11:59:59.000Z',
      // A phone whose clock has stopped, and one whose clock is wrong: there is no age limit (contract 6.13).
      '1970-01-01T00:05:00Z': '1970-01-01T00:05:00.000Z',
      '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59Z': '9999-12-31T23:59:59.000Z',
    };
    for (const [written, kept] of Object.entries(right)) {
      const { status, body } = await shop.receipt({ trxId: newTrxId(), receivedAt: written });
      expect(status, written).toBe(200);
      const receipt = (await shop.receiptOf(body.receiptId)) as unknown as { receivedAt: string };
      expect(receipt.receivedAt).toBe(kept);
    }
  });
});

describe('a TrxID', () => {
  it.each(['abc', 'x'.repeat(65), 'AB CD!', 'ТХ12345', 'TX/12', 'TX\u200b123', '-', '    '])(
    'is never %s',
    async (trxId) => {
      const { id } = await shop.create();
      const submitted = (await shop.submit(id, { trxId })) as unknown as HttpAnswer<Problem>;
      expectInvalid(submitted, '/trxId', trxId);
      const received = (await shop.receipt({ trxId })) as unknown as HttpAnswer<Problem>;
      expectInvalid(received, '/trxId', trxId);
    },
  );

  it('may be typed in Bangla digits, or with its label, by a payer; a phone writes it as the wallet does', async () => {
    const { id } = await shop.create();
    const submitted = await shop.submit(id, { trxId: 'TrxID: ১২ab ৩৪৫' });
    expect([submitted.status, (await shop.get(id)).status]).toEqual([202, 'submitted']);
    const received = (await shop.receipt({ trxId: '১২৩৪৫' })) as unknown as HttpAnswer<Problem>;
    expectInvalid(received, '/trxId', 'Bangla digits');
    expect((await shop.receipt({ trxId: '12AB345' })).body).toMatchObject({
      status: 'matched',
      paymentId: id,
    });
  });

  it('is the same however it is spaced and cased', async () => {
    const { id } = await shop.create();
    await shop.receipt({ trxId: ' ab.c- d_1 ' });
    expect((await shop.submit(id, { trxId: '\tAB.C-D_\u00a01\n' })).body.status).toBe('verified');
    expect((await shop.get(id)).trxId).toBe('AB.C-D_1');
  });

  it('or the digits, not both and not neither', async () => {
    const { id } = await shop.create();
    for (const body of [{}, { trxId: null }, { trxId: 'ABCD', last4digit: '0042' }, { provider: 'bkash' }]) {
      const answer = await shop.http.post<Problem>(`/api/v1/payments/public/${id}/verify`, body);
      expectProblem(answer, 400, shown(body));
    }
  });
});

describe('a receipt', () => {
  it.each([
    ['/trxId', { trxId: undefined }],
    ['/trxId', { trxId: '' }],
    ['/provider', { provider: undefined }],
    ['/counterparty', { counterparty: undefined }],
    ['/kind', { kind: '' }],
    ['/app', { app: ' ' }],
    ['/amount', { amount: 0 }],
    ['/last4digit', { last4digit: '42' }],
  ])('without what it needs is refused at %s', async (pointer, change) => {
    const body = receiptBody({ trxId: newTrxId(), ...change }, service.clock.now());
    expectInvalid(await send(endpoints['forward a receipt'], body), pointer, shown(change));
  });

  it.each(['bkash', 'nagad', 'rocket', 'upay', 'qr'])(
    'of %s is in BDT, whatever the currency of the store is',
    async (provider) => {
      const dollars = await service.openShop({ currency: 'USD' });
      const receipt = { provider, trxId: newTrxId() };
      const { status, body } = await dollars.receipt({ ...receipt, currency: 'USD' });
      const { errors } = body as unknown as Problem;
      expect([status, errors?.map(({ pointer }) => pointer)]).toEqual([400, ['/currency']]);
      const taken = await dollars.receipt(receipt);
      expect((await dollars.receiptOf(taken.body.receiptId)) as unknown).toMatchObject({ currency: 'BDT' });
    },
  );

  it('that is simulated has the instant of its request', async () => {
    const { body } = await shop.simulate({ trxId: newTrxId() });
    const receivedAt = service.clock.isoIn(0);
    expect((await shop.receiptOf(body.receiptId)) as unknown).toMatchObject({ receivedAt, currency: 'BDT' });
  });

  it('of another kind needs less, and is kept as it came', async () => {
    const raw =
      '{"app":"a","kind":"sent","amount":5,"receivedAt":"2026-11-21T08:20:09Z","battery":{"level":0.50},"10":1}';
    const answer = await sendText(endpoints['forward a receipt'], raw);
    const { receiptId, status } = answer.body as unknown as { receiptId: string; status: string };
    expect([answer.status, status]).toEqual([200, 'ignored']);
    expect((await shop.receiptOf(receiptId)) as unknown).toMatchObject({ status: 'ignored', raw });
  });

  it('keeps a balance that it cannot read with the raw body, and is counted all the same', async () => {
    for (const balance of [-5, 0, 0.001, 1e12]) {
      const { status, body } = await shop.receipt({ trxId: newTrxId(), balance });
      expect([status, body.status]).toEqual([200, 'unmatched']);
    }
  });
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
    const routes = (await operations()).filter(({ hasQuery }) => !hasQuery);
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
    await expectAlive();
  });
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
    await expectAlive();
  });

  it('in requests that are no HTTP are refused, and the connection is closed', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      'POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const answer = await sendBytes(shop.http.url, bytes);
      expect(answer.slice(0, 13), JSON.stringify(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    await expectAlive();
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
