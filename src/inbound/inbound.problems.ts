import { defineProblem } from '../kernel/domain-error.js';

export const messageNotFound = defineProblem('message.not_found', 'not_found', 'There is no such message.', {
  meaning: 'There is no such message, or it is another store’s.',
});

export const storeRequired = defineProblem(
  'simulate.store_required',
  'invalid',
  'Say which store is meant: storeId.',
  {
    meaning: 'There is not exactly one store; name it with `storeId`.',
    errors: [{ pointer: '/storeId', detail: 'is required unless there is exactly one store' }],
  },
);
