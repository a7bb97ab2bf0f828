import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.29 to 3.32, 3.45, 3.46, 3.48. Two users look at one receipt: it never verifies two payments.
 */

const { service, shop } = useShop();

/** `holder` has the receipt attached, and `claimant` claims it. */
async function claimedByTwo(): Promise<{ holder: string; claimant: string; receiptId: string }> {
  const trxId = newTrxId();
  const [holder, claimant] = [await shop.create(), await shop.create()];
  await shop.submit(holder.id, { trxId, provider: 'nagad' });
  const { receiptId } = (await shop.receipt({ trxId })).body;
  await shop.submit(claimant.id, { trxId });
  expect([await shop.stateOf(holder.id), await shop.stateOf(claimant.id)]).toEqual([
    'review: wrong_wallet',
    'review: ambiguous',
  ]);
  return { holder: holder.id, claimant: claimant.id, receiptId };
}

const seenOf = ({ status, reviewReason, receiptId }: PaymentAnswer) => ({ status, reviewReason, receiptId });

describe('approve', () => {
  it('attack: two users with the page of before do not verify two payments by one receipt', async () => {
    const { holder, claimant, receiptId } = await claimedByTwo();
    expect((await shop.approve(claimant, receiptId)).body.status).toBe('verified');
    // The second user still sees the receipt attached to the other payment, and says nothing about it.
    const second = await shop.approve(holder);
    expect([second.status, second.body.code]).toEqual([400, 'payment.receipt_required']);
    expect((await shop.approve(holder, receiptId)).body.code).toBe('receipt.already_matched');
    expect(await shop.stateOf(holder)).toBe('review: trx_id_used');
    // Explicitly over none it is possible: the user knows of other money.
    expect((await shop.approve(holder, null)).body).toMatchObject({
      status: 'verified',
      receiptId: null,
      receivedAmount: null,
    });
  });

  it('attack: both at the same moment, twelve times, verify one payment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { holder, claimant, receiptId } = await claimedByTwo();
      const answers = await Promise.all([shop.approve(claimant, receiptId), shop.approve(holder)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('without a receipt asks for one, whatever the reason of the review', async () => {
    const { claimant } = await claimedByTwo();
    const used = newTrxId();
    const [winner, loser] = [await shop.create(), await shop.create()];
    for (const { id } of [winner, loser]) {
      await shop.submit(id, { trxId: used });
      service.clock.advance(1);
    }
    await shop.receipt({ trxId: used });
    const expected = [
      [claimant, 'review: ambiguous'],
      [loser.id, 'review: trx_id_used'],
    ] as const;
    for (const [id, state] of expected) {
      const { status, body } = await shop.approve(id);
      expect([status, body.code, body.errors![0]!.pointer]).toEqual([
        400,
        'payment.receipt_required',
        '/receiptId',
      ]);
      expect(await shop.stateOf(id)).toBe(state);
    }
    // A payment that waits is refused for its state, with or without a receipt.
    const waiting = await shop.create();
    await shop.submit(waiting.id, { trxId: newTrxId() });
    expect((await shop.approve(waiting.id)).body.code).toBe('payment.submitted');
  });

  it('over the attached receipt needs no word about it, also where others are claimed', async () => {
    const first = newTrxId();
    const payment = await shop.create();
    await shop.submit(payment.id, { trxId: first });
    const attached = (await shop.receipt({ trxId: first, amount: 400 })).body.receiptId;
    const second = newTrxId();
    await shop.receipt({ trxId: second });
    await shop.submit(payment.id, { trxId: second });
    expect(await shop.stateOf(payment.id)).toBe('review: ambiguous');
    expect((await shop.approve(payment.id)).body).toMatchObject({ status: 'verified', receiptId: attached });
  });

  it('over none, or over another one, releases the attached receipt, which pays only through a user', async () => {
    for (const choose of ['none', 'another'] as const) {
      const trxId = newTrxId();
      const payment = await shop.create();
      await shop.submit(payment.id, { trxId });
      const attached = (await shop.receipt({ trxId, amount: 400 })).body.receiptId;
      const another = (await shop.receipt({ trxId: newTrxId() })).body.receiptId;
      const approved = await shop.approve(payment.id, choose === 'none' ? null : another);
      expect(approved.body).toMatchObject({ status: 'verified', reviewReason: 'underpaid' });
      expect(approved.body.receiptId).toBe(choose === 'none' ? null : another);
      expect((await shop.receiptOf(attached)).flags).toContain('let_go');
    }
  });
});

describe('seen', () => {
  it('refuses a decision about a payment that has changed since, and nothing happens', async () => {
    const { holder, claimant, receiptId } = await claimedByTwo();
    const seen = seenOf(await shop.get(holder));
    expect(seen).toEqual({ status: 'review', reviewReason: 'wrong_wallet', receiptId });
    await shop.approve(claimant, receiptId);
    const other = (await shop.receipt({ trxId: newTrxId() })).body.receiptId;
    const answers = [
      await shop.approve(holder, undefined, { seen }),
      await shop.approve(holder, null, { seen }),
      await shop.approve(holder, other, { seen }),
      await shop.reject(holder, 'No.', { seen, receipt: 'void' }),
      await shop.cancel(holder, { seen }),
      await shop.match(other, holder, { seen }),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'payment.changed']);
    expect(await shop.stateOf(holder)).toBe('review: trx_id_used');
    expect((await shop.receiptOf(other)).status).toBe('unmatched');
  });

  it('is compared before every other refusal', async () => {
    const payment = await shop.create();
    const seen = { status: 'review' };
    expect((await shop.approve(payment.id, undefined, { seen })).body.code).toBe('payment.changed');
    expect((await shop.approve(payment.id)).body.code).toBe('payment.pending');
    const used = newTrxId();
    const paid = await shop.create();
    await shop.submit(paid.id, { trxId: used });
    const { receiptId } = (await shop.receipt({ trxId: used })).body;
    expect((await shop.match(receiptId, payment.id, { seen })).body.code).toBe('payment.changed');
    expect((await shop.match(receiptId, payment.id)).body.code).toBe('receipt.already_matched');
  });

  it('permits what is not compared: a key that is left out, or nothing at all', async () => {
    const { holder, receiptId } = await claimedByTwo();
    const permitted = [{}, { status: 'review' }, { receiptId: receiptId.toUpperCase() }];
    for (const seen of permitted) {
      const payment = await shop.get(holder);
      expect(payment.status).toBe('review');
      const refused = await shop.match(newId(), holder, { seen });
      expect(refused.body.code).toBe('receipt.not_found');
    }
    expect((await shop.reject(holder, 'No.', { seen: { reviewReason: null } })).body.code).toBe(
      'payment.changed',
    );
    const seen = seenOf(await shop.get(holder));
    expect((await shop.approve(holder, undefined, { seen })).body.status).toBe('verified');
  });

  it('in the wrong form is a 400 that names the place', async () => {
    const payment = await shop.create();
    for (const seen of ['review', { status: 'paid' }, { receiptId: 'x' }, { more: 1 }]) {
      const answer = await shop.cancel(payment.id, { seen } as never);
      expect([answer.status, answer.body.code]).toEqual([400, 'request.invalid']);
      expect(answer.body.errors![0]!.pointer).toMatch(/^\/seen/);
    }
    expect(await shop.stateOf(payment.id)).toBe('pending');
  });
});
