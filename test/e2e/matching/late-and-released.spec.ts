import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';
import { createUser } from '../../support/test-app.js';

/*
 * Rules: contract 3.20, 3.23, 3.30, 3.34, 4.48, 4.51, 4.68, 4.69.
 *
 * Goal: what came too late, what somebody lets go, and what was told twice verifies nothing without a user (contract
 * 3.23 and 4.68). Method: each way that was seen to do so, over two replicas in turn and a clock that is moved by
 * hand.
 */

const { service, shop } = useShop({ environment: { SUBMISSION_GRACE: '1h' } });

const hoursPass = (hours: number) => service.clock.advance(hours * HOUR_MS);

describe('a payment that was too late', () => {
  it.each(['reject', 'cancel'] as const)(
    'stays in review when its receipt is released by %s',
    async (ending) => {
      const trxId = newTrxId();
      const holder = await shop.create({ expiresInSeconds: 86_400 });
      const late = await shop.create({ expiresInSeconds: 60 });
      await shop.submit(holder.id, { trxId, provider: 'nagad' });
      await shop.receipt({ trxId });
      expect(await shop.stateOf(holder.id)).toBe('review: wrong_wallet');
      hoursPass(2);
      expect((await shop.submit(late.id, { trxId })).body).toEqual({
        status: 'review',
        reviewReason: 'late',
      });
      if (ending === 'reject') await shop.reject(holder.id, 'It is not theirs.', { receipt: 'release' });
      else await shop.cancel(holder.id, { receipt: 'release' });
      expect(await shop.stateOf(late.id)).toBe('review: late');
      // It has the receipt now, so a user has nothing to choose.
      expect((await shop.approve(late.id)).body).toMatchObject({ status: 'verified', trxId });
    },
  );

  it('is late for the real receipt, too, when it was over a simulated one', async () => {
    const trxId = newTrxId();
    const late = await shop.create({ expiresInSeconds: 60 });
    await shop.submit(late.id, { trxId });
    hoursPass(2);
    await shop.simulate({ trxId });
    expect(await shop.stateOf(late.id)).toBe('review: late');
    await shop.receipt({ trxId });
    expect(await shop.stateOf(late.id)).toBe('review: late');
    expect(await shop.get(late.id)).toMatchObject({ simulated: false });
  });
});

describe('simulated receipts', () => {
  it('do not decide anew what is in review over a simulated one', async () => {
    const [first, second, third] = [newTrxId(), newTrxId(), newTrxId()];
    const payment = await shop.create();
    await shop.submit(payment.id, { trxId: first });
    await shop.simulate({ trxId: first, amount: 250 });
    expect(await shop.stateOf(payment.id)).toBe('review: underpaid');
    await shop.submit(payment.id, { trxId: second });
    await shop.simulate({ trxId: second });
    await shop.simulate({ trxId: third });
    await shop.submit(payment.id, { trxId: third });
    expect(await shop.stateOf(payment.id)).toBe('review: ambiguous');
  });

  it('pay nobody where the real one is there, whoever has it', async () => {
    const trxId = newTrxId();
    const [paid, other] = [await shop.create(), await shop.create()];
    await shop.submit(paid.id, { trxId });
    await shop.receipt({ trxId });
    expect(await shop.stateOf(paid.id)).toBe('verified');
    expect((await shop.submit(other.id, { trxId })).status).toBe(409);
    await shop.simulate({ trxId });
    expect(await shop.stateOf(other.id)).toBe('pending');
  });
});

describe('a receipt with a TrxID and digits that is let go', () => {
  const both = (trxId: string) => ({ provider: 'bkash', trxId, last4digit: '1234', counterparty: undefined });

  async function heldByAnother(trxId: string): Promise<string> {
    const holder = await shop.create();
    await shop.submit(holder.id, { last4digit: '1234', provider: 'nagad' });
    await shop.receipt(both(trxId));
    expect(await shop.stateOf(holder.id)).toBe('review: wrong_wallet');
    return holder.id;
  }

  it('goes to who entered its digits', async () => {
    const attachedToId = await heldByAnother(newTrxId());
    const digits = await shop.create();
    await shop.submit(digits.id, { last4digit: '1234' });
    expect(await shop.stateOf(digits.id)).toBe('review: ambiguous');
    await shop.reject(attachedToId, 'It is not theirs.', { receipt: 'release' });
    expect(await shop.stateOf(digits.id)).toBe('verified');
  });

  it('goes to nobody by itself when one entered its digits and another its TrxID', async () => {
    const trxId = newTrxId();
    const attachedToId = await heldByAnother(trxId);
    const [digits, named] = [await shop.create(), await shop.create()];
    await shop.submit(digits.id, { last4digit: '1234' });
    await shop.submit(named.id, { trxId });
    await shop.reject(attachedToId, 'It is not theirs.', { receipt: 'release' });
    expect([await shop.stateOf(digits.id), await shop.stateOf(named.id)]).toEqual([
      'review: ambiguous',
      'review: ambiguous',
    ]);
  });
});

describe('money that is told twice', () => {
  it.each([
    ['with digits under the wallet’s name', { counterparty: undefined, last4digit: '4321' }],
    ['as the wallet tells it', {}],
  ])('pays once by its digits, and not once more by its TrxID: %s', async (_how, second) => {
    const trxId = newTrxId();
    const [first, other] = [await shop.create(), await shop.create()];
    await shop.submit(first.id, { last4digit: '4321' });
    await shop.receipt({ provider: 'qr', trxId, last4digit: '4321', counterparty: undefined });
    expect(await shop.stateOf(first.id)).toBe('verified');
    await shop.receipt({ provider: 'bkash', trxId, ...second });
    await shop.submit(other.id, { trxId });
    expect(await shop.stateOf(other.id)).toBe('review: flagged');
  });

  it('to a second store that was opened afterwards pays once', async () => {
    const { id: ownerId } = await createUser(service.test.http, await shop.admin());
    const trxId = newTrxId();
    const paidIn = async () => {
      const one = await service.openShop({ ownerId, wallets: [] });
      await one.submit((await one.create()).id, { trxId });
      return (await one.receipt({ trxId })).body.status;
    };
    expect(await paidIn()).toBe('matched');
    service.clock.advance(5 * MINUTE_MS);
    expect(await paidIn()).toBe('review');
  });
});

it('who is approved takes the receipt that is free again, and leaves it to nobody', async () => {
  const trxId = newTrxId();
  const [holder, claimant] = [await shop.create(), await shop.create()];
  await shop.submit(holder.id, { trxId, provider: 'nagad' });
  const { receiptId } = (await shop.receipt({ trxId })).body;
  await shop.submit(claimant.id, { trxId });
  await shop.reject(holder.id, 'It went back.', { receipt: 'void' });
  expect(await shop.stateOf(claimant.id)).toBe('review: trx_id_used');
  await shop.restoreReceipt(receiptId);
  expect((await shop.approve(claimant.id)).body).toMatchObject({
    status: 400,
    code: 'payment.receipt_required',
  });
  expect((await shop.approve(claimant.id, receiptId)).body).toMatchObject({
    status: 'verified',
    receivedAmount: 500,
  });
});
