import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLastFour, readSubmission, readTransactionId } from './submission.js';

describe('readTransactionId', () => {
  it.each([
    ['DKL4M7X2QP', 'DKL4M7X2QP'],
    [' dkl4 m7x2\tqp ', 'DKL4M7X2QP'],
    ['TrxID DKL4M7X2QP', 'DKL4M7X2QP'],
    ['TrxID: DKL4M7X2QP.', 'DKL4M7X2QP'],
    ['Txn ID: 0001U735', '0001U735'],
    ['৪৮২১৯০৩৭৫৬', '4821903756'],
    ['DKL4\u200BM7X2QP', 'DKL4M7X2QP'],
    [
      'Send Money Tk 510.00 to 01700000001 successful. Ref Abc. Fee Tk 5.00. Balance Tk 4,479.65. TrxID DCK1B9P81H at 20/03/2026 00:08',
      'DCK1B9P81H',
    ],
    [
      'Send Money Tk 510.00 to 01700000001 successful. Ref TrxID AAAAAAAAAA. Fee Tk 5.00. Balance Tk 4,479.65. TrxID DCK1B9P81H at 20/03/2026 00:08',
      'DCK1B9P81H',
    ],
    [
      "Payment to 'Daraz Bangladesh Limit' is Successful.\nAmount: Tk  494.00\nTxnID: 71M00001\nBalance: Tk 6.00",
      '71M00001',
    ],
    ['Tk500.00 sent to A/C:017000000011 Fee:Tk5 TxnId:4821903756 Date:20-MAR-26', '4821903756'],
  ])('%s', (typed, id) => {
    expect(readTransactionId(typed)).toBe(id);
  });

  it('leaves letters that only look Latin as they are, so that the id is refused', () => {
    expect(readTransactionId('74HΝΕΚΟ8')).toBe('74HΝΕΚΟ8');
    expect(readSubmission({ trxId: '74HΝΕΚΟ8' })).toMatchObject({ readable: false, notice: 'trxId.invalid' });
    expect(readSubmission({ trxId: 'ıſabcd12' })).toMatchObject({ readable: false });
  });

  it('changes nothing in an id that is clean already', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z0-9]{6,20}$/), (id) => {
        fc.pre(!/^T(?:RX|XN|RNX|X)ID/.test(id));
        expect(readTransactionId(id.toLowerCase())).toBe(id);
      }),
    );
  });
});

describe('readLastFour', () => {
  it.each([
    ['0427', '0427'],
    ['০৪২৭', '0427'],
    [' 04 27 ', '0427'],
    ['01712-345678', '5678'],
    ['+88 01712 345678', '5678'],
    ['017 1234 56', '3456'],
    ['4242 **** **** 0042', '0042'],
    ['01***0251', '0251'],
    ['01XX-XXX0251', '0251'],
    ['01xx–xxx 02 51', '0251'],
    ['•••0251', '0251'],
    ['●●●● ০২৫১', '0251'],
    ['12345', null],
    ['123456', null],
    ['1234567', null],
    ['1234-5678', null],
    ['12345678901234567890', null],
    ['02**51', null],
    ['0251**', null],
    ['01712***251', null],
    ['****', null],
    ['•••০২৫', null],
    ['427', null],
    ['04a7', null],
    ['', null],
  ])('%s', (typed, digits) => {
    expect(readLastFour(typed)).toBe(digits);
  });
});

describe('readSubmission', () => {
  it('reads the two kinds of forms', () => {
    expect(readSubmission({ provider: 'bkash', trxId: 'dkl4m7x2qp' })).toEqual({
      readable: true,
      submission: { provider: 'bkash', trxId: 'DKL4M7X2QP' },
    });
    expect(readSubmission({ provider: 'qr', last4digit: '০০৪২' })).toEqual({
      readable: true,
      submission: { provider: 'qr', last4digit: '0042' },
    });
    expect(readSubmission({ trxId: 'ABCD' })).toEqual({ readable: true, submission: { trxId: 'ABCD' } });
  });

  it('hands back what was typed, except what may be a PIN', () => {
    expect(readSubmission({ provider: 'bkash', trxId: '01712345678' })).toEqual({
      readable: false,
      notice: 'trxId.phone',
      typed: { provider: 'bkash', trxId: '01712345678' },
    });
    expect(readSubmission({ provider: 'bkash', trxId: '12345' })).toEqual({
      readable: false,
      notice: 'entry.pin',
      typed: { provider: 'bkash' },
    });
    expect(readSubmission({ provider: 'their_own', trxId: '12345' })).toMatchObject({ readable: true });
  });

  it('leaves a provider out that cannot be one', () => {
    expect(readSubmission({ provider: '<script>', trxId: 'DKL4M7X2QP' })).toEqual({
      readable: true,
      submission: { trxId: 'DKL4M7X2QP' },
    });
  });

  it('never throws and never lets anything else through', () => {
    fc.assert(
      fc.property(fc.anything(), (fields) => {
        const read = readSubmission(fields);
        if (read.readable && 'trxId' in read.submission)
          expect(read.submission.trxId).toMatch(/^[A-Z0-9._-]{4,64}$/);
        if (read.readable && 'last4digit' in read.submission)
          expect(read.submission.last4digit).toMatch(/^[0-9]{4}$/);
      }),
    );
  });
});
