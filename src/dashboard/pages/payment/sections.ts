import { type DeliveryRow } from '../../../notifications/index.js';
import { type Payment, type Receipt } from '../../../payments/index.js';
import { html, type Markup, NOTHING, type Printable } from '../../../platform/web/html.js';
import { readProducts, renderProductLines } from '../../../platform/web/product-list.js';
import type { InBothLanguages } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderCode,
  renderFacts,
  renderMoney,
  renderRows,
  renderStatus,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import { deliveryTone } from '../deliveries/deliveries.page.js';
import { DELIVERY_WORDS } from '../deliveries/words.js';
import type { Visit } from '../../kit/visit.js';
import { reasonWords, WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';

export function renderState(visit: Visit, payment: Payment): Markup {
  const doubt =
    payment.status === 'review'
      ? html`<p class="callout">${visit.say(reasonWords(payment.reviewReason))}</p>`
      : NOTHING;
  return html`<section class="card">
    <p class="state-line">
      ${renderStatus(visit, payment.status)}
      ${payment.simulated && renderBadge(visit.say(WORDS.simulated), 'plain')}
    </p>
    ${doubt}
  </section>`;
}

/** The amount to pay, where it differs from the amount that was asked for (contract 4.99). */
function renderOwnAmount(visit: Visit, { amountMinor, payAmountMinor, currency }: Payment): Markup | null {
  return payAmountMinor === amountMinor ? null : renderMoney(visit, payAmountMinor, currency);
}

/** How a payment is called where there is no room for more. */
export function paymentName(visit: Visit, payment: Payment): string {
  const name = payment.customerName ?? payment.customerPhone ?? payment.note;
  const parts = [visit.money(payment.payAmountMinor, payment.currency), name, `…${payment.id.slice(-8)}`];
  return parts.filter((part) => part !== null).join(' · ');
}

/** The payment's data beside the data of its receipts: a user compares them line by line. */
export function renderSideBySide(visit: Visit, payment: Payment, receipts: readonly Receipt[]): Markup {
  return html`<div class="side-by-side">
    ${renderAsked(visit, payment)}
    ${
      receipts.length === 0
        ? renderReceipt(visit, null)
        : receipts.map((receipt, index) =>
            renderReceipt(visit, receipt, index > 0 ? TEXT.other : TEXT.receipt),
          )
    }
  </div>`;
}

/** The payment's half of the comparison. */
export function renderAsked(visit: Visit, payment: Payment, more: Printable = NOTHING): Markup {
  return html`<section class="card">
    <h2>${visit.say(NAME)}</h2>
    ${renderFacts([
      [visit.say(TEXT.asked), renderMoney(visit, payment.amountMinor, payment.currency)],
      [visit.say(TEXT.toPay), renderOwnAmount(visit, payment)],
      [visit.say(WORDS.wallet), walletName(visit, payment.submission?.provider ?? payment.requestedProvider)],
      [visit.say(TEXT.entry), entryOf(payment)],
      [visit.say(WORDS.customerName), payment.customerName],
      [visit.say(WORDS.phone), renderCode(payment.customerPhone)],
      [visit.say(WORDS.note), payment.note],
      [visit.say(TEXT.created), renderTime(visit, payment.createdAt)],
    ])}
    ${more}
  </section>`;
}

function entryOf(payment: Payment): Printable {
  const { submission } = payment;
  if (submission === null) return null;
  return renderCode(submission.kind === 'trx_id' ? submission.trxId : submission.last4digit);
}

export function renderReceipt(
  visit: Visit,
  receipt: Receipt | null,
  name: InBothLanguages = TEXT.receipt,
): Markup {
  const content =
    receipt === null
      ? html`<p class="hint">${visit.say(TEXT.noReceipt)}</p>`
      : html`${renderFacts([
            [visit.say(TEXT.received), renderMoney(visit, receipt.amountMinor, receipt.currency)],
            [visit.say(WORDS.wallet), walletName(visit, receipt.provider)],
            [visit.say(WORDS.trxId), renderCode(receipt.trxId)],
            [visit.say(WORDS.lastFour), renderCode(receipt.last4digit)],
            [visit.say(WORDS.sender), renderCode(receipt.counterparty)],
            [visit.say(TEXT.came), renderTime(visit, receipt.receivedAt)],
          ])}
          <p><a href="${visit.inStore(`receipts/${receipt.id}`)}">${visit.say(TEXT.receipt)}</a></p>`;
  return html`<section class="card">
    <h2>${visit.say(name)}</h2>
    ${content}
  </section>`;
}

export function renderDetails(visit: Visit, payment: Payment): Markup {
  const lines = payment.products === null ? [] : readProducts(JSON.parse(payment.products.text) as unknown);
  const words = { quantityTimes: '{quantity} × {price}', unnamedProduct: visit.say(TEXT.item) };
  return html`<section class="card">
    ${renderFacts([
      [visit.say(WORDS.customerName), payment.customerName],
      [visit.say(WORDS.phone), renderCode(payment.customerPhone)],
      [visit.say(WORDS.note), payment.note],
      [visit.say(WORDS.wallet), walletName(visit, payment.provider ?? payment.requestedProvider)],
      [visit.say(WORDS.trxId), renderCode(payment.trxId)],
      [visit.say(TEXT.entry), entryOf(payment)],
      [visit.say(TEXT.payer), renderCode(payment.payerNumber)],
      [visit.say(TEXT.toPay), renderOwnAmount(visit, payment)],
      [
        visit.say(TEXT.received),
        payment.receivedAmountMinor === null
          ? null
          : renderMoney(visit, payment.receivedAmountMinor, payment.receivedCurrency ?? payment.currency),
      ],
      [visit.say(TEXT.id), html`<span class="code small" translate="no">${payment.id}</span>`],
    ])}
    ${
      lines.length !== 0 &&
      html`<h2>${visit.say(TEXT.products)}</h2>
        ${renderProductLines(lines, payment.currency, visit.language, words)}`
    }
  </section>`;
}

export function renderHistory(visit: Visit, payment: Payment): Markup {
  const steps: (readonly [string, Date | null])[] = [
    [visit.say(TEXT.created), payment.createdAt],
    [visit.say(TEXT.entered), payment.submittedAt],
    [visit.say(TEXT.approvedAt), payment.approvedAt],
    [visit.say(TEXT.verified), payment.verifiedAt],
    [visit.say(TEXT.cancelled), payment.cancelledAt],
    ...(payment.status === 'pending' || payment.status === 'expired'
      ? [[visit.say(TEXT.expires), payment.expiresAt] as const]
      : []),
  ];
  const known = steps
    .filter((step): step is readonly [string, Date] => step[1] !== null)
    .sort(([, one], [, other]) => one.getTime() - other.getTime());
  return html`<section class="card">
    <h2>${visit.say(TEXT.history)}</h2>
    <ol class="timeline">
      ${known.map(([what, at]) => html`<li><strong>${what}</strong> ${renderTime(visit, at)}</li>`)}
    </ol>
  </section>`;
}

export function renderDeliveries(visit: Visit, deliveries: readonly DeliveryRow[]): Markup {
  if (deliveries.length === 0) return NOTHING;
  return html`<section>
    <h2>${visit.say(TEXT.deliveries)}</h2>
    ${renderRows(
      deliveries.map((delivery) => ({
        href: visit.inStore(`deliveries/${delivery.id}`),
        main: delivery.event,
        aside: renderBadge(visit.say(DELIVERY_WORDS[delivery.status]), deliveryTone(delivery.status)),
        below: renderTime(visit, delivery.createdAt),
      })),
    )}
  </section>`;
}
