import type { ProblemCodes } from '../kernel/domain-error.js';

/** Error codes of this feature; published in the OpenAPI document (contract 1.36). */
export const INBOUND_CODES: ProblemCodes = {
  'message.not_found': { status: 404, meaning: 'There is no such message, or it is another store’s.' },
  'simulate.store_required': {
    status: 400,
    meaning: 'There is not exactly one store; name it with `storeId`.',
  },
};
