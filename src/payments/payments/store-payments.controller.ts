import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceSettings } from '../../platform/config/index.js';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, KnownQuery } from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole, type Store, storeArchived } from '../../stores/index.js';
import type { Payment } from './payment.js';
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
import { paymentNotFound } from './payments.problems.js';

/** Payments of a store for its users (contract 3.11). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/payments')
@KnownQueriesOnly()
@ForStoreUsers()
export class StorePaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly settings: ServiceSettings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List payments of a store',
    description: `Newest first; \`status=review\` is the work list. ${METADATA_FILTER}`,
  })
  @ApiOkResponse({ type: PaymentPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: PaymentQuery): Promise<PaymentPage> {
    const page = await this.payments.listOfStore(store.id, paymentFilterOf(query), query);
    return { data: page.data.map((payment) => this.view(payment)), nextCursor: page.nextCursor };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a payment of a store' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the payment.' })
  @ApiOkResponse({ type: PaymentView })
  @ApiProblem(paymentNotFound)
  async get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentView> {
    return this.view(await this.payments.getOfStore(store.id, id));
  }

  @Post()
  @NeedsRole('reviewer')
  @ApiOperation({ summary: 'Create a payment', description: 'As the merchant’s backend does, for users.' })
  @ApiBody({ type: CreatePaymentBody, examples: CREATE_PAYMENT_EXAMPLES })
  @ApiCreatedResponse({ type: PaymentView, example: CREATED_PAYMENT_EXAMPLE })
  @ApiProblem(requestInvalid, storeArchived)
  async create(
    @CurrentStore() store: Store,
    @Body() body: CreatePaymentBody,
    @Req() request: FastifyRequest,
  ): Promise<PaymentView> {
    const input = newPaymentOf(body, request.rawBody ?? '{}');
    return this.view(await this.payments.create(store, input));
  }

  private view(payment: Payment): PaymentView {
    return paymentView(payment, this.settings.publicUrl);
  }
}
