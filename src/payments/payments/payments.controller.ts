import { Body, Controller, Get, Headers, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceSettings } from '../../platform/config/index.js';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, KnownQuery } from '../../platform/http/index.js';
import { RawJson, stringifyJson } from '../../kernel/raw-json.js';
import { CurrentStore, ForStoreKey, type Store } from '../../stores/index.js';
import { ApiIdempotencyKey, IDEMPOTENCY_REPLAYED, idempotencyKeyOf } from './idempotency/idempotency-key.js';
import {
  CREATE_PAYMENT_EXAMPLES,
  CREATED_PAYMENT_EXAMPLE,
  CreatePaymentBody,
  newPaymentOf,
  paymentFilterOf,
  PaymentPage,
  METADATA_FILTER,
  PaymentQuery,
  PaymentView,
  paymentView,
} from './payments.dto.js';
import { PaymentsService } from './payments.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { idempotencyInProgress, idempotencyKeyReused, paymentNotFound } from './payments.problems.js';

/** Payments for a merchant's backend (specification §4, contract 3.1). */
@ApiTags('Payments')
@Controller('api/v1/payments')
@KnownQueriesOnly()
@ForStoreKey()
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly settings: ServiceSettings,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a payment', description: 'Send the payer to `checkoutUrl`.' })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreatePaymentBody, examples: CREATE_PAYMENT_EXAMPLES })
  @ApiCreatedResponse({
    type: PaymentView,
    example: CREATED_PAYMENT_EXAMPLE,
    headers: IDEMPOTENCY_REPLAYED,
  })
  @ApiProblem(requestInvalid, idempotencyInProgress, idempotencyKeyReused)
  async create(
    @CurrentStore() store: Store,
    @Body() body: CreatePaymentBody,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentView | RawJson> {
    const rawBody = request.rawBody ?? '{}';
    const input = newPaymentOf(body, rawBody);
    const key = idempotencyKeyOf(idempotencyKey);
    if (key === null) return this.view(await this.payments.create(store, input));
    const { answer, replayed } = await this.payments.createOnce(store, input, {
      key,
      path: 'payments',
      body: rawBody,
      present: (payment) => stringifyJson(this.view(payment)),
    });
    if (replayed) void reply.header('Idempotency-Replayed', 'true');
    return new RawJson(answer);
  }

  @Get()
  @ApiOperation({ summary: 'List payments', description: `Newest first. ${METADATA_FILTER}` })
  @ApiOkResponse({ type: PaymentPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: PaymentQuery): Promise<PaymentPage> {
    const page = await this.payments.listOfStore(store.id, paymentFilterOf(query), query);
    return { data: page.data.map((payment) => this.view(payment)), nextCursor: page.nextCursor };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a payment' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(paymentNotFound)
  async get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentView> {
    return this.view(await this.payments.getOfStore(store.id, id));
  }

  private view(payment: Parameters<typeof paymentView>[0]): PaymentView {
    return paymentView(payment, this.settings.publicUrl);
  }
}
