import { type Brand, brandStylesheetPath } from '../brand.js';
import { fillText, html, type Markup, NOTHING } from '../html.js';
import { type Language, otherLanguage } from '../language.js';
import { renderDocument } from '../page-document.js';
import { payerWordsOf } from './payer-words.js';

const PRODUCT_NAME: Readonly<Record<Language, string>> = { bn: 'জমা', en: 'Joma' };

/** The frame of every page for payers. */
export interface PayerFrame {
  readonly language: Language;
  /** Null is the product's own. */
  readonly brand: Brand | null;
  readonly files: PayerFiles;
}

export interface PayerFiles {
  /** Where the files are served, such as `/pay/assets`. */
  readonly base: string;
  readonly stylesheet: string;
  readonly icon: string;
}

export interface PayerPage extends PayerFrame {
  readonly title: string;
  /** Null where no shop is known. */
  readonly shopName: string | null;
  /** Leads to this page in the other language. */
  readonly switchPath: string;
  readonly skipToContent: string;
  readonly content: Markup;
  /** Stands in the footer above the operator's name. */
  readonly footer?: Markup;
  readonly script?: PageScript;
}

export interface PageScript {
  readonly path: string;
  /** Data for it, as `data-` attributes: a strict policy leaves no room for inline data. */
  readonly attributes: Markup;
}

/**
 * The document of a page for payers. The script exchanges what stands in `#content` and keeps the live regions outside
 * of it, because a region that comes together with its text is not read out.
 */
export function renderPayerPage(page: PayerPage): string {
  const brandPath = brandStylesheetPath(page.files.base, page.brand?.colour);
  const content = html`<div id="content">
    ${renderHeader(page)}
    <main id="main" tabindex="-1">${page.content}</main>
    ${renderFooter(page)}
  </div>`;
  return renderDocument({
    language: page.language,
    title: page.title,
    stylesheets: [page.files.stylesheet, ...(brandPath === null ? [] : [brandPath])],
    script: page.script?.path ?? null,
    icon: page.files.icon,
    body: html`<a class="skip" href="#main">${page.skipToContent}</a> ${
        page.script === undefined
          ? content
          : html`<div id="page" ${page.script.attributes}>
              <p class="connection" id="connection" role="status"></p>
              <p class="visually-hidden" id="live" role="status"></p>
              ${content}
            </div>`
      }`,
  });
}

function renderHeader(page: PayerPage): Markup {
  const initial = [...(page.shopName?.trim() ?? '')][0] ?? '';
  const logo = page.brand?.logoUrl
    ? html`<img class="logo" src="${page.brand.logoUrl}" alt="" width="40" height="40" />`
    : html`<span class="logo" aria-hidden="true">${initial.toUpperCase()}</span>`;
  const other = otherLanguage(page.language);
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
      ${payerWordsOf(page.language).otherLanguageName}</a
    >
  </header>`;
}

function renderFooter({ brand, language, footer = NOTHING }: PayerPage): Markup {
  const operator = brand?.name?.trim() || PRODUCT_NAME[language];
  return html`<footer class="bottom">
    ${footer}
    <p>${fillText(payerWordsOf(language).operatedBy, { name: operator })}</p>
  </footer>`;
}

export interface Message {
  readonly icon: Markup;
  readonly heading: string;
  readonly lead: string;
  readonly next: string;
}

/** A page that only says something: unknown link, service away. */
export function renderMessage({ icon, heading, lead, next }: Message): Markup {
  return html`<section class="card status status-over">
    ${icon}
    <h1 id="state" tabindex="-1">${heading}</h1>
    <p class="lead">${lead}</p>
    <p>${next}</p>
  </section>`;
}
