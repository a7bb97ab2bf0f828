import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  around,
  type Claimant,
  compare,
  fitsExactly,
  isLate,
  isLive,
  isTooEarly,
  isWithinWindow,
  type MatchablePayment,
  type MatchableReceipt,
  type MatchingRules,
  mayBeMatched,
  type RecordedSubmission,
  statusFor,
} from './compare.js';
import {
  decideClaimedReceipt,
  decideQrReceipt,
  decideReceipt,
  decideReceiptByBoth,
  decideReleasedReceipt,
  decideTrxReceipt,
} from './decide-receipt.js';
import { decideDigitsSubmission, decideLateMoney, decideTrxSubmission } from './decide-submission.js';
import { NOTHING, stoppedByGuessProtection } from './decision.js';

/*
 * Rules: contract 3.25, 3.26, 4.3, 4.18, 4.20, 4.21, 4.23, 4.25, 4.27 to 4.39, 4.55, 4.56, 4.64 to 4.73, 4.93.
 *
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
  simulationEnabled: true,
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
  attachedTo: null,
  ...changes,
});
const submission = (changes: Partial<RecordedSubmission> = {}): RecordedSubmission => ({
  kind: 'trx_id',
  value: 'DIJ3MXAHCJ',
  provider: null,
  standing: 'counted',
  at: NOW,
  ...changes,
});
const claimant = (changes: Partial<Claimant> = {}): Claimant => ({
  ...payment(),
  submissions: [submission()],
  inForce: true,
  ...changes,
});
const qr = (changes: Partial<MatchableReceipt> = {}) =>
  receipt({ provider: 'qr', trxId: null, last4digit: '0042', counterparty: null, ...changes });
const digits = (changes: Partial<RecordedSubmission> = {}) =>
  submission({ kind: 'last4digit', value: '0042', ...changes });
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
    expect(compare(payment(paymentChanges), receipt(receiptChanges), submission(entryChanges), RULES)).toBe(
      expected,
    );
  });

  it('looks at balances as the store wants', () => {
    const gap = receipt({ flags: ['balance_gap'] });
    const below = receipt({ flags: ['balance_below_amount'] });
    expect(compare(payment(), gap, submission(), { ...RULES, receiptChecks: 'review' })).toBe('flagged');
    expect(compare(payment(), below, submission(), { ...RULES, receiptChecks: 'off' })).toBe('agree');
  });
});

describe('a submitted TrxID', () => {
  const decide = (
    receipts: MatchableReceipt[],
    own = payment(),
    contested: (id: string) => boolean = uncontested,
  ) => decideTrxSubmission(own, submission(), receipts, contested, RULES);

  it('waits without a receipt, and takes the one that is free', () => {
    expect(decide([])).toEqual(NOTHING);
    expect(decide([receipt()])).toMatchObject({
      attach: { receiptId: 'r1', comparison: 'agree', by: 'trx_id' },
      claims: [],
    });
  });

  it('is refused where the receipt is void, or another’s for good', () => {
    const used = { ...NOTHING, otherwise: 'used' };
    expect(decide([receipt({ status: 'void' })])).toEqual(used);
    expect(decide([receipt({ status: 'matched', attachedTo: held(true) })])).toEqual(used);
  });

  it('claims what is held only in review when it fits exactly, and is refused when it does not', () => {
    const doubted = receipt({ status: 'review', attachedTo: held(false) });
    const claiming = {
      attach: null,
      claims: [{ paymentId: 'p1', receiptId: 'r1', exact: true }],
      endedClaims: [],
      // If there is no room for one more payment in review, the receipt is used.
      otherwise: 'used',
    };
    expect(decide([doubted])).toEqual(claiming);
    expect(decide([doubted], payment({ payAmountMinor: 1_000 }))).toEqual({ ...claiming, claims: [] });
    expect(decide([receipt({ status: 'review' })], payment(), () => true)).toEqual(claiming);
  });

  it('shows a user who comes later where the phone is the payer’s and the amount is right', () => {
    const taken = receipt({ status: 'matched', attachedTo: held(true) });
    const own = payment({ customerPhone: '+8801700000002' });
    const used = { attach: null, claims: [], endedClaims: [], otherwise: 'used' };
    expect(decide([taken], own)).toMatchObject({ endedClaims: [{ paymentId: 'p1', exact: true }] });
    expect(decide([taken], { ...own, payAmountMinor: 1_000 })).toEqual(used);
    expect(decide([taken], payment({ customerPhone: '01811111111' }))).toEqual(used);
    expect(decide([taken])).toEqual(used);
    // A user looks at it already (contract 4.37).
    expect(decide([taken], { ...own, status: 'review' })).toEqual(NOTHING);
  });

  it('prefers the wallet that was named, then the one of equal amount, and never guesses', () => {
    const both = [receipt(), receipt({ id: 'r2', provider: 'nagad' })];
    expect(decide(both)).toMatchObject({ attach: null, claims: [{}, {}] });
    expect(
      decideTrxSubmission(payment(), submission({ provider: 'nagad' }), both, uncontested, RULES),
    ).toMatchObject({
      attach: { receiptId: 'r2' },
    });
    const unequal = [receipt({ amountMinor: 1 }), receipt({ id: 'r2', provider: 'nagad' })];
    expect(decide(unequal)).toMatchObject({ attach: { receiptId: 'r2' } });
  });

  it('lets a real receipt win over a simulated one, whoever holds that', () => {
    const simulated = receipt({ id: 's', simulated: true, status: 'matched', attachedTo: held(true) });
    expect(decide([simulated, receipt()])).toMatchObject({ attach: { receiptId: 'r1' } });
  });
});

describe('a receipt with a TrxID', () => {
  const decide = (claimants: Claimant[], changes: Partial<MatchableReceipt> = {}) =>
    decideTrxReceipt(receipt(changes), claimants, RULES);
  const small = (id: string, offsetMs = 0) =>
    claimant({ id, payAmountMinor: 1_000, submissions: [submission({ at: at(offsetMs) })] });

  it('verifies who fits, however late they submitted it; the others lose', () => {
    expect(decide([small('a', -9), small('b', -8), claimant({ id: 'c' })])).toEqual({
      attach: { paymentId: 'c', receiptId: 'r1', comparison: 'agree', by: 'trx_id' },
      claims: [],
      endedClaims: [
        { paymentId: 'a', receiptId: 'r1', exact: false },
        { paymentId: 'b', receiptId: 'r1', exact: false },
      ],
      otherwise: 'wait',
    });
  });

  it('leaves those who have submitted something else since, and those who were refused, waiting', () => {
    const refused = claimant({
      id: 'r',
      status: 'pending',
      inForce: false,
      submissions: [submission({ standing: 'refused', at: at(-5) })],
    });
    expect(decide([claimant({ id: 'a' }), refused])).toMatchObject({
      attach: { paymentId: 'a' },
      endedClaims: [],
    });
    expect(decide([refused])).toMatchObject({ attach: { paymentId: 'r', comparison: 'agree' } });
  });

  it('gives the phone its say', () => {
    const first = claimant({
      id: 'a',
      customerPhone: '01811111111',
      submissions: [submission({ at: at(-9) })],
    });
    const owner = claimant({ id: 'b', customerPhone: '01700000002' });
    const silent = claimant({ id: 'c' });
    expect(decide([first, owner])).toMatchObject({
      attach: { paymentId: 'b' },
      endedClaims: [{ paymentId: 'a' }],
    });
    expect(decide([silent, owner])).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'b' }, { paymentId: 'c' }],
    });
    expect(decide([first, owner], { counterparty: '017*****002' })).toMatchObject({
      attach: { paymentId: 'a' },
    });
    expect(decide([first, silent])).toMatchObject({ attach: { paymentId: 'a' } });
  });

  describe('tie-break by phone: the table of contract 4.35', () => {
    const PHONES = { agrees: '01811111111', disagrees: '01922222222', 'not given': null } as const;
    type Says = keyof typeof PHONES;
    const one = (id: string, says: Says, offsetMs: number, changes: Partial<Claimant> = {}) =>
      claimant({
        id,
        customerPhone: PHONES[says],
        submissions: [submission({ at: at(offsetMs) })],
        ...changes,
      });
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
        const { attach, claims, endedClaims } = decide(order, { counterparty: '018111***11' });
        const claiming = claims.map(({ paymentId }) => paymentId).sort();
        const said = attach === null ? `ambiguous: ${claiming.join(' ')}` : `${attach.paymentId} verified`;
        const losing = endedClaims.map(({ paymentId }) => paymentId).sort();
        expect(`${said}; used: ${losing.join(' ')}`.trim()).toBe(expected);
        if (attach !== null) expect([attach.comparison, claims]).toEqual(['agree', []]);
      }
    });
  });

  it('shows what a payment in review gets besides, and verifies none of those', () => {
    const inReview = claimant({ status: 'review' });
    expect(decide([inReview])).toMatchObject({ attach: null, claims: [{ paymentId: 'p1', exact: true }] });
    const rest = claimant({ status: 'review', payAmountMinor: 90_000 });
    expect(decide([rest])).toMatchObject({ attach: null, claims: [{ exact: false }] });
  });

  it('brings an expired one to a user before one that does not fit', () => {
    const expired = claimant({ id: 'e', status: 'expired' });
    expect(decide([small('a', -1), expired])).toMatchObject({
      attach: { paymentId: 'e', comparison: 'late' },
      endedClaims: [{ paymentId: 'a' }],
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
          claimant({ ...one, submissions: [submission({ at: at(offsetMs) })] }),
        );
        const { attach } = decide([...claimants, claimant({ id: 'honest' })]);
        expect(attach).toMatchObject({ paymentId: 'honest', comparison: 'agree' });
      }),
    );
  });
});

describe('Bangla QR', () => {
  const scene = (receipts: MatchableReceipt[], claimants: Claimant[] = []) => ({
    receipts,
    claimants,
    plainReceipts: [],
    plainClaimants: [],
  });
  const decide = (receipts: MatchableReceipt[], claimants: Claimant[] = []) =>
    decideDigitsSubmission(payment(), digits(), scene(receipts, claimants), uncontested, RULES);

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
    expect(decide([qr()])).toMatchObject({ attach: { comparison: 'agree', by: 'last4digit' } });
    expect(decide([qr(), qr({ id: 'r2' })])).toMatchObject({ attach: null, claims: [{}, {}] });
    expect(decide([qr()], [claimant({ id: 'p2', submissions: [digits()] })])).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'p1' }, { paymentId: 'p2' }],
    });
  });

  it('sees both where the receipt is taken, void, or the second of two alike', () => {
    const used = { attach: null, endedClaims: [{ paymentId: 'p1', receiptId: 'r1' }], otherwise: 'used' };
    expect(decide([qr({ status: 'matched', attachedTo: held(true) })])).toMatchObject(used);
    expect(decide([qr({ status: 'void' })])).toMatchObject(used);
    const alike = qr({ id: 'r2', status: 'review', flags: ['possible_duplicate'] });
    expect(decide([alike])).toMatchObject({ attach: null, claims: [{ receiptId: 'r2' }] });
    expect(decide([qr(), alike])).toMatchObject({ attach: { receiptId: 'r1' } });
  });

  it('keeps digits that were replaced from verifying', () => {
    const of = (inForce: boolean) =>
      decideQrReceipt(qr(), [claimant({ submissions: [digits()], inForce })], [], [], RULES).attach
        ?.comparison;
    expect([of(true), of(false)]).toEqual(['agree', 'flagged']);
  });

  it('brings the plain amount of who has one of their own to a user', () => {
    const plain = claimant({ payAmountMinor: 50_037, submissions: [digits()] });
    expect(decideQrReceipt(qr(), [], [], [plain], RULES).attach).toMatchObject({
      paymentId: 'p1',
      comparison: 'underpaid',
    });
    const two = [plain, claimant({ id: 'p2', payAmountMinor: 50_038, submissions: [digits()] })];
    expect(decideQrReceipt(qr(), [], [], two, RULES).claims).toHaveLength(2);
  });

  it('brings who claims the plain amount behind another to a user, too', () => {
    const own = payment({ payAmountMinor: 50_037 });
    const decidePlain = (plain: MatchableReceipt, plainClaimants: Claimant[] = []) =>
      decideDigitsSubmission(
        own,
        digits(),
        { ...scene([]), plainReceipts: [plain], plainClaimants },
        uncontested,
        RULES,
      );
    const claiming = { attach: null, claims: [{ paymentId: 'p1', receiptId: 'r1' }] };
    expect(decidePlain(qr())).toMatchObject({ attach: { comparison: 'underpaid' } });
    expect(decidePlain(qr(), [claimant({ id: 'p2', submissions: [digits()] })])).toMatchObject(claiming);
    expect(decidePlain(qr({ status: 'review', attachedTo: held(false) }))).toMatchObject(claiming);
    expect(decidePlain(qr({ status: 'matched', attachedTo: held(true) }))).toMatchObject({
      attach: null,
      endedClaims: [{ paymentId: 'p1' }],
    });
    expect(decidePlain(qr({ status: 'void' }))).toEqual(NOTHING);
  });
});

describe('a released receipt', () => {
  const decide = (claimants: Claimant[], released: boolean, claiming: string[] = []) =>
    decideClaimedReceipt(receipt(), claimants, new Set(claiming), released, RULES);

  it('verifies the only one that fits when that was said, else waits with it for a user', () => {
    const claiming = claimant({ status: 'review' });
    expect(decide([claiming], true, ['p1']).attach).toMatchObject({ paymentId: 'p1', comparison: 'agree' });
    expect(decide([claiming], false, ['p1']).attach).toMatchObject({
      paymentId: 'p1',
      comparison: 'flagged',
    });
    expect(decide([claiming], true).attach).toBeNull();
  });

  it('stays a user’s when two fit and one of them is in review; else it is decided as if it had just come', () => {
    const inReview = claimant({ id: 'p2', status: 'review' });
    expect(decide([claimant(), inReview], true, ['p2'])).toMatchObject({ attach: null, claims: [{}, {}] });
    expect(decide([claimant(), claimant({ id: 'p2' })], true)).toMatchObject({
      attach: { paymentId: 'p1', comparison: 'agree' },
      endedClaims: [{ paymentId: 'p2' }],
    });
  });
});

describe('a released receipt that nobody claims', () => {
  const facts = (byTrxId: Claimant[], claimantIds: string[] = []) => ({
    ...{ byTrxId, byDigits: [], alike: [] },
    ...{ claimantIds: new Set(claimantIds), onlyThisIds: new Set(claimantIds) },
  });

  it('is decided as if it had just come, but who is in review is left in peace', () => {
    const inReview = claimant({ id: 'a', status: 'review' });
    expect(decideReleasedReceipt(receipt(), facts([inReview]), true, RULES)).toEqual(NOTHING);
    expect(decideReleasedReceipt(receipt(), facts([inReview, claimant()]), false, RULES)).toMatchObject({
      attach: { paymentId: 'p1', comparison: 'agree' },
    });
    const digital = { ...facts([]), byDigits: [claimant({ status: 'review', submissions: [digits()] })] };
    expect(decideReleasedReceipt(qr(), digital, true, RULES)).toEqual(NOTHING);
  });

  it('is decided by TrxID and digits where it is claimed, each payment once', () => {
    const both = claimant({ status: 'review' });
    const by = {
      ...facts([both], ['p1']),
      byDigits: [{ ...both, submissions: [digits()] }, claimant({ id: 'p2', submissions: [digits()] })],
    };
    const carried = qr({ trxId: 'DIJ3MXAHCJ' });
    expect(decideReleasedReceipt(carried, by, true, RULES).claims.map(({ paymentId }) => paymentId)).toEqual([
      'p1',
      'p2',
    ]);
    const alone = { ...by, byDigits: [by.byDigits[0]!] };
    expect(decideReleasedReceipt(carried, alone, true, RULES).attach).toMatchObject({
      paymentId: 'p1',
      by: 'trx_id',
    });
  });

  it('goes as late to one that has expired, by digits only within their window', () => {
    const decide = (submissions: RecordedSubmission[], status: 'expired' | 'submitted' = 'expired') =>
      decideClaimedReceipt(qr(), [claimant({ status, submissions })], new Set(), true, RULES);
    expect(decide([digits()]).attach).toMatchObject({ comparison: 'late', by: 'last4digit' });
    expect(decide([digits({ at: at(WINDOW_MS + 1) })])).toEqual(NOTHING);
    expect(decide([digits()], 'submitted').attach).toMatchObject({ comparison: 'agree', by: 'last4digit' });
  });

  it('stays with a user where two name its digits', () => {
    const two = [claimant({ submissions: [digits()] }), claimant({ id: 'p2', submissions: [digits()] })];
    expect(decideClaimedReceipt(qr(), two, new Set(), true, RULES)).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'p1' }, { paymentId: 'p2' }],
    });
    const unequal = [claimant({ payAmountMinor: 1_000 })];
    expect(decideClaimedReceipt(receipt(), unequal, new Set(['p1']), true, RULES)).toEqual(NOTHING);
    const carried = qr({ trxId: 'DIJ3MXAHCJ' });
    const mixed = [claimant({ submissions: [submission()] }), two[1]!];
    expect(decideClaimedReceipt(carried, mixed, new Set(), true, RULES).claims).toHaveLength(2);
  });

  it('is compared by the last submission, and keeps what is wrong with it', () => {
    const surplus = submission({ standing: 'surplus' });
    const decide = (submissions: RecordedSubmission[], changes: Partial<MatchableReceipt> = {}) =>
      decideClaimedReceipt(receipt(changes), [claimant({ submissions })], new Set(), true, RULES).attach;
    expect(decide([surplus, submission()])?.comparison).toBe('agree');
    expect(decide([submission(), surplus])?.comparison).toBe('flagged');
    const old = { receivedAt: at(-71 * MINUTE_MS) };
    const held = decideClaimedReceipt(receipt(old), [claimant()], new Set(), false, RULES);
    expect(held.attach?.comparison).toBe('old_money');
    // A TrxID counts whenever it was submitted.
    expect(decide([submission({ at: at(-WINDOW_MS - 1) })])?.comparison).toBe('agree');
  });
});

describe('a receipt with TrxID and digits', () => {
  const carried = qr({ trxId: 'DIJ3MXAHCJ' });
  const byDigits = (changes: Partial<Claimant> = {}) =>
    claimant({ id: 'd', submissions: [digits()], ...changes });
  const decide = (byTrxId: Claimant[], byDigit: Claimant[]) =>
    decideReceiptByBoth(carried, byTrxId, byDigit, [], RULES);

  it('stays with a user where one fits by its TrxID and another by its digits', () => {
    expect(decide([claimant()], [byDigits()])).toMatchObject({
      attach: null,
      claims: [
        { paymentId: 'p1', exact: true },
        { paymentId: 'd', exact: true },
      ],
      endedClaims: [],
    });
  });

  it('is decided by the digits where no TrxID fits; who waited by the TrxID loses', () => {
    const small = claimant({ payAmountMinor: 1_000 });
    expect(decide([small], [byDigits()])).toEqual({
      attach: { paymentId: 'd', receiptId: 'r1', comparison: 'agree', by: 'last4digit' },
      claims: [],
      endedClaims: [{ paymentId: 'p1', receiptId: 'r1', exact: false }],
      otherwise: 'wait',
    });
    const replaced = claimant({ payAmountMinor: 1_000, inForce: false });
    expect(decide([replaced], [byDigits()]).endedClaims).toEqual([]);
  });

  it('is decided by the TrxID where no digits fit, or those of the same payment', () => {
    const outside = byDigits({ submissions: [digits({ at: at(WINDOW_MS + 1) })] });
    for (const other of [[], [outside], [byDigits({ id: 'p1' })], [byDigits({ currency: 'USD' })]])
      expect(decide([claimant()], other).attach).toMatchObject({ paymentId: 'p1', by: 'trx_id' });
  });

  it('is told apart by who names it', () => {
    const facts = (byTrxId: Claimant[], byDigit: Claimant[]) =>
      decideReceipt(carried, { byTrxId, byDigits: byDigit, alike: [] }, RULES);
    expect(facts([], [])).toEqual(NOTHING);
    expect(facts([claimant()], []).attach).toMatchObject({ paymentId: 'p1', by: 'trx_id' });
    expect(facts([], [byDigits()]).attach).toMatchObject({ paymentId: 'd', by: 'last4digit' });
    expect(facts([claimant()], [byDigits()]).claims).toHaveLength(2);
    const plain = byDigits({ payAmountMinor: 50_037 });
    expect(facts([], [plain]).attach).toEqual({
      ...{ paymentId: 'd', receiptId: 'r1', comparison: 'underpaid', by: 'last4digit' },
    });
    // Payments of the plain amount have no part in it.
    expect(facts([claimant()], [plain])).toMatchObject({ attach: { paymentId: 'p1' }, claims: [] });
  });
});

describe('a Bangla QR receipt', () => {
  const named = (changes: Partial<Claimant> = {}) => claimant({ submissions: [digits()], ...changes });
  const decide = (own: Claimant[], others: MatchableReceipt[] = [], plain: Claimant[] = []) =>
    decideQrReceipt(qr(), own, others, plain, RULES);

  it('verifies the only payment within its window', () => {
    expect(decide([named()])).toEqual({
      ...NOTHING,
      attach: { paymentId: 'p1', receiptId: 'r1', comparison: 'agree', by: 'last4digit' },
    });
    expect(decide([named({ submissions: [digits({ at: at(WINDOW_MS + 1) })] })])).toEqual(NOTHING);
    expect(decide([named({ currency: 'USD' })])).toEqual(NOTHING);
  });

  it('stays with a user where two payments fit, one is in review, or another receipt looks alike', () => {
    expect(decide([named(), named({ id: 'p2' })]).claims).toHaveLength(2);
    expect(decide([named({ status: 'review' })])).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'p1' }],
    });
    const other = qr({ id: 'r2' });
    expect(decide([named()], [other]).claims.map(({ receiptId }) => receiptId)).toEqual(['r1', 'r2']);
    const far = qr({ id: 'r2', moneyFrom: at(WINDOW_MS + 1), moneyUntil: at(WINDOW_MS + 1) });
    const second = qr({ id: 'r2', flags: ['possible_duplicate'] });
    const voided = qr({ id: 'r2', status: 'void' });
    for (const one of [far, second, voided])
      expect(decide([named()], [one]).attach).toMatchObject({ paymentId: 'p1' });
    const doubted = qr({ flags: ['possible_duplicate'] });
    expect(decideQrReceipt(doubted, [named()], [other], [], RULES).attach?.comparison).toBe('flagged');
  });

  it('counts payments of the plain amount together with those of the amount to pay', () => {
    const plain = named({ id: 'p2', payAmountMinor: 50_037 });
    expect(decide([named()], [], [plain]).claims.map(({ paymentId }) => paymentId)).toEqual(['p1', 'p2']);
    expect(decide([], [], [named({ ...plain, status: 'review' })]).claims).toHaveLength(1);
    expect(decide([], [], [named({ ...plain, status: 'expired' })]).attach?.comparison).toBe('late');
  });

  it('counts the first submission in the window that is not one too many', () => {
    const surplus = digits({ standing: 'surplus' });
    expect(decide([named({ submissions: [surplus] })]).attach?.comparison).toBe('flagged');
    expect(decide([named({ submissions: [surplus, digits()] })]).attach?.comparison).toBe('agree');
  });
});

describe('a submission and the receipts that there are', () => {
  const trx = (receipts: MatchableReceipt[], own = payment()) =>
    decideTrxSubmission(own, submission(), receipts, uncontested, RULES);
  const simulated = receipt({ id: 's', simulated: true });

  it('meets a simulated one only where there is no real one', () => {
    expect(trx([simulated]).attach).toMatchObject({ receiptId: 's' });
    expect(trx([simulated, receipt({ status: 'void' })])).toEqual({ ...NOTHING, otherwise: 'used' });
  });

  it('waits beside its own receipt, and beside one that is ignored', () => {
    const own = receipt({ status: 'review', attachedTo: { paymentId: 'p1', verified: false } });
    expect(trx([own], payment({ status: 'review' }))).toEqual(NOTHING);
    expect(trx([receipt({ status: 'ignored' })])).toMatchObject({ attach: null, otherwise: 'used' });
    // Its own, and another's: the other one counts.
    const both = [own, receipt({ id: 'r2', provider: 'nagad', status: 'matched', attachedTo: held(true) })];
    expect(trx(both, payment({ status: 'review' }))).toEqual({ ...NOTHING, otherwise: 'used' });
  });

  it('claims what fits a payment in review, which verifies nothing more by itself', () => {
    expect(trx([receipt()], payment({ status: 'review' }))).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'p1', receiptId: 'r1' }],
    });
  });

  describe('by digits', () => {
    const facts = (receipts: MatchableReceipt[], changes: object = {}) => ({
      ...{ receipts, claimants: [], plainReceipts: [], plainClaimants: [] },
      ...changes,
    });
    const decide = (given: ReturnType<typeof facts>, own = payment()) =>
      decideDigitsSubmission(own, digits(), given, uncontested, RULES);
    const far = { moneyFrom: at(WINDOW_MS + 1), moneyUntil: at(WINDOW_MS + 1) };

    it('meets those of its window and currency, real ones first', () => {
      expect(decide(facts([qr(far)]))).toEqual(NOTHING);
      expect(decide(facts([qr({ currency: 'USD' })]))).toEqual(NOTHING);
      const one = qr({ id: 's', simulated: true });
      expect(decide(facts([one])).attach).toMatchObject({ receiptId: 's' });
      expect(decide(facts([one, qr()])).attach).toMatchObject({ receiptId: 'r1' });
    });

    it('is alone unless others submitted the same within its window, and it waits', () => {
      const elsewhere = claimant({ id: 'p2', submissions: [digits({ at: at(WINDOW_MS + 1) })] });
      expect(decide(facts([qr()], { claimants: [elsewhere] })).attach).toMatchObject({ paymentId: 'p1' });
      expect(decide(facts([qr()]), payment({ status: 'review' }))).toMatchObject({
        attach: null,
        claims: [{ paymentId: 'p1' }],
      });
    });

    it('claims what another payment holds in review, and nothing that is free for others', () => {
      const doubted = qr({ status: 'review', attachedTo: held(false) });
      expect(decide(facts([doubted]))).toMatchObject({ attach: null, claims: [{ receiptId: 'r1' }] });
      const own = qr({ status: 'review', attachedTo: { paymentId: 'p1', verified: false } });
      expect(decide(facts([own]), payment({ status: 'review' }))).toEqual(NOTHING);
      expect(decide(facts([qr({ status: 'ignored' })]))).toMatchObject({
        endedClaims: [{ receiptId: 'r1' }],
      });
    });

    it('meets the plain amount of who has one of their own, within its window', () => {
      const own = payment({ payAmountMinor: 50_037 });
      const plain = (receipts: MatchableReceipt[], plainClaimants: Claimant[] = [], of = own) =>
        decide(facts([], { plainReceipts: receipts, plainClaimants }), of);
      expect(plain([qr()]).attach).toEqual({
        ...{ paymentId: 'p1', receiptId: 'r1', comparison: 'underpaid', by: 'last4digit' },
      });
      expect(plain([qr()], [], { ...own, status: 'expired' }).attach?.comparison).toBe('late');
      expect(plain([qr()], [], { ...own, status: 'review' })).toMatchObject({ attach: null, claims: [{}] });
      expect(plain([qr(far)])).toEqual(NOTHING);
      expect(plain([qr(), qr({ id: 'r2' })]).claims).toHaveLength(2);
      const elsewhere = claimant({ id: 'p2', submissions: [digits({ at: at(WINDOW_MS + 1) })] });
      expect(plain([qr()], [elsewhere]).attach).toMatchObject({ comparison: 'underpaid' });
      const mine = qr({ status: 'matched', attachedTo: { paymentId: 'p1', verified: true } });
      expect(plain([mine])).toEqual(NOTHING);
    });
  });
});

describe('the first claimant of a receipt (contract 4.27 to 4.30)', () => {
  const decide = (claimants: Claimant[]) => decideTrxReceipt(receipt(), claimants, RULES);
  const other = (id: string, changes: Partial<Claimant> = {}) =>
    claimant({ id, payAmountMinor: 1_000, ...changes });
  const early = [submission({ at: at(-5) })];

  it('gets it where none fits; the others lose it, or go on waiting for another', () => {
    const replaced = other('c', { inForce: false, submissions: early });
    expect(decide([replaced, other('b'), other('a', { submissions: early })])).toEqual({
      attach: { paymentId: 'a', receiptId: 'r1', comparison: 'overpaid', by: 'trx_id' },
      claims: [],
      endedClaims: [{ paymentId: 'b', receiptId: 'r1', exact: false }],
      otherwise: 'wait',
    });
  });

  it('is one that has not expired, whoever submitted first', () => {
    const expired = other('e', { status: 'expired', submissions: early });
    expect(decide([expired, other('b')]).attach).toMatchObject({ paymentId: 'b' });
    expect(decide([expired]).attach).toMatchObject({ paymentId: 'e', comparison: 'late' });
  });

  it('is nobody where all are in review: each claims it, and nobody loses it', () => {
    const inReview = other('a', { status: 'review' });
    expect(decide([inReview, other('b', { status: 'review' })])).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'a' }, { paymentId: 'b' }],
      endedClaims: [],
    });
  });

  it('fits with a doubt: the other exact fits are in review over it, the rest loses it', () => {
    const doubted = (id: string, changes: Partial<Claimant> = {}) =>
      claimant({ id, createdAt: at(61 * MINUTE_MS), ...changes });
    expect(decide([doubted('a', { submissions: early }), doubted('b'), other('c')])).toMatchObject({
      attach: { paymentId: 'a', comparison: 'old_money' },
      claims: [{ paymentId: 'b', exact: true }],
      endedClaims: [{ paymentId: 'c', exact: false }],
    });
    const inReview = claimant({ id: 'r', status: 'review' });
    expect(decide([inReview, other('c')])).toMatchObject({
      attach: null,
      claims: [{ paymentId: 'r' }],
      endedClaims: [{ paymentId: 'c' }],
    });
  });

  it('is compared by its last submission', () => {
    const surplus = submission({ standing: 'surplus' });
    const last = (submissions: RecordedSubmission[]) =>
      decide([claimant({ submissions })]).attach?.comparison;
    expect([last([surplus, submission()]), last([submission(), surplus])]).toEqual(['agree', 'flagged']);
  });
});

describe('late money', () => {
  const expired = payment({ status: 'expired' });

  it('is one free receipt that fits, or several for a user', () => {
    expect(decideLateMoney(expired, [qr()])).toMatchObject({
      attach: { paymentId: 'p1', receiptId: 'r1', comparison: 'late', by: 'last4digit' },
      claims: [],
    });
    expect(decideLateMoney(expired, [qr(), qr({ id: 'r2' })])).toMatchObject({
      attach: null,
      claims: [{ receiptId: 'r1' }, { receiptId: 'r2' }],
    });
  });

  it.each([{ status: 'review' }, { status: 'void' }, { simulated: true }, { amountMinor: 1 }] as const)(
    'is nothing for %o',
    (changes) => {
      expect(decideLateMoney(expired, [qr(changes)])).toEqual(NOTHING);
    },
  );
});

describe('guess protection', () => {
  it('sends to review, and leaves those that fit exactly to a user', () => {
    const loser = (paymentId: string, exact: boolean) => ({ paymentId, receiptId: 'r1', exact });
    const attach = { paymentId: 'p1', receiptId: 'r1', comparison: 'agree', by: 'trx_id' } as const;
    const decision = { ...NOTHING, attach, endedClaims: [loser('a', true), loser('b', false)] };
    expect(stoppedByGuessProtection(decision)).toEqual({
      ...NOTHING,
      attach: { ...attach, comparison: 'flagged' },
      claims: [loser('a', true)],
      endedClaims: [loser('b', false)],
    });
    expect(stoppedByGuessProtection(NOTHING)).toBe(NOTHING);
  });

  it('knows a guessable TrxID that was submitted too early', () => {
    const nagad = receipt({ provider: 'nagad' });
    const early = (offsetMs: number, changes: Partial<RecordedSubmission> = {}) =>
      isTooEarly(nagad, submission({ at: at(offsetMs), ...changes }), RULES);
    expect([early(-WINDOW_MS), early(-WINDOW_MS - 1)]).toEqual([false, true]);
    expect(early(-WINDOW_MS - 1, { kind: 'last4digit' })).toBe(false);
    expect(isTooEarly(receipt(), submission({ at: at(-WINDOW_MS - 1) }), RULES)).toBe(false);
    const off = { ...RULES, guardsGuesses: false };
    expect(isTooEarly(nagad, submission({ at: at(-WINDOW_MS - 1) }), off)).toBe(false);
    const own = payment({ requestedProvider: 'nagad' });
    expect(compare(own, nagad, submission({ at: at(-WINDOW_MS - 1) }), RULES)).toBe('flagged');
  });
});

describe('small rules', () => {
  it('a payment in review over nothing but a simulated receipt is decided anew by a real one', () => {
    const of = (status: 'review' | 'submitted', holdsSimulated: boolean, simulated: boolean) =>
      statusFor({ status, holdsSimulated }, { simulated });
    expect(of('review', true, false)).toBe('submitted');
    expect(of('review', true, true)).toBe('review');
    expect(of('review', false, false)).toBe('review');
    expect(of('submitted', true, false)).toBe('submitted');
    expect(statusFor({ status: 'review' }, { simulated: false })).toBe('review');
    expect(statusFor({ status: 'expired', holdsSimulated: true }, { simulated: false })).toBe('expired');
  });

  it('waiting, late, and what digits may be matched to', () => {
    const statuses = ['pending', 'submitted', 'review', 'expired'] as const;
    expect(statuses.filter((status) => isLive(payment({ status })))).toEqual(['pending', 'submitted']);
    expect(isLate(payment({ status: 'review', reviewReason: 'late' }))).toBe(true);
    expect(isLate(payment({ status: 'review', reviewReason: 'underpaid' }))).toBe(false);
    const may = (changes: Partial<MatchableReceipt>) => mayBeMatched(qr(changes));
    expect([may({}), may({ status: 'review' }), may({ flags: ['balance_gap'] })]).toEqual([true, true, true]);
    expect([may({ status: 'void' }), may({ status: 'ignored' })]).toEqual([false, false]);
    expect(may({ flags: ['possible_duplicate'] })).toBe(false);
  });

  it('the wallet that a payer names, and the window around instants', () => {
    const named = (provider: string) => compare(payment(), receipt(), submission({ provider }), RULES);
    expect([named('bkash'), named('nagad'), named('qr')]).toEqual(['agree', 'wrong_wallet', 'wrong_wallet']);
    expect(compare(payment(), qr({ provider: 'rocket' }), digits({ provider: 'qr' }), RULES)).toBe('agree');
    expect(around([at(5), at(-5), at(0)], 10)).toEqual({ from: at(-15), to: at(15) });
  });
});

describe('fitsExactly', () => {
  it('is about money and the merchant’s wallet, whatever else is in doubt', () => {
    expect(fitsExactly(payment({ status: 'expired' }), receipt({ flags: ['let_go'] }))).toBe(true);
    expect(fitsExactly(payment({ requestedProvider: 'nagad' }), receipt())).toBe(false);
    expect(fitsExactly(payment({ requestedProvider: 'qr' }), qr())).toBe(true);
  });
});
