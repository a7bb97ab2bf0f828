import { defineProblem } from '../../kernel/domain-error.js';

export const paymentNotVerified = defineProblem(
  'payment.not_verified',
  'conflict',
  'Only a verified payment can be refunded.',
);

export const refundTooMuch = defineProblem(
  'refund.too_much',
  'conflict',
  'All refunds of a payment together cannot be more than what came for it.',
);

export const refundTrxIdUsed = defineProblem(
  'refund.trx_id_used',
  'conflict',
  'This transaction id has been recorded as a refund already, or money came in by it.',
  { meaning: 'The transaction id is that of a refund of the store already, or of money that came in.' },
);
