import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OpenApiDocument,
  type Operation,
  operationsOf,
  referencesIn,
  resolveReference,
  type Schema,
  schemaProblems,
} from '../support/openapi.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../support/test-app.js';

/*
 * Rules: contract 1.3, 1.26, 1.38, 2.2, 8.29 to 8.31.
 *
 * Goal: test/openapi.json is true, whole and usable: what is mounted is in it, what is in it is mounted, its
 * references and examples hold, and its example requests are taken by the real service.
 */

const kept = readFileSync('test/openapi.json', 'utf8');
const document = JSON.parse(kept) as OpenApiDocument;
const operations = operationsOf(document);

/** The contract (specification §4, contract 2.1 and 8.30), written down here so that nothing disappears unseen. */
const CONTRACT: readonly (readonly [methods: string, path: string, security: string | null])[] = [
  ['POST', '/api/v1/auth/login', null],
  ['POST', '/api/v1/auth/refresh', null],
  ['POST', '/api/v1/auth/logout', null],
  ['GET', '/api/v1/auth/me', 'person'],
  ['POST', '/api/v1/auth/password', 'person'],
  ['GET POST', '/api/v1/users', 'person'],
  ['GET PATCH', '/api/v1/users/{id}', 'person'],
  ['GET POST', '/api/v1/stores', 'person'],
  ['GET PATCH DELETE', '/api/v1/stores/{storeId}', 'person'],
  ['POST', '/api/v1/stores/{storeId}/api-key/rotate', 'person'],
  ['GET', '/api/v1/stores/{storeId}/webhook-secret', 'person'],
  ['POST', '/api/v1/stores/{storeId}/webhook-secret/regenerate', 'person'],
  ['GET', '/api/v1/stores/{storeId}/signing-secret', 'person'],
  ['POST', '/api/v1/stores/{storeId}/signing-secret/rotate', 'person'],
  ['GET', '/api/v1/stores/{storeId}/audit-log', 'person'],
  ['GET POST', '/api/v1/stores/{storeId}/members', 'person'],
  ['PATCH DELETE', '/api/v1/stores/{storeId}/members/{userId}', 'person'],
  ['GET POST', '/api/v1/payments', 'apiKey'],
  ['GET', '/api/v1/payments/{id}', 'apiKey'],
  ['POST', '/api/v1/payments/{id}/cancel', 'apiKey'],
  ['GET', '/api/v1/stores/{storeId}/payments', 'person'],
  ['GET', '/api/v1/stores/{storeId}/payments/{id}', 'person'],
  ['POST', '/api/v1/stores/{storeId}/payments/{id}/approve', 'person'],
  ['POST', '/api/v1/stores/{storeId}/payments/{id}/reject', 'person'],
  ['GET POST', '/api/v1/payments/{id}/refunds', 'apiKey'],
  ['GET POST', '/api/v1/stores/{storeId}/payments/{id}/refunds', 'person'],
  ['GET POST', '/api/v1/payment-links', 'apiKey'],
  ['GET PATCH', '/api/v1/payment-links/{id}', 'apiKey'],
  ['GET POST', '/api/v1/stores/{storeId}/payment-links', 'person'],
  ['GET PATCH', '/api/v1/stores/{storeId}/payment-links/{id}', 'person'],
  ['GET POST', '/l/{slug}', null],
  ['GET', '/api/v1/payments/public/{id}', null],
  ['POST', '/api/v1/payments/public/{id}/verify', null],
  ['GET', '/api/v1/payments/public/{id}/events', null],
  ['GET POST', '/pay/{id}', null],
  ['POST', '/api/webhooks/joma', 'webhookSecret'],
  ['POST', '/api/webhooks/joma/heartbeat', 'webhookSecret'],
  ['POST', '/api/webhooks/simulate', 'person'],
  ['GET', '/api/v1/stores/{storeId}/receipts', 'person'],
  ['GET', '/api/v1/stores/{storeId}/receipts/{receiptId}', 'person'],
  ['POST', '/api/v1/stores/{storeId}/receipts/{receiptId}/match', 'person'],
  ['GET', '/api/v1/deliveries', 'apiKey'],
  ['GET', '/api/v1/deliveries/{id}', 'apiKey'],
  ['POST', '/api/v1/deliveries/{id}/redeliver', 'apiKey'],
  ['GET', '/api/v1/stores/{storeId}/deliveries', 'person'],
  ['GET', '/api/v1/stores/{storeId}/deliveries/{id}', 'person'],
  ['POST', '/api/v1/stores/{storeId}/deliveries/{id}/redeliver', 'person'],
  ['POST', '/api/v1/stores/{storeId}/webhook/test', 'person'],
  ['GET', '/api/v1/events', 'apiKey'],
  ['GET', '/health/live', null],
  ['GET', '/health/ready', null],
  ['GET', '/metrics', null],
];

/**
 * Mounted, and left out of the document on purpose: the document itself, its page, and what the checkout page loads.
 */
const UNDOCUMENTED =
  /^(?:\/$|\/dashboard(?:\/|$)|\/api\/docs(?:\/|$)|\/(?:pay|l)\/assets\/|\/(?:pay\/\{id\}|l\/\{slug\})\/\*$)/;

let service: TestApp;
let admin: { Authorization: string };
let store: TestStore;

beforeAll(async () => {
  service = await startTestApp();
  admin = await signIn(service.http);
  store = await createStore(service.http, admin);
});
afterAll(() => service.close());

/** Every method and path the server really knows, out of the tree its router prints. */
function mountedRoutes(): string[] {
  const fastify: { printRoutes(): string } = service.app.getHttpAdapter().getInstance();
  const parents: string[] = [];
  return fastify
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] =
        /^((?:[│ ] {3})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4;
      parents.splice(depth, Infinity, part);
      const path = parents.join('').replace(/:(\w+)/g, '{$1}');
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'HEAD')
        .map((method) => `${method} ${path}`);
    });
}

describe('the document', () => {
  it('is the one that the service gives', async () => {
    const served = await service.http.get('/api/docs/openapi.json');
    expect(served.status).toBe(200);
    expect(`${JSON.stringify(JSON.parse(served.text), null, 2)}\n`, 'run: npm run openapi').toBe(kept);
  });

  it('is OpenAPI 3.1, with a title, a version and described tags', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({ title: 'Joma', version: expect.stringMatching(/^\d/) as string });
    for (const tag of document.tags) expect(tag.description, tag.name).toMatch(/\.$/);
  });

  it('holds the whole contract, each with its credential', () => {
    for (const [methods, path, security] of CONTRACT) {
      for (const method of methods.split(' ')) {
        const operation = document.paths[path]?.[method.toLowerCase()];
        expect(operation, `${method} ${path}`).toBeDefined();
        const ways = (operation?.security ?? [{ forgotten: [] }]).flatMap((way) => Object.keys(way));
        if (security === null) expect(ways, `${method} ${path}`).toEqual([]);
        else expect(ways, `${method} ${path}`).toContain(security);
      }
    }
  });

  it('asks for no credential only where the contract says so', () => {
    const open = new Set(
      CONTRACT.filter(([, , security]) => security === null).flatMap(([methods, path]) =>
        methods.split(' ').map((method) => `${method} ${path}`),
      ),
    );
    const wrong = operations.filter(
      ({ name, operation }) => operation.security?.length === 0 && !open.has(name),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('matches what is mounted', () => {
    const mounted = mountedRoutes().filter((route) => !UNDOCUMENTED.test(route.split(' ')[1] ?? ''));
    expect(mounted.sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  it('has only references to what is there', () => {
    const references = [...new Set(referencesIn(document))];
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => resolveReference(document, reference) === undefined)).toEqual([]);
  });
});

describe('every operation', () => {
  it('has an id of its own, a summary and a described tag', () => {
    const all = [...operations.map(({ operation }) => operation), ...webhookOperations()];
    const ids = all.map(({ operationId }) => operationId ?? '');
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
    const tags = document.tags.map(({ name }) => name);
    for (const { operationId, summary, tags: own = [] } of all) {
      expect(summary, operationId).toMatch(/\S/);
      expect(own.length, operationId).toBe(1);
      expect(tags, operationId).toEqual(expect.arrayContaining([...own]));
    }
  });

  it('says which credential it wants, and only ones that are described', () => {
    for (const { name, operation } of operations) {
      expect(operation.security, name).toBeDefined();
      for (const way of operation.security ?? []) {
        for (const scheme of Object.keys(way)) {
          expect(document.components.securitySchemes, name).toHaveProperty(scheme);
        }
      }
    }
  });

  it('describes the parameters of its path, and no others', () => {
    for (const { name, path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(inPath.map((parameter) => parameter.name).sort(), name).toEqual(wanted.sort());
      for (const { name: parameter, schema } of inPath)
        expect(schema?.format, name).toBe(parameter === 'slug' ? undefined : 'uuid');
    }
  });

  it('describes every answer, and errors as problem details', () => {
    for (const { name, path, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const found = response.$ref === undefined ? response : resolved(response.$ref);
        expect(found.description, `${name} ${status}`).toMatch(/\S/);
        expect(found.headers, `${name} ${status}`).toHaveProperty('X-Request-Id');
        if (!path.startsWith('/api/') || Number(status) < 400) continue;
        const [[mediaType, content] = ['', {}], ...others] = Object.entries(found.content ?? {});
        expect([mediaType, others], `${name} ${status}`).toEqual(['application/problem+json', []]);
        expect(content.schema?.$ref, `${name} ${status}`).toBe('#/components/schemas/ProblemView');
      }
    }
  });

  it('names what can go wrong with its credential, its body and our side', () => {
    for (const { name, path, operation } of operations) {
      if (!path.startsWith('/api/')) continue;
      const statuses = Object.keys(operation.responses);
      if ((operation.security ?? []).length > 0) expect(statuses, name).toContain('401');
      if (operation.requestBody !== undefined) {
        expect(statuses, name).toEqual(expect.arrayContaining(['400', '413', '415']));
      }
      expect(statuses, name).toEqual(expect.arrayContaining(['500', '503']));
    }
  });

  it('gives examples of errors that have the status they stand under', () => {
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const examples = response.content?.['application/problem+json']?.examples ?? {};
        for (const [code, { $ref = '' }] of Object.entries(examples)) {
          const { value } = resolved($ref) as unknown as { value: { status: number } };
          expect(value.status, `${name}: ${code}`).toBe(Number(status));
        }
      }
    }
  });
});

describe('what the headers say', () => {
  const CHALLENGES: Readonly<Record<string, string>> = {
    person: 'Bearer realm="joma"',
    apiKey: 'ApiKey realm="joma"',
    webhookSecret: 'WebhookSecret realm="joma"',
  };
  const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55');
  const answerOf = (on: TestApp, name: string, path: string, headers: Record<string, string> = {}) => {
    const [method = ''] = name.split(' ');
    return on.http.request(method, pathOf(path), {
      headers,
      ...(method === 'GET' ? {} : { body: { refreshToken: 'x' } }),
    });
  };

  it('is the challenge of the credential that each operation wants, in the document and in truth', async () => {
    let asked = 0;
    for (const { name, path, operation } of operations) {
      const [way] = (operation.security ?? []).flatMap((ways) => Object.keys(ways));
      if (way === undefined) continue;
      asked += 1;
      expect(operation.responses['401']?.headers, name).toHaveProperty('WWW-Authenticate');
      const wrong = {
        Authorization: 'Bearer a.b.c',
        'X-Api-Key': 'joma_sk_x',
        'X-Webhook-Secret': 'joma_wh_x',
      };
      for (const headers of [{}, wrong]) {
        const answer = await answerOf(service, name, path, headers);
        expect([answer.status, answer.headers.get('www-authenticate')], name).toEqual([401, CHALLENGES[way]]);
      }
    }
    expect(asked).toBeGreaterThan(30);
  });

  it('is what is left of the limit by address, exactly where the document says so', async () => {
    const limited = await startTestApp({
      database: service.database,
      environment: { RATE_LIMIT_PUBLIC: '1/1m' },
    });
    try {
      const documented: string[] = [];
      for (const { name, path, operation } of operations) {
        if (!path.startsWith('/api/')) continue;
        const answers = [await answerOf(limited, name, path), await answerOf(limited, name, path)];
        const sent = answers.map(({ headers }) => headers.get('ratelimit-limit'));
        const headers = operation.responses['429']?.headers ?? {};
        const isDocumented = Object.hasOwn(headers, 'RateLimit-Remaining');
        expect(sent, name).toEqual(isDocumented ? ['1', '1'] : [null, null]);
        if (!isDocumented) continue;
        documented.push(name);
        expect([answers[1]?.status, answers[1]?.body['code']], name).toEqual([429, 'request.rate_limited']);
        expect(answers[1]?.headers.get('retry-after'), name).toMatch(/^[1-9]\d?$/);
        expect(Object.keys(headers), name).toEqual(
          expect.arrayContaining([
            'RateLimit-Limit',
            'RateLimit-Remaining',
            'RateLimit-Reset',
            'Retry-After',
          ]),
        );
        const [, success] =
          Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
        expect(success?.headers, name).toHaveProperty('RateLimit-Remaining');
      }
      expect(documented).toEqual(
        expect.arrayContaining(['POST /api/v1/auth/refresh', 'GET /api/v1/payments/public/{id}/events']),
      );
    } finally {
      await limited.close();
    }
  });
});

describe('every schema', () => {
  it('says the type of each of its fields', () => {
    const vague = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, field]) => isVague(field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(vague).toEqual([]);
  });

  it('has examples that fit it', () => {
    const problems = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {}).flatMap(([field, property]) =>
        property.example === undefined
          ? []
          : schemaProblems(document, property, property.example, `${name}.${field}`),
      ),
    );
    expect(problems).toEqual([]);
  });

  it('is fitted by the examples of bodies', () => {
    const problems = [...operations.map(({ operation }) => operation), ...webhookOperations()].flatMap(
      ({ operationId, requestBody, responses }) =>
        [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
          .flatMap((content) => Object.values(content ?? {}))
          .flatMap(({ schema, example, examples = {} }) =>
            [
              ...(example === undefined ? [] : [['example', example] as const]),
              ...Object.entries(examples).map(([key, found]) => [key, valueOf(found)] as const),
            ].flatMap(([key, value]) =>
              schemaProblems(document, schema ?? {}, value, `${operationId} ${key}`),
            ),
          ),
    );
    expect(problems).toEqual([]);
  });
});

describe('the example requests', () => {
  it('create and change stores', async () => {
    for (const body of bodiesOf('storesCreate')) {
      expect((await service.http.post('/api/v1/stores', body, admin)).status).toBe(201);
    }
    for (const body of bodiesOf('storeUpdate')) {
      const changed = await service.http.request('PATCH', `/api/v1/stores/${store.id}`, {
        headers: admin,
        body,
      });
      expect(changed.status, changed.text).toBe(200);
    }
  });

  it('create payments', async () => {
    for (const body of bodiesOf('paymentsCreate')) {
      const created = await service.http.post('/api/v1/payments', body, store.key);
      expect(created.status, created.text).toBe(201);
    }
  });

  it('verify a payment when submission and receipt are taken together', async () => {
    const { trxId, qr, simulated } = examplesOf('checkoutVerify');
    const { bkash: receipt, qr: qrReceipt } = examplesOf('phoneReceive');
    const { bkash: simulation, qr: qrSimulation } = examplesOf('simulate');
    const wallets = [{ provider: 'qr', accountType: 'merchant' }];
    const store = await createStore(service.http, admin, { wallets });
    const now = new Date().toISOString();
    const phone = (body: unknown) => service.http.post('/api/webhooks/joma', body, store.phone);
    const simulate = (body: unknown) =>
      service.http.post('/api/webhooks/simulate', { ...(body as object), storeId: store.id }, admin);
    const rounds = [
      [trxId, () => phone({ ...(receipt as object), receivedAt: now })],
      [qr, () => phone({ ...(qrReceipt as object), receivedAt: now })],
      [simulated, () => simulate(simulation)],
      // Other digits: who enters those of a receipt that is taken meets a user.
      [
        { ...(qr as object), last4digit: '0252' },
        () => simulate({ ...(qrSimulation as object), last4digit: '0252' }),
      ],
    ] as const;
    for (const [submission, receive] of rounds) {
      const [order] = bodiesOf('paymentsCreate');
      const { id } = (await service.http.post('/api/v1/payments', order, store.key)).body;
      const submitted = await service.http.post(`/api/v1/payments/public/${String(id)}/verify`, submission);
      expect(submitted.status, submitted.text).toBe(202);
      const received = await receive();
      expect(received.body, received.text).toMatchObject({ status: 'matched', paymentId: id });
    }
  });
});

function webhookOperations(): Operation[] {
  return Object.values(document.webhooks).flatMap((methods) => Object.values(methods));
}

function resolved(reference: string): Operation['responses'][string] {
  return resolveReference(document, reference) as Operation['responses'][string];
}

function valueOf(example: { $ref?: string; value?: unknown }): unknown {
  if (example.$ref === undefined) return example.value;
  return (resolveReference(document, example.$ref) as { value: unknown }).value;
}

/** A field that could hold anything: reflection saw a union, and nobody said better. */
function isVague(field: Schema): boolean {
  if (field.$ref ?? field.anyOf ?? field.oneOf ?? field.allOf) return false;
  if (field.type === undefined) return true;
  const isObject = [field.type].flat().includes('object');
  return isObject && field.properties === undefined && field.additionalProperties === undefined;
}

function examplesOf(operationId: string): Record<string, unknown> {
  const operation = operations.find((found) => found.operation.operationId === operationId)?.operation;
  const examples = operation?.requestBody?.content['application/json']?.examples ?? {};
  return Object.fromEntries(Object.entries(examples).map(([key, { value }]) => [key, value]));
}

function bodiesOf(operationId: string): unknown[] {
  const bodies = Object.values(examplesOf(operationId));
  expect(bodies.length, operationId).toBeGreaterThan(0);
  return bodies;
}
