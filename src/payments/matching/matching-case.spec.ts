import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../kernel/domain-error.js';
import type { Payment, PaymentStatus } from '../payments/payment.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import type { Receipt } from '../receipts/receipt.js';
import { fitsExactly, type MatchingRules } from './compare.js';
import { type Claim, type Decision, NOTHING } from './decision.js';
import type { CaseRows, StoredClaim } from './case-changes.js';
import { MatchingCase } from './matching-case.js';

/*
 * Rules: contract 3.19 to 3.23, 3.34, 3.35, 3.40, 4.16, 4.28, 4.29, 4.41, 4.42, 4.51.
 *
 * Goal: what follows from a decision is sound whatever was there before (contract 3 and 4): one receipt is one
 * payment's, a decided payment claims nothing, and what is released is really free.
 * Method: each consequence by an example; and random decisions one after the other over random payments, receipts and
 * claims, after each of which the rules hold and the changes to write are those that were made.
 */

const NOW = new Date('2026-11-21T08:20:00.000Z');
const HOUR_MS = 3_600_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

function payment(id: string, changes: Partial<Payment> = {}): Payment {
  const { status = 'submitted', receiptId = null } = changes;
  const isEnded = status === 'verified' || status === 'cancelled' || status === 'expired';
  return {
    id,
    storeId: 's',
    status,
    reviewReason: status === 'review' ? 'ambiguous' : null,
    amountMinor: 50_000,
    currency: 'BDT',
    payAmountMinor: 50_000,
    payAmountReserved: false,
    requestedProvider: null,
    customerName: null,
    customerPhone: null,
    note: null,
    products: null,
    metadata: null,
    redirectUrl: null,
    cancelUrl: null,
    paymentLinkId: null,
    submission: status === 'pending' ? null : { kind: 'trx_id', trxId: 'T1', provider: null },
    submittedAt: status === 'pending' ? null : NOW,
    graceEndsAt: status === 'pending' ? null : later(HOUR_MS),
    receiptId,
    provider: receiptId === null ? null : 'bkash',
    trxId: null,
    payerNumber: null,
    receivedAmountMinor: receiptId === null ? null : 50_000,
    receivedCurrency: receiptId === null ? null : 'BDT',
    refundedAmountMinor: 0,
    simulated: false,
    approvedAt: null,
    createdAt: NOW,
    expiresAt: later(HOUR_MS),
    verifiedAt: status === 'verified' ? NOW : null,
    cancelledAt: status === 'cancelled' ? NOW : null,
    endedAt: isEnded ? NOW : null,
    redactedAt: null,
    ...changes,
  };
}

function receipt(id: string, changes: Partial<Receipt> = {}): Receipt {
  return {
    id,
    storeId: 's',
    status: 'unmatched',
    source: 'app',
    app: 'test',
    provider: 'bkash',
    kind: 'received',
    trxId: 'T1',
    last4digit: null,
    amountMinor: 50_000,
    currency: 'BDT',
    counterparty: '01700000002',
    balanceMinor: null,
    phoneLine: '',
    receivedAt: NOW,
    arrivedAt: NOW,
    moneyFrom: NOW,
    moneyUntil: NOW,
    simulated: false,
    flags: [],
    raw: '',
    digest: null,
    messageId: null,
    voidedAt: null,
    voidReason: null,
    redactedAt: null,
    paymentId: null,
    attachedTo: null,
    ...changes,
  };
}

const heldBy = (id: string, paymentId: string, verified = false): Receipt =>
  receipt(id, {
    status: verified ? 'matched' : 'review',
    paymentId,
    attachedTo: { paymentId, verified },
  });

const claim = (paymentId: string, receiptId: string, changes: Partial<StoredClaim> = {}): StoredClaim => ({
  ...{ paymentId, receiptId, exact: true, isLive: true, isAttached: false },
  ...changes,
});

const caseOf = (rows: Partial<CaseRows>): MatchingCase =>
  new MatchingCase('s', NOW, 24 * HOUR_MS, {
    ...{ payments: [], receipts: [], submissions: [], claims: [] },
    ...rows,
  });

const agreeing = (paymentId: string, receiptId: string): Decision => ({
  ...NOTHING,
  attach: { paymentId, receiptId, comparison: 'agree', by: 'trx_id' },
});

describe('a payment that gets a receipt', () => {
  it('is verified, and takes over what the receipt says', () => {
    const matching = caseOf({ payments: [payment('p')], receipts: [receipt('r')] });
    expect([...matching.apply(agreeing('p', 'r'))]).toEqual(['p']);
    expect(matching.payment('p')).toMatchObject({
      ...{ status: 'verified', verifiedAt: NOW, endedAt: NOW, reviewReason: null, receiptId: 'r' },
      ...{ provider: 'bkash', trxId: 'T1', payerNumber: '01700000002', simulated: false },
      ...{ receivedAmountMinor: 50_000, receivedCurrency: 'BDT' },
    });
    expect(matching.receipt('r')).toMatchObject({
      status: 'matched',
      attachedTo: { paymentId: 'p', verified: true },
    });
    expect(matching.takeChanges()).toMatchObject({
      transitions: [{ before: { status: 'submitted' }, after: { status: 'verified' } }],
      receipts: [{ id: 'r' }],
      noGuesses: [],
    });
  });

  it('is in review with the receipt attached, and the reason, where they do not agree', () => {
    const matching = caseOf({ payments: [payment('p')], receipts: [receipt('r')] });
    matching.apply({
      ...NOTHING,
      attach: { paymentId: 'p', receiptId: 'r', comparison: 'underpaid', by: 'trx_id' },
    });
    expect(matching.payment('p')).toMatchObject({
      status: 'review',
      reviewReason: 'underpaid',
      receiptId: 'r',
      endedAt: null,
    });
    expect(matching.receipt('r')).toMatchObject({
      status: 'review',
      attachedTo: { paymentId: 'p', verified: false },
    });
  });

  it.each([
    ['expired', 'late', 'review', 'late'],
    ['pending', 'agree', 'verified', null],
  ] as const)('%s, %s: %s', (status, comparison, end, reviewReason) => {
    const matching = caseOf({ payments: [payment('p', { status })], receipts: [receipt('r')] });
    matching.apply({
      ...NOTHING,
      attach: { paymentId: 'p', receiptId: 'r', comparison, by: 'last4digit' },
    });
    expect(matching.payment('p')).toMatchObject({ status: end, reviewReason });
  });

  it('shows the submission by which it was found, if it showed none, and keeps the one that it shows', () => {
    const rows = { payments: [payment('p', { status: 'pending' }), payment('q')], receipts: [receipt('r')] };
    const first = caseOf(rows);
    first.apply(agreeing('p', 'r'));
    expect(first.payment('p')).toMatchObject({
      submission: { kind: 'trx_id', trxId: 'T1', provider: null },
      submittedAt: NOW,
      graceEndsAt: later(24 * HOUR_MS),
    });
    const digits = {
      ...agreeing('p', 'd'),
      attach: { ...agreeing('p', 'd').attach!, by: 'last4digit' },
    } as const;
    const second = caseOf({ ...rows, receipts: [receipt('d', { last4digit: '0042' })] });
    second.apply(digits);
    expect(second.payment('p').submission).toEqual({
      kind: 'last4digit',
      last4digit: '0042',
      provider: null,
    });
    const third = caseOf(rows);
    third.apply(agreeing('q', 'r'));
    expect(third.payment('q')).toMatchObject({ graceEndsAt: later(HOUR_MS) });
  });

  it('releases a simulated receipt that it held, without a mark, and the real one takes its place', () => {
    const simulated = { ...heldBy('s', 'p'), simulated: true };
    const matching = caseOf({
      payments: [payment('p', { status: 'review', receiptId: 's', simulated: true })],
      receipts: [simulated, receipt('r')],
    });
    matching.apply(agreeing('p', 'r'));
    expect(matching.payment('p')).toMatchObject({ status: 'verified', simulated: false, receiptId: 'r' });
    expect(matching.receipt('s')).toMatchObject({ status: 'unmatched', attachedTo: null, flags: [] });
    expect(matching.released).toEqual(['s']);
  });

  it('notes that its submissions were no guesses, where receipts can be guessed at all', () => {
    const notes = (changes: Partial<Receipt>) => {
      const matching = caseOf({ payments: [payment('p')], receipts: [receipt('r', changes)] });
      matching.apply(agreeing('p', 'r'));
      return matching.takeChanges().noGuesses.map(({ paymentId }) => paymentId);
    };
    expect(notes({ provider: 'nagad' })).toEqual(['p']);
    expect(notes({ last4digit: '0042' })).toEqual(['p']);
    expect(notes({})).toEqual([]);
    expect(notes({ provider: 'nagad', simulated: true })).toEqual([]);
  });
});

describe('who was in review over a receipt that is another’s for good', () => {
  const review = (id: string, changes: Partial<Payment> = {}) =>
    payment(id, { status: 'review', ...changes });

  it('is in review because of that, if it was over nothing else', () => {
    const matching = caseOf({
      payments: [review('p', { receiptId: 'r' }), review('a'), review('b')],
      receipts: [heldBy('r', 'p'), receipt('x', { status: 'review' })],
      claims: [claim('a', 'r'), claim('b', 'r'), claim('b', 'x')],
    });
    matching.attach('p', 'r', 'approve', { approvedAt: NOW }, true);
    expect(matching.payment('a')).toMatchObject({ status: 'review', reviewReason: 'trx_id_used' });
    expect(matching.payment('b')).toMatchObject({ status: 'review', reviewReason: 'ambiguous' });
    expect(matching.takeChanges().claims).toEqual([
      claim('a', 'r', { isLive: false }),
      claim('b', 'r', { isLive: false }),
    ]);
  });

  it.each([
    [{ receivedAmountMinor: 40_000 }, 'underpaid'],
    [{ receivedAmountMinor: 60_000 }, 'overpaid'],
    [{ receivedCurrency: 'USD' }, 'currency_mismatch'],
    [{}, 'flagged'],
    [{ reviewReason: 'late' }, 'late'],
  ] as const)('holds another one %o: %s', (changes, reviewReason) => {
    const matching = caseOf({
      payments: [review('p'), review('a', { receiptId: 'own', ...changes })],
      receipts: [receipt('r', { status: 'review' }), heldBy('own', 'a')],
      claims: [claim('p', 'r'), claim('a', 'r')],
    });
    matching.attach('p', 'r', 'approve', {}, true);
    expect(matching.payment('a')).toMatchObject({ reviewReason, receiptId: 'own' });
  });
});

describe('a payment that ends without money', () => {
  const rows = {
    payments: [payment('p', { status: 'review', receiptId: 'r' }), payment('a', { status: 'review' })],
    receipts: [heldBy('r', 'p'), receipt('x', { status: 'review', flags: ['balance_gap'] })],
    claims: [claim('p', 'x'), claim('a', 'r')],
  };

  it('releases what it held and claimed; what others claim stays in review', () => {
    const matching = caseOf(rows);
    matching.end('p', 'reject', { mayPay: true });
    expect(matching.payment('p')).toMatchObject({
      status: 'cancelled',
      receiptId: null,
      receivedAmountMinor: null,
    });
    expect(matching.receipt('r')).toMatchObject({ status: 'review', attachedTo: null, flags: [] });
    expect(matching.receipt('x')).toMatchObject({ status: 'unmatched', flags: ['balance_gap'] });
    expect([...matching.released].sort()).toEqual(['r', 'x']);
  });

  it('marks what it releases, unless that may pay by itself', () => {
    const matching = caseOf(rows);
    matching.end('p', 'cancel', { mayPay: false });
    expect(matching.receipt('r').flags).toEqual(['let_go']);
    expect(matching.receipt('x').flags).toEqual(['balance_gap', 'let_go']);
    const again = caseOf({
      ...rows,
      receipts: [{ ...heldBy('r', 'p'), flags: ['let_go'] }, rows.receipts[1]!],
    });
    again.end('p', 'cancel', { mayPay: true });
    expect(again.receipt('r').flags).toEqual([]);
  });

  it.each(['r', 'x'])('leaves %s void, unmarked and offered to nobody', (receiptId) => {
    const matching = caseOf(rows);
    matching.end('p', 'reject', { mayPay: false, voided: { receiptId, reason: 'went back' } });
    expect(matching.receipt(receiptId)).toMatchObject({
      ...{ status: 'void', voidedAt: NOW, voidReason: 'went back', attachedTo: null },
      flags: receiptId === 'x' ? ['balance_gap'] : [],
    });
    expect(matching.released).toEqual([receiptId === 'r' ? 'x' : 'r']);
    expect(matching.payment('a').reviewReason).toBe(receiptId === 'r' ? 'trx_id_used' : 'ambiguous');
  });

  it('is refused in a final state', () => {
    const matching = caseOf({ payments: [payment('p', { status: 'verified' })] });
    expect(() => matching.end('p', 'cancel', { mayPay: false })).toThrow(DomainError);
    expect(matching.takeChanges().transitions).toEqual([]);
  });
});

describe('in review over a receipt', () => {
  const others = (count: number, exact: boolean) =>
    Array.from({ length: count }, (_, index) => claim(`o${index}`, 'r', { exact }));
  const claimed = (status: PaymentStatus, claims: StoredClaim[], exact = true) => {
    const matching = caseOf({ payments: [payment('p', { status })], receipts: [receipt('r')], claims });
    const changed = matching.apply({ ...NOTHING, claims: [{ paymentId: 'p', receiptId: 'r', exact }] });
    return { matching, changed: changed.has('p') };
  };

  it('goes who waited, and who had expired as late; the receipt is left to a user', () => {
    const { matching } = claimed('submitted', []);
    expect(matching.payment('p')).toMatchObject({
      status: 'review',
      reviewReason: 'ambiguous',
      receiptId: null,
    });
    expect(matching.receipt('r').status).toBe('review');
    expect(matching.takeChanges()).toMatchObject({ doubtedIds: ['r'], receipts: [] });
    expect(claimed('expired', []).matching.payment('p').reviewReason).toBe('late');
  });

  it('has room for nineteen beside the attached one, ten of which do not fit exactly', () => {
    expect(claimed('submitted', others(18, true)).changed).toBe(true);
    expect(claimed('submitted', others(19, true)).changed).toBe(false);
    expect(claimed('submitted', others(9, false), false).changed).toBe(true);
    expect(claimed('submitted', others(10, false), false).changed).toBe(false);
    expect(claimed('submitted', others(10, false), true).changed).toBe(true);
    const withAttached = [...others(18, true), claim('h', 'r', { isAttached: true })];
    expect(claimed('submitted', withAttached).changed).toBe(true);
    const { matching } = claimed('submitted', others(19, true));
    expect([matching.payment('p').status, matching.receipt('r').status]).toEqual(['submitted', 'unmatched']);
  });

  it('is ambiguous who was in review already and fits exactly; late stays late', () => {
    const of = (reviewReason: 'underpaid' | 'late', exact: boolean) => {
      const matching = caseOf({
        payments: [payment('p', { status: 'review', reviewReason })],
        receipts: [receipt('r')],
      });
      matching.apply({ ...NOTHING, claims: [{ paymentId: 'p', receiptId: 'r', exact }] });
      return matching.payment('p').reviewReason;
    };
    expect([of('underpaid', true), of('underpaid', false), of('late', true)]).toEqual([
      'ambiguous',
      'underpaid',
      'late',
    ]);
  });

  it('goes who loses it, as long as there is room; who is in review stays as it was', () => {
    const losing = (changes: Partial<Payment>, claims: StoredClaim[] = []) => {
      const matching = caseOf({
        payments: [payment('p', changes)],
        receipts: [heldBy('r', 'w', true)],
        claims,
      });
      const endedClaims = [{ paymentId: 'p', receiptId: 'r', exact: true }];
      return { matching, changed: matching.apply({ ...NOTHING, endedClaims }).has('p') };
    };
    const { matching, changed } = losing({});
    expect(changed).toBe(true);
    expect(matching.payment('p')).toMatchObject({ status: 'review', reviewReason: 'trx_id_used' });
    expect(matching.takeChanges().claims).toEqual([claim('p', 'r', { isLive: false })]);
    expect(losing({}, others(19, true)).changed).toBe(false);
    expect(losing({ status: 'review', reviewReason: 'underpaid' }).changed).toBe(false);
    expect(losing({ status: 'expired' }).matching.payment('p').status).toBe('review');
  });
});

describe('a payer’s submission', () => {
  const fields = { submission: { kind: 'trx_id', trxId: 'T2', provider: null }, submittedAt: NOW } as const;

  it('is shown by the payment with its next change, and with no other', () => {
    const matching = caseOf({ payments: [payment('p')], receipts: [receipt('r')] });
    matching.showSubmission('p', fields);
    expect(matching.payment('p').submission).toMatchObject({ trxId: 'T1' });
    matching.apply(agreeing('p', 'r'));
    expect(matching.payment('p').submission).toMatchObject({ trxId: 'T2' });
  });

  it('waits; in review and in time it is shown, and after its time it is kept', () => {
    const waiting = (status: PaymentStatus) => {
      const matching = caseOf({ payments: [payment('p', { status })] });
      matching.showSubmission('p', fields);
      matching.waitForReceipt('p');
      return matching.payment('p');
    };
    expect(waiting('pending')).toMatchObject({ status: 'submitted', submission: { trxId: 'T2' } });
    expect(waiting('review')).toMatchObject({ status: 'review', submission: { trxId: 'T2' } });
    expect(waiting('expired')).toMatchObject({ status: 'expired', submission: { trxId: 'T2' } });
  });

  it('is shown by a payment in review that claims one more, though nothing else changes', () => {
    const matching = caseOf({
      payments: [payment('p', { status: 'review' })],
      receipts: [receipt('r')],
    });
    matching.showSubmission('p', fields);
    matching.apply({ ...NOTHING, claims: [{ paymentId: 'p', receiptId: 'r', exact: true }] });
    expect(matching.payment('p')).toMatchObject({ submission: { trxId: 'T2' }, reviewReason: 'ambiguous' });
  });

  it('is changed before it is written, or after', () => {
    const submission = { paymentId: 'p', number: 1, standing: 'counted' } as SubmissionRecord;
    const matching = caseOf({ payments: [payment('p')] });
    matching.addSubmission(submission);
    matching.changeSubmission({ ...submission, standing: 'refused' });
    expect(matching.takeChanges()).toMatchObject({
      newSubmissions: [{ standing: 'refused' }],
      submissions: [],
    });
    matching.changeSubmission({ ...submission, standing: 'surplus' });
    expect(matching.takeChanges()).toMatchObject({
      newSubmissions: [],
      submissions: [{ standing: 'surplus' }],
    });
    expect(matching.submissionsOf('p')).toMatchObject([{ standing: 'surplus' }]);
  });
});

describe('a receipt', () => {
  it('that has just come is written once, as it is at last', () => {
    const matching = caseOf({ payments: [payment('p')] });
    matching.add(receipt('r'));
    matching.apply(agreeing('p', 'r'));
    expect(matching.takeChanges()).toMatchObject({
      newReceipts: [{ id: 'r', status: 'matched' }],
      receipts: [],
    });
  });

  it('is given up by a payment in review to another one', () => {
    const matching = caseOf({
      payments: [payment('p', { status: 'review' }), payment('h', { status: 'review', receiptId: 'r' })],
      receipts: [heldBy('r', 'h')],
    });
    matching.detach('h');
    expect(matching.payment('h')).toMatchObject({ reviewReason: 'trx_id_used', receiptId: null });
    matching.attach('p', 'r', 'approve', {}, true);
    expect(matching.receipt('r').attachedTo).toEqual({ paymentId: 'p', verified: true });
    expect(matching.released).toEqual([]);
  });

  it('that was void is as if it had just come', () => {
    const matching = caseOf({ receipts: [receipt('r', { status: 'void', voidedAt: NOW, voidReason: 'x' })] });
    matching.restoreReceipt('r');
    expect(matching.receipt('r')).toMatchObject({ status: 'unmatched', voidedAt: null, voidReason: null });
    expect(matching.released).toEqual(['r']);
  });

  it('is released by a payment that is approved over none', () => {
    const matching = caseOf({
      payments: [payment('p', { status: 'review', receiptId: 'r' })],
      receipts: [heldBy('r', 'p')],
    });
    matching.approveWithoutReceipt('p', { provider: 'bkash', trxId: 'T9' });
    expect(matching.payment('p')).toMatchObject({
      ...{ status: 'verified', receiptId: null, receivedAmountMinor: null },
      ...{ provider: 'bkash', trxId: 'T9' },
    });
    expect(matching.receipt('r')).toMatchObject({ status: 'unmatched', flags: ['let_go'] });
  });
});

describe('who may get a receipt', () => {
  const RULES: MatchingRules = {
    ...{ receiptLeadMs: HOUR_MS, receiptChecks: 'flag', windowMs: 180_000 },
    ...{ guardsGuesses: true, simulationEnabled: true },
  };
  const submission = (paymentId: string, changes: Partial<SubmissionRecord> = {}): SubmissionRecord => ({
    ...{ paymentId, storeId: 's', number: 1, kind: 'trx_id', value: 'T1', provider: null, currency: 'BDT' },
    ...{ amountMinor: 50_000, standing: 'counted', guessable: false, ownPhone: false, at: NOW },
    ...changes,
  });
  const digits = { kind: 'last4digit', value: '0042' } as const;
  const idsOf = (claimants: readonly { readonly id: string }[]) => claimants.map(({ id }) => id);

  it('names it by TrxID or digits, is not decided, and is of its amount', () => {
    const last4 = { kind: 'last4digit', last4digit: '0042', provider: null } as const;
    const carried = receipt('r', { last4digit: '0042' });
    const matching = caseOf({
      payments: [
        payment('a'),
        payment('b', { submission: last4 }),
        payment('c', { amountMinor: 50_000, payAmountMinor: 50_037 }),
        payment('d', { amountMinor: 1_000, payAmountMinor: 1_000 }),
        payment('v', { status: 'verified' }),
        payment('x', { status: 'cancelled' }),
      ],
      receipts: [carried],
      submissions: [
        submission('a'),
        submission('a', { number: 2, value: 'T2' }),
        ...['b', 'c', 'd'].map((id) => submission(id, digits)),
        ...['v', 'x'].map((id) => submission(id)),
      ],
    });
    const { byTrxId, byDigits } = matching.claimantsOf(carried, RULES);
    expect(byTrxId).toMatchObject([{ id: 'a', inForce: true, submissions: [{ value: 'T1' }] }]);
    expect(byDigits).toMatchObject([
      { id: 'b', inForce: true },
      { id: 'c', inForce: false },
    ]);
    expect(idsOf(matching.otherClaimants('b', '0042', 50_000))).toEqual(['c']);
    expect(idsOf(matching.otherClaimants('a', '0042', 1_000))).toEqual(['d']);
    expect(matching.claimantsOf(receipt('n', { trxId: null }), RULES)).toEqual({
      ...{ byTrxId: [], byDigits: [], alike: [] },
    });
  });

  it('is decided anew where it holds a simulated one', () => {
    const matching = caseOf({
      payments: [payment('a', { status: 'review', receiptId: 's', simulated: true })],
      receipts: [receipt('r'), heldBy('s', 'a')],
      submissions: [submission('a')],
    });
    expect(matching.claimantsOf(matching.receipt('r'), RULES).byTrxId).toMatchObject([
      { status: 'submitted' },
    ]);
  });

  it('is nobody for a simulated one that is old, switched off, or there in truth', () => {
    const claimants = (changes: Partial<Receipt>, rules = RULES, others: Receipt[] = []) => {
      const simulated = receipt('r', { simulated: true, ...changes });
      const rows = {
        payments: [payment('a')],
        receipts: [simulated, ...others],
        submissions: [submission('a')],
      };
      return idsOf(caseOf(rows).claimantsOf(simulated, rules).byTrxId);
    };
    expect(claimants({})).toEqual(['a']);
    expect(claimants({ arrivedAt: later(-HOUR_MS) })).toEqual(['a']);
    expect(claimants({ arrivedAt: later(-HOUR_MS - 1) })).toEqual([]);
    expect(claimants({}, { ...RULES, simulationEnabled: false })).toEqual([]);
    expect(claimants({}, RULES, [receipt('t', { status: 'matched' })])).toEqual([]);
    expect(
      claimants({}, RULES, [receipt('t', { provider: 'nagad' }), receipt('u', { trxId: 'T2' })]),
    ).toEqual(['a']);
    expect(claimants({}, RULES, [receipt('t', { simulated: true, provider: 'nagad' })])).toEqual(['a']);
  });

  it('has receipts beside it that look alike and are free', () => {
    const one = receipt('r', { trxId: null, last4digit: '0042' });
    const alike = (changes: Partial<Receipt>) => {
      const other = receipt('o', { trxId: null, last4digit: '0042', ...changes });
      const rows = {
        payments: [payment('a')],
        receipts: [one, other],
        submissions: [submission('a', digits)],
      };
      return idsOf(caseOf(rows).claimantsOf(one, RULES).alike);
    };
    expect(alike({})).toEqual(['o']);
    const unlike: Partial<Receipt>[] = [
      { last4digit: '0043' },
      { amountMinor: 1 },
      { currency: 'USD' },
      { simulated: true },
      { attachedTo: { paymentId: 'p', verified: false } },
    ];
    for (const changes of unlike) expect(alike(changes), JSON.stringify(changes)).toEqual([]);
  });

  it('counts simulated receipts for a submission while they are fresh, or have paid', () => {
    const matching = caseOf({});
    const old = { simulated: true, arrivedAt: later(-HOUR_MS - 1) };
    const all = [receipt('a'), receipt('b', old), { ...heldBy('c', 'p', true), ...old }];
    expect(idsOf(matching.usable(all, RULES))).toEqual(['a', 'c']);
  });

  it('claims a released receipt, perhaps it alone', () => {
    const review = (id: string, changes: Partial<Payment> = {}) =>
      payment(id, { status: 'review', ...changes });
    const matching = caseOf({
      payments: [review('a'), review('b'), review('c', { receiptId: 'own' }), payment('d')],
      receipts: [receipt('r', { status: 'review' }), receipt('o'), heldBy('own', 'c')],
      submissions: [submission('a'), submission('d')],
      claims: [
        ...[claim('a', 'r'), claim('b', 'r'), claim('b', 'o'), claim('c', 'r')],
        ...[claim('d', 'r', { isLive: false }), claim('c', 'own', { isAttached: true })],
      ],
    });
    const { byTrxId, claimantIds, onlyThisIds } = matching.claimantsOfReleased(matching.receipt('r'), RULES);
    expect(idsOf(byTrxId)).toEqual(['a', 'd']);
    expect([[...claimantIds], [...onlyThisIds]]).toEqual([['a', 'b', 'c'], ['a']]);
    expect(matching.claimsOf('b').map(({ receiptId }) => receiptId)).toEqual(['r', 'o']);
    expect(matching.claimsOf('c').map(({ receiptId }) => receiptId)).toEqual(['r']);
    expect([matching.isClaimedByOthers('o', 'a'), matching.isClaimedByOthers('o', 'b')]).toEqual([
      true,
      false,
    ]);
  });

  it('is read and locked, or all is decided again', () => {
    const matching = caseOf({ payments: [payment('p')], claims: [claim('p', 'r')] });
    expect(() => matching.payment('q')).toThrow(expect.objectContaining({ code: '40001' }) as Error);
    expect(() => matching.receipt('r')).toThrow(expect.objectContaining({ code: '40001' }) as Error);
    expect([matching.findPayment('q'), matching.findReceipt('r')]).toEqual([null, null]);
    expect([matching.findPayment('p')?.id, matching.matchable('p').id]).toEqual(['p', 'p']);
  });

  it('has expired, which is written down', () => {
    const matching = caseOf({ payments: [payment('p', { graceEndsAt: NOW }), payment('q')] });
    expect(matching.expireIfOver('p')).toMatchObject({ status: 'expired', endedAt: NOW });
    expect(matching.expireIfOver('q').status).toBe('submitted');
    expect(matching.takeChanges().transitions).toMatchObject([{ before: { status: 'submitted' } }]);
  });
});

describe('the event of a payment in review that gets a receipt', () => {
  const got = (changes: Partial<Payment>, comparison: 'agree' | 'underpaid') => {
    const matching = caseOf({
      payments: [payment('p', { status: 'review', ...changes })],
      receipts: [receipt('r'), heldBy('s', 'p')],
    });
    matching.apply({ ...NOTHING, attach: { paymentId: 'p', receiptId: 'r', comparison, by: 'trx_id' } });
    const { status, reviewReason } = matching.payment('p');
    return [status, reviewReason];
  };

  it.each([
    [{ receiptId: 's', simulated: true }, 'agree', ['verified', null]],
    [{ receiptId: 's', simulated: true }, 'underpaid', ['review', 'underpaid']],
    [{}, 'agree', ['verified', null]],
    [{}, 'underpaid', ['review', 'underpaid']],
  ] as const)('%o, %s: %s', (changes, comparison, expected) => {
    expect(got(changes, comparison)).toEqual(expected);
  });
});

describe('whatever is decided one after the other', () => {
  const AMOUNTS = [50_000, 40_000];
  const PAYMENTS = Array.from({ length: 24 }, (_, index) => `p${index}`);
  const RECEIPTS = ['r0', 'r1', 'r2'];
  const decision = fc.record({
    kind: fc.constantFrom('attach', 'claim', 'lose', 'cancel', 'reject', 'void', 'approve', 'none', 'detach'),
    paymentId: fc.constantFrom(...PAYMENTS),
    receiptId: fc.constantFrom(...RECEIPTS),
    mayPay: fc.boolean(),
  });
  const start = fc.array(
    fc.record({
      status: fc.constantFrom<PaymentStatus>('pending', 'submitted', 'expired', 'review'),
      payAmountMinor: fc.constantFrom(...AMOUNTS),
    }),
    { minLength: PAYMENTS.length, maxLength: PAYMENTS.length },
  );
  type Step = typeof decision extends fc.Arbitrary<infer Of> ? Of : never;

  /** Decisions that the rules and the users' services come to; what they do not come to changes nothing. */
  function take(matching: MatchingCase, { kind, paymentId, receiptId, mayPay }: Step): void {
    const own = matching.payment(paymentId);
    const wanted = matching.receipt(receiptId);
    const isFree = wanted.attachedTo === null && wanted.status !== 'void';
    const exact = own.payAmountMinor === wanted.amountMinor;
    const isOpen = own.status === 'pending' || own.status === 'submitted';
    const isDecided = own.status === 'verified' || own.status === 'cancelled';
    const one: Claim = { paymentId, receiptId, exact };
    if (kind === 'attach' && isFree && (isOpen || own.status === 'expired')) {
      const comparison = own.status === 'expired' ? 'late' : exact ? 'agree' : 'underpaid';
      matching.apply({ ...NOTHING, attach: { paymentId, receiptId, comparison, by: 'trx_id' } });
    } else if (
      kind === 'claim' &&
      !isDecided &&
      wanted.attachedTo?.verified !== true &&
      wanted.status !== 'void'
    ) {
      if (own.receiptId !== receiptId) matching.apply({ ...NOTHING, claims: [one] });
    } else if (kind === 'lose' && (isOpen || own.status === 'expired')) {
      matching.apply({ ...NOTHING, endedClaims: [one] });
    } else if (kind === 'cancel' && (isOpen || own.status === 'review')) {
      matching.end(paymentId, 'cancel', { mayPay });
    } else if (kind === 'reject' && own.status === 'review') {
      const voided = isFree || own.receiptId === receiptId ? { receiptId, reason: 'x' } : undefined;
      matching.end(paymentId, 'reject', { mayPay, ...(voided === undefined || !mayPay ? {} : { voided }) });
    } else if (kind === 'void' && isFree) {
      matching.voidReceipt(receiptId, 'x');
    } else if (kind === 'approve' && own.status === 'review' && (isFree || own.receiptId === receiptId)) {
      matching.attach(paymentId, receiptId, 'approve', { approvedAt: NOW }, true);
    } else if (kind === 'none' && own.status === 'review') {
      matching.approveWithoutReceipt(paymentId, { approvedAt: NOW });
    } else if (kind === 'detach' && own.status === 'review' && own.receiptId !== null) {
      const held = own.receiptId;
      const next = PAYMENTS.find((id) => id !== paymentId && matching.payment(id).status === 'review');
      if (next === undefined) return;
      matching.detach(paymentId);
      matching.attach(next, held, 'approve', { approvedAt: NOW }, true);
    }
  }

  function expectSound(matching: MatchingCase, claims: ReadonlyMap<string, StoredClaim>): void {
    const payments = PAYMENTS.map((id) => matching.payment(id));
    const live = [...claims.values()].filter(({ isLive }) => isLive);
    for (const receiptId of RECEIPTS) {
      const { status, attachedTo } = matching.receipt(receiptId);
      const holders = payments.filter((one) => one.receiptId === receiptId);
      const claiming = live.filter((one) => one.receiptId === receiptId);
      expect(holders.map(({ id }) => id)).toEqual(attachedTo === null ? [] : [attachedTo.paymentId]);
      expect(holders.map((one) => one.status === 'verified')).toEqual(
        attachedTo === null ? [] : [attachedTo.verified],
      );
      if (attachedTo !== null) expect(status).toBe(attachedTo.verified ? 'matched' : 'review');
      else if (status !== 'void') expect(status).toBe(claiming.length > 0 ? 'review' : 'unmatched');
      // Nobody waits for what is decided.
      if (attachedTo?.verified === true || status === 'void') expect(claiming).toEqual([]);
      const over = [...claims.values()].filter(
        (one) =>
          one.receiptId === receiptId &&
          matching.payment(one.paymentId).status === 'review' &&
          matching.payment(one.paymentId).receiptId !== receiptId,
      );
      expect(over.length + 1).toBeLessThanOrEqual(20);
      expect(over.filter(({ exact }) => !exact).length).toBeLessThanOrEqual(10);
    }
    for (const one of payments) {
      const own = live.filter(({ paymentId }) => paymentId === one.id);
      if (own.length > 0) expect(one.status).toBe('review');
      if (one.status === 'review') expect(one.reviewReason).not.toBeNull();
      if (one.receiptId !== null) expect(['verified', 'review']).toContain(one.status);
      if (one.status === 'verified' && one.approvedAt === null)
        expect(fitsExactly(matching.matchable(one.id), matching.receipt(one.receiptId!))).toBe(true);
    }
    for (const id of matching.released) expect(matching.receipt(id).simulated).toBe(false);
  }

  it('property: the rules hold, and the changes are all that is to be written', () => {
    fc.assert(
      fc.property(start, fc.array(decision, { minLength: 1, maxLength: 40 }), (states, steps) => {
        const rows = {
          payments: states.map((one, index) => payment(PAYMENTS[index]!, one)),
          receipts: RECEIPTS.map((id, index) => receipt(id, { amountMinor: AMOUNTS[index % 2]! })),
        };
        const matching = caseOf(rows);
        const claims = new Map<string, StoredClaim>();
        const payments = new Map(rows.payments.map((one) => [one.id, one]));
        const receipts = new Map(rows.receipts.map((one) => [one.id, one]));
        for (const step of steps) {
          take(matching, step);
          const changes = matching.takeChanges();
          for (const { before, after } of changes.transitions) {
            expect(payments.get(after.id)).toEqual(before);
            payments.set(after.id, after);
          }
          for (const one of changes.receipts) receipts.set(one.id, one);
          for (const id of changes.doubtedIds) receipts.set(id, { ...receipts.get(id)!, status: 'review' });
          for (const one of changes.claims) claims.set(`${one.receiptId} ${one.paymentId}`, one);
          expect([...payments.values()]).toEqual(PAYMENTS.map((id) => matching.payment(id)));
          expect([...receipts.values()]).toEqual(RECEIPTS.map((id) => matching.receipt(id)));
          expectSound(matching, claims);
        }
      }),
      { numRuns: 300 },
    );
  });
});
