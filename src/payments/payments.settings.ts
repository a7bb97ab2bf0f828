import { QR_WINDOW } from '../stores/index.js';
import { duration, durationOrOff, rateLimit, settings } from '../platform/config/index.js';

export abstract class PaymentsSettings extends settings({
  paymentTtlMs: duration('PAYMENT_TTL', '60m', 'How long a payment waits for its payer.'),
  submissionGraceMs: duration('SUBMISSION_GRACE', '24h', 'How long a submission waits for its receipt.'),
  qrWindowMs: QR_WINDOW,
  /** Null counts none. */
  guessLimit: rateLimit(
    'GUESS_LIMIT',
    '10/1h',
    'Wrong submissions for one amount of a store before guessable ids verify nothing automatically.',
  ),
  /** Null keeps it. It may go as soon as nobody waits for it. */
  retentionPersonalMs: durationOrOff(
    'RETENTION_PERSONAL',
    'off',
    'How long after its end a payment keeps personal data; `off` keeps it.',
    { leastMs: 1, expected: 'a duration' },
  ),
}) {}
