import { readXlsx } from 'hucre/xlsx';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DayCloseRepository, type DayEntry } from '../../../src/extensions/day-close/day-close.repository.js';
import { statementOf } from '../../../src/extensions/day-close/day-statement.js';
import { DaysService, ENTRIES_AT_A_TIME } from '../../../src/extensions/day-close/days.service.js';
import { ReconciliationService } from '../../../src/extensions/day-close/reconciliation.service.js';
import { StoresService } from '../../../src/stores/index.js';
import { DashboardBrowser } from '../../support/dashboard-browser.js';
import {
  ADMIN_EMAIL,
  ADMIN_PASSWORD,
  createStore,
  signIn,
  startTestApp,
  type TestApp,
  type TestStore,
  signedInUser,
} from '../../support/test-app.js';
import { receiptBody } from '../../support/receipt-body.js';

/*
 * Rules: contract 1.13, 1.14, 10.18, 13.5, 13.11 to 13.29, 14.41.
 *
 * Goal: a day of a shop adds up, in the shop's time zone; its statement and a wallet's own are told apart line by
 * line (contract 13.11). Method: the real application with the extension on; instants are set in the database, where
 * only days matter.
 */

const DAY = '2026-11-21';

let test: TestApp;
let admin: { Authorization: string };
let store: TestStore;

beforeAll(async () => {
  test = await startTestApp({ environment: { EXTENSIONS: 'day-close' }, writesPastService: true });
  admin = await signIn(test.http);
  store = await createStore(test.http, admin);
});
afterAll(() => test.close());

async function receive(
  shop: TestStore,
  trxId: string,
  amount: number,
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await test.http.post<{ receiptId: string }>(
    '/api/webhooks/joma',
    receiptBody({ trxId, amount, ...more }),
    shop.phone,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer.body.receiptId;
}

async function pay(
  shop: TestStore,
  trxId: string,
  {
    amount = 500,
    came = amount,
    note = trxId,
    provider = 'bkash',
  }: { amount?: number; came?: number; note?: string; provider?: string } = {},
): Promise<string> {
  const { body } = await test.http.post<{ id: string }>('/api/v1/payments', { amount, note }, shop.key);
  await test.http.post(`/api/v1/payments/public/${body.id}/verify`, { trxId, provider });
  await receive(shop, trxId, came, { provider });
  return body.id;
}

const inStore = (shop: TestStore, path: string) => `/api/v1/stores/${shop.id}/${path}`;
const day = (shop: TestStore, date: string, on: TestApp = test) =>
  on.http.get<{ wallets: { provider: string }[]; code?: string }>(inStore(shop, `days/${date}`), admin);

async function dated(table: string, column: string, id: string, at: string): Promise<void> {
  await test.database.query(`UPDATE ${table} SET ${column} = $2 WHERE id = $1`, [id, at]);
}

describe('a day', () => {
  it('counts each wallet’s money by the instant that is meant for it', async () => {
    const shop = await createStore(test.http, admin);
    const verified = await pay(shop, 'DAY0000001', { amount: 500 });
    const early = await pay(shop, 'DAY0000002', { amount: 0.1 });
    const nagad = await pay(shop, 'DAY0000003', { amount: 20, provider: 'nagad' });
    const yesterday = await pay(shop, 'DAY0000004', { amount: 7 });
    const review = await pay(shop, 'DAY0000005', { amount: 100, came: 90 });
    const unclaimed = await receive(shop, 'DAY0000006', 33.33);
    const refund = await test.http.post<{ id: string }>(
      `/api/v1/payments/${verified}/refunds`,
      { amount: 50.5, reason: '=2+3' },
      shop.key,
    );
    // The day in Dhaka is from 18:00 UTC of the day before to 17:59:59.999.
    await dated('payments', 'verified_at', verified, '2026-11-21T08:00:00Z');
    await dated('payments', 'verified_at', early, '2026-11-20T18:00:00Z');
    await dated('payments', 'verified_at', nagad, '2026-11-21T17:59:59.999Z');
    await dated('payments', 'verified_at', yesterday, '2026-11-20T17:59:59.999Z');
    await dated('payments', 'submitted_at', review, '2026-11-21T09:00:00Z');
    await dated('receipts', 'received_at', unclaimed, '2026-11-21T10:00:00Z');
    await dated('refunds', 'created_at', refund.body.id, '2026-11-21T11:00:00Z');
    const none = { count: 0, amount: 0 };
    expect((await day(shop, DAY)).body).toEqual({
      date: DAY,
      timeZone: 'Asia/Dhaka',
      currency: 'BDT',
      wallets: [
        {
          provider: 'bkash',
          verified: { count: 2, amount: 500.1 },
          refunded: { count: 1, amount: 50.5 },
          unclaimed: { count: 1, amount: 33.33 },
          inReview: { count: 1, amount: 90 },
        },
        {
          provider: 'nagad',
          verified: { count: 1, amount: 20 },
          refunded: none,
          unclaimed: none,
          inReview: none,
        },
      ],
    });
    expect((await day(shop, '2026-11-20')).body.wallets).toMatchObject([
      { verified: { count: 1, amount: 7 } },
    ]);

    const csv = await test.http.get(inStore(shop, `days/${DAY}/statement`), admin);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header = '', ...lines] = csv.text.replace('\ufeff', '').trimEnd().split('\r\n');
    const at = (name: string) => header.split(',').indexOf(name);
    const rows = lines.map((line) => line.split(','));
    expect(rows.map((row) => ['kind', 'trxId', 'provider', 'amount'].map((name) => row[at(name)]))).toEqual([
      ['verified', 'DAY0000002', 'bkash', '0.1'],
      ['verified', 'DAY0000001', 'bkash', '500'],
      ['verified', 'DAY0000003', 'nagad', '20'],
      ['refunded', '', 'bkash', '50.5'],
      ['unclaimed', 'DAY0000006', 'bkash', '33.33'],
      ['inReview', 'DAY0000005', 'bkash', '90'],
    ]);
    expect(rows[3]?.[at('note')]).toBe("'=2+3");

    const file = await fetch(`${test.http.url}${inStore(shop, `days/${DAY}/statement?format=xlsx`)}`, {
      headers: admin,
    });
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="statement-${DAY}.xlsx"`);
    const { sheets } = await readXlsx(new Uint8Array(await file.arrayBuffer()));
    const [names = [], ...cells] = sheets[0]!.rows;
    const place = (name: string) => names.indexOf(name);
    expect(cells.map((row) => row[place('trxId')])).toEqual(rows.map((row) => row[at('trxId')] || null));
    expect(cells.map((row) => row[place('amount')])).toEqual([0.1, 500, 20, 50.5, 33.33, 90]);
    expect(cells[3]?.[place('note')]).toBe("'=2+3");
  });

  it('is whole where summer time makes it 23 or 25 hours long', async () => {
    const there = await startTestApp({
      database: test.database,
      environment: { EXTENSIONS: 'day-close', STORE_TIME_ZONE: 'Europe/Berlin' },
    });
    try {
      const shop = await createStore(test.http, admin);
      const spring = await pay(shop, 'DST0000001', { amount: 1 });
      const autumn = await pay(shop, 'DST0000002', { amount: 2 });
      const countOn = async (date: string) => (await day(shop, date, there)).body.wallets.length;
      for (const [at, dates] of [
        ['2026-03-28T23:00:00Z', ['2026-03-29']],
        ['2026-03-29T21:59:59.999Z', ['2026-03-29']],
        ['2026-03-29T22:00:00Z', ['2026-03-30']],
        ['2026-10-24T22:00:00Z', ['2026-10-25']],
        ['2026-10-25T22:59:59.999Z', ['2026-10-25']],
        ['2026-10-25T23:00:00Z', ['2026-10-26']],
      ] as const) {
        await dated('payments', 'verified_at', spring, at);
        await dated('payments', 'verified_at', autumn, at);
        for (const date of [
          '2026-03-28',
          '2026-03-29',
          '2026-03-30',
          '2026-10-24',
          '2026-10-25',
          '2026-10-26',
        ])
          expect(await countOn(date), `${at} on ${date}`).toBe(
            (dates as readonly string[]).includes(date) ? 1 : 0,
          );
      }
    } finally {
      await there.close();
    }
  });

  it('counts no simulated money, and nobody else’s', async () => {
    const shop = await createStore(test.http, admin);
    const { body } = await test.http.post<{ id: string }>('/api/v1/payments', { amount: 5 }, shop.key);
    await test.http.post(`/api/v1/payments/public/${body.id}/verify`, { trxId: 'SIM0000001' });
    const simulated = {
      provider: 'bkash',
      trxId: 'SIM0000001',
      amount: 5,
      sender: '01700000009',
      type: 'in',
    };
    await test.http.post('/api/webhooks/simulate', { ...simulated, storeId: shop.id }, admin);
    await pay(store, 'OTHER00001');
    const today = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(0, 10);
    expect((await day(shop, today)).body.wallets).toEqual([]);
  });

  it.each(['2026-02-30', 'today', '2026-1-1', '20261121', '2026-11-21T00:00:00Z'])(
    'is none: %s',
    async (date) => {
      expect(await day(store, date)).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
      const file = await test.http.get(inStore(store, `days/${date}/statement`), admin);
      expect(file.status).toBe(400);
    },
  );

  it('has its statement in two formats only', async () => {
    expect((await test.http.get(inStore(store, `days/${DAY}/statement?format=pdf`), admin)).status).toBe(400);
  });
});

describe('a big day', () => {
  const COUNT = 3 * ENTRIES_AT_A_TIME + 1;

  it('is streamed: no more is read than was asked for, and all of it arrives', async () => {
    const shop = await createStore(test.http, admin);
    await test.database.query(
      `INSERT INTO receipts (id, store_id, status, source, app, provider, kind, trx_id, amount_minor, currency, received_at,
         arrived_at, money_from, money_until, raw)
       SELECT gen_random_uuid(), $1, 'unmatched', 'app', 'x', 'bkash', 'received', 'BIG' || n, 100, 'BDT', at, at, at, at, '{}'
       FROM generate_series(1, $2) AS n, LATERAL (SELECT $3::timestamptz + (n / 10) * interval '1 second') AS times (at)`,
      [shop.id, COUNT, '2026-11-20T18:00:00Z'],
    );
    const { body } = await test.http.get<{ currency: string }>(`/api/v1/stores/${shop.id}`, admin);
    for (const format of ['csv', 'xlsx'] as const) {
      let read = 0;
      const days = test.app.get(DaysService);
      const counted = async function* (entries: AsyncIterable<DayEntry>) {
        for await (const entry of entries) {
          read += 1;
          yield entry;
        }
      };
      const entries = days.entries({ id: shop.id, currency: body.currency } as never, DAY);
      const stream = await statementOf(counted(entries), format);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) {
        if (chunks.length === 0) expect(read, format).toBeLessThan(COUNT);
        chunks.push(Buffer.from(chunk as string));
      }
      expect(read, format).toBe(COUNT);
      if (format === 'csv')
        expect(Buffer.concat(chunks).toString().trimEnd().split('\r\n')).toHaveLength(COUNT + 1);
    }
    const whole = await test.http.get(inStore(shop, `days/${DAY}/statement`), admin);
    const ids = whole.text.match(/BIG\d+/g) ?? [];
    expect([ids.length, new Set(ids).size]).toEqual([COUNT, COUNT]);
    const totals = await day(shop, DAY);
    expect(totals.body.wallets).toMatchObject([{ unclaimed: { count: COUNT, amount: COUNT } }]);
  });

  it('is found by index, whatever else there is', async () => {
    const shop = await createStore(test.http, admin);
    // A year of another day's payments and refunds, so that the planner has something to choose between.
    const days = `FROM (SELECT md5(concat($2::text, n))::uuid AS id, '2026-01-01'::timestamptz + n * interval '3 hours' AS at
      FROM generate_series(1, 3000) AS n) AS past`;
    await test.database.query(
      `INSERT INTO payments (id, store_id, status, amount_minor, pay_amount_minor, currency, approved_at, created_at, expires_at,
         verified_at, ended_at) SELECT id, $1, 'verified', 100, 100, 'BDT', at, at, at, at, at ${days}`,
      [shop.id, shop.id],
    );
    await test.database.query(
      `INSERT INTO refunds (id, store_id, payment_id, amount_minor, currency, status, simulated, created_at)
       SELECT id, $1, id, 100, 'BDT', 'recorded', false, at ${days}`,
      [shop.id, shop.id],
    );
    await test.database.query(
      `INSERT INTO receipts (id, store_id, status, source, app, provider, kind, trx_id, amount_minor, currency, received_at,
         arrived_at, money_from, money_until, raw)
       SELECT id, $1, 'matched', 'app', 'x', 'bkash', 'received', id::text, 100, 'BDT', at, at, at, at, '{}' ${days}`,
      [shop.id, shop.id],
    );
    await test.database.query('ANALYZE payments, receipts, refunds');
    const plans: string[] = [];
    const replica = {
      query: async (statement: { text: string }, values: unknown[]) => {
        await test.database.query('SET enable_seqscan = off');
        const rows = await test.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement.text}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return [];
      },
    };
    const repository = new DayCloseRepository(replica as never);
    const span = { from: new Date('2026-11-20T18:00:00Z'), to: new Date('2026-11-21T17:59:59.999Z') };
    await repository.totals(shop.id, span, 'BDT');
    for (const kind of ['verified', 'refunded', 'unclaimed', 'inReview'] as const)
      await repository.entries(shop.id, kind, span, null, 500);
    await repository.knownById(shop.id, 'bkash', ['A1B2C3']);
    await repository.knownOfSpan(shop.id, 'bkash', span, null, 500);
    await test.database.query('RESET enable_seqscan');
    const [totals = '', verified, refunded, unclaimed, inReview, known, missing] = plans;
    for (const index of ['payments_verified', 'refunds_created', 'receipts_unmatched', 'payments_in_review'])
      expect(totals).toContain(index);
    expect(verified).toMatch(/payments_verified[^]*Index Cond: \(\(store_id = [^]*verified_at >=/);
    expect(refunded).toMatch(/refunds_created[^]*Index Cond: \(\(store_id = [^]*created_at >=/);
    expect(unclaimed).toMatch(/receipts_unmatched[^]*Index Cond: \(\(store_id = [^]*received_at >=/);
    expect(inReview).toMatch(/payments_in_review[^]*Index Cond: \(\(store_id = [^]*submitted_at/);
    expect(known).toMatch(/receipts_(?:once_by_trx|trx)[^]*Index Cond: \(\(store_id = /);
    expect(missing).toMatch(
      /receipts_of_wallet[^]*Index Cond: \(\(store_id = [^]*provider = [^]*received_at >=/,
    );
    for (const plan of plans) expect(plan).not.toContain('Seq Scan');
  });
});

describe('a wallet’s statement', () => {
  interface Verdicts {
    readonly matched: object[];
    readonly missing: { trxId: string }[];
    readonly over: object[];
    readonly under: object[];
    readonly unknown: object[];
    readonly code?: string;
  }
  const reconcile = (shop: TestStore, text: string, query = 'provider=bkash', headers = {}) =>
    test.http.request<Verdicts>('POST', inStore(shop, `reconciliations?${query}`), {
      headers: { ...admin, 'Content-Type': 'text/csv', ...headers },
      text,
    });

  it('is told apart line by line', async () => {
    const shop = await createStore(test.http, admin);
    const matched = await pay(shop, 'REC0000001', { amount: 1250 });
    await pay(shop, 'REC0000002', { amount: 100 });
    await pay(shop, 'REC0000003', { amount: 100 });
    const missing = await receive(shop, 'REC0000004', 75);
    await pay(shop, 'REC0000005', { amount: 9, provider: 'nagad' });
    const old = await receive(shop, 'REC0000006', 80);
    await dated('receipts', 'received_at', old, '2026-01-01T00:00:00Z');
    const today = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(0, 10);
    const answer = await reconcile(
      shop,
      [
        '\ufeffDate,TrxID,Amount',
        `${today},rec 0000001,"1,250.00"`,
        `${today} 10:00:00,REC0000002,100.01`,
        `${today},REC0000003,99.99`,
        `${today},REC0000007,20`,
        `${today},REC0000005,9`,
        `${today},REC0000001,1250`,
        '',
      ].join('\r\n'),
      'provider=bkash',
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      matched: [{ trxId: 'REC0000001', amount: 1250, receiptAmount: 1250, line: 2, paymentId: matched }],
      missing: [{ trxId: 'REC0000004', amount: 75, receiptId: missing, paymentId: null }],
      over: [{ trxId: 'REC0000002', amount: 100.01, receiptAmount: 100 }],
      under: [{ trxId: 'REC0000003', amount: 99.99, receiptAmount: 100 }],
      unknown: [
        { trxId: 'REC0000007', amount: 20, repeated: false },
        { trxId: 'REC0000005', amount: 9, repeated: false },
        { trxId: 'REC0000001', amount: 1250, repeated: true },
      ],
    });
    const wider = await reconcile(
      shop,
      `Date,TrxID,Amount\n${today},REC0000001,1250\n`,
      'provider=bkash&from=2026-01-01',
    );
    expect(wider.body.missing.map(({ trxId }) => trxId)).toContain('REC0000006');
    expect(wider.body.missing).toHaveLength(4);
  });

  it('comes as a form, too, and with columns of other names', async () => {
    const shop = await createStore(test.http, admin);
    await pay(shop, 'FORM000001', { amount: 5 });
    const form = new FormData();
    form.append('file', new Blob(['When,Code,Gross\n22-Nov-2026,FORM000001,5\n']), 'bkash.csv');
    const query = 'provider=bkash&dateColumn=When&trxIdColumn=code&amountColumn=Gross';
    const answer = await fetch(`${test.http.url}${inStore(shop, `reconciliations?${query}`)}`, {
      method: 'POST',
      headers: admin,
      body: form,
    });
    expect(await answer.json()).toMatchObject({ matched: [{ trxId: 'FORM000001' }], unknown: [] });
  });

  it('is refused where it is none, or says no days', async () => {
    for (const [text, code] of [
      ['a,b,c\n1,2,3\n', 'statement.columns_missing'],
      ['Date,TrxID,Amount\n2026-11-21,REC0000001,x\n', 'statement.unreadable'],
      ['Date,TrxID,Amount\nsoon,REC0000001,5\n', 'statement.unreadable'],
      ['Date,TrxID,Amount\n', 'statement.unreadable'],
      ['Date,TrxID,Amount\n2026-11-21,REC\u0000001,5\n', 'statement.unreadable'],
    ] as const)
      expect(await reconcile(store, text), text).toMatchObject({ status: 400, body: { code } });
    const line = 'Date,TrxID,Amount\n2026-11-21,REC0000001,5\n';
    for (const query of [
      '',
      'provider=',
      'provider=bkash&from=x',
      'provider=bkash&from=2026-12-01',
      'provider=b!',
    ])
      expect(await reconcile(store, line, query), query).toMatchObject({
        status: 400,
        body: { code: 'request.invalid' },
      });
  });

  it('is compared beside one other, and no more: each takes memory', async () => {
    const service = test.app.get(ReconciliationService);
    const given = await test.app.get(StoresService).get(store.id);
    const options = { provider: 'bkash', columns: {}, first: null, last: null };
    const files = [new PassThrough(), new PassThrough()];
    const running = files.map((file) => service.reconcile(given, file, options));
    const line = 'Date,TrxID,Amount\n2026-11-21,REC0000001,5\n';
    expect(await reconcile(store, line)).toMatchObject({
      status: 429,
      body: { code: 'request.rate_limited' },
    });
    for (const file of files) file.end(line);
    await Promise.all(running);
    expect((await reconcile(store, line)).status).toBe(200);
  });

  it('attack: of 10 MiB costs what its size does: at most 200,000 lines, and lists of ten thousand', async () => {
    const head = 'Date,TrxID,Amount\n';
    const line = (index: number) => `2026-11-21,X${String(index).padStart(9, '0')},5\n`;
    const many = head + Array.from({ length: 200_000 }, (_, index) => line(index)).join('');
    const answer = await reconcile(store, many);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(answer.body.unknown).toHaveLength(10_000);
    expect(answer.text.length).toBeLessThan(4 * 1024 * 1024);
    expect(await reconcile(store, many + line(200_000))).toMatchObject({ status: 400 });
    const long = `${head}2026-11-21,${'x'.repeat(70_000)},5\n`;
    expect(await reconcile(store, long)).toMatchObject({ status: 400 });
  });

  it('is read by who may, up to 10 MiB, and as CSV alone', async () => {
    const line = 'Date,TrxID,Amount\n2026-11-21,REC0000001,5\n';
    expect((await reconcile(store, line, 'provider=bkash', { Authorization: '' })).status).toBe(401);
    expect((await reconcile({ ...store, id: randomUUID() }, line)).status).toBe(404);
    expect((await reconcile(store, line, 'provider=bkash', { 'Content-Type': 'text/plain' })).status).toBe(
      415,
    );
    const large = `${line}${'x'.repeat(99)}\n`.padEnd(10 * 1024 * 1024 + 1, '\n');
    expect((await reconcile(store, large)).status).toBe(413);
    const { email, headers: viewer } = await signedInUser(test.http, admin);
    await test.http.post(inStore(store, 'members'), { email, role: 'viewer' }, admin);
    expect(await reconcile(store, line, 'provider=bkash', viewer)).toMatchObject({
      status: 403,
      body: { code: 'auth.role_required' },
    });
    expect((await test.http.get(inStore(store, `days/${DAY}`), viewer)).status).toBe(200);
    expect((await test.http.get(inStore(store, `days/${DAY}/statement`), viewer)).status).toBe(200);
  });
});

describe('the pages', () => {
  it('show a day, give its statement, and take a wallet’s', async () => {
    const shop = await createStore(test.http, admin);
    await pay(shop, 'PAGE000001', { amount: 321 });
    const browser = await DashboardBrowser.signIn(test.http.url, {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    const path = `/dashboard/stores/${shop.id}`;
    for (const [lang, words] of [
      ['en', ['Days', 'Reconciliation', 'Unclaimed', '321.00']],
      ['bn', ['দিনের হিসাব', 'হিসাব মেলানো', '৩২১.০০']],
    ] as const) {
      const page = await browser.request('GET', `${path}/days?lang=${lang}`);
      expect(page.status).toBe(200);
      for (const word of words) expect(page.text).toContain(word);
    }
    const today = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(0, 10);
    const csv = await browser.request('GET', `${path}/days/statement?day=${today}&format=csv`);
    expect(csv.text).toContain('PAGE000001');
    expect((await browser.request('GET', `${path}/days?day=never`)).status).toBe(400);
    await browser.request('GET', `${path}/reconciliation?lang=en`);
    const upload = (text: string, token = browser.token) =>
      browser.upload(`${path}/reconciliation`, {
        fields: { _token: token, provider: 'bkash' },
        text,
      });
    const found = await upload(`Date,TrxID,Amount\n${today},PAGE000001,300\n${today},PAGE000002,7\n`);
    expect(found.status).toBe(200);
    expect(found.text).toContain('Less in the statement: 1');
    expect(found.text).toContain('PAGE000002');
    const refused = await upload('nothing\n');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('role="alert"');
    expect((await upload('Date,TrxID,Amount\n', 'x')).status).toBe(403);
  });
});

it('leaves no trace while it is switched off', async () => {
  const off = await startTestApp({ database: test.database });
  try {
    expect((await day(store, DAY, off)).status).toBe(404);
    expect(
      (await off.http.request('POST', inStore(store, 'reconciliations'), { headers: admin })).status,
    ).toBe(404);
    const document = (await off.http.get('/api/docs/openapi.json')).text;
    for (const word of ['reconciliations', 'statement.', '/days/', 'Day close'])
      expect(document).not.toContain(word);
    const browser = await DashboardBrowser.signIn(off.http.url, {
      email: ADMIN_EMAIL,
      password: ADMIN_PASSWORD,
    });
    const page = await browser.request('GET', `/dashboard/stores/${store.id}?lang=en`);
    expect(page.text).not.toContain('/reconciliation');
    expect((await browser.request('GET', `/dashboard/stores/${store.id}/days`)).status).toBe(404);
  } finally {
    await off.close();
  }
});
