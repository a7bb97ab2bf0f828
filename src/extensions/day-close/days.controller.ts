import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, KnownQueriesOnly, KnownQuery } from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, type Store } from '../../stores/index.js';
import { DayView, dayView, StatementQuery } from './day-close.dto.js';
import { STATEMENT_TYPES } from './day-statement.js';
import { DaysService } from './days.service.js';
import { DayStatements } from './day-statements.js';
import { requestInvalid } from '../../kernel/domain-error.js';

const DATE = { name: 'date', schema: { type: 'string', format: 'date' }, example: '2026-11-21' };

/** Days of a store (contract 13.11). */
@ApiTags('Day close')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@ApiParam({ ...DATE, description: 'A day in `STORE_TIME_ZONE`.' })
@Controller('api/v1/stores/:storeId/days/:date')
@KnownQueriesOnly()
@ForStoreUsers()
export class DaysController {
  constructor(
    private readonly days: DaysService,
    private readonly statements: DayStatements,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Total a day', description: 'By wallet. Simulated money is not counted.' })
  @ApiOkResponse({ type: DayView })
  @ApiProblem(requestInvalid)
  async show(@CurrentStore() store: Store, @Param('date') date: string): Promise<DayView> {
    return dayView(await this.days.totals(store, date));
  }

  @Get('statement')
  @ApiOperation({
    summary: 'Download a day’s statement',
    description: 'One line for each payment, refund and receipt that the totals count, streamed.',
  })
  @ApiOkResponse({
    description: 'The file.',
    content: {
      'text/csv': { schema: { type: 'string' } },
      [STATEMENT_TYPES.xlsx]: { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiProblem(requestInvalid)
  async download(
    @CurrentStore() store: Store,
    @Param('date') date: string,
    @KnownQuery() { format }: StatementQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.statements.send(reply, store, date, format);
  }
}
