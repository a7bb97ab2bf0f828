import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../http/index.js';
import { CurrentStore, ForStoreKey, type Store } from '../stores/index.js';
import { EventPage, eventPage, EventQuery } from './feed.dto.js';
import { EventFeed } from '../events/index.js';

/** The same events that are delivered, to pull (decisions §7). */
@ApiTags('Deliveries')
@Controller('api/v1/events')
@ForStoreKey()
export class EventsController {
  constructor(private readonly events: EventFeed) {}

  @Get()
  @ApiOperation({
    summary: 'Pull events',
    description: 'Of the key’s store, oldest first; held ones are included. For a merchant that was down.',
  })
  @ApiOkResponse({ type: EventPage })
  @ApiProblem(400)
  async list(@CurrentStore() store: Store, @Query() query: EventQuery): Promise<EventPage> {
    return eventPage(await this.events.list(store.id, query.after, query.limit));
  }
}
