import { describe, expect, it } from 'vitest';
import { bkashText } from '../../support/bkash-text.js';
import type { ReceiptAnswer } from '../../support/money-answers.js';
import { MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 6.54, 9.13.
 *
 * Goal: a receipt says why it is doubted, and a receipt that is doubted verifies nothing automatically. Method: each
 * doubt is brought about from outside, and the honest case stands beside it. `phone` has the flags of a doubtful
 * balance, `approved-over-less` and `what-the-caller-saw` have `approved_before` and `let_go`.
 */

const { service, shop } = useShop();

/** The flags of a receipt, and what becomes of the payment whose payer has its TrxID. */
async function told(of: Shop, receipt: ReceiptAnswer, trxId: string, amount = 500) {
  const { id } = await of.create({ amount });
  await of.submit(id, { trxId });
  const { flags } = await of.receiptOf(receipt.receiptId);
  return { flags, payment: await of.stateOf(id) };
}

async function sms(of: Shop, from: string, text: string): Promise<ReceiptAnswer> {
  const answer = await of.http.post<ReceiptAnswer>('/api/webhooks/joma/sms', { from, text }, of.store.phone);
  expect(answer.body, answer.text).toMatchObject({ status: 'unmatched' });
  return answer.body;
}

describe('a receipt', () => {
  it('about which there is no doubt has none, and verifies', async () => {
    const trxId = newTrxId();
    const { body } = await shop.receipt({ trxId });
    expect(await told(shop, body, trxId)).toEqual({ flags: [], payment: 'verified' });
  });

  it('whose TrxID was simulated and verified a payment is simulated_before', async () => {
    const { id, trxId } = await shop.submitted();
    await shop.simulate({ trxId });
    expect(await shop.stateOf(id)).toBe('verified');
    const { body } = await shop.receipt({ trxId });
    expect(await told(shop, body, trxId)).toEqual({
      flags: ['simulated_before'],
      payment: 'review: flagged',
    });
  });

  it('whose TrxID another store of the owner has is other_store', async () => {
    const other = await service.openShop();
    const trxId = newTrxId();
    await other.receipt({ trxId });
    const { body } = await shop.receipt({ trxId });
    expect(await told(shop, body, trxId)).toEqual({ flags: ['other_store'], payment: 'review: flagged' });
  });

  it.each<[string, object, { trxId?: string; provider?: string; last4digit?: string }, string]>([
    [
      'digits and amount, minutes apart',
      { provider: 'qr', last4digit: '0042' },
      { provider: 'qr', last4digit: '0042' },
      'flagged',
    ],
    [
      'a transaction by its wallet, too',
      { provider: 'qr', trxId: 'TWICE00001' },
      { trxId: 'TWICE00001' },
      'ambiguous',
    ],
  ])('that tells of %s is a possible_duplicate', async (_what, first, second, reason) => {
    await shop.receipt({ ...first });
    service.clock.advance(MINUTE_MS);
    const { trxId = newTrxId() } = second;
    const { body } = await shop.receipt({ ...second, trxId });
    const { flags, payment } = await told(shop, body, trxId);
    expect([flags, payment]).toEqual([['possible_duplicate'], `review: ${reason}`]);
  });
});

let numbers = 10_000_000;

describe('a message', () => {
  it('about money that only some accounts of the store take is account_type', async () => {
    const accounts = (...types: string[]) =>
      types.map((accountType) => ({ provider: 'bkash', number: `017${(numbers += 1)}`, accountType }));
    const text = (trxId: string) => bkashText(trxId, service.clock.now());
    for (const [types, flags, payment] of [
      [['personal'], [], 'verified'],
      [['personal', 'agent'], ['account_type'], 'review: flagged'],
    ] as const) {
      const own = await service.openShop({ wallets: accounts(...types) });
      const trxId = newTrxId();
      expect(await told(own, await sms(own, 'bKash', text(trxId)), trxId)).toEqual({ flags, payment });
    }
  });

  it('without a time or a balance is incomplete', async () => {
    const own = await service.openShop({ wallets: [{ provider: 'tap', number: '01700000001' }] });
    const trxId = 'AAAAAAAAAAAAAA';
    const text = `Received Tk 500.00 from 01700000001. Balance Tk. 1,200.00. TxID: ${trxId}.`;
    const receipt = await sms(own, 'tap.', text);
    expect(await told(own, receipt, trxId)).toEqual({ flags: ['incomplete'], payment: 'review: flagged' });
  });
});
