import { renderNotice } from '../../platform/web/controls.js';
import { fillText, html, NOTHING, type Markup } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { type Language, otherLanguage } from '../../platform/web/language.js';
import { formatAmount, localDigits, plainAmount } from '../../platform/web/numerals.js';
import { readProducts, renderProductLines } from '../../platform/web/product-list.js';
import type { ClosedReason } from '../payment-link.js';
import {
  type Message,
  type PayerFrame,
  renderMessage,
  renderPayerPage,
} from '../../platform/web/payer/payer-page.js';
import type { LinkField, LinkProblems, TypedLinkForm } from './link-form.js';
import { type LinkWords, linkWordsOf } from './link-words.js';

/*
 * The pages of a payment link (contract 11.7): pure functions from a view to a whole HTML document, which never throw
 * for odd data, escape by construction, and need no script.
 */

/** More than this many lines of an order are folded away at first, so that the form stays in sight. */
const OPEN_PRODUCT_LINES = 3;
const LONG_AMOUNT_CHARACTERS = 11;

export interface LinkPageView extends PayerFrame {
  readonly slug: string;
  readonly storeName: string;
  readonly title: string;
  readonly note: string | null;
  /** As the merchant sent it; any shape is survived. */
  readonly products: unknown;
  /** Minor units; null where the payer says how much. */
  readonly amountMinor: number | null;
  readonly minAmountMinor: number | null;
  readonly maxAmountMinor: number | null;
  readonly currency: string;
  readonly askName: boolean;
  readonly askPhone: boolean;
  /** Goes back with the form, so that one that is sent twice is known. */
  readonly token: string;
  readonly typed: TypedLinkForm | null;
  readonly problems: LinkProblems;
}

export function renderLinkPage(view: LinkPageView): string {
  const words = linkWordsOf(view.language);
  const hasProblems = Object.keys(view.problems).length > 0;
  return renderPayerPage({
    ...{ language: view.language, brand: view.brand, files: view.files },
    skipToContent: words.skipToContent,
    title: `${view.title} · ${view.storeName}`,
    shopName: view.storeName,
    switchPath: `/l/${view.slug}?lang=${otherLanguage(view.language)}`,
    content: html`${hasProblems && renderNotice(words.checkFields)}
      <section class="card summary">
        <h1 id="state" tabindex="-1">${view.title}</h1>
        ${view.amountMinor !== null && renderFixedAmount(view.amountMinor, view, words)}
        ${view.note ? html`<p class="note"><span class="label">${words.note}</span> ${view.note}</p>` : NOTHING}
        ${renderProducts(view, words)}
      </section>
      ${renderForm(view, words)}`,
  });
}

function renderFixedAmount(amountMinor: number, view: LinkPageView, words: LinkWords): Markup {
  const amount = formatAmount(amountMinor, view.currency, view.language);
  return html`<p class="link-amount">
    <span class="label">${words.amountToPay}</span>
    <span class="amount ${amount.length > LONG_AMOUNT_CHARACTERS && 'amount-long'}">${amount}</span>
  </p>`;
}

function renderProducts(view: LinkPageView, words: LinkWords): Markup {
  const lines = readProducts(view.products);
  if (lines.length === 0) return NOTHING;
  return html`<details class="products" ${lines.length <= OPEN_PRODUCT_LINES && html`open`}>
    <summary>${fillText(words.products, { count: localDigits(lines.length, view.language) })}</summary>
    ${renderProductLines(lines, view.currency, view.language, words)}
  </details>`;
}

function renderForm(view: LinkPageView, words: LinkWords): Markup {
  return html`<form
    class="card link-form"
    method="post"
    action="/l/${view.slug}?lang=${view.language}"
    novalidate
  >
    <input type="hidden" name="form" value="${view.token}" />
    ${view.amountMinor === null && renderAmountField(view, words)}
    ${
      view.askName &&
      renderField(view, words, {
        field: 'name',
        label: words.nameLabel,
        attributes: html`autocomplete="name" maxlength="200"`,
      })
    }
    ${
      view.askPhone &&
      renderField(view, words, {
        field: 'phone',
        label: words.phoneLabel,
        attributes: html`type="tel" inputmode="tel" autocomplete="tel" maxlength="32"`,
      })
    }
    <button class="primary" type="submit">${words.submit}</button>
    <p class="hint">${words.next}</p>
  </form>`;
}

function renderAmountField(view: LinkPageView, words: LinkWords): Markup {
  return renderField(view, words, {
    field: 'amount',
    label: `${words.amountLabel} (${view.currency === 'BDT' ? '৳' : view.currency})`,
    hint: rangeText(view, words),
    attributes: html`inputmode="decimal" autocomplete="off" maxlength="20"`,
  });
}

function renderField(
  view: LinkPageView,
  words: LinkWords,
  options: { field: LinkField; label: string; hint?: string | null; attributes: Markup },
): Markup {
  const { field, label, hint = null, attributes } = options;
  const problem = view.problems[field];
  const described = [hint === null ? '' : `${field}-hint`, problem === undefined ? '' : `${field}-error`]
    .filter((id) => id !== '')
    .join(' ');
  return html`<div class="field">
    <label for="${field}">${label}</label>
    ${hint !== null && html`<p class="hint" id="${field}-hint">${hint}</p>`}
    <input
      id="${field}"
      name="${field}"
      value="${view.typed?.[field] ?? ''}"
      required
      ${attributes}
      ${described !== '' && html`aria-describedby="${described}"`}
      ${problem !== undefined && html`aria-invalid="true"`}
    />
    ${
      problem !== undefined &&
      html`<p class="error" id="${field}-error">
        ${ICONS.alert}<span
          >${fillText(words.problems[problem], { range: rangeText(view, words) ?? '' })}</span
        >
      </p>`
    }
  </div>`;
}

/** The bounds in words, or null where there are none. */
function rangeText(view: LinkPageView, words: LinkWords): string | null {
  const { minAmountMinor, maxAmountMinor } = view;
  const amount = (minor: number) => formatAmount(minor, view.currency, view.language);
  if (minAmountMinor !== null && maxAmountMinor !== null)
    return fillText(words.amountBetween, { min: amount(minAmountMinor), max: amount(maxAmountMinor) });
  if (minAmountMinor !== null) return fillText(words.amountFrom, { min: amount(minAmountMinor) });
  return maxAmountMinor === null ? null : fillText(words.amountTo, { max: amount(maxAmountMinor) });
}

/** For a link that takes no payments: to be sent with 410. */
export function renderClosedLinkPage(
  view: PayerFrame & { storeName: string; title: string; reason: ClosedReason },
): string {
  const { closedTitle, closedNext: next } = linkWordsOf(view.language);
  const message = { icon: ICONS.clock, heading: closedTitle[view.reason], lead: view.title, next };
  return renderMessagePage(view, message, view.storeName);
}

/** For an address that has too many open payments of this link: to be sent with 429. */
export function renderTooManyOpenPage(view: PayerFrame & { storeName: string }): string {
  const { tooManyTitle: heading, tooManyLead: lead, tooManyNext: next } = linkWordsOf(view.language);
  return renderMessagePage(view, { icon: ICONS.alert, heading, lead, next }, view.storeName);
}

export function renderUnknownLinkPage(frame: PayerFrame): string {
  const { notFoundTitle: heading, notFoundLead: lead, notFoundNext: next } = linkWordsOf(frame.language);
  return renderMessagePage(frame, { icon: ICONS.unknown, heading, lead, next }, null);
}

/** For a moment in which the link cannot be read (503) or is asked for too often (429). */
export function renderUnavailableLinkPage(frame: PayerFrame, reason: 'unavailable' | 'busy'): string {
  const words = linkWordsOf(frame.language);
  const message = {
    icon: ICONS.alert,
    heading: words.unavailableTitle,
    lead: reason === 'busy' ? words.busy : words.unavailableLead,
    next: words.unavailableNext,
  };
  return renderMessagePage(frame, message, null);
}

function renderMessagePage(
  { language, brand, files }: PayerFrame,
  message: Message,
  shopName: string | null,
): string {
  return renderPayerPage({
    ...{ language, brand, files, shopName },
    title: message.heading,
    switchPath: `?lang=${otherLanguage(language)}`,
    skipToContent: linkWordsOf(language).skipToContent,
    content: renderMessage(message),
  });
}

/** The text that a shop sends to a customer with the link. */
export function shareText(
  link: { title: string; amountMinor: number | null; currency: string; url: string; shop: string },
  language: Language,
): string {
  const { share } = linkWordsOf(language);
  const { title, url, shop } = link;
  if (link.amountMinor === null) return fillText(share.free, { shop, title, url });
  const amount =
    language === 'bn'
      ? formatAmount(link.amountMinor, link.currency, 'bn')
      : `${link.currency} ${plainAmount(link.amountMinor)}`;
  return fillText(share.fixed, { shop, title, amount, url });
}
