import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, KnownQueriesOnly, KnownQuery, parseInstant } from '../../platform/http/index.js';
import { CurrentStore, ForStoreKey, type Store } from '../../stores/index.js';
import { EventPage, eventPage, EventQuery } from './feed.dto.js';
import { EventFeed } from '../../platform/events/index.js';
import { requestInvalid } from '../../kernel/domain-error.js';

/** The same events that are delivered, to pull (contract 7.54). */
@ApiTags('Deliveries')
@Controller('api/v1/events')
@KnownQueriesOnly()
@ForStoreKey()
export class EventsController {
  constructor(private readonly events: EventFeed) {}

  @Get()
  @ApiOperation({
    summary: 'Pull events',
    description:
      'Of the key’s store, oldest first; held ones are included. For a merchant that was down. `X-Joma-Redacted: true` when `RETENTION_PERSONAL` has taken names out of one of them.',
  })
  @ApiOkResponse({ type: EventPage })
  @ApiProblem(requestInvalid)
  async list(
    @CurrentStore() store: Store,
    @KnownQuery() query: EventQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventPage> {
    const since = query.since === undefined ? null : parseInstant(query.since);
    const page = await this.events.list(store.id, query.after, query.limit, since);
    if (page.events.some((event) => event.redacted)) void reply.header('X-Joma-Redacted', 'true');
    return eventPage(page);
  }
}
