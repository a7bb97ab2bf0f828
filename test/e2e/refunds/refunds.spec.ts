import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../../support/http-client.js';
import { startMerchantReceiver } from '../../support/merchant-receiver.js';
import { newTrxId, type Shop } from '../../support/money-shop.js';
import { useService } from '../../support/use-shop.js';

/*
 * Rules: contract 1.24, 12.1 to 12.16.
 *
 * Goal: what went back is written down once, never more than came, and the merchant hears of each refund once
 * (contract 12.2). Method: two replicas on one database, through the real API; random interleavings at the end.
 */

interface RefundAnswer {
  readonly id: string;
  readonly paymentId: string;
  readonly storeId: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly provider: string | null;
  readonly trxId: string | null;
  readonly sentAt: string | null;
  readonly status: string;
  readonly simulated: boolean;
  readonly createdAt: string;
  readonly confirmedAt: string | null;
  readonly code?: string;
}

const service = useService();
let shop: Shop;

beforeAll(async () => {
  shop = await service.openShop();
});

const paid = async (of: Shop = shop): Promise<string> => (await of.paid({ note: 'Order 1001' })).id;

function refund(
  paymentId: string,
  body: unknown,
  headers: Record<string, string> = {},
  of: Shop = shop,
): Promise<HttpAnswer<RefundAnswer>> {
  return of.http.post<RefundAnswer>(`/api/v1/payments/${paymentId}/refunds`, body, {
    ...of.store.key,
    ...headers,
  });
}

async function list(paymentId: string, of: Shop = shop): Promise<RefundAnswer[]> {
  const path = `/api/v1/payments/${paymentId}/refunds?limit=100`;
  const answer = await of.http.get<{ data: RefundAnswer[] }>(path, of.store.key);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function refundedAmountOf(paymentId: string, of: Shop = shop): Promise<number> {
  const answer = await of.http.get<{ refundedAmount: number }>(`/api/v1/payments/${paymentId}`, of.store.key);
  return answer.body.refundedAmount;
}

/** A message of the store's phone about money that it sent. */
async function sent(body: { trxId: string; amount: number; provider?: string }, of: Shop = shop) {
  // Phones write kinds in any case (contract 6.14).
  const answer = await of.receipt({ kind: body.trxId.length % 2 === 0 ? 'Sent' : 'SENT', ...body });
  expect([answer.status, answer.body.status]).toEqual([200, 'ignored']);
}

describe('recording a refund', () => {
  it('keeps what was given, raises the sum, and leaves the payment verified', async () => {
    const paymentId = await paid();
    expect(await refundedAmountOf(paymentId)).toBe(0);
    const body = {
      amount: 120.5,
      reason: 'One book was out of stock.',
      provider: 'bkash',
      trxId: ` ${newTrxId().toLowerCase()} `,
      sentAt: '2026-11-21T10:00:00Z',
    };
    const answer = await refund(paymentId, body);
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual([
      ...['id', 'paymentId', 'storeId', 'amount', 'currency', 'reason', 'provider', 'trxId', 'sentAt'],
      ...['status', 'simulated', 'createdAt', 'confirmedAt'],
    ]);
    expect(answer.body).toMatchObject({
      paymentId,
      storeId: shop.store.id,
      amount: 120.5,
      currency: 'BDT',
      reason: body.reason,
      provider: 'bkash',
      trxId: body.trxId.trim().toUpperCase(),
      sentAt: '2026-11-21T10:00:00.000Z',
      status: 'recorded',
      confirmedAt: null,
    });
    expect((await refund(paymentId, { amount: 100 })).body).toMatchObject({
      reason: null,
      provider: null,
      trxId: null,
      sentAt: null,
    });
    expect(await shop.get(paymentId)).toMatchObject({ status: 'verified', receivedAmount: 500 });
    expect(await refundedAmountOf(paymentId)).toBe(220.5);
    expect((await list(paymentId)).map(({ amount }) => amount)).toEqual([100, 120.5]);
    const shown = await shop.http.get<{ refundedAmount: number }>(`/api/v1/payments/public/${paymentId}`);
    expect(shown.body.refundedAmount).toBe(220.5);
    const page = await fetch(`${shop.http.url}/pay/${paymentId}?lang=en`);
    expect(await page.text()).toMatch(/Refunded[^]*৳220\.50/);
  });

  it('is only possible for a verified payment, up to what came', async () => {
    const pending = await shop.create();
    expect((await refund(pending.id, { amount: 1 })).body.code).toBe('payment.not_verified');
    await shop.cancel(pending.id);
    const refused = await refund(pending.id, { amount: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, 'payment.not_verified']);
    const paymentId = await paid();
    const tooMuch = await refund(paymentId, { amount: 500.01 });
    expect([tooMuch.status, tooMuch.body.code]).toEqual([409, 'refund.too_much']);
    expect((await refund(paymentId, { amount: 400 })).status).toBe(201);
    expect((await refund(paymentId, { amount: 100.01 })).body.code).toBe('refund.too_much');
    expect((await refund(paymentId, { amount: 100 })).status).toBe(201);
    expect((await refund(paymentId, { amount: 0.01 })).body.code).toBe('refund.too_much');
    expect(await refundedAmountOf(paymentId)).toBe(500);
  });

  it('counts what came, not what was asked', async () => {
    const payment = await shop.create({ amount: 500 });
    const trxId = newTrxId();
    await shop.submit(payment.id, { trxId });
    await shop.receipt({ trxId, amount: 300 });
    expect((await shop.approve(payment.id)).status).toBe(200);
    expect((await refund(payment.id, { amount: 300.01 })).body.code).toBe('refund.too_much');
    expect((await refund(payment.id, { amount: 300 })).status).toBe(201);
  });

  it('takes a TrxID of a wallet once in a store, and only with the wallet', async () => {
    const trxId = newTrxId();
    const [one, other] = [await paid(), await paid()];
    expect((await refund(one, { amount: 10, provider: 'bkash', trxId })).status).toBe(201);
    const again = await refund(other, { amount: 10, provider: 'bkash', trxId: trxId.toLowerCase() });
    expect([again.status, again.body.code]).toEqual([409, 'refund.trx_id_used']);
    expect(await refundedAmountOf(other)).toBe(0);
    expect((await refund(other, { amount: 10, provider: 'nagad', trxId })).status).toBe(201);
    const elsewhere = await service.openShop();
    const theirs = await paid(elsewhere);
    expect((await refund(theirs, { amount: 1, provider: 'bkash', trxId }, {}, elsewhere)).status).toBe(201);
    for (const body of [
      { amount: 1, trxId },
      { amount: 1, provider: 'bkash', trxId: 'a' },
      { amount: 0 },
      { amount: 1.001 },
      { amount: 1, provider: 'b' },
      { amount: 1, provider: 'nobodys_pay' },
      { amount: 1, sentAt: 'yesterday' },
      { amount: 1, reason: 'x'.repeat(501) },
      { amount: 1, more: true },
      {},
    ])
      expect([body, (await refund(other, body)).status]).toEqual([body, 400]);
  });

  it('never has the TrxID by which money came in', async () => {
    const payment = await shop.create({ amount: 500 });
    const trxId = newTrxId();
    await shop.submit(payment.id, { trxId });
    expect((await shop.receipt({ trxId, amount: 500 })).body.status).toBe('matched');
    const refused = await refund(payment.id, { amount: 10, provider: 'bkash', trxId });
    expect([refused.status, refused.body.code]).toEqual([409, 'refund.trx_id_used']);
    expect(await refundedAmountOf(payment.id)).toBe(0);
    expect((await refund(payment.id, { amount: 10, provider: 'nagad', trxId })).status).toBe(201);
  });

  it('is nobody else’s business', async () => {
    const stranger = await service.openShop();
    const paymentId = await paid();
    const path = `/api/v1/payments/${paymentId}/refunds`;
    expect((await shop.http.post(path, { amount: 1 }, stranger.store.key)).status).toBe(404);
    expect((await shop.http.get(path, stranger.store.key)).status).toBe(404);
    expect((await shop.http.post(path, { amount: 1 })).status).toBe(401);
  });

  it('is in the audit log when a user recorded it', async () => {
    const paymentId = await paid();
    const path = `/api/v1/stores/${shop.store.id}/payments/${paymentId}/refunds`;
    const answer = await shop.http.post<RefundAnswer>(
      path,
      { amount: 5, reason: 'Sorry' },
      await shop.admin(),
    );
    expect(answer.status).toBe(201);
    const seen = await shop.http.get<{ data: RefundAnswer[] }>(path, await shop.admin());
    expect(seen.body.data.map(({ id }) => id)).toEqual([answer.body.id]);
    const line = (await shop.auditLog()).find(({ action }) => action === 'refund.recorded');
    expect(line?.details).toMatchObject({ refundId: answer.body.id, paymentId, reason: 'Sorry' });
  });
});

describe('an Idempotency-Key', () => {
  it('makes one refund, and answers it again, even where the sum would refuse it', async () => {
    const paymentId = await paid();
    const key = { 'Idempotency-Key': `refund-${paymentId}` };
    const first = await refund(paymentId, { amount: 300 }, key);
    const second = await refund(paymentId, { amount: 300 }, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await refundedAmountOf(paymentId)).toBe(300);
    expect((await refund(paymentId, { amount: 1 }, key)).body.code).toBe('idempotency.key_reused');
  });

  it('belongs to the place it was used at: the same body elsewhere is another request', async () => {
    const [one, other] = [await paid(), await paid()];
    const key = { 'Idempotency-Key': `place-${one}` };
    expect((await refund(one, { amount: 1 }, key)).status).toBe(201);
    const elsewhere = await refund(other, { amount: 1 }, key);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'idempotency.key_reused']);
    const created = await shop.http.post('/api/v1/payments', { amount: 1 }, { ...shop.store.key, ...key });
    expect(created.status).toBe(422);
  });

  it('under many simultaneous requests stands for one refund', async () => {
    const paymentId = await paid();
    const key = { 'Idempotency-Key': `many-${paymentId}` };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => refund(paymentId, { amount: 100 }, key)),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect((await list(paymentId)).length).toBe(1);
  });
});

describe('the phone’s message about money that was sent', () => {
  it('confirms the refund of its TrxID and amount, whichever comes first', async () => {
    const paymentId = await paid();
    const [before, after] = [newTrxId(), newTrxId()];
    await sent({ trxId: before, amount: 50 });
    const late = await refund(paymentId, { amount: 50, provider: 'bkash', trxId: before });
    expect(late.body.status).toBe('confirmed');
    expect(late.body.confirmedAt).not.toBeNull();
    const early = await refund(paymentId, { amount: 60, provider: 'bkash', trxId: after });
    expect(early.body.status).toBe('recorded');
    await sent({ trxId: after, amount: 60 });
    await sent({ trxId: after, amount: 60 });
    const found = (await list(paymentId)).find(({ id }) => id === early.body.id);
    expect(found).toMatchObject({ status: 'confirmed', amount: 60 });
  });

  it('with another amount, wallet or store confirms nothing', async () => {
    const paymentId = await paid();
    const trxId = newTrxId();
    await sent({ trxId, amount: 49 });
    expect((await refund(paymentId, { amount: 50, provider: 'bkash', trxId })).body.status).toBe('recorded');
    await sent({ trxId, amount: 51 });
    await sent({ trxId, amount: 50, provider: 'nagad' });
    await sent({ trxId, amount: 50 }, await service.openShop());
    expect((await list(paymentId))[0]).toMatchObject({ status: 'recorded', confirmedAt: null });
  });

  it('meets the refund when both come at the same instant', async () => {
    const paymentId = await paid();
    const trxIds = Array.from({ length: 12 }, () => newTrxId());
    await Promise.all(
      trxIds.flatMap((trxId) => [
        refund(paymentId, { amount: 10, provider: 'bkash', trxId }),
        sent({ trxId, amount: 10 }),
      ]),
    );
    const statuses = (await list(paymentId)).map(({ status }) => status);
    expect(statuses).toEqual(trxIds.map(() => 'confirmed'));
  });
});

describe('payment.refunded', () => {
  it('of a simulated payment says that it is simulated', async () => {
    const receiver = await startMerchantReceiver();
    try {
      const told = await service.openShop({ webhookUrl: receiver.url });
      const payment = await told.create({ amount: 500 });
      const trxId = newTrxId();
      await told.submit(payment.id, { trxId });
      expect((await told.simulate({ trxId })).body.status).toBe('matched');
      const recorded = await refund(payment.id, { amount: 20 }, {}, told);
      expect([recorded.status, recorded.body.simulated]).toEqual([201, true]);
      const webhooks = await receiver.waitFor(2);
      expect(webhooks.map(({ headers, body }) => [body['event'], headers['x-joma-simulated']])).toEqual([
        ['payment.verified', 'true'],
        ['payment.refunded', 'true'],
      ]);
      const real = await refund(await paid(told), { amount: 20 }, {}, told);
      expect(real.body.simulated).toBe(false);
    } finally {
      await receiver.close();
    }
  });

  it('is sent once for each refund, with the keys of the contract in their order', async () => {
    const receiver = await startMerchantReceiver();
    try {
      const told = await service.openShop({ webhookUrl: receiver.url });
      const paymentId = await paid(told);
      const trxId = newTrxId();
      const one = await refund(paymentId, { amount: 20, reason: 'Sorry' }, {}, told);
      const two = await refund(paymentId, { amount: 30, provider: 'bkash', trxId }, {}, told);
      const events = (await told.events()).filter(({ event }) => event === 'payment.refunded');
      const bodies = events.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      expect(bodies).toEqual([
        {
          event: 'payment.refunded',
          refundId: one.body.id,
          paymentId,
          storeId: told.store.id,
          amount: 20,
          currency: 'BDT',
          refundedAmount: 20,
          provider: null,
          trxId: null,
          reason: 'Sorry',
          note: 'Order 1001',
          createdAt: one.body.createdAt,
        },
        expect.objectContaining({ refundId: two.body.id, refundedAmount: 50, provider: 'bkash', trxId }),
      ]);
      expect(Object.keys(bodies[0] ?? {})).toEqual([
        ...['event', 'refundId', 'paymentId', 'storeId', 'amount', 'currency', 'refundedAmount'],
        ...['provider', 'trxId', 'reason', 'note', 'createdAt'],
      ]);
      const deliveries = await told.http.get<{ data: { event: string }[] }>(
        `/api/v1/deliveries?paymentId=${paymentId}`,
        told.store.key,
      );
      expect(deliveries.body.data.map(({ event }) => event).sort()).toEqual([
        ...['payment.refunded', 'payment.refunded', 'payment.verified'],
      ]);
    } finally {
      await receiver.close();
    }
  });
});

type Move =
  | { readonly do: 'refund'; readonly payment: number; readonly amount: number; readonly trx: number | null }
  | { readonly do: 'sent'; readonly amount: number; readonly trx: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      payment: fc.nat({ max: 1 }),
      amount: fc.constantFrom(0.01, 100, 250, 499.99, 500),
      trx: fc.option(fc.nat({ max: 3 }), { nil: null }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('sent' as const),
      amount: fc.constantFrom(100, 250),
      trx: fc.nat({ max: 3 }),
    }),
  },
);

describe('any interleaving of refunds and messages', () => {
  it('never gives back more than came, tells of each refund once, and confirms what the phone sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(move, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
        async (groups) => {
          const told = await service.openShop();
          const payments = [await paid(told), await paid(told)];
          const trxIds = Array.from({ length: 4 }, () => newTrxId());
          for (const group of groups) {
            await Promise.all(
              group.map(async (step) => {
                if (step.do === 'sent') return sent({ trxId: trxIds[step.trx]!, amount: step.amount }, told);
                const named = step.trx === null ? {} : { provider: 'bkash', trxId: trxIds[step.trx] };
                const { status } = await refund(
                  payments[step.payment]!,
                  { amount: step.amount, ...named },
                  {},
                  told,
                );
                expect([201, 409]).toContain(status);
              }),
            );
          }
          await expectSound(told);
        },
      ),
      { numRuns: 12, interruptAfterTimeLimit: 20_000 },
    );
  });
});

async function expectSound(told: Shop): Promise<void> {
  const broken = await service.test.database.query(
    `SELECT p.id, 'sum' AS rule FROM payments p LEFT JOIN refunds r ON r.payment_id = p.id AND r.store_id = p.store_id
       WHERE p.store_id = $1 GROUP BY p.id, p.store_id
       HAVING COALESCE(sum(r.amount_minor), 0) <> p.refunded_amount_minor
         OR p.refunded_amount_minor > COALESCE(p.received_amount_minor, p.pay_amount_minor)
     UNION ALL
     SELECT r.id, 'one event' FROM refunds r
       LEFT JOIN events e ON e.store_id = r.store_id AND e.subject_id = r.id AND e.event = 'payment.refunded'
       WHERE r.store_id = $1 GROUP BY r.id HAVING count(e.id) <> 1
     UNION ALL
     SELECT r.id, 'confirmed exactly when the phone sent it' FROM refunds r
       WHERE r.store_id = $1 AND (r.status = 'confirmed') <> EXISTS (
         SELECT FROM receipts m WHERE m.store_id = r.store_id AND m.kind = 'sent' AND m.provider = r.provider
           AND m.trx_id = r.trx_id AND m.amount_minor = r.amount_minor)`,
    [told.store.id],
  );
  expect(broken).toEqual([]);
}
