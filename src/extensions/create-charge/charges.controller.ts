import { Body, Controller, HttpCode, Post, Req, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceSettings } from '../../platform/config/index.js';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiInternalServerErrorResponse,
  ApiOkResponse,
  ApiOperation,
  ApiSecurity,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { FormBody } from '../../platform/http/index.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';
import { checkoutUrlOf } from '../../payments/index.js';
import { chargeOf } from './charge.js';
import { ChargeFilter } from './charge.filter.js';
import { type ChargeCaller, ChargeGuard, CurrentCaller } from './charge.guard.js';
import {
  CHARGE_ERROR_SCHEMA,
  CHARGE_SCHEMA,
  ChargeCreatedView,
  ChargeRedirectView,
  CheckoutRedirectBody,
  CreateChargeBody,
  VerifyChargeBody,
} from './charges.dto.js';
import { ChargesService } from './charges.service.js';

/** The API that shops of this market use already: they move by changing an address and a key (contract 13.35). */
@ApiTags('Create charge')
@ApiSecurity('createCharge')
@ApiBadRequestResponse({
  description: 'Whatever is wrong with the request, its key included.',
  schema: CHARGE_ERROR_SCHEMA,
})
@ApiInternalServerErrorResponse({ description: 'The service has failed.', schema: CHARGE_ERROR_SCHEMA })
@ApiServiceUnavailableResponse({
  description: 'The request cannot be served at this moment.',
  schema: CHARGE_ERROR_SCHEMA,
})
@Controller('api')
@UseGuards(ChargeGuard)
@UseFilters(ChargeFilter)
@FormBody()
export class ChargesController {
  constructor(
    private readonly charges: ChargesService,
    private readonly settings: ServiceSettings,
  ) {}

  @Post('create-charge')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Create a charge',
    description: 'A payment of the key’s store. Fields that are not known are ignored.',
  })
  @ApiBody({ type: CreateChargeBody })
  @ApiOkResponse({ type: ChargeCreatedView })
  async create(
    @CurrentCaller() caller: ChargeCaller,
    @Body() body: object,
    @Req() request: FastifyRequest,
  ): Promise<ChargeCreatedView> {
    return { status: true, ...(await this.charge(caller, body, request)) };
  }

  @Post('checkout/redirect')
  @HttpCode(200)
  @ApiOperation({ summary: 'Create a charge, in the newer spelling' })
  @ApiBody({ type: CheckoutRedirectBody })
  @ApiOkResponse({ type: ChargeRedirectView })
  async redirect(
    @CurrentCaller() caller: ChargeCaller,
    @Body() body: object,
    @Req() request: FastifyRequest,
  ): Promise<ChargeRedirectView> {
    return this.charge(caller, body, request);
  }

  @Post('verify-payment')
  @HttpCode(200)
  @ApiOperation({ summary: 'See what became of a charge' })
  @ApiBody({ type: VerifyChargeBody })
  @ApiOkResponse({ schema: CHARGE_SCHEMA })
  async verify(@CurrentCaller() caller: ChargeCaller, @Body() body: object): Promise<object> {
    return this.view(caller, body);
  }

  @Post('verify-payments')
  @HttpCode(200)
  @ApiOperation({ summary: 'The same under its older name' })
  @ApiBody({ type: VerifyChargeBody })
  @ApiOkResponse({ schema: CHARGE_SCHEMA })
  async verifyToo(@CurrentCaller() caller: ChargeCaller, @Body() body: object): Promise<object> {
    return this.view(caller, body);
  }

  private async charge(
    { store, apiKeyHeader }: ChargeCaller,
    body: object,
    { rawBody = '' }: FastifyRequest,
  ): Promise<ChargeRedirectView> {
    const { charge, payment } = chargeOf(asObject(body), rawBody);
    const { id } = await this.charges.create(store, payment, { ...charge, apiKeyHeader });
    return { pp_id: id, pp_url: checkoutUrlOf(id, this.settings.publicUrl) };
  }

  private view({ store }: ChargeCaller, body: object): Promise<object> {
    const { pp_id: id } = asObject(body) as { pp_id?: unknown };
    if (!isId(id)) throw invalidInput([{ pointer: '/pp_id', detail: 'must be the id of a charge' }]);
    return this.charges.view(store.id, id);
  }
}

function asObject(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw invalidInput([{ pointer: '', detail: 'must be an object' }]);
}
