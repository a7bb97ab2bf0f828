import { defineProblem, type DomainError } from '../../kernel/domain-error.js';
import type { PaymentStatus } from './payment.js';

export const paymentNotFound = defineProblem('payment.not_found', 'not_found', 'There is no such payment.', {
  meaning: 'There is no such payment, or it is another store’s.',
});

export const receiptRequired = defineProblem(
  'payment.receipt_required',
  'invalid',
  'No receipt is attached to this payment: name one with receiptId, or null for none.',
  {
    meaning: 'The decision needs a receipt; name it with `receiptId`.',
    errors: [{ pointer: '/receiptId', detail: 'is required while no receipt is attached' }],
  },
);

export const voidReceiptRequired = () =>
  receiptRequired.saying(
    'The payment claims a receipt that is not attached to it: name the one to void with receiptId.',
    {
      errors: [{ pointer: '/receiptId', detail: 'is required to void a receipt while several are possible' }],
    },
  );

export const paymentChanged = defineProblem(
  'payment.changed',
  'conflict',
  'The payment has changed since you saw it. Read it again, then decide.',
  { meaning: 'The payment is not as `seen` says; nothing happened.' },
);

export const paymentPending = defineProblem(
  'payment.pending',
  'conflict',
  'The payment is still waiting for its payer.',
  { meaning: 'The payment still waits for its payer.' },
);

export const paymentSubmitted = defineProblem(
  'payment.submitted',
  'conflict',
  'The payment is still waiting for its receipt.',
  { meaning: 'The payment still waits for its receipt.' },
);

export const paymentInReview = defineProblem(
  'payment.in_review',
  'conflict',
  'The payment is in review: a user of the store decides.',
  { meaning: 'The payment is in review; a user of the store decides.' },
);

export const paymentVerified = defineProblem(
  'payment.verified',
  'conflict',
  'The payment is verified; that is final.',
  { meaning: 'The payment is verified, which is final.' },
);

export const paymentExpired = defineProblem(
  'payment.expired',
  'conflict',
  'The time for this payment is over.',
  { meaning: 'The time for the payment is over.' },
);

export const paymentCancelled = defineProblem(
  'payment.cancelled',
  'conflict',
  'The payment is cancelled; that is final.',
  { meaning: 'The payment is cancelled, which is final.' },
);

const REFUSALS = {
  pending: paymentPending,
  submitted: paymentSubmitted,
  verified: paymentVerified,
  review: paymentInReview,
  expired: paymentExpired,
  cancelled: paymentCancelled,
} as const satisfies Record<PaymentStatus, unknown>;

/** 409 for what the state table does not know (contract 3.17); the code names the state that stands against it. */
export function refusedIn(status: PaymentStatus): DomainError {
  return REFUSALS[status]();
}

export const trxIdUsed = defineProblem(
  'payment.trx_id_used',
  'conflict',
  'This transaction id has already been used.',
  { meaning: 'The transaction id has been used for another payment.' },
);

export const qrNotOffered = defineProblem(
  'payment.qr_not_offered',
  'conflict',
  'This store does not take Bangla QR.',
  { meaning: 'The store does not take Bangla QR.' },
);

export const tooManyAttempts = defineProblem(
  'payment.too_many_attempts',
  'rate_limited',
  'Too many different submissions for this payment.',
  {
    meaning: 'Too many different submissions for one payment; `Retry-After` is the end of its lifetime.',
    retryAfterSeconds: (seconds: number) => seconds,
  },
);

export const receiptNotFound = defineProblem('receipt.not_found', 'not_found', 'There is no such receipt.', {
  meaning: 'There is no such receipt, or it is another store’s.',
});

export const receiptAlreadyMatched = defineProblem(
  'receipt.already_matched',
  'conflict',
  'This receipt already belongs to a payment.',
  { meaning: 'The receipt belongs to a payment already.' },
);

export const receiptClaimed = defineProblem(
  'receipt.claimed',
  'conflict',
  'This receipt is attached to a payment: decide about that one.',
  { meaning: 'The receipt is attached to a payment; decide about the payment.' },
);

export const receiptVoid = defineProblem(
  'receipt.void',
  'conflict',
  'This receipt is void: its money does not pay anything.',
  { meaning: 'The receipt is void: its money does not pay anything.' },
);

export const receiptNotVoid = defineProblem('receipt.not_void', 'conflict', 'This receipt is not void.', {
  meaning: 'The receipt is not void.',
});

export const receiptIgnored = defineProblem(
  'receipt.ignored',
  'conflict',
  'This message is not a receipt of money; it cannot pay anything.',
  { meaning: 'The message is no receipt of money; it cannot pay anything.' },
);

export const simulationDisabled = defineProblem(
  'simulate.disabled',
  'forbidden',
  'Simulation is switched off for this store.',
  { meaning: 'Simulation is switched off for the store.' },
);

export const idempotencyKeyReused = defineProblem(
  'idempotency.key_reused',
  'unprocessable',
  'This Idempotency-Key was used with another body.',
  { meaning: 'The `Idempotency-Key` was used with another body, or at another place.' },
);

export const idempotencyInProgress = defineProblem(
  'idempotency.in_progress',
  'conflict',
  'The first request with this Idempotency-Key still runs.',
  { meaning: 'The first request with this `Idempotency-Key` still runs.', retryAfterSeconds: 1 },
);
