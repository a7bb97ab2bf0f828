import { DomainError } from '../../kernel/domain-error.js';

export const paymentNotVerified = () =>
  new DomainError('conflict', 'payment.not_verified', 'Only a verified payment can be refunded.');

export const refundTooMuch = () =>
  new DomainError(
    'conflict',
    'refund.too_much',
    'All refunds of a payment together cannot be more than what came for it.',
  );

export const refundTrxIdUsed = () =>
  new DomainError(
    'conflict',
    'refund.trx_id_used',
    'This transaction id has been recorded as a refund already.',
  );
