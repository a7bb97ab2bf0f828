import { Controller, Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Asset, sendAsset } from './assets.js';

/** The provider of a feature that holds its files. */
export interface AssetHolder {
  findAsset(name: string): Asset | null;
}

/** The controller that serves a feature's files under `path`. Their addresses change with their content. */
export function assetsController(path: string, holder: Type<AssetHolder>): Type {
  @ApiExcludeController()
  @Controller(path)
  class AssetsController {
    constructor(@Inject(holder) private readonly files: AssetHolder) {}

    @Get(':name')
    async get(
      @Param('name') name: string,
      @Req() request: FastifyRequest,
      @Res() reply: FastifyReply,
    ): Promise<void> {
      await sendAsset(request, reply, this.files.findAsset(name));
    }
  }
  return AssetsController;
}
