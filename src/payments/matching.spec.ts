import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compare,
  compareMoney,
  decideQrReceipt,
  decideQrSubmission,
  decideTrxReceipt,
  decideTrxSubmission,
  type Entered,
  isWithinWindow,
  type MatchablePayment,
  type MatchableReceipt,
  moneyAt,
  type WaitingPayment,
} from './matching.js';

/*
 * Goal: money verifies exactly the payment it was meant for, whichever of receipt and submission comes first; where that is
 * not certain, a person looks (decisions §4). Method: a table for each rule, then properties over random receipts and
 * payments, whose expectations are written from decisions §4 and not from the code.
 */

const NOON = new Date('2026-11-21T12:00:00.000Z');
const WINDOW_MS = 180_000;
const at = (ms: number) => new Date(NOON.getTime() + ms);

const payment = (changes: Partial<MatchablePayment> = {}): MatchablePayment => ({
  id: 'payment',
  status: 'submitted',
  amountMinor: 50_000,
  currency: 'BDT',
  requestedProvider: null,
  ...changes,
});

/** Submitted at noon and never repeated, unless said otherwise. */
const waiting = (changes: Partial<WaitingPayment> & { provider?: string } = {}): WaitingPayment => {
  const { provider = null, ...rest } = changes;
  return {
    ...payment(),
    submission: { kind: 'trx_id', trxId: 'DIJ3MXAHCJ', provider },
    submittedAt: NOON,
    repeatedAt: rest.submittedAt ?? NOON,
    ...rest,
  };
};

const receipt = (changes: Partial<MatchableReceipt> = {}): MatchableReceipt => ({
  id: 'receipt',
  provider: 'bkash',
  trxId: 'DIJ3MXAHCJ',
  last4digit: null,
  amountMinor: 50_000,
  currency: 'BDT',
  receivedAt: NOON,
  arrivedAt: NOON,
  status: 'unmatched',
  flags: [],
  paymentId: null,
  ...changes,
});

const qrReceipt = (changes: Partial<MatchableReceipt> = {}): MatchableReceipt =>
  receipt({ provider: 'qr', trxId: null, last4digit: '0251', ...changes });

const qrWaiting = (changes: Partial<WaitingPayment> = {}): WaitingPayment =>
  waiting({ submission: { kind: 'last4digit', last4digit: '0251', provider: null }, ...changes });

describe('compare', () => {
  it('names the gravest of several reasons: late, wallet, currency, amount, doubtful message', () => {
    const paid = payment({ status: 'expired', requestedProvider: 'nagad' });
    const money = receipt({ currency: 'USD', amountMinor: 49_999, flags: ['edited'] });
    expect(compare(paid, money, null)).toBe('late');
    const inTime = { ...paid, status: 'submitted' as const };
    expect(compare(inTime, money, null)).toBe('wrong_wallet');
    const rightWallet = { ...money, provider: 'nagad' };
    expect(compare(inTime, rightWallet, null)).toBe('currency_mismatch');
    const rightCurrency = { ...rightWallet, currency: 'BDT' };
    expect(compare(inTime, rightCurrency, null)).toBe('underpaid');
    const rightAmount = { ...rightCurrency, amountMinor: 50_000 };
    expect(compare(inTime, rightAmount, null)).toBe('flagged');
    expect(compare(inTime, { ...rightAmount, flags: [] }, null)).toBe('agree');
  });

  it.each(['pending', 'submitted'] as const)('lets money agree with a payment that is %s', (status) => {
    expect(compare(payment({ status }), receipt(), null)).toBe('agree');
  });

  it.each<[allowed: string | null, named: string | null, ofReceipt: string, digits: string | null, string]>([
    [null, null, 'bkash', null, 'agree'],
    ['bkash', null, 'bkash', null, 'agree'],
    [null, 'bkash', 'bkash', null, 'agree'],
    ['bkash', 'bkash', 'bkash', null, 'agree'],
    ['nagad', null, 'bkash', null, 'wrong_wallet'],
    [null, 'nagad', 'bkash', null, 'wrong_wallet'],
    ['nagad', 'bkash', 'bkash', null, 'wrong_wallet'],
    ['bkash', 'nagad', 'bkash', null, 'wrong_wallet'],
    // `qr` is a way to pay, which every receipt with four digits went.
    ['qr', null, 'bkash', '0251', 'agree'],
    [null, 'qr', 'bkash', '0251', 'agree'],
    ['qr', 'qr', 'qr', '0251', 'agree'],
    ['bkash', 'qr', 'bkash', '0251', 'agree'],
    ['qr', null, 'bkash', null, 'wrong_wallet'],
    [null, 'qr', 'bkash', null, 'wrong_wallet'],
    ['bkash', 'qr', 'qr', '0251', 'wrong_wallet'],
  ])('merchant allows %s, payer names %s, receipt of %s with digits %s: %s', (...row) => {
    const [allowed, named, provider, last4digit, comparison] = row;
    expect(compare(payment({ requestedProvider: allowed }), receipt({ provider, last4digit }), named)).toBe(
      comparison,
    );
  });
});

describe('compareMoney', () => {
  it.each([
    [50_000, 'BDT', null],
    [49_999, 'BDT', 'underpaid'],
    [50_001, 'BDT', 'overpaid'],
    [50_000, 'USD', 'currency_mismatch'],
    [49_999, 'USD', 'currency_mismatch'],
  ])('%d %s for 50000 BDT: %s', (amountMinor, currency, difference) => {
    expect(compareMoney(payment(), receipt({ amountMinor, currency }))).toBe(difference);
  });
});

describe('decideTrxSubmission', () => {
  const bkash = (changes: Partial<MatchableReceipt> = {}) =>
    receipt({ id: 'bkash', provider: 'bkash', ...changes });
  const nagad = (changes: Partial<MatchableReceipt> = {}) =>
    receipt({ id: 'nagad', provider: 'nagad', ...changes });
  const take = (receiptId: string, comparison = 'agree') => ({ kind: 'take', receiptId, comparison });
  const claimed = { paymentId: 'other', status: 'matched' } as const;
  const ambiguous = (...receiptIds: string[]) => ({ kind: 'ambiguous', receiptIds, rivalIds: [] });

  it.each<[string, Partial<MatchablePayment>, named: string | null, MatchableReceipt[], object]>([
    ['no receipt', {}, null, [], { kind: 'wait' }],
    ['its receipt', {}, null, [bkash()], take('bkash')],
    ['too little', {}, null, [bkash({ amountMinor: 1 })], take('bkash', 'underpaid')],
    ['money after its time', { status: 'expired' }, null, [bkash()], take('bkash', 'late')],
    ["another payment's receipt", {}, null, [bkash(claimed)], { kind: 'used' }],
    ["only others' receipts", {}, null, [bkash(claimed), nagad(claimed)], { kind: 'used' }],
    ["a free one beside another's", {}, null, [bkash(claimed), nagad()], take('nagad')],
    ['two, the named wallet first', {}, 'nagad', [bkash(), nagad()], take('nagad')],
    [
      'two, the named wallet before the equal amount',
      {},
      'nagad',
      [bkash(), nagad({ amountMinor: 1 })],
      take('nagad', 'underpaid'),
    ],
    ['two, one wallet allowed', { requestedProvider: 'nagad' }, null, [bkash(), nagad()], take('nagad')],
    [
      'two, the named wallet before the allowed one',
      { requestedProvider: 'bkash' },
      'nagad',
      [bkash(), nagad()],
      take('nagad', 'wrong_wallet'),
    ],
    ["the named wallet's is another's", {}, 'bkash', [bkash(claimed), nagad()], { kind: 'used' }],
    ["another wallet's alone", {}, 'nagad', [bkash()], take('bkash', 'wrong_wallet')],
    ['two, one of equal amount', {}, null, [bkash({ amountMinor: 1 }), nagad()], take('nagad')],
    ['two, one of equal currency', {}, null, [bkash(), nagad({ currency: 'USD' })], take('bkash')],
    ['two of equal amount', {}, null, [bkash(), nagad()], ambiguous('bkash', 'nagad')],
    [
      'two, none of equal amount',
      {},
      null,
      [bkash({ amountMinor: 1 }), nagad({ amountMinor: 2 })],
      ambiguous('bkash', 'nagad'),
    ],
    [
      'two free ones of three',
      {},
      null,
      [bkash(), nagad(), receipt({ id: 'upay', provider: 'upay', ...claimed })],
      ambiguous('bkash', 'nagad'),
    ],
    [
      'a third wallet is named, two are there',
      {},
      'upay',
      [bkash(), nagad({ amountMinor: 1 })],
      take('bkash', 'wrong_wallet'),
    ],
  ])('%s', (_what, changes, named, receipts, outcome) => {
    expect(decideTrxSubmission(payment(changes), named, receipts)).toEqual(outcome);
    expect(sortedIds(decideTrxSubmission(payment(changes), named, [...receipts].reverse()))).toEqual(
      sortedIds(outcome),
    );
  });
});

/** An outcome without the order in which receipts and payments are named. */
function sortedIds(outcome: object): object {
  return Object.fromEntries(
    Object.entries(outcome).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? [...(value as string[])].sort() : value,
    ]),
  );
}

describe('decideTrxReceipt', () => {
  const taken = (paymentId: string, comparison: string, ...loserIds: string[]) => ({
    kind: 'taken',
    paymentId,
    comparison,
    loserIds,
  });
  const first = (changes: Parameters<typeof waiting>[0] = {}) =>
    waiting({ id: 'first', submittedAt: at(0), ...changes });
  const second = (changes: Parameters<typeof waiting>[0] = {}) =>
    waiting({ id: 'second', submittedAt: at(1), ...changes });
  const expired = { status: 'expired' } as const;

  it.each<[string, WaitingPayment[], object]>([
    ['nobody waits', [], { kind: 'unmatched' }],
    ['one waits', [first()], taken('first', 'agree')],
    ['one waits for more', [first({ amountMinor: 50_001 })], taken('first', 'underpaid')],
    ['one waits for another wallet', [first({ provider: 'nagad' })], taken('first', 'wrong_wallet')],
    ['one is expired', [first(expired)], taken('first', 'late')],
    ['two: the first', [first(), second()], taken('first', 'agree', 'second')],
    [
      'two: the one that fits, although it is second',
      [first({ amountMinor: 1 }), second()],
      taken('second', 'agree', 'first'),
    ],
    [
      'two: none fits, the first',
      [first({ amountMinor: 1 }), second({ amountMinor: 60_000 })],
      taken('first', 'overpaid', 'second'),
    ],
    [
      'two: the one that named this wallet',
      [first({ provider: 'nagad' }), second({ provider: 'bkash' })],
      taken('second', 'agree', 'first'),
    ],
    ['two: the one that lives', [first(expired), second()], taken('second', 'agree')],
    [
      'two: the one that lives, although it does not fit',
      [first(expired), second({ amountMinor: 1 })],
      taken('second', 'overpaid'),
    ],
    ['two expired: the first', [second(expired), first(expired)], taken('first', 'late')],
    ['one that fits beside an expired one', [first(), second(expired)], taken('first', 'agree')],
  ])('%s', (_what, payments, outcome) => {
    expect(decideTrxReceipt(receipt(), payments)).toEqual(outcome);
    expect(sortedIds(decideTrxReceipt(receipt(), [...payments].reverse()))).toEqual(sortedIds(outcome));
  });

  it('goes by the id when two were submitted in the same millisecond', () => {
    const a = waiting({ id: 'a' });
    const b = waiting({ id: 'b' });
    expect(decideTrxReceipt(receipt(), [a, b])).toEqual(taken('a', 'agree', 'b'));
    expect(decideTrxReceipt(receipt(), [b, a])).toEqual(taken('a', 'agree', 'b'));
  });

  it('leaves the list it was given as it was', () => {
    const payments = [second(), first()];
    decideTrxReceipt(receipt(), payments);
    expect(payments.map(({ id }) => id)).toEqual(['second', 'first']);
  });
});

describe('moneyAt', () => {
  it.each([
    ['what the wallet says', -60_000, 0, -60_000],
    ['the arrival, when the wallet says the future', 1, 0, 0],
    ['either, when they are equal', 0, 0, 0],
  ])('is %s', (_what, receivedMs, arrivedMs, expectedMs) => {
    expect(moneyAt({ receivedAt: at(receivedMs), arrivedAt: at(arrivedMs) })).toEqual(at(expectedMs));
  });
});

describe('isWithinWindow', () => {
  const once = (ms: number) => ({ submittedAt: at(ms), repeatedAt: at(ms) });

  it.each([
    [0, true],
    [WINDOW_MS, true],
    [WINDOW_MS + 1, false],
    [-WINDOW_MS, true],
    [-WINDOW_MS - 1, false],
  ])('money %d ms after the submission: %s', (ms, within) => {
    const late = at(10 * WINDOW_MS);
    expect(isWithinWindow(once(0), { receivedAt: at(ms), arrivedAt: late }, WINDOW_MS)).toBe(within);
  });

  it.each([
    ['near the first entry', 0, true],
    ['near the repetition', 10 * WINDOW_MS, true],
    ['between the two and near to neither', 5 * WINDOW_MS, false],
    ['at the end of the first window', WINDOW_MS, true],
    ['at the beginning of the second window', 9 * WINDOW_MS, true],
    ['before both', -WINDOW_MS - 1, false],
  ])('money %s, when the digits were repeated: %d ms, %s', (_what, ms, within) => {
    const entered = { submittedAt: NOON, repeatedAt: at(10 * WINDOW_MS) };
    const money = { receivedAt: at(ms), arrivedAt: at(20 * WINDOW_MS) };
    expect(isWithinWindow(entered, money, WINDOW_MS)).toBe(within);
  });

  it('takes the arrival for the time of money from the future', () => {
    const fromTheFuture = { receivedAt: at(86_400_000), arrivedAt: at(WINDOW_MS) };
    expect(isWithinWindow(once(0), fromTheFuture, WINDOW_MS)).toBe(true);
    expect(isWithinWindow(once(-1), fromTheFuture, WINDOW_MS)).toBe(false);
  });
});

describe('decideQrSubmission', () => {
  const decideIt = (
    receipts: readonly MatchableReceipt[],
    rivals: readonly WaitingPayment[] = [],
    changes: Partial<MatchablePayment> = {},
    named: string | null = null,
    entered: Entered = { submittedAt: NOON, repeatedAt: NOON },
  ) => decideQrSubmission(payment(changes), named, entered, receipts, rivals, WINDOW_MS);
  const outside = { receivedAt: at(-WINDOW_MS - 1), arrivedAt: at(-WINDOW_MS) };
  const take = (comparison: string) => ({ kind: 'take', receiptId: 'receipt', comparison });
  const ambiguous = (receiptIds: string[], rivalIds: string[]) => ({
    kind: 'ambiguous',
    receiptIds,
    rivalIds,
  });
  const other = qrReceipt({ id: 'other' });

  it.each<[string, MatchableReceipt[], WaitingPayment[], object]>([
    ['no receipt', [], [], { kind: 'wait' }],
    ['no receipt, although somebody else waits', [], [qrWaiting({ id: 'rival' })], { kind: 'wait' }],
    ['its receipt', [qrReceipt()], [], take('agree')],
    ['a receipt outside the window', [qrReceipt(outside)], [], { kind: 'wait' }],
    ['a receipt of another currency', [qrReceipt({ currency: 'USD' })], [], { kind: 'wait' }],
    [
      'its receipt beside those that cannot be meant',
      [
        { ...other, ...outside },
        { ...other, currency: 'USD' },
        { ...qrReceipt(), flags: ['edited'] },
      ],
      [],
      take('flagged'),
    ],
    ['two receipts', [qrReceipt(), other], [], ambiguous(['receipt', 'other'], [])],
    [
      'a rival for whom the receipt is as good',
      [qrReceipt()],
      [qrWaiting({ id: 'rival', submittedAt: at(-WINDOW_MS) })],
      ambiguous(['receipt'], ['rival']),
    ],
    [
      'a rival too long ago',
      [qrReceipt()],
      [qrWaiting({ id: 'rival', submittedAt: at(-WINDOW_MS - 1) })],
      take('agree'),
    ],
    [
      'two receipts and two rivals, one of them too late',
      [qrReceipt(), other],
      [qrWaiting({ id: 'rival' }), qrWaiting({ id: 'late', submittedAt: at(WINDOW_MS + 1) })],
      ambiguous(['receipt', 'other'], ['rival']),
    ],
    [
      'a receipt that was too much for somebody before',
      [qrReceipt({ status: 'review' })],
      [],
      ambiguous(['receipt'], []),
    ],
  ])('%s', (_what, receipts, rivals, outcome) => {
    expect(decideIt(receipts, rivals)).toEqual(outcome);
  });

  it('finds the money of the first entry when the digits are repeated long after it, and of the repetition', () => {
    const repeated = { submittedAt: NOON, repeatedAt: at(5 * WINDOW_MS) };
    const of = (ms: number) => qrReceipt({ receivedAt: at(ms), arrivedAt: at(5 * WINDOW_MS) });
    expect(decideIt([of(0)], [], {}, null, repeated)).toEqual(take('agree'));
    expect(decideIt([of(5 * WINDOW_MS)], [], {}, null, repeated)).toEqual(take('agree'));
    expect(decideIt([of(2 * WINDOW_MS)], [], {}, null, repeated)).toEqual({ kind: 'wait' });
  });

  it('takes a rival for one who repeated the digits in time, although they entered them long ago', () => {
    const rival = qrWaiting({ id: 'rival', submittedAt: at(-5 * WINDOW_MS), repeatedAt: NOON });
    expect(decideIt([qrReceipt()], [rival])).toEqual(ambiguous(['receipt'], ['rival']));
  });

  it('gives an expired payment its receipt for a person to look at', () => {
    expect(decideIt([qrReceipt()], [], { status: 'expired' })).toEqual(take('late'));
  });

  it('looks at the wallet that was named, and at the one that is allowed', () => {
    expect(decideIt([qrReceipt()], [], {}, 'bkash')).toEqual(take('wrong_wallet'));
    expect(decideIt([qrReceipt()], [], { requestedProvider: 'bkash' })).toEqual(take('wrong_wallet'));
    expect(decideIt([qrReceipt({ provider: 'bkash' })], [], { requestedProvider: 'qr' })).toEqual(
      take('agree'),
    );
  });
});

describe('decideQrReceipt', () => {
  const taken = (paymentId: string, comparison: string) => ({
    kind: 'taken',
    paymentId,
    comparison,
    loserIds: [],
  });
  const ambiguous = (receiptIds: string[], paymentIds: string[]) => ({
    kind: 'ambiguous',
    receiptIds,
    paymentIds,
  });
  const other = qrReceipt({ id: 'other' });
  const outside = { receivedAt: at(WINDOW_MS + 1), arrivedAt: at(WINDOW_MS + 1) };

  it.each<[string, WaitingPayment[], others: MatchableReceipt[], object]>([
    ['nobody waits', [], [], { kind: 'unmatched' }],
    ['nobody waits, although another receipt lies there', [], [other], { kind: 'unmatched' }],
    ['one waits', [qrWaiting()], [], taken('payment', 'agree')],
    ['one waited too long ago', [qrWaiting({ submittedAt: at(-WINDOW_MS - 1) })], [], { kind: 'unmatched' }],
    ['one waits for another currency', [qrWaiting({ currency: 'USD' })], [], { kind: 'unmatched' }],
    [
      'one entered the digits long ago and repeated them in time',
      [qrWaiting({ submittedAt: at(-5 * WINDOW_MS), repeatedAt: NOON })],
      [],
      taken('payment', 'agree'),
    ],
    [
      'one entered the digits in time and repeated them long after',
      [qrWaiting({ submittedAt: NOON, repeatedAt: at(5 * WINDOW_MS) })],
      [],
      taken('payment', 'agree'),
    ],
    [
      'another receipt fits the repetition as this one fits the entry',
      [qrWaiting({ repeatedAt: at(5 * WINDOW_MS) })],
      [{ ...other, receivedAt: at(5 * WINDOW_MS), arrivedAt: at(5 * WINDOW_MS) }],
      ambiguous(['receipt', 'other'], ['payment']),
    ],
    [
      'one waits, beside those that cannot be meant',
      [
        qrWaiting({ id: 'old', submittedAt: at(-WINDOW_MS - 1) }),
        qrWaiting({ id: 'dollar', currency: 'USD' }),
        qrWaiting(),
      ],
      [],
      taken('payment', 'agree'),
    ],
    ['one is expired', [qrWaiting({ status: 'expired' })], [], taken('payment', 'late')],
    [
      'two wait',
      [qrWaiting({ id: 'one' }), qrWaiting({ id: 'two' }), qrWaiting({ id: 'dollar', currency: 'USD' })],
      [],
      ambiguous(['receipt'], ['one', 'two']),
    ],
    ['another receipt is as good', [qrWaiting()], [other], ambiguous(['receipt', 'other'], ['payment'])],
    [
      'another receipt lies outside the window',
      [qrWaiting()],
      [{ ...other, ...outside }],
      taken('payment', 'agree'),
    ],
    ['one is in review already', [qrWaiting({ status: 'review' })], [], ambiguous(['receipt'], ['payment'])],
    [
      'one named another wallet',
      [qrWaiting({ submission: { kind: 'last4digit', last4digit: '0251', provider: 'bkash' } })],
      [],
      taken('payment', 'wrong_wallet'),
    ],
  ])('%s', (_what, payments, others, outcome) => {
    expect(decideQrReceipt(qrReceipt(), payments, others, WINDOW_MS)).toEqual(outcome);
  });
});

describe('whatever comes', () => {
  const PROVIDERS = ['bkash', 'nagad', 'qr'] as const;
  const aroundNoon = fc
    .constantFrom(-WINDOW_MS - 1, -WINDOW_MS, -1, 0, 1, WINDOW_MS, WINDOW_MS + 1)
    .map((ms) => at(ms));
  const anyReceipt: fc.Arbitrary<MatchableReceipt> = fc.record({
    id: fc.uuid(),
    provider: fc.constantFrom(...PROVIDERS),
    trxId: fc.constant('DIJ3MXAHCJ'),
    last4digit: fc.constantFrom(null, '0251'),
    amountMinor: fc.constantFrom(49_999, 50_000, 50_001),
    currency: fc.constantFrom('BDT', 'USD'),
    receivedAt: aroundNoon,
    arrivedAt: aroundNoon,
    status: fc.constant('unmatched' as const),
    flags: fc.constantFrom<string[]>([], [], ['edited']),
    paymentId: fc.constant(null),
  });
  const anyReceiptOrClaimed = fc
    .tuple(anyReceipt, fc.boolean())
    .map(([one, isClaimed]) =>
      isClaimed ? { ...one, status: 'matched' as const, paymentId: 'somebody' } : one,
    );
  const anyPayment: fc.Arbitrary<MatchablePayment> = fc.record({
    id: fc.uuid(),
    status: fc.constantFrom('submitted' as const, 'submitted' as const, 'expired' as const),
    amountMinor: fc.constantFrom(49_999, 50_000),
    currency: fc.constantFrom('BDT', 'USD'),
    requestedProvider: fc.constantFrom(null, null, ...PROVIDERS),
  });
  const anyNamed = fc.constantFrom(null, null, ...PROVIDERS);
  const anyWaiting: fc.Arbitrary<WaitingPayment> = fc
    .tuple(anyPayment, anyNamed, aroundNoon, fc.constantFrom(0, 1, 2 * WINDOW_MS))
    .map(([one, provider, submittedAt, laterMs]) => ({
      ...one,
      submission: { kind: 'trx_id', trxId: 'DIJ3MXAHCJ', provider },
      submittedAt,
      repeatedAt: new Date(submittedAt.getTime() + laterMs),
    }));

  /** Decisions §4 in one line each: what must hold before money may verify anything. */
  const mayVerify = (paid: MatchablePayment, money: MatchableReceipt, named: string | null): boolean => {
    const fits = (wanted: string | null) =>
      wanted === null || wanted === money.provider || (wanted === 'qr' && money.last4digit !== null);
    return (
      paid.status !== 'expired' &&
      paid.amountMinor === money.amountMinor &&
      paid.currency === money.currency &&
      money.flags.length === 0 &&
      fits(paid.requestedProvider) &&
      fits(named)
    );
  };

  it('a receipt that fits verifies, and nothing else does', () => {
    fc.assert(
      fc.property(anyPayment, anyReceipt, anyNamed, (paid, money, named) => {
        expect(compare(paid, money, named) === 'agree').toBe(mayVerify(paid, money, named));
      }),
    );
  });

  it('a submitted TrxID is verified only by a free receipt that fits, in whatever order they are listed', () => {
    const receipts = fc.array(anyReceiptOrClaimed, { maxLength: 4 });
    fc.assert(
      fc.property(anyPayment, anyNamed, receipts, (paid, named, list) => {
        const outcome = decideTrxSubmission(paid, named, list);
        expect(sortedIds(decideTrxSubmission(paid, named, [...list].reverse()))).toEqual(sortedIds(outcome));
        expect(outcome.kind === 'wait').toBe(list.length === 0);
        if (outcome.kind === 'take') {
          const chosen = list.find(({ id }) => id === outcome.receiptId)!;
          expect(chosen.paymentId).toBeNull();
          expect(outcome.comparison).toBe(compare(paid, chosen, named));
        }
        if (outcome.kind === 'ambiguous') {
          expect(outcome.receiptIds.length).toBeGreaterThan(1);
          const named = list.filter(({ id }) => outcome.receiptIds.includes(id));
          expect(named.every(({ paymentId }) => paymentId === null)).toBe(true);
        }
      }),
    );
  });

  it('of those who wait for a TrxID all that live get an answer, and the best fit wins', () => {
    const list = fc.uniqueArray(anyWaiting, { selector: ({ id }) => id, maxLength: 5 });
    fc.assert(
      fc.property(anyReceipt, list, (money, payments) => {
        const outcome = decideTrxReceipt(money, payments);
        expect(sortedIds(decideTrxReceipt(money, [...payments].reverse()))).toEqual(sortedIds(outcome));
        if (outcome.kind !== 'taken') {
          expect(payments).toEqual([]);
          return;
        }
        const living = payments.filter(({ status }) => status !== 'expired').map(({ id }) => id);
        const winner = payments.find(({ id }) => id === outcome.paymentId)!;
        expect(outcome.loserIds).not.toContain(winner.id);
        const answered = [...outcome.loserIds, ...(winner.status === 'expired' ? [] : [winner.id])];
        expect([...answered].sort()).toEqual([...living].sort());
        const fitting = payments.filter((paid) => mayVerify(paid, money, paid.submission.provider));
        expect(outcome.comparison === 'agree').toBe(fitting.length > 0);
        const candidates =
          fitting.length > 0 ? fitting : payments.filter(({ id }) => !living.length || living.includes(id));
        const earliest = Math.min(...candidates.map(({ submittedAt }) => submittedAt.getTime()));
        expect(candidates).toContain(winner);
        expect(winner.submittedAt.getTime()).toBe(earliest);
      }),
    );
  });

  it('a receipt and a TrxID meet alike, whichever comes first', () => {
    fc.assert(
      fc.property(anyWaiting, anyReceipt, (paid, money) => {
        const receiptFirst = decideTrxSubmission(paid, paid.submission.provider, [money]);
        const submissionFirst = decideTrxReceipt(money, [paid]);
        expect(receiptFirst).toMatchObject({ kind: 'take', receiptId: money.id });
        expect(submissionFirst).toMatchObject({ kind: 'taken', paymentId: paid.id, loserIds: [] });
        expect(submissionFirst).toHaveProperty(
          'comparison',
          receiptFirst.kind === 'take' && receiptFirst.comparison,
        );
      }),
    );
  });

  it('a receipt and four digits meet alike, whichever comes first, and only within the window', () => {
    const sameAmount = fc
      .tuple(anyWaiting, anyReceipt)
      .map(
        ([paid, money]) => [paid, { ...money, amountMinor: paid.amountMinor, last4digit: '0251' }] as const,
      );
    fc.assert(
      fc.property(sameAmount, ([paid, money]) => {
        const named = paid.submission.provider;
        const receiptFirst = decideQrSubmission(paid, named, paid, [money], [], WINDOW_MS);
        const submissionFirst = decideQrReceipt(money, [paid], [], WINDOW_MS);
        const moneyMs = Math.min(money.receivedAt.getTime(), money.arrivedAt.getTime());
        const isNear = (entry: Date) => Math.abs(entry.getTime() - moneyMs) <= WINDOW_MS;
        if (!(isNear(paid.submittedAt) || isNear(paid.repeatedAt)) || paid.currency !== money.currency) {
          expect([receiptFirst.kind, submissionFirst.kind]).toEqual(['wait', 'unmatched']);
          return;
        }
        const comparison = compare(paid, money, named);
        expect(receiptFirst).toEqual({ kind: 'take', receiptId: money.id, comparison });
        expect(submissionFirst).toEqual({ kind: 'taken', paymentId: paid.id, comparison, loserIds: [] });
      }),
    );
  });

  it('four digits are never guessed: several payments or several receipts are a matter for a person', () => {
    const several = fc.record({
      receipts: fc.uniqueArray(anyReceipt, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
      payments: fc.uniqueArray(anyWaiting, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(several, ({ receipts, payments }) => {
        const near = { receivedAt: NOON, arrivedAt: NOON, currency: 'BDT', last4digit: '0251' };
        const money = receipts.map((one) => ({ ...one, ...near }));
        const paid = payments.map((one) => ({
          ...one,
          currency: 'BDT',
          submittedAt: at(1),
          repeatedAt: at(1),
        }));
        const [receiptNow, ...otherReceipts] = money as [MatchableReceipt, ...MatchableReceipt[]];
        const [paymentNow, ...rivals] = paid as [WaitingPayment, ...WaitingPayment[]];
        const isPair = money.length === 1 && paid.length === 1;
        const bySubmission = decideQrSubmission(paymentNow, null, paymentNow, money, rivals, WINDOW_MS);
        const byReceipt = decideQrReceipt(receiptNow, paid, otherReceipts, WINDOW_MS);
        expect(bySubmission.kind).toBe(isPair ? 'take' : 'ambiguous');
        expect(byReceipt.kind).toBe(isPair ? 'taken' : 'ambiguous');
      }),
    );
  });
});
