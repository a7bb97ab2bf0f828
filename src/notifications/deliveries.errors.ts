import { DomainError, type ProblemCodes } from '../kernel/domain-error.js';

export const deliveryNotFound = () =>
  new DomainError('not_found', 'delivery.not_found', 'There is no such delivery.');

export const eventBodyPruned = () =>
  new DomainError(
    'conflict',
    'event.body_pruned',
    'The event was delivered so long ago that its body is not kept any more. Read the payment instead.',
  );

export const replayNotFound = () =>
  new DomainError('not_found', 'replay.not_found', 'There is no such replay.');

/** One after the other: two over the same range would send everything twice. */
export const replayRunning = () =>
  new DomainError('conflict', 'replay.running', 'A replay of this store is running. Wait until it is done.');

export const webhookUrlMissing = () =>
  new DomainError('conflict', 'webhook.url_missing', 'This store has no webhook URL. Set one first.');

/** A test holds a socket for as long as the receiver likes, within `WEBHOOK_TIMEOUT`; so few run at the same time. */
export const webhookTestBusy = () =>
  new DomainError(
    'rate_limited',
    'webhook.test_busy',
    'Too many webhook tests are running. Try again shortly.',
    {
      retryAfterSeconds: 5,
    },
  );

/** Error codes of this feature; published in the OpenAPI document (contract 1.36). */
export const NOTIFICATIONS_CODES: ProblemCodes = {
  'delivery.not_found': { status: 404, meaning: 'There is no such delivery, or it is another store’s.' },
  'event.body_pruned': { status: 409, meaning: 'The event is so old that its body is not kept any more.' },
  'replay.not_found': { status: 404, meaning: 'There is no such replay, or it is another store’s.' },
  'replay.running': { status: 409, meaning: 'A replay of the store runs already; wait until it is done.' },
  'webhook.url_missing': { status: 409, meaning: 'The store has no webhook URL.' },
  'webhook.test_busy': { status: 429, meaning: 'Too many test events are under way already.' },
};
