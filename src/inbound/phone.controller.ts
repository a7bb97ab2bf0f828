import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblem, tolerantValidation } from '../http/index.js';
import { ReceiptsService } from '../payments/index.js';
import { CurrentStore, ForStorePhone, PhonePresence, type Store } from '../stores/index.js';
import {
  HeartbeatBody,
  InboundReceiptBody,
  RECEIPT_EXAMPLES,
  receiptFromApp,
  ReceiptResultView,
} from './inbound.dto.js';

/** The phone's door, at `/api/webhooks/<service name>` (specification §4, decisions §6). */
@ApiTags('Phone')
@Controller()
@ForStorePhone()
export class PhoneController {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly phone: PhonePresence,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Forward a receipt',
    description: 'Unknown fields are ignored, and kept with the raw body.',
  })
  @ApiBody({ type: InboundReceiptBody, examples: RECEIPT_EXAMPLES })
  @ApiOkResponse({ type: ReceiptResultView })
  @ApiProblem(400)
  async receive(
    @CurrentStore() store: Store,
    @Body(tolerantValidation(InboundReceiptBody)) body: object,
    @Req() request: FastifyRequest,
  ): Promise<ReceiptResultView> {
    const receipt = receiptFromApp(body as InboundReceiptBody, request.rawBody ?? '');
    await this.phone.markSeen(store.id);
    return this.receipts.receive(store, receipt);
  }

  @Post('heartbeat')
  @HttpCode(204)
  @ApiOperation({ summary: 'Say that the phone is alive' })
  @ApiBody({ type: HeartbeatBody })
  @ApiNoContentResponse()
  @ApiProblem(400)
  async heartbeat(
    @CurrentStore() store: Store,
    @Body(tolerantValidation(HeartbeatBody)) _body: object,
  ): Promise<void> {
    await this.phone.markSeen(store.id);
  }
}
