import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceSettings } from '../platform/config/index.js';
import { BrandSettings } from '../platform/web/brand.settings.js';
import type { Asset } from '../platform/web/assets.js';
import { loadBrand, type LoadedBrand } from '../platform/web/load-brand.js';
import { languageFor, rememberLanguage, sendPage } from '../platform/web/send-page.js';
import type { MessagePages, PayerMessage } from '../platform/web/payer/payer-page.filter.js';
import { ASSETS_BASE, checkoutFiles, loadCheckoutAssets } from './page/checkout-assets.js';
import { renderCheckoutPage, renderNotFoundPage, renderUnavailablePage } from './page/checkout-page.js';
import type { CheckoutPageView } from './page/checkout-view.js';

/**
 * Made for one answer: its view is completed in place, because a copy of its thirty fields takes longer than any of
 * them.
 */
export interface CheckoutAnswer {
  readonly status: number;
  readonly secure: boolean;
  readonly view: Omit<CheckoutPageView, 'language' | 'files' | 'brand' | 'timeZone'>;
}

/** Renders the checkout page for a request, and holds its assets. */
@Injectable()
export class CheckoutPages implements MessagePages {
  private readonly assets = loadCheckoutAssets();
  private readonly files = checkoutFiles(this.assets);
  private readonly branded: LoadedBrand;

  constructor(
    private readonly service: ServiceSettings,
    brand: BrandSettings,
  ) {
    this.branded = loadBrand(brand, ASSETS_BASE);
  }

  async send(request: FastifyRequest, reply: FastifyReply, answer: CheckoutAnswer): Promise<void> {
    rememberLanguage(request, reply, answer.secure);
    const view = Object.assign(answer.view, {
      language: languageFor(request),
      timeZone: this.service.storeTimeZone,
      files: this.files,
      brand: this.branded.brand,
    });
    await sendPage(request, reply, answer.status, renderCheckoutPage(view));
  }

  async sendMessage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: PayerMessage,
  ): Promise<void> {
    const frame = { language: languageFor(request), files: this.files, brand: this.branded.brand };
    const page = message === 'not_found' ? renderNotFoundPage(frame) : renderUnavailablePage(frame, message);
    await sendPage(request, reply, status, page);
  }

  findAsset(name: string): Asset | null {
    return this.assets.get(name) ?? this.branded.assets.get(name) ?? null;
  }
}
