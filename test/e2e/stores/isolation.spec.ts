import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { eventually } from '../../support/eventually.js';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { createStore, signIn, startTestApp, type TestApp, type TestStore } from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 1.36, 2.1, 2.8, 2.31, 6.4.
 *
 * Goal: nobody reaches what is somebody else's, on any route there is or will be (contract 1.36 and 2.8). Method:
 * every operation of the OpenAPI document is called with the body its own example shows and with ids of things that
 * really exist, first without a credential, then with each wrong kind of it, then with a stranger's. A route that the
 * document does not know, a public one and a parameter that are not listed here fail: whoever adds one decides what
 * it is.
 */

/** What takes no credential, and why that is right. */
const PUBLIC: Readonly<Record<string, string>> = {
  'POST /api/v1/auth/login': 'the credential is in the body',
  'POST /api/v1/auth/refresh': 'the credential is in the body',
  'POST /api/v1/auth/logout': 'the credential is in the body',
  'GET /api/v1/payments/public/{id}': 'the payment id is the capability (contract 2.1)',
  'POST /api/v1/payments/public/{id}/verify': 'the payment id is the capability (contract 2.1)',
  'GET /api/v1/payments/public/{id}/events': 'the payment id is the capability (contract 2.1)',
  'GET /pay/{id}': 'the page of a payment, for whoever has its id',
  'POST /pay/{id}': 'the same page without scripts',
  'GET /l/{slug}': 'the page of a payment link, for whoever has it',
  'POST /l/{slug}': 'pays through it',
  'GET /health/live': 'says that the process lives',
  'GET /health/ready': 'says whether it can work',
  'GET /metrics': 'counts only; the operator keeps it inside the network',
};

/** What may be served beside the document. Patterns as Fastify writes them, without HEAD. */
const UNDOCUMENTED: readonly RegExp[] = [
  /^GET \/$/,
  /^(GET|POST) \/pay\/:id$/,
  // Only leads to the one above, or to a page that says there is nothing.
  /^GET \/pay\/:id\/?\*$/,
  /^GET \/l\/:slug\/?\*$/,
  /^GET \/(pay|l)\/assets\/.+$/,
  /^GET \/api\/docs($|\/|-)/,
  // The dashboard is no API: `dashboard-routes.spec` tries each of its routes, out of what is registered.
  /^(GET|POST) \/dashboard(\/|\*|$)/,
  // Preflights; `public-cors` answers them before any route does.
  /^OPTIONS \*$/,
];

const CUSTOMER_PHONE = '01712345678';
const TRX_ID = 'ISOLATION01';
const PASSWORD = 'nine quiet rivers';

interface Schemed {
  readonly in: string;
  readonly name: string;
}

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Schemed[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { examples?: Record<string, { value?: unknown }>; schema?: { $ref?: string } }>
    >;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties?: Record<string, { example?: unknown }> }>>;
  };
}

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly schemes: readonly string[];
  /** What the document shows as a right body; undefined without one. */
  readonly example: unknown;
}

/** Somebody with a store, and with one of everything in it. */
interface Merchant {
  readonly userId: string;
  readonly user: { Authorization: string };
  readonly store: TestStore;
  readonly paymentId: string;
  readonly receiptId: string;
  readonly deliveryId: string;
  readonly replayId: string;
  readonly eventId: string;
  readonly linkId: string;
  readonly sessionId: string;
  readonly messageId: string;
}

let app: TestApp;
let receiver: MerchantReceiver;
let admin: { Authorization: string };
let owner: Merchant;
let stranger: Merchant;
let routes: readonly Route[];

beforeAll(async () => {
  receiver = await startMerchantReceiver();
  app = await startTestApp();
  admin = await signIn(app.http);
  owner = await merchant('owner@example.com');
  stranger = await merchant('stranger@example.com');
  routes = await documentedRoutes();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

async function documentedRoutes(): Promise<Route[]> {
  const { body } = await app.http.get<Document>('/api/docs/openapi.json');
  return Object.entries(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      schemes: [...new Set((operation.security ?? []).flatMap((scheme) => Object.keys(scheme)))],
      example: exampleOf(body, operation),
    })),
  );
}

/** The first example of the body, else the examples of its fields. */
function exampleOf(document: Document, { requestBody }: Operation): unknown {
  const content = requestBody?.content['application/json'];
  if (content === undefined) return undefined;
  const [whole] = Object.values(content.examples ?? {});
  if (whole !== undefined) return whole.value;
  const { properties = {} } = document.components.schemas[content.schema?.$ref?.split('/').pop() ?? ''] ?? {};
  return Object.fromEntries(Object.entries(properties).map(([field, { example }]) => [field, example]));
}

async function created(path: string, body: unknown, headers: Record<string, string>): Promise<string> {
  const answer = await app.http.post<{ id: string }>(path, body, headers);
  expect([answer.status, path]).toEqual([201, path]);
  return answer.body.id;
}

async function merchant(email: string): Promise<Merchant> {
  const account = { email, password: PASSWORD, name: `${email} name`, role: 'merchant' };
  const userId = await created('/api/v1/users', account, admin);
  const user = await signIn(app.http, email, PASSWORD);
  const store = await createStore(app.http, user, { name: `${email} store`, webhookUrl: receiver.url });
  const payment = { amount: 100, customerPhone: CUSTOMER_PHONE, note: `${email} note` };
  const paymentId = await created('/api/v1/payments', payment, store.key);
  await app.http.post(`/api/v1/payments/public/${paymentId}/verify`, { trxId: TRX_ID });
  const received = await app.http.post<{ receiptId: string; status: string }>(
    '/api/webhooks/joma',
    receiptBody({ trxId: TRX_ID, amount: 100, counterparty: CUSTOMER_PHONE }),
    store.phone,
  );
  expect(received.body.status).toBe('matched');
  const deliveries = await eventually(
    async () =>
      (await app.http.get<{ data: { id: string; status: string }[] }>('/api/v1/deliveries', store.key)).body
        .data,
    ([delivery]) => delivery?.status === 'delivered',
    'the delivery',
  );
  const events = await app.http.get<{ data: { id: string }[] }>('/api/v1/events', store.key);
  const deliveryId = deliveries[0]?.id ?? '';
  // Of a day without deliveries: what is asked for here must not send anything again.
  const range = { since: '2020-01-01T00:00:00.000Z', until: '2020-01-02T00:00:00.000Z' };
  const replayed = await app.http.post<{ id: string }>(
    `/api/v1/stores/${store.id}/deliveries/replay`,
    range,
    user,
  );
  expect(replayed.status).toBe(202);
  const eventId = events.body.data[0]?.id ?? '';
  const { receiptId } = received.body;
  const linkId = await created('/api/v1/payment-links', { title: `${email} link`, amount: 5 }, store.key);
  await created(`/api/v1/payments/${paymentId}/refunds`, { amount: 1 }, store.key);
  const replayId = replayed.body.id;
  const sessions = await app.http.get<{ data: { id: string }[] }>('/api/v1/auth/sessions', user);
  const sessionId = sessions.body.data[0]?.id ?? '';
  const text = await app.http.post<{ messageId: string }>(
    '/api/webhooks/joma/sms',
    { from: 'bKash', text: `A text that no rule knows, for ${email}.` },
    store.phone,
  );
  const { messageId } = text.body;
  for (const id of [sessionId, messageId]) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const own = { userId, user, store, paymentId, receiptId, deliveryId, replayId, eventId, linkId };
  return { ...own, sessionId, messageId };
}

/** Everything of a merchant that must not stand in a stranger's answer. */
const marksOf = ({
  userId,
  store,
  paymentId,
  receiptId,
  deliveryId,
  replayId,
  eventId,
  linkId,
  sessionId,
  messageId,
}: Merchant) => [
  replayId,
  linkId,
  sessionId,
  messageId,
  userId,
  store.id,
  paymentId,
  receiptId,
  deliveryId,
  eventId,
  store.apiKey,
  store.webhookSecret,
  store.signingSecret,
  'owner@example.com',
];

/** The value of a path parameter: an id of the kind that this place of the address takes. */
function parameterValue(path: string, name: string, of: Merchant): string {
  if (name === 'storeId') return of.store.id;
  if (name === 'receiptId') return of.receiptId;
  if (name === 'userId') return of.userId;
  if (name === 'messageId') return of.messageId;
  if (name === 'id') {
    const kind = /([a-z]+)(?:\/public)?\/\{id\}/.exec(path)?.[1];
    if (kind === 'payments') return of.paymentId;
    if (kind === 'deliveries') return of.deliveryId;
    if (kind === 'links') return of.linkId;
    if (kind === 'replay') return of.replayId;
    if (kind === 'users') return of.userId;
    if (kind === 'sessions') return of.sessionId;
  }
  throw new Error(`This test does not know what {${name}} of ${path} is: teach it.`);
}

/** Things of somebody's that a query may name; other parameters are no way to them. */
const queryValues = (of: Merchant): Readonly<Record<string, string>> => ({
  paymentId: of.paymentId,
  paymentLinkId: of.linkId,
  storeId: of.store.id,
  store: of.store.id,
  trxId: TRX_ID,
  customerPhone: CUSTOMER_PHONE,
  after: of.eventId,
});

function addressOf(route: Route, of: Merchant, overrides: Readonly<Record<string, string>> = {}): string {
  const path = route.path.replace(
    /\{(\w+)\}/g,
    (_match, name: string) => overrides[name] ?? parameterValue(route.path, name, of),
  );
  const values = queryValues(of);
  const query = new URLSearchParams();
  for (const { in: place, name } of route.operation.parameters ?? []) {
    const value = values[name];
    if (place === 'query' && value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The body of the document's own example, with its ids replaced by those of somebody's things. */
function bodyOf({ example: value }: Route, of: Merchant): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const ids: Readonly<Record<string, string>> = {
    storeId: of.store.id,
    ownerId: of.userId,
    paymentId: of.paymentId,
    receiptId: of.receiptId,
  };
  return Object.fromEntries(
    Object.entries(value).map(([field, given]) => [field, ids[field] ?? (given as unknown)]),
  );
}

const CREDENTIALS: Readonly<Record<string, (of: Merchant) => Record<string, string>>> = {
  person: ({ user }) => user,
  apiKey: ({ store }) => store.key,
  webhookSecret: ({ store }) => store.phone,
};

async function call(
  route: Route,
  headers: Record<string, string>,
  of: Merchant = owner,
  overrides: Readonly<Record<string, string>> = {},
) {
  return app.http.request(route.method, addressOf(route, of, overrides), {
    headers,
    body: bodyOf(route, of),
  });
}

const guarded = () => routes.filter(({ schemes }) => schemes.length > 0);

/** What of somebody's is in the database; what a stranger has tried must not show in it. */
async function recordsOf({ store, userId }: Merchant): Promise<string> {
  const rows: unknown[] = [];
  for (const table of [
    'payments',
    'receipts',
    'refunds',
    'payment_links',
    'deliveries',
    'events',
    'store_secrets',
    'audit_entries',
  ]) {
    rows.push(await app.database.query(`SELECT * FROM ${table} WHERE store_id = $1 ORDER BY id`, [store.id]));
  }
  rows.push(await app.database.query('SELECT * FROM users WHERE id = $1', [userId]));
  rows.push(await app.database.query('SELECT * FROM stores WHERE id = $1', [store.id]));
  rows.push(await app.database.query('SELECT id FROM stores WHERE owner_id = $1', [userId]));
  return JSON.stringify(rows);
}

describe('the document', () => {
  it('knows every route that is served', () => {
    const fastify = app.app.getHttpAdapter().getInstance();
    const documented = new Set(routes.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1')));
    const served = servedRoutes(fastify.printRoutes({ commonPrefix: false }));
    expect([...documented].filter((route) => !served.includes(route))).toEqual([]);
    const unknown = served.filter(
      (route) => !documented.has(route) && !UNDOCUMENTED.some((pattern) => pattern.test(route)),
    );
    expect(unknown).toEqual([]);
    expect(documented.size).toBeGreaterThan(40);
  });

  it('says of every operation who may call it, but for the public ones listed here', () => {
    const open = routes.filter(({ schemes }) => schemes.length === 0).map(({ name }) => name);
    expect(open.filter((name) => PUBLIC[name] === undefined)).toEqual([]);
    expect(open.length).toBeGreaterThan(5);
    expect(guarded().length).toBeGreaterThan(30);
    for (const { schemes } of guarded())
      for (const scheme of schemes) expect(CREDENTIALS).toHaveProperty(scheme);
  });
});

describe('every guarded route', () => {
  it('refuses who has no credential, and who has one that means nothing', async () => {
    const before = await recordsOf(owner);
    for (const route of guarded()) {
      const attempts = [
        {},
        { Authorization: 'Bearer', 'X-Api-Key': '', 'X-Webhook-Secret': '' },
        { Authorization: 'Basic YWRtaW46YWRtaW4=' },
        { 'X-Api-Key': `joma_sk_${'a'.repeat(43)}`, 'X-Webhook-Secret': `joma_wh_${'a'.repeat(43)}` },
        { Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.AA' },
      ];
      for (const headers of attempts) {
        const { status, body, headers: answered } = await call(route, headers as Record<string, string>);
        expect([route.name, headers, status, body['code']]).toEqual([
          route.name,
          headers,
          401,
          'auth.required',
        ]);
        expect(answered.get('www-authenticate')).not.toBeNull();
      }
    }
    expect(await recordsOf(owner)).toBe(before);
  });

  it('refuses the right user with the wrong kind of credential, wherever it is put', async () => {
    const before = await recordsOf(owner);
    const token = owner.user.Authorization.slice('Bearer '.length);
    const misplaced: Record<string, string>[] = [
      { 'X-Api-Key': owner.store.webhookSecret, 'X-Webhook-Secret': owner.store.apiKey },
      { 'X-Api-Key': owner.store.signingSecret, 'X-Webhook-Secret': owner.store.signingSecret },
      { 'X-Api-Key': token, 'X-Webhook-Secret': token },
      { Authorization: `Bearer ${owner.store.apiKey}` },
      { Authorization: `Bearer ${owner.store.webhookSecret}` },
      { Authorization: `ApiKey ${owner.store.apiKey}` },
    ];
    for (const route of guarded()) {
      const others = Object.keys(CREDENTIALS).filter((scheme) => !route.schemes.includes(scheme));
      const attempts = [...others.map((scheme) => CREDENTIALS[scheme]?.(owner) ?? {}), ...misplaced];
      for (const headers of attempts) {
        const { status } = await call(route, headers);
        expect([route.name, Object.keys(headers), status]).toEqual([route.name, Object.keys(headers), 401]);
      }
    }
    expect(await recordsOf(owner)).toBe(before);
  });

  it('shows a stranger nothing and does nothing for them: neither by address nor by body nor by query', async () => {
    const before = await recordsOf(owner);
    const marks = marksOf(owner);
    for (const route of guarded()) {
      for (const scheme of route.schemes) {
        const answer = await call(route, CREDENTIALS[scheme]?.(stranger) ?? {});
        const named = `${route.name} answered ${answer.status} ${answer.text}`;
        expect(answer.status, named).toBeLessThan(500);
        if (route.path.includes('{')) expect([403, 404], named).toContain(answer.status);
        const withoutAddress = answer.text.replaceAll(
          `"instance":"${addressOf(route, owner).split('?')[0]}"`,
          '',
        );
        for (const mark of marks) expect(withoutAddress, route.name).not.toContain(mark);
      }
    }
    expect(await recordsOf(owner)).toBe(before);
  });

  it('finds nothing of another store under an address of the own one', async () => {
    const before = await recordsOf(owner);
    const nested = routes.filter(({ path }) => /\{storeId\}.*\{/.test(path));
    expect(nested.length).toBeGreaterThan(5);
    for (const route of nested) {
      for (const user of [stranger.user, admin]) {
        const answer = await call(route, user, owner, { storeId: stranger.store.id });
        expect([route.name, answer.status]).toEqual([route.name, 404]);
      }
    }
    expect(await recordsOf(owner)).toBe(before);
  });

  it('answers for what is a stranger’s as for what is not there', async () => {
    const withoutNames = (text: string) => text.replace(/"(?:instance|requestId)":"[^"]*"/g, '');
    for (const route of guarded().filter(({ path }) => path.includes('{'))) {
      const [scheme = ''] = route.schemes;
      const credential = CREDENTIALS[scheme]?.(stranger) ?? {};
      const foreign = await call(route, credential);
      const missing = await call(route, credential, owner, {
        id: newId(),
        receiptId: newId(),
        messageId: newId(),
        userId: newId(),
        storeId: newId(),
      });
      expect([route.name, missing.status]).toEqual([route.name, foreign.status]);
      expect(withoutNames(missing.text)).toBe(withoutNames(foreign.text));
    }
  });
});

describe('a thing of somebody else’s in a body', () => {
  const post = (path: string, body: unknown) => app.http.post(path, body, stranger.user);

  it('is no owner for a store, no store for a simulation, no payment and no receipt for a decision', async () => {
    const before = await recordsOf(owner);
    const mine = `/api/v1/stores/${stranger.store.id}`;
    const receipt = {
      provider: 'bkash',
      trxId: 'ISOLATION02',
      amount: 5,
      sender: CUSTOMER_PHONE,
      type: 'in',
    };
    const loose = await post('/api/webhooks/simulate', { ...receipt, storeId: stranger.store.id });
    expect(loose.body['status']).toBe('unmatched');
    const reviewed = await created('/api/v1/payments', { amount: 7 }, stranger.store.key);
    await app.http.post(`/api/v1/payments/public/${reviewed}/verify`, { trxId: 'ISOLATION03' });
    await post('/api/webhooks/simulate', { ...receipt, trxId: 'ISOLATION03', storeId: stranger.store.id });

    const answers = [
      await post('/api/v1/stores', { name: 'Mine', ownerId: owner.userId }),
      await post('/api/webhooks/simulate', { ...receipt, storeId: owner.store.id }),
      await post(`${mine}/receipts/${String(loose.body['receiptId'])}/match`, {
        paymentId: owner.paymentId,
        reason: 'mine',
      }),
      await post(`${mine}/payments/${reviewed}/approve`, { reason: 'mine', receiptId: owner.receiptId }),
    ];
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [403, 'auth.forbidden'],
      [404, 'store.not_found'],
      [404, 'payment.not_found'],
      [404, 'receipt.not_found'],
    ]);
    expect(await recordsOf(owner)).toBe(before);
  });
});

/** `METHOD path` of every line of Fastify's picture of its router, HEAD left out. */
function servedRoutes(picture: string): string[] {
  const parents: string[] = [];
  return picture.split('\n').flatMap((line) => {
    const match = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (match === null) return [];
    const [, indent = '', part = '', methods = ''] = match;
    const depth = indent.length / 4;
    parents.length = depth;
    parents.push(part);
    const path = parents.join('');
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`);
  });
}
