import { createHash } from 'node:crypto';
import { isId, newId } from '../../../kernel/ids.js';
import { numberFromMinor } from '../../../kernel/money.js';
import { type Payment, RecordRefundBody, type Refund, refundableMinor } from '../../../payments/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderBadge, renderCode, renderMoney, renderTime } from '../../kit/parts.js';
import { walletChoices } from '../payments/payments.page.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { TEXT } from './words.js';
import { amount, choice, Form, text } from '../../kit/form.js';

/** The one-time key of a form that was drawn once: a second press of the button has no second effect. */
export function onceKey(once: string, content: string): string {
  const drawn = isId(once) ? once : newId();
  return `form ${drawn} ${createHash('sha256').update(content).digest('base64url')}`;
}

export const REFUND = new Form(RecordRefundBody, {
  amount: amount({ label: WORDS.amount }),
  reason: text({ label: WORDS.reason }),
  provider: choice({ label: WORDS.wallet }, (visit) => [
    { value: '', text: visit.say(TEXT.anyWallet) },
    ...walletChoices(visit),
  ]),
  trxId: text({ label: WORDS.trxId, code: true, max: 64 }),
});

export function renderRefundForm(visit: Visit, payment: Payment, path: string): Markup {
  const form = REFUND.render(visit, {
    action: `${path}/refund`,
    submit: TEXT.refund,
    kind: 'quiet',
    hidden: { once: newId() },
    values: { amount: String(numberFromMinor(refundableMinor(payment))), provider: payment.provider ?? '' },
  });
  return html`<section class="card">
    <h2>${visit.say(TEXT.refund)}</h2>
    <p class="hint">${visit.say(TEXT.refundLead)}</p>
    ${form}
  </section>`;
}

export function renderRefunds(visit: Visit, refunds: readonly Refund[]): Markup {
  if (refunds.length === 0) return NOTHING;
  return html`<section class="card">
    <h2>${visit.say(TEXT.refunds)}</h2>
    <ol class="timeline">
      ${refunds.map(
        (refund) =>
          html`<li>
            <strong>${renderMoney(visit, refund.amountMinor, refund.currency)}</strong>
            ${
              refund.status === 'confirmed'
                ? renderBadge(visit.say(TEXT.confirmed), 'good')
                : renderBadge(visit.say(TEXT.recorded), 'plain')
            }
            <span class="hint">
              ${renderTime(visit, refund.sentAt ?? refund.createdAt)} ${renderCode(refund.trxId)}
              ${refund.reason}
            </span>
          </li>`,
      )}
    </ol>
  </section>`;
}
