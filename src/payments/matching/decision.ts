import type { SubmissionKind } from '../payments/payment.js';
import { type Comparison, fitsExactly, type MatchablePayment, type MatchableReceipt } from './compare.js';

/** A payment that is in review over a receipt which is not attached to it. */
export interface Claim {
  readonly paymentId: string;
  readonly receiptId: string;
  readonly exact: boolean;
}

/** A receipt that a payment gets. */
export interface Attachment {
  readonly paymentId: string;
  readonly receiptId: string;
  /** `agree` verifies the payment; anything else is the reason of its review. */
  readonly comparison: Comparison;
  /** Whether they found each other by the TrxID or by the digits. */
  readonly by: SubmissionKind;
}

/**
 * The result of matching a receipt against payments, or a submission against receipts. Pure data: `MatchingCase.apply`
 * carries it out, whichever side came first.
 */
export interface Decision {
  readonly attach: Attachment | null;
  /** Payments that are in review from now on over a receipt that is not attached to them: a user decides. */
  readonly claims: readonly Claim[];
  /** Claims of payments that waited for the receipt, which is another’s now: review, `trx_id_used`. */
  readonly endedClaims: readonly Claim[];
  /** The result of a submission without attachment or claim: it waits, or its receipt is used (409). */
  readonly otherwise: 'wait' | 'used';
}

/** There is nobody for the receipt, or no receipt for the submission. */
export const NOTHING: Decision = { attach: null, claims: [], endedClaims: [], otherwise: 'wait' };

/** The claim of a payment on a receipt. */
export function claimOf(payment: MatchablePayment, receipt: MatchableReceipt): Claim {
  return { paymentId: payment.id, receiptId: receipt.id, exact: fitsExactly(payment, receipt) };
}

/** The claims of several payments on several receipts, each on each. */
export function claimsOfAll(
  payments: readonly MatchablePayment[],
  receipts: readonly MatchableReceipt[],
): Claim[] {
  return payments.flatMap((payment) => receipts.map((receipt) => claimOf(payment, receipt)));
}

/**
 * Guess protection is a doubt: the payment is in review with the receipt attached, and others that fit it exactly do
 * not end as `trx_id_used`, but are in review over it (contract 4.27 and 4.85).
 */
export function stoppedByGuessProtection(decision: Decision): Decision {
  const { attach, claims, endedClaims } = decision;
  if (attach === null) return decision;
  return {
    ...decision,
    attach: { ...attach, comparison: 'flagged' },
    claims: [...claims, ...endedClaims.filter(({ exact }) => exact)],
    endedClaims: endedClaims.filter(({ exact }) => !exact),
  };
}
