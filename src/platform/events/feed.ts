import { Injectable } from '@nestjs/common';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';
import { feedNotReady, unknownEventCursor } from './events.errors.js';
import { FeedRepository, type EventRow } from './feed.repository.js';

export interface FeedPage {
  readonly events: readonly EventRow[];
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
   * The events behind `after`, oldest first. `nextCursor` can always be passed as the next `after`, also from an
   * empty page: whoever keeps it and comes back later misses nothing and gets nothing twice.
   *
   * @throws DomainError `request.invalid` when `after` is neither a cursor nor the id of an event of this store
   */
  async list(
    storeId: string,
    after: string | undefined,
    limit: number,
    since: Date | null = null,
  ): Promise<FeedPage> {
    if (after === undefined && since !== null) return this.listSince(storeId, since, limit);
    const cursor = after === undefined ? { position: 0n } : decodeEventCursor(after);
    if (cursor === null) throw unknownEventCursor();
    const start = 'position' in cursor ? cursor.position : await this.positionOf(storeId, cursor.eventId);
    const events = await this.eventsBehind(storeId, start, limit);
    const last = events.at(-1)?.position ?? start;
    return { events, nextCursor: last === 0n ? null : encodeEventCursor(last) };
  }

  private async listSince(storeId: string, since: Date, limit: number): Promise<FeedPage> {
    const start = await this.repository.findPositionSince(storeId, since);
    const events = await this.eventsBehind(storeId, start, limit);
    const last = events.at(-1)?.position ?? start;
    return {
      events: events.filter(({ createdAt }) => createdAt >= since),
      nextCursor: last === 0n ? null : encodeEventCursor(last),
    };
  }

  private async eventsBehind(storeId: string, position: bigint, limit: number): Promise<EventRow[]> {
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
