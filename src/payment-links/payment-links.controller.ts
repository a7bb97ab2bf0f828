import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Header,
  Ip,
  Param,
  Patch,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentUser, User } from '../accounts/index.js';
import { ServiceSettings } from '../platform/config/index.js';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProblem,
  ApiProduces,
  ApiTags,
  IdParameter,
  PageQuery,
} from '../platform/http/index.js';
import {
  CurrentStore,
  ForStoreKey,
  ForStoreUsers,
  NeedsRole,
  type Store,
  storeArchived,
} from '../stores/index.js';
import { LinkPages } from './link-pages.js';
import {
  CREATE_LINK_EXAMPLES,
  CreatePaymentLinkBody,
  linkChangesOf,
  newLinkOf,
  PaymentLinkPage,
  PaymentLinkView,
  paymentLinkView,
  UpdatePaymentLinkBody,
} from './payment-links.dto.js';
import { type LinkMaker, PaymentLinksService } from './payment-links.service.js';
import { requestInvalid } from '../kernel/domain-error.js';
import { linkNotFound, linkSlugTaken } from './payment-links.problems.js';

const LINK_ID = { name: 'id', format: 'uuid', description: 'Id of the payment link.' } as const;
const SVG = 'image/svg+xml';

const ApiCreateLink = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Create a payment link',
      description: 'Whoever opens `url` pays: for a shop without a website it is the whole integration.',
    }),
    ApiBody({ type: CreatePaymentLinkBody, examples: CREATE_LINK_EXAMPLES }),
    ApiCreatedResponse({ type: PaymentLinkView }),
    ApiProblem(requestInvalid, linkSlugTaken, storeArchived),
  );

const ApiListLinks = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'List payment links', description: 'Newest first.' }),
    ApiOkResponse({ type: PaymentLinkPage }),
    ApiProblem(requestInvalid),
  );

const ApiGetLink = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Get a payment link' }),
    ApiParam(LINK_ID),
    ApiOkResponse({ type: PaymentLinkView }),
    ApiProblem(linkNotFound),
  );

const ApiUpdateLink = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Change a payment link',
      description: '`active: false` switches it off; null clears what may be absent.',
    }),
    ApiParam(LINK_ID),
    ApiOkResponse({ type: PaymentLinkView }),
    ApiProblem(requestInvalid, linkNotFound, storeArchived),
  );

const ApiLinkQr = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'The QR code of a payment link', description: 'An SVG, to print.' }),
    ApiParam(LINK_ID),
    ApiProduces(SVG),
    ApiOkResponse({ content: { [SVG]: { schema: { type: 'string' } } } }),
    ApiProblem(linkNotFound),
  );

/** The routes of both controllers, each with its own credential. */
class LinksDoor {
  constructor(
    private readonly links: PaymentLinksService,
    private readonly publicUrl: string,
  ) {}

  async create(
    maker: LinkMaker,
    store: Store,
    body: CreatePaymentLinkBody,
    request: FastifyRequest,
  ): Promise<PaymentLinkView> {
    const input = newLinkOf(body, request.rawBody ?? '{}');
    return paymentLinkView(await this.links.create(maker, store, input), this.publicUrl);
  }

  async list(store: Store, query: PageQuery): Promise<PaymentLinkPage> {
    const page = await this.links.listOfStore(store.id, query);
    const data = page.data.map((link) => paymentLinkView(link, this.publicUrl));
    return { data, nextCursor: page.nextCursor };
  }

  async get(store: Store, id: string): Promise<PaymentLinkView> {
    return paymentLinkView(await this.links.getOfStore(store.id, id), this.publicUrl);
  }

  async update(
    maker: LinkMaker,
    store: Store,
    id: string,
    body: UpdatePaymentLinkBody,
  ): Promise<PaymentLinkView> {
    return paymentLinkView(await this.links.update(maker, store, id, linkChangesOf(body)), this.publicUrl);
  }
}

/** Payment links for a merchant's backend (contract 11.1). */
@ApiTags('Payment links')
@Controller('api/v1/payment-links')
@ForStoreKey()
export class PaymentLinksController {
  private readonly door: LinksDoor;

  constructor(
    private readonly links: PaymentLinksService,
    private readonly pages: LinkPages,
    settings: ServiceSettings,
  ) {
    this.door = new LinksDoor(links, settings.publicUrl);
  }

  @Post()
  @ApiCreateLink()
  create(
    @CurrentStore() store: Store,
    @Body() body: CreatePaymentLinkBody,
    @Req() request: FastifyRequest,
  ): Promise<PaymentLinkView> {
    return this.door.create(null, store, body, request);
  }

  @Get()
  @ApiListLinks()
  list(@CurrentStore() store: Store, @Query() query: PageQuery): Promise<PaymentLinkPage> {
    return this.door.list(store, query);
  }

  @Get(':id')
  @ApiGetLink()
  get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentLinkView> {
    return this.door.get(store, id);
  }

  @Patch(':id')
  @ApiUpdateLink()
  update(
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: UpdatePaymentLinkBody,
  ): Promise<PaymentLinkView> {
    return this.door.update(null, store, id, body);
  }

  @Get(':id/qr')
  @Header('Content-Type', SVG)
  @ApiLinkQr()
  async qr(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<string> {
    return this.pages.qrOf(await this.links.getOfStore(store.id, id));
  }
}

/** Payment links for the users of a store (contract 11.1). */
@ApiTags('Payment links')
@ApiParam({ name: 'storeId', format: 'uuid', description: 'Id of the store.' })
@Controller('api/v1/stores/:storeId/payment-links')
@ForStoreUsers()
export class StorePaymentLinksController {
  private readonly door: LinksDoor;

  constructor(
    private readonly links: PaymentLinksService,
    private readonly pages: LinkPages,
    settings: ServiceSettings,
  ) {
    this.door = new LinksDoor(links, settings.publicUrl);
  }

  @Post()
  @NeedsRole('reviewer')
  @ApiCreateLink()
  create(
    @CurrentUser() user: User,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Body() body: CreatePaymentLinkBody,
    @Req() request: FastifyRequest,
  ): Promise<PaymentLinkView> {
    return this.door.create({ user, address }, store, body, request);
  }

  @Get()
  @ApiListLinks()
  list(@CurrentStore() store: Store, @Query() query: PageQuery): Promise<PaymentLinkPage> {
    return this.door.list(store, query);
  }

  @Get(':id')
  @ApiGetLink()
  get(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<PaymentLinkView> {
    return this.door.get(store, id);
  }

  @Patch(':id')
  @NeedsRole('reviewer')
  @ApiUpdateLink()
  update(
    @CurrentUser() user: User,
    @Ip() address: string,
    @CurrentStore() store: Store,
    @Param('id', IdParameter) id: string,
    @Body() body: UpdatePaymentLinkBody,
  ): Promise<PaymentLinkView> {
    return this.door.update({ user, address }, store, id, body);
  }

  @Get(':id/qr')
  @Header('Content-Type', SVG)
  @ApiLinkQr()
  async qr(@CurrentStore() store: Store, @Param('id', IdParameter) id: string): Promise<string> {
    return this.pages.qrOf(await this.links.getOfStore(store.id, id));
  }
}
