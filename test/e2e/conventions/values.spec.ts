import { beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem, type Problem, shown } from '../../support/bad-input.js';
import { type Endpoint, type EndpointName, listEndpoints } from '../../support/endpoints-with-body.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { receiptBody } from '../../support/receipt-body.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 1.8 to 1.10, 1.16 to 1.19, 2.29, 2.30, 3.2, 3.3, 3.5, 4.9, 4.22, 5.8, 5.10, 5.34, 6.13 to 6.15, 6.17,
 * 6.18, 6.41, 6.43, 6.44.
 *
 * Goal: money, times, texts, TrxIDs, products and metadata are taken in every form that the contract gives them, to the
 * edge of each limit, and in no other. Method: values on both sides of every edge.
 */

const service = useService({ replicas: 1 });
let shop: Shop;
let endpoints: Record<EndpointName, Endpoint>;

beforeAll(async () => {
  shop = await service.openShop();
  endpoints = await listEndpoints(service, shop);
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
    expectInvalid(await endpoints['create a payment'].sendText(text), `/products/0/${key}`, text);
  });
});

describe('the amount', () => {
  const create = (amount: string) => endpoints['create a payment'].sendText(`{"amount":${amount}}`);

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
        const fits = await endpoint.send({ ...endpoint.valid(), ...make(character.repeat(limit)) });
        expect([200, 201, 204, 404, 409], fits.text).toContain(fits.status);
        const tooLong = await endpoint.send({ ...endpoint.valid(), ...make(character.repeat(limit + 1)) });
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
        const fits = await endpoint.send({ amount: 1, [field]: longest });
        expect([fits.status, (fits.body as unknown as Record<string, unknown>)[field]]).toEqual([
          201,
          longest,
        ]);
        expectInvalid(await endpoint.send({ amount: 1, [field]: `${longest}x` }), `/${field}`, 'too long');
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
        expectInvalid(await endpoint.send({ amount: 1, [field]: url }), `/${field}`, url);
      }
    },
  );

  it('in metadata: keys of 40 characters, twenty of them, flat', async () => {
    const endpoint = endpoints['create a payment'];
    const withKeys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
    const create = (metadata: unknown) => endpoint.send({ amount: 1, metadata });
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
    const answer = await endpoints['create a payment'].send({ amount: 1, products });
    expectInvalid(answer, pointer, shown(products));
  });

  it('may cost nothing and be a hundred', async () => {
    const products = Array.from({ length: 100 }, () => ({ ...item, price: 0 }));
    expect((await endpoints['create a payment'].send({ amount: 1, products })).status).toBe(201);
  });
});

describe('other fields of a payment', () => {
  it.each([
    ['currency', ['bdt', 'BD', 'BDTT', 'XXQ', '', 'B\u0000T', 'ＢＤＴ']],
    ['provider', ['b', 'bKash', 'x'.repeat(21), 'bkash ', 'b-kash', 'বিকাশ', '']],
    ['expiresInSeconds', [59, 30 * 86_400 + 1, 60.5, -60, '600', 1e21]],
  ])('%s is checked', async (field, values) => {
    for (const value of values) {
      const answer = await endpoints['create a payment'].send({ amount: 1, [field]: value });
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
      expect((await endpoints['create a payment'].send({ amount: 1, ...body })).status).toBe(201);
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
    expectInvalid(await endpoints['forward a receipt'].send(body), pointer, shown(change));
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

  it('says its kind and its wallet in any case', async () => {
    const { id, trxId } = await shop.submitted();
    const { body } = await shop.receipt({ trxId, kind: 'Received', provider: 'BKash' });
    expect(body).toMatchObject({ status: 'matched', paymentId: id });
    expect((await shop.receipt({ trxId, kind: 'SENT' })).body.status).toBe('ignored');
  });

  it('that is simulated and is not of money that came in needs less, and pays nothing', async () => {
    const { id, trxId } = await shop.submitted();
    expect((await shop.simulate({ trxId, type: 'out' })).body.status).toBe('ignored');
    const without = { provider: undefined, sender: undefined, type: 'out' };
    expect((await shop.simulate(without)).body.status).toBe('ignored');
    expect((await shop.get(id)).status).toBe('submitted');
  });

  it('of another kind needs less, and is kept as it came', async () => {
    const raw =
      '{"app":"a","kind":"sent","amount":5,"receivedAt":"2026-11-21T08:20:09Z","battery":{"level":0.50},"10":1}';
    const answer = await endpoints['forward a receipt'].sendText(raw);
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
