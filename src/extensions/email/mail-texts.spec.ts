import { describe, expect, it } from 'vitest';
import { type MailFacts, reviewMail, verifiedMail } from './mail-texts.js';

const FACTS: MailFacts = {
  storeName: 'Boi Ghar',
  paymentId: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
  amount: 1250.5,
  currency: 'BDT',
  provider: 'bkash',
  trxId: 'DIJ3MXAHCJ',
  customerName: null,
  note: 'Order\r\nBcc: a@b.example',
  reviewReason: 'underpaid',
  url: 'https://pay.example.com/dashboard',
};

describe('mails', () => {
  it('say what happened in Bangla and in English', () => {
    const { subject, text } = verifiedMail(FACTS);
    expect(subject).toContain('যাচাই');
    expect(subject).toContain('Payment verified: 1,250.50 BDT');
    expect(text).toContain('a payment is verified');
    expect(text).toContain('TrxID: DIJ3MXAHCJ');
    expect(text).not.toContain('Customer');
  });

  it('name the reason of a review', () => {
    expect(reviewMail(FACTS).text).toContain('waits for your decision (underpaid)');
  });

  it('keep a subject on one line', () => {
    expect(verifiedMail(FACTS).subject).not.toMatch(/[\r\n]/);
  });
});
