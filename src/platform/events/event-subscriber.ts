import type { EventRecord } from './feed.repository.js';

/**
 * An event as a subscriber hears it. `body` is null only for one that was delivered so long ago that it is not kept.
 */
export type HeardEvent = Omit<EventRecord, 'inFeed'>;

/**
 * The port for whoever acts on events: a notification channel, an export, a ledger (contract 13.7). A provider of any
 * module that extends it is found and called; nothing has to be registered.
 *
 * Every event of every store is heard at least once, in the order of the store's feed, whether or not the store has a
 * webhook URL, and whatever happens to a process in between. Over all replicas one process at a time hears a store's
 * events; different stores are heard side by side.
 */
export abstract class EventSubscriber {
  /** Under this name it is remembered how far each store has come, so it never changes: `[a-z0-9-]{1,60}`. */
  abstract readonly name: string;

  /** Events it wants besides those of the feed, by name. */
  readonly alsoHears: readonly string[] = [];

  /** `now` passes over what happened before it was there for the first time. */
  readonly from: 'beginning' | 'now' = 'beginning';

  /**
   * An event counts as heard when this resolves. When it rejects, the event is told again after a second, then after
   * two, four and so on to 20 s, until it resolves; the store's later events wait for that, other stores and other
   * subscribers do not. After a crash the last event of a store may come again: act once on each `event.id` where
   * that matters.
   */
  abstract handle(event: HeardEvent): Promise<void>;
}
