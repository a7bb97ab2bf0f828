import { wordsOf, type CheckoutWords, type StatusWord } from './checkout-words.js';
import {
  DEFAULT_ASSET_PATHS,
  DEFAULT_REDIRECT_AFTER_SECONDS,
  STATES_WITH_FORM,
  type CheckoutAssetPaths,
  type CheckoutBrand,
  type CheckoutPageView,
} from './checkout-view.js';
import { limitedKind } from './entry-limit.js';
import { html, NOTHING, type Markup } from './html.js';
import { ICONS } from './icons.js';
import type { Language } from './language.js';
import { renderDocument, renderMessage } from './page-document.js';
import { returnAddress } from './return-address.js';
import {
  renderCancelled,
  renderExpired,
  renderLimited,
  renderNotice,
  renderPending,
  renderReview,
  renderSubmitted,
  renderVerified,
} from './state-sections.js';
import { checkoutPath } from './wallet-section.js';

/*
 * The hosted checkout page (decisions §5): pure functions from a view to a whole HTML document. They never throw for
 * odd data, escape by construction, and print neither inline scripts nor inline styles.
 */

/** Everything comes from this server, and nothing inline runs; to be sent with each of the page's answers. */
export const CHECKOUT_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const RENDERERS: Readonly<Record<StatusWord, (view: CheckoutPageView) => Markup>> = {
  pending: renderPending,
  submitted: renderSubmitted,
  verified: renderVerified,
  review: renderReview,
  expired: renderExpired,
  cancelled: renderCancelled,
};

/** The page for a payment in any of its states. */
export function renderCheckoutPage(view: CheckoutPageView): string {
  const words = wordsOf(view.language);
  const status = statusWord(view.status, words);
  const limited = limitedKind(view);
  const notice = STATES_WITH_FORM.includes(status) ? NOTHING : renderNotice(view);
  return renderDocument({
    language: view.language,
    title: `${limited ? words.limitedTitle : words.titles[status]} · ${view.storeName}`,
    shopName: view.storeName,
    brand: view.brand ?? null,
    assets: view.assets ?? DEFAULT_ASSET_PATHS,
    switchPath: checkoutPath({ id: view.id, language: otherLanguage(view.language) }),
    attributes: pageAttributes(view, status, words),
    content: html`${notice}${limited ? renderLimited(view, limited) : RENDERERS[status](view)}`,
    paymentNumber: status === 'verified' ? null : view.id,
  });
}

/** A page that stands for no payment, and so tells nothing about any. */
export interface MessagePageView {
  language: Language;
  brand?: CheckoutBrand | null;
  assets?: CheckoutAssetPaths;
}

/** The page for a payment id that does not exist; to be sent with status 404. */
export function renderNotFoundPage(view: MessagePageView): string {
  const words = wordsOf(view.language);
  const content = renderMessage(ICONS.unknown, words.notFoundTitle, words.notFoundLead, words.notFoundNext);
  return renderMessagePage(view, words.notFoundTitle, content);
}

/** The page for a moment in which the payment cannot be read (status 503) or is asked for too often (429). */
export function renderUnavailablePage(view: MessagePageView & { reason: 'unavailable' | 'busy' }): string {
  const words = wordsOf(view.language);
  const content = renderMessage(
    ICONS.alert,
    words.unavailableTitle,
    view.reason === 'busy' ? words.notices.busy : words.unavailableLead,
    words.unavailableNext,
  );
  return renderMessagePage(view, words.unavailableTitle, content);
}

function renderMessagePage(view: MessagePageView, title: string, content: Markup): string {
  return renderDocument({
    language: view.language,
    title,
    shopName: null,
    brand: view.brand ?? null,
    assets: view.assets ?? DEFAULT_ASSET_PATHS,
    switchPath: `?lang=${otherLanguage(view.language)}`,
    attributes: NOTHING,
    content,
    paymentNumber: null,
  });
}

/** Times are epoch milliseconds; the script counts by the server's clock, the phone's may be wrong. */
function pageAttributes(view: CheckoutPageView, status: StatusWord, words: CheckoutWords): Markup {
  const scriptWords = {
    ...words.script,
    notices: words.notices,
    headings: {
      pending: words.amountToPay,
      submitted: words.submittedHeading,
      verified: words.verifiedHeading,
      review: words.reviewHeading,
      expired: words.expiredHeading,
      cancelled: words.cancelledHeading,
    } satisfies Record<StatusWord, string>,
    titles: words.titles,
    staying: words.staying,
  };
  return html`data-id="${view.id}" data-status="${status}" data-reason="${view.reviewReason ?? ''}"
  data-limited="${limitedKind(view) ?? ''}" data-language="${view.language}" data-self="${checkoutPath(view)}"
  data-api="/api/v1/payments/public/${encodeURIComponent(view.id)}"
  data-server-time="${view.serverTime.getTime()}" data-expires-at="${view.expiresAt.getTime()}"
  data-verified-at="${view.verifiedAt?.getTime() ?? ''}"
  data-redirect-url="${returnAddress(view.redirectUrl, view.id) ?? ''}"
  data-redirect-seconds="${view.redirectAfterSeconds ?? DEFAULT_REDIRECT_AFTER_SECONDS}"
  data-words="${JSON.stringify(scriptWords)}"`;
}

function statusWord(status: string, words: CheckoutWords): StatusWord {
  return Object.hasOwn(words.titles, status) ? (status as StatusWord) : 'pending';
}

function otherLanguage(language: Language): Language {
  return language === 'bn' ? 'en' : 'bn';
}
