import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MerchantReceiver, startMerchantReceiver } from '../../support/merchant-receiver.js';
import { HOUR_MS, MINUTE_MS } from '../../support/money-clock.js';
import { newTrxId } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';

/*
 * Rules: contract 3.15, 3.17 to 3.24, 3.34, 3.35, 4.36, 4.40 to 4.42, 4.45, 4.46, 4.52, 4.70, 7.6.
 *
 * Goal: the rows of the table of states that are about receipts of which more than one payment could be had (contract
 * 3.17), and what keeps one wallet from paying twice (contract 4.47). Method: row by row from outside, over two
 * replicas in turn.
 */

const { service, shop } = useShop();
let merchant: MerchantReceiver;

beforeAll(async () => {
  merchant = await startMerchantReceiver();
});
afterAll(() => merchant.close());

const DIGITS = '0042';

/** A receipt of 500 that an order for 10 holds in review, and one for 500 that claims it. */
async function contested(): Promise<{ holder: string; claimant: string; receiptId: string; trxId: string }> {
  const [small, exact] = [await shop.create({ amount: 10 }), await shop.create()];
  const trxId = newTrxId();
  const { receiptId } = (await shop.receipt({ trxId })).body;
  await shop.submit(small.id, { trxId });
  await shop.submit(exact.id, { trxId });
  expect(await shop.stateOf(small.id)).toBe('review: overpaid');
  expect(await shop.stateOf(exact.id)).toBe('review: ambiguous');
  return { holder: small.id, claimant: exact.id, receiptId, trxId };
}

describe('an submission that is refused', () => {
  it.each(['taken', 'void'])(
    'because its receipt is %s changes nothing, is kept, and counts as a try',
    async (what) => {
      const trxId = newTrxId();
      const { receiptId } = (await shop.receipt({ trxId })).body;
      if (what === 'taken') await shop.submit((await shop.create()).id, { trxId });
      else await shop.voidReceipt(receiptId);
      const { id } = await shop.create();
      for (let again = 0; again < 2; again += 1) {
        const refused = await shop.submit(id, { trxId });
        expect([refused.status, refused.body.code]).toEqual([409, 'payment.trx_id_used']);
      }
      expect(await shop.stateOf(id)).toBe('pending');
      for (let index = 0; index < 9; index += 1)
        expect((await shop.submit(id, { trxId: newTrxId() })).status).toBe(202);
      expect((await shop.submit(id, { trxId: newTrxId() })).status).toBe(429);
    },
  );

  it('of one that waits leaves what it waits for', async () => {
    const { id, trxId } = await shop.submitted();
    const taken = newTrxId();
    await shop.receipt({ trxId: taken });
    await shop.submit((await shop.create()).id, { trxId: taken });
    expect((await shop.submit(id, { trxId: taken })).status).toBe(409);
    expect((await shop.receipt({ trxId })).body).toMatchObject({ status: 'matched', paymentId: id });
  });
});

describe('digits that fit only', () => {
  const money = (body: Record<string, unknown> = {}) => shop.receipt({ last4digit: DIGITS, ...body });

  it('a void receipt: to a user', async () => {
    await shop.voidReceipt((await money()).body.receiptId);
    const { id } = await shop.create();
    expect((await shop.submit(id, { last4digit: DIGITS })).body).toEqual({
      status: 'review',
      reviewReason: 'trx_id_used',
    });
    expect((await shop.approve(id, null)).body.status).toBe('verified');
  });

  it.each(['taken', 'void'])('a %s receipt, after the payment has expired: to a user', async (what) => {
    const late = await shop.create({ expiresInSeconds: 60 });
    service.clock.advance(MINUTE_MS);
    const { receiptId } = (await money()).body;
    if (what === 'taken') await shop.submit((await shop.create()).id, { last4digit: DIGITS });
    else await shop.voidReceipt(receiptId);
    expect((await shop.submit(late.id, { last4digit: DIGITS })).body).toEqual({
      status: 'review',
      reviewReason: 'trx_id_used',
    });
  });

  it('the second of two that look alike, also when it was void in between: ambiguous', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    await money();
    const { receiptId } = (await money({ receivedAt: service.clock.isoIn(-1) })).body;
    await shop.voidReceipt(receiptId);
    await shop.restoreReceipt(receiptId);
    expect((await shop.submit(first.id, { last4digit: DIGITS })).body.status).toBe('verified');
    expect((await shop.submit(second.id, { last4digit: DIGITS })).body).toEqual({
      status: 'review',
      reviewReason: 'ambiguous',
    });
  });
});

describe('money that came outside the window while the payment was open', () => {
  it('is a user’s also when the payer comes back before the sweep has come round', async () => {
    const { id } = await shop.create();
    await shop.submit(id, { last4digit: DIGITS });
    await shop.submit(id, { last4digit: '4711' });
    service.clock.advance(10 * MINUTE_MS);
    const { receiptId } = (await shop.receipt({ last4digit: DIGITS })).body;
    service.clock.advance(24 * HOUR_MS);
    expect((await shop.submit(id, { trxId: newTrxId() })).body).toEqual({
      status: 'review',
      reviewReason: 'late',
    });
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(id);
  });
});

describe('the TrxID of a possible duplicate', () => {
  it.each([true, false])('verifies nothing by itself (receipt first: %s)', async (receiptFirst) => {
    await shop.receipt({ last4digit: DIGITS });
    const trxId = newTrxId();
    const body = { last4digit: DIGITS, trxId, provider: 'qr' };
    const { id } = await shop.create();
    if (receiptFirst) expect((await shop.receipt(body)).body.status).toBe('review');
    await shop.submit(id, { trxId });
    if (!receiptFirst) expect((await shop.receipt(body)).body.status).toBe('review');
    expect(await shop.stateOf(id)).toBe('review: flagged');
  });

  it('honest: two of different TrxIDs are two payments', async () => {
    const pay = async () => {
      const { id, trxId } = await shop.submitted();
      await shop.receipt({ last4digit: DIGITS, trxId, provider: 'qr' });
      return shop.stateOf(id);
    };
    expect([await pay(), await pay()]).toEqual(['verified', 'verified']);
  });
});

describe('the holder lets go', () => {
  it.each([
    ['release', 'verified'],
    [undefined, 'review: flagged'],
  ] as const)('and says %s: who contested it is %s', async (receipt, end) => {
    for (const how of ['reject', 'cancel'] as const) {
      const { holder, claimant, receiptId } = await contested();
      const ending = receipt === undefined ? {} : { receipt };
      const answer =
        how === 'reject'
          ? await shop.reject(holder, 'Not this one.', ending)
          : await shop.cancel(holder, ending);
      expect(answer.body.status).toBe('cancelled');
      expect(await shop.stateOf(claimant)).toBe(end);
      expect((await shop.receiptOf(receiptId)).paymentId).toBe(claimant);
    }
  });

  it('and says void: it pays nobody any more, and whoever contested it is told', async () => {
    const { holder, claimant, receiptId, trxId } = await contested();
    await shop.reject(holder, 'Refunded to the sender.', { receipt: 'void' });
    expect((await shop.receiptOf(receiptId)).status).toBe('void');
    expect(await shop.stateOf(claimant)).toBe('review: trx_id_used');
    expect((await shop.submit((await shop.create()).id, { trxId })).status).toBe(409);
    expect((await shop.approve(claimant, null)).body).toMatchObject({
      status: 'verified',
      receivedAmount: null,
    });
  });

  it('released, it verifies who waits for it and fits it exactly', async () => {
    const holder = await shop.submitted({ amount: 10 });
    await shop.receipt({ trxId: holder.trxId });
    const waiting = await shop.create();
    await shop.submit(waiting.id, { trxId: newTrxId() });
    await shop.reject(holder.id, 'Not this one.', { receipt: 'release' });
    expect((await shop.submit(waiting.id, { trxId: holder.trxId })).body.status).toBe('verified');
  });

  it('an expired payment that had entered it meets a user', async () => {
    const late = await shop.submitted();
    const holder = await shop.create({ expiresInSeconds: 30 * 86_400 });
    service.clock.advance(24 * HOUR_MS);
    await service.sweep();
    expect(await shop.stateOf(late.id)).toBe('expired');
    await shop.submit(holder.id, { trxId: late.trxId });
    // Who lives comes first; of another amount, so that it is held in review.
    const { receiptId } = (await shop.receipt({ trxId: late.trxId, amount: 499 })).body;
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(holder.id);
    await shop.reject(holder.id, 'Not this one.', { receipt: 'release' });
    expect(await shop.stateOf(late.id)).toBe('review: late');
  });
});

describe('a user gives the receipt', () => {
  it('to one of two: the other is in review as trx_id_used, and can be approved without', async () => {
    const { holder, claimant, receiptId } = await contested();
    expect((await shop.approve(claimant, receiptId)).body.status).toBe('verified');
    expect(await shop.stateOf(holder)).toBe('review: trx_id_used');
    expect((await shop.approve(holder, null)).body.status).toBe('verified');
    expect((await shop.receiptOf(receiptId)).paymentId).toBe(claimant);
  });
});

describe('at most twenty are in review over one receipt', () => {
  const createMany = async (count: number, body: Record<string, unknown> = {}): Promise<string[]> =>
    (await Promise.all(Array.from({ length: count }, () => shop.create(body)))).map(({ id }) => id);
  const inReview = async (ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => shop.get(id)))).filter(({ status }) => status === 'review').length;

  it('attack: thirty exact orders for a TrxID that one holds in review', async () => {
    const { trxId, claimant } = await contested();
    const ids = await createMany(30);
    const answers = [];
    for (const id of ids) answers.push((await shop.submit(id, { trxId })).status);
    expect(await inReview(ids)).toBe(18);
    expect(answers.filter((status) => status === 409)).toHaveLength(12);
    expect(await shop.stateOf(claimant)).toBe('review: ambiguous');
  });

  it('attack: thirty orders of other amounts leave room for those that fit', async () => {
    const trxId = newTrxId();
    const ids = await createMany(30, { amount: 10 });
    await Promise.all(ids.map((id) => shop.submit(id, { trxId })));
    await shop.receipt({ trxId });
    const exact = await createMany(5);
    for (const id of exact)
      expect((await shop.submit(id, { trxId })).body).toEqual({
        status: 'review',
        reviewReason: 'ambiguous',
      });
    expect(await inReview([...ids, ...exact])).toBeLessThanOrEqual(20);
  });

  it('those without a place are kept: free again, the receipt finds them', async () => {
    const trxId = newTrxId();
    const ids = await createMany(22);
    await shop.receipt({ trxId, receivedAt: service.clock.isoIn(-2 * HOUR_MS) });
    for (const id of ids) await shop.submit(id, { trxId });
    const waiting = [];
    for (const id of ids) if ((await shop.stateOf(id)) === 'pending') waiting.push(id);
    expect(waiting).toHaveLength(2);
    for (const id of ids)
      if (!waiting.includes(id)) await shop.reject(id, 'Nobody’s.', { receipt: 'release' });
    await service.sweep();
    for (const id of waiting) expect(await shop.stateOf(id)).toContain('review: ');
  });
});

describe('verified and cancelled', () => {
  it('take nothing further: what is entered is refused, what comes stays unmatched', async () => {
    const paid = await shop.submitted();
    await shop.receipt({ trxId: paid.trxId });
    const gone = await shop.submitted();
    await shop.cancel(gone.id);
    for (const [id, code] of [
      [paid.id, 'payment.verified'],
      [gone.id, 'payment.cancelled'],
    ] as const) {
      const further = newTrxId();
      const answer = await shop.submit(id, { trxId: further });
      expect([answer.status, answer.body.code]).toEqual([409, code]);
      expect((await shop.receipt({ trxId: further })).body.status).toBe('unmatched');
    }
    expect((await shop.receipt({ trxId: gone.trxId })).body.status).toBe('unmatched');
    expect(await shop.stateOf(gone.id)).toBe('cancelled');
  });
});

describe('the webhook of a simulated verification', () => {
  it('says so in its header, also when it is sent again; that of a real one has none', async () => {
    await shop.open({ webhookUrl: merchant.url });
    const [real, made] = [await shop.submitted(), await shop.submitted()];
    await shop.receipt({ trxId: real.trxId });
    await shop.simulate({ trxId: made.trxId });
    await merchant.waitFor(2);
    const deliveries = await shop.http.get<{ data: { id: string }[] }>('/api/v1/deliveries', shop.store.key);
    for (const { id } of deliveries.body.data)
      await shop.http.post(`/api/v1/deliveries/${id}/redeliver`, undefined, shop.store.key);
    const headerOf = (paymentId: string) =>
      merchant.received
        .filter(({ body }) => body['paymentId'] === paymentId)
        .map(({ headers }) => headers['x-joma-simulated']);
    await merchant.waitFor(4);
    expect(headerOf(made.id)).toEqual(['true', 'true']);
    expect(headerOf(real.id)).toEqual([undefined, undefined]);
  });
});

describe('one wallet', () => {
  const bkash = (number: string) => ({ provider: 'bkash', number, accountType: 'personal', enabled: false });
  const create = async (name: string, number: string) =>
    shop.http.post<{ id: string; code?: string }>(
      '/api/v1/stores',
      { name, wallets: [bkash(number)] },
      await shop.admin(),
    );

  it('attack: stands in one live store of an owner only, however its number is written, switched off or on', async () => {
    expect((await create('First', '01799990001')).status).toBe(201);
    const second = await create('Second', '+88 01799-990001'.replace('-', ''));
    expect([second.status, second.body.code]).toEqual([409, 'store.wallet_in_use']);
  });

  it('honest: another number, and that of an archived store, are free; of two at once one has it', async () => {
    const old = await create('Old', '01799990002');
    expect((await create('Beside', '01799990003')).status).toBe(201);
    await shop.http.request('DELETE', `/api/v1/stores/${old.body.id}`, { headers: await shop.admin() });
    const both = await Promise.all([create('One', '01799990002'), create('Two', '01799990002')]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
