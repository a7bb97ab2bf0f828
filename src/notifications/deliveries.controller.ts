import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, KnownQueriesOnly, KnownQuery, NoBody } from '../platform/http/index.js';
import { CurrentStore, ForStoreKey, type Store } from '../stores/index.js';
import { DeliveryPage, deliveryPage, DeliveryQuery, DeliveryView, deliveryView } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { requestInvalid } from '../kernel/domain-error.js';
import { deliveryNotFound, eventBodyPruned } from './deliveries.problems.js';

/** A merchant's backend looks after its deliveries (contract 7.34). */
@ApiTags('Deliveries')
@Controller('api/v1/deliveries')
@KnownQueriesOnly()
@ForStoreKey()
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @ApiOperation({ summary: 'List deliveries', description: 'Of the key’s store, newest first.' })
  @ApiOkResponse({ type: DeliveryPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: DeliveryQuery): Promise<DeliveryPage> {
    return deliveryPage(await this.deliveries.list(store.id, query, query));
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a delivery' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: DeliveryView })
  @ApiProblem(deliveryNotFound)
  async get(@CurrentStore() store: Store, @Param('id') id: string): Promise<DeliveryView> {
    return deliveryView(await this.deliveries.get(store.id, id));
  }

  @NoBody()
  @Post(':id/redeliver')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a delivery again',
    description:
      'Whatever became of it; at once, under the same `webhook-id`, with a fresh schedule of retries.',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiAcceptedResponse({ type: DeliveryView })
  @ApiProblem(deliveryNotFound, eventBodyPruned)
  async redeliver(@CurrentStore() store: Store, @Param('id') id: string): Promise<DeliveryView> {
    return deliveryView(await this.deliveries.redeliver(store.id, id));
  }
}
