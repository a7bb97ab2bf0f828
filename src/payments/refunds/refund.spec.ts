import { describe, expect, it } from 'vitest';
import {
  decideRefund,
  decideSent,
  REFUND_STATUSES,
  REFUND_TRANSITIONS,
  type Refund,
  refundableMinor,
  refundCurrency,
} from './refund.js';

const REFUND: Refund = {
  id: 'r',
  storeId: 's',
  paymentId: 'p',
  amountMinor: 20_000,
  currency: 'BDT',
  reason: null,
  provider: 'bkash',
  trxId: 'REFUND01',
  sentAt: null,
  status: 'recorded',
  simulated: false,
  receiptId: null,
  createdAt: new Date(0),
  confirmedAt: null,
};

const PAYMENT = {
  receivedAmountMinor: 49_900,
  receivedCurrency: 'USD',
  payAmountMinor: 50_037,
  currency: 'BDT',
  refundedAmountMinor: 0,
};

describe('the state table of refunds', () => {
  it('confirms what was recorded, once, and knows no way back', () => {
    expect(decideRefund('recorded', 'message')).toBe('confirmed');
    expect(decideRefund('confirmed', 'message')).toBeNull();
    expect(Object.keys(REFUND_TRANSITIONS)).toEqual([...REFUND_STATUSES]);
  });
});

describe('what can still go back', () => {
  it('is what came, less what went already, in the currency it came in', () => {
    expect(refundableMinor(PAYMENT)).toBe(49_900);
    expect(refundableMinor({ ...PAYMENT, refundedAmountMinor: 49_900 })).toBe(0);
    expect(refundCurrency(PAYMENT)).toBe('USD');
  });

  it('is what was to be paid where nothing is known to have come', () => {
    const approved = { ...PAYMENT, receivedAmountMinor: null, receivedCurrency: null };
    expect(refundableMinor(approved)).toBe(50_037);
    expect(refundCurrency(approved)).toBe('BDT');
  });
});

describe('a message about money that was sent', () => {
  it('confirms the refund of its TrxID and amount, and no other', () => {
    expect(decideSent(REFUND, { amountMinor: 20_000, currency: 'BDT' })).toBe('confirmed');
    expect(decideSent(REFUND, { amountMinor: 19_999, currency: 'BDT' })).toBe('other_amount');
    expect(decideSent({ ...REFUND, status: 'confirmed' }, { amountMinor: 20_000, currency: 'BDT' })).toBe(
      'repeated',
    );
    expect(decideSent(REFUND, { amountMinor: 20_000, currency: 'USD' })).toBe('other_amount');
    expect(decideSent(null, { amountMinor: 20_000, currency: 'BDT' })).toBe('unknown');
  });
});
