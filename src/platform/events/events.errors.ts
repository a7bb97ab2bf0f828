import { DomainError, invalidInput } from '../../kernel/domain-error.js';

export const unknownEventCursor = () =>
  invalidInput([
    { pointer: '/after', detail: 'is neither a nextCursor nor the id of an event of this store' },
  ]);

export const feedNotReady = () =>
  new DomainError(
    'unavailable',
    'service.unavailable',
    'The events are still being put in order. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
