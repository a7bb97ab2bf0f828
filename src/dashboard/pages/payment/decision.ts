import { type Payment, type Receipt } from '../../../payments/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderForm, renderRadios } from '../../kit/forms.js';
import { renderCode, renderMoney, renderTime, walletName } from '../../kit/parts.js';
import { type NextClaimant, type ReviewCase } from '../review/review-cases.js';
import { readSeen, seenFields } from './seen-payment.js';
import { renderPaymentRows } from '../payments/payments.page.js';
import { renderReason } from '../reason.js';
import type { Visit } from '../../kit/visit.js';
import { TEXT } from './words.js';
import { paymentName } from './sections.js';

/** Approve, reject or cancel: one form, because a user gives one reason. */
export function renderDecision(
  visit: Visit,
  matter: ReviewCase,
  nextClaimants: readonly NextClaimant[],
): Markup {
  const { payment, receipts, mustChoose } = matter;
  const path = visit.inStore(`payments/${payment.id}`);
  const fields = html`${
    mustChoose &&
    renderRadios(visit, {
      name: 'receiptId',
      legend: visit.say(TEXT.which),
      hint: visit.say(TEXT.whichHint),
      choices: [
        ...receipts.map((receipt) => ({
          value: receipt.id,
          text: renderReceiptChoice(visit, payment, receipt),
        })),
        { value: NO_RECEIPT, text: visit.say(TEXT.withoutReceipt) },
      ],
    })
  }
  ${renderReason(visit)}
  ${
    receipts.length !== 0 &&
    renderRadios(visit, {
      name: 'receipt',
      legend: visit.say(TEXT.ending),
      hint: nextClaimants.map((nextClaimant) =>
        renderNextClaimant(visit, nextClaimant, nextClaimants.length > 1),
      ),
      choices: [
        { value: 'release', text: visit.say(TEXT.release) },
        { value: 'void', text: visit.say(TEXT.void) },
        { value: NOTHING_SAID, text: visit.say(TEXT.leave) },
      ],
    })
  }`;
  const form = renderForm(
    visit,
    {
      action: `${path}/approve`,
      submit: TEXT.approve,
      hidden: { ...seenFields([payment]), ...(mustChoose ? { [CHOICE]: 'required' } : {}) },
      others: [
        { action: `${path}/reject`, words: TEXT.reject, danger: true },
        { action: `${path}/cancel`, words: TEXT.cancel, danger: true, asItIs: true },
      ],
    },
    fields,
  );
  return html`<section class="card">
    <h2>${visit.say(TEXT.decide)}</h2>
    ${form}
  </section>`;
}

/** The choice to approve a payment over no receipt. */
export const NO_RECEIPT = 'none';

/** A hidden field of a form that asks which receipt it is. */
export const CHOICE = 'choice';

/** Chosen on purpose, as nothing is chosen beforehand; for the service it is as if nothing were said. */
const NOTHING_SAID = 'leave';

export function endingFields(visit: Visit): object {
  const [receipt, receiptId] = [visit.text('receipt'), visit.text('receiptId')];
  return {
    ...(receipt === null || receipt === NOTHING_SAID ? {} : { receipt }),
    ...(receiptId === null || receiptId === NO_RECEIPT ? {} : { receiptId }),
    ...readSeen(visit, visit.idOf('paymentId')),
  };
}

function renderReceiptChoice(visit: Visit, payment: Payment, receipt: Receipt): Markup {
  const { attachedTo } = receipt;
  const held =
    attachedTo === null ? null : attachedTo.paymentId === payment.id ? TEXT.held : TEXT.heldByOther;
  return html`${renderReceiptLine(visit, receipt)}
  ${held !== null && html`<span class="hint"> · ${visit.say(held)}</span>`}`;
}

/** One receipt in a line. */
function renderReceiptLine(visit: Visit, receipt: Receipt): Markup {
  return html`${renderMoney(visit, receipt.amountMinor, receipt.currency)} ·
  ${walletName(visit, receipt.provider)} · ${renderCode(receipt.trxId ?? receipt.last4digit)} ·
  ${renderTime(visit, receipt.receivedAt)}`;
}

/** The next claimant of a receipt if this payment releases it, so that no payment is verified by mistake. */
function renderNextClaimant(
  visit: Visit,
  { receipt, winner, fits, claiming }: NextClaimant,
  isOneOfSeveral: boolean,
): Markup {
  const which = isOneOfSeveral ? html`${renderCode(receipt.trxId ?? receipt.last4digit)}: ` : NOTHING;
  const link = (payment: Payment) =>
    html`<a href="${visit.inStore(`payments/${payment.id}`)}">${paymentName(visit, payment)}</a>`;
  const [first] = claiming;
  const who =
    winner !== null
      ? html`${visit.say(TEXT.nextClaimantTakes)} ${link(winner)}
        ${!fits && visit.say(TEXT.nextClaimantNotFit)}`
      : first !== undefined
        ? html`${visit.say(TEXT.nextClaimantsMore)}
          ${claiming.map((payment, index) => html`${index === 0 ? '' : ', '}${link(payment)}`)}`
        : visit.say(TEXT.nextClaimantNone);
  return html`<span class="next-claimant">${which}${who}</span>`;
}

export function renderClaimants(visit: Visit, { claimants }: ReviewCase): Markup {
  if (claimants.length === 0) return NOTHING;
  return html`<section>
    <h2>${visit.say(TEXT.claimants)}</h2>
    ${renderPaymentRows(visit, claimants)}
  </section>`;
}
