import { type Brand, brandStylesheetPath } from '../../platform/web/brand.js';
import { renderCopyButton } from '../../platform/web/controls.js';
import { fillText, html, NOTHING, type Markup } from '../../platform/web/html.js';
import type { Language } from '../../platform/web/language.js';
import { renderDocument } from '../../platform/web/page-document.js';
import { ASSETS_BASE, type CheckoutAssetPaths } from './checkout-assets.js';
import { wordsOf, type CheckoutWords } from './checkout-words.js';

const PRODUCT_NAME: Readonly<Record<Language, string>> = { bn: 'জমা', en: 'Joma' };

export interface CheckoutDocument {
  language: Language;
  title: string;
  /** Null where no shop is known. */
  shopName: string | null;
  brand: Brand | null;
  assets: CheckoutAssetPaths;
  /** Leads to this page in the other language. */
  switchPath: string;
  /** Data for the browser script, as `data-` attributes: a strict policy leaves no room for inline data. */
  attributes: Markup;
  content: Markup;
  paymentNumber: string | null;
}

/**
 * The document around every state. The script exchanges what stands in `#content` and keeps the live regions outside
 * of it, because a region that comes together with its text is not read out.
 */
export function renderCheckoutDocument(page: CheckoutDocument): string {
  const words = wordsOf(page.language);
  const brandPath = brandStylesheetPath(ASSETS_BASE, page.brand?.colour);
  return renderDocument({
    language: page.language,
    title: page.title,
    stylesheets: [page.assets.stylesheet, ...(brandPath === null ? [] : [brandPath])],
    script: page.assets.script[page.language],
    icon: page.assets.icon,
    body: html`<a class="skip" href="#main">${words.skipToContent}</a>
      <div id="page" ${page.attributes}>
        <p class="connection" id="connection" role="status"></p>
        <p class="visually-hidden" id="live" role="status"></p>
        <div id="content">
          ${renderHeader(page, words)}
          <main id="main" tabindex="-1">${page.content}</main>
          ${renderFooter(page, words)}
        </div>
      </div>`,
  });
}

function renderHeader(page: CheckoutDocument, words: CheckoutWords): Markup {
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

function renderFooter(page: CheckoutDocument, words: CheckoutWords): Markup {
  const operator = page.brand?.name?.trim() || PRODUCT_NAME[page.language];
  return html`<footer class="bottom">
    ${
      page.paymentNumber === null
        ? NOTHING
        : html`<p class="payment-number">
            <span>${words.paymentNumber}</span>
            <span class="code small" translate="no">${page.paymentNumber}</span>
            ${renderCopyButton(page.paymentNumber, { copy: words.copy, label: words.copyPaymentNumber })}
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
