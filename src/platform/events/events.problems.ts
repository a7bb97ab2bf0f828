import { invalidInput, serviceUnavailable } from '../../kernel/domain-error.js';

export const unknownEventCursor = () =>
  invalidInput([
    { pointer: '/after', detail: 'is neither a nextCursor nor the id of an event of this store' },
  ]);

export const feedNotReady = () =>
  serviceUnavailable.saying('The events are still being put in order. Try again shortly.');
