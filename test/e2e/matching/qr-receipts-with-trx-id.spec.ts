import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../support/money-clock.js';
import { useShop } from '../../support/use-shop.js';

/* Rules: contract 4.67 to 4.73. */

const { service, shop } = useShop();
let counter = 4_812_345_000;

const nextTrxId = () => String((counter += 1));
const qr = (body: Record<string, unknown>) =>
  shop.receipt({ provider: 'qr', counterparty: undefined, last4digit: '5601', ...body });

describe('a receipt with a TrxID and digits', () => {
  it('attack: a thief with the TrxID does not take it from who submitted the digits in time', async () => {
    const trxId = nextTrxId();
    const [honest, thief] = [await shop.create(), await shop.create()];
    await shop.submit(honest.id, { last4digit: '5601' });
    service.clock.advance(MINUTE_MS);
    await shop.submit(thief.id, { trxId });
    expect((await qr({ trxId })).body.status).toBe('review');
    for (const { id } of [honest, thief]) expect(await shop.stateOf(id)).toBe('review: ambiguous');
  });

  it('honest: a payment of another amount keeps nobody out', async () => {
    const trxId = nextTrxId();
    const [honest, thief] = [await shop.create(), await shop.create({ amount: 10 })];
    await shop.submit(honest.id, { last4digit: '5601' });
    await shop.submit(thief.id, { trxId });
    expect((await qr({ trxId })).body).toMatchObject({ status: 'matched', paymentId: honest.id });
    expect(await shop.stateOf(thief.id)).toBe('review: trx_id_used');
  });

  it('honest: submitted both ways for one payment it verifies it', async () => {
    const trxId = nextTrxId();
    const { id } = await shop.create();
    await shop.submit(id, { trxId });
    await shop.submit(id, { last4digit: '5601' });
    await qr({ trxId });
    expect(await shop.stateOf(id)).toBe('verified');
  });

  it('honest: by the TrxID alone, or by the digits alone, as any other', async () => {
    for (const typed of [{ trxId: nextTrxId() }, { last4digit: '5601' }]) {
      const { id } = await shop.create({ amount: 'trxId' in typed ? 501 : 502 });
      await shop.submit(id, typed);
      await qr({ trxId: nextTrxId(), amount: 'trxId' in typed ? 501 : 502, ...typed });
      expect(await shop.stateOf(id)).toBe('verified');
    }
  });

  it('digits that were submitted outside the window claim nothing', async () => {
    const trxId = nextTrxId();
    const [early, payer] = [await shop.create(), await shop.create()];
    await shop.submit(early.id, { last4digit: '5601' });
    service.clock.advance(4 * MINUTE_MS);
    await shop.submit(payer.id, { trxId });
    await qr({ trxId });
    expect(await shop.stateOf(payer.id)).toBe('verified');
    expect(await shop.stateOf(early.id)).toBe('submitted');
  });
});

describe('the second of two receipts that look alike', () => {
  it('goes to a user with the payment whose digits it alone fits, also when it comes after them', async () => {
    const at = (minutes: number) => service.clock.isoIn(minutes * MINUTE_MS);
    await qr({ receivedAt: at(-5) });
    const { id } = await shop.create();
    await shop.submit(id, { last4digit: '5601' });
    expect((await qr({ receivedAt: at(-2.5) })).body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.stateOf(id)).toBe('review: flagged');
  });
});

describe('digits that are the phone of another payer', () => {
  const PHONE = '01811115671';
  it.each(['first', 'last'])('attack: do not verify, when the receipt comes %s', async (order) => {
    await shop.create({ customerPhone: PHONE });
    const thief = await shop.create({ customerPhone: '01900000001' });
    const steps = [() => shop.submit(thief.id, { last4digit: '5671' }), () => qr({ last4digit: '5671' })];
    for (const step of order === 'first' ? steps.toReversed() : steps) await step();
    expect(await shop.stateOf(thief.id)).toBe('review: ambiguous');
  });

  it('honest: verify the payment of that phone, and everybody once it is decided or of another amount', async () => {
    const owner = await shop.create({ customerPhone: '+880 1811-115671' });
    const other = await shop.create({ amount: 501 });
    await shop.submit(other.id, { last4digit: '5671' });
    await qr({ last4digit: '5671', amount: 501 });
    expect(await shop.stateOf(other.id)).toBe('verified');
    await shop.submit(owner.id, { last4digit: '5671' });
    await qr({ last4digit: '5671' });
    expect(await shop.stateOf(owner.id)).toBe('verified');
    service.clock.advance(7 * MINUTE_MS);
    const later = await shop.create();
    await shop.submit(later.id, { last4digit: '5671' });
    await qr({ last4digit: '5671' });
    expect(await shop.stateOf(later.id)).toBe('verified');
  });

  it('honest: two payers with the same last four are one another’s', async () => {
    const [one, two] = [
      await shop.create({ customerPhone: PHONE }),
      await shop.create({ customerPhone: '01711115671' }),
    ];
    await shop.submit(two.id, { last4digit: '5671' });
    await qr({ last4digit: '5671' });
    expect([await shop.stateOf(one.id), await shop.stateOf(two.id)]).toEqual(['pending', 'verified']);
  });
});
