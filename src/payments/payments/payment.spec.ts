import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  FINAL_STATUSES,
  FIRST_STATUS,
  isSameSubmission,
  MAX_SUBMISSIONS,
  PAYMENT_EVENTS,
  PAYMENT_STATUSES,
  type PaymentEvent,
  type PaymentStatus,
  statusAt,
  type Submission,
  submissionValue,
  type TransitionTable,
  TRANSITIONS,
  transitionTableProblems,
} from './payment.js';

/*
 * Rules: contract 3.14 to 3.18, 3.24, 4.61.
 *
 * Goal: a payment goes the ways of contract 3.17 and no others, and what has expired is treated as expired at once.
 * Method: the state table is written down a second time, row by row as contract 3.17 has it, and every pair is
 * compared; the check at start is given broken tables.
 */

/** The rows of contract 3.18: from any of these, this event, to that. */
const ROWS: readonly [from: readonly PaymentStatus[], event: PaymentEvent, to: PaymentStatus][] = [
  [['pending'], 'submit', 'submitted'],
  [['submitted'], 'submit', 'submitted'],
  [['pending', 'submitted'], 'agree', 'verified'],
  [['pending', 'submitted'], 'disagree', 'review'],
  [['pending'], 'lifetime_over', 'expired'],
  [['submitted'], 'grace_over', 'expired'],
  [['pending', 'submitted', 'review'], 'cancel', 'cancelled'],
  [['pending', 'submitted', 'review', 'expired'], 'assign_equal', 'verified'],
  [['pending', 'submitted', 'review', 'expired'], 'assign_unequal', 'review'],
  [['review'], 'approve', 'verified'],
  [['review'], 'reject', 'cancelled'],
  [['expired'], 'money_late', 'review'],
  [['review'], 'further', 'review'],
  [['review'], 'real_agrees', 'verified'],
  [['review'], 'real_disagrees', 'review'],
  [['review'], 'released', 'verified'],
];

const PAIRS = PAYMENT_STATUSES.flatMap((from) => PAYMENT_EVENTS.map((event) => [from, event] as const));

describe('decide', () => {
  it.each(PAIRS)('%s, %s: as the table of contract 3.17 says, or refused', (from, event) => {
    const row = ROWS.find(([starts, name]) => starts.includes(from) && name === event);
    expect(decide(from, event)).toBe(row?.[2] ?? null);
  });

  it('never leaves verified or cancelled, whatever happens to a payment', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PAYMENT_EVENTS), { maxLength: 30 }), (events) => {
        let status = FIRST_STATUS;
        let settledAs: PaymentStatus | null = null;
        for (const event of events) {
          status = decide(status, event) ?? status;
          if (settledAs !== null) expect(status).toBe(settledAs);
          if (FINAL_STATUSES.includes(status)) settledAs = status;
        }
      }),
    );
  });

  it('begins with pending and ends with verified or cancelled', () => {
    expect(FIRST_STATUS).toBe('pending');
    expect([...FINAL_STATUSES].sort()).toEqual(['cancelled', 'verified']);
  });
});

describe('transitionTableProblems', () => {
  const broken = (changes: Partial<TransitionTable>): string[] =>
    transitionTableProblems({ ...TRANSITIONS, ...changes });

  it('finds nothing wrong with the table in use', () => {
    expect(transitionTableProblems(TRANSITIONS)).toEqual([]);
  });

  it('names a status that no way leads to', () => {
    const { lifetime_over: _lifetime, ...pending } = TRANSITIONS.pending;
    const { grace_over: _grace, ...submitted } = TRANSITIONS.submitted;
    expect(broken({ pending, submitted })).toEqual(['No way leads to expired.']);
  });

  it('does not take a way that begins nowhere for one that leads somewhere', () => {
    const table: TransitionTable = {
      pending: { cancel: 'cancelled' },
      submitted: { disagree: 'review' },
      review: { submit: 'submitted' },
      expired: { assign_equal: 'verified' },
      verified: {},
      cancelled: {},
    };
    expect(transitionTableProblems(table)).toEqual(
      ['submitted', 'verified', 'review', 'expired'].map((status) => `No way leads to ${status}.`),
    );
  });

  it('names a final status with a way out', () => {
    expect(broken({ cancelled: { submit: 'submitted' } })).toEqual(['cancelled is final but has a way out.']);
    expect(broken({ verified: { cancel: 'cancelled' } })).toEqual(['verified is final but has a way out.']);
  });

  it('names a dead end', () => {
    expect(broken({ expired: {} })).toEqual(['expired is a dead end.']);
  });

  it.each(PAYMENT_EVENTS)('lets %s verify only if it means that the money is there', (event) => {
    const mayVerify = ['agree', 'assign_equal', 'approve', 'real_agrees', 'released'].includes(event);
    const problems = broken({ review: { ...TRANSITIONS.review, [event]: 'verified' } });
    expect(problems).toEqual(mayVerify ? [] : [`${event} must not verify.`]);
  });
});

describe('statusAt', () => {
  const expiresAt = new Date('2026-11-21T12:00:00.000Z');
  const graceEndsAt = new Date('2026-11-22T12:00:00.000Z');
  const shortly = (instant: Date, ms: number) => new Date(instant.getTime() + ms);

  it.each<[PaymentStatus, Date | null, Date, PaymentStatus]>([
    ['pending', null, shortly(expiresAt, -1), 'pending'],
    ['pending', null, expiresAt, 'expired'],
    ['pending', null, shortly(expiresAt, 1), 'expired'],
    // A payment that was submitted in time waits for its receipt beyond its lifetime (contract 3.16).
    ['submitted', graceEndsAt, shortly(expiresAt, 1), 'submitted'],
    ['submitted', graceEndsAt, shortly(graceEndsAt, -1), 'submitted'],
    ['submitted', graceEndsAt, graceEndsAt, 'expired'],
    ['submitted', null, shortly(graceEndsAt, 1), 'submitted'],
    ['pending', graceEndsAt, shortly(expiresAt, -1), 'pending'],
  ])('%s, grace until %o: at %o it is %s', (status, grace, now, expected) => {
    expect(statusAt({ status, expiresAt, graceEndsAt: grace }, now)).toBe(expected);
  });

  it.each(['verified', 'review', 'expired', 'cancelled'] as const)('leaves %s alone for ever', (status) => {
    const longAfter = new Date('2036-01-01T00:00:00.000Z');
    expect(statusAt({ status, expiresAt, graceEndsAt }, longAfter)).toBe(status);
  });
});

describe('submissions', () => {
  const trx = (trxId: string, provider: string | null = null): Submission => ({
    kind: 'trx_id',
    trxId,
    provider,
  });
  const digits = (last4digit: string): Submission => ({ kind: 'last4digit', last4digit, provider: null });

  it('are known by what was typed', () => {
    expect(submissionValue(trx('DIJ3MXAHCJ'))).toBe('DIJ3MXAHCJ');
    expect(submissionValue(digits('0251'))).toBe('0251');
  });

  it.each([
    ['the same TrxID', trx('DIJ3MXAHCJ'), trx('DIJ3MXAHCJ'), true],
    ['the same TrxID of another wallet', trx('DIJ3MXAHCJ', 'bkash'), trx('DIJ3MXAHCJ', 'nagad'), true],
    ['another TrxID', trx('DIJ3MXAHCJ'), trx('DIJ3MXAHCK'), false],
    ['the same digits', digits('0251'), digits('0251'), true],
    ['digits without their zero', digits('0251'), digits('2510'), false],
    ['a TrxID that looks like digits', trx('0251'), digits('0251'), false],
    ['digits that look like a TrxID', digits('0251'), trx('0251'), false],
    ['the first entry', null, trx('DIJ3MXAHCJ'), false],
  ])('%s: %o and %o', (_what, left, right, same) => {
    expect(isSameSubmission(left, right)).toBe(same);
  });

  it('are limited to ten TrxIDs and five submissions of digits (contract 4.61)', () => {
    expect(MAX_SUBMISSIONS).toEqual({ trx_id: 10, last4digit: 5 });
  });
});
