import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectAlive,
  expectAnswered,
  expectInvalid,
  expectProblem,
  type Headers,
  operationsOf,
  type Problem,
  shown,
} from '../../support/bad-input.js';
import {
  type Endpoint,
  ENDPOINT_NAMES,
  type EndpointName,
  listEndpoints,
} from '../../support/endpoints-with-body.js';
import type { OpenApiDocument } from '../../support/openapi.js';
import { inTurns } from '../../support/in-turns.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { sendRaw } from '../../support/money-raw-http.js';

/*
 * Rules: contract 1.6, 1.11, 1.12, 1.14 to 1.16, 1.19, 1.33 to 1.36, 2.29, 6.3, 6.42, 14.1, 14.4, 14.5, 14.6.
 *
 * Goal: no body that anybody can send is answered with a 5xx; what is wrong is a 4xx problem document with a code and,
 * for 400, pointers to the wrong places (contract 1.36), and the service works on. Method: one table of endpoints with
 * a body that each of them takes, and everything that can be wrong with a body in general and with each of its fields.
 */

const service = useService({ replicas: 1 });
let shop: Shop;
let endpoints: Record<EndpointName, Endpoint>;

beforeAll(async () => {
  shop = await service.openShop();
  endpoints = await listEndpoints(service, shop);
});

const pathTo = (field: string): string => `/${field}`;

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
    const { status, text, body } = await at().send(at().valid());
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
      const answer = await at().sendText(text);
      expectProblem(answer, 400, text);
      expect(answer.body.code, text).toBe('request.malformed_json');
    }
    const other = ['[]', '[{}]', '[[]]', '"text"', '42', 'true', 'false', '""', '0'];
    for (const text of at().mayBeLeftOut === true ? other : ['null', ...other]) {
      expectProblem(await at().sendText(text), 400, text);
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
    for (const start of spoilt) expectProblem(await at().sendText(start + body), 400, start);
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
      expectInvalid(await at().sendText(start + body), pointer, start);
  });

  it('refuses what is nested too deeply, and what is too large, without reading on', async () => {
    const body = JSON.stringify(at().valid()).slice(1);
    for (const depth of [40, 1_000, 15_000]) {
      const deep = `{"extra":${'['.repeat(depth)}${']'.repeat(depth)},${body}`;
      expectProblem(await at().sendText(deep), 400, `${depth} levels`);
      expectProblem(await at().sendText(`{"extra":${'{"a":'.repeat(depth / 5)}1`), 400, 'unclosed');
    }
    for (const size of [65_537, 200_000]) {
      const large = `{"extra":"${'x'.repeat(size - body.length - 12)}",${body}`;
      const answer = await at().sendText(large);
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
      const answer = await at().sendText(text, { 'Content-Type': type });
      expectProblem(answer, 415, type);
      expect(answer.body.code, type).toBe('request.unsupported_media_type');
    }
    const compressed = await at().sendText(text.replace('{', '\u001f\ufffd{'), {
      'Content-Encoding': 'gzip',
    });
    expectProblem(compressed, 415, 'gzip');
  });

  it('refuses fields that it does not know, or ignores them where a newer phone may send them', async () => {
    // The last ones are names that every object in JavaScript has.
    for (const extra of ['unknown', 'ID', 'status', 'a/b~c', '', 'toString', 'valueOf', '__defineGetter__']) {
      const answer = await at().send({ ...at().valid(), [extra]: 1 });
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
      expectAnswered(await at().send({ ...body, ...freshIds(at(), body) }), what),
    );
    const huge = JSON.stringify(complete).replace(/:(\d+)/, ':1e999');
    expectAnswered(await at().sendText(huge), huge);
    await expectAlive(shop);
  });

  it('refuses each field with a wrong type, and says where', async () => {
    const complete = { ...at().valid(), ...at().optional };
    for (const [field, value] of Object.entries(complete)) {
      for (const wrong of wrongTypesFor(value)) {
        const answer = await at().send({ ...complete, [field]: wrong });
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
      const answer = await at().send(rest);
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
    const { errors } = (await endpoints[name].send({})).body;
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
      expectInvalid(await endpoint.send({ ...endpoint.valid(), [field]: null }), `/${field}`, field);
  });

  it('is refused within a wallet, where it has no meaning', async () => {
    const wallet = (more: object) => ({ name: 'Wallets', wallets: [{ provider: 'bkash', ...more }] });
    const endpoint = endpoints['create a store'];
    for (const field of ['accountType', 'enabled'])
      expectInvalid(await endpoint.send(wallet({ [field]: null })), `/wallets/0/${field}`, field);
    expectInvalid(await endpoint.send(wallet({ toString: 1 })), '/wallets/0/toString', 'toString');
    expect((await endpoint.send(wallet({ number: null, qrPayload: null }))).status).toBe(201);
  });
});

describe('an address that takes no body', () => {
  it('refuses fields, and takes what says nothing', async () => {
    const { key } = shop.store;
    const { id } = await shop.create();
    const routes = (await operationsOf(shop)).filter(({ method, hasBody }) => method !== 'GET' && !hasBody);
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
