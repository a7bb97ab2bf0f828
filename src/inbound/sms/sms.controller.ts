import { Body, Controller, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, FormBody } from '../../platform/http/index.js';
import { invalidInput, requestInvalid } from '../../kernel/domain-error.js';
import { CurrentStore, PhonePresence, type Store } from '../../stores/index.js';
import { KeepUnreadableFilter } from '../keep-unreadable.filter.js';
import { ForStoreForwarder } from './forwarder.guard.js';
import { isObject, readForwarded } from './forwarders/index.js';
import { SmsResultView } from './messages.dto.js';
import { MessagesService } from './messages.service.js';

const BODY_SCHEMA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'As the app writes it. Sender: `from`, `sender`, `phoneNumber`, `contact`, `address`; text: `text`, `message`, `body`, `content`, `msg`, `raw_sms`; at the top or under `payload` or `data`.',
};

const EXAMPLES = {
  any: {
    summary: 'Any app',
    value: {
      from: 'bKash',
      text: 'You have received Tk 500.00 from 01700000002. Fee Tk 0.00. Balance Tk 1,504.50. TrxID DIJ3MXAHCJ at 19/09/2026 00:57',
    },
  },
};

/** The webhook for SMS forwarder apps, at `/api/webhooks/<service name>/sms` (contract 6.2). */
@ApiTags('Phone')
@Controller()
@ForStoreForwarder()
@UseFilters(KeepUnreadableFilter)
export class SmsController {
  constructor(
    private readonly messages: MessagesService,
    private readonly phone: PhonePresence,
  ) {}

  @Post('sms')
  @HttpCode(200)
  @FormBody({ untyped: true })
  @ApiOperation({
    summary: 'Forward an SMS',
    description:
      'The bodies of common forwarder apps as they are, JSON or a form. Duplicates and texts that are no receipts are answered 200 too, so that the phone does not repeat them.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ schema: BODY_SCHEMA, examples: EXAMPLES })
  @ApiOkResponse({ type: SmsResultView })
  @ApiProblem(requestInvalid)
  async receive(
    @CurrentStore() store: Store,
    @Body() body: object,
    @Req() request: FastifyRequest,
  ): Promise<SmsResultView> {
    const forwarded = isObject(body) ? readForwarded(body) : null;
    if (forwarded === null) {
      throw invalidInput([
        { pointer: '', detail: 'must hold the text of a message, under one of its usual names' },
      ]);
    }
    if (!('event' in forwarded)) return this.messages.receive(store, forwarded, request.rawBody ?? '');
    await this.phone.markSeen(store.id, { app: forwarded.app });
    return { status: 'ignored', reason: 'no_message' };
  }
}
