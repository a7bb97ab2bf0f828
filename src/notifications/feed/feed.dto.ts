import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import {
  ApiProperty,
  ApiPropertyOptional,
  DEFAULT_PAGE_SIZE,
  IsInstant,
  MAX_PAGE_SIZE,
  queryInteger,
} from '../../platform/http/index.js';
import { EXAMPLE_BODY } from '../deliveries.dto.js';
import type { FeedPage } from '../../platform/events/index.js';

export class EventQuery {
  @ApiPropertyOptional({
    type: String,
    description: '`nextCursor` of the page before, or the `id` of the last event that is known.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  after?: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Leaves out events that are older. Ignored if `after` is given.',
  })
  @IsOptional()
  @IsInstant()
  since?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE, type: 'integer' })
  @IsOptional()
  @Transform(queryInteger)
  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_SIZE)
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
