import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Headers,
  Ip,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, User } from '../../accounts/index.js';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProblem,
  ApiTags,
  IdParameter,
  PageQuery,
} from '../../platform/http/index.js';
import { RawJson, stringifyJson } from '../../kernel/raw-json.js';
import { CurrentStore, ForStoreKey, ForStoreUsers, NeedsRole, type Store } from '../../stores/index.js';
import {
  ApiIdempotencyKey,
  IDEMPOTENCY_REPLAYED,
  idempotencyKeyOf,
} from '../payments/idempotency/idempotency-key.js';
import { newRefundOf, RecordRefundBody, RefundPage, RefundView, refundView } from './refunds.dto.js';
import { type Recorder, RefundsService } from './refunds.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import {
  idempotencyInProgress,
  idempotencyKeyReused,
  paymentNotFound,
} from '../payments/payments.problems.js';
import { paymentNotVerified, refundTooMuch, refundTrxIdUsed } from './refunds.problems.js';

const PAYMENT_ID = { name: 'id', format: 'uuid', description: 'Id of the payment.' } as const;

function ApiRecordRefund(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Record a refund',
      description:
        'Money goes back in the wallet’s app, by hand; here it is written down. With a `trxId` the phone’s message about ' +
        'it confirms the refund, whichever comes first. Sends `payment.refunded`.',
    }),
    ApiParam(PAYMENT_ID),
    ApiIdempotencyKey(),
    ApiCreatedResponse({ type: RefundView, headers: IDEMPOTENCY_REPLAYED }),
    ApiProblem(
      requestInvalid,
      paymentNotFound,
      paymentNotVerified,
      refundTooMuch,
      refundTrxIdUsed,
      idempotencyInProgress,
      idempotencyKeyReused,
    ),
  );
}

function ApiListRefunds(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'List the refunds of a payment', description: 'Newest first.' }),
    ApiParam(PAYMENT_ID),
    ApiOkResponse({ type: RefundPage }),
    ApiProblem(requestInvalid, paymentNotFound),
  );
}

/** The routes of both controllers, each with its own credential. */
class RefundsDoor {
  constructor(private readonly refunds: RefundsService) {}

  async record(
    recorder: Recorder,
    store: Store,
    paymentId: string,
    body: RecordRefundBody,
    exchange: { key: string | undefined; request: FastifyRequest; reply: FastifyReply },
  ): Promise<RefundView | RawJson> {
    const input = newRefundOf(body);
    const key = idempotencyKeyOf(exchange.key);
    if (key === null) return refundView(await this.refunds.record(recorder, store.id, paymentId, input));
    const { answer, replayed } = await this.refunds.recordOnce(recorder, store.id, paymentId, input, {
      key,
      path: `payments/${paymentId}/refunds`,
      body: exchange.request.rawBody ?? '{}',
      present: (refund) => stringifyJson(refundView(refund)),
    });
    if (replayed) void exchange.reply.header('Idempotency-Replayed', 'true');
    return new RawJson(answer);
  }

  async list(store: Store, paymentId: string, query: PageQuery): Promise<RefundPage> {
    const page = await this.refunds.listOfPayment(store.id, paymentId, query);
    return { data: page.data.map(refundView), nextCursor: page.nextCursor };
  }
}

/** Refunds for a merchant's backend (contract 12.1). */
@ApiTags('Refunds')
@Controller('api/v1/payments/:id/refunds')
@ForStoreKey()
export class RefundsController {
  private readonly door: RefundsDoor;

  constructor(refunds: RefundsService) {
    this.door = new RefundsDoor(refunds);
  }

  @Post()
  @ApiRecordRefund()
  record(
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: RecordRefundBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RefundView | RawJson> {
    return this.door.record(null, store, id, body, { key, request, reply });
  }

  @Get()
  @ApiListRefunds()
  list(
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Query() query: PageQuery,
  ): Promise<RefundPage> {
    return this.door.list(store, id, query);
  }
}

/** Refunds for the users of a store (contract 12.1). */
@ApiTags('Refunds')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/payments/:id/refunds')
@ForStoreUsers()
export class StoreRefundsController {
  private readonly door: RefundsDoor;

  constructor(refunds: RefundsService) {
    this.door = new RefundsDoor(refunds);
  }

  @Post()
  @NeedsRole('reviewer')
  @ApiRecordRefund()
  record(
    @CurrentUser() user: User,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: RecordRefundBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RefundView | RawJson> {
    return this.door.record({ user, address }, store, id, body, { key, request, reply });
  }

  @Get()
  @ApiListRefunds()
  list(
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Query() query: PageQuery,
  ): Promise<RefundPage> {
    return this.door.list(store, id, query);
  }
}
