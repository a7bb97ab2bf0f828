import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiProblem,
  IdParameter,
  KnownQueriesOnly,
  KnownQuery,
  NEXT_CURSOR,
  NoBody,
  PageQuery,
} from '../../platform/http/index.js';
import { AuthService } from '../sign-in/auth.service.js';
import { CurrentCaller, CurrentSessionId, CurrentUser, ForUsers } from './for-users.js';
import { type Caller, User } from '../users/user.js';
import type { SessionRecord } from './sessions.repository.js';
import { SESSION_KINDS, type SessionKind } from './sessions.table.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { sessionNotFound } from '../accounts.problems.js';

export class SessionView {
  @ApiProperty({ format: 'uuid', example: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55' })
  id!: string;

  @ApiProperty({ enum: SESSION_KINDS, example: 'api', description: '`dashboard`: in a browser.' })
  kind!: SessionKind;

  @ApiProperty({ example: true, description: 'The one this request comes by.' })
  current!: boolean;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7', description: 'Where it began.' })
  address!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0 (Android 14; Mobile; rv:140.0)' })
  userAgent!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T08:20:09.123Z' })
  createdAt!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-11-21T08:20:09.123Z',
    description: 'The sign-in, or when it was last refreshed.',
  })
  lastUsedAt!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-21T08:20:09.123Z' })
  expiresAt!: string;
}

export class SessionPage {
  @ApiProperty({ type: [SessionView] })
  data!: SessionView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: NEXT_CURSOR,
  })
  nextCursor!: string | null;
}

/** One's own open sessions (contract 14.23). */
@ApiTags('Accounts')
@Controller('api/v1/auth/sessions')
@KnownQueriesOnly()
@ForUsers()
export class SessionsController {
  constructor(private readonly auth: AuthService) {}

  @Get()
  @ApiOperation({ summary: 'List the own open sessions', description: 'Newest first.' })
  @ApiOkResponse({ type: SessionPage })
  @ApiProblem(requestInvalid)
  async list(
    @CurrentUser() user: User,
    @CurrentSessionId() sessionId: string,
    @KnownQuery() query: PageQuery,
  ): Promise<SessionPage> {
    const page = await this.auth.listSessions(user.id, query);
    return { data: page.data.map((session) => viewOf(session, sessionId)), nextCursor: page.nextCursor };
  }

  @NoBody()
  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'End one of the own sessions', description: 'At once, everywhere.' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiNoContentResponse()
  @ApiProblem(sessionNotFound)
  async end(@CurrentCaller() caller: Caller, @Param('id', IdParameter) id: string): Promise<void> {
    await this.auth.endSession(caller, id);
  }
}

function viewOf(session: SessionRecord, currentId: string): SessionView {
  const { id, kind, address, userAgent } = session;
  return {
    id,
    kind,
    current: id === currentId,
    address,
    userAgent,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}
