import { noticeText, wordsOf, type CheckoutWords } from './checkout-words.js';
import type { CheckoutPageView, CheckoutWallet } from './checkout-view.js';
import { entryKind, isByHand, isUsedUp } from './entry-limit.js';
import { renderCopyBox, renderCopyButton } from '../../platform/web/controls.js';
import { fillSlots, fillText, html, NOTHING, type Markup } from '../../platform/web/html.js';
import { ICONS } from '../../platform/web/icons.js';
import { formatAmount, plainAmount } from '../../platform/web/numerals.js';
import { renderQrSvg } from '../../platform/web/qr-svg.js';
import {
  type AccountType,
  findWallet,
  QR_PROVIDER,
  USUAL_ACTIONS,
  type WalletProvider,
} from '../../wallets/index.js';
import { ACCOUNT_NAMES, QR_STEPS, WALLET_STEPS } from './wallet-guide.js';

/** Room for a whole pasted message; the id is found in it. */
const MAX_ENTRY_CHARACTERS = 1_000;
/** An amount of more characters is a little smaller, where it would not fit into one line of a small phone. */
export const LONG_AMOUNT_CHARACTERS = 11;

/** How much of each wallet is shown: everything, or only the field of someone who has paid already. */
export type WalletDetail = 'steps' | 'entry-only';

interface WalletPart {
  view: CheckoutPageView;
  words: CheckoutWords;
  wallet: CheckoutWallet;
  guide: WalletProvider | null;
  name: string;
  /** Unique within the page, start of every id in this part. */
  key: string;
  detail: WalletDetail;
}

/** The wallet's name as the payer knows it. */
export function walletName(
  provider: string,
  name: string | null | undefined,
  view: CheckoutPageView,
): string {
  return findWallet(provider)?.names[view.language] ?? (name?.trim() || provider);
}

/**
 * The choice of wallets and what belongs to the chosen one. Radio buttons and sibling selectors alone switch between
 * them, so it works without JavaScript, and the arrow keys work as in every group of radio buttons.
 */
export function renderWallets(view: CheckoutPageView, detail: WalletDetail): Markup {
  const words = wordsOf(view.language);
  const parts = view.wallets.map((wallet, index) => walletPart(view, wallet, index, detail));
  const [only] = parts;
  if (!only) return renderWithoutWallets(view, words, detail);
  if (parts.length === 1) {
    return html`<div class="wallets wallets-one" data-wallet="${only.guide?.code ?? 'other'}">
      <h2 class="wallet-only">
        ${renderBadge(only)}
        ${detail === 'steps' ? fillText(words.payWith, { wallet: only.name }) : only.name}
      </h2>
      <div class="panel">${renderPanel(only)}</div>
    </div>`;
  }
  const chosen = chosenWallet(view);
  return html`<fieldset class="wallets" data-count="${parts.length}">
    <legend><h2>${detail === 'steps' ? words.chooseWallet : words.chooseWalletPaid}</h2></legend>
    <div class="wallet-grid">
      ${parts.map(
        (part, index) =>
          html`<div class="wallet" data-wallet="${part.guide?.code ?? 'other'}">
            <input
              type="radio"
              name="wallet"
              id="${part.key}"
              value="${index}"
              ${index === chosen && html`checked`}
            />
            <label class="tile" for="${part.key}">${renderBadge(part)}<span>${part.name}</span></label>
            <div class="panel">${renderPanel(part)}</div>
          </div>`,
      )}
    </div>
  </fieldset>`;
}

function walletPart(
  view: CheckoutPageView,
  wallet: CheckoutWallet,
  index: number,
  detail: WalletDetail,
): WalletPart {
  const guide = findWallet(wallet.provider);
  const name = walletName(wallet.provider, wallet.name, view);
  return { view, words: wordsOf(view.language), wallet, guide, name, key: `wallet-${String(index)}`, detail };
}

/** The wallet of the last submission, else the first: something to do is visible at once. */
function chosenWallet(view: CheckoutPageView): number {
  const provider = view.typed?.provider ?? view.submitted?.provider;
  const byProvider = view.wallets.findIndex((wallet) => wallet.provider === provider);
  if (byProvider >= 0) return byProvider;
  const digits = Boolean(view.typed?.last4digit ?? view.submitted?.last4digit);
  return Math.max(
    0,
    digits ? view.wallets.findIndex((wallet) => entryKind(wallet.provider) === 'last4digit') : 0,
  );
}

/** A store may have no wallet (any more), while a payer has paid already. */
function renderWithoutWallets(view: CheckoutPageView, words: CheckoutWords, detail: WalletDetail): Markup {
  const wallet = { provider: '' };
  const part: WalletPart = { view, words, wallet, guide: null, name: '', key: 'wallet-none', detail };
  return html`<div class="wallets wallets-one" data-wallet="other">
    ${detail === 'steps' && html`<p class="callout">${ICONS.alert}<span>${words.noWallets}</span></p>`}
    <div class="panel">${isUsedUp(view, 'trxId') ? renderUsedUp(part) : renderEntry(part)}</div>
  </div>`;
}

/** In the place of steps and form: whoever paid this way now could not say so any more. */
function renderUsedUp({ words, wallet }: WalletPart): Markup {
  return html`<p class="callout">
    ${ICONS.alert}<span>${words.limitedWhy[entryKind(wallet.provider)]} ${words.limitedNext}</span>
  </p>`;
}

/** Before steps and form: what is entered now is kept, and checked by a user. */
function renderByHand({ words, wallet }: WalletPart): Markup {
  return html`<p class="callout">
    ${ICONS.alert}<span>${words.byHandWhy[entryKind(wallet.provider)]}</span>
  </p>`;
}

function renderBadge(part: WalletPart): Markup {
  const drawing =
    part.guide?.code === QR_PROVIDER ? ICONS.qr : (part.guide?.badge ?? [...part.name][0] ?? '');
  return html`<span class="badge" aria-hidden="true">${drawing}</span>`;
}

function renderPanel(part: WalletPart): Markup {
  const kind = entryKind(part.wallet.provider);
  if (isUsedUp(part.view, kind)) return renderUsedUp(part);
  const byHand = isByHand(part.view, kind) ? renderByHand(part) : NOTHING;
  if (part.detail === 'entry-only') return html`${byHand}${renderEntry(part)}`;
  const steps = kind === 'last4digit' ? renderQrSteps(part) : renderWalletSteps(part);
  return html`${byHand}${steps}${renderEntry(part)}`;
}

function renderWalletSteps(part: WalletPart): Markup {
  const { view, words, wallet, guide, name } = part;
  const steps = WALLET_STEPS[view.language];
  const accountType: AccountType = wallet.accountType ?? 'personal';
  const action = (guide?.actions[accountType] ?? USUAL_ACTIONS[accountType])[view.language];
  const ussd = guide ? guide.ussd : null;
  const dial = ussd ? renderDial(ussd, words) : NOTHING;
  return html`<h3 class="panel-title">
      <span>${name} · ${action}</span>
      <span class="account">${ACCOUNT_NAMES[accountType][view.language]}</span>
    </h3>
    <ol class="steps">
      <li>${fillSlots(ussd ? steps.open : steps.openAppOnly, { wallet: name, ussd: dial })}</li>
      <li>${fillSlots(steps.choose, { action: html`<strong>${action}</strong>` })}</li>
      ${
        wallet.number
          ? html`<li>
              ${steps.sendTo[accountType]}
              ${renderCopyBox(wallet.number, html`<span translate="no">${wallet.number}</span>`, { copy: words.copy, label: words.copyNumber })}
            </li>`
          : NOTHING
      }
      <li>
        ${steps.amount} ${renderAmountBox(view, words)}
        ${steps.charge[accountType] ? html`<p class="hint">${steps.charge[accountType]}</p>` : NOTHING}
      </li>
      <li>${steps.confirm}</li>
    </ol>
    ${wallet.qrPayload ? renderQr(part, fillText(words.qrAlternative, { wallet: name })) : NOTHING}`;
}

function renderQrSteps(part: WalletPart): Markup {
  const { view, words, wallet, name } = part;
  const steps = QR_STEPS[view.language];
  if (!wallet.qrPayload && !wallet.number)
    return html`<p class="callout">${ICONS.alert}<span>${words.qrMissing}</span></p>`;
  return html`<h3 class="panel-title">${name}</h3>
    ${wallet.qrPayload ? renderQr(part, null) : NOTHING}
    ${
      wallet.number
        ? renderCopyBox(wallet.number, html`<span translate="no">${wallet.number}</span>`, {
            copy: words.copy,
            label: words.copyNumber,
          })
        : NOTHING
    }
    <ol class="steps">
      <li>${steps.scan}</li>
      <li>${wallet.qrPayload ? steps.amountAbove : html`${steps.amount} ${renderAmountBox(view, words)}`}</li>
      <li>${steps.confirm}</li>
    </ol>`;
}

function renderQr(part: WalletPart, caption: string | null): Markup {
  const { view, words, wallet } = part;
  const amount = formatAmount(view.payAmountMinor, view.currency, view.language);
  const svg = renderQrSvg(wallet.qrPayload ?? '', fillText(words.qrLabel, { name: view.storeName, amount }));
  if (!svg) return html`<p class="callout">${ICONS.alert}<span>${words.qrMissing}</span></p>`;
  return html`<figure class="qr">
    ${caption ? html`<figcaption>${caption}</figcaption>` : NOTHING} ${svg}
    ${renderAmountBeside(part, amount)}
    <button type="button" class="quiet" data-save-qr hidden>${words.saveQr}</button>
  </figure>`;
}

/** The code is the merchant's own and says no amount: that stands beside it, as large as any on the page, to copy. */
function renderAmountBeside({ view, words }: WalletPart, amount: string): Markup {
  return html`<p class="qr-amount">
    <strong class="amount ${amount.length > LONG_AMOUNT_CHARACTERS && 'amount-long'}">${amount}</strong>
    ${renderPlainAmount(view)}
    ${renderCopyButton(plainAmount(view.payAmountMinor), { copy: words.copy, label: words.copyAmount })}
  </p>`;
}

/** Where no button copies: an odd amount as a wallet's own field takes it, marked whole by one press. */
function renderPlainAmount({ amountMinor, payAmountMinor }: CheckoutPageView): Markup {
  if (payAmountMinor === amountMinor) return NOTHING;
  return html`<span class="plain-amount" data-without-script translate="no"
    >${plainAmount(payAmountMinor)}</span
  >`;
}

function renderDial(ussd: string, words: CheckoutWords): Markup {
  const label = fillText(words.dial, { ussd });
  const address = `tel:${ussd.replaceAll('#', '%23')}`;
  return html`<a class="ussd" href="${address}" aria-label="${label}" translate="no">${ussd}</a>`;
}

function renderAmountBox(view: CheckoutPageView, words: CheckoutWords): Markup {
  const amount = formatAmount(view.payAmountMinor, view.currency, view.language);
  return renderCopyBox(plainAmount(view.payAmountMinor), html`${amount} ${renderPlainAmount(view)}`, {
    copy: words.copy,
    label: words.copyAmount,
  });
}

/**
 * The form of one wallet: four digits for Bangla QR, the transaction id for everything else. What the script shows
 * when the field loses the focus stands below the button: above it, it would take the button away from under the
 * finger.
 */
function renderEntry(part: WalletPart): Markup {
  const { view, words, wallet, guide, key } = part;
  const kind = entryKind(wallet.provider);
  const shape = guide?.trxId ?? null;
  const typedHere = view.typed && chosenKey(view) === key ? view.typed : null;
  const error = view.notice && chosenKey(view) === key ? noticeText(view.notice, words) : null;
  const lastFour = kind === 'last4digit';
  const numeric = lastFour || shape?.digitsOnly;
  const doubt = shape
    ? fillText(words.shapeDoubt, { wallet: part.name, shape: shape.description[view.language] })
    : null;
  return html`<form
    class="entry"
    method="post"
    action="${checkoutPath(view)}"
    data-kind="${kind}"
    data-provider="${wallet.provider}"
    data-known="${guide ? 'yes' : 'no'}"
    data-pattern="${shape?.pattern ?? ''}"
    data-doubt="${doubt ?? ''}"
  >
    ${wallet.provider ? html`<input type="hidden" name="provider" value="${wallet.provider}" />` : NOTHING}
    <label for="${key}-entry">${lastFour ? words.lastFourLabel : words.trxIdLabel}</label>
    <p class="hint" id="${key}-hint">${entryHint(part)}</p>
    <div class="entry-row">
      <input
        class="${lastFour ? 'digits' : 'code'}"
        type="text"
        id="${key}-entry"
        name="${kind}"
        required
        maxlength="${MAX_ENTRY_CHARACTERS}"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        translate="no"
        enterkeyhint="send"
        inputmode="${numeric ? 'numeric' : 'text'}"
        aria-describedby="${key}-error ${key}-hint ${key}-pin"
        ${error ? html`aria-invalid="true"` : NOTHING}
        value="${(lastFour ? typedHere?.last4digit : typedHere?.trxId) ?? ''}"
      />
      <button type="button" class="quiet" data-paste hidden>${words.paste}</button>
    </div>
    <p class="error" id="${key}-error" ${error ? NOTHING : html`hidden`}>
      ${ICONS.alert}<span data-error>${error ?? ''}</span>
    </p>
    <button type="submit" class="primary">${words.submit}</button>
    <p class="doubt" data-doubt-text hidden></p>
    <p class="pin" id="${key}-pin">${ICONS.lock}<span>${words.neverPin}</span></p>
    ${renderEntryHelp(part)}
  </form>`;
}

function chosenKey(view: CheckoutPageView): string {
  return view.wallets.length === 0 ? 'wallet-none' : `wallet-${String(chosenWallet(view))}`;
}

function entryHint(part: WalletPart): string {
  const { view, words, wallet, guide, name } = part;
  if (entryKind(wallet.provider) === 'last4digit') return words.lastFourHint;
  const shape = guide?.trxId;
  if (!shape) return words.trxIdHintUnknown;
  return fillText(words.trxIdHint, {
    wallet: name,
    shape: shape.description[view.language],
    example: shape.example,
  });
}

function renderEntryHelp(part: WalletPart): Markup {
  const { words, wallet, guide, name } = part;
  if (entryKind(wallet.provider) === 'last4digit') {
    return html`<details class="help">
      <summary>${words.helpLastFourTitle}</summary>
      <p>${words.helpLastFour}</p>
    </details>`;
  }
  const shape = guide?.trxId;
  return html`<details class="help">
    <summary>${words.helpTrxIdTitle}</summary>
    ${
      shape
        ? html`<p>${fillText(words.helpTrxIdMessage, { wallet: name })}</p>
            <p class="sample" translate="no" lang="en">… ${shape.label} <mark>${shape.example}</mark> …</p>`
        : NOTHING
    }
    <p>${words.helpTrxIdApp}</p>
    <p>${words.helpTrxIdWholeMessage}</p>
  </details>`;
}

/** The page's own address, with the language, which so survives where cookies are refused. */
export function checkoutPath(view: { id: string; language: string }): string {
  return `/pay/${encodeURIComponent(view.id)}?lang=${view.language}`;
}
