import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Configuration } from '../config/index.js';
import { loadBrand, type LoadedBrand } from './checkout-brand.js';
import {
  type CheckoutAsset,
  checkoutAssetPaths,
  chooseCoding,
  encodePage,
  loadCheckoutAssets,
} from './page/checkout-assets.js';
import {
  CHECKOUT_CONTENT_SECURITY_POLICY,
  renderCheckoutPage,
  renderNotFoundPage,
  renderUnavailablePage,
} from './page/checkout-page.js';
import type { CheckoutPageView } from './page/checkout-view.js';
import { chooseLanguage, type Language, languageCookie, languageOf } from './page/language.js';

export interface CheckoutAnswer {
  readonly status: number;
  readonly secure: boolean;
  readonly view: Omit<CheckoutPageView, 'language' | 'assets' | 'brand'>;
}

/** Renders the checkout page for a request, and holds its assets. */
@Injectable()
export class CheckoutPages {
  private readonly assets = loadCheckoutAssets();
  private readonly paths = checkoutAssetPaths(this.assets);
  private readonly branded: LoadedBrand;

  constructor(configuration: Configuration) {
    this.branded = loadBrand(configuration.checkoutBrand);
  }

  async send(request: FastifyRequest, reply: FastifyReply, answer: CheckoutAnswer): Promise<void> {
    const language = languageFor(request);
    const chosen = languageOf((request.query as { lang?: unknown }).lang);
    if (chosen !== null) void reply.header('Set-Cookie', languageCookie(chosen, answer.secure));
    const page = renderCheckoutPage({
      ...answer.view,
      language,
      assets: this.paths,
      brand: this.branded.brand,
    });
    await this.sendPage(request, reply, answer.status, page);
  }

  async sendMessage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: 'not_found' | 'unavailable' | 'busy',
  ): Promise<void> {
    const view = { language: languageFor(request), assets: this.paths, brand: this.branded.brand };
    const page =
      message === 'not_found'
        ? renderNotFoundPage(view)
        : renderUnavailablePage({ ...view, reason: message });
    await this.sendPage(request, reply, status, page);
  }

  findAsset(name: string): CheckoutAsset | null {
    return this.assets.get(name) ?? this.branded.assets.get(name) ?? null;
  }

  private async sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    page: string,
  ): Promise<void> {
    const coding = chooseCoding(request.headers['accept-encoding']);
    if (coding !== 'identity') void reply.header('Content-Encoding', coding);
    void reply
      .status(status)
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', CHECKOUT_CONTENT_SECURITY_POLICY)
      .header('Cache-Control', 'no-store')
      .header('Vary', 'Accept-Encoding, Accept-Language, Cookie')
      .send(await encodePage(page, coding));
  }
}

function languageFor(request: FastifyRequest): Language {
  return chooseLanguage({
    query: (request.query as { lang?: unknown }).lang,
    cookie: request.headers.cookie,
    acceptLanguage: request.headers['accept-language'],
  });
}
