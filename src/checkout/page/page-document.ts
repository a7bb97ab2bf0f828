import { brandStylesheetPath } from './brand.js';
import { wordsOf, type CheckoutWords } from './checkout-words.js';
import type { CheckoutAssetPaths, CheckoutBrand } from './checkout-view.js';
import { fillText, html, NOTHING, type Markup } from './html.js';
import type { Language } from './language.js';
import { renderCopyButton } from './wallet-section.js';

const PRODUCT_NAME: Readonly<Record<Language, string>> = { bn: 'জমা', en: 'Joma' };

export interface PageDocument {
  language: Language;
  title: string;
  /** Null where no shop is known. */
  shopName: string | null;
  brand: CheckoutBrand | null;
  assets: CheckoutAssetPaths;
  /** Leads to this page in the other language. */
  switchPath: string;
  /** What the browser script needs, as `data-` attributes: a strict policy leaves no room for inline data. */
  attributes: Markup;
  content: Markup;
  paymentNumber: string | null;
}

/**
 * The document around every state. The script exchanges what stands in `#content` and keeps the live regions outside
 * of it, because a region that comes together with its text is not read out.
 */
export function renderDocument(page: PageDocument): string {
  const words = wordsOf(page.language);
  const brandPath = brandStylesheetPath(page.brand?.colour);
  return html`<!doctype html>
    <html lang="${page.language}">
      <head>
        <meta charset="utf-8" />
        <title>${page.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="same-origin" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="theme-color" content="#eaf0ec" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0e1412" media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="${page.assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${page.assets.stylesheet}" />
        ${brandPath ? html`<link rel="stylesheet" href="${brandPath}" />` : NOTHING}
        <script src="${page.assets.script}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${words.skipToContent}</a>
        <div id="page" ${page.attributes}>
          <p class="connection" id="connection" role="status"></p>
          <p class="visually-hidden" id="live" role="status"></p>
          <div id="content">
            ${renderHeader(page, words)}
            <main id="main" tabindex="-1">${page.content}</main>
            ${renderFooter(page, words)}
          </div>
        </div>
      </body>
    </html> `.toString();
}

function renderHeader(page: PageDocument, words: CheckoutWords): Markup {
  const initial = [...(page.shopName?.trim() ?? '')][0] ?? '';
  const logo = page.brand?.logoUrl
    ? html`<img class="logo" src="${page.brand.logoUrl}" alt="" width="40" height="40" />`
    : html`<span class="logo" aria-hidden="true">${initial.toUpperCase()}</span>`;
  const other = page.language === 'bn' ? 'en' : 'bn';
  return html`<header class="top">
    ${page.shopName === null ? html`<p class="shop"></p>` : html`<p class="shop">${logo}<strong>${page.shopName}</strong></p>`}
    <a
      class="language"
      id="language"
      href="${page.switchPath}"
      lang="${other}"
      hreflang="${other}"
      data-switch
    >
      ${words.otherLanguageName}</a
    >
  </header>`;
}

function renderFooter(page: PageDocument, words: CheckoutWords): Markup {
  const operator = page.brand?.name?.trim() || PRODUCT_NAME[page.language];
  return html`<footer class="bottom">
    ${
      page.paymentNumber === null
        ? NOTHING
        : html`<p class="payment-number">
            <span>${words.paymentNumber}</span>
            <span class="code small" translate="no">${page.paymentNumber}</span>
            ${renderCopyButton(page.paymentNumber, words.copyPaymentNumber, words)}
          </p>`
    }
    <p>${fillText(words.operatedBy, { name: operator })}</p>
  </footer>`;
}

/** A page that only says something: unknown link, service away. */
export function renderMessage(icon: Markup, heading: string, lead: string, next: string): Markup {
  return html`<section class="card status status-over">
    ${icon}
    <h1 id="state" tabindex="-1">${heading}</h1>
    <p class="lead">${lead}</p>
    <p>${next}</p>
  </section>`;
}
