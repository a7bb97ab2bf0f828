import { type Receipt, type ReceiptStatus } from '../../../payments/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderForm } from '../../kit/forms.js';
import {
  renderBadge,
  renderCode,
  renderFacts,
  renderMoney,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import { renderReason } from '../reason.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { RECEIPT_WORDS, TEXT } from './words.js';

export const TONES: Readonly<Record<ReceiptStatus, string>> = {
  unmatched: 'look',
  matched: 'good',
  review: 'look',
  void: 'over',
  ignored: 'over',
};

export function renderRestore(visit: Visit, receipt: Receipt): Markup {
  return html`<section class="card">
    <h2>${visit.say(TEXT.restore)}</h2>
    <p class="hint">${visit.say(TEXT.restoreLead)}</p>
    ${renderForm(
      visit,
      { action: visit.inStore(`receipts/${receipt.id}/restore`), submit: TEXT.restore, kind: 'quiet' },
      renderReason(visit),
    )}
  </section>`;
}

export function renderReceiptFacts(visit: Visit, receipt: Receipt): Markup {
  return html`<section class="card">
      <p class="state-line">
        ${renderBadge(visit.say(RECEIPT_WORDS[receipt.status]), TONES[receipt.status])}
        ${receipt.simulated && renderBadge(visit.say(WORDS.simulated), 'plain')}
      </p>
      ${renderFacts([
        [visit.say(WORDS.wallet), walletName(visit, receipt.provider)],
        [visit.say(WORDS.trxId), renderCode(receipt.trxId)],
        [visit.say(WORDS.lastFour), renderCode(receipt.last4digit)],
        [visit.say(WORDS.sender), renderCode(receipt.counterparty)],
        [visit.say(TEXT.came), renderTime(visit, receipt.receivedAt)],
        [visit.say(TEXT.arrived), renderTime(visit, receipt.arrivedAt)],
        [visit.say(TEXT.source), receipt.app],
        [
          visit.say(TEXT.balance),
          receipt.balanceMinor === null ? null : renderMoney(visit, receipt.balanceMinor, receipt.currency),
        ],
        [visit.say(TEXT.flags), receipt.flags.length === 0 ? null : receipt.flags.join(', ')],
        [
          visit.say(TEXT.payment),
          receipt.paymentId === null
            ? null
            : html`<a class="code small" href="${visit.inStore(`payments/${receipt.paymentId}`)}"
                >${receipt.paymentId}</a
              >`,
        ],
      ])}
    </section>
    <details class="card fold">
      <summary>${visit.say(TEXT.raw)}</summary>
      <pre class="code small" tabindex="0">${receipt.raw}</pre>
    </details>`;
}
