import { wordsOf, type CheckoutWords } from './checkout-words.js';
import { type CheckoutFrame, renderCheckoutDocument } from './checkout-document.js';
import { DEFAULT_REDIRECT_AFTER_SECONDS, hasForm, type CheckoutPageView } from './checkout-view.js';
import { isUsedUp, limitedKind } from './entry-limit.js';
import type { PaymentStatus } from '../../payments/index.js';
import { html, NOTHING, type Markup } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { otherLanguage } from '../../platform/web/language.js';
import { type Message, renderMessage } from '../../platform/web/payer/payer-page.js';
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
  return renderCheckoutDocument(view, {
    title: `${limited ? limitedTitle : words.titles[status]} · ${view.storeName}`,
    shopName: view.storeName,
    switchPath: checkoutPath({ id: view.id, language: otherLanguage(view.language) }),
    attributes: pageAttributes(view),
    content: html`${notice}${limited ? renderLimited(view, limited) : RENDERERS[status](view)}`,
    paymentNumber: status === 'verified' ? null : view.id,
  });
}

function renderUnknownState(view: CheckoutPageView, words: CheckoutWords): string {
  const { unknownHeading: heading, unknownLead: lead, reviewNextPlain: next } = words;
  return renderCheckoutDocument(view, {
    title: `${heading} · ${view.storeName}`,
    shopName: view.storeName,
    switchPath: checkoutPath({ id: view.id, language: otherLanguage(view.language) }),
    attributes: pageAttributes(view),
    content: renderMessage({ icon: ICONS.unknown, heading, lead, next }),
    paymentNumber: view.id,
  });
}

/** The page for a payment id that does not exist; to be sent with status 404. */
export function renderNotFoundPage(frame: CheckoutFrame): string {
  const { notFoundTitle: heading, notFoundLead: lead, notFoundNext: next } = wordsOf(frame.language);
  return renderMessagePage(frame, { icon: ICONS.unknown, heading, lead, next });
}

/** The page for a moment in which the payment cannot be read (status 503) or is asked for too often (429). */
export function renderUnavailablePage(frame: CheckoutFrame, reason: 'unavailable' | 'busy'): string {
  const words = wordsOf(frame.language);
  return renderMessagePage(frame, {
    icon: ICONS.alert,
    heading: words.unavailableTitle,
    lead: reason === 'busy' ? words.busy : words.unavailableLead,
    next: words.unavailableNext,
  });
}

/** A page that stands for no payment, and so tells nothing about any. */
function renderMessagePage(frame: CheckoutFrame, message: Message): string {
  return renderCheckoutDocument(frame, {
    title: message.heading,
    shopName: null,
    switchPath: `?lang=${otherLanguage(frame.language)}`,
    attributes: NOTHING,
    content: renderMessage(message),
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
