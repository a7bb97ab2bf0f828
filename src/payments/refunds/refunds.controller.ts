import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Headers,
  Injectable,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CallerIfUser } from '../../accounts/index.js';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiProblem,
  IdParameter,
  KnownQueriesOnly,
  KnownQuery,
  PageQuery,
} from '../../platform/http/index.js';
import { RawJson, stringifyJson } from '../../kernel/raw-json.js';
import {
  CurrentStore,
  ForStoreKey,
  ForStoreUsers,
  type RouteDecorators,
  type Store,
  UNDER_A_STORE,
} from '../../stores/index.js';
import {
  ApiIdempotencyKey,
  IDEMPOTENCY_REPLAYED,
  idempotencyKeyOf,
} from '../payments/idempotency/idempotency-key.js';
import { newRefundOf, RecordRefundBody, RefundPage, RefundView, refundView } from './refunds.dto.js';
import { RefundsService } from './refunds.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import {
  idempotencyInProgress,
  idempotencyKeyReused,
  paymentNotFound,
} from '../payments/payments.problems.js';
import { paymentNotVerified, refundTooMuch, refundTrxIdUsed } from './refunds.problems.js';

const PAYMENT_ID = { name: 'id', format: 'uuid', description: 'Id of the payment.' } as const;

/** The routes of refunds. Two controllers mount them, each with its own credential. */
function refundRoutes({ each = [], changing = [] }: RouteDecorators = {}) {
  @Injectable()
  class RefundRoutes {
    constructor(readonly refunds: RefundsService) {}

    @Post()
    @applyDecorators(...each, ...changing)
    @ApiOperation({
      summary: 'Record a refund',
      description:
        'Money goes back in the wallet’s app, by hand; here it is written down. With a `trxId` the phone’s message about ' +
        'it confirms the refund, whichever comes first. Sends `payment.refunded`.',
    })
    @ApiParam(PAYMENT_ID)
    @ApiIdempotencyKey()
    @ApiCreatedResponse({ type: RefundView, headers: IDEMPOTENCY_REPLAYED })
    @ApiProblem(
      ...[requestInvalid, paymentNotFound, paymentNotVerified, refundTooMuch, refundTrxIdUsed],
      ...[idempotencyInProgress, idempotencyKeyReused],
    )
    async record(
      @CallerIfUser() recorder: Caller | null,
      @CurrentStore() store: Store,
      @Param('id', IdParameter) paymentId: string,
      @Body() body: RecordRefundBody,
      @Headers('idempotency-key') givenKey: string | undefined,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<RefundView | RawJson> {
      const input = newRefundOf(body);
      const key = idempotencyKeyOf(givenKey);
      if (key === null) return refundView(await this.refunds.record(recorder, store.id, paymentId, input));
      const { answer, replayed } = await this.refunds.recordOnce(recorder, store.id, paymentId, input, {
        key,
        path: `payments/${paymentId}/refunds`,
        body: request.rawBody ?? '{}',
        present: (refund) => stringifyJson(refundView(refund)),
      });
      if (replayed) void reply.header('Idempotency-Replayed', 'true');
      return new RawJson(answer);
    }

    @Get()
    @applyDecorators(...each)
    @ApiOperation({ summary: 'List the refunds of a payment', description: 'Newest first.' })
    @ApiParam(PAYMENT_ID)
    @ApiOkResponse({ type: RefundPage })
    @ApiProblem(requestInvalid, paymentNotFound)
    async list(
      @CurrentStore() store: Store,
      @Param('id', IdParameter) paymentId: string,
      @KnownQuery() query: PageQuery,
    ): Promise<RefundPage> {
      const { data, nextCursor } = await this.refunds.listOfPayment(store.id, paymentId, query);
      return { data: data.map(refundView), nextCursor };
    }
  }
  return RefundRoutes;
}

/** Refunds for a merchant's backend (contract 12.1). */
@ApiTags('Refunds')
@Controller('api/v1/payments/:id/refunds')
@KnownQueriesOnly()
@ForStoreKey()
export class RefundsController extends refundRoutes() {}

/** Refunds for the users of a store (contract 12.1). */
@ApiTags('Refunds')
@Controller('api/v1/stores/:storeId/payments/:id/refunds')
@KnownQueriesOnly()
@ForStoreUsers()
export class StoreRefundsController extends refundRoutes(UNDER_A_STORE) {}
