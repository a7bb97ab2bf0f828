import { fillText, html } from '../../platform/web/html.js';
import type { Language } from '../../platform/web/language.js';
import { formatAmount } from '../../platform/web/numerals.js';
import { renderDocument } from '../../platform/web/page-document.js';
import { renderQrSvg } from '../../platform/web/qr-svg.js';
import type { LinkFiles } from './link-assets.js';
import { linkWordsOf } from './link-words.js';

export const POSTER_SIZES = ['a4', 'a5'] as const;
export type PosterSize = (typeof POSTER_SIZES)[number];

export interface PosterView {
  readonly language: Language;
  readonly files: LinkFiles;
  readonly size: PosterSize;
  readonly shop: string;
  readonly title: string;
  /** Minor units; null where the payer says how much. */
  readonly amountMinor: number | null;
  readonly currency: string;
  readonly url: string;
}

/** One sheet to print, with the link's QR code and the shop's name: what stands on a counter or in a parcel. */
export function renderPosterPage(view: PosterView): string {
  const words = linkWordsOf(view.language);
  const { poster } = words;
  const svg = renderQrSvg(view.url, fillText(poster.qrLabel, { name: view.shop }));
  return renderDocument({
    language: view.language,
    title: `${poster.title} · ${view.title} · ${view.shop}`,
    stylesheets: [view.files.stylesheet, view.files.poster],
    script: null,
    icon: view.files.icon,
    body: html`<main class="poster poster-${view.size}">
      <header>
        <h1 class="poster-shop">${view.shop}</h1>
        <p class="poster-title">${view.title}</p>
        ${
          view.amountMinor !== null &&
          html`<p class="poster-amount">${formatAmount(view.amountMinor, view.currency, view.language)}</p>`
        }
      </header>
      <p class="poster-scan">${poster.scan}</p>
      ${svg}
      <footer>
        <ol>
          ${poster.steps.map((step) => html`<li>${step}</li>`)}
        </ol>
        <p class="poster-url">
          <span class="poster-small">${poster.typeIt}</span><br />${view.url.replace(/^https?:\/\//, '')}
        </p>
      </footer>
    </main>`,
  });
}
