import { invalidInput } from '../../../kernel/domain-error.js';
import { type Payment } from '../../../payments/index.js';
import { normaliseTrxId, QR_PROVIDER, TRX_ID_RULE } from '../../../wallets/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderForm, renderSelect } from '../../kit/forms.js';
import { walletChoices } from '../payments/payments.page.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { TEXT } from './words.js';

/** The identity of the simulated receipt: the payer's submission, else the user's input here. */
export function identityOf(
  payment: Payment,
  wallet: string,
  typed: string,
): { trxId: string } | { last4digit: string } {
  const { submission } = payment;
  if (submission?.kind === 'trx_id') return { trxId: submission.trxId };
  if (submission?.kind === 'last4digit') return { last4digit: submission.last4digit };
  if (wallet === QR_PROVIDER && /^[0-9]{4}$/.test(typed.trim())) return { last4digit: typed.trim() };
  const trxId = normaliseTrxId(typed);
  if (trxId === null) throw invalidInput([{ pointer: '/trxId', detail: TRX_ID_RULE }]);
  return { trxId };
}

export function renderSimulation(visit: Visit, payment: Payment, path: string): Markup {
  const { submission } = payment;
  const wallet =
    submission?.provider ??
    payment.requestedProvider ??
    (submission?.kind === 'last4digit' ? QR_PROVIDER : null);
  const fields = html`${
    submission === null &&
    renderField(visit, { name: 'trxId', label: WORDS.trxId, code: true, required: true, maxlength: 64 })
  }
  ${
    wallet === null
      ? renderSelect(visit, { name: 'provider', label: WORDS.wallet, choices: walletChoices(visit) })
      : html`<input type="hidden" name="provider" value="${wallet}" />`
  }
  ${renderField(visit, {
    name: 'sender',
    label: WORDS.sender,
    value: payment.customerPhone ?? '01700000000',
    inputmode: 'tel',
    maxlength: 64,
  })}`;
  return html`<section class="card">
    <h2>${visit.say(TEXT.simulate)}</h2>
    <p class="hint">${visit.say(TEXT.simulateHint)}</p>
    ${renderForm(visit, { action: `${path}/simulate`, submit: TEXT.simulate, kind: 'quiet' }, fields)}
  </section>`;
}
