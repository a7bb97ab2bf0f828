import { ApiProperty } from '@nestjs/swagger';
import {
  DEFAULT_PAGE_SIZE,
  Instant,
  MAX_CURSOR_CHARACTERS,
  MaxCharacters,
  PageSize,
  Text,
} from '../../platform/http/index.js';
import { EXAMPLE_BODY } from '../deliveries.dto.js';
import type { FeedPage } from '../../platform/events/index.js';

export class EventQuery {
  @Text({
    optional: true,
    blank: true,
    description: '`nextCursor` of the page before, or the `id` of the last event that is known.',
  })
  @MaxCharacters(MAX_CURSOR_CHARACTERS)
  after?: string;

  @Instant({ optional: true, description: 'Leaves out events that are older. Ignored if `after` is given.' })
  since?: string;

  @PageSize()
  limit: number = DEFAULT_PAGE_SIZE;
}

export class EventView {
  @ApiProperty({
    format: 'uuid',
    example: '019aa5b1-90aa-7a38-b1f2-07c1b5a3d9e4',
    description: 'The `webhook-id` under which the event is delivered.',
  })
  id!: string;

  @ApiProperty({ example: 'payment.verified' })
  event!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  createdAt!: string;

  @ApiProperty({
    example: EXAMPLE_BODY,
    nullable: true,
    type: String,
    description:
      'The exact text that is delivered; `null` for an event delivered so long ago that it is not kept.',
  })
  body!: string | null;
}

export class EventPage {
  @ApiProperty({ type: [EventView], description: 'Oldest first.' })
  data!: EventView[];

  @ApiProperty({
    nullable: true,
    type: String,
    description:
      'The next `after`, also on the last page and on an empty one: keep it, and come back with it for what is new. ' +
      '`null` only while the store has no events.',
  })
  nextCursor!: string | null;
}

export function eventPage({ events, nextCursor }: FeedPage): EventPage {
  return {
    data: events.map(({ id, event, body, createdAt }) => ({
      id,
      event,
      createdAt: createdAt.toISOString(),
      body,
    })),
    nextCursor,
  };
}
