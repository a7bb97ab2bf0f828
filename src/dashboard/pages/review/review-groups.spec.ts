import { describe, expect, it } from 'vitest';
import { groupByReceipt } from './review-groups.js';

const inReview = (id: string, ...receipts: string[]) => ({
  payment: { id },
  receipts: receipts.map((receipt) => ({ id: receipt })),
});
const groupsOf = (...cases: ReturnType<typeof inReview>[]) =>
  groupByReceipt(cases).map((group) => group.map(({ payment }) => payment.id).join(''));

describe('payments in review', () => {
  it('stand alone while they share no receipt', () => {
    expect(groupsOf(inReview('a', '1'), inReview('b'), inReview('c', '2'), inReview('d'))).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('stand together over one receipt, where the first of them was', () => {
    expect(groupsOf(inReview('a', '1'), inReview('b', '2'), inReview('c', '1'))).toEqual(['ac', 'b']);
  });

  it('are held together by one that claims the receipts of several', () => {
    expect(groupsOf(inReview('a', '1'), inReview('b', '2'), inReview('c', '1', '2'))).toEqual(['abc']);
  });
});
