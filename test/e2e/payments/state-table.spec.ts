import { describe, expect, it } from 'vitest';
import { ReceiptIntake } from '../../../src/payments/index.js';
import { StoresService } from '../../../src/stores/index.js';
import type { HttpAnswer } from '../../support/http-client.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../support/money-clock.js';
import { expectNoLostMatch } from '../../support/money-invariants.js';
import type { PaymentAnswer } from '../../support/money-answers.js';
import { newTrxId, startMoneyService } from '../../support/money-shop.js';
import { useShop } from '../../support/use-shop.js';
import { ADMIN_EMAIL } from '../../support/test-app.js';

/*
 * Rules: contract 3.6, 3.14 to 3.18, 3.23 to 3.25, 3.28 to 3.31, 3.33, 3.40, 3.48, 4.4, 4.18, 4.21, 4.25, 4.36, 4.60,
 * 5.12 to 5.17, 6.49.
 *
 * Goal: the table of states in contract 3.17, whole: every state meets every event, through the API alone, and either
 * moves as the table says or is refused with 409 and its code, and then nothing has changed. Method: a clock that
 * stands still until it is moved; nothing waits.
 */

const { service, shop } = useShop({ replicas: 1 });

/** A payment brought into a state, with the TrxID that was submitted on the way. */
interface Subject {
  readonly id: string;
  readonly trxId: string | null;
}

async function pending(): Promise<Subject> {
  const { id } = await shop.create();
  return { id, trxId: null };
}

async function inReview(): Promise<Subject> {
  const subject = await shop.submitted();
  await shop.receipt({ trxId: subject.trxId, amount: 499 });
  return subject;
}

async function expired(): Promise<Subject> {
  const subject = await pending();
  service.clock.advance(HOUR_MS);
  return subject;
}

async function expiredAndSwept(): Promise<Subject> {
  const subject = await expired();
  await service.sweep();
  return subject;
}

async function expiredWaiting(): Promise<Subject> {
  const subject = await shop.submitted();
  service.clock.advance(24 * HOUR_MS);
  return subject;
}

async function cancelled(): Promise<Subject> {
  const subject = await shop.submitted();
  await shop.cancel(subject.id);
  return subject;
}

const STATES = {
  pending,
  submitted: () => shop.submitted(),
  verified: () => shop.paid(),
  review: inReview,
  expired,
  'expired, written down': expiredAndSwept,
  'expired while it waited': expiredWaiting,
  cancelled,
} as const;
type StateName = keyof typeof STATES;

/** What an event is answered, as far as this table looks. */
interface Outcome {
  readonly status: number;
  readonly code?: string | undefined;
}

const outcomeOf = ({ status, body }: HttpAnswer<object>): Outcome => ({
  status,
  ...('code' in body ? { code: String(body.code) } : {}),
});

async function receiptFor(amount: number): Promise<{ receiptId: string; trxId: string }> {
  const trxId = newTrxId();
  const { body } = await shop.receipt({ trxId, amount });
  expect(body.status).toBe('unmatched');
  return { receiptId: body.receiptId, trxId };
}

/** Everything that can happen to a payment from outside. */
const EVENTS = {
  'the payer submits, no receipt yet': async ({ id }: Subject) =>
    outcomeOf(await shop.submit(id, { trxId: newTrxId() })),
  'the payer submits money that agrees': async ({ id }: Subject) =>
    outcomeOf(await shop.submit(id, { trxId: (await receiptFor(500)).trxId })),
  'the payer submits money that is short': async ({ id }: Subject) =>
    outcomeOf(await shop.submit(id, { trxId: (await receiptFor(499.99)).trxId })),
  'a receipt comes that agrees': async ({ trxId }: Subject) =>
    outcomeOf(await shop.receipt({ trxId: trxId ?? newTrxId(), provider: 'nagad' })),
  'a receipt comes that is short': async ({ trxId }: Subject) =>
    outcomeOf(await shop.receipt({ trxId: trxId ?? newTrxId(), provider: 'nagad', amount: 499.99 })),
  'the lifetime is over': async () => {
    service.clock.advance(HOUR_MS);
    return { status: 200 };
  },
  'the grace is over': async () => {
    service.clock.advance(24 * HOUR_MS);
    return { status: 200 };
  },
  'the merchant cancels': async ({ id }: Subject) => outcomeOf(await shop.cancel(id)),
  'a user matches a receipt of equal amount': async ({ id }: Subject) =>
    outcomeOf(await shop.match((await receiptFor(500)).receiptId, id)),
  'a user matches a receipt of another amount': async ({ id }: Subject) =>
    outcomeOf(await shop.match((await receiptFor(501)).receiptId, id)),
  'the merchant approves': async ({ id }: Subject) => outcomeOf(await shop.approve(id)),
  'the merchant rejects': async ({ id }: Subject) => outcomeOf(await shop.reject(id)),
} as const;
type EventName = keyof typeof EVENTS;

/** How it ends: the state after it, and the answer when it is not 200. */
type Expected = readonly [status: string, reason: string | null, answer?: Outcome];

const refused = (state: string, code: string): Expected => [state, null, { status: 409, code }];
const REFUSED_VERIFIED = refused('verified', 'payment.verified');
const REFUSED_EXPIRED = refused('expired', 'payment.expired');
const REFUSED_CANCELLED = refused('cancelled', 'payment.cancelled');
const SUBMITTED: Expected = ['submitted', null, { status: 202 }];
const VERIFIED: Expected = ['verified', null];
const UNDERPAID: Expected = ['review', 'underpaid'];
const OVERPAID: Expected = ['review', 'overpaid'];
const LATE: Expected = ['review', 'late'];
const CANCELLED: Expected = ['cancelled', null];
const stays = (state: string, reason: string | null = null): Expected => [state, reason];

const EXPIRED_ROW: Record<EventName, Expected> = {
  'the payer submits, no receipt yet': REFUSED_EXPIRED,
  'the payer submits money that agrees': LATE,
  'the payer submits money that is short': LATE,
  'a receipt comes that agrees': stays('expired'),
  'a receipt comes that is short': stays('expired'),
  'the lifetime is over': stays('expired'),
  'the grace is over': stays('expired'),
  'the merchant cancels': REFUSED_EXPIRED,
  'a user matches a receipt of equal amount': VERIFIED,
  'a user matches a receipt of another amount': OVERPAID,
  'the merchant approves': REFUSED_EXPIRED,
  'the merchant rejects': REFUSED_EXPIRED,
};

const TABLE: Record<StateName, Record<EventName, Expected>> = {
  pending: {
    'the payer submits, no receipt yet': SUBMITTED,
    'the payer submits money that agrees': VERIFIED,
    'the payer submits money that is short': UNDERPAID,
    'a receipt comes that agrees': stays('pending'),
    'a receipt comes that is short': stays('pending'),
    'the lifetime is over': stays('expired'),
    'the grace is over': stays('expired'),
    'the merchant cancels': CANCELLED,
    'a user matches a receipt of equal amount': VERIFIED,
    'a user matches a receipt of another amount': OVERPAID,
    'the merchant approves': refused('pending', 'payment.pending'),
    'the merchant rejects': refused('pending', 'payment.pending'),
  },
  submitted: {
    'the payer submits, no receipt yet': SUBMITTED,
    'the payer submits money that agrees': VERIFIED,
    'the payer submits money that is short': UNDERPAID,
    'a receipt comes that agrees': VERIFIED,
    'a receipt comes that is short': UNDERPAID,
    'the lifetime is over': stays('submitted'),
    'the grace is over': stays('expired'),
    'the merchant cancels': CANCELLED,
    'a user matches a receipt of equal amount': VERIFIED,
    'a user matches a receipt of another amount': OVERPAID,
    'the merchant approves': refused('submitted', 'payment.submitted'),
    'the merchant rejects': refused('submitted', 'payment.submitted'),
  },
  verified: {
    'the payer submits, no receipt yet': REFUSED_VERIFIED,
    'the payer submits money that agrees': REFUSED_VERIFIED,
    'the payer submits money that is short': REFUSED_VERIFIED,
    'a receipt comes that agrees': stays('verified'),
    'a receipt comes that is short': stays('verified'),
    'the lifetime is over': stays('verified'),
    'the grace is over': stays('verified'),
    'the merchant cancels': REFUSED_VERIFIED,
    'a user matches a receipt of equal amount': REFUSED_VERIFIED,
    'a user matches a receipt of another amount': REFUSED_VERIFIED,
    'the merchant approves': REFUSED_VERIFIED,
    'the merchant rejects': REFUSED_VERIFIED,
  },
  review: {
    'the payer submits, no receipt yet': stays('review', 'underpaid'),
    'the payer submits money that agrees': stays('review', 'ambiguous'),
    'the payer submits money that is short': stays('review', 'underpaid'),
    'a receipt comes that agrees': stays('review', 'ambiguous'),
    'a receipt comes that is short': stays('review', 'underpaid'),
    'the lifetime is over': stays('review', 'underpaid'),
    'the grace is over': stays('review', 'underpaid'),
    'the merchant cancels': CANCELLED,
    'a user matches a receipt of equal amount': VERIFIED,
    'a user matches a receipt of another amount': OVERPAID,
    'the merchant approves': VERIFIED,
    'the merchant rejects': CANCELLED,
  },
  expired: EXPIRED_ROW,
  'expired, written down': EXPIRED_ROW,
  'expired while it waited': {
    ...EXPIRED_ROW,
    'a receipt comes that agrees': LATE,
    'a receipt comes that is short': LATE,
  },
  cancelled: {
    'the payer submits, no receipt yet': REFUSED_CANCELLED,
    'the payer submits money that agrees': REFUSED_CANCELLED,
    'the payer submits money that is short': REFUSED_CANCELLED,
    'a receipt comes that agrees': stays('cancelled'),
    'a receipt comes that is short': stays('cancelled'),
    'the lifetime is over': stays('cancelled'),
    'the grace is over': stays('cancelled'),
    'the merchant cancels': REFUSED_CANCELLED,
    'a user matches a receipt of equal amount': REFUSED_CANCELLED,
    'a user matches a receipt of another amount': REFUSED_CANCELLED,
    'the merchant approves': REFUSED_CANCELLED,
    'the merchant rejects': REFUSED_CANCELLED,
  },
};

const BY_USER = { type: 'user', email: ADMIN_EMAIL };
/** The events that somebody is answerable for, and the line each writes. */
const AUDITED: Partial<Record<EventName, { readonly action: string; readonly actor: object }>> = {
  'a user matches a receipt of equal amount': { action: 'receipt.matched', actor: BY_USER },
  'a user matches a receipt of another amount': { action: 'receipt.matched', actor: BY_USER },
  'the merchant approves': { action: 'payment.approved', actor: BY_USER },
  'the merchant rejects': { action: 'payment.rejected', actor: BY_USER },
};
/** With the store's key, which decides about money only in review. */
const CANCELLED_IN_REVIEW = { action: 'payment.cancelled', actor: { type: 'api_key' } };
const auditedOf = (state: StateName, event: EventName) =>
  state === 'review' && event === 'the merchant cancels' ? CANCELLED_IN_REVIEW : AUDITED[event];

describe.each(Object.keys(STATES) as StateName[])('%s', (state) => {
  it.each(Object.keys(EVENTS) as EventName[])('and %s', async (event) => {
    const [endStatus, endReason, answer = { status: 200 }] = TABLE[state][event];
    const subject = await STATES[state]();
    const before = await shop.get(subject.id);
    const linesBefore = (await shop.auditLog()).length;

    expect(await EVENTS[event](subject)).toEqual(answer);

    const after = await shop.get(subject.id);
    expect([after.status, endStatus === 'verified' ? null : after.reviewReason]).toEqual([
      endStatus,
      endReason,
    ]);
    if (answer.status === 409) {
      // An submission that came too late is refused, and kept all the same: money for it must find its way to a user.
      const kept = event === 'the payer submits, no receipt yet' && endStatus === 'expired';
      expect(after).toEqual(
        kept ? { ...before, submittedAt: after.submittedAt, trxId: after.trxId } : before,
      );
    }
    const lines = (await shop.auditLog()).slice(0, (await shop.auditLog()).length - linesBefore);
    const audited = answer.status === 200 ? auditedOf(state, event) : undefined;
    expect(lines.map(({ action }) => action)).toEqual(audited === undefined ? [] : [audited.action]);
    if (audited !== undefined) {
      expect(lines[0]).toMatchObject({
        actor: audited.actor,
        details: { paymentId: subject.id, status: { before: before.status, after: endStatus } },
      });
    }
    expect(await shop.events()).toHaveLength(endStatus === 'verified' ? 1 : 0);

    // The sweep writes down what is so already, and changes nothing else.
    await service.sweep();
    expect(await shop.get(subject.id)).toEqual(after);
    await expectNoLostMatch(service.test.database, service.clock.now(), shop.store.id);
  });
});

describe('a reason for review', () => {
  /** Submission first, then receipts; and the other way round. Both must end alike. */
  async function bothWays(
    payment: Record<string, unknown>,
    typed: (trxId: string) => { trxId: string; provider?: string },
    receipt: Record<string, unknown>,
  ): Promise<PaymentAnswer[]> {
    const [early, late] = [await shop.create(payment), await shop.create(payment)];
    const [first, second] = [newTrxId(), newTrxId()];
    await shop.submit(early.id, typed(first));
    const received = await shop.receipt({ trxId: first, ...receipt });
    await shop.receipt({ trxId: second, ...receipt });
    const submission = await shop.submit(late.id, typed(second));
    const ends = [await shop.get(early.id), await shop.get(late.id)];
    expect(received.body).toMatchObject({ status: 'review', paymentId: early.id });
    expect(submission.body).toEqual({ status: 'review', reviewReason: ends[1]!.reviewReason });
    return ends;
  }

  it.each([
    ['underpaid', 'by one poisha', {}, { amount: 499.99 }],
    ['overpaid', 'by one poisha', {}, { amount: 500.01 }],
    ['overpaid', 'by a number that floats cannot hold', { amount: 0.3 }, { amount: 0.31 }],
    ['currency_mismatch', 'although the number is equal', {}, { currency: 'USD', provider: 'own_wallet' }],
    [
      'currency_mismatch',
      'also when the payment is the foreign one',
      { currency: 'USD' },
      { currency: 'BDT' },
    ],
    ['wrong_wallet', 'when the merchant allows another', { provider: 'nagad' }, { provider: 'bkash' }],
  ])('%s: %s', async (reason, _when, payment, receipt) => {
    const ends = await bothWays(payment, (trxId) => ({ trxId }), receipt);
    for (const end of ends) {
      expect(end).toMatchObject({
        status: 'review',
        reviewReason: reason,
        receivedAmount: 'amount' in receipt ? receipt.amount : 500,
        payerNumber: '01700000002',
        provider: 'provider' in receipt ? receipt.provider : 'bkash',
        verifiedAt: null,
      });
    }
  });

  it('wrong_wallet: when the payer named another', async () => {
    const ends = await bothWays({}, (trxId) => ({ trxId, provider: 'nagad' }), { provider: 'bkash' });
    for (const end of ends) expect(end).toMatchObject({ status: 'review', reviewReason: 'wrong_wallet' });
  });

  it('flagged: a doubtful message verifies nothing, whichever comes first', async () => {
    const receive = async (trxId: string) => {
      const store = await service.test.app.get(StoresService).get(shop.store.id);
      return service.test.app.get(ReceiptIntake).take(store, {
        source: 'sms',
        app: 'test',
        provider: 'bkash',
        kind: 'received',
        trxId,
        last4digit: null,
        amountMinor: 50_000,
        currency: null,
        counterparty: '01700000002',
        balanceMinor: null,
        receivedAt: service.clock.now(),
        simulated: false,
        flags: ['sender_unknown'],
        raw: '',
      });
    };
    const [early, late] = [await shop.create(), await shop.create()];
    const [first, second] = [newTrxId(), newTrxId()];
    await shop.submit(early.id, { trxId: first });
    expect(await receive(first)).toMatchObject({ status: 'review', paymentId: early.id });
    expect(await receive(second)).toMatchObject({ status: 'unmatched' });
    expect((await shop.submit(late.id, { trxId: second })).body).toEqual({
      status: 'review',
      reviewReason: 'flagged',
    });
    expect((await shop.approve(early.id)).body).toMatchObject({ status: 'verified', receivedAmount: 500 });
  });

  it('trx_id_used: for those who waited for a TrxID that another payment won', async () => {
    const [first, second] = [await shop.create(), await shop.create()];
    const trxId = newTrxId();
    await shop.submit(first.id, { trxId });
    service.clock.advance(1);
    await shop.submit(second.id, { trxId });
    await shop.receipt({ trxId });
    expect(await shop.get(first.id)).toMatchObject({ status: 'verified', trxId });
    const loser = await shop.get(second.id);
    expect(loser).toMatchObject({
      status: 'review',
      reviewReason: 'trx_id_used',
      receivedAmount: null,
      payerNumber: null,
      provider: null,
    });
    // A third one hears it at once; the winner's repetition hears where it stands.
    const third = await shop.create();
    const refusal = await shop.submit(third.id, { trxId });
    expect([refusal.status, refusal.body.code]).toEqual([409, 'payment.trx_id_used']);
    expect(refusal.text).not.toContain(first.id);
    expect((await shop.submit(first.id, { trxId })).body.status).toBe('verified');
    expect((await shop.submit(second.id, { trxId })).body).toEqual({
      status: 'review',
      reviewReason: 'trx_id_used',
    });
  });

  it('is not needed where the exact amount decides between two who wait for one TrxID', async () => {
    const [wrong, right] = [await shop.create({ amount: 499 }), await shop.create({ amount: 500 })];
    const trxId = newTrxId();
    await shop.submit(wrong.id, { trxId });
    await shop.submit(right.id, { trxId });
    await shop.receipt({ trxId });
    expect((await shop.get(right.id)).status).toBe('verified');
    expect(await shop.get(wrong.id)).toMatchObject({ status: 'review', reviewReason: 'trx_id_used' });
  });
});

describe('one TrxID with receipts of two wallets', () => {
  it.each([
    ['the wallet that the payer named', { provider: 'nagad' }, 500, 'nagad', 'verified', null],
    [
      'the wallet that the payer named, whatever the amount',
      { provider: 'nagad' },
      400,
      'nagad',
      'review',
      'underpaid',
    ],
    ['the one of equal amount', {}, 400, 'bkash', 'verified', null],
    ['nobody, when both are equal', {}, 500, null, 'review', 'ambiguous'],
  ] as const)('pays with %s', async (_which, named, nagadAmount, provider, status, reviewReason) => {
    const payment = await shop.create();
    const trxId = newTrxId();
    await shop.receipt({ trxId, provider: 'bkash', amount: 500 });
    await shop.receipt({ trxId, provider: 'nagad', amount: nagadAmount });
    await shop.submit(payment.id, { trxId, ...named });
    expect(await shop.get(payment.id)).toMatchObject({ status, reviewReason, provider });
  });

  it('ambiguous: a user names the receipt, and the other one stays unclaimed', async () => {
    const payment = await shop.create();
    const trxId = newTrxId();
    const bkash = await shop.receipt({ trxId, provider: 'bkash' });
    const nagad = await shop.receipt({ trxId, provider: 'nagad' });
    await shop.submit(payment.id, { trxId });
    const refusal = await shop.approve(payment.id);
    expect([refusal.status, refusal.body.code]).toEqual([400, 'payment.receipt_required']);
    expect(refusal.body.errors).toEqual([{ pointer: '/receiptId', detail: expect.any(String) as string }]);
    const approved = await shop.approve(payment.id, nagad.body.receiptId);
    expect(approved.body).toMatchObject({
      status: 'verified',
      provider: 'nagad',
      trxId,
      receivedAmount: 500,
    });
    expect(await shop.receiptOf(nagad.body.receiptId)).toMatchObject({
      status: 'matched',
      paymentId: payment.id,
    });
    expect(await shop.receiptOf(bkash.body.receiptId)).toMatchObject({
      status: 'unmatched',
      paymentId: null,
    });
    // It is money that nobody has claimed: another payment of that wallet may.
    const other = await shop.create();
    expect((await shop.submit(other.id, { trxId, provider: 'bkash' })).body.status).toBe('verified');
  });
});

describe('approving', () => {
  it('keeps both amounts, and tells the merchant the one that was asked', async () => {
    const { id } = await inReview();
    const { body } = await shop.approve(id);
    expect(body).toMatchObject({ status: 'verified', amount: 500, receivedAmount: 499 });
    const [event] = await shop.events();
    expect(JSON.parse(event!.body)).toMatchObject({ paymentId: id, amount: 500, payerNumber: '01700000002' });
  });

  it('without a receipt says what the payer said', async () => {
    const [winner, loser] = [await shop.create(), await shop.create()];
    const trxId = newTrxId();
    await shop.submit(winner.id, { trxId });
    service.clock.advance(1);
    await shop.submit(loser.id, { trxId, provider: 'bkash' });
    await shop.receipt({ trxId });
    const { body } = await shop.approve(loser.id, null);
    expect(body).toMatchObject({ status: 'verified', trxId, provider: 'bkash', receivedAmount: null });
  });

  it('with another receipt gives back the one it held', async () => {
    const { id, trxId } = await inReview();
    const better = await receiptFor(500);
    const { body } = await shop.approve(id, better.receiptId);
    expect(body).toMatchObject({ status: 'verified', trxId: better.trxId, receivedAmount: 500 });
    const next = await shop.create({ amount: 499 });
    // Nobody said that it may pay by itself (contract 3.30).
    expect((await shop.submit(next.id, { trxId: trxId! })).body).toEqual({
      status: 'review',
      reviewReason: 'flagged',
    });
  });

  it('with the receipt it holds already, however its id is spelt, is as without', async () => {
    const subject = await inReview();
    const { receiptId } = (await shop.receipt({ trxId: subject.trxId, amount: 499 })).body;
    const { status, body } = await shop.approve(subject.id, receiptId.toUpperCase());
    expect([status, body.status]).toEqual([200, 'verified']);
  });

  it('is refused with a receipt that is claimed, ignored or not there', async () => {
    const { id } = await inReview();
    const other = await shop.paid();
    const claimed = await shop.receipt({ trxId: other.trxId });
    const ignored = await shop.receipt({ trxId: newTrxId(), kind: 'sent' });
    const elsewhere = await (await service.openShop()).receipt({ trxId: newTrxId() });
    const answers = [claimed, ignored, elsewhere].map(({ body }) => shop.approve(id, body.receiptId));
    expect((await Promise.all(answers)).map(({ body }) => body.code)).toEqual([
      'receipt.already_matched',
      'receipt.ignored',
      'receipt.not_found',
    ]);
    expect((await shop.get(id)).status).toBe('review');
  });
});

describe('matching by hand', () => {
  it('moves a payment in review from one receipt to another, and frees the first', async () => {
    const { id, trxId } = await inReview();
    const other = await receiptFor(600);
    const { body } = await shop.match(other.receiptId, id);
    expect(body).toMatchObject({ status: 'review', paymentId: id });
    expect(body.payment).toMatchObject({ status: 'review', reviewReason: 'overpaid', receivedAmount: 600 });
    const next = await shop.create({ amount: 499 });
    // Nobody said that it may pay by itself (contract 3.40).
    await shop.submit(next.id, { trxId: trxId! });
    expect(await shop.stateOf(next.id)).toBe('review: flagged');
  });

  it('takes neither a claimed nor an ignored receipt, nor a stranger’s receipt or payment', async () => {
    const payment = await shop.create();
    const other = await shop.paid();
    const claimed = await shop.receipt({ trxId: other.trxId });
    const ignored = await shop.receipt({ trxId: newTrxId(), kind: 'sent' });
    const elsewhere = await service.openShop();
    const strangers = await elsewhere.receipt({ trxId: newTrxId() });
    const own = await receiptFor(500);
    const answers = await Promise.all([
      shop.match(claimed.body.receiptId, payment.id),
      shop.match(ignored.body.receiptId, payment.id),
      shop.match(strangers.body.receiptId, payment.id),
      shop.match(own.receiptId, (await elsewhere.create()).id),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'receipt.already_matched'],
      [409, 'receipt.ignored'],
      [404, 'receipt.not_found'],
      [404, 'payment.not_found'],
    ]);
  });

  it('of another currency leaves the payment in review', async () => {
    const payment = await shop.create();
    const receipt = await shop.receipt({ trxId: newTrxId(), currency: 'USD', provider: 'own_wallet' });
    const { body } = await shop.match(receipt.body.receiptId, payment.id);
    expect(body.payment).toMatchObject({ status: 'review', reviewReason: 'currency_mismatch' });
  });
});

describe('a receipt that is free again', () => {
  it.each(['cancel', 'reject'] as const)('after %s pays who fits it exactly', async (how) => {
    const { id, trxId } = await inReview();
    const next = await shop.create({ amount: 499 });
    expect((await shop.submit(next.id, { trxId: trxId! })).body).toEqual({
      status: 'review',
      reviewReason: 'ambiguous',
    });
    const ending = { receipt: 'release' } as const;
    await (how === 'cancel' ? shop.cancel(id, ending) : shop.reject(id, 'Not this one.', ending));
    expect(await shop.get(id)).toMatchObject({
      status: 'cancelled',
      receivedAmount: null,
      payerNumber: null,
    });
    expect(await shop.get(next.id)).toMatchObject({ status: 'verified', trxId, receivedAmount: 499 });
  });

  it('is given at once to who entered its digits', async () => {
    const [holder, next] = [await shop.create(), await shop.create()];
    await shop.submit(holder.id, { last4digit: '0042', provider: 'bkash' });
    await shop.receipt({ last4digit: '0042', provider: 'nagad' });
    expect(await shop.get(holder.id)).toMatchObject({ status: 'review', reviewReason: 'wrong_wallet' });
    expect((await shop.submit(next.id, { last4digit: '0042' })).body).toEqual({
      status: 'review',
      reviewReason: 'ambiguous',
    });
    await shop.cancel(holder.id, { receipt: 'release' });
    expect((await shop.get(next.id)).status).toBe('verified');
  });
});

describe('time', () => {
  it('ends a payment at the very instant it names, not before', async () => {
    const { id, expiresAt } = await shop.create({ expiresInSeconds: 60 });
    service.clock.advance(59_999);
    expect((await shop.get(id)).status).toBe('pending');
    await service.sweep();
    expect((await shop.get(id)).status).toBe('pending');
    service.clock.advance(1);
    expect(service.clock.isoIn(0)).toBe(expiresAt);
    expect((await shop.get(id)).status).toBe('expired');
  });

  it('is told alike by every answer before the sweep comes round', async () => {
    const waiting = await shop.create();
    await shop.submit(waiting.id, { trxId: newTrxId() });
    const { id } = await shop.create();
    const alive = await shop.create({ expiresInSeconds: 30 * 86_400 });
    service.clock.advance(24 * HOUR_MS);
    const list = async (status: string) => {
      const answer = await shop.http.get<{ data: PaymentAnswer[] }>(
        `/api/v1/payments?status=${status}`,
        shop.store.key,
      );
      return answer.body.data.map((payment) => payment.id).sort();
    };
    for (const round of ['before', 'after']) {
      if (round === 'after') await service.sweep();
      const view = await shop.http.get<{ status: string }>(`/api/v1/payments/public/${id}`);
      expect(view.body.status).toBe('expired');
      expect((await shop.get(id)).status).toBe('expired');
      expect(await list('expired')).toEqual([id, waiting.id].sort());
      expect(await list('pending')).toEqual([alive.id]);
      expect(await list('submitted')).toEqual([]);
    }
  });

  it('of a submission is 24 h from the submission, whatever the lifetime; repeating it does not prolong it', async () => {
    const { id, trxId } = await shop.submitted({ expiresInSeconds: 60 });
    service.clock.advance(12 * HOUR_MS);
    expect((await shop.submit(id, { trxId })).status).toBe(202);
    service.clock.advance(12 * HOUR_MS - 1);
    expect((await shop.get(id)).status).toBe('submitted');
    service.clock.advance(1);
    expect((await shop.get(id)).status).toBe('expired');
  });

  it('makes money that came long before the order a user’s, and nothing else of standard receipts', async () => {
    for (const [offset, end] of [
      [-365 * 24 * HOUR_MS, 'review'],
      [-HOUR_MS - 1, 'review'],
      [-HOUR_MS, 'verified'],
      [24 * HOUR_MS, 'verified'],
    ] as const) {
      const { id } = await shop.create();
      const trxId = newTrxId();
      await shop.receipt({ trxId, receivedAt: service.clock.isoIn(offset) });
      expect((await shop.submit(id, { trxId })).body.status).toBe(end);
      expect((await shop.get(id)).reviewReason).toBe(end === 'review' ? 'old_money' : null);
    }
  });

  it('that runs out while a receipt is being stored throws nothing away', async () => {
    const trxIds = Array.from({ length: 24 }, newTrxId);
    for (const [index, trxId] of trxIds.entries()) {
      const { id } = await shop.create();
      await shop.submit(id, { trxId });
      service.clock.advance(24 * HOUR_MS - index);
      service.clock.tickMs = 1;
      const { status, body } = await shop.receipt({ trxId });
      service.clock.tickMs = 0;
      expect([status, ['matched', 'review'].includes(body.status)]).toEqual([200, true]);
    }
  });

  it('that runs out while a submission is being decided refuses nothing that is there', async () => {
    for (let index = 0; index < 24; index += 1) {
      const { id } = await shop.create();
      const trxId = newTrxId();
      await shop.receipt({ trxId });
      service.clock.advance(HOUR_MS - index);
      service.clock.tickMs = 1;
      const { status, body } = await shop.submit(id, { trxId });
      service.clock.tickMs = 0;
      expect([status, ['verified', 'review'].includes(String(body.status))]).toEqual([200, true]);
    }
  });
});

describe('money that comes late', () => {
  it('goes to a user, who can approve it', async () => {
    const { id, trxId } = await expiredWaiting();
    await service.sweep();
    const { body } = await shop.receipt({ trxId });
    expect(body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.get(id)).toMatchObject({ status: 'review', reviewReason: 'late', receivedAmount: 500 });
    expect((await shop.approve(id)).body).toMatchObject({ status: 'verified', trxId });
  });

  it('finds an submission that was made too late and refused', async () => {
    const { id } = await expired();
    const trxId = newTrxId();
    const refusal = await shop.submit(id, { trxId });
    expect([refusal.status, refusal.body.code]).toEqual([409, 'payment.expired']);
    const { body } = await shop.receipt({ trxId });
    expect(body).toMatchObject({ status: 'review', paymentId: id });
    expect(await shop.get(id)).toMatchObject({ status: 'review', reviewReason: 'late' });
  });

  it('pays the one who still waits, not the one who has expired', async () => {
    const { trxId } = await expiredWaiting();
    const alive = await shop.create();
    await shop.submit(alive.id, { trxId: trxId! });
    const { body } = await shop.receipt({ trxId });
    expect(body).toMatchObject({ status: 'matched', paymentId: alive.id });
  });
});

describe('a lifetime and a grace of one’s own', () => {
  it('come from the configuration', async () => {
    const other = await startMoneyService({
      environment: { PAYMENT_TTL: '90s', SUBMISSION_GRACE: '10s' },
    });
    try {
      const own = await other.openShop();
      const { id } = await own.create();
      const waiting = await own.create();
      await own.submit(waiting.id, { trxId: newTrxId() });
      other.clock.advance(90 * SECOND_MS - 1);
      // The grace is over long since; an submission never shortens the lifetime.
      for (const payment of [id, waiting.id])
        expect(['pending', 'submitted']).toContain((await own.get(payment)).status);
      other.clock.advance(1);
      for (const payment of [id, waiting.id]) expect((await own.get(payment)).status).toBe('expired');
      expect((await own.create({ expiresInSeconds: 600 })).expiresAt).toBe(other.clock.isoIn(10 * MINUTE_MS));
    } finally {
      await other.close();
    }
  });
});
