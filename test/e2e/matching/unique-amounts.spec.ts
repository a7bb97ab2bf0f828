import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.7, 4.90, 4.95 to 4.99, 4.101.
 *
 * Goal: with `uniqueAmounts` every payment has an amount to pay of its own while there are any (contract 4.95),
 * whatever made the others, so that nobody takes another's receipt by guessing digits. Method: two replicas in turn
 * or at once, a clock that is moved by hand, and a guesser who guesses right every time.
 */

interface OwnAmount extends PaymentAnswer {
  readonly payAmount: number;
}

const { service, shop } = useShop();

beforeEach(() => shop.change({ uniqueAmounts: true }));

const get = async (paymentId: string) => await shop.get(paymentId);
const minor = (amount: number) => Math.round(amount * 100);
const isOwn = ({ amount, payAmount }: OwnAmount) =>
  minor(payAmount) > minor(amount) && minor(payAmount) <= minor(amount) + 99;

async function createMany(count: number, bodyOf: (index: number) => Record<string, unknown> = () => ({})) {
  return Promise.all(Array.from({ length: count }, (_, index) => shop.create(bodyOf(index))));
}

/**
 * Amounts that more than one payment of the shop has which is open, or ended within the hour; plain ones of a
 * shortage apart.
 */
async function sharedAmounts(): Promise<unknown[]> {
  // Writes down whose end is over an hour ago, which creating knows without.
  await service.sweep();
  return service.test.database.query(
    `SELECT pay_amount_minor, count(*)::integer FROM payments
     WHERE store_id = $1 AND (ended_at IS NULL OR ended_at > $2)
     GROUP BY currency, pay_amount_minor HAVING count(*) > 1 AND bool_or(pay_amount_reserved)`,
    [shop.store.id, new Date(service.clock.now().getTime() - HOUR_MS)],
  );
}

async function ranOut(): Promise<number> {
  let sum = 0;
  for (const { http } of service.replicas) {
    const { text } = await http.get<string>('/metrics');
    sum += Number(/^joma_unique_amounts_exhausted_total (\d+)$/m.exec(text)?.[1] ?? 0);
  }
  return sum;
}

describe('a payment of a store with `uniqueAmounts`', () => {
  it('has an amount to pay of its own, and the merchant keeps the one that was asked for', async () => {
    const payment = await shop.create();
    expect(payment.amount).toBe(500);
    expect(isOwn(payment)).toBe(true);
    expect((await get(payment.id)).payAmount).toBe(payment.payAmount);
    const page = await shop.http.get(`/api/v1/payments/public/${payment.id}`);
    expect(page.body).toMatchObject({ amount: 500, payAmount: payment.payAmount });
    await shop.receipt({ last4digit: '0042', amount: payment.payAmount });
    expect((await shop.submit(payment.id, { last4digit: '0042' })).body.status).toBe('verified');
    expect(await get(payment.id)).toMatchObject({ amount: 500, receivedAmount: payment.payAmount });
    const [event] = await shop.events();
    expect(JSON.parse(event?.body ?? '{}')).toMatchObject({ event: 'payment.verified', amount: 500 });
    const refunds = `/api/v1/payments/${payment.id}/refunds`;
    const tooMuch = { amount: (minor(payment.payAmount) + 1) / 100 };
    expect((await shop.http.post(refunds, tooMuch, shop.store.key)).body).toMatchObject({
      code: 'refund.too_much',
    });
    expect((await shop.http.post(refunds, { amount: payment.payAmount }, shop.store.key)).status).toBe(201);
  });

  it('is compared by it with receipts that are found by TrxID, too', async () => {
    const [right, plain] = [await shop.create(), await shop.create()];
    const [rightId, plainId] = [newTrxId(), newTrxId()];
    await shop.submit(right.id, { trxId: rightId });
    await shop.submit(plain.id, { trxId: plainId });
    await shop.receipt({ trxId: rightId, amount: right.payAmount });
    await shop.receipt({ trxId: plainId, amount: 500 });
    expect([await shop.stateOf(right.id), await shop.stateOf(plain.id)]).toEqual([
      'verified',
      'review: underpaid',
    ]);
  });

  it('is made once under an Idempotency-Key, and by users and payment links alike', async () => {
    const headers = { ...shop.store.key, 'Idempotency-Key': newTrxId() };
    const once = await shop.http.post<OwnAmount>('/api/v1/payments', { amount: 500 }, headers);
    const again = await shop.http.post<OwnAmount>('/api/v1/payments', { amount: 500 }, headers);
    expect(isOwn(once.body)).toBe(true);
    expect(again.text).toBe(once.text);
    const byUser = await shop.http.post<OwnAmount>(
      `/api/v1/stores/${shop.store.id}/payments`,
      { amount: 500 },
      await shop.admin(),
    );
    expect(isOwn(byUser.body)).toBe(true);
    const link = await shop.http.post<{ slug: string; id: string }>(
      '/api/v1/payment-links',
      { title: 'Tea', amount: 500 },
      shop.store.key,
    );
    const paid = await shop.http.request('POST', `/l/${link.body.slug}`, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      text: 'form=0123456789abcdef0123456789abcdef',
    });
    expect(paid.status).toBe(303);
    const listed = await shop.http.get<{ data: OwnAmount[] }>(
      `/api/v1/payments?paymentLinkId=${link.body.id}`,
      shop.store.key,
    );
    expect(listed.body.data.map(isOwn)).toEqual([true]);
    expect(await sharedAmounts()).toEqual([]);
  });

  it('never asks for more than money can be', async () => {
    const close = await createMany(3, () => ({ amount: 99_999_999.96 }));
    expect(close.map(({ payAmount }) => payAmount).sort()).toEqual([
      99_999_999.97, 99_999_999.98, 99_999_999.99,
    ]);
    expect((await shop.create({ amount: 99_999_999.99 })).payAmount).toBe(99_999_999.99);
  });
});

describe('the plain amount instead', () => {
  const pay = () => shop.receipt({ last4digit: '0042', amount: 500 });

  it.each(['before', 'behind'])(
    'goes to a user as underpaid when the submission comes %s it',
    async (when) => {
      const { id } = await shop.create();
      await shop.create();
      if (when === 'behind') await pay();
      await shop.submit(id, { last4digit: '0042' });
      if (when === 'before') await pay();
      expect(await shop.stateOf(id)).toBe('review: underpaid');
      expect((await get(id)).receivedAmount).toBe(500);
    },
  );

  it('is nobody’s when it fits several', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    await shop.submit(first.id, { last4digit: '0042' });
    await shop.submit(second.id, { last4digit: '0042' });
    expect((await pay()).body.status).toBe('review');
    expect([await shop.stateOf(first.id), await shop.stateOf(second.id)]).toEqual([
      'review: ambiguous',
      'review: ambiguous',
    ]);
  });

  it('attack: who has the plain amount when amounts run out does not take it from whose it is', async () => {
    const [honest] = await createMany(99);
    const thief = await shop.create();
    expect(thief.payAmount).toBe(500);
    await shop.submit(honest!.id, { last4digit: '0042' });
    await shop.submit(thief.id, { last4digit: '0042' });
    await pay();
    for (const { id } of [honest!, thief]) expect(await shop.stateOf(id)).toBe('review: ambiguous');
  });

  it('attack: nor when the receipt is there first, whoever submits first', async () => {
    const [honest] = await createMany(99);
    const thief = await shop.create();
    await pay();
    expect((await shop.submit(thief.id, { last4digit: '0042' })).body.reviewReason).toBe('flagged');
    expect((await shop.submit(honest!.id, { last4digit: '0042' })).body.reviewReason).toBe('ambiguous');
  });

  it('that another payment has is told, to a user', async () => {
    const { id } = await shop.create();
    const other = await shop.create();
    await pay();
    await shop.submit(other.id, { last4digit: '0042' });
    await shop.approve(other.id);
    expect((await shop.submit(id, { last4digit: '0042' })).body.reviewReason).toBe('trx_id_used');
  });

  it('shows the second who claims it to a user beside the first', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    await pay();
    await shop.submit(first.id, { last4digit: '0042' });
    expect((await shop.submit(second.id, { last4digit: '0042' })).body).toEqual({
      status: 'review',
      reviewReason: 'ambiguous',
    });
    expect(await shop.stateOf(first.id)).toBe('review: underpaid');
  });
});

describe('an amount of one’s own', () => {
  it('is not one that a payment has which was made before the switch, or for another price', async () => {
    await shop.change({ uniqueAmounts: false });
    const plain = await createMany(40, (index) => ({ amount: (50_001 + index) / 100 }));
    expect(plain.every(({ amount, payAmount }) => amount === payAmount)).toBe(true);
    await shop.change({ uniqueAmounts: true });
    const others = await createMany(30, (index) => ({ amount: (49_980 + index) / 100 }));
    const own = await createMany(20);
    expect([...others, ...own].every(isOwn)).toBe(true);
    expect(await sharedAmounts()).toEqual([]);
  });

  it('is another currency’s business', async () => {
    await createMany(99);
    const { body } = await shop.http.post<OwnAmount>(
      '/api/v1/payments',
      { amount: 500, currency: 'USD' },
      shop.store.key,
    );
    expect(isOwn(body)).toBe(true);
  });

  it('stays with a payment until an hour after its end, however it ended', async () => {
    const made = await createMany(99, (index) => (index < 3 ? { expiresInSeconds: 60 } : {}));
    expect(made.every(isOwn)).toBe(true);
    const [, , , verified, cancelled] = made;
    await shop.receipt({ last4digit: '0042', amount: verified!.payAmount });
    await shop.submit(verified!.id, { last4digit: '0042' });
    await shop.cancel(cancelled!.id);
    service.clock.advance(2 * MINUTE_MS);
    await service.sweep();
    expect((await shop.create()).payAmount).toBe(500);
    // Not written down anywhere yet: the sweep does not decide.
    service.clock.advance(58 * MINUTE_MS + 1);
    const twoMore = await createMany(2);
    expect(twoMore.map(({ payAmount }) => payAmount).sort()).toEqual(
      [verified!.payAmount, cancelled!.payAmount].sort(),
    );
    service.clock.advance(2 * MINUTE_MS);
    const released = made.slice(0, 3).map(({ payAmount }) => payAmount);
    for (let index = 0; index < 3; index += 1) expect(released).toContain((await shop.create()).payAmount);
    expect(await sharedAmounts()).toEqual([]);
  });

  it('is kept apart by the database, whoever creates on whichever replica, while others end', async () => {
    for (let round = 0; round < 3; round += 1) {
      const prices = [500, 499.5, 500.25];
      const making = createMany(66, (index) => ({ amount: prices[index % 3] }));
      const made = await making;
      await Promise.all([
        ...made.filter((_, index) => index % 4 === 0).map(({ id }) => shop.cancel(id)),
        createMany(9, (index) => ({ amount: prices[index % 3] })),
      ]);
      expect(await sharedAmounts()).toEqual([]);
      service.clock.advance(61 * MINUTE_MS);
    }
    const crowd = await createMany(110, () => ({ amount: 700 }));
    expect(crowd.filter(isOwn)).toHaveLength(99);
    expect(await sharedAmounts()).toEqual([]);
  });
});

describe('junk digits', () => {
  const submitJunk = async () => {
    const junk = await createMany(99, () => ({ expiresInSeconds: 60 }));
    for (const [index, { id }] of junk.entries())
      await shop.submit(id, { last4digit: String(1_000 + index) });
    return junk;
  };

  it('attack: do not hold 99 amounts for the grace, but until an hour after the lifetime', async () => {
    const junk = await submitJunk();
    service.clock.advance(5 * MINUTE_MS);
    await shop.heartbeat();
    service.clock.advance(5 * MINUTE_MS);
    await shop.heartbeat();
    expect((await shop.create()).payAmount).toBe(500);
    service.clock.advance(51 * MINUTE_MS);
    const own = await shop.create();
    expect(isOwn(own)).toBe(true);
    expect(await shop.stateOf(junk[0]!.id)).toBe('submitted');
    // Its receipt verifies it, although the junk waits for the same amount.
    await shop.receipt({ last4digit: '0042', amount: own.payAmount });
    expect((await shop.submit(own.id, { last4digit: '0042' })).body.status).toBe('verified');
  });

  it('honest: while the phone is silent digits are not known to be wrong, and amounts stay reserved', async () => {
    await submitJunk();
    service.clock.advance(61 * MINUTE_MS);
    expect((await shop.create()).payAmount).toBe(500);
  });
});

describe('when all amounts are taken', () => {
  it('digits verify the plain one while it is the only open one, and that is told', async () => {
    const before = await ranOut();
    const others = await createMany(99);
    const first = await shop.create();
    expect(first.payAmount).toBe(500);
    expect(await ranOut()).toBe(before + 1);
    const noted = await service.test.database.query(
      'SELECT currency, amount_minor::integer, until > $2 AS shown FROM amount_shortages WHERE store_id = $1',
      [shop.store.id, service.clock.now()],
    );
    expect(noted).toEqual([{ currency: 'BDT', amount_minor: 50_000, shown: true }]);
    const second = await shop.create();
    for (const { id } of others) await shop.cancel(id);
    await shop.receipt({ last4digit: '0042', amount: 500 });
    // A payment with the amount of its own was asked for the plain one, too (contract 4.90).
    expect((await shop.submit(first.id, { last4digit: '0042' })).body.reviewReason).toBe('flagged');
    await shop.cancel(first.id);
    await shop.receipt({ last4digit: '0043', amount: 500 });
    expect((await shop.submit(second.id, { last4digit: '0043' })).body.status).toBe('verified');
  });

  it('attack: who guesses right at the plain amount takes nothing', async () => {
    await createMany(99);
    const [honest, thief] = [await shop.create(), await shop.create()];
    await shop.submit(thief.id, { last4digit: '0042' });
    await shop.receipt({ last4digit: '0042', amount: 500 });
    expect(await shop.stateOf(thief.id)).toBe('review: flagged');
    expect((await shop.submit(honest.id, { last4digit: '0042' })).body.reviewReason).toBe('ambiguous');
  });

  it('attack: nor who has that amount by another price', async () => {
    const neighbours = await createMany(99, () => ({ amount: 499.5 }));
    const thief = neighbours.find(({ payAmount }) => payAmount === 500);
    // The neighbours' amounts reach to 500.49, so fifty are left.
    await createMany(50);
    const honest = await shop.create();
    if (thief === undefined || honest.payAmount !== 500)
      throw new Error('Both have the plain amount by now.');
    await shop.submit(thief.id, { last4digit: '0042' });
    await shop.receipt({ last4digit: '0042', amount: 500 });
    expect(await shop.stateOf(thief.id)).toBe('review: flagged');
    expect((await shop.submit(honest.id, { last4digit: '0042' })).body.reviewReason).toBe('ambiguous');
  });
});

describe('guessing', () => {
  const DIGITS = Array.from({ length: 30 }, (_, index) => String(1_000 + index));

  it('attack: one who guesses right every time takes nothing, and no honest payer waits for a user', async () => {
    const thieves = await createMany(30);
    const honest = await createMany(30);
    for (const [index, thief] of thieves.entries()) {
      for (const last4digit of DIGITS.slice(index % 6, 30)
        .filter((_, at) => at % 6 === 0)
        .slice(0, 5))
        await shop.submit(thief.id, { last4digit });
    }
    for (const [index, { id, payAmount }] of honest.entries()) {
      const last4digit = DIGITS[index]!;
      // Some enter before the wallet's message has come, some afterwards.
      if (index % 2 === 0) await shop.submit(id, { last4digit });
      await shop.receipt({ last4digit, amount: payAmount });
      if (index % 2 === 1) await shop.submit(id, { last4digit });
    }
    const states = await Promise.all([...thieves, ...honest].map(({ id }) => shop.stateOf(id)));
    expect(states.slice(0, 30).filter((state) => state === 'verified')).toEqual([]);
    expect(new Set(states.slice(30))).toEqual(new Set(['verified']));
  });

  it('the same without amounts of their own: the guesser who guesses right takes what the protection lets him', async () => {
    await shop.change({ uniqueAmounts: false });
    const [thief, honest] = await createMany(2);
    await shop.submit(thief!.id, { last4digit: '0042' });
    await shop.receipt({ last4digit: '0042', amount: 500 });
    expect(await shop.stateOf(thief!.id)).toBe('verified');
    expect((await shop.submit(honest!.id, { last4digit: '0042' })).body.reviewReason).toBe('trx_id_used');
  });
});
