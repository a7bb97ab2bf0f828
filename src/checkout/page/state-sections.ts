import { noticeText, wordsOf, type CheckoutWords, type ReviewWord } from './checkout-words.js';
import { DEFAULT_REDIRECT_AFTER_SECONDS, type CheckoutPageView } from './checkout-view.js';
import { isUsedUp, takesSubmissions } from './entry-limit.js';
import { renderCopyButton, renderNotice as renderNoticeBox } from '../../platform/web/controls.js';
import { fillSlots, fillText, html, NOTHING, webAddress, type Markup } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { formatCountdown, formatInstant } from '../../platform/web/local-time.js';
import { formatAmount, localDigits, plainAmount } from '../../platform/web/numerals.js';
import { readProducts, renderProductLines } from '../../platform/web/product-list.js';
import { returnAddress } from './return-address.js';
import { findWallet, type PayerEntry } from '../../wallets/index.js';
import { checkoutPath, LONG_AMOUNT_CHARACTERS, renderWallets, walletName } from './wallet-section.js';

/** More than this many lines of an order are folded away at first, so that the wallets stay in sight. */
const OPEN_PRODUCT_LINES = 2;

/** Waiting for the payment: what to pay, and how. */
export function renderPending(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  return html`<div class="columns">
      <section class="card summary">
        ${renderAmountHeading(view, words)} ${renderOddAmount(view, words)} ${renderTimeLeft(view, words)}
        ${renderOrder(view, words)}
      </section>
      <section class="card pay">${renderWallets(view, 'steps')}</section>
    </div>
    ${renderShopLink(view, words)}`;
}

function renderAmountHeading(view: CheckoutPageView, words: CheckoutWords): Markup {
  return html`<div class="amount-row">
    <h1 id="state" tabindex="-1">
      <span class="label">${words.amountToPay}</span>
      ${renderAmount(view)}
    </h1>
    ${renderCopyButton(plainAmount(view.payAmountMinor), { copy: words.copy, label: words.copyAmount })}
  </div>`;
}

/** Why the amount is not the price: who leaves the poisha away is not found by itself. */
function renderOddAmount(view: CheckoutPageView, words: CheckoutWords): Markup {
  const { amountMinor, payAmountMinor } = view;
  if (payAmountMinor === amountMinor) return NOTHING;
  const money = (minor: number) => formatAmount(minor, view.currency, view.language);
  const slots = {
    pay: money(payAmountMinor),
    price: money(amountMinor),
    more: money(payAmountMinor - amountMinor),
  };
  return html`<p class="odd-amount">${fillText(words.oddAmount, slots)}</p>`;
}

/** Large, and a little smaller where it would not fit into one line of a small phone. */
function renderAmount(view: CheckoutPageView): Markup {
  const amount = formatAmount(view.payAmountMinor, view.currency, view.language);
  return html`<span class="amount ${amount.length > LONG_AMOUNT_CHARACTERS && 'amount-long'}"
    >${amount}</span
  >`;
}

/** A clock time for everyone; the script puts the running countdown in its place. */
function renderTimeLeft(view: CheckoutPageView, words: CheckoutWords): Markup {
  const leftMs = view.expiresAt.getTime() - view.serverTime.getTime();
  return html`<p class="time-left">
    ${ICONS.clock}
    <span data-without-script
      >${words.payBefore}
      <strong>${formatInstant(view.expiresAt, view.language, view.timeZone, view.serverTime)}</strong></span
    >
    <span data-countdown-row hidden
      >${words.timeLeft}
      <strong role="timer" aria-live="off" data-countdown
        >${formatCountdown(leftMs, view.language, words.script.days)}</strong
      ></span
    >
  </p>`;
}

function renderOrder(view: CheckoutPageView, words: CheckoutWords): Markup {
  const lines = readProducts(view.products);
  return html`${view.note ? html`<p class="note"><span class="label">${words.note}</span> ${view.note}</p>` : NOTHING}
  ${
    lines.length > 0 &&
    html`<details class="products" ${lines.length <= OPEN_PRODUCT_LINES && html`open`}>
      <summary>${fillText(words.products, { count: localDigits(lines.length, view.language) })}</summary>
      ${renderProductLines(lines, view.currency, view.language, words)}
    </details>`
  }`;
}

/** Something was submitted, and the wallet's message has not come yet. */
export function renderSubmitted(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  return html`<section class="card status status-waiting">
      ${withOrWithoutScript(ICONS.waiting, ICONS.clock)}
      <h1 id="state" tabindex="-1">${words.submittedHeading}</h1>
      <p class="lead">${view.phoneQuiet ? words.submittedLeadQuiet : words.submittedLead}</p>
      ${textWithOrWithoutScript(words.submittedKeep, words.submittedKeepPlain)}
      ${view.lookAlike ? html`<p class="doubt">${words.lookAlikeDoubt}</p>` : renderShapeDoubt(view, words)}
      ${renderFacts(view, words, ['amount', 'wallet', 'entry'])}
      <a class="button quiet" id="check" href="${checkoutPath(view)}" data-check>${words.checkNow}</a>
    </section>
    <details class="card fold" data-long>
      <summary>${words.longTitle}</summary>
      <ul>
        <li>${words.longCheckEntry}</li>
        <li>${words.longReceiver}</li>
        <li>${words.longContact}</li>
      </ul>
    </details>
    <details class="card fold" data-again ${view.notice ? html`open` : NOTHING}>
      <summary>${words.sendAnother}</summary>
      ${renderWallets(view, 'steps')}
    </details>
    ${renderShopLink(view, words)}`;
}

/** The page changes by itself where the script runs; where it does not, it must not say so, and says what to do. */
function withOrWithoutScript(live: Markup, plain: Markup): Markup {
  return html`<div data-with-script hidden>${live}</div>
    <div data-without-script>${plain}</div>`;
}

function textWithOrWithoutScript(live: string, plain: string): Markup {
  return withOrWithoutScript(html`<p>${live}</p>`, html`<p>${plain}</p>`);
}

/** Too many entries of a kind: new ones are for a user, then none is taken. What was entered before goes on waiting. */
export function renderLimited(view: CheckoutPageView, kind: PayerEntry): Markup {
  const words = wordsOf(view.language);
  const waits = view.status === 'submitted';
  const isOver = isUsedUp(view, kind);
  return html`<section class="card status status-review">
      ${ICONS.alert}
      <h1 id="state" tabindex="-1">${isOver ? words.limitedHeading : words.byHandHeading}</h1>
      <p class="lead">${waits ? words.limitedLead : words.limitedLeadUnpaid}</p>
      <p>${isOver ? words.limitedWhy[kind] : words.byHandWhy[kind]}</p>
      ${waits && textWithOrWithoutScript(words.limitedKeep, words.submittedKeepPlain)}
      ${isOver && html`<p>${words.limitedNext}</p>`}
      ${renderFacts(view, words, ['amount', 'wallet', 'entry'])}
      ${
        waits &&
        html`<a class="button quiet" id="check" href="${checkoutPath(view)}" data-check>${words.checkNow}</a>`
      }
    </section>
    ${
      takesSubmissions(view) &&
      html`<details class="card fold" data-again ${view.notice ? html`open` : NOTHING}>
        <summary>${isOver ? words.limitedOther : words.byHandAgain}</summary>
        ${renderWallets(view, 'steps')}
      </details>`
    }
    ${renderShopLink(view, words)}`;
}

/** A transaction id of an unusual shape is taken all the same; the payer is asked to compare it. */
function renderShapeDoubt(view: CheckoutPageView, words: CheckoutWords): Markup {
  const { provider, trxId } = view.submitted ?? {};
  const shape = provider ? findWallet(provider)?.trxId : null;
  if (!provider || !trxId || !shape || new RegExp(`^(?:${shape.pattern})$`).test(trxId)) return NOTHING;
  const wallet = walletName(provider, null, view);
  const text = fillText(words.shapeDoubt, { wallet, shape: shape.description[view.language] });
  return html`<p class="doubt">${text}</p>`;
}

/** The money is there: a receipt, and the way back to the shop. */
export function renderVerified(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  const redirectUrl = returnAddress(view.redirectUrl, view.id);
  const lines = readProducts(view.products);
  return html`<section class="card status status-paid">
      ${ICONS.tick}
      <h1 id="state" tabindex="-1">${words.verifiedHeading}</h1>
      <p>${renderAmount(view)}</p>
      ${redirectUrl ? renderWayBack(view, words, redirectUrl) : NOTHING}
    </section>
    <section class="card receipt" aria-labelledby="receipt-title">
      <h2 id="receipt-title">${words.receipt}</h2>
      ${renderFacts(view, words, ['shop', 'amount', 'refunded', 'wallet', 'entry', 'time', 'note', 'number'])}
      ${
        lines.length > 0 &&
        html`<h3>${fillText(words.products, { count: localDigits(lines.length, view.language) })}</h3>
          ${renderProductLines(lines, view.currency, view.language, words)}`
      }
      <button type="button" class="quiet" data-print hidden>${words.printReceipt}</button>
    </section>`;
}

function renderWayBack(view: CheckoutPageView, words: CheckoutWords, redirectUrl: string): Markup {
  const seconds = view.redirectAfterSeconds ?? DEFAULT_REDIRECT_AFTER_SECONDS;
  const counter = html`<strong data-redirect-seconds>${localDigits(seconds, view.language)}</strong>`;
  return html`<p>
      <a class="button primary" href="${redirectUrl}" data-redirect-link>${words.backToShop}</a>
    </p>
    <p class="redirect" data-redirect hidden>
      <span>${fillSlots(words.redirectIn, { seconds: counter })}</span>
      <button type="button" class="link" data-stay>${words.stayHere}</button>
    </p>`;
}

/** Money and payment met, but something is off: the shop decides. The payer may have more to say, and nothing to do. */
export function renderReview(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  const amount = formatAmount(view.payAmountMinor, view.currency, view.language);
  return html`<section class="card status status-review">
      ${ICONS.review}
      <h1 id="state" tabindex="-1">${words.reviewHeading}</h1>
      <p class="lead">${words.reviewLead}</p>
      <p>${fillText(words.reviewReasons[reviewWord(view, words)], { amount })}</p>
      ${textWithOrWithoutScript(words.reviewNext, words.reviewNextPlain)}
      ${renderFacts(view, words, ['amount', 'wallet', 'entry'])}
    </section>
    ${takesSubmissions(view) && renderFurther(view, words)} ${renderShopLink(view, words)}`;
}

/**
 * Invites a payer who sent the rest, mistyped, or found a stranger's submission to submit: a user sees it beside the
 * other.
 */
function renderFurther(view: CheckoutPageView, words: CheckoutWords): Markup {
  const { title, lead } = view.reviewReason === 'underpaid' ? words.furtherRest : words.further;
  return html`<section class="card pay" aria-labelledby="further-title">
    <h2 id="further-title">${title}</h2>
    <p>${lead}</p>
    ${renderWallets(view, 'entry-only')}
  </section>`;
}

function reviewWord(view: CheckoutPageView, words: CheckoutWords): ReviewWord {
  const reason = view.reviewReason ?? '';
  return Object.hasOwn(words.reviewReasons, reason) ? (reason as ReviewWord) : 'other';
}

/** Too late to pay, never too late to say that one has paid. */
export function renderExpired(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  const cancelUrl = webAddress(view.cancelUrl);
  return html`<section class="card status status-over">
      ${ICONS.clock}
      <h1 id="state" tabindex="-1">${words.expiredHeading}</h1>
      <p class="lead">${words.expiredLead}</p>
      <p>${cancelUrl ? words.expiredNextLink : words.expiredNext}</p>
      ${cancelUrl ? html`<p><a class="button quiet" href="${cancelUrl}">${words.backToShop}</a></p>` : NOTHING}
      ${renderFacts(view, words, ['amount', 'entry'])}
    </section>
    <section class="card pay" aria-labelledby="paid-title">
      <h2 id="paid-title">${words.expiredPaid}</h2>
      ${takesSubmissions(view) && html`<p>${words.expiredPaidLead}</p>`} ${renderWallets(view, 'entry-only')}
    </section>`;
}

export function renderCancelled(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  return html`<section class="card status status-over">
      ${ICONS.cross}
      <h1 id="state" tabindex="-1">${words.cancelledHeading}</h1>
      <p class="lead">${words.cancelledLead}</p>
      <p>${words.cancelledPaid}</p>
      ${renderFacts(view, words, ['amount', 'entry'])}
    </section>
    ${renderShopLink(view, words)}`;
}

/** Where no form is left to stand beside, the notice of a submission without JavaScript stands at the top. */
export function renderNotice(view: CheckoutPageView): Markup {
  const words = wordsOf(view.language);
  return view.notice ? renderNoticeBox(noticeText(view.notice, words)) : NOTHING;
}

type Fact = 'shop' | 'amount' | 'refunded' | 'wallet' | 'entry' | 'time' | 'note' | 'number';

/** The known facts about the payment as terms and values. */
function renderFacts(view: CheckoutPageView, words: CheckoutWords, facts: readonly Fact[]): Markup {
  const rows = facts.flatMap((fact) => {
    const [term, value] = factOf(fact, view, words);
    return value
      ? [
          html`<div>
            <dt>${term}</dt>
            <dd>${value}</dd>
          </div>`,
        ]
      : [];
  });
  return rows.length > 0 ? html`<dl class="facts">${rows}</dl>` : NOTHING;
}

function factOf(fact: Fact, view: CheckoutPageView, words: CheckoutWords): [string, Markup | string | null] {
  const { provider, trxId, last4digit } = view.submitted ?? {};
  switch (fact) {
    case 'shop':
      return [words.shop, view.storeName];
    case 'amount':
      return [words.amount, formatAmount(view.payAmountMinor, view.currency, view.language)];
    case 'refunded': {
      const { refundedAmountMinor = 0, refundedCurrency } = view;
      const currency = refundedCurrency ?? view.currency;
      const amount = formatAmount(refundedAmountMinor, currency, view.language);
      return [words.refunded, refundedAmountMinor > 0 ? amount : null];
    }
    case 'wallet': {
      const paidWith = view.status === 'verified' ? (view.provider ?? provider) : provider;
      const wallet = view.wallets.find((candidate) => candidate.provider === paidWith);
      return [words.wallet, paidWith ? walletName(paidWith, wallet?.name, view) : null];
    }
    case 'entry': {
      const entry = trxId ?? last4digit;
      const term = trxId ? words.trxId : words.lastFour;
      return [term, entry ? html`<span class="code" translate="no">${entry}</span>` : null];
    }
    case 'time':
      return [
        words.time,
        view.verifiedAt ? formatInstant(view.verifiedAt, view.language, view.timeZone) : null,
      ];
    case 'note':
      return [words.note, view.note ?? null];
    case 'number':
      return [words.paymentNumber, html`<span class="code small" translate="no">${view.id}</span>`];
  }
}

function renderShopLink(view: CheckoutPageView, words: CheckoutWords): Markup {
  const cancelUrl = webAddress(view.cancelUrl);
  return cancelUrl ? html`<p class="shop-link"><a href="${cancelUrl}">${words.backToShop}</a></p>` : NOTHING;
}
