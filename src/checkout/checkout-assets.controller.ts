import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DomainError } from '../kernel/domain-error.js';
import { CheckoutPages } from './checkout-pages.js';
import { chooseCoding } from './page/checkout-assets.js';

/** Styles, script and icon of the checkout page. Their addresses change with their content, so they never go stale. */
@ApiExcludeController()
@Controller('pay/assets')
export class CheckoutAssetsController {
  constructor(private readonly pages: CheckoutPages) {}

  @Get(':name')
  get(
    @Param('name') name: string,
    @Headers('accept-encoding') acceptEncoding: string | undefined,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    const asset = this.pages.findAsset(name);
    if (asset === null)
      throw new DomainError('not_found', 'request.not_found', 'There is nothing at this address.');
    void reply
      .header('ETag', asset.etag)
      .header('Vary', 'Accept-Encoding')
      .header('Cache-Control', 'public, max-age=31536000, immutable');
    if (known === asset.etag) {
      void reply.status(304).send();
      return;
    }
    const coding = chooseCoding(acceptEncoding);
    if (coding !== 'identity') void reply.header('Content-Encoding', coding);
    void reply.type(asset.contentType).send(asset.bodies[coding]);
  }
}
