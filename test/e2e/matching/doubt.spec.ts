import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.21, 3.32, 4.6, 4.60.
 *
 * Goal: what is in doubt stays a user's matter, whatever the payer tries next (contract 3.21 and 4.6).
 * Method: the ways around a doubt, one by one, through the API.
 */

const { service, shop } = useShop();

/** Receipts of two wallets with one TrxID. */
async function ofTwoWallets(trxId: string): Promise<string[]> {
  const told = [];
  for (const provider of ['bkash', 'nagad'])
    told.push((await shop.receipt({ trxId, provider })).body.receiptId);
  return told;
}

it('going back and forth between two submissions does not lengthen the grace for ever', async () => {
  const { id } = await shop.create();
  const [first, second] = [newTrxId(), newTrxId()];
  const answers = [];
  for (let round = 0; round < 6; round += 1) {
    answers.push((await shop.submit(id, { trxId: round % 2 === 0 ? first : second })).status);
    service.clock.advance(20 * HOUR_MS);
  }
  expect(answers.at(-1)).toBe(409);
});

it('money in doubt by TrxID stays a matter for a user', async () => {
  const trxId = newTrxId();
  await ofTwoWallets(trxId);
  const [first, second] = [await shop.create(), await shop.create()];
  expect((await shop.submit(first.id, { trxId })).body).toEqual({
    status: 'review',
    reviewReason: 'ambiguous',
  });
  await shop.submit(second.id, { trxId, provider: 'bkash' });
  expect(await shop.stateOf(second.id)).toBe('review: ambiguous');
});

it('a late and ambiguous payment is not approved without saying which receipt', async () => {
  const late = await shop.create({ expiresInSeconds: 60 });
  service.clock.advance(2 * MINUTE_MS);
  const trxId = newTrxId();
  const [ofBkash] = await ofTwoWallets(trxId);
  expect((await shop.submit(late.id, { trxId })).body).toEqual({ status: 'review', reviewReason: 'late' });
  expect(await shop.approve(late.id)).toMatchObject({
    status: 400,
    body: { code: 'payment.receipt_required' },
  });
  const other = await shop.create();
  await shop.submit(other.id, { trxId, provider: 'bkash' });
  expect(await shop.stateOf(other.id)).toBe('review: ambiguous');
  const approved = await shop.approve(late.id, ofBkash);
  expect(approved.body).toMatchObject({ status: 'verified', provider: 'bkash' });
  expect(await shop.stateOf(other.id)).toBe('review: trx_id_used');
});
