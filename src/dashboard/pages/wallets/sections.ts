import { requestInvalid } from '../../../kernel/domain-error.js';
import { type Wallet } from '../../../stores/index.js';
import { ACCOUNT_TYPES } from '../../../wallets/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderField, renderFile, renderForm, renderSelect } from '../../kit/forms.js';
import { renderBadge, renderCode, renderFacts, walletName } from '../../kit/parts.js';
import { type QrPictureReading, QrPictures } from './qr-pictures.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { walletChoices } from '../payments/payments.page.js';
import { ACCOUNT_TYPE_WORDS, PICTURE_PROBLEMS, TEXT } from './words.js';
import { marked } from './changes.js';

type ReadCode = Extract<QrPictureReading, { outcome: 'payment' }>;

/** @throws DomainError `request.invalid` at the field, in the reader's words */
export async function readPicture(visit: Visit, pictures: QrPictures): Promise<ReadCode> {
  const bytes = visit.file === null ? Buffer.alloc(0) : await pictures.receive(visit.file);
  const reading =
    bytes === null ? ({ outcome: 'too_large' } as const) : await pictures.read(visit.store.id, bytes);
  if (reading.outcome === 'payment') return reading;
  throw requestInvalid.saying('The picture was not taken.', {
    errors: [{ pointer: '/picture', detail: visit.say(PICTURE_PROBLEMS[reading.outcome]) }],
  });
}

export function renderPictureForm(visit: Visit, action: string): Markup {
  const field = renderFile(visit, {
    name: 'picture',
    label: TEXT.picture,
    hint: visit.say(TEXT.pictureHint),
    accept: 'image/png,image/jpeg',
  });
  return html`<section class="card narrow">
    <h2>${visit.say(TEXT.fromPicture)}</h2>
    ${renderForm(visit, { action, submit: TEXT.read, kind: 'quiet', withFile: true }, field)}
  </section>`;
}

/** The content that was read, shown before any of it is saved. */
export function renderRead(visit: Visit, { text, qr }: ReadCode, form: Markup): Markup {
  return html`<section class="card narrow">
    <p class="callout notice notice-done" role="status">${visit.say(TEXT.found)}</p>
    <figure class="qr qr-small">${renderQrSvg(text, visit.say(TEXT.qrLabel))}</figure>
    ${renderFacts([
      [visit.say(TEXT.shopName), qr.merchantName],
      [visit.say(TEXT.city), qr.merchantCity],
      [visit.say(TEXT.fixedAmount), qr.amount],
    ])}
    ${form}
  </section>`;
}

export function renderWalletFields(visit: Visit, wallet: Wallet | null): Markup {
  return html`${renderSelect(visit, {
    name: 'provider',
    label: WORDS.wallet,
    choices: walletChoices(visit),
    value: wallet?.provider ?? 'bkash',
  })}
  ${renderField(visit, { name: 'number', label: TEXT.number, value: wallet?.number ?? '', inputmode: 'tel', maxlength: 32 })}
  ${renderSelect(visit, {
    name: 'accountType',
    label: TEXT.accountType,
    hint: visit.say(TEXT.accountHint),
    choices: ACCOUNT_TYPES.map((type) => ({ value: type, text: visit.say(ACCOUNT_TYPE_WORDS[type]) })),
    value: wallet?.accountType ?? 'personal',
  })}
  ${renderField(visit, {
    name: 'qrPayload',
    label: TEXT.qrText,
    hint: visit.say(TEXT.qrHint),
    value: wallet?.qrPayload ?? '',
    code: true,
    maxlength: 512,
  })}`;
}

export function renderWallet(visit: Visit, wallet: Wallet, index: number, mayChange: boolean): Markup {
  const name = walletName(visit, wallet.provider) ?? wallet.provider;
  const path = visit.inStore(`wallets/${index}`);
  return html`<li class="card">
    <h2>${name} ${!wallet.enabled && renderBadge(visit.say(TEXT.off), 'over')}</h2>
    <p>
      ${renderCode(wallet.number)}
      <span class="hint">${visit.say(ACCOUNT_TYPE_WORDS[wallet.accountType])}</span>
    </p>
    ${
      wallet.qrPayload !== null &&
      html`<figure class="qr qr-small">
        ${renderQrSvg(wallet.qrPayload, `${visit.say(TEXT.qrLabel)}: ${name}`)}
      </figure>`
    }
    ${
      mayChange &&
      html`<div class="actions">
        <a class="quiet" href="${path}" aria-label="${visit.say(TEXT.change)}: ${name}"
          >${visit.say(TEXT.change)}</a
        >
        ${
          index !== 0 &&
          renderForm(visit, {
            action: `${path}/up`,
            submit: TEXT.up,
            kind: 'quiet',
            label: `${visit.say(TEXT.up)}: ${name}`,
            ...marked(wallet),
          })
        }
      </div>`
    }
  </li>`;
}
