import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblem, KnownQueriesOnly, KnownQuery, NoBody } from '../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole, ownerInactive, type Store } from '../stores/index.js';
import {
  DeliveryPage,
  deliveryPage,
  DeliveryQuery,
  DeliveryView,
  deliveryView,
  WebhookTestView,
  webhookTestView,
} from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { ReplayBody, ReplayView, replayView } from './replays/replays.dto.js';
import { ReplaysService } from './replays/replays.service.js';
import { WebhookTestService } from './sending/webhook-test.service.js';
import { requestInvalid } from '../kernel/domain-error.js';
import {
  deliveryNotFound,
  eventBodyPruned,
  replayNotFound,
  replayRunning,
  webhookTestBusy,
  webhookUrlMissing,
} from './deliveries.problems.js';

/** Users look after a store's deliveries (contract 7.35). `:storeId` has been resolved to a store they may see. */
@ApiTags('Deliveries')
@ApiParam({ name: 'storeId', format: 'uuid' })
@Controller('api/v1/stores/:storeId')
@KnownQueriesOnly()
@ForStoreUsers()
export class StoreDeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly webhookTest: WebhookTestService,
  ) {}

  @Get('deliveries')
  @ApiOperation({ summary: 'List the deliveries of a store', description: 'Newest first.' })
  @ApiOkResponse({ type: DeliveryPage })
  @ApiProblem(requestInvalid)
  async list(@CurrentStore() store: Store, @KnownQuery() query: DeliveryQuery): Promise<DeliveryPage> {
    return deliveryPage(await this.deliveries.list(store.id, query, query));
  }

  @Get('deliveries/:id')
  @ApiOperation({ summary: 'Get a delivery of a store' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: DeliveryView })
  @ApiProblem(deliveryNotFound)
  async get(@CurrentStore() store: Store, @Param('id') id: string): Promise<DeliveryView> {
    return deliveryView(await this.deliveries.get(store.id, id));
  }

  @NoBody()
  @Post('deliveries/:id/redeliver')
  @NeedsRole('reviewer')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a delivery of a store again',
    description:
      'Whatever became of it; at once, under the same `webhook-id`, with a fresh schedule of retries.',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiAcceptedResponse({ type: DeliveryView })
  @ApiProblem(deliveryNotFound, eventBodyPruned)
  async redeliver(@CurrentStore() store: Store, @Param('id') id: string): Promise<DeliveryView> {
    return deliveryView(await this.deliveries.redeliver(store.id, id));
  }

  @Post('deliveries/replay')
  @NeedsRole('reviewer')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a range of deliveries again',
    description:
      'In the order of their events, each under its own `webhook-id` with a fresh schedule, some hundred at a time behind ' +
      'new events. It goes on whatever happens to this server.',
  })
  @ApiAcceptedResponse({ type: ReplayView })
  @ApiProblem(requestInvalid, replayRunning)
  async replay(@CurrentStore() store: Store, @Body() body: ReplayBody): Promise<ReplayView> {
    const { since, until, only = 'failed' } = body;
    const range = { since: new Date(since), until: until == null ? undefined : new Date(until) };
    return replayView(await this.replays.start(store.id, { ...range, only }));
  }

  @Get('deliveries/replay/:id')
  @ApiOperation({ summary: 'See how far a replay has come' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: ReplayView })
  @ApiProblem(replayNotFound)
  async replayProgress(@CurrentStore() store: Store, @Param('id') id: string): Promise<ReplayView> {
    return replayView(await this.replays.get(store.id, id));
  }

  @NoBody()
  @Post('webhook/test')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test event',
    description:
      'One signed `webhook.test` to the webhook URL, now. It is not retried, and what the receiver answers is the answer.',
  })
  @ApiOkResponse({ type: WebhookTestView })
  @ApiProblem(ownerInactive, webhookUrlMissing, webhookTestBusy)
  async test(@CurrentStore() store: Store): Promise<WebhookTestView> {
    if (!store.ownerActive) throw ownerInactive();
    return webhookTestView(await this.webhookTest.send(store));
  }
}
