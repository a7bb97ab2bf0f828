import { DomainError, type ProblemCodes } from '../../kernel/domain-error.js';
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
    'Too many different submissions for this payment.',
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

export const receiptVoid = () =>
  new DomainError('conflict', 'receipt.void', 'This receipt is void: its money does not pay anything.');

export const receiptNotVoid = () =>
  new DomainError('conflict', 'receipt.not_void', 'This receipt is not void.');

export const receiptHeld = () =>
  new DomainError('conflict', 'receipt.claimed', 'This receipt is held by a payment: decide about that one.');

export const simulationDisabled = () =>
  new DomainError('forbidden', 'simulate.disabled', 'Simulation is switched off for this store.');

export const qrNotOffered = () =>
  new DomainError('conflict', 'payment.qr_not_offered', 'This store does not take Bangla QR.');

export const receiptRequired = () =>
  new DomainError(
    'invalid',
    'payment.receipt_required',
    'No receipt is attached to this payment: name one with receiptId, or null for none.',
    {
      errors: [{ pointer: '/receiptId', detail: 'is required while no receipt is attached' }],
    },
  );

export const voidReceiptRequired = () =>
  new DomainError(
    'invalid',
    'payment.receipt_required',
    'The payment claims a receipt that is not attached to it: name the one to void with receiptId.',
    {
      errors: [{ pointer: '/receiptId', detail: 'is required to void a receipt while several are possible' }],
    },
  );

export const paymentChanged = () =>
  new DomainError(
    'conflict',
    'payment.changed',
    'The payment has changed since you saw it. Read it again, then decide.',
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
  review: ['payment.in_review', 'The payment is in review: a user of the store decides.'],
  expired: ['payment.expired', 'The time for this payment is over.'],
  cancelled: ['payment.cancelled', 'The payment is cancelled; that is final.'],
};

/** 409 for what the state table does not know (contract 3.17); the code names the state that stands against it. */
export function refusedIn(status: PaymentStatus): DomainError {
  const [code, detail] = REFUSALS[status];
  return new DomainError('conflict', code, detail);
}

/** Error codes of this feature; published in the OpenAPI document (contract 1.36). */
export const PAYMENTS_CODES: ProblemCodes = {
  'payment.not_found': { status: 404, meaning: 'There is no such payment, or it is another store’s.' },
  'payment.receipt_required': {
    status: 400,
    meaning: 'The decision needs a receipt; name it with `receiptId`.',
  },
  'payment.changed': { status: 409, meaning: 'The payment is not as `seen` says; nothing happened.' },
  'payment.pending': { status: 409, meaning: 'The payment still waits for its payer.' },
  'payment.submitted': { status: 409, meaning: 'The payment still waits for its receipt.' },
  'payment.in_review': { status: 409, meaning: 'The payment is in review; a user of the store decides.' },
  'payment.verified': { status: 409, meaning: 'The payment is verified, which is final.' },
  'payment.expired': { status: 409, meaning: 'The time for the payment is over.' },
  'payment.cancelled': { status: 409, meaning: 'The payment is cancelled, which is final.' },
  'payment.trx_id_used': {
    status: 409,
    meaning: 'The transaction id has been used for another payment.',
  },
  'payment.qr_not_offered': { status: 409, meaning: 'The store does not take Bangla QR.' },
  'payment.too_many_attempts': {
    status: 429,
    meaning: 'Too many different submissions for one payment; `Retry-After` is the end of its lifetime.',
  },
  'receipt.not_found': { status: 404, meaning: 'There is no such receipt, or it is another store’s.' },
  'receipt.already_matched': { status: 409, meaning: 'The receipt belongs to a payment already.' },
  'receipt.claimed': { status: 409, meaning: 'A payment holds the receipt; decide about the payment.' },
  'receipt.void': { status: 409, meaning: 'The receipt is void: its money does not pay anything.' },
  'receipt.not_void': { status: 409, meaning: 'The receipt is not void.' },
  'receipt.ignored': {
    status: 409,
    meaning: 'The message is no receipt of money; it cannot pay anything.',
  },
  'simulate.disabled': { status: 403, meaning: 'Simulation is switched off for the store.' },
  'idempotency.key_reused': {
    status: 422,
    meaning: 'The `Idempotency-Key` was used with another body, or at another place.',
  },
  'idempotency.in_progress': {
    status: 409,
    meaning: 'The first request with this `Idempotency-Key` still runs.',
  },
};
