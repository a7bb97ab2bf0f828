import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Claimant,
  compare,
  decideReleasedReceipt,
  decideQrEntry,
  decideQrReceipt,
  decideTrxEntry,
  decideTrxReceipt,
  type RecordedSubmission,
  fitsExactly,
  isWithinWindow,
  type MatchablePayment,
  type MatchableReceipt,
  type MatchingRules,
} from './matching.js';

/*
 * Goal: what belongs to what (contract 4.3) is decided without a guess, and who fits exactly is never kept out.
 * Method: each rule by an example; properties over whatever receipts and payments there may be.
 */

const NOW = new Date('2026-11-21T08:20:00.000Z');
const MINUTE_MS = 60_000;
const WINDOW_MS = 3 * MINUTE_MS;
const RULES: MatchingRules = {
  receiptLeadMs: 60 * MINUTE_MS,
  receiptChecks: 'flag',
  windowMs: WINDOW_MS,
  guardsGuesses: true,
};
const at = (offsetMs: number) => new Date(NOW.getTime() + offsetMs);

const payment = (changes: Partial<MatchablePayment> = {}): MatchablePayment => ({
  id: 'p1',
  status: 'submitted',
  payAmountMinor: 50_000,
  currency: 'BDT',
  requestedProvider: null,
  customerPhone: null,
  createdAt: at(-10 * MINUTE_MS),
  ...changes,
});
const receipt = (changes: Partial<MatchableReceipt> = {}): MatchableReceipt => ({
  id: 'r1',
  provider: 'bkash',
  trxId: 'DIJ3MXAHCJ',
  last4digit: null,
  amountMinor: 50_000,
  currency: 'BDT',
  counterparty: '01700000002',
  receivedAt: NOW,
  moneyFrom: NOW,
  moneyUntil: NOW,
  status: 'unmatched',
  flags: [],
  simulated: false,
  holder: null,
  ...changes,
});
const entry = (changes: Partial<RecordedSubmission> = {}): RecordedSubmission => ({
  kind: 'trx_id',
  value: 'DIJ3MXAHCJ',
  provider: null,
  standing: 'counted',
  at: NOW,
  ...changes,
});
const claimant = (changes: Partial<Claimant> = {}): Claimant => ({
  ...payment(),
  entries: [entry()],
  inForce: true,
  ...changes,
});
const qr = (changes: Partial<MatchableReceipt> = {}) =>
  receipt({ provider: 'qr', trxId: null, last4digit: '0042', counterparty: null, ...changes });
const digits = (changes: Partial<RecordedSubmission> = {}) =>
  entry({ kind: 'last4digit', value: '0042', ...changes });
const uncontested = () => false;
const held = (verified: boolean) => ({ paymentId: 'p9', verified });

describe('compare', () => {
  it.each([
    ['agree', {}, {}, {}],
    ['late', { status: 'expired' }, {}, {}],
    ['wrong_wallet', { requestedProvider: 'nagad' }, {}, {}],
    ['wrong_wallet', {}, {}, { provider: 'nagad' }],
    ['currency_mismatch', {}, { currency: 'USD' }, {}],
    ['underpaid', {}, { amountMinor: 49_999 }, {}],
    ['overpaid', {}, { amountMinor: 50_001 }, {}],
    ['old_money', {}, { receivedAt: at(-70 * MINUTE_MS - 1) }, {}],
    ['agree', {}, { receivedAt: at(-70 * MINUTE_MS) }, {}],
    ['flagged', {}, { flags: ['let_go'] }, {}],
    ['agree', {}, { flags: ['balance_gap'] }, {}],
    ['flagged', {}, { flags: ['balance_below_amount'] }, {}],
    ['flagged', {}, {}, { standing: 'surplus' }],
    ['agree', {}, {}, { standing: 'refused' }],
  ] as const)('%s', (expected, paymentChanges, receiptChanges, entryChanges) => {
    expect(compare(payment(paymentChanges), receipt(receiptChanges), entry(entryChanges), RULES)).toBe(
      expected,
    );
  });

  it('looks at balances as the store wants', () => {
    const gap = receipt({ flags: ['balance_gap'] });
    const below = receipt({ flags: ['balance_below_amount'] });
    expect(compare(payment(), gap, entry(), { ...RULES, receiptChecks: 'review' })).toBe('flagged');
    expect(compare(payment(), below, entry(), { ...RULES, receiptChecks: 'off' })).toBe('agree');
  });
});

describe('an entered TrxID', () => {
  const decide = (
    receipts: MatchableReceipt[],
    own = payment(),
    contested: (id: string) => boolean = uncontested,
  ) => decideTrxEntry(own, entry(), receipts, contested, RULES);

  it('waits without a receipt, and takes the one that is free', () => {
    expect(decide([])).toEqual({ kind: 'wait' });
    expect(decide([receipt()])).toEqual({ kind: 'take', receiptId: 'r1', comparison: 'agree' });
  });

  it('is refused where the receipt is void, or another’s for good', () => {
    const used = { kind: 'used', receiptId: 'r1', toReview: false };
    expect(decide([receipt({ status: 'void' })])).toEqual(used);
    expect(decide([receipt({ status: 'matched', holder: held(true) })])).toEqual(used);
  });

  it('claims what is held only in review when it fits exactly, and is refused when it does not', () => {
    const doubted = receipt({ status: 'review', holder: held(false) });
    expect(decide([doubted])).toEqual({
      kind: 'claim',
      claims: [{ paymentId: 'p1', receiptId: 'r1', exact: true }],
    });
    expect(decide([doubted], payment({ payAmountMinor: 1_000 })).kind).toBe('used');
    expect(decide([receipt({ status: 'review' })], payment(), () => true).kind).toBe('claim');
  });

  it('shows a user who comes later where the phone is the payer’s and the amount is right', () => {
    const taken = receipt({ status: 'matched', holder: held(true) });
    const own = payment({ customerPhone: '+8801700000002' });
    expect(decide([taken], own)).toMatchObject({ kind: 'used', toReview: true });
    expect(decide([taken], { ...own, payAmountMinor: 1_000 })).toMatchObject({ toReview: false });
    expect(decide([taken], payment({ customerPhone: '01811111111' }))).toMatchObject({ toReview: false });
    expect(decide([taken])).toMatchObject({ toReview: false });
  });

  it('prefers the wallet that was named, then the one of equal amount, and never guesses', () => {
    const both = [receipt(), receipt({ id: 'r2', provider: 'nagad' })];
    expect(decide(both)).toMatchObject({ kind: 'claim' });
    expect(decideTrxEntry(payment(), entry({ provider: 'nagad' }), both, uncontested, RULES)).toMatchObject({
      kind: 'take',
      receiptId: 'r2',
    });
    const unequal = [receipt({ amountMinor: 1 }), receipt({ id: 'r2', provider: 'nagad' })];
    expect(decide(unequal)).toMatchObject({ kind: 'take', receiptId: 'r2' });
  });

  it('lets a real receipt win over a simulated one, whoever holds that', () => {
    const simulated = receipt({ id: 's', simulated: true, status: 'matched', holder: held(true) });
    expect(decide([simulated, receipt()])).toMatchObject({ kind: 'take', receiptId: 'r1' });
  });
});

describe('a receipt with a TrxID', () => {
  const decide = (claimants: Claimant[], changes: Partial<MatchableReceipt> = {}) =>
    decideTrxReceipt(receipt(changes), claimants, RULES);
  const small = (id: string, offsetMs = 0) =>
    claimant({ id, payAmountMinor: 1_000, entries: [entry({ at: at(offsetMs) })] });

  it('verifies who fits, however late they entered it; the others lose', () => {
    expect(decide([small('a', -9), small('b', -8), claimant({ id: 'c' })])).toEqual({
      winner: { paymentId: 'c', comparison: 'agree' },
      claims: [],
      loserIds: ['a', 'b'],
    });
  });

  it('leaves those who have entered something else since, and those who were refused, waiting', () => {
    const refused = claimant({
      id: 'r',
      status: 'pending',
      inForce: false,
      entries: [entry({ standing: 'refused', at: at(-5) })],
    });
    expect(decide([claimant({ id: 'a' }), refused])).toMatchObject({
      winner: { paymentId: 'a' },
      loserIds: [],
    });
    expect(decide([refused])).toMatchObject({ winner: { paymentId: 'r', comparison: 'agree' } });
  });

  it('gives the phone its say', () => {
    const first = claimant({ id: 'a', customerPhone: '01811111111', entries: [entry({ at: at(-9) })] });
    const owner = claimant({ id: 'b', customerPhone: '01700000002' });
    const silent = claimant({ id: 'c' });
    expect(decide([first, owner])).toMatchObject({ winner: { paymentId: 'b' }, loserIds: ['a'] });
    expect(decide([silent, owner])).toMatchObject({
      winner: null,
      claims: [{ paymentId: 'b' }, { paymentId: 'c' }],
    });
    expect(decide([first, owner], { counterparty: '017*****002' })).toMatchObject({
      winner: { paymentId: 'a' },
    });
    expect(decide([first, silent])).toMatchObject({ winner: { paymentId: 'a' } });
  });

  describe('tie-break by phone: the table of contract 4.35', () => {
    const PHONES = { agrees: '01811111111', disagrees: '01922222222', 'not given': null } as const;
    type Says = keyof typeof PHONES;
    const one = (id: string, says: Says, offsetMs: number, changes: Partial<Claimant> = {}) =>
      claimant({ id, customerPhone: PHONES[says], entries: [entry({ at: at(offsetMs) })], ...changes });
    const rows: readonly [
      Says,
      Says,
      Says,
      Partial<Record<'p1' | 'p2' | 'p3', Partial<Claimant>>>,
      string,
    ][] = [
      ['agrees', 'disagrees', 'disagrees', {}, 'p1 verified; used: p2 p3'],
      ['disagrees', 'agrees', 'not given', {}, 'ambiguous: p2 p3; used: p1'],
      ['agrees', 'agrees', 'disagrees', {}, 'ambiguous: p1 p2; used: p3'],
      ['agrees', 'agrees', 'not given', {}, 'ambiguous: p1 p2 p3; used:'],
      ['agrees', 'not given', 'not given', {}, 'ambiguous: p1 p2 p3; used:'],
      ['disagrees', 'not given', 'disagrees', {}, 'p1 verified; used: p2 p3'],
      ['not given', 'disagrees', 'not given', { p1: { inForce: false } }, 'p2 verified; used: p3'],
      ['disagrees', 'agrees', 'not given', { p2: { status: 'review' } }, 'ambiguous: p1 p2; used: p3'],
      ['agrees', 'not given', 'disagrees', { p2: { status: 'review' } }, 'ambiguous: p1 p2; used: p3'],
      // One with a doubt is compared as one in review is (4.34), and an expired one not at all.
      [
        'disagrees',
        'agrees',
        'not given',
        { p2: { createdAt: at(61 * MINUTE_MS) } },
        'ambiguous: p1 p2; used: p3',
      ],
      ['disagrees', 'agrees', 'disagrees', { p2: { status: 'expired' } }, 'p1 verified; used: p3'],
      ['disagrees', 'agrees', 'disagrees', { p2: { payAmountMinor: 1_000 } }, 'p1 verified; used: p2 p3'],
    ];

    it.each(rows)('%s, %s, %s %o: %s', (first, second, third, changes, expected) => {
      const claimants = [
        one('p1', first, -3, changes.p1),
        one('p2', second, -2, changes.p2),
        one('p3', third, -1, changes.p3),
      ];
      for (const order of [claimants, claimants.toReversed()]) {
        const { winner, claims, loserIds } = decide(order, { counterparty: '018111***11' });
        const claiming = claims.map(({ paymentId }) => paymentId).sort();
        const said = winner === null ? `ambiguous: ${claiming.join(' ')}` : `${winner.paymentId} verified`;
        expect(`${said}; used: ${[...loserIds].sort().join(' ')}`.trim()).toBe(expected);
        if (winner !== null) expect([winner.comparison, claims]).toEqual(['agree', []]);
      }
    });
  });

  it('shows what a payment in review gets besides, and verifies none of those', () => {
    const inReview = claimant({ status: 'review' });
    expect(decide([inReview])).toMatchObject({ winner: null, claims: [{ paymentId: 'p1', exact: true }] });
    const rest = claimant({ status: 'review', payAmountMinor: 90_000 });
    expect(decide([rest])).toMatchObject({ winner: null, claims: [{ exact: false }] });
  });

  it('brings an expired one to a person before one that does not fit', () => {
    const expired = claimant({ id: 'e', status: 'expired' });
    expect(decide([small('a', -1), expired])).toMatchObject({
      winner: { paymentId: 'e', comparison: 'late' },
      loserIds: ['a'],
    });
  });

  it('property: who agrees is never kept out by who does not fit', () => {
    const others = fc.array(
      fc.record({
        id: fc.uuid(),
        payAmountMinor: fc.constantFrom(1_000, 49_999, 60_000),
        status: fc.constantFrom('pending', 'submitted', 'review', 'expired'),
        offsetMs: fc.integer({ min: -9_000, max: 9_000 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(others, (list) => {
        const claimants = list.map(({ offsetMs, ...one }) =>
          claimant({ ...one, entries: [entry({ at: at(offsetMs) })] }),
        );
        const { winner } = decide([...claimants, claimant({ id: 'honest' })]);
        expect(winner).toEqual({ paymentId: 'honest', comparison: 'agree' });
      }),
    );
  });
});

describe('Bangla QR', () => {
  const scene = (receipts: MatchableReceipt[], claimants: Claimant[] = []) => ({
    receipts,
    claimants,
    plainReceipts: [],
    plainFits: () => 0,
  });
  const decide = (receipts: MatchableReceipt[], claimants: Claimant[] = []) =>
    decideQrEntry(payment(), digits(), scene(receipts, claimants), uncontested, RULES);

  it('has a window with its ends, and a minute without seconds is all of it', () => {
    for (const [offset, expected] of [
      [-WINDOW_MS, true],
      [-WINDOW_MS - 1, false],
      [WINDOW_MS, true],
      [WINDOW_MS + 1, false],
    ] as const)
      expect(isWithinWindow(at(offset), qr(), WINDOW_MS)).toBe(expected);
    expect(isWithinWindow(at(WINDOW_MS + 59_999), qr({ moneyUntil: at(59_999) }), WINDOW_MS)).toBe(true);
  });

  it('takes the only one, and never guesses', () => {
    expect(decide([qr()])).toMatchObject({ kind: 'take', comparison: 'agree' });
    expect(decide([qr(), qr({ id: 'r2' })])).toMatchObject({ kind: 'claim' });
    expect(decide([qr()], [claimant({ id: 'p2', entries: [digits()] })])).toMatchObject({
      kind: 'claim',
      claims: [{ paymentId: 'p1' }, { paymentId: 'p2' }],
    });
  });

  it('sees both where the receipt is taken, void, or the second of two alike', () => {
    const used = { kind: 'used', toReview: true };
    expect(decide([qr({ status: 'matched', holder: held(true) })])).toMatchObject(used);
    expect(decide([qr({ status: 'void' })])).toMatchObject(used);
    const alike = qr({ id: 'r2', status: 'review', flags: ['possible_duplicate'] });
    expect(decide([alike])).toMatchObject({ kind: 'claim' });
    expect(decide([qr(), alike])).toMatchObject({ kind: 'take', receiptId: 'r1' });
  });

  it('keeps digits that were replaced from verifying', () => {
    const of = (inForce: boolean) =>
      decideQrReceipt(qr(), [claimant({ entries: [digits()], inForce })], [], [], RULES).winner?.comparison;
    expect([of(true), of(false)]).toEqual(['agree', 'flagged']);
  });

  it('brings the plain amount of who has one of their own to a person', () => {
    const plain = claimant({ payAmountMinor: 50_037, entries: [digits()] });
    expect(decideQrReceipt(qr(), [], [], [plain], RULES).winner).toEqual({
      paymentId: 'p1',
      comparison: 'underpaid',
    });
    const two = [plain, claimant({ id: 'p2', payAmountMinor: 50_038, entries: [digits()] })];
    expect(decideQrReceipt(qr(), [], [], two, RULES).claims).toHaveLength(2);
  });

  it('brings who claims the plain amount behind another to a person, too', () => {
    const own = payment({ payAmountMinor: 50_037 });
    const decidePlain = (plain: MatchableReceipt, fits = 1) =>
      decideQrEntry(
        own,
        digits(),
        { ...scene([]), plainReceipts: [plain], plainFits: () => fits },
        uncontested,
        RULES,
      );
    expect(decidePlain(qr())).toMatchObject({ kind: 'take', comparison: 'underpaid' });
    expect(decidePlain(qr(), 2)).toMatchObject({ kind: 'claim' });
    expect(decidePlain(qr({ status: 'review', holder: held(false) }))).toMatchObject({ kind: 'claim' });
    expect(decidePlain(qr({ status: 'matched', holder: held(true) }))).toMatchObject({
      kind: 'used',
      toReview: true,
    });
    expect(decidePlain(qr({ status: 'void' }))).toEqual({ kind: 'wait' });
  });
});

describe('a receipt that is let go', () => {
  const decide = (claimants: Claimant[], released: boolean, claiming: string[] = []) =>
    decideReleasedReceipt(receipt(), claimants, new Set(claiming), released, RULES);

  it('verifies the only one that fits when that was said, else waits with it for a person', () => {
    const claiming = claimant({ status: 'review' });
    expect(decide([claiming], true, ['p1']).winner).toEqual({ paymentId: 'p1', comparison: 'agree' });
    expect(decide([claiming], false, ['p1']).winner).toEqual({ paymentId: 'p1', comparison: 'flagged' });
    expect(decide([claiming], true).winner).toBeNull();
  });

  it('stays a user’s when two fit and one of them is in review; else it is decided as if it had just come', () => {
    const inReview = claimant({ id: 'p2', status: 'review' });
    expect(decide([claimant(), inReview], true, ['p2'])).toMatchObject({ winner: null, claims: [{}, {}] });
    expect(decide([claimant(), claimant({ id: 'p2' })], true)).toMatchObject({
      winner: { paymentId: 'p1', comparison: 'agree' },
      loserIds: ['p2'],
    });
  });
});

describe('fitsExactly', () => {
  it('is about money and the merchant’s wallet, whatever else is in doubt', () => {
    expect(fitsExactly(payment({ status: 'expired' }), receipt({ flags: ['let_go'] }))).toBe(true);
    expect(fitsExactly(payment({ requestedProvider: 'nagad' }), receipt())).toBe(false);
    expect(fitsExactly(payment({ requestedProvider: 'qr' }), qr())).toBe(true);
  });
});
