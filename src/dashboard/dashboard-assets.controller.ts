import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiExcludeController } from '../platform/http/index.js';
import { sendAsset } from '../platform/web/assets.js';
import { DashboardLayout } from './kit/layout.js';

/** Styles, script and icon of the dashboard, at addresses that change with their content. */
@ApiExcludeController()
@Controller('dashboard/assets')
export class DashboardAssetsController {
  constructor(private readonly layout: DashboardLayout) {}

  @Get(':name')
  async get(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendAsset(request, reply, this.layout.findAsset(name));
  }
}
