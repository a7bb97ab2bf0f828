import { renderCopyButton } from '../../platform/web/controls.js';
import { html, type Markup } from '../../platform/web/html.js';
import type { Language } from '../../platform/web/language.js';
import type { Brand } from '../../platform/web/brand.js';
import { type PayerPage, renderPayerPage } from '../../platform/web/payer/payer-page.js';
import { type CheckoutFiles, DEFAULT_FILES } from './checkout-assets.js';
import { wordsOf, type CheckoutWords } from './checkout-words.js';

/** The parts of each page at a payment's address. */
export interface CheckoutFrame {
  language: Language;
  brand?: Brand | null;
  files?: CheckoutFiles;
}

export type CheckoutDocument = Pick<PayerPage, 'title' | 'shopName' | 'switchPath' | 'content'> & {
  /** For the browser script. */
  readonly attributes: Markup;
  readonly paymentNumber: string | null;
};

export function renderCheckoutDocument(
  { language, brand = null, files = DEFAULT_FILES }: CheckoutFrame,
  { attributes, paymentNumber, ...page }: CheckoutDocument,
): string {
  const words = wordsOf(language);
  return renderPayerPage({
    ...page,
    ...{ language, brand, files },
    skipToContent: words.skipToContent,
    script: { path: files.script[language], attributes },
    ...(paymentNumber === null ? {} : { footer: renderPaymentNumber(paymentNumber, words) }),
  });
}

function renderPaymentNumber(paymentNumber: string, words: CheckoutWords): Markup {
  return html`<p class="payment-number">
    <span>${words.paymentNumber}</span>
    <span class="code small" translate="no">${paymentNumber}</span>
    ${renderCopyButton(paymentNumber, { copy: words.copy, label: words.copyPaymentNumber })}
  </p>`;
}
