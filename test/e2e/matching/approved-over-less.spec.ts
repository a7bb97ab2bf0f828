import { expect, it } from 'vitest';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 4.19. Money of a payment that a user approved over less never pays another order by itself. */

const { shop } = useShop();

/** A payment of 500 for which both TrxIDs were submitted, approved over a receipt of `received` with the second. */
async function approvedOver(first: string, received: number): Promise<string> {
  const second = newTrxId();
  const { id } = await shop.create();
  await shop.submit(id, { trxId: first });
  await shop.submit(id, { trxId: second });
  await shop.receipt({ trxId: second, amount: received });
  expect(await shop.stateOf(id)).toBe(received < 500 ? 'review: underpaid' : 'review: overpaid');
  expect((await shop.approve(id)).body.status).toBe('verified');
  return id;
}

const FLAGGED = { status: 'review', reviewReason: 'flagged' };

it('attack: approved over Tk 1, the real money then pays no other order by itself', async () => {
  const trxId = newTrxId();
  await approvedOver(trxId, 1);
  const { body: arrived } = await shop.receipt({ trxId });
  expect(arrived.status).toBe('review');
  expect((await shop.receiptOf(arrived.receiptId)).flags).toEqual(['approved_before']);
  const { id } = await shop.create();
  expect((await shop.submit(id, { trxId })).body).toEqual(FLAGGED);
  // A user may know better.
  expect((await shop.approve(id)).body).toMatchObject({ status: 'verified', receivedAmount: 500 });
});

it('attack: the same with the order before the money', async () => {
  const trxId = newTrxId();
  await approvedOver(trxId, 1);
  const { id } = await shop.create();
  await shop.submit(id, { trxId });
  await shop.receipt({ trxId });
  expect(await shop.stateOf(id)).toBe('review: flagged');
});

it('attack: approved over no receipt while its money is there, or comes later', async () => {
  const [first, second] = [newTrxId(), newTrxId()];
  const { id } = await shop.create();
  await shop.submit(id, { trxId: first });
  const { receiptId } = (await shop.receipt({ trxId: first, amount: 400 })).body;
  await shop.submit(id, { trxId: second });
  expect((await shop.approve(id, null)).body.status).toBe('verified');
  expect(await shop.receiptOf(receiptId)).toMatchObject({
    status: 'review',
    flags: ['let_go', 'approved_before'],
  });
  expect((await shop.receipt({ trxId: second })).body.status).toBe('review');
  for (const [trxId, amount] of [
    [first, 400],
    [second, 500],
  ] as const) {
    const next = await shop.create({ amount });
    expect((await shop.submit(next.id, { trxId })).body).toEqual(FLAGGED);
  }
});

it('attack: the real money comes at the moment of the approval', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [first, second] = [newTrxId(), newTrxId()];
    const { id } = await shop.create();
    await shop.submit(id, { trxId: first });
    await shop.submit(id, { trxId: second });
    await shop.receipt({ trxId: second, amount: 1 });
    await Promise.all([shop.approve(id), shop.receipt({ trxId: first })]);
    if ((await shop.get(id)).receivedAmount !== 1) continue;
    const next = await shop.create();
    await shop.submit(next.id, { trxId: first });
    expect(await shop.stateOf(next.id)).not.toBe('verified');
  }
});

it('honest: what was approved over its amount or more leaves the money of another TrxID alone', async () => {
  const trxId = newTrxId();
  await approvedOver(trxId, 600);
  expect((await shop.receipt({ trxId })).body.status).toBe('unmatched');
  const { id } = await shop.create();
  expect((await shop.submit(id, { trxId })).body.status).toBe('verified');
});
