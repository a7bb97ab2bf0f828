import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, startBuiltService } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import type { HttpAnswer } from '../support/http-client.js';
import { type MerchantReceiver, startMerchantReceiver } from '../support/merchant-receiver.js';
import { HOUR_MS, MINUTE_MS } from '../support/money-clock.js';
import { newTrxId } from '../support/money-shop.js';
import { createStore, signIn, type TestStore } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { wrongClock } from '../support/wrong-clock.js';

/*
 * Rules: contract 4.102 to 4.105.
 *
 * Goal: a replica with a wrong clock decides as the others do (contract 4.105 "One clock"). Method: two built
 * processes on one database, the clock of one an hour ahead, of the other an hour behind; each step of a flow in both
 * directions; then both clocks are set to the other side of the hour while they run, and all of it again.
 */

let database: TestDatabase;
let merchant: MerchantReceiver;
let fast: BuiltService;
let slow: BuiltService;
let store: TestStore;
let admin: Record<string, string>;

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly reviewReason: string | null;
  readonly code?: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly verifiedAt: string;
  readonly receiptId: string;
  readonly arrivedAt: string;
}

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await startMerchantReceiver();
  [fast, slow] = await Promise.all([
    startBuiltService({ DATABASE_URL: database.url, ...wrongClock(HOUR_MS) }),
    startBuiltService({ DATABASE_URL: database.url, ...wrongClock(-HOUR_MS) }),
  ]);
  admin = await signIn(fast.http);
  const wallets = [{ provider: 'qr', accountType: 'merchant' }];
  store = await createStore(slow.http, admin, { webhookUrl: merchant.url, wallets });
});
afterAll(async () => {
  await Promise.all([fast.stop('SIGKILL'), slow.stop('SIGKILL')]);
  await merchant.close();
  await database.drop();
});

const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const create = async (on: BuiltService, body: Record<string, unknown> = {}, headers = {}) =>
  (await on.http.post<Answer>('/api/v1/payments', { amount: 500, ...body }, { ...store.key, ...headers }))
    .body;
const submit = (on: BuiltService, id: string, typed: Record<string, string>) =>
  on.http.post<Answer>(`/api/v1/payments/public/${id}/verify`, typed);
const receive = (on: BuiltService, body: Record<string, unknown>): Promise<HttpAnswer<Answer>> =>
  on.http.post('/api/webhooks/joma', { app: 'phone', kind: 'received', amount: 500, ...body }, store.phone);
const standard = (trxId: string, receivedAt = at(0)) => ({
  ...{ provider: 'bkash', trxId, counterparty: '01700000002', receivedAt },
});

let digitsUsed = 4_000;
const nextDigits = () => String((digitsUsed += 1));

/** Fails unless it is the right time, to half a minute: both are an hour off. */
function expectRightTime(instant: string | number, right = Date.now()): void {
  expect(Math.abs(new Date(instant).getTime() - right)).toBeLessThan(MINUTE_MS / 2);
}

async function expectOneClock(): Promise<void> {
  for (const [one, other] of [
    [fast, slow],
    [slow, fast],
  ] as const) {
    const trxId = newTrxId();
    const payment = await create(one, { expiresInSeconds: 60 });
    expectRightTime(payment.createdAt);
    expectRightTime(payment.expiresAt, Date.now() + MINUTE_MS);
    const { receiptId } = (await receive(other, standard(trxId))).body;
    const kept = await one.http.get<Answer>(`/api/v1/stores/${store.id}/receipts/${receiptId}`, admin);
    expectRightTime(kept.body.arrivedAt);
    const verified = (await submit(other, payment.id, { trxId })).body;
    expect(verified.status).toBe('verified');
    expectRightTime(verified.verifiedAt);
    // Bangla QR: three minutes, whoever has the entry and whoever has the receipt.
    const digits = nextDigits();
    const [inside, outside] = [await create(other), await create(other, { amount: 501 })];
    expect((await submit(one, inside.id, { last4digit: digits })).status).toBe(202);
    expect((await submit(one, outside.id, { last4digit: digits })).status).toBe(202);
    expect((await receive(other, { last4digit: digits, receivedAt: at(-2 * MINUTE_MS) })).body.status).toBe(
      'matched',
    );
    expect(
      (await receive(other, { last4digit: digits, amount: 501, receivedAt: at(-4 * MINUTE_MS) })).body.status,
    ).toBe('unmatched');
    // A time in the future counts as the arrival: the right one.
    const late = await create(one, { amount: 502 });
    await submit(one, late.id, { last4digit: digits });
    expect(
      (await receive(one, { last4digit: digits, amount: 502, receivedAt: at(HOUR_MS) })).body.status,
    ).toBe('matched');
    // Old money: an hour before the payment, by the right clock.
    const [fresh, old] = [newTrxId(), newTrxId()];
    await receive(one, standard(fresh, at(-50 * MINUTE_MS)));
    await receive(one, standard(old, at(-70 * MINUTE_MS)));
    expect((await submit(one, (await create(other)).id, { trxId: fresh })).body.status).toBe('verified');
    expect((await submit(other, (await create(one)).id, { trxId: old })).body.reviewReason).toBe('old_money');
    // A stored answer lives for a day: neither has it expired nor is it of tomorrow.
    const key = { 'Idempotency-Key': trxId };
    const first = await create(one, { note: 'once' }, key);
    expect((await create(other, { note: 'once' }, key)).id).toBe(first.id);
    // Tokens that one has issued are good on the other.
    const token = await signIn(one.http);
    expect((await other.http.get('/api/v1/auth/me', token)).status).toBe(200);
    const [delivery] = await merchant.webhooksOf(payment.id);
    expectRightTime(Number(delivery.headers['webhook-timestamp']) * 1_000);
  }
}

const offsetOf = async (on: BuiltService) =>
  Number(/^joma_clock_offset_seconds (.*)$/m.exec((await on.http.get('/metrics')).text)?.[1]);

describe('two replicas, one an hour ahead, one an hour behind', () => {
  it('say so', async () => {
    expect(await offsetOf(fast)).toBeCloseTo(3_600, -1);
    expect(await offsetOf(slow)).toBeCloseTo(-3_600, -1);
    for (const { output } of [fast, slow])
      expect(output()).toContain("This machine's clock is not the database's");
  });

  it('decide by the database’s time', expectOneClock);

  it('go on when their clocks are set in the middle of it', async () => {
    const before = await create(fast, { amount: 700 });
    await submit(slow, before.id, { last4digit: '7007' });
    for (const { process } of [fast, slow]) process.kill('SIGUSR2');
    await eventually(
      () => offsetOf(fast),
      (seconds) => seconds < 0,
    );
    await eventually(
      () => offsetOf(slow),
      (seconds) => seconds > 0,
    );
    // Entered before, received after.
    const body = { amount: 700, last4digit: '7007', receivedAt: at(0) };
    expect((await receive(fast, body)).body.status).toBe('matched');
    await expectOneClock();
  });
});
