import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiExcludeController } from '../platform/http/index.js';
import { sendAsset } from '../platform/web/assets.js';
import { CheckoutPages } from './checkout-pages.js';

/** Styles, script and icon of the checkout page. Their addresses change with their content, so they never go stale. */
@ApiExcludeController()
@Controller('pay/assets')
export class CheckoutAssetsController {
  constructor(private readonly pages: CheckoutPages) {}

  @Get(':name')
  async get(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendAsset(request, reply, this.pages.findAsset(name));
  }
}
