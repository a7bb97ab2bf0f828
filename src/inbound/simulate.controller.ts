import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentUser, ForUsers, User } from '../accounts/index.js';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem, forbidden } from '../platform/http/index.js';
import { requestInvalid } from '../kernel/domain-error.js';
import { roleRequired, type Store, storeArchived, storeNotFound, StoresService } from '../stores/index.js';
import { ReceiptResultView, SIMULATE_EXAMPLES, SimulateBody } from './inbound.dto.js';
import { Simulations } from './simulations.js';
import { storeRequired } from './inbound.problems.js';
import { simulationDisabled } from '../payments/index.js';

/** Simulated receipts, for trying things out (specification §2.4, contract 6.43). */
@ApiTags('Simulation')
@Controller('api/webhooks/simulate')
@ForUsers()
export class SimulateController {
  constructor(
    private readonly simulations: Simulations,
    private readonly stores: StoresService,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Simulate a receipt',
    description: 'It, and a payment it verifies, are marked `simulated`.',
  })
  @ApiBody({ type: SimulateBody, examples: SIMULATE_EXAMPLES })
  @ApiOkResponse({ type: ReceiptResultView })
  @ApiProblem(
    requestInvalid,
    storeRequired,
    forbidden,
    roleRequired,
    simulationDisabled,
    storeNotFound,
    storeArchived,
  )
  async simulate(
    @CurrentUser() user: User,
    @Body() body: SimulateBody,
    @Req() request: FastifyRequest,
  ): Promise<ReceiptResultView> {
    const store = await this.storeOf(user, body.storeId);
    return this.simulations.simulate(store, body, request.rawBody ?? '');
  }

  private async storeOf(user: User, storeId: string | null | undefined): Promise<Store> {
    const wanted = storeId ?? (await this.stores.findOnlyStoreOf(user))?.id;
    if (wanted !== undefined) return this.stores.getFor(user, wanted, 'reviewer');
    throw storeRequired();
  }
}
