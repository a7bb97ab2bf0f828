import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId, startMoneyService } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';
import { startTestApp } from '../../support/test-app.js';

/*
 * Rules: contract 3.18, 3.19, 3.23, 3.27, 3.35, 4.10, 4.12, 4.14, 4.53 to 4.59, 4.61 to 4.66, 4.71, 5.9, 5.15, 5.16,
 * 6.44.
 *
 * Goal: Bangla QR (specification §3, contract 4.54): digits, amount and time are the key, to the millisecond, and
 * whatever is not certain goes to a user. Method: a clock that is moved by hand, two replicas in turn.
 */

const WINDOW_MS = 3 * MINUTE_MS;

const { service, shop } = useShop();

const DIGITS = '0042';
const enter = (paymentId: string, last4digit = DIGITS) => shop.submit(paymentId, { last4digit });
const money = (body: Record<string, unknown> = {}) => shop.receipt({ last4digit: DIGITS, ...body });

describe('the window', () => {
  it.each([
    ['at the same instant', 0, 'verified'],
    ['exactly three minutes before the digits', -WINDOW_MS, 'verified'],
    ['a millisecond earlier than that', -WINDOW_MS - 1, 'submitted'],
  ])('takes money that came %s', async (_when, offset, end) => {
    const { id } = await shop.create();
    const receivedAt = service.clock.isoIn(offset);
    await enter(id);
    // The message may be forwarded much later; what counts is when the wallet says that the money came.
    service.clock.advance(HOUR_MS);
    const { body } = await money({ receivedAt });
    expect(body.status).toBe(end === 'verified' ? 'matched' : 'unmatched');
    expect(await shop.stateOf(id)).toBe(end);
  });

  it.each([
    ['exactly three minutes behind the digits', WINDOW_MS, 'verified'],
    ['a millisecond later than that', WINDOW_MS + 1, 'submitted'],
  ])('takes money that comes %s', async (_when, delay, end) => {
    const { id } = await shop.create();
    await enter(id);
    service.clock.advance(delay);
    expect((await money()).body.status).toBe(end === 'verified' ? 'matched' : 'unmatched');
    expect(await shop.stateOf(id)).toBe(end);
  });

  it.each([
    ['exactly three minutes behind the money', WINDOW_MS, 200],
    ['a millisecond later than that', WINDOW_MS + 1, 202],
  ])('takes digits that are entered %s', async (_when, delay, status) => {
    const { id } = await shop.create();
    expect((await money()).body.status).toBe('unmatched');
    service.clock.advance(delay);
    expect((await enter(id)).status).toBe(status);
  });

  it('takes a time in the future for a wrong clock: the arrival counts', async () => {
    const [before, after, tooLate] = [
      await shop.create(),
      await shop.create({ amount: 600 }),
      await shop.create({ amount: 700 }),
    ];
    await enter(before.id);
    service.clock.advance(WINDOW_MS);
    expect((await money({ receivedAt: service.clock.isoIn(24 * HOUR_MS) })).body).toMatchObject({
      status: 'matched',
      paymentId: before.id,
    });
    await money({ amount: 600, receivedAt: service.clock.isoIn(2 * HOUR_MS) });
    await money({ amount: 700, receivedAt: service.clock.isoIn(2 * HOUR_MS) });
    service.clock.advance(WINDOW_MS);
    expect((await enter(after.id)).status).toBe(200);
    service.clock.advance(1);
    expect((await enter(tooLate.id)).status).toBe(202);
  });

  it('opens again when the digits are entered again, and the first one is not forgotten', async () => {
    const [again, first] = [await shop.create(), await shop.create({ amount: 600 })];
    for (const { id } of [again, first]) await enter(id);
    const soonAfter = service.clock.isoIn(MINUTE_MS);
    service.clock.advance(10 * MINUTE_MS);
    for (const { id } of [again, first]) expect((await enter(id)).status).toBe(202);
    // Money that comes now, and money of then whose message was on its way for ten minutes.
    expect((await money()).body).toMatchObject({ status: 'matched', paymentId: again.id });
    expect((await money({ amount: 600, receivedAt: soonAfter })).body).toMatchObject({
      status: 'matched',
      paymentId: first.id,
    });
  });

  it('that a repetition has opened is the sweep’s, too', async () => {
    const [holder, waiting] = [await shop.create(), await shop.create()];
    await enter(waiting.id);
    service.clock.advance(10 * MINUTE_MS);
    await shop.submit(holder.id, { last4digit: DIGITS, provider: 'bkash' });
    await money();
    // Held only in review, it is still to be had: a user sees both, and the one is let go.
    expect((await enter(waiting.id)).body).toEqual({ status: 'review', reviewReason: 'ambiguous' });
    await shop.cancel(holder.id, { receipt: 'release' });
    expect(await shop.stateOf(waiting.id)).toBe('verified');
  });

  it('between two submissions of the same digits is closed', async () => {
    const { id } = await shop.create();
    await enter(id);
    const between = service.clock.isoIn(5 * MINUTE_MS);
    service.clock.advance(10 * MINUTE_MS);
    await enter(id);
    expect((await money({ receivedAt: between })).body.status).toBe('unmatched');
    expect(await shop.stateOf(id)).toBe('submitted');
  });

  it('repeats do not move the time of the submission, which the merchant sees', async () => {
    const { id } = await shop.create();
    await enter(id);
    const { submittedAt } = await shop.get(id);
    service.clock.advance(MINUTE_MS);
    await enter(id);
    expect((await shop.get(id)).submittedAt).toBe(submittedAt);
  });

  it('is as wide as QR_WINDOW says', async () => {
    const narrow = await startMoneyService({ environment: { QR_WINDOW: '10s' } });
    try {
      const own = await narrow.openShop();
      const [inside, outside] = [await own.create(), await own.create({ amount: 600 })];
      await own.submit(inside.id, { last4digit: DIGITS });
      await own.submit(outside.id, { last4digit: DIGITS });
      narrow.clock.advance(10_000);
      expect((await own.receipt({ last4digit: DIGITS })).body.status).toBe('matched');
      narrow.clock.advance(1);
      expect((await own.receipt({ last4digit: DIGITS, amount: 600 })).body.status).toBe('unmatched');
    } finally {
      await narrow.close();
    }
  });
});

describe('digits and amount', () => {
  it('keep their leading zeros', async () => {
    const { id } = await shop.create();
    expect((await enter(id, '0042')).status).toBe(202);
    expect((await money({ last4digit: '4200' })).body.status).toBe('unmatched');
    expect((await money({ last4digit: '0420' })).body.status).toBe('unmatched');
    expect((await money({ last4digit: '0042' })).body).toMatchObject({ status: 'matched', paymentId: id });
    for (const last4digit of ['42', '00042', '0042 ', '٠٠٤٢', 'abcd', '', 42, ['0042']]) {
      expect((await shop.submit(id, { last4digit: last4digit as string })).status).toBe(400);
      expect((await shop.receipt({ last4digit })).status).toBe(400);
    }
  });

  it('are one key: with another amount or currency there is no match, and the payment waits', async () => {
    const { id } = await shop.create();
    await enter(id);
    const inDollars = { currency: 'USD', provider: 'own_wallet', receivedAt: service.clock.isoIn(-1) };
    for (const other of [{ amount: 499.99 }, { amount: 500.01 }, inDollars]) {
      expect((await money(other)).body.status).toBe('unmatched');
      expect(await shop.stateOf(id)).toBe('submitted');
    }
    expect((await money()).body.status).toBe('matched');
    expect(await shop.get(id)).toMatchObject({
      status: 'verified',
      provider: 'qr',
      trxId: null,
      payerNumber: null,
    });
  });

  it('belong to one store', async () => {
    const elsewhere = await service.openShop();
    const { id } = await shop.create();
    await enter(id);
    expect((await elsewhere.receipt({ last4digit: DIGITS })).body.status).toBe('unmatched');
    expect(await shop.stateOf(id)).toBe('submitted');
  });

  it('verify with a TrxID in the message, too, which the payment then has', async () => {
    const [byDigits, byTrxId] = [await shop.create(), await shop.create({ amount: 600 })];
    await enter(byDigits.id);
    const [first, second] = [newTrxId(), newTrxId()];
    await money({ trxId: first, provider: 'qr' });
    expect(await shop.get(byDigits.id)).toMatchObject({
      status: 'verified',
      provider: 'qr',
      trxId: first,
    });
    await shop.submit(byTrxId.id, { trxId: second });
    await money({ trxId: second, provider: 'qr', amount: 600 });
    expect(await shop.get(byTrxId.id)).toMatchObject({ status: 'verified', trxId: second });
  });

  it('fit `qr` whatever wallet the money came through, and only the named one otherwise', async () => {
    const [method, wallet] = [
      await shop.create({ provider: 'qr' }),
      await shop.create({ provider: 'bkash', amount: 600 }),
    ];
    for (const { id } of [method, wallet]) await enter(id);
    await money({ provider: 'rocket' });
    await money({ provider: 'rocket', amount: 600 });
    expect(await shop.stateOf(method.id)).toBe('verified');
    expect(await shop.stateOf(wallet.id)).toBe('review: wrong_wallet');
  });

  it('that were replaced by what the payer entered next verify nothing, and are not lost', async () => {
    const { id } = await shop.create();
    await enter(id, '1111');
    await enter(id, '2222');
    expect((await money({ last4digit: '1111' })).body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.stateOf(id)).toBe('review: flagged');
  });

  it('never stand in for the TrxID of another wallet', async () => {
    const { id } = await shop.create();
    const trxId = newTrxId();
    await enter(id);
    expect((await money({ trxId, provider: 'nagad', counterparty: '01700000002' })).body.status).toBe(
      'unmatched',
    );
    expect(await shop.stateOf(id)).toBe('submitted');
    expect((await shop.submit(id, { trxId })).body.status).toBe('verified');
  });

  it('are taken only where the store offers Bangla QR', async () => {
    const other = await service.openShop({
      wallets: [{ provider: 'qr', accountType: 'merchant', enabled: false }],
    });
    const { id } = await other.create();
    const { status, body } = await other.submit(id, { last4digit: DIGITS });
    expect([status, body.code]).toEqual([409, 'payment.qr_not_offered']);
    await other.change({ wallets: [{ provider: 'qr', accountType: 'merchant' }] });
    expect((await other.submit(id, { last4digit: DIGITS })).status).toBe(202);
  });
});

describe('tries', () => {
  const digits = (index: number) => String(1000 + index);

  it('are five: the sixth different submission is refused until the lifetime ends, on every replica, also a new one', async () => {
    const { id } = await shop.create({ expiresInSeconds: 600 });
    for (let index = 0; index < 5; index += 1) expect((await enter(id, digits(index))).status).toBe(202);
    service.clock.advance(100_400);
    for (let repetition = 0; repetition < 4; repetition += 1) {
      const refusal = await enter(id, digits(5));
      expect([refusal.status, refusal.body.code]).toEqual([429, 'payment.too_many_attempts']);
      // 499.6 s are left, in whole seconds that are never too short.
      expect(refusal.headers.get('retry-after')).toBe('500');
    }
    const restarted = await startTestApp({ database: service.test.database, clock: service.clock });
    try {
      const answer = await restarted.http.post<{ code: string }>(`/api/v1/payments/public/${id}/verify`, {
        last4digit: digits(6),
      });
      expect([answer.status, answer.body.code]).toEqual([429, 'payment.too_many_attempts']);
    } finally {
      await restarted.close();
    }
    // What was entered before is still free.
    for (let index = 0; index < 5; index += 1) expect((await enter(id, digits(index))).status).toBe(202);
    expect((await money({ last4digit: digits(4) })).body).toMatchObject({ status: 'matched', paymentId: id });
  });

  it('beyond the fifth never verify, and never shut money out: it goes to a user, and the answer is the same', async () => {
    const [there, comes, guesser] = [
      await shop.create(),
      await shop.create({ amount: 600 }),
      await shop.create({ amount: 700 }),
    ];
    for (const { id } of [there, comes, guesser])
      for (let index = 0; index < 5; index += 1) await enter(id, digits(index));
    await money({ last4digit: digits(7) });
    expect((await enter(there.id, digits(7))).status).toBe(429);
    expect((await enter(comes.id, digits(8))).status).toBe(429);
    await money({ last4digit: digits(8), amount: 600 });
    for (const { id } of [there, comes]) expect(await shop.stateOf(id)).toBe('review: flagged');
    // Twice as many are kept; what is beyond is nothing.
    for (let index = 10; index < 20; index += 1)
      expect((await enter(guesser.id, digits(index))).status).toBe(429);
    expect((await money({ last4digit: digits(19), amount: 700 })).body.status).toBe('unmatched');
  });

  it('are counted for each kind: ten TrxIDs beside five submissions of digits', async () => {
    const { id } = await shop.create();
    for (let index = 0; index < 5; index += 1) expect((await enter(id, digits(index))).status).toBe(202);
    for (let index = 0; index < 10; index += 1) {
      expect((await shop.submit(id, { trxId: `TRIES${index}` })).status).toBe(202);
    }
    const refusal = await shop.submit(id, { trxId: 'TRIES10' });
    expect([refusal.status, refusal.body.code]).toEqual([429, 'payment.too_many_attempts']);
    expect(refusal.headers.get('retry-after')).toBe('3600');
    expect((await shop.submit(id, { trxId: 'tri es9' })).status).toBe(202);
  });

  it('count a TrxID that is used, so that nobody can ask for many', async () => {
    const { id } = await shop.create();
    const used = await Promise.all(
      Array.from({ length: 11 }, async () => {
        const trxId = newTrxId();
        const other = await shop.create();
        await shop.receipt({ trxId });
        await shop.submit(other.id, { trxId });
        return trxId;
      }),
    );
    for (const trxId of used.slice(0, 10)) expect((await shop.submit(id, { trxId })).status).toBe(409);
    expect((await shop.submit(id, { trxId: used[10]! })).status).toBe(429);
    expect((await shop.submit(id, { trxId: used[0]! })).status).toBe(409);
  });

  it('are five of twenty at the same instant, over two replicas', async () => {
    const { id } = await shop.create();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => enter(id, digits(index))));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(202), ...Array<number>(15).fill(429)]);
  });

  it('are free while the current submission is repeated', async () => {
    const { id } = await shop.create();
    for (let repetition = 0; repetition < 12; repetition += 1) expect((await enter(id)).status).toBe(202);
    for (let index = 0; index < 4; index += 1) expect((await enter(id, digits(index))).status).toBe(202);
    expect((await enter(id, digits(5))).status).toBe(429);
  });

  it('of one payment are none of another', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    for (let index = 0; index < 6; index += 1) await enter(first.id, digits(index));
    expect((await enter(second.id, digits(9))).status).toBe(202);
  });
});

describe('what is not certain', () => {
  it('one payment and two receipts that were there: a user chooses, and the other money is free', async () => {
    const { id } = await shop.create();
    const first = await money({ provider: 'qr', trxId: newTrxId() });
    const second = await money({ provider: 'qr', trxId: newTrxId() });
    expect([first.body.status, second.body.status]).toEqual(['unmatched', 'unmatched']);
    expect((await enter(id)).body).toEqual({ status: 'review', reviewReason: 'ambiguous' });
    for (const { body } of [first, second]) {
      expect(await shop.receiptOf(body.receiptId)).toMatchObject({ status: 'review', paymentId: null });
    }
    expect((await shop.approve(id)).body.code).toBe('payment.receipt_required');
    expect((await shop.approve(id, second.body.receiptId)).body).toMatchObject({ status: 'verified' });
    expect((await shop.receiptOf(second.body.receiptId)).status).toBe('matched');
    expect((await shop.receiptOf(first.body.receiptId)).status).toBe('unmatched');
  });

  it('two payments and one receipt: both go to a user, also one that comes later', async () => {
    const payments = [await shop.create(), await shop.create()];
    for (const { id } of payments) expect((await enter(id)).status).toBe(202);
    const receipt = await money();
    expect(receipt.body).toEqual({ receiptId: receipt.body.receiptId, status: 'review' });
    const third = await shop.create();
    expect((await enter(third.id)).body).toEqual({ status: 'review', reviewReason: 'ambiguous' });
    for (const { id } of [...payments, third]) expect(await shop.stateOf(id)).toBe('review: ambiguous');
    expect(await shop.events()).toEqual([]);
    // One gets it; for the others there is nothing to approve.
    expect((await shop.approve(payments[1]!.id, receipt.body.receiptId)).body.status).toBe('verified');
    expect(await shop.stateOf(third.id)).toBe('review: trx_id_used');
    expect((await shop.approve(third.id, receipt.body.receiptId)).body.code).toBe('receipt.already_matched');
    expect((await shop.reject(third.id)).body.status).toBe('cancelled');
  });

  it('a second receipt while the first is contested joins it', async () => {
    const payments = [await shop.create(), await shop.create()];
    for (const { id } of payments) await enter(id);
    const first = await money();
    const second = await money({ receivedAt: service.clock.isoIn(-1) });
    expect([first.body.status, second.body.status]).toEqual(['review', 'review']);
    await shop.approve(payments[0]!.id, second.body.receiptId);
    expect((await shop.receiptOf(first.body.receiptId)).status).toBe('review');
    await shop.approve(payments[1]!.id, first.body.receiptId);
    expect(await shop.events()).toHaveLength(2);
  });

  it.each(['cancel', 'reject'] as const)(
    'is certain again when all but one gave up: after %s, where it was said that the money may pay',
    async (how) => {
      const payments = [await shop.create(), await shop.create()];
      for (const { id } of payments) await enter(id);
      await money();
      const ending = { receipt: 'release' } as const;
      await (how === 'cancel'
        ? shop.cancel(payments[0]!.id, ending)
        : shop.reject(payments[0]!.id, 'No.', ending));
      expect(await shop.stateOf(payments[1]!.id)).toBe('verified');
    },
  );

  it('stays a user’s when all but one gave up, and nobody said that the money may pay', async () => {
    const payments = [await shop.create(), await shop.create()];
    for (const { id } of payments) await enter(id);
    const receipt = await money();
    await shop.cancel(payments[0]!.id);
    expect((await shop.receiptOf(receipt.body.receiptId)).paymentId).toBe(payments[1]!.id);
    expect(await shop.stateOf(payments[1]!.id)).toBe('review: flagged');
    await shop.cancel(payments[1]!.id);
    expect((await shop.receiptOf(receipt.body.receiptId)).status).toBe('unmatched');
    const next = await shop.create();
    expect((await enter(next.id)).body).toEqual({ status: 'review', reviewReason: 'flagged' });
    expect((await shop.approve(next.id)).body.status).toBe('verified');
  });

  it('frees the money also when all give up at the same instant', async () => {
    for (let round = 0; round < 10; round += 1) {
      const payments = await Promise.all([1, 2, 3].map(() => shop.create({ amount: 100 + round })));
      for (const { id } of payments) await enter(id);
      const receipt = await money({ amount: 100 + round });
      await Promise.all(payments.map(({ id }) => shop.cancel(id)));
      expect((await shop.receiptOf(receipt.body.receiptId)).status).toBe('unmatched');
    }
  });

  it('is money that has come free while another payer waits for it, for the next one who enters the digits', async () => {
    const [holder, waiting, next] = [await shop.create(), await shop.create(), await shop.create()];
    await shop.submit(holder.id, { last4digit: DIGITS, provider: 'bkash' });
    const receipt = await money();
    expect(await shop.stateOf(holder.id)).toBe('review: wrong_wallet');
    expect((await enter(waiting.id)).body).toEqual({ status: 'review', reviewReason: 'ambiguous' });
    expect((await enter(next.id)).body).toEqual({ status: 'review', reviewReason: 'ambiguous' });
    await shop.cancel(holder.id, { receipt: 'release' });
    // Two fit it exactly: nobody knows whose it is.
    expect(await shop.stateOf(waiting.id)).toBe('review: ambiguous');
    expect(await shop.stateOf(next.id)).toBe('review: ambiguous');
    expect((await shop.receiptOf(receipt.body.receiptId)).status).toBe('review');
  });

  it('is not what lies outside the window, or has another amount', async () => {
    const [old, current, other] = [
      await shop.create(),
      await shop.create(),
      await shop.create({ amount: 600 }),
    ];
    await enter(old.id);
    service.clock.advance(WINDOW_MS + 1);
    await enter(current.id);
    await enter(other.id);
    expect((await money()).body).toMatchObject({ status: 'matched', paymentId: current.id });
    expect(await shop.stateOf(old.id)).toBe('submitted');
    expect(await shop.stateOf(other.id)).toBe('submitted');
  });

  it('counts another payment only if the money lies in the window of both', async () => {
    // The receipt fits both, although their submissions are almost six minutes apart.
    const [early, late] = [await shop.create(), await shop.create()];
    await enter(early.id);
    const receivedAt = service.clock.isoIn(WINDOW_MS);
    service.clock.advance(2 * WINDOW_MS);
    await money({ receivedAt });
    expect(await shop.stateOf(early.id)).toBe('verified');
    const [left, right] = [await shop.create({ amount: 600 }), await shop.create({ amount: 600 })];
    await enter(left.id);
    const between = service.clock.isoIn(WINDOW_MS);
    service.clock.advance(2 * WINDOW_MS);
    await enter(right.id);
    await money({ amount: 600, receivedAt: between });
    expect([await shop.stateOf(left.id), await shop.stateOf(right.id)]).toEqual([
      'review: ambiguous',
      'review: ambiguous',
    ]);
    expect(await shop.stateOf(late.id)).toBe('pending');
  });
});

describe('a message without a TrxID', () => {
  it('is counted once for wallet, digits, amount and time', async () => {
    const at = service.clock.isoIn(0);
    const first = await money({ receivedAt: at });
    service.clock.advance(MINUTE_MS);
    const repeated = await money({ receivedAt: at, counterparty: '0170****002', balance: 5 });
    expect(repeated.body).toEqual({ receiptId: first.body.receiptId, status: 'duplicate' });
    const others = [
      await money({ receivedAt: service.clock.isoIn(-MINUTE_MS + 1) }),
      await money({ receivedAt: at, amount: 501 }),
      await money({ receivedAt: at, provider: 'rocket' }),
      await money({ receivedAt: at, last4digit: '0043' }),
    ];
    // The same digits and amount within three minutes may be the same money told twice: kept, for a user.
    expect(others.map(({ body }) => body.status)).toEqual(['review', 'unmatched', 'review', 'unmatched']);
    expect(await shop.receiptOf(others[0]!.body.receiptId)).toMatchObject({ flags: ['possible_duplicate'] });
    const { id } = await shop.create();
    expect((await enter(id)).body.status).toBe('verified');
  });

  it('that is repeated after it has verified names the payment, and changes nothing', async () => {
    const { id } = await shop.create();
    const at = service.clock.isoIn(0);
    await enter(id);
    const first = await money({ receivedAt: at });
    const after = await shop.get(id);
    expect((await money({ receivedAt: at })).body).toEqual({
      receiptId: first.body.receiptId,
      status: 'duplicate',
      paymentId: id,
    });
    expect(await shop.get(id)).toEqual(after);
    expect(await shop.events()).toHaveLength(1);
  });

  it('of another kind is ignored, and does not make the real one a duplicate', async () => {
    const at = service.clock.isoIn(0);
    const trxId = newTrxId();
    for (const kind of ['sent', 'sent', 'Refunded', 'refund']) {
      expect((await money({ receivedAt: at, kind })).body.status).toBe('ignored');
      expect((await shop.receipt({ trxId, kind })).body.status).toBe('ignored');
    }
    expect((await money({ receivedAt: at })).body.status).toBe('unmatched');
    expect((await shop.receipt({ trxId })).body.status).toBe('unmatched');
    const [digits, standard] = [await shop.create(), await shop.create()];
    expect((await enter(digits.id)).body.status).toBe('verified');
    expect((await shop.submit(standard.id, { trxId })).body.status).toBe('verified');
  });
});

describe('too late', () => {
  it('goes to a user when the money lies in the window, and is refused otherwise', async () => {
    const [fits, misses] = [await shop.create(), await shop.create({ amount: 600 })];
    await money({ amount: 600, receivedAt: service.clock.isoIn(HOUR_MS - WINDOW_MS - 1) });
    service.clock.advance(HOUR_MS);
    await money({ amount: 600, receivedAt: service.clock.isoIn(-WINDOW_MS - 1) });
    await money({ receivedAt: service.clock.isoIn(-WINDOW_MS) });
    expect((await enter(fits.id)).body).toEqual({ status: 'review', reviewReason: 'late' });
    const refusal = await enter(misses.id);
    expect([refusal.status, refusal.body.code]).toEqual([409, 'payment.expired']);
    expect((await shop.get(fits.id)).receivedAmount).toBe(500);
  });

  it('is also what comes for digits that waited until their grace was over', async () => {
    const { id } = await shop.create();
    await enter(id);
    const receivedAt = service.clock.isoIn(MINUTE_MS);
    service.clock.advance(24 * HOUR_MS);
    await service.sweep();
    expect(await shop.stateOf(id)).toBe('expired');
    expect((await money({ receivedAt })).body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.stateOf(id)).toBe('review: late');
  });

  it('with several receipts gives none of them away', async () => {
    const { id } = await shop.create();
    service.clock.advance(HOUR_MS);
    await money({ provider: 'qr', trxId: newTrxId() });
    const second = await money({ provider: 'qr', trxId: newTrxId() });
    expect((await enter(id)).body).toEqual({ status: 'review', reviewReason: 'late' });
    expect(await shop.get(id)).toMatchObject({ receivedAmount: null });
    expect((await shop.match(second.body.receiptId, id)).body.payment.status).toBe('verified');
  });
});

describe('simulated', () => {
  it('digits verify, and say so', async () => {
    const { id } = await shop.create();
    await enter(id);
    const { body } = await shop.http.post<{ status: string; receiptId: string }>(
      '/api/webhooks/simulate',
      { storeId: shop.store.id, last4digit: DIGITS, amount: 500, type: 'in' },
      await shop.admin(),
    );
    expect(body.status).toBe('matched');
    expect(await shop.get(id)).toMatchObject({ status: 'verified', provider: 'qr', simulated: true });
    expect(await shop.receiptOf(body.receiptId)).toMatchObject({ simulated: true, provider: 'qr' });
  });

  it.each(['out', 'received', 'IN', 'refund'])('money of type %s is ignored', async (type) => {
    const { id, trxId } = await shop.submitted();
    const body = {
      storeId: shop.store.id,
      provider: 'bkash',
      trxId,
      amount: 500,
      sender: '01700000002',
      type,
    };
    const answer = await shop.http.post<{ status: string }>(
      '/api/webhooks/simulate',
      body,
      await shop.admin(),
    );
    expect([answer.status, answer.body.status]).toEqual([200, 'ignored']);
    expect(await shop.stateOf(id)).toBe('submitted');
  });
});
