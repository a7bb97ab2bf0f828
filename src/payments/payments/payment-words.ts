/* The words in which a payment and its submissions are stored. */

/** The kinds of submissions: the wallet's transaction id, or for Bangla QR the last four digits. */
export const SUBMISSION_KINDS = ['trx_id', 'last4digit'] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];

/**
 * The use of a submission (contract 4.61): it counts; or it was answered 409 and is kept for when its receipt is
 * free; or it was one too many, answered 429, and leads to a user at most.
 */
export const STANDINGS = ['counted', 'refused', 'surplus'] as const;
export type Standing = (typeof STANDINGS)[number];

export const PAYMENT_STATUSES = [
  'pending',
  'submitted',
  'verified',
  'review',
  'expired',
  'cancelled',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const REVIEW_REASONS = [
  'underpaid',
  'overpaid',
  'currency_mismatch',
  'late',
  'old_money',
  'ambiguous',
  'wrong_wallet',
  'trx_id_used',
  'flagged',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];
