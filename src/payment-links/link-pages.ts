import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { ServiceSettings } from '../platform/config/index.js';
import { BrandSettings } from '../platform/web/brand.settings.js';
import type { Asset } from '../platform/web/assets.js';
import type { Language } from '../platform/web/language.js';
import { loadBrand, type LoadedBrand } from '../platform/web/load-brand.js';
import { qrFile } from '../platform/web/qr-svg.js';
import { languageFor, rememberLanguage, sendPage } from '../platform/web/send-page.js';
import { LINK_ASSETS_BASE, linkFiles, loadLinkAssets } from './page/link-assets.js';
import type { PayerFrame } from '../platform/web/payer/payer-page.js';
import type { MessagePages, PayerMessage } from '../platform/web/payer/payer-page.filter.js';
import type { LinkProblems, TypedLinkForm } from './page/link-form.js';
import {
  renderClosedLinkPage,
  renderLinkPage,
  renderTooManyOpenPage,
  renderUnavailableLinkPage,
  renderUnknownLinkPage,
  shareText,
} from './page/link-page.js';
import { type PosterSize, renderPosterPage } from './page/poster-page.js';
import { type ClosedReason, linkUrlOf, type PaymentLink } from './payment-link.js';
import type { OpenedLink } from './link-payments.service.js';

const TOKEN_BYTES = 18;

type Shop = { readonly name: string; readonly currency: string };

/**
 * Renders the pages of payment links, and holds their assets. Shops get the link's code, poster and share texts here.
 */
@Injectable()
export class LinkPages implements MessagePages {
  private readonly assets = loadLinkAssets();
  private readonly files = linkFiles(this.assets);
  private readonly branded: LoadedBrand;
  private readonly publicUrl: string;
  private readonly secure: boolean;

  constructor({ publicUrl }: ServiceSettings, brand: BrandSettings) {
    this.branded = loadBrand(brand, LINK_ASSETS_BASE);
    this.publicUrl = publicUrl;
    this.secure = publicUrl.startsWith('https:');
  }

  /** The form; with what was typed wrong it is a 400. */
  async sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { link, store }: OpenedLink,
    again: { typed: TypedLinkForm; problems: LinkProblems } | null,
  ): Promise<void> {
    rememberLanguage(request, reply, this.secure);
    const page = renderLinkPage({
      ...this.frame(request),
      ...link,
      storeName: store.name,
      currency: store.currency,
      products: link.products === null ? null : (JSON.parse(link.products.text) as unknown),
      token: randomBytes(TOKEN_BYTES).toString('base64url'),
      typed: again?.typed ?? null,
      problems: again?.problems ?? {},
    });
    await sendPage(request, reply, again === null ? 200 : 400, page);
  }

  async sendClosed(
    request: FastifyRequest,
    reply: FastifyReply,
    { link, store }: OpenedLink,
    reason: ClosedReason,
  ): Promise<void> {
    rememberLanguage(request, reply, this.secure);
    const page = renderClosedLinkPage({
      ...this.frame(request),
      storeName: store.name,
      title: link.title,
      reason,
    });
    await sendPage(request, reply, 410, page);
  }

  async sendTooManyOpen(
    request: FastifyRequest,
    reply: FastifyReply,
    { store }: OpenedLink,
    retryAfterSeconds: number,
  ): Promise<void> {
    void reply.header('Retry-After', String(retryAfterSeconds));
    const page = renderTooManyOpenPage({ ...this.frame(request), storeName: store.name });
    await sendPage(request, reply, 429, page);
  }

  async sendMessage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: PayerMessage,
  ): Promise<void> {
    const frame = this.frame(request);
    const page =
      message === 'not_found' ? renderUnknownLinkPage(frame) : renderUnavailableLinkPage(frame, message);
    await sendPage(request, reply, status, page);
  }

  findAsset(name: string): Asset | null {
    return this.assets.get(name) ?? this.branded.assets.get(name) ?? null;
  }

  /** The link's QR code as an SVG file of its own. */
  qrOf(link: Pick<PaymentLink, 'slug'>): string {
    const file = qrFile(linkUrlOf(link.slug, this.publicUrl));
    if (file === null) throw new Error('The address of a link fits into a code.');
    return file;
  }

  /** A sheet to print, as a whole page. */
  posterOf(
    link: Pick<PaymentLink, 'slug' | 'title' | 'amountMinor'>,
    shop: Shop,
    size: PosterSize,
    language: Language,
  ): string {
    const { title, amountMinor } = link;
    const url = linkUrlOf(link.slug, this.publicUrl);
    const { name, currency } = shop;
    return renderPosterPage({
      language,
      files: this.files,
      size,
      shop: name,
      title,
      amountMinor,
      currency,
      url,
    });
  }

  /** The text that a shop sends to a customer with the link. */
  shareTextOf(
    link: Pick<PaymentLink, 'slug' | 'title' | 'amountMinor'>,
    shop: Shop,
    language: Language,
  ): string {
    const { title, amountMinor } = link;
    const url = linkUrlOf(link.slug, this.publicUrl);
    return shareText({ title, amountMinor, url, currency: shop.currency, shop: shop.name }, language);
  }

  private frame(request: FastifyRequest): PayerFrame {
    return { language: languageFor(request), files: this.files, brand: this.branded.brand };
  }
}
