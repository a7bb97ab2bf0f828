import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiProblem,
  IdParameter,
  KnownQueriesOnly,
  KnownQuery,
  NoBody,
  PageQuery,
} from '../../platform/http/index.js';
import { AccountsService } from './accounts.service.js';
import { CurrentCaller, ForUsers } from '../sessions/for-users.js';
import { SecondFactor } from '../second-factor/second-factor.js';
import { type Caller } from './user.js';
import { CreateUserBody, UpdateUserBody, UserPage, UserView, userView } from './users.dto.js';
import { requestInvalid, serviceUnavailable } from '../../kernel/domain-error.js';
import { emailTaken, lastAdmin, tooBusy, userNotFound } from '../accounts.problems.js';

/** The users who may sign in, for admins (contract 2.17). */
@ApiTags('Accounts')
@Controller('api/v1/users')
@KnownQueriesOnly()
@ForUsers('admin')
export class UsersController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly secondFactor: SecondFactor,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create a user',
    description:
      'There is no open sign-up. The commonest passwords, and the user’s own address or name, are refused. 409 `user.email_taken` when there is one with this e-mail address.',
  })
  @ApiCreatedResponse({ type: UserView })
  @ApiProblem(requestInvalid, emailTaken, tooBusy, serviceUnavailable)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateUserBody): Promise<UserView> {
    return userView(await this.accounts.create(caller, body));
  }

  @Get()
  @ApiOperation({ summary: 'List users', description: 'Newest first.' })
  @ApiOkResponse({ type: UserPage })
  @ApiProblem(requestInvalid)
  async list(@KnownQuery() query: PageQuery): Promise<UserPage> {
    const page = await this.accounts.listUsers(query);
    return { data: page.data.map(userView), nextCursor: page.nextCursor };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a user' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: UserView })
  @ApiProblem(userNotFound)
  async get(@Param('id', IdParameter) id: string): Promise<UserView> {
    return userView(await this.accounts.getUser(id));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a user',
    description:
      'Takes effect at once, on tokens already issued, too. The last active admin can be neither deactivated nor made a merchant: 409 `user.last_admin`.',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: UserView })
  @ApiProblem(requestInvalid, userNotFound, lastAdmin)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id', IdParameter) id: string,
    @Body() body: UpdateUserBody,
  ): Promise<UserView> {
    return userView(await this.accounts.update(caller, id, body));
  }

  @NoBody()
  @Delete(':id/second-factor')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Remove a user’s second factor',
    description:
      'For a user who has lost the app and the recovery codes. 204 as well when there is none. The user’s account page says that an admin did it.',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiNoContentResponse()
  @ApiProblem(userNotFound)
  async removeSecondFactor(
    @CurrentCaller() caller: Caller,
    @Param('id', IdParameter) id: string,
  ): Promise<void> {
    await this.secondFactor.removeOf(caller, id);
  }
}
