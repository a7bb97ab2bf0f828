import { defineProblem } from '../kernel/domain-error.js';

export const deliveryNotFound = defineProblem(
  'delivery.not_found',
  'not_found',
  'There is no such delivery.',
  {
    meaning: 'There is no such delivery, or it is another store’s.',
  },
);

export const eventBodyPruned = defineProblem(
  'event.body_pruned',
  'conflict',
  'The event was delivered so long ago that its body is not kept any more. Read the payment instead.',
  { meaning: 'The event is so old that its body is not kept any more.' },
);

export const replayNotFound = defineProblem('replay.not_found', 'not_found', 'There is no such replay.', {
  meaning: 'There is no such replay, or it is another store’s.',
});

/** One after the other: two over the same range would send everything twice. */
export const replayRunning = defineProblem(
  'replay.running',
  'conflict',
  'A replay of this store is running. Wait until it is done.',
  { meaning: 'A replay of the store runs already; wait until it is done.' },
);

export const webhookUrlMissing = defineProblem(
  'webhook.url_missing',
  'conflict',
  'This store has no webhook URL. Set one first.',
  { meaning: 'The store has no webhook URL.' },
);

/** A test holds a socket for as long as the receiver likes, within `WEBHOOK_TIMEOUT`; so few run at the same time. */
export const webhookTestBusy = defineProblem(
  'webhook.test_busy',
  'rate_limited',
  'Too many webhook tests are running. Try again shortly.',
  { meaning: 'Too many test events are under way already.', retryAfterSeconds: 5 },
);
