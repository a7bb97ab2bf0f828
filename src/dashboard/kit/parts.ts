import type { Page } from '../../platform/http/index.js';
import type { PaymentStatus } from '../../payments/index.js';
import { html, type Markup, NOTHING, type Printable } from '../../platform/web/html.js';
import { findWallet } from '../../wallets/index.js';
import type { Visit } from './visit.js';
import { statusWords, WORDS } from './words.js';

/* Parts that several pages show. */

/** How a state looks: the words say what it is, the colour only helps. */
const TONES: Readonly<Record<PaymentStatus, string>> = {
  pending: 'plain',
  submitted: 'busy',
  verified: 'good',
  review: 'look',
  expired: 'over',
  cancelled: 'over',
};

export function renderStatus(visit: Visit, status: PaymentStatus): Markup {
  return renderBadge(visit.say(statusWords(status)), Object.hasOwn(TONES, status) ? TONES[status] : 'plain');
}

export function renderBadge(text: string, tone: string): Markup {
  return html`<span class="badge-word tone-${tone}">${text}</span>`;
}

export function renderMoney(visit: Visit, amountMinor: number, currency: string): Markup {
  return html`<span class="money">${visit.money(amountMinor, currency)}</span>`;
}

export function renderCode(text: string | null): Markup | null {
  return text === null || text === '' ? null : html`<span class="code" translate="no">${text}</span>`;
}

export function renderTime(visit: Visit, instant: Date | null): Markup | null {
  if (instant === null) return null;
  return html`<time datetime="${instant.toISOString()}">${visit.instant(instant)}</time>`;
}

/** The name of a wallet as users know it; of an unknown one, its code. */
export function walletName(visit: Visit, provider: string | null): string | null {
  if (provider === null) return null;
  return findWallet(provider)?.names[visit.language] ?? provider;
}

/** Terms and their values; what is not known is left out. */
export function renderFacts(rows: readonly (readonly [term: string, value: Printable])[]): Markup {
  const known = rows.filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && value !== false,
  );
  if (known.length === 0) return NOTHING;
  return html`<dl class="facts">
    ${known.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Renders an empty list: what it would hold, and what to do next. */
export function renderEmpty(text: string, next: Printable = NOTHING): Markup {
  return html`<section class="card empty">
    <p>${text}</p>
    ${next}
  </section>`;
}

export interface Row {
  readonly href: string;
  /** The value that readers look for first. */
  readonly main: Printable;
  readonly aside?: Printable;
  readonly below?: Printable;
  /** A second way to go, beside the row: links cannot stand in a link. */
  readonly also?: { readonly href: string; readonly text: string };
}

/** A list whose rows lead to pages: large enough for a thumb, one column at any width. */
export function renderRows(rows: readonly Row[]): Markup {
  return html`<ul class="rows">
    ${rows.map(
      ({ href, main, aside, below, also }) =>
        html`<li>
          <a href="${href}">
            <span class="row-main">${main}</span>
            ${aside !== undefined && html`<span class="row-aside">${aside}</span>`}
            ${below !== undefined && html`<span class="row-below">${below}</span>`}
          </a>
          ${also !== undefined && html`<a class="row-also" href="${also.href}">${also.text}</a>`}
        </li>`,
    )}
  </ul>`;
}

/** The way to the next page of a list, and back to its start. */
export function renderPager(visit: Visit, { nextCursor }: Pick<Page<unknown>, 'nextCursor'>): Markup {
  const [path = '', query = ''] = visit.request.url.split('?', 2);
  const address = (cursor: string | null): string => {
    const parameters = new URLSearchParams(query);
    parameters.delete('done');
    if (cursor === null) parameters.delete('cursor');
    else parameters.set('cursor', cursor);
    return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  };
  const isLater = visit.query('cursor') !== '';
  if (nextCursor === null && !isLater) return NOTHING;
  return html`<nav class="pager buttons" aria-label="${visit.say(WORDS.pagesOfList)}">
    ${isLater && html`<a class="quiet" href="${address(null)}">${visit.say(WORDS.first)}</a>`}
    ${nextCursor !== null && html`<a class="quiet" rel="next" href="${address(nextCursor)}">${visit.say(WORDS.next)}</a>`}
  </nav>`;
}
