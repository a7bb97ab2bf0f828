import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { type Caller, CurrentCaller, CurrentUser, ForUsers, User } from '../accounts/index.js';
import { AuditEntryPage, AuditLog } from '../platform/audit/index.js';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiProblem,
  KnownQueriesOnly,
  KnownQuery,
  NoBody,
  type Page,
  PageQuery,
} from '../platform/http/index.js';
import { CurrentStore, ForStoreUsers, NeedsRole } from './credentials/store.guards.js';
import type { Store } from './store.js';
import {
  ApiKeyView,
  CREATE_STORE_EXAMPLES,
  CreatedStoreView,
  CreateStoreBody,
  SigningSecretView,
  StorePage,
  StoreView,
  storeChangesOf,
  UPDATE_STORE_EXAMPLES,
  UpdateStoreBody,
  walletOf,
  WebhookSecretView,
} from './stores.dto.js';
import { StoreSecrets } from './credentials/store-secrets.service.js';
import { StoreViews } from './store-views.js';
import { StoresService } from './stores.service.js';
import { WebhookEndpoint } from './endpoint/webhook-endpoint.service.js';
import { requestInvalid } from '../kernel/domain-error.js';
import { ownerInactive, storeArchived, tooManyStores, walletInUse } from './stores.problems.js';

/** Stores as users manage them (contract 2.25). */
@ApiTags('Stores')
@Controller('api/v1/stores')
@KnownQueriesOnly()
export class StoresController {
  constructor(
    private readonly stores: StoresService,
    private readonly views: StoreViews,
  ) {}

  @Post()
  @ForUsers()
  @ApiOperation({
    summary: 'Create a store',
    description: 'Answers with its three secrets. The API key is shown only now.',
  })
  @ApiBody({ type: CreateStoreBody, examples: CREATE_STORE_EXAMPLES })
  @ApiCreatedResponse({ type: CreatedStoreView })
  @ApiProblem(requestInvalid, ownerInactive, walletInUse, tooManyStores)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateStoreBody): Promise<CreatedStoreView> {
    const created = await this.stores.create(caller, { ...body, wallets: body.wallets?.map(walletOf) });
    const { apiKey, webhookSecret, signingSecret } = created;
    const view = await this.views.one(caller.user, created.store);
    return { ...view, apiKey, webhookSecret, signingSecret };
  }

  @Get()
  @ForUsers()
  @ApiOperation({
    summary: 'List stores',
    description: 'Own stores, or all of them for an admin; newest first.',
  })
  @ApiOkResponse({ type: StorePage })
  @ApiProblem(requestInvalid)
  async list(@CurrentUser() user: User, @KnownQuery() query: PageQuery): Promise<StorePage> {
    const page = await this.stores.listFor(user, query);
    return { data: await this.views.many(user, page.data), nextCursor: page.nextCursor };
  }
}

/** One store (contract 2.25). `:storeId` has been resolved to a store the user may see. */
@ApiTags('Stores')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId')
@KnownQueriesOnly()
@ForStoreUsers()
export class StoreController {
  constructor(
    private readonly stores: StoresService,
    private readonly secrets: StoreSecrets,
    private readonly endpoint: WebhookEndpoint,
    private readonly views: StoreViews,
    private readonly auditLog: AuditLog,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get a store' })
  @ApiOkResponse({ type: StoreView })
  get(@CurrentUser() user: User, @CurrentStore() store: Store): Promise<StoreView> {
    return this.views.one(user, store);
  }

  @Patch()
  @NeedsRole('manager')
  @ApiOperation({
    summary: 'Change a store',
    description: '`wallets` replaces the whole list; `webhookUrl: null` clears it.',
  })
  @ApiBody({ type: UpdateStoreBody, examples: UPDATE_STORE_EXAMPLES })
  @ApiOkResponse({ type: StoreView })
  @ApiProblem(requestInvalid, storeArchived, walletInUse)
  async update(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
    @Body() body: UpdateStoreBody,
  ): Promise<StoreView> {
    const changed = await this.stores.update(caller, store.id, storeChangesOf(body));
    return this.views.one(caller.user, changed);
  }

  @NoBody()
  @Delete()
  @NeedsRole('owner')
  @HttpCode(204)
  @ApiOperation({ summary: 'Archive a store', description: 'Nothing is erased; its secrets stop working.' })
  @ApiNoContentResponse()
  async archive(@CurrentCaller() caller: Caller, @CurrentStore() store: Store): Promise<void> {
    await this.stores.archive(caller, store.id);
  }

  @NoBody()
  @Post('webhook/resume')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send webhooks again',
    description: 'Ends the pause of the webhook URL, if there is one; held events go out now.',
  })
  @ApiOkResponse({ type: StoreView })
  @ApiProblem(storeArchived)
  async resumeWebhook(@CurrentCaller() caller: Caller, @CurrentStore() store: Store): Promise<StoreView> {
    return this.views.one(caller.user, await this.endpoint.resume(caller, store.id));
  }

  @NoBody()
  @Post('api-key/rotate')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({ summary: 'Rotate the API key', description: 'The old key is refused from now on.' })
  @ApiOkResponse({ type: ApiKeyView })
  @ApiProblem(storeArchived)
  async rotateApiKey(@CurrentCaller() caller: Caller, @CurrentStore() store: Store): Promise<ApiKeyView> {
    return { apiKey: await this.secrets.rotateApiKey(caller, store.id) };
  }

  @Get('webhook-secret')
  @NeedsRole('manager')
  @ApiOperation({
    summary: 'View the webhook secret',
    description: 'Every view is written to the audit log.',
  })
  @ApiOkResponse({ type: WebhookSecretView })
  async webhookSecret(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
  ): Promise<WebhookSecretView> {
    return { webhookSecret: await this.secrets.reveal(caller, store.id, 'webhook_secret') };
  }

  @NoBody()
  @Post('webhook-secret/regenerate')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Regenerate the webhook secret',
    description: 'The phone needs the new one at once.',
  })
  @ApiOkResponse({ type: WebhookSecretView })
  @ApiProblem(storeArchived)
  async regenerateWebhookSecret(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
  ): Promise<WebhookSecretView> {
    return { webhookSecret: await this.secrets.regenerateWebhookSecret(caller, store.id) };
  }

  @Get('signing-secret')
  @NeedsRole('manager')
  @ApiOperation({
    summary: 'View the Standard Webhooks signing secret',
    description: 'Every view is written to the audit log.',
  })
  @ApiOkResponse({ type: SigningSecretView })
  async signingSecret(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
  ): Promise<SigningSecretView> {
    return { signingSecret: await this.secrets.reveal(caller, store.id, 'signing_secret') };
  }

  @NoBody()
  @Post('signing-secret/rotate')
  @NeedsRole('manager')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Rotate the signing secret',
    description: 'The old one keeps signing beside it for 24 h.',
  })
  @ApiOkResponse({ type: SigningSecretView })
  @ApiProblem(storeArchived)
  async rotateSigningSecret(
    @CurrentCaller() caller: Caller,
    @CurrentStore() store: Store,
  ): Promise<SigningSecretView> {
    return { signingSecret: await this.secrets.rotateSigningSecret(caller, store.id) };
  }

  @Get('audit-log')
  @NeedsRole('manager')
  @ApiOperation({ summary: 'Read the audit log of a store', description: 'Newest first; it can only grow.' })
  @ApiOkResponse({ type: AuditEntryPage })
  @ApiProblem(requestInvalid)
  async audit(@CurrentStore() store: Store, @KnownQuery() query: PageQuery): Promise<Page<unknown>> {
    return this.auditLog.listOfStore(store.id, query);
  }
}
