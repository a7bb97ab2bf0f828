import { DomainError } from '../kernel/domain-error.js';
import type { PaymentStatus } from './payment.js';

export const paymentNotFound = () =>
  new DomainError('not_found', 'payment.not_found', 'There is no such payment.');
export const receiptNotFound = () =>
  new DomainError('not_found', 'receipt.not_found', 'There is no such receipt.');

export const trxIdUsed = () =>
  new DomainError('conflict', 'payment.trx_id_used', 'This transaction id has already been used.');

export const tooManyAttempts = (retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'payment.too_many_attempts',
    'Too many different entries for this payment.',
    {
      retryAfterSeconds,
    },
  );

export const receiptClaimed = () =>
  new DomainError('conflict', 'receipt.already_matched', 'This receipt already belongs to a payment.');

export const receiptIgnored = () =>
  new DomainError(
    'conflict',
    'receipt.ignored',
    'This message is not a receipt of money; it cannot pay anything.',
  );

export const receiptRequired = () =>
  new DomainError(
    'invalid',
    'payment.receipt_required',
    'Several receipts are possible: name one with receiptId.',
    {
      errors: [{ pointer: '/receiptId', detail: 'is required while several receipts are possible' }],
    },
  );

export const idempotencyKeyReused = () =>
  new DomainError(
    'unprocessable',
    'idempotency.key_reused',
    'This Idempotency-Key was used with another body.',
  );

export const idempotencyInProgress = () =>
  new DomainError(
    'conflict',
    'idempotency.in_progress',
    'The first request with this Idempotency-Key still runs.',
    {
      retryAfterSeconds: 1,
    },
  );

const REFUSALS: Readonly<Record<PaymentStatus, readonly [code: string, detail: string]>> = {
  pending: ['payment.pending', 'The payment is still waiting for its payer.'],
  submitted: ['payment.submitted', 'The payment is still waiting for its receipt.'],
  verified: ['payment.verified', 'The payment is verified; that is final.'],
  review: ['payment.in_review', 'The payment is in review: a person of the store decides.'],
  expired: ['payment.expired', 'The time for this payment is over.'],
  cancelled: ['payment.cancelled', 'The payment is cancelled; that is final.'],
};

/** 409 for what the state table does not know (decisions §3); the code names the state that stands against it. */
export function refusedIn(status: PaymentStatus): DomainError {
  const [code, detail] = REFUSALS[status];
  return new DomainError('conflict', code, detail);
}
