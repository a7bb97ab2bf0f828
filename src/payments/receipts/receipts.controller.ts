import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, IdParameter, KnownQueriesOnly, KnownQuery } from '../../platform/http/index.js';
import { CurrentStore, ForStoreUsers, type Store } from '../../stores/index.js';
import { ReceiptPage, ReceiptQuery, ReceiptView, receiptView } from './receipts.dto.js';
import { ReceiptsService } from './receipts.service.js';
import { requestInvalid } from '../../kernel/domain-error.js';
import { receiptNotFound } from '../payments/payments.problems.js';

/** Receipts of a store for its users (contract 6.50). */
@ApiTags('Review')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/receipts')
@KnownQueriesOnly()
@ForStoreUsers()
export class StoreReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get()
  @ApiOperation({
    summary: 'List receipts of a store',
    description: 'Newest first; `status=unmatched` is money without a payment.',
  })
  @ApiOkResponse({ type: ReceiptPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: ReceiptQuery): Promise<ReceiptPage> {
    const page = await this.receipts.listOfStore(store.id, query.status, query);
    return { data: page.data.map(receiptView), nextCursor: page.nextCursor };
  }

  @Get(':receiptId')
  @ApiOperation({ summary: 'Get a receipt of a store' })
  @ApiParam({ name: 'receiptId', format: 'uuid', description: 'Id of the receipt.' })
  @ApiOkResponse({ type: ReceiptView })
  @ApiProblem(receiptNotFound)
  async get(
    @CurrentStore() store: Store,
    @Param('receiptId', IdParameter) receiptId: string,
  ): Promise<ReceiptView> {
    return receiptView(await this.receipts.getOfStore(store.id, receiptId));
  }
}
