import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { MissedMoneyRepository } from '../../../src/payments/intake/missed-money.repository.js';
import { PaymentsSweep } from '../../../src/payments/intake/payments.sweep.js';
import { inTurns } from '../../support/in-turns.js';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.19 to 3.22, 3.24, 3.34, 3.37 to 3.39, 3.41 to 3.44, 4.3, 4.5, 4.13, 4.17, 4.20, 4.22 to 4.25, 4.27
 * to 4.35, 4.37 to 4.40, 4.43, 4.47, 4.48, 4.51, 4.61, 4.62, 4.65, 4.68, 4.69, 4.107, 6.54.
 *
 * Goal: the rules of contract 3.17 and 4.3 cannot be used by a thief, and cost nobody honest anything. Method: each
 * attack that was seen, with the honest case beside it, over two replicas in turn and a clock that is moved by hand.
 */

const { service, shop } = useShop();

afterEach(async () => {
  vi.restoreAllMocks();
});

const AMBIGUOUS = { status: 'review', reviewReason: 'ambiguous' };

describe('who fits exactly is never kept out by who does not', () => {
  it('attack: an order for 10 does not hold away a receipt of 500', async () => {
    const trxId = newTrxId();
    const thief = await shop.create({ amount: 10 });
    const { receiptId } = (await shop.receipt({ trxId })).body;
    expect((await shop.submit(thief.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'overpaid',
    });
    const honest = await shop.create();
    expect((await shop.submit(honest.id, { trxId })).body).toEqual(AMBIGUOUS);
    expect(await shop.stateOf(thief.id)).toBe('review: overpaid');
    // A user gives it, although the thief's payment holds it.
    expect((await shop.approve(honest.id)).body.code).toBe('payment.receipt_required');
    expect((await shop.approve(honest.id, receiptId)).body).toMatchObject({ status: 'verified', trxId });
    expect(await shop.stateOf(thief.id)).toBe('review: trx_id_used');
    expect(await shop.events()).toHaveLength(1);
  });

  it('attack: twenty-five small orders that wait for a TrxID do not keep out the one of its amount', async () => {
    const trxId = newTrxId();
    const thieves = [];
    for (let index = 0; index < 25; index += 1) thieves.push(await shop.create({ amount: 10 }));
    for (const { id } of thieves) await shop.submit(id, { trxId });
    await shop.receipt({ trxId });
    const honest = await shop.create();
    expect((await shop.submit(honest.id, { trxId })).body).toEqual(AMBIGUOUS);
    const states = await Promise.all(thieves.map(({ id }) => shop.get(id)));
    expect(states.filter(({ status }) => status === 'review').length).toBeLessThan(20);
    expect(states.some(({ status }) => status === 'verified')).toBe(false);
  });

  it('attack: a hundred older submissions do not hide the one that fits', async () => {
    const trxId = newTrxId();
    for (let index = 0; index < 101; index += 1) {
      await shop.submit((await shop.create({ amount: 10 })).id, { trxId });
    }
    service.clock.advance(1);
    const honest = await shop.create();
    await shop.submit(honest.id, { trxId });
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'matched', paymentId: honest.id });
  });

  it('honest: who waits with the right amount is verified, whoever else has entered the TrxID before', async () => {
    const trxId = newTrxId();
    const [small, right] = [await shop.create({ amount: 10 }), await shop.create()];
    await shop.submit(small.id, { trxId });
    service.clock.advance(1);
    await shop.submit(right.id, { trxId });
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'matched', paymentId: right.id });
    expect(await shop.stateOf(small.id)).toBe('review: trx_id_used');
  });

  it('an submission that was answered 409 is kept, and finds its receipt when that is free', async () => {
    const trxId = newTrxId();
    const winner = await shop.create();
    await shop.submit(winner.id, { trxId });
    const { receiptId } = (await shop.receipt({ trxId, amount: 499 })).body;
    const small = await shop.create({ amount: 10 });
    expect((await shop.submit(small.id, { trxId })).body.code).toBe('payment.trx_id_used');
    expect(await shop.stateOf(small.id)).toBe('pending');
    await shop.reject(winner.id, 'Not this one.', { receipt: 'release' });
    expect(await shop.stateOf(small.id)).toBe('review: overpaid');
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(small.id);
  });
});

describe('every TrxID that was entered counts', () => {
  it('honest: a typing error after the right one loses nothing', async () => {
    const { id, trxId } = await shop.submitted();
    await shop.submit(id, { trxId: newTrxId() });
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'matched', paymentId: id });
  });

  it('attack: ten junk submissions do not shut the money out; the eleventh leads to a user', async () => {
    const { id } = await shop.create();
    for (let index = 0; index < 10; index += 1) await shop.submit(id, { trxId: newTrxId() });
    const trxId = newTrxId();
    expect((await shop.submit(id, { trxId })).status).toBe(429);
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.stateOf(id)).toBe('review: flagged');
  });
});

describe('a payment in review', () => {
  it('honest: who paid 400 of 500 and then the rest is shown with both', async () => {
    const { id } = await shop.create();
    const [first, rest] = [newTrxId(), newTrxId()];
    await shop.submit(id, { trxId: first });
    await shop.receipt({ trxId: first, amount: 400 });
    expect(await shop.stateOf(id)).toBe('review: underpaid');
    expect((await shop.submit(id, { trxId: rest })).body).toEqual({
      status: 'review',
      reviewReason: 'underpaid',
    });
    const { receiptId } = (await shop.receipt({ trxId: rest, amount: 100 })).body;
    expect((await shop.receiptOf(receiptId)).status).toBe('review');
    expect(await shop.stateOf(id)).toBe('review: underpaid');
  });

  it('attack: poisoned with Tk 1 by a stranger, the payer’s own money still counts', async () => {
    const { id } = await shop.create();
    const [poison, own] = [newTrxId(), newTrxId()];
    await shop.receipt({ trxId: poison, amount: 1 });
    await shop.submit(id, { trxId: poison });
    expect(await shop.stateOf(id)).toBe('review: underpaid');
    const { receiptId } = (await shop.receipt({ trxId: own })).body;
    expect((await shop.submit(id, { trxId: own })).body).toEqual(AMBIGUOUS);
    expect((await shop.approve(id, receiptId)).body).toMatchObject({ status: 'verified', trxId: own });
  });
});

describe('void', () => {
  it('attack: a receipt that was refunded does not pay again', async () => {
    const { id, trxId } = await shop.submitted();
    const { receiptId } = (await shop.receipt({ trxId, amount: 499 })).body;
    expect((await shop.reject(id, 'Refunded to the sender.', { receipt: 'void' })).body.status).toBe(
      'cancelled',
    );
    expect((await shop.receiptOf(receiptId)).status).toBe('void');
    const next = await shop.create({ amount: 499 });
    const refused = await shop.submit(next.id, { trxId });
    expect([refused.status, refused.body.code]).toEqual([409, 'payment.trx_id_used']);
    expect((await shop.match(receiptId, next.id)).body.code).toBe('receipt.void');
    expect((await shop.receipt({ trxId, amount: 499 })).body.status).toBe('duplicate');
  });

  it('honest: restored, it pays who waits for it', async () => {
    const { receiptId } = (await shop.receipt({ trxId: 'RESTORED1' })).body;
    expect((await shop.voidReceipt(receiptId)).body.status).toBe('void');
    expect((await shop.voidReceipt(receiptId)).body.code).toBe('receipt.void');
    const { id } = await shop.create();
    expect((await shop.submit(id, { trxId: 'RESTORED1' })).status).toBe(409);
    expect((await shop.restoreReceipt(receiptId)).status).toBe(200);
    expect(await shop.stateOf(id)).toBe('verified');
    const lines = (await shop.auditLog()).map(({ action }) => action);
    expect(lines.slice(0, 2)).toEqual(['receipt.restored', 'receipt.voided']);
  });

  it('stands in the audit log also when the store’s own key does it, with the payment it was in review for', async () => {
    const { id, trxId } = await shop.submitted();
    const { receiptId } = (await shop.receipt({ trxId, amount: 499 })).body;
    expect((await shop.cancel(id, { receipt: 'void' })).body.status).toBe('cancelled');
    expect((await shop.receiptOf(receiptId)).status).toBe('void');
    const [line] = await shop.auditLog();
    expect(line).toMatchObject({
      action: 'payment.cancelled',
      actor: { type: 'api_key', id: null },
      address: '127.0.0.1',
      details: {
        paymentId: id,
        receiptId,
        receipt: 'void',
        status: { before: 'review', after: 'cancelled' },
      },
    });
    // Without money there is nothing to answer for.
    await shop.cancel((await shop.create()).id);
    expect((await shop.auditLog())[0]).toEqual(line);
  });

  it('refuses what a payment holds, and names nothing for one that holds none', async () => {
    const { trxId } = await shop.submitted();
    const { receiptId } = (await shop.receipt({ trxId, amount: 499 })).body;
    expect((await shop.voidReceipt(receiptId)).body.code).toBe('receipt.claimed');
    const empty = await shop.create();
    expect((await shop.cancel(empty.id, { receipt: 'void' })).body.status).toBe('cancelled');
  });

  it('of a payment that claims receipts needs the one that is meant', async () => {
    const trxId = newTrxId();
    const [first, second] = [await shop.create({ amount: 10 }), await shop.create()];
    const { receiptId } = (await shop.receipt({ trxId })).body;
    await shop.submit(first.id, { trxId });
    await shop.submit(second.id, { trxId });
    expect((await shop.reject(second.id, 'Fraud.', { receipt: 'void' })).body.code).toBe(
      'payment.receipt_required',
    );
    const held = await shop.reject(second.id, 'Fraud.', { receipt: 'void', receiptId });
    expect(held.body.code).toBe('receipt.claimed');
  });
});

describe('letting go', () => {
  it('attack: rejected without a word, a receipt does not verify the next order by itself', async () => {
    const { id, trxId } = await shop.submitted();
    await shop.receipt({ trxId, amount: 499 });
    await shop.reject(id, 'Refunded to the sender.');
    const next = await shop.create({ amount: 499 });
    expect((await shop.submit(next.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'flagged',
    });
  });

  it('an expired payment whose exact receipt is held only in review goes to review', async () => {
    const trxId = newTrxId();
    const late = await shop.create({ expiresInSeconds: 60 });
    const holder = await shop.create({ amount: 10 });
    service.clock.advance(MINUTE_MS);
    await shop.receipt({ trxId });
    await shop.submit(holder.id, { trxId });
    expect((await shop.submit(late.id, { trxId })).body).toEqual({ status: 'review', reviewReason: 'late' });
  });
});

describe('old money', () => {
  it('attack: a receipt of 2019 pays no order of today; the counter’s of twenty minutes ago neither, where the shop says so', async () => {
    const [old, counter] = [newTrxId(), newTrxId()];
    await shop.receipt({ trxId: old, receivedAt: '2019-05-01T10:00:00.000Z' });
    expect((await shop.submit((await shop.create()).id, { trxId: old })).body).toEqual({
      status: 'review',
      reviewReason: 'old_money',
    });
    await shop.receipt({ trxId: counter, receivedAt: service.clock.isoIn(-20 * MINUTE_MS) });
    await shop.change({ receiptLead: '10m' });
    const { id } = await shop.create();
    expect((await shop.submit(id, { trxId: counter })).body.status).toBe('review');
    expect((await shop.approve(id)).body.status).toBe('verified');
  });

  it('honest: money that came before the order was made, within the lead, and a phone that is days late, pay', async () => {
    const [before, late] = [newTrxId(), newTrxId()];
    await shop.receipt({ trxId: before, receivedAt: service.clock.isoIn(-30 * MINUTE_MS) });
    expect((await shop.submit((await shop.create()).id, { trxId: before })).body.status).toBe('verified');
    const { id } = await shop.create({ expiresInSeconds: 30 * 86_400 });
    await shop.submit(id, { trxId: late });
    const receivedAt = service.clock.isoIn(MINUTE_MS);
    service.clock.advance(20 * HOUR_MS);
    expect((await shop.receipt({ trxId: late, receivedAt })).body).toMatchObject({
      status: 'matched',
      paymentId: id,
    });
  });
});

describe('simulated receipts', () => {
  it('attack: simulated before simulation was switched off, or more than an hour ago, they verify nothing', async () => {
    const [early, off] = [newTrxId(), newTrxId()];
    await shop.simulate({ trxId: early });
    service.clock.advance(HOUR_MS + 1);
    expect((await shop.submit((await shop.create()).id, { trxId: early })).status).toBe(202);
    await shop.simulate({ trxId: off });
    await shop.change({ simulationEnabled: false });
    const { id } = await shop.create();
    expect((await shop.submit(id, { trxId: off })).status).toBe(202);
    // The real one is no duplicate of it, and pays.
    expect((await shop.receipt({ trxId: off })).body).toMatchObject({ status: 'matched', paymentId: id });
    expect((await shop.get(id)).simulated).toBe(false);
  });

  it('attack: switched off, no user verifies by one either: not with one that is free, nor with the one in review', async () => {
    const [free, held] = [newTrxId(), newTrxId()];
    const { receiptId } = (await shop.simulate({ trxId: free })).body;
    const { id } = await shop.create();
    await shop.submit(id, { trxId: held });
    await shop.simulate({ trxId: held, amount: 1 });
    await shop.change({ simulationEnabled: false });
    const refused = { status: 403, body: { code: 'simulate.disabled' } };
    expect(await shop.match(receiptId, (await shop.create()).id)).toMatchObject(refused);
    expect(await shop.approve(id, receiptId)).toMatchObject(refused);
    expect(await shop.approve(id)).toMatchObject(refused);
    expect(await shop.stateOf(id)).toBe('review: underpaid');
    await shop.change({ simulationEnabled: true });
    expect((await shop.approve(id)).body).toMatchObject({ status: 'verified', simulated: true });
  });

  it('in review over a simulated one, a payment is decided anew by the real one', async () => {
    const { id, trxId } = await shop.submitted();
    await shop.simulate({ trxId, amount: 1 });
    expect(await shop.stateOf(id)).toBe('review: underpaid');
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'matched', paymentId: id });
    expect(await shop.get(id)).toMatchObject({ status: 'verified', simulated: false, receivedAmount: 500 });
  });

  it('verified by a simulated one, a payment stays so, and the real one waits for a user', async () => {
    const { id, trxId } = await shop.submitted();
    await shop.simulate({ trxId });
    expect(await shop.get(id)).toMatchObject({ status: 'verified', simulated: true });
    const { receiptId, status } = (await shop.receipt({ trxId })).body;
    expect(status).toBe('review');
    const next = await shop.create();
    expect((await shop.submit(next.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'flagged',
    });
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(next.id);
  });
});

describe('the phone the money came from', () => {
  it('decides between two that fit exactly', async () => {
    const trxId = newTrxId();
    const thief = await shop.create({ customerPhone: '01811111111' });
    const honest = await shop.create({ customerPhone: '+880 1700-000002' });
    await shop.submit(thief.id, { trxId });
    service.clock.advance(1);
    await shop.submit(honest.id, { trxId });
    expect((await shop.receipt({ trxId, counterparty: '01700***002' })).body).toMatchObject({
      status: 'matched',
      paymentId: honest.id,
    });
    expect(await shop.stateOf(thief.id)).toBe('review: trx_id_used');
  });

  it('attack: a thief with the phone of the payer does not win as the first; a user decides', async () => {
    const trxId = newTrxId();
    const phone = '01700000002';
    const [thief, honest, other] = [
      await shop.create({ customerPhone: phone }),
      await shop.create({ customerPhone: phone }),
      await shop.create({ customerPhone: '01811111111' }),
    ];
    for (const { id } of [thief, honest, other]) {
      await shop.submit(id, { trxId });
      service.clock.advance(1);
    }
    expect((await shop.receipt({ trxId, counterparty: phone })).body.status).toBe('review');
    expect(await shop.stateOf(thief.id)).toBe('review: ambiguous');
    expect(await shop.stateOf(honest.id)).toBe('review: ambiguous');
    expect(await shop.stateOf(other.id)).toBe('review: trx_id_used');
  });

  it('against one that gave no phone both go to a user; too few digits to see decide nothing', async () => {
    const [trxId, masked] = [newTrxId(), newTrxId()];
    const [silent, honest] = [await shop.create(), await shop.create({ customerPhone: '01700000002' })];
    for (const { id } of [silent, honest]) await shop.submit(id, { trxId });
    await shop.receipt({ trxId });
    for (const { id } of [silent, honest]) expect(await shop.stateOf(id)).toBe('review: ambiguous');
    const [first, second] = [await shop.create(), await shop.create({ customerPhone: '01700000002' })];
    await shop.submit(first.id, { trxId: masked });
    service.clock.advance(1);
    await shop.submit(second.id, { trxId: masked });
    expect((await shop.receipt({ trxId: masked, counterparty: '017*****002' })).body.paymentId).toBe(
      first.id,
    );
  });

  it.each([
    ['another', '01811111111'],
    ['the same', '01700000002'],
    ['not given', null],
  ])('shows a user who comes later, when the phone of who was verified is %s', async (_what, phone) => {
    const trxId = newTrxId();
    const thief = await shop.create({ customerPhone: phone });
    await shop.submit(thief.id, { trxId });
    await shop.receipt({ trxId });
    expect(await shop.stateOf(thief.id)).toBe('verified');
    // In review already, it stays there, and its payer is not refused (contract 4.37).
    const other = newTrxId();
    const inReview = await shop.create({ customerPhone: '01700000002' });
    await shop.submit(inReview.id, { trxId: other });
    await shop.receipt({ trxId: other, amount: 400 });
    expect((await shop.submit(inReview.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'underpaid',
    });
    const honest = await shop.create({ customerPhone: '01700000002' });
    expect((await shop.submit(honest.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'trx_id_used',
    });
    const stranger = await shop.create();
    expect((await shop.submit(stranger.id, { trxId })).body.code).toBe('payment.trx_id_used');
  });
});

describe('currency and owners', () => {
  it('attack: 500 taka do not verify 500 dollars', async () => {
    const dollars = await service.openShop({ currency: 'USD' });
    const { id } = await dollars.create();
    const trxId = newTrxId();
    await dollars.submit(id, { trxId });
    await dollars.receipt({ trxId });
    expect(await dollars.get(id)).toMatchObject({ status: 'review', reviewReason: 'currency_mismatch' });
    expect((await dollars.receipt({ trxId: newTrxId(), currency: 'USD' })).status).toBe(400);
  });

  it('attack: one phone that feeds two stores pays once; the second store’s receipt waits for a user', async () => {
    const other = await service.openShop();
    const trxId = newTrxId();
    const [mine, theirs] = [await shop.create(), await other.create()];
    await shop.submit(mine.id, { trxId });
    await other.submit(theirs.id, { trxId });
    expect((await shop.receipt({ trxId })).body.status).toBe('matched');
    const second = (await other.receipt({ trxId })).body;
    expect(second.status).toBe('review');
    expect((await other.receiptOf(second.receiptId)).flags).toEqual(['other_store']);
    expect(await other.get(theirs.id)).toMatchObject({ status: 'review', reviewReason: 'flagged' });
    expect((await shop.receipt({ trxId })).body.status).toBe('duplicate');
  });
});

describe('Bangla QR', () => {
  const DIGITS = '0042';
  const money = (body: Record<string, unknown> = {}) => shop.receipt({ last4digit: DIGITS, ...body });

  it('attack: who enters the digits of a receipt that is taken meets a user, and the first stays verified', async () => {
    const [first, late] = [await shop.create(), await shop.create()];
    await shop.submit(first.id, { last4digit: DIGITS });
    await money();
    expect(await shop.stateOf(first.id)).toBe('verified');
    expect((await shop.submit(late.id, { last4digit: DIGITS })).body).toEqual({
      status: 'review',
      reviewReason: 'trx_id_used',
    });
  });

  it('two receipts that look alike: the second is kept, and verifies nothing by itself', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    await money();
    const alike = (await money({ receivedAt: service.clock.isoIn(-1) })).body;
    expect((await shop.receiptOf(alike.receiptId)).flags).toEqual(['possible_duplicate']);
    expect((await shop.submit(first.id, { last4digit: DIGITS })).body.status).toBe('verified');
    expect((await shop.submit(second.id, { last4digit: DIGITS })).body).toEqual(AMBIGUOUS);
    expect((await shop.approve(second.id, alike.receiptId)).body.status).toBe('verified');
  });

  it('money outside the window is a user’s when the time is over', async () => {
    const { id } = await shop.create();
    await shop.submit(id, { last4digit: DIGITS });
    service.clock.advance(10 * MINUTE_MS);
    const { receiptId } = (await money()).body;
    expect(await shop.stateOf(id)).toBe('submitted');
    service.clock.advance(24 * HOUR_MS);
    await service.sweep();
    expect(await shop.stateOf(id)).toBe('review: late');
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(id);
  });

  it('however many there are at the same time', async () => {
    const ids: string[] = [];
    const many = Array.from({ length: 401 }, (_, index) => 1 + index);
    await inTurns(many, async (amount) => {
      const { id } = await shop.create({ amount });
      await shop.submit(id, { last4digit: DIGITS });
      ids.push(id);
    });
    service.clock.advance(10 * MINUTE_MS);
    await inTurns(many, async (amount) => {
      await money({ amount });
    });
    service.clock.advance(24 * HOUR_MS);
    await service.sweep();
    const [found] = await service.test.database.query<{ late: number }>(
      `SELECT count(*)::integer AS late FROM payments
       WHERE store_id = $1 AND id = ANY ($2) AND status = 'review' AND review_reason = 'late'`,
      [shop.store.id, ids],
    );
    expect(found?.late).toBe(many.length);
  });
});

describe('the sweep', () => {
  /** A match that was missed, as a crash between a commit and its offer leaves it behind. */
  async function missed(): Promise<{ id: string; receiptId: string }> {
    const { id, trxId } = await shop.submitted();
    const { receiptId } = (await shop.receipt({ trxId: newTrxId() })).body;
    await service.test.database.query('UPDATE receipts SET trx_id = $1 WHERE id = $2 AND store_id = $3', [
      ...[trxId, receiptId],
      shop.store.id,
    ]);
    return { id, receiptId };
  }

  it('does not look again and again at what simulation has left behind', async () => {
    const trxId = newTrxId();
    await shop.simulate({ trxId });
    await shop.change({ simulationEnabled: false });
    expect((await shop.submit((await shop.create()).id, { trxId })).status).toBe(202);
    const { receiptId } = await missed();
    const missedMoney = service.test.app.get(MissedMoneyRepository);
    const listed = await missedMoney.listMissedReceipts(service.clock.now(), 3 * MINUTE_MS, null, 10);
    expect(listed).toEqual([{ storeId: shop.store.id, receiptId }]);
    await service.sweep();
  });

  it('comes round to all of them, however many nobody can be given', async () => {
    const found = [await missed(), await missed()];
    const missedMoney = service.test.app.get(MissedMoneyRepository);
    const list = vi.spyOn(missedMoney, 'listMissedReceipts');
    const nobodys = Array.from({ length: 200 }, () => ({ storeId: shop.store.id, receiptId: newId() }));
    list.mockResolvedValueOnce(nobodys);
    // One of these laps may be the application's own: its rounds are joined, not run beside it.
    const sweep = service.test.app.get(PaymentsSweep);
    for (let lap = 0; lap < 4; lap += 1) await sweep.run();
    const begun = list.mock.calls.map(([, , after]) => after).slice(0, 3);
    expect(begun).toEqual([null, nobodys.at(-1)!.receiptId, null]);
    for (const { id } of found) expect((await shop.get(id)).status).toBe('verified');
  });
});
