import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ForUsers } from '../../accounts/index.js';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, KnownQuery, NoBody } from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole, type Store } from '../../stores/index.js';
import { readMessage, WALLETS } from '../../wallets/index.js';
import {
  MessagePage,
  MessageQuery,
  MessageView,
  messageView,
  PARSE_EXAMPLES,
  ParseBody,
  ParseView,
  parseView,
  RereadView,
} from './messages.dto.js';
import { MessagesService } from './messages.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { messageNotFound } from '../inbound.problems.js';

/** Messages of a store for its users (contract 9.3). */
@ApiTags('Messages')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/messages')
@KnownQueriesOnly()
@ForStoreUsers()
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @ApiOperation({
    summary: 'List messages of a store',
    description: 'Newest first; `status=unread` is what nobody could read.',
  })
  @ApiOkResponse({ type: MessagePage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: MessageQuery): Promise<MessagePage> {
    const page = await this.messages.listOfStore(store.id, query.status, query);
    return { data: page.data.map(messageView), nextCursor: page.nextCursor };
  }

  @Get(':messageId')
  @ApiOperation({ summary: 'Get a message of a store' })
  @ApiParam({ name: 'messageId', format: 'uuid', description: 'Id of the message.' })
  @ApiOkResponse({ type: MessageView })
  @ApiProblem(messageNotFound)
  async get(
    @CurrentStore() store: Store,
    @Param('messageId', IdParameter) messageId: string,
  ): Promise<MessageView> {
    return messageView(await this.messages.getOfStore(store.id, messageId));
  }

  @NoBody()
  @Post('reread')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Read unread messages again',
    description: 'With today’s rules; a receipt that is found matches as one that has just come.',
  })
  @ApiOkResponse({ type: RereadView })
  async reread(@CurrentStore() store: Store): Promise<RereadView> {
    return this.messages.reread(store);
  }
}

/** For trying a text out (contract 9.8). */
@ApiTags('Messages')
@Controller('api/v1/sms')
@KnownQueriesOnly()
@ForUsers()
export class ParseController {
  @Post('parse')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Try a text',
    description: 'What the reader would take it for; nothing is stored.',
  })
  @ApiBody({ type: ParseBody, examples: PARSE_EXAMPLES })
  @ApiOkResponse({ type: ParseView })
  @ApiProblem(requestInvalid)
  parse(@Body() { sender, text, accountType }: ParseBody): ParseView {
    const types = accountType == null ? [] : [accountType];
    const message = { sender, text, accountTypesOf: () => types, offers: () => false };
    return parseView(readMessage(message, WALLETS.list()));
  }
}
