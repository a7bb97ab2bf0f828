import { DomainError, type ProblemCodes } from '../../kernel/domain-error.js';

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
    'This transaction id has been recorded as a refund already, or money came in by it.',
  );

/** Error codes of refunds; published in the OpenAPI document (contract 1.36). */
export const REFUNDS_CODES: ProblemCodes = {
  'payment.not_verified': { status: 409, meaning: 'Only a verified payment can be refunded.' },
  'refund.too_much': {
    status: 409,
    meaning: 'All refunds of a payment together cannot be more than what came for it.',
  },
  'refund.trx_id_used': {
    status: 409,
    meaning: 'The transaction id is that of a refund of the store already, or of money that came in.',
  },
};
