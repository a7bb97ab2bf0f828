import { Body, Controller, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, parseInstant, tolerantValidation } from '../platform/http/index.js';
import { Clock } from '../kernel/clock.js';
import { ReceiptIntake } from '../payments/index.js';
import { CurrentStore, ForStorePhone, PhonePresence, type Store } from '../stores/index.js';
import {
  HeartbeatBody,
  InboundReceiptBody,
  RECEIPT_EXAMPLES,
  receiptFromApp,
  ReceiptResultView,
} from './inbound.dto.js';
import { KeepUnreadableFilter } from './keep-unreadable.filter.js';
import { requestInvalid } from '../kernel/domain-error.js';

/** The phone's door, at `/api/webhooks/<service name>` (specification §4, contract 6.1). */
@ApiTags('Phone')
@Controller()
@ForStorePhone()
export class PhoneController {
  constructor(
    private readonly intake: ReceiptIntake,
    private readonly phone: PhonePresence,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @UseFilters(KeepUnreadableFilter)
  @ApiOperation({
    summary: 'Forward a receipt',
    description: 'Unknown fields are ignored, and kept with the raw body.',
  })
  @ApiBody({ type: InboundReceiptBody, examples: RECEIPT_EXAMPLES })
  @ApiOkResponse({ type: ReceiptResultView })
  @ApiProblem(requestInvalid)
  async receive(
    @CurrentStore() store: Store,
    @Body(tolerantValidation(InboundReceiptBody)) body: object,
    @Req() request: FastifyRequest,
  ): Promise<ReceiptResultView> {
    const receipt = receiptFromApp(body as InboundReceiptBody, request.rawBody ?? '');
    await this.phone.markSeen(store.id, { app: receipt.app });
    return this.intake.take(store, receipt);
  }

  @Post('heartbeat')
  @HttpCode(204)
  @ApiOperation({ summary: 'Say that the phone is alive' })
  @ApiBody({ type: HeartbeatBody })
  @ApiNoContentResponse()
  @ApiProblem(requestInvalid)
  async heartbeat(
    @CurrentStore() store: Store,
    @Body(tolerantValidation(HeartbeatBody)) body: object,
  ): Promise<void> {
    const { app, battery, pending, at } = body as HeartbeatBody;
    const phoneTime = at == null ? null : parseInstant(at);
    const clockOffsetMs = phoneTime === null ? null : phoneTime.getTime() - this.clock.now().getTime();
    await this.phone.markSeen(store.id, {
      ...{ app, clockOffsetMs },
      ...{ battery: storableInteger(battery), pending: storableInteger(pending) },
    });
  }
}

const LARGEST_INTEGER = 2_147_483_647;

/**
 * Data of phones about themselves is shown and compared with nothing, so a number out of bounds is cut, not refused.
 */
function storableInteger(value: number | null | undefined): number | null {
  if (value == null) return null;
  return Math.max(-LARGEST_INTEGER, Math.min(LARGEST_INTEGER, Math.round(value)));
}
