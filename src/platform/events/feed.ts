import { Injectable } from '@nestjs/common';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';
import { feedNotReady, unknownEventCursor } from './events.problems.js';
import { FeedRepository, type EventRecord } from './feed.repository.js';

export interface FeedPage {
  readonly events: readonly EventRecord[];
  /** The next `after`; null only when nothing was asked for and there is nothing yet. */
  readonly nextCursor: string | null;
}

/** Far more than a store has that was never read; above it the caller is asked to come again. */
const MAX_PLACING_ROUNDS = 50;

/** The same events that are delivered, to pull (contract 7.54): for a merchant that was down, or has no webhook URL. */
@Injectable()
export class EventFeed {
  constructor(private readonly repository: FeedRepository) {}

  /**
   * The events behind `after`, oldest first; without `after` those since an instant, or all. `nextCursor` can always be
   * passed as the next `after`, also from an empty page: whoever keeps it and comes back later misses nothing and gets
   * nothing twice.
   *
   * @throws DomainError `request.invalid` when `after` is neither a cursor nor the id of an event of this store
   */
  async list(
    storeId: string,
    after: string | undefined,
    limit: number,
    since: Date | null = null,
  ): Promise<FeedPage> {
    const from = after === undefined ? since : null;
    const start =
      from === null
        ? await this.startOf(storeId, after)
        : await this.repository.findPositionSince(storeId, from);
    const events = await this.eventsBehind(storeId, start, limit);
    const last = events.at(-1)?.position ?? start;
    return {
      events: from === null ? events : events.filter(({ createdAt }) => createdAt >= from),
      nextCursor: last === 0n ? null : encodeEventCursor(last),
    };
  }

  private async startOf(storeId: string, after: string | undefined): Promise<bigint> {
    if (after === undefined) return 0n;
    const cursor = decodeEventCursor(after);
    if (cursor === null) throw unknownEventCursor();
    return 'position' in cursor ? cursor.position : this.positionOf(storeId, cursor.eventId);
  }

  private async eventsBehind(storeId: string, position: bigint, limit: number): Promise<EventRecord[]> {
    const placed = await this.repository.listAfter(storeId, position, limit);
    if (placed.length === limit) return placed;
    for (let round = 0; round < MAX_PLACING_ROUNDS; round += 1) {
      const more = await this.repository.place(storeId);
      const events = await this.repository.listAfter(storeId, position, limit);
      if (!more || events.length === limit) return events;
    }
    throw feedNotReady();
  }

  private async positionOf(storeId: string, eventId: string): Promise<bigint> {
    for (let round = 0; round < MAX_PLACING_ROUNDS; round += 1) {
      const found = await this.repository.findPosition(storeId, eventId);
      if (found === null) throw unknownEventCursor();
      if (found.position !== null) return found.position;
      await this.repository.place(storeId);
    }
    throw feedNotReady();
  }
}
