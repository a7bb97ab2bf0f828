import { beforeAll, describe, expect, it } from 'vitest';
import type { ProblemAnswer } from '../../support/money-answers.js';
import type { Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';
import { signedInUser } from '../../support/test-app.js';

/*
 * Rules: contract 2.25 to 2.35, 7.61, 7.62.
 *
 * Goal: a store is made, read, changed and archived by the API. Method: two replicas in turn; each field with its
 * default and with a value of its own.
 */

type Headers = Record<string, string>;

interface StoreAnswer extends Record<string, unknown> {
  readonly id: string;
  readonly ownerId: string;
  readonly apiKey?: string;
  readonly apiKeyHint: string;
}

const BKASH = { provider: 'bkash', number: '01700000001' };
const NAGAD = { provider: 'nagad', number: '01700000001' };

// Addresses are judged as in production.
const service = useService({ environment: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
let shop: Shop;
let admin: Headers;
let merchant: Headers;
let merchantId: string;

beforeAll(async () => {
  shop = await service.openShop();
  admin = await shop.admin();
  ({ id: merchantId, headers: merchant } = await signedInUser(shop.http, admin));
});

const path = (id: string, rest = '') => `/api/v1/stores/${id}${rest}`;

function create(body: object, by = admin) {
  return shop.http.post<StoreAnswer & ProblemAnswer>('/api/v1/stores', { name: 'Dhaka Books', ...body }, by);
}

function change(id: string, body: object, by = admin) {
  return shop.http.request<StoreAnswer & ProblemAnswer>('PATCH', path(id), { headers: by, body });
}

async function read(id: string): Promise<StoreAnswer> {
  return (await shop.http.get<StoreAnswer>(path(id), admin)).body;
}

describe('a new store', () => {
  it('shows its secrets once, and the end of its key for ever', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiKey: expect.stringMatching(/^joma_sk_/) as unknown,
      webhookSecret: expect.stringMatching(/^joma_wh_/) as unknown,
      signingSecret: expect.stringMatching(/^whsec_/) as unknown,
      apiKeyHint: body.apiKey!.slice(-4),
    });
    const { apiKey: _key, webhookSecret: _secret, signingSecret: _signing, ...shown } = body;
    expect(await read(body.id)).toEqual(shown);
  });

  it('has the defaults of the contract', async () => {
    const { body } = await create({}, merchant);
    expect(body).toMatchObject({
      ...{ ownerId: merchantId, role: 'owner', name: 'Dhaka Books', currency: 'BDT', wallets: [] },
      ...{ webhookUrl: null, webhookPausedAt: null, webhookPauseReason: null, signWith: 'webhook_secret' },
      ...{ simulationEnabled: true, receiptChecks: 'flag', receiptLead: '1h', uniqueAmounts: false },
      ...{ notifyEmail: null, phoneLastSeenAt: null, archivedAt: null },
    });
  });

  it('takes what is given', async () => {
    const given = {
      ...{ name: 'শপ', currency: 'USD', webhookUrl: 'https://shop.example.com/hook', signWith: 'api_key' },
      wallets: [{ ...BKASH, accountType: 'agent', qrPayload: '000201', enabled: false }],
    };
    expect((await create(given)).body).toMatchObject(given);
  });

  it('belongs to whom an admin names; a merchant names nobody else', async () => {
    expect((await create({ ownerId: merchantId })).body).toMatchObject({ ownerId: merchantId });
    const { body: me } = await shop.http.get<StoreAnswer>('/api/v1/auth/me', admin);
    const refused = await create({ ownerId: me.id }, merchant);
    expect([refused.status, refused.body.code]).toEqual([403, 'auth.forbidden']);
  });

  it('stands first in the lists of those who may see it', async () => {
    const { body } = await create({}, merchant);
    for (const by of [merchant, admin]) {
      const list = await shop.http.get<{ data: StoreAnswer[] }>('/api/v1/stores?limit=1', by);
      expect(list.body.data.map(({ id }) => id)).toEqual([body.id]);
    }
  });
});

describe('a change', () => {
  it('takes every field that a body may carry, and leaves what is not given', async () => {
    const { id } = (await create({ webhookUrl: 'https://shop.example.com/hook' })).body;
    const given = {
      ...{ name: 'Dhaka Books 2', currency: 'EUR', signWith: 'api_key', simulationEnabled: false },
      ...{ receiptChecks: 'review', receiptLead: '10m', uniqueAmounts: true },
      ...{ notifyEmail: 'books@example.com', wallets: [{ ...NAGAD, enabled: true }] },
    };
    const { status, body } = await change(id, given);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...given, webhookUrl: 'https://shop.example.com/hook' });
    expect((await change(id, { webhookUrl: null, notifyEmail: null })).body).toMatchObject({
      ...{ webhookUrl: null, notifyEmail: null, name: 'Dhaka Books 2' },
    });
  });

  it('of the wallets replaces the whole list, in its order', async () => {
    const { id } = (await create({ wallets: [{ ...BKASH, number: '01755555501' }] })).body;
    const wallets = [
      { ...NAGAD, number: '01755555502' },
      { ...BKASH, number: '01755555503' },
    ];
    expect((await change(id, { wallets })).body['wallets']).toMatchObject(wallets);
    expect((await change(id, { wallets: [] })).body['wallets']).toEqual([]);
  });

  it('is not one of what only the service knows', async () => {
    const { id } = (await create({})).body;
    for (const field of ['id', 'ownerId', 'role', 'apiKeyHint', 'phone', 'phoneLastSeenAt', 'archivedAt']) {
      const { status, body } = await change(id, { [field]: null });
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, `/${field}`]);
    }
  });

  it.each([
    ...['http://127.0.0.1/hook', 'https://10.0.0.1/hook', 'https://[::1]/hook', 'https://8.8.8.8/hook'],
    ...['https://localhost/hook', 'https://metadata.google.internal/', 'https://169.254.169.254/'],
    ...['https://user@shop.example.com/', 'https://shop.example.com:22/', 'ftp://shop.example.com/'],
  ])('to the webhook address %s is refused when it is saved', async (webhookUrl) => {
    const { id } = (await create({})).body;
    for (const answer of [await change(id, { webhookUrl }), await create({ webhookUrl })]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'request.invalid']);
      expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['/webhookUrl']);
    }
    expect(await read(id)).toMatchObject({ webhookUrl: null });
  });
});

describe('what was heard of the phone', () => {
  it('stands in the store: the instant of its last sign', async () => {
    const { store } = await service.openShop();
    const phone = { 'X-Webhook-Secret': store.webhookSecret };
    await shop.http.post('/api/webhooks/joma/heartbeat', { app: 'joma-phone', battery: 87 }, phone);
    const at = service.clock.isoIn(0);
    expect(await read(store.id)).toMatchObject({
      phoneLastSeenAt: at,
      phone: { lastSeenAt: at, app: 'joma-phone', battery: 87, silent: false },
    });
  });
});

describe('an archived store', () => {
  it('is read as before, and changed no more; its secrets open nothing', async () => {
    const own = await service.openShop();
    const payment = await own.create();
    const { id, key, phone } = own.store;
    expect((await shop.http.request('DELETE', path(id), { headers: admin })).status).toBe(204);
    expect(await read(id)).toMatchObject({ id, archivedAt: service.clock.isoIn(0) });
    const payments = await shop.http.get<{ data: { id: string }[] }>(path(id, '/payments'), admin);
    expect(payments.body.data.map((one) => one.id)).toEqual([payment.id]);
    for (const answer of [
      await change(id, { name: 'Other' }),
      await shop.http.post<ProblemAnswer>(path(id, '/api-key/rotate'), undefined, admin),
      await shop.http.post<ProblemAnswer>(path(id, '/webhook-secret/regenerate'), undefined, admin),
      await shop.http.post<ProblemAnswer>(path(id, '/payments'), { amount: 1 }, admin),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'store.archived']);
    expect((await shop.http.get('/api/v1/payments', key)).status).toBe(401);
    expect((await shop.http.post('/api/webhooks/joma/heartbeat', { app: 'x' }, phone)).status).toBe(401);
  });
});

describe('a secret', () => {
  it('is read again, but for the API key, and replaced by one that is shown', async () => {
    const { store } = await service.openShop();
    const get = async (rest: string) => (await shop.http.get(path(store.id, rest), admin)).body;
    const post = async (rest: string) => (await shop.http.post(path(store.id, rest), undefined, admin)).body;
    expect(await get('/webhook-secret')).toEqual({ webhookSecret: store.webhookSecret });
    expect(await get('/signing-secret')).toEqual({ signingSecret: store.signingSecret });
    const { webhookSecret } = await post('/webhook-secret/regenerate');
    const { signingSecret } = await post('/signing-secret/rotate');
    const { apiKey } = await post('/api-key/rotate');
    expect(await get('/webhook-secret')).toEqual({ webhookSecret });
    expect(await get('/signing-secret')).toEqual({ signingSecret });
    expect(await read(store.id)).toMatchObject({ apiKeyHint: String(apiKey).slice(-4) });
  });
});
