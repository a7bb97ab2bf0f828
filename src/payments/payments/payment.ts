import { PAYMENT_STATUSES, PaymentStatus, SubmissionKind } from './payment-words.js';
import type { PaymentRecord } from './payments.table.js';

export * from './payment-words.js';

/** The events of a payment (contract 3.18). */
export const PAYMENT_EVENTS = [
  /** The payer submits, and no receipt is there yet. */
  'submit',
  /** Receipt and submission agree. */
  'agree',
  /** Receipt and submission meet, but something is off. */
  'disagree',
  /** The lifetime of a payment that nobody submitted for is over. */
  'lifetime_over',
  /** No receipt came for a submission in time. */
  'grace_over',
  /** The receipt of a payment that has expired is there after all. */
  'money_late',
  'cancel',
  /** A user matches an unmatched receipt of equal amount. */
  'assign_equal',
  /** A user matches an unmatched receipt of another amount. */
  'assign_unequal',
  'approve',
  'reject',
  /** In review: the payer enters another TrxID, or the receipt of one entered before comes. */
  'further',
  /** In review over a simulated receipt: the real one comes, and agrees. */
  'real_agrees',
  /** The same, and something is off. */
  'real_disagrees',
  /** In review over a receipt that its payment releases, to verify another: it agrees. */
  'released',
] as const;
export type PaymentEvent = (typeof PAYMENT_EVENTS)[number];

export type TransitionTable = Readonly<
  Record<PaymentStatus, Readonly<Partial<Record<PaymentEvent, PaymentStatus>>>>
>;

/** The state table of contract 3.17, whole. A pair that is not here is refused with 409, never ignored. */
export const TRANSITIONS: TransitionTable = {
  pending: {
    submit: 'submitted',
    agree: 'verified',
    disagree: 'review',
    lifetime_over: 'expired',
    cancel: 'cancelled',
    assign_equal: 'verified',
    assign_unequal: 'review',
  },
  submitted: {
    submit: 'submitted',
    agree: 'verified',
    disagree: 'review',
    grace_over: 'expired',
    cancel: 'cancelled',
    assign_equal: 'verified',
    assign_unequal: 'review',
  },
  review: {
    cancel: 'cancelled',
    approve: 'verified',
    reject: 'cancelled',
    assign_equal: 'verified',
    assign_unequal: 'review',
    further: 'review',
    real_agrees: 'verified',
    real_disagrees: 'review',
    released: 'verified',
  },
  expired: { money_late: 'review', assign_equal: 'verified', assign_unequal: 'review' },
  verified: {},
  cancelled: {},
};

export const FIRST_STATUS: PaymentStatus = 'pending';
export const FINAL_STATUSES: readonly PaymentStatus[] = ['verified', 'cancelled'];

/** The status an event leads to, or null when the table does not know the pair. */
export function decide(status: PaymentStatus, event: PaymentEvent): PaymentStatus | null {
  return TRANSITIONS[status][event] ?? null;
}

/** The events that mean that the money is there. */
const VERIFYING: readonly PaymentEvent[] = ['agree', 'assign_equal', 'approve', 'real_agrees', 'released'];

/**
 * The problems of a transition table, in sentences; empty when it is sound: every status can be reached, final
 * ones have no way out, all others do, and money can only be verified by an event that means it is there.
 */
export function transitionTableProblems(table: TransitionTable): string[] {
  const problems: string[] = [];
  const reached = new Set<PaymentStatus>([FIRST_STATUS]);
  for (const status of reached) for (const next of Object.values(table[status])) reached.add(next);
  for (const status of PAYMENT_STATUSES) {
    if (!reached.has(status)) problems.push(`No way leads to ${status}.`);
    const isFinal = FINAL_STATUSES.includes(status);
    const hasWayOut = Object.keys(table[status]).length > 0;
    if (isFinal && hasWayOut) problems.push(`${status} is final but has a way out.`);
    if (!isFinal && !hasWayOut) problems.push(`${status} is a dead end.`);
    for (const [event, next] of Object.entries(table[status])) {
      if (next === 'verified' && !VERIFYING.includes(event as PaymentEvent)) {
        problems.push(`${event} must not verify.`);
      }
    }
  }
  return problems;
}

/** A payer's submission: the wallet's transaction id, or for Bangla QR the last four digits. */
export type Submission =
  | { readonly kind: 'trx_id'; readonly trxId: string; readonly provider: string | null }
  | { readonly kind: 'last4digit'; readonly last4digit: string; readonly provider: string | null };

/** An amount that a payment had stays its own for so long after its end, in milliseconds (contract 4.96). */
export const RESERVED_FOR_MS = 3_600_000;

/** A payment as it is stored: what its table says (`payments.table.ts`), with the submission in force as one thing. */
export interface Payment extends Omit<
  PaymentRecord,
  'submittedTrxId' | 'submittedLast4' | 'submittedProvider'
> {
  readonly submission: Submission | null;
}

/**
 * The status at an instant. A payment expires when its time is over, not when the sweep writes it down, so every
 * decision and every answer goes through here (contract 4.108: deciding never waits for the sweep).
 */
export function statusAt(
  payment: Pick<Payment, 'status' | 'expiresAt' | 'graceEndsAt'>,
  now: Date,
): PaymentStatus {
  if (payment.status === 'pending' && payment.expiresAt <= now) return 'expired';
  if (payment.status === 'submitted' && payment.graceEndsAt !== null && payment.graceEndsAt <= now)
    return 'expired';
  return payment.status;
}

/** True when both name the same transaction; which wallet was named does not matter. */
export function isSameSubmission(left: Submission | null, right: Submission): boolean {
  if (left === null) return false;
  return submissionValue(left) === submissionValue(right) && left.kind === right.kind;
}

/** The value of a submission: the TrxID or the four digits. */
export function submissionValue(submission: Submission): string {
  return submission.kind === 'trx_id' ? submission.trxId : submission.last4digit;
}

/** How many different submissions a payer may make before guessing is stopped (contract 4.61). */
export const MAX_SUBMISSIONS: Readonly<Record<SubmissionKind, number>> = { trx_id: 10, last4digit: 5 };

/** How many are kept all the same: money that arrived is never shut out. */
export const KEPT_SUBMISSIONS: Readonly<Record<SubmissionKind, number>> = { trx_id: 20, last4digit: 10 };

/** How many different submissions of each kind a payer has made. */
export type CountsOfSubmissions = Readonly<Record<SubmissionKind, number>>;

/** Kinds of submissions that a payment does not take any more as it did at first. */
export interface SubmissionLimits {
  /** A new one is kept, and leads to a user at most. */
  readonly byHand: readonly SubmissionKind[];
  /** A new one is not kept. */
  readonly usedUp: readonly SubmissionKind[];
}

/**
 * The kinds of which no new submission verifies a payment automatically, and those of which none is kept either
 * (contract 4.61).
 */
export function submissionLimitsOf(counts: CountsOfSubmissions): SubmissionLimits {
  const reached = (limit: CountsOfSubmissions) =>
    (['trx_id', 'last4digit'] as const).filter((kind) => counts[kind] >= limit[kind]);
  return { byHand: reached(MAX_SUBMISSIONS), usedUp: reached(KEPT_SUBMISSIONS) };
}

/** When a payment ended, given that it has just come into this status; null while it is open. */
export function endedAtOf(
  status: PaymentStatus,
  payment: Pick<Payment, 'status' | 'expiresAt' | 'graceEndsAt'>,
  now: Date,
): Date | null {
  if (status === 'verified' || status === 'cancelled') return now;
  if (status !== 'expired') return null;
  return payment.status === 'submitted' && payment.graceEndsAt !== null
    ? payment.graceEndsAt
    : payment.expiresAt;
}
