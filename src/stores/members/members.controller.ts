import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../../accounts/index.js';
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
  rateLimited,
} from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole } from '../credentials/store.guards.js';
import type { Store } from '../store.js';
import { AddMemberBody, ChangeMemberBody, MemberPage, MemberView, memberView } from './members.dto.js';
import { MembersService } from './members.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { memberExists, memberIsOwner, memberNotFound } from './members.problems.js';
import { storeArchived } from '../stores.problems.js';

const USER_ID = { name: 'userId', format: 'uuid', description: 'Id of the user.' } as const;

/** The users of a store (contract 15.2). */
@ApiTags('Members')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/members')
@KnownQueriesOnly()
@ForStoreUsers()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @NeedsRole('manager')
  @ApiOperation({ summary: 'List the members of a store', description: 'Newest first, the owner last.' })
  @ApiOkResponse({ type: MemberPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: PageQuery): Promise<MemberPage> {
    const page = await this.members.listOfStore(store.id, query);
    return { data: page.data.map(memberView), nextCursor: page.nextCursor };
  }

  @Post()
  @NeedsRole('owner')
  @ApiOperation({
    summary: 'Add a member to a store',
    description: 'Somebody who has an account; users are created by an admin.',
  })
  @ApiCreatedResponse({ type: MemberView })
  @ApiProblem(requestInvalid, memberNotFound, memberExists, memberIsOwner, storeArchived, rateLimited)
  async add(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Body() body: AddMemberBody,
  ): Promise<MemberView> {
    return memberView(await this.members.add(caller, store, body));
  }

  @Patch(':userId')
  @NeedsRole('owner')
  @ApiOperation({ summary: 'Change what a member may', description: 'From the next request on.' })
  @ApiParam(USER_ID)
  @ApiOkResponse({ type: MemberView })
  @ApiProblem(requestInvalid, memberNotFound, memberIsOwner, storeArchived)
  async change(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('userId', IdParameter) userId: string,
    @Body() body: ChangeMemberBody,
  ): Promise<MemberView> {
    return memberView(await this.members.change(caller, store, userId, body.role));
  }

  @NoBody()
  @Delete('me')
  @HttpCode(204)
  @NeedsRole('viewer')
  @ApiOperation({ summary: 'Leave a store', description: 'The caller is no member of it any longer.' })
  @ApiNoContentResponse()
  @ApiProblem(memberNotFound, memberIsOwner)
  async leave(@CurrentCaller() caller: Caller, @CurrentStore() store: Store): Promise<void> {
    await this.members.remove(caller, store, caller.user.id);
  }

  @NoBody()
  @Delete(':userId')
  @HttpCode(204)
  @NeedsRole('owner')
  @ApiOperation({ summary: 'Remove a member from a store', description: 'From the next request on.' })
  @ApiParam(USER_ID)
  @ApiNoContentResponse()
  @ApiProblem(memberNotFound, memberIsOwner)
  async remove(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Param('userId', IdParameter) userId: string,
  ): Promise<void> {
    await this.members.remove(caller, store, userId);
  }
}
