import { wordsOf, type CheckoutWords } from './checkout-words.js';
import { type CheckoutAssetPaths, DEFAULT_ASSET_PATHS } from './checkout-assets.js';
import { renderCheckoutDocument, renderMessage } from './checkout-document.js';
import { DEFAULT_REDIRECT_AFTER_SECONDS, hasForm, type CheckoutPageView } from './checkout-view.js';
import { isUsedUp, limitedKind } from './entry-limit.js';
import type { PaymentStatus } from '../../payments/index.js';
import type { Brand } from '../../platform/web/brand.js';
import { html, NOTHING, type Markup } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import type { Language } from '../../platform/web/language.js';
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
 * The hosted checkout page (contract 5.22): pure functions from a view to a whole HTML document. They never throw for
 * odd data, escape by construction, and print neither inline scripts nor inline styles.
 */

const RENDERERS: Readonly<Record<PaymentStatus, (view: CheckoutPageView) => Markup>> = {
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
  // An extension's or a newer replica's state: whatever it means, nobody is asked for money for it.
  if (!Object.hasOwn(RENDERERS, view.status)) return renderUnknownState(view, words);
  const { status } = view;
  const limited = limitedKind(view);
  const limitedTitle = limited && !isUsedUp(view, limited) ? words.byHandTitle : words.limitedTitle;
  const notice = hasForm(status) ? NOTHING : renderNotice(view);
  return renderCheckoutDocument({
    language: view.language,
    title: `${limited ? limitedTitle : words.titles[status]} · ${view.storeName}`,
    shopName: view.storeName,
    brand: view.brand ?? null,
    assets: view.assets ?? DEFAULT_ASSET_PATHS,
    switchPath: checkoutPath({ id: view.id, language: otherLanguage(view.language) }),
    attributes: pageAttributes(view),
    content: html`${notice}${limited ? renderLimited(view, limited) : RENDERERS[status](view)}`,
    paymentNumber: status === 'verified' ? null : view.id,
  });
}

function renderUnknownState(view: CheckoutPageView, words: CheckoutWords): string {
  return renderCheckoutDocument({
    language: view.language,
    title: `${words.unknownHeading} · ${view.storeName}`,
    shopName: view.storeName,
    brand: view.brand ?? null,
    assets: view.assets ?? DEFAULT_ASSET_PATHS,
    switchPath: checkoutPath({ id: view.id, language: otherLanguage(view.language) }),
    attributes: pageAttributes(view),
    content: renderMessage(ICONS.unknown, words.unknownHeading, words.unknownLead, words.reviewNextPlain),
    paymentNumber: view.id,
  });
}

/** A page that stands for no payment, and so tells nothing about any. */
export interface MessagePageView {
  language: Language;
  brand?: Brand | null;
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
  return renderCheckoutDocument({
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
function pageAttributes(view: CheckoutPageView): Markup {
  return html`data-id="${view.id}" data-status="${view.status}" data-reason="${view.reviewReason ?? ''}"
  data-limited="${limitedAs(view)}" data-language="${view.language}" data-self="${checkoutPath(view)}"
  data-api="/api/v1/payments/public/${encodeURIComponent(view.id)}"
  data-server-time="${view.serverTime.getTime()}" data-expires-at="${view.expiresAt.getTime()}"
  data-verified-at="${view.verifiedAt?.getTime() ?? ''}"
  data-redirect-url="${returnAddress(view.redirectUrl, view.id) ?? ''}"
  data-redirect-seconds="${view.redirectAfterSeconds ?? DEFAULT_REDIRECT_AFTER_SECONDS}"`;
}

/** Which state of too many entries this is, for the script to see a change from one to the other. */
function limitedAs(view: CheckoutPageView): string {
  const kind = limitedKind(view);
  if (kind === null) return '';
  return isUsedUp(view, kind) ? kind : `${kind}-by-hand`;
}

function otherLanguage(language: Language): Language {
  return language === 'bn' ? 'en' : 'bn';
}
