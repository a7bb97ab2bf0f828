import { Body, Controller, Get, HttpCode, Ip, Param, Post, Query } from '@nestjs/common';
import { CurrentPerson, PEOPLE_FORBIDDEN, Person } from '../accounts/index.js';
import { Configuration } from '../config/index.js';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProblem, ApiTags, IdParameter } from '../http/index.js';
import { CurrentStore, ForStorePeople, NeedsRole, type Store } from '../stores/index.js';
import { paymentView } from './payments.dto.js';
import { ReceiptPage, ReceiptQuery, ReceiptView, receiptView } from './receipts.dto.js';
import { ReceiptsService } from './receipts.service.js';
import { MatchedReceiptView, MatchReceiptBody, ReceiptReasonBody } from './review.dto.js';
import { ReviewService } from './review.service.js';

/** Receipts of a store for its people (decisions §6). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/receipts')
@ForStorePeople()
export class StoreReceiptsController {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly review: ReviewService,
    private readonly configuration: Configuration,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List receipts of a store',
    description: 'Newest first; `status=unmatched` is money without a payment.',
  })
  @ApiOkResponse({ type: ReceiptPage })
  @ApiProblem(400)
  async list(@CurrentStore() store: Store, @Query() query: ReceiptQuery): Promise<ReceiptPage> {
    const page = await this.receipts.listOfStore(store.id, query.status, query);
    return { data: page.data.map(receiptView), nextCursor: page.nextCursor };
  }

  @Get(':receiptId')
  @ApiOperation({ summary: 'Get a receipt of a store' })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(404, 'receipt.not_found')
  async get(
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
  ): Promise<ReceiptView> {
    return receiptView(await this.receipts.getOfStore(store.id, receiptId));
  }

  @Post(':receiptId/void')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Void a receipt that no payment holds',
    description: 'Its money went back, or was for something else: it never pays anything again.',
  })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(...[400, 404, 'receipt.not_found', 409, 'receipt.claimed', 'receipt.ignored', 'receipt.void'])
  async void(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: ReceiptReasonBody,
  ): Promise<ReceiptView> {
    return receiptView(await this.review.void({ person, address }, store.id, receiptId, body.reason));
  }

  @Post(':receiptId/restore')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({ summary: 'Take back that a receipt was voided', description: 'It is free again.' })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(400, 404, 'receipt.not_found', 409, 'receipt.not_void')
  async restore(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: ReceiptReasonBody,
  ): Promise<ReceiptView> {
    return receiptView(await this.review.restore({ person, address }, store.id, receiptId, body.reason));
  }

  @Post(':receiptId/match')
  @NeedsRole('reviewer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Match an unclaimed receipt to a payment by hand',
    description: 'The payment is verified when the amounts are equal, and goes to review otherwise.',
  })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: MatchedReceiptView })
  @ApiProblem(
    ...[400, 403, ...PEOPLE_FORBIDDEN, 'simulate.disabled'],
    ...[404, 'receipt.not_found', 'payment.not_found'],
    ...[409, 'receipt.already_matched', 'receipt.ignored', 'receipt.void'],
    ...['payment.verified', 'payment.cancelled'],
  )
  async match(
    @CurrentPerson() person: Person,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
    @Body() body: MatchReceiptBody,
  ): Promise<MatchedReceiptView> {
    const { payment, receipt } = await this.review.match({ person, address }, store.id, receiptId, body);
    return { ...receiptView(receipt), payment: paymentView(payment, this.configuration.publicUrl) };
  }
}
