import { type Brand, brandStylesheetPath } from '../../platform/web/brand.js';
import { fillText, html, type Markup } from '../../platform/web/html.js';
import type { Language } from '../../platform/web/language.js';
import { renderDocument } from '../../platform/web/page-document.js';
import { LINK_ASSETS_BASE, type LinkAssetPaths } from './link-assets.js';
import { linkWordsOf } from './link-words.js';

const PRODUCT_NAME: Readonly<Record<Language, string>> = { bn: 'জমা', en: 'Joma' };

/** The frame of every page of a link. */
export interface LinkChrome {
  readonly language: Language;
  readonly assets: LinkAssetPaths;
  readonly brand: Brand;
}

export function renderLinkDocument(
  page: LinkChrome & { title: string; shopName: string | null; switchPath: string; content: Markup },
): string {
  const words = linkWordsOf(page.language);
  const brandPath = brandStylesheetPath(LINK_ASSETS_BASE, page.brand.colour);
  const operator = page.brand.name?.trim() || PRODUCT_NAME[page.language];
  return renderDocument({
    language: page.language,
    title: page.title,
    stylesheets: [page.assets.stylesheet, ...(brandPath === null ? [] : [brandPath])],
    script: null,
    icon: page.assets.icon,
    body: html`<a class="skip" href="#main">${words.skipToContent}</a>
      <div id="content">
        ${renderHeader(page, words.otherLanguageName)}
        <main id="main" tabindex="-1">${page.content}</main>
        <footer class="bottom"><p>${fillText(words.operatedBy, { name: operator })}</p></footer>
      </div>`,
  });
}

function renderHeader(
  page: LinkChrome & { shopName: string | null; switchPath: string },
  otherLanguageName: string,
): Markup {
  const initial = [...(page.shopName?.trim() ?? '')][0] ?? '';
  const logo = page.brand.logoUrl
    ? html`<img class="logo" src="${page.brand.logoUrl}" alt="" width="40" height="40" />`
    : html`<span class="logo" aria-hidden="true">${initial.toUpperCase()}</span>`;
  const other = page.language === 'bn' ? 'en' : 'bn';
  return html`<header class="top">
    ${page.shopName === null ? html`<p class="shop"></p>` : html`<p class="shop">${logo}<strong>${page.shopName}</strong></p>`}
    <a class="language" href="${page.switchPath}" lang="${other}" hreflang="${other}">${otherLanguageName}</a>
  </header>`;
}

/** A page that only says something. */
export function renderLinkMessage(
  chrome: LinkChrome,
  message: { shopName: string | null; icon: Markup; heading: string; lead: string; next: string },
): string {
  return renderLinkDocument({
    ...chrome,
    title: message.heading,
    shopName: message.shopName,
    switchPath: `?lang=${chrome.language === 'bn' ? 'en' : 'bn'}`,
    content: html`<section class="card status status-over">
      ${message.icon}
      <h1 id="state" tabindex="-1">${message.heading}</h1>
      <p class="lead">${message.lead}</p>
      <p>${message.next}</p>
    </section>`,
  });
}
