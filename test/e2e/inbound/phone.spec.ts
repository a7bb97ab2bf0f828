import { describe, expect, it } from 'vitest';
import { bkashText } from '../../support/bkash-text.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS, minuteInDhaka } from '../../support/money-clock.js';
import type { ReceiptAnswer } from '../../support/money-answers.js';
import { type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 6.16, 6.26, 6.33 to 6.38, 6.50 to 6.52, 9.17, 9.18, 12.11 to 12.14.
 *
 * Goal: phones are what they are, with wrong clocks, broken apps and messages that do not add up, and nothing is lost
 * or paid by that (contract section 6, section 9 and section 12). Method: a clock that is moved by hand, two replicas
 * in turn; each rule with its other side.
 */

const service = useService();

let serial = 0;
function next(): { trxId: string; last4digit: string } {
  serial += 1;
  return {
    trxId: `DKM${serial.toString(36).toUpperCase().padStart(7, '0')}`,
    last4digit: String(serial).padStart(4, '0'),
  };
}

async function beat(shop: Shop, offsetMs: number): Promise<void> {
  const body = { app: 'joma-phone', at: service.clock.isoIn(offsetMs) };
  expect((await shop.http.post('/api/webhooks/joma/heartbeat', body, shop.store.phone)).status).toBe(204);
}

/** A payment that waits for these digits since now. */
async function waiting(shop: Shop, last4digit: string): Promise<string> {
  const { id } = await shop.create();
  expect((await shop.submit(id, { last4digit })).status).toBe(202);
  return id;
}

const inDhaka = (at: Date) => new Date(at.getTime() + 6 * HOUR_MS).toISOString();

async function sms(shop: Shop, sender: string, text: string) {
  const answer = await shop.http.post<ReceiptAnswer & { messageId?: string; reason?: string }>(
    '/api/webhooks/joma/sms',
    { from: sender, text },
    shop.store.phone,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Rocket's message of a Bangla QR payment, which names the second. */
function rocketQr(digits: string, at: Date): string {
  const local = inDhaka(at);
  const hour = Number(local.slice(11, 13));
  const month = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'][
    Number(local.slice(5, 7)) - 1
  ];
  const clock = `${String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0')}:${local.slice(14, 19)}`;
  const date = `${local.slice(8, 10)}-${month ?? ''}-${local.slice(2, 4)} ${clock} ${hour < 12 ? 'am' : 'pm'}`;
  serial += 1;
  const id = String(6_900_000_000 + serial);
  return `Tk500.00 received from Ac./Card:017****${digits} Fee: Tk.00 NetBal: Tk2,410.51 TxnId: ${id} Date:${date}.`;
}

describe('a receipt', () => {
  it('is shown to users with all that came, and what became of it', async () => {
    const shop = await service.openShop();
    const payment = await shop.create();
    await shop.submit(payment.id, { trxId: 'SHOWN00001' });
    const at = service.clock.isoIn(0);
    const { body } = await shop.receipt({ trxId: 'SHOWN00001', counterparty: '017****0002', balance: 900 });
    const raw = JSON.stringify({
      ...{ app: 'joma-phone', kind: 'received', amount: 500, receivedAt: at, provider: 'bkash' },
      ...{ counterparty: '017****0002', trxId: 'SHOWN00001', balance: 900 },
    });
    expect(await shop.receiptOf(body.receiptId)).toEqual({
      ...{ id: body.receiptId, storeId: shop.store.id, status: 'matched', paymentId: payment.id },
      ...{ source: 'app', app: 'joma-phone', provider: 'bkash', kind: 'received', trxId: 'SHOWN00001' },
      ...{ last4digit: null, amount: 500, currency: 'BDT', counterparty: '017****0002', balance: 900 },
      ...{ receivedAt: at, arrivedAt: at, simulated: false, flags: [], raw },
    });
  });

  it('is unmatched, matched, in review, void or ignored', async () => {
    const shop = await service.openShop();
    const statusOf = async (receiptId: string) => (await shop.receiptOf(receiptId)).status;
    const { receiptId: free } = (await shop.receipt({ trxId: 'STATUS0001' })).body;
    const { receiptId: sent } = (await shop.receipt({ trxId: 'STATUS0002', kind: 'sent' })).body;
    expect([await statusOf(free), await statusOf(sent)]).toEqual(['unmatched', 'ignored']);
    await shop.submit((await shop.create({ amount: 700 })).id, { trxId: 'STATUS0001' });
    expect(await statusOf(free)).toBe('review');
    const { receiptId: other } = (await shop.receipt({ trxId: 'STATUS0003' })).body;
    await shop.voidReceipt(other);
    expect(await statusOf(other)).toBe('void');
  });
});

describe('a phone whose clock is wrong', () => {
  const LATE_MS = -10 * MINUTE_MS;

  it('is put right for the QR window, and the receipt keeps what was sent', async () => {
    const shop = await service.openShop();
    const { last4digit } = next();
    await beat(shop, LATE_MS);
    const id = await waiting(shop, last4digit);
    const receivedAt = service.clock.isoIn(LATE_MS + 5 * SECOND_MS);
    service.clock.advance(10 * SECOND_MS);
    const { body } = await shop.receipt({ last4digit, receivedAt });
    expect(body).toMatchObject({ status: 'matched', paymentId: id });
    expect(await shop.receiptOf(body.receiptId)).toMatchObject({ receivedAt });
    // The digest is of what was sent: by another clock it is still the same receipt.
    await beat(shop, 0);
    expect((await shop.receipt({ last4digit, receivedAt })).body).toMatchObject({
      status: 'duplicate',
      receiptId: body.receiptId,
    });
  });

  it.each([
    ['says nothing of its clock', null],
    ['is right within half a minute', -29 * SECOND_MS],
  ])('but not one that %s', async (_what, offsetMs) => {
    const shop = await service.openShop();
    const { last4digit } = next();
    if (offsetMs !== null) await beat(shop, offsetMs);
    const id = await waiting(shop, last4digit);
    const answer = await shop.receipt({ last4digit, receivedAt: service.clock.isoIn(LATE_MS) });
    expect(answer.body.status).toBe('unmatched');
    expect((await shop.get(id)).status).toBe('submitted');
  });

  it('ahead of ours, brings money of the past as of the past', async () => {
    const shop = await service.openShop();
    const { last4digit } = next();
    await beat(shop, 20 * MINUTE_MS);
    const id = await waiting(shop, last4digit);
    // Received ten minutes ago by the right clock: too long ago for these digits.
    const receivedAt = service.clock.isoIn(20 * MINUTE_MS + LATE_MS);
    expect((await shop.receipt({ last4digit, receivedAt })).body.status).toBe('unmatched');
    expect((await shop.get(id)).status).toBe('submitted');
  });

  it.each([
    ['9999-12-31T23:59:59Z', '2026-11-21T08:20:09.123Z'],
    ['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'],
    ['7000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ])('by thousands of years (%s) still brings its receipts, also of %s', async (at, receivedAt) => {
    const shop = await service.openShop();
    const { last4digit } = next();
    const body = { app: 'joma-phone', at };
    expect((await shop.http.post('/api/webhooks/joma/heartbeat', body, shop.store.phone)).status).toBe(204);
    const { id } = await shop.create();
    const receipt = await shop.receipt({ last4digit, receivedAt });
    expect(receipt.status, receipt.text).toBe(200);
    expect(await shop.receiptOf(receipt.body.receiptId)).toMatchObject({ last4digit });
    // Whoever looks for it around its time finds nothing out of bounds either.
    expect((await shop.submit(id, { last4digit })).status).toBeLessThan(300);
    expect((await shop.receipt({ last4digit, receivedAt })).body.status).toBe('duplicate');
    await service.sweep();
  });

  it('changes nothing about the time in the wallet’s own text', async () => {
    const shop = await service.openShop({
      wallets: [
        { provider: 'qr', accountType: 'merchant' },
        { provider: 'rocket', number: '017000000091', accountType: 'merchant' },
      ],
    });
    await beat(shop, LATE_MS);
    const [now, past] = [next().last4digit, next().last4digit];
    const [paid, unpaid] = [await waiting(shop, now), await waiting(shop, past)];
    expect(await sms(shop, '16216', rocketQr(now, service.clock.now()))).toMatchObject({
      status: 'matched',
      paymentId: paid,
    });
    const early = new Date(service.clock.now().getTime() + LATE_MS);
    expect((await sms(shop, '16216', rocketQr(past, early))).status).toBe('unmatched');
    expect((await shop.get(unpaid)).status).toBe('submitted');
  });

  it('is shown while it is wrong by more than half a minute', async () => {
    const shop = await service.openShop();
    const offset = async () => {
      const path = `/api/v1/stores/${shop.store.id}`;
      const { body } = await shop.http.get<{ phone: { clockOffsetSeconds: number | null } }>(
        path,
        await shop.admin(),
      );
      return body.phone.clockOffsetSeconds;
    };
    for (const [offsetMs, seconds] of [
      [-31 * SECOND_MS, -31],
      [31 * SECOND_MS, 31],
      [30 * SECOND_MS, null],
      [2 * HOUR_MS, 7_200],
      [0, null],
    ] as const) {
      await beat(shop, offsetMs);
      expect(await offset()).toBe(seconds);
    }
  });
});

describe('a time without seconds', () => {
  it('is every instant of its minute', async () => {
    const shop = await service.openShop();
    const [whole, exact] = [next().last4digit, next().last4digit];
    // Half a minute after a full one; three and a half minutes ago a minute began.
    service.clock.advance(MINUTE_MS - ((service.clock.now().getTime() + 30 * SECOND_MS) % MINUTE_MS));
    const begun = new Date(service.clock.now().getTime() - 3.5 * MINUTE_MS).toISOString();
    const [paid, unpaid] = [await waiting(shop, whole), await waiting(shop, exact)];
    const receivedAt = `${begun.slice(0, 16)}Z`;
    expect((await shop.receipt({ last4digit: whole, receivedAt })).body).toMatchObject({
      status: 'matched',
      paymentId: paid,
    });
    expect((await shop.receipt({ last4digit: exact, receivedAt: begun })).body.status).toBe('unmatched');
    expect((await shop.get(unpaid)).status).toBe('submitted');
  });
});

describe('receiptChecks', () => {
  const text = (trxId: string, balance: string) => bkashText(trxId, service.clock.now(), { balance });

  it.each([
    ['off', 'verified', [], 'verified', []],
    ['flag', 'review', ['balance_below_amount'], 'verified', ['balance_gap']],
    ['review', 'review', ['balance_below_amount'], 'review', ['balance_gap']],
  ] as const)('%s: below the amount %s, a gap %s', async (checks, below, belowFlags, gap, gapFlags) => {
    const shop = await service.openShop();
    await shop.change({ receiptChecks: checks });
    const pay = async (balance: string) => {
      const { trxId } = next();
      const { id } = await shop.create();
      await shop.submit(id, { trxId });
      const { receiptId } = await sms(shop, 'bKash', text(trxId, balance));
      const { flags } = await shop.receiptOf(receiptId);
      return { payment: await shop.get(id), flags };
    };
    const first = await pay('400.00');
    expect(first).toMatchObject({ payment: { status: below }, flags: belowFlags });
    if (below === 'review') expect(first.payment.reviewReason).toBe('flagged');
    expect(await pay('900.00')).toMatchObject({ payment: { status: 'verified' }, flags: [] });
    const third = await pay('5,000.00');
    expect(third).toMatchObject({ payment: { status: gap }, flags: gapFlags });
    expect(await pay('5,500.00')).toMatchObject({ payment: { status: 'verified' }, flags: [] });
  });
});

describe('bodies that cannot be read', () => {
  it(
    'are kept a thousand times a day and store, answered 400 beyond that, too, and kept again tomorrow',
    { timeout: 60_000 },
    async () => {
      const [shop, other] = [await service.openShop(), await service.openShop()];
      const junk = async (to: Shop) =>
        (await to.http.post('/api/webhooks/joma/sms', { nothing: 'here' }, to.store.phone)).status;
      const kept = async (of: Shop) =>
        Number(
          (
            await service.test.database.query(
              `SELECT count(*) AS count FROM messages WHERE store_id = '${of.store.id}'`,
            )
          )[0]?.['count'],
        );
      for (let sent = 0; sent < 990; sent += 30)
        await Promise.all(Array.from({ length: 30 }, () => junk(shop)));
      for (let sent = 0; sent < 15; sent += 1) expect(await junk(shop)).toBe(400);
      expect(await kept(shop)).toBe(1_000);
      // A receipt is no body that cannot be read, and another store has its own thousand.
      const { trxId } = next();
      const text = bkashText(trxId, service.clock.now(), { amount: '5.00', balance: '900.00' });
      expect((await sms(shop, 'bKash', text)).status).toBe('unmatched');
      expect(await junk(other)).toBe(400);
      expect(await kept(other)).toBe(1);
      service.clock.advance(24 * HOUR_MS + SECOND_MS);
      expect(await junk(shop)).toBe(400);
      expect(await kept(shop)).toBe(1_002);
    },
  );
});

describe('a message about money that was sent', () => {
  it('confirms the refund of its TrxID, and notes another amount without confirming', async () => {
    const shop = await service.openShop();
    const { trxId } = next();
    const { id } = await shop.create();
    await shop.submit(id, { trxId });
    await shop.receipt({ trxId });
    const refund = async (amount: number) => {
      const back = next().trxId;
      const body = { amount, provider: 'bkash', trxId: back };
      const answer = await shop.http.post<{ status: string }>(
        `/api/v1/payments/${id}/refunds`,
        body,
        shop.store.key,
      );
      expect(answer.status, answer.text).toBe(201);
      return back;
    };
    const out = (trx: string, amount: string) =>
      `Send Money Tk ${amount} to 01700000002 successful. Ref back. Fee Tk 5.00. Balance Tk 4,479.65. ` +
      `TrxID ${trx} at ${minuteInDhaka(service.clock.now())}`;
    const [right, wrong] = [await refund(200), await refund(100)];
    expect(await sms(shop, 'bKash', out(right, '200.00'))).toMatchObject({
      status: 'ignored',
      reason: 'outgoing',
    });
    expect(await sms(shop, 'bKash', out(wrong, '99.00'))).toMatchObject({
      status: 'ignored',
      reason: 'outgoing',
    });
    expect(await sms(shop, 'bKash', out(next().trxId, '77.00'))).toMatchObject({ status: 'ignored' });
    const messages = await shop.messages();
    expect(messages.map(({ fields }) => fields?.['refund'])).toEqual([
      'unknown',
      'other_amount',
      'confirmed',
    ]);
    const list = await shop.http.get<{ data: { trxId: string; status: string }[] }>(
      `/api/v1/payments/${id}/refunds`,
      shop.store.key,
    );
    expect(new Map(list.body.data.map(({ trxId: trx, status }) => [trx, status]))).toEqual(
      new Map([
        [right, 'confirmed'],
        [wrong, 'recorded'],
      ]),
    );
  });
});
