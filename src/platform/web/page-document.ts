import { html, type Markup } from './html.js';
import type { Language } from './language.js';

export interface PageDocument {
  readonly language: Language;
  readonly title: string;
  /** Addresses on this server, in their order. */
  readonly stylesheets: readonly string[];
  /** Null where a page needs none. */
  readonly script: string | null;
  readonly icon: string;
  readonly body: Markup;
}

/**
 * The document around every page of ours: no inline script or style, nothing from elsewhere, not for search engines.
 */
export function renderDocument(page: PageDocument): string {
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
        <link rel="icon" href="${page.icon}" type="image/svg+xml" />
        ${page.stylesheets.map((address) => html`<link rel="stylesheet" href="${address}" />`)}
        ${page.script !== null && html`<script src="${page.script}" defer></script>`}
      </head>
      <body>
        ${page.body}
      </body>
    </html> `.toString();
}
