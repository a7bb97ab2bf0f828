import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson } from '../../kernel/raw-json.js';
import type { Payment } from './payment.js';
import { PAYMENT_VERIFIED, verifiedEventBody } from './verified-event.js';

/*
 * Goal: the body of `payment.verified` has exactly the keys of specification §2.2 in that order, unknown values are
 * null, and `products` are the merchant's own letters. Method: whole bodies, letter by letter, because these bytes
 * are signed.
 */

type Verified = Payment & { readonly verifiedAt: Date };

const payment = (changes: Partial<Verified> = {}): Verified => ({
  id: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
  storeId: '019aa5b0-0000-7000-8000-000000000001',
  status: 'verified',
  reviewReason: null,
  amountMinor: 50_050,
  currency: 'BDT',
  payAmountMinor: 50_050,
  payAmountReserved: false,
  requestedProvider: 'bkash',
  customerName: 'রহিম "R" Uddin',
  customerPhone: '01700000003',
  note: 'Order 1001\n',
  products: null,
  metadata: new RawJson('{"secret":"of the merchant"}'),
  redirectUrl: 'https://shop.example.com/thanks',
  cancelUrl: 'https://shop.example.com/cart',
  paymentLinkId: null,
  submission: { kind: 'trx_id', trxId: 'DIJ3MXAHCJ', provider: null },
  submittedAt: new Date('2026-11-21T08:19:00.000Z'),
  graceEndsAt: new Date('2026-11-22T08:19:00.000Z'),
  receiptId: '019aa5b0-0000-7000-8000-000000000002',
  provider: 'bkash',
  trxId: 'DIJ3MXAHCJ',
  payerNumber: '01700000002',
  receivedAmountMinor: 50_050,
  receivedCurrency: 'BDT',
  refundedAmountMinor: 0,
  simulated: true,
  approvedAt: null,
  createdAt: new Date('2026-11-21T08:00:00.000Z'),
  expiresAt: new Date('2026-11-21T09:00:00.000Z'),
  verifiedAt: new Date('2026-11-21T08:20:09.120Z'),
  cancelledAt: null,
  endedAt: new Date('2026-11-21T08:20:09.120Z'),
  redactedAt: null,
  ...changes,
});

describe('verifiedEventBody', () => {
  it('has the keys of the specification in its order, and nothing else', () => {
    expect(verifiedEventBody(payment())).toBe(
      '{"event":"payment.verified",' +
        '"paymentId":"019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55",' +
        '"storeId":"019aa5b0-0000-7000-8000-000000000001",' +
        '"amount":500.5,"currency":"BDT","provider":"bkash","trxId":"DIJ3MXAHCJ","payerNumber":"01700000002",' +
        '"customerName":"রহিম \\"R\\" Uddin","customerPhone":"01700000003","note":"Order 1001\\n",' +
        '"verifiedAt":"2026-11-21T08:20:09.120Z"}',
    );
  });

  it('says null for what is not known', () => {
    const unknown = { provider: null, trxId: null, payerNumber: null };
    const notGiven = { customerName: null, customerPhone: null, note: null };
    const body = verifiedEventBody(payment({ ...unknown, ...notGiven }));
    expect(JSON.parse(body)).toMatchObject({ ...unknown, ...notGiven });
  });

  it('says what was asked for, even where a user let another amount pass', () => {
    const body = verifiedEventBody(payment({ receivedAmountMinor: 1, receivedCurrency: 'USD' }));
    expect(JSON.parse(body)).toMatchObject({ amount: 500.5, currency: 'BDT' });
  });

  it('gives products back letter by letter, before the time of verification', () => {
    const products = '[{"price":500.00,"name":"a\\u0062","2":1,"1":2e1}]';
    expect(verifiedEventBody(payment({ products: new RawJson(products) }))).toContain(
      `"note":"Order 1001\\n","products":${products},"verifiedAt":`,
    );
  });

  it('tells an empty list from none', () => {
    expect(verifiedEventBody(payment({ products: new RawJson('[]') }))).toContain('"products":[]');
    expect(verifiedEventBody(payment())).not.toContain('products');
  });

  it('writes the same bytes every time, and an amount that reads back as it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999_999 }), (amountMinor) => {
        const body = verifiedEventBody(payment({ amountMinor }));
        expect(verifiedEventBody(payment({ amountMinor }))).toBe(body);
        const { amount } = JSON.parse(body) as { amount: number };
        expect(Math.round(amount * 100)).toBe(amountMinor);
      }),
    );
  });

  it('carries the name under which merchants listen', () => {
    expect(PAYMENT_VERIFIED).toBe('payment.verified');
  });
});
