import { createHash } from 'node:crypto';
import { ServiceSettings } from '../../../platform/config/index.js';
import { PageQuery } from '../../../platform/http/index.js';
import { SimulateBody, Simulations } from '../../../inbound/index.js';
import { invalidInput } from '../../../kernel/domain-error.js';
import { isId, newId } from '../../../kernel/ids.js';
import { numberFromMinor } from '../../../kernel/money.js';
import { DeliveriesService, type DeliveryRow, DeliveryQuery } from '../../../notifications/index.js';
import {
  ApproveBody,
  approvalOf,
  CancelBody,
  endingOf,
  checkoutUrlOf,
  type Payment,
  PaymentsService,
  type PaymentStatus,
  type Receipt,
  newRefundOf,
  RecordRefundBody,
  type Refund,
  refundableMinor,
  RefundsService,
  receiptRequired,
  ReceiptsService,
  RejectBody,
  ReviewService,
  SubmissionsService,
} from '../../../payments/index.js';
import { normaliseTrxId, QR_PROVIDER } from '../../../wallets/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING, type Printable } from '../../../platform/web/html.js';
import { readProducts, renderProductLines } from '../../../platform/web/product-list.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderField, renderForm, renderRadios, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
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
import { type NextClaimant, type ReviewCase, ReviewCases } from '../review/review-cases.js';
import { readSeen, seenFields } from './seen-payment.js';
import { deliveryTone } from '../deliveries/deliveries.page.js';
import { DELIVERY_WORDS } from '../deliveries/words.js';
import { renderPaymentRows, walletChoices } from '../payments/payments.page.js';
import type { Visit } from '../../kit/visit.js';
import { reasonWords, WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import { amount, choice, Form, text } from '../../kit/form.js';

/** Which actions a state has; the services decide in the end, this only spares a user refusals. */
interface StateActions {
  readonly decide?: boolean;
  readonly cancel?: boolean;
  readonly match?: boolean;
  readonly simulate?: boolean;
  readonly link?: boolean;
  readonly refund?: boolean;
}

const ACTIONS: Readonly<Record<PaymentStatus, StateActions>> = {
  pending: { cancel: true, match: true, simulate: true, link: true },
  submitted: { cancel: true, match: true, simulate: true, link: true },
  review: { decide: true, cancel: true, match: true, simulate: false },
  expired: { match: true, link: true },
  verified: { refund: true },
  cancelled: {},
};

/** One payment: how it stands, how it came there, and what can be done (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'payments/:paymentId', name: NAME })
export class PaymentPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
    private readonly review: ReviewService,
    private readonly cases: ReviewCases,
    private readonly submissions: SubmissionsService,
    private readonly simulations: Simulations,
    private readonly refunds: RefundsService,
    private readonly deliveries: DeliveriesService,
    private readonly settings: ServiceSettings,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const payment = await this.payments.getOfStore(visit.store.id, visit.idOf('paymentId'));
    const [receipt, refunds, deliveries] = await Promise.all([
      payment.receiptId === null ? null : this.receipts.getOfStore(visit.store.id, payment.receiptId),
      payment.status === 'verified'
        ? this.refunds.listOfPayment(
            visit.store.id,
            payment.id,
            await visit.checked(PageQuery, { limit: 100 }),
          )
        : { data: [] },
      this.deliveries.list(
        visit.store.id,
        { paymentId: payment.id },
        await visit.checked(DeliveryQuery, { paymentId: payment.id }),
      ),
    ]);
    const can = Object.hasOwn(ACTIONS, payment.status) ? ACTIONS[payment.status] : {};
    const mayAct = visit.may('reviewer') && visit.store.archivedAt === null;
    const [matter] = can.decide === true ? await this.cases.listOf(visit.store.id, [payment]) : [];
    const nextClaimants = matter === undefined || !mayAct ? [] : await this.cases.nextClaimantsOf(matter);
    return visit.shown(
      html`<div class="columns" data-live="payment">
        <div>
          ${renderState(visit, payment)}
          ${matter !== undefined && html`${renderSideBySide(visit, payment, matter.receipts)} ${renderClaimants(visit, matter)}`}
          ${mayAct && this.renderActions(visit, payment, can, matter === undefined ? NOTHING : renderDecision(visit, matter, nextClaimants))}
          ${can.link === true && this.renderCustomerLink(visit, payment)}
        </div>
        <div>
          ${renderDetails(visit, payment)} ${renderHistory(visit, payment)}
          ${can.decide !== true && renderReceipt(visit, receipt)} ${renderRefunds(visit, refunds.data)}
          ${renderDeliveries(visit, deliveries.data)}
        </div>
      </div>`,
      {
        title: visit.money(payment.amountMinor, payment.currency),
        heading: html`${visit.money(payment.amountMinor, payment.currency)}`,
      },
    );
  }

  @PageAction('approve', { role: 'reviewer', refusedTo: 'show' })
  async approve(visit: Visit): Promise<PageAnswer> {
    const paymentId = visit.idOf('paymentId');
    const chosen = visit.text('receiptId');
    if (chosen === null && visit.text(CHOICE) !== null) throw receiptRequired();
    const body = await visit.checked(ApproveBody, {
      reason: visit.field('reason').trim(),
      ...(chosen === null ? {} : { receiptId: chosen === NO_RECEIPT ? null : chosen }),
      ...readSeen(visit, paymentId),
    });
    await this.review.approve(visit.caller, visit.store.id, paymentId, approvalOf(body));
    return this.back(visit, 'approved');
  }

  @PageAction('reject', { role: 'reviewer', refusedTo: 'show' })
  async reject(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(RejectBody, {
      reason: visit.field('reason').trim(),
      ...endingFields(visit),
    });
    const decision = { reason: body.reason, ...endingOf(body) };
    await this.review.reject(visit.caller, visit.store.id, visit.idOf('paymentId'), decision);
    return this.back(visit, 'rejected');
  }

  @PageAction('cancel', { role: 'reviewer', refusedTo: 'show', confirm: TEXT.cancelWhy })
  async cancel(visit: Visit): Promise<PageAnswer> {
    const body = await visit.checked(CancelBody, endingFields(visit));
    await this.review.cancel(visit.caller, visit.store.id, visit.idOf('paymentId'), endingOf(body));
    return this.back(visit, 'cancelled');
  }

  @PageAction('simulate', { role: 'reviewer', refusedTo: 'show' })
  async simulate(visit: Visit): Promise<PageAnswer> {
    const payment = await this.payments.getOfStore(visit.store.id, visit.idOf('paymentId'));
    const wallet = visit.field('provider') || (payment.requestedProvider ?? 'bkash');
    const identity = identityOf(payment, wallet, visit.field('trxId'));
    const body = await visit.checked(SimulateBody, {
      ...identity,
      provider: wallet,
      amount: numberFromMinor(payment.payAmountMinor),
      sender: visit.text('sender') ?? payment.customerPhone ?? '01700000000',
      type: 'in',
    });
    if (payment.submission === null) {
      await this.submissions.submit(
        payment.id,
        'last4digit' in identity
          ? { kind: 'last4digit', last4digit: identity.last4digit, provider: wallet }
          : { kind: 'trx_id', trxId: identity.trxId, provider: wallet },
      );
    }
    const { status } = await this.simulations.simulate(visit.store, body, JSON.stringify(body));
    return this.back(visit, DONE_OF_RECEIPT[status]);
  }

  @PageAction('refund', { role: 'reviewer', refusedTo: 'show' })
  async recordRefund(visit: Visit): Promise<PageAnswer> {
    const body = await REFUND.read(visit);
    const paymentId = visit.idOf('paymentId');
    const content = JSON.stringify(body);
    // The same form sent twice is one refund; sent again with something else in it, it is another.
    await this.refunds.recordOnce(visit.caller, visit.store.id, paymentId, newRefundOf(body), {
      key: onceKey(visit.field('once'), content),
      path: `payments/${paymentId}/refunds`,
      body: content,
      present: ({ id }) => id,
    });
    return this.back(visit, 'refunded');
  }

  private back(visit: Visit, done: string): PageAnswer {
    return visit.goTo(visit.inStore(`payments/${visit.idOf('paymentId')}`), done);
  }

  private renderActions(visit: Visit, payment: Payment, can: StateActions, decision: Markup): Markup {
    const path = visit.inStore(`payments/${payment.id}`);
    return html`${decision}
    ${can.simulate === true && visit.store.simulationEnabled && renderSimulation(visit, payment, path)}
    ${can.refund === true && refundableMinor(payment) > 0 && renderRefundForm(visit, payment, path)}
    ${
      (can.match === true || can.cancel === true) &&
      html`<section class="card actions">
        ${can.match === true && html`<a class="quiet" href="${path}/match">${visit.say(TEXT.matchReceipt)}</a>`}
        ${
          // In review it stands beside the other decisions, with what is to become of the receipt.
          can.cancel === true &&
          can.decide !== true &&
          renderForm(visit, {
            action: `${path}/cancel`,
            submit: TEXT.cancel,
            kind: 'danger',
            hidden: seenFields([payment]),
          })
        }
      </section>`
    }`;
  }

  private renderCustomerLink(visit: Visit, payment: Payment): Markup {
    const url = checkoutUrlOf(payment.id, this.settings.publicUrl);
    return html`<section class="card">
      <h2>${visit.say(TEXT.link)}</h2>
      ${renderCopyBox(url, html`<span class="code small" translate="no">${url}</span>`, {
        copy: visit.say(WORDS.copy),
        label: `${visit.say(WORDS.copy)}: ${visit.say(TEXT.link)}`,
      })}
      <p class="buttons">
        <a class="quiet" href="/pay/${payment.id}" target="_blank" rel="noopener">${visit.say(TEXT.open)}</a>
        <button type="button" class="quiet" data-share="${url}" hidden>${visit.say(TEXT.share)}</button>
      </p>
      <details>
        <summary>${visit.say(TEXT.qr)}</summary>
        <figure class="qr">${renderQrSvg(url, visit.say(TEXT.qrLabel))}</figure>
      </details>
    </section>`;
  }
}

const DONE_OF_RECEIPT = {
  matched: 'matched',
  unmatched: 'waiting',
  review: 'review',
  duplicate: 'duplicate',
  ignored: 'waiting',
} as const;

/** The identity of the simulated receipt: the payer's submission, else the user's input here. */
function identityOf(
  payment: Payment,
  wallet: string,
  typed: string,
): { trxId: string } | { last4digit: string } {
  const { submission } = payment;
  if (submission?.kind === 'trx_id') return { trxId: submission.trxId };
  if (submission?.kind === 'last4digit') return { last4digit: submission.last4digit };
  if (wallet === QR_PROVIDER && /^[0-9]{4}$/.test(typed.trim())) return { last4digit: typed.trim() };
  const trxId = normaliseTrxId(typed);
  if (trxId === null)
    throw invalidInput([
      { pointer: '/trxId', detail: 'must be 4 to 64 letters, digits, dots, hyphens or underscores' },
    ]);
  return { trxId };
}

function renderSimulation(visit: Visit, payment: Payment, path: string): Markup {
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

function renderState(visit: Visit, payment: Payment): Markup {
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

/** Approve, reject or cancel: one form, because a user gives one reason. */
function renderDecision(visit: Visit, matter: ReviewCase, nextClaimants: readonly NextClaimant[]): Markup {
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
  ${renderField(visit, { name: 'reason', label: WORDS.reason, hint: visit.say(WORDS.reasonHint), maxlength: 500, required: true })}
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
const NO_RECEIPT = 'none';
/** A hidden field of a form that asks which receipt it is. */
const CHOICE = 'choice';
/** Chosen on purpose, as nothing is chosen beforehand; for the service it is as if nothing were said. */
const NOTHING_SAID = 'leave';

function endingFields(visit: Visit): object {
  const [receipt, receiptId] = [visit.text('receipt'), visit.text('receiptId')];
  return {
    ...(receipt === null || receipt === NOTHING_SAID ? {} : { receipt }),
    ...(receiptId === null || receiptId === NO_RECEIPT ? {} : { receiptId }),
    ...readSeen(visit, visit.idOf('paymentId')),
  };
}

function renderReceiptChoice(visit: Visit, payment: Payment, receipt: Receipt): Markup {
  const { holder } = receipt;
  const held = holder === null ? null : holder.paymentId === payment.id ? TEXT.held : TEXT.heldByOther;
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

/** How a payment is called where there is no room for more. */
function paymentName(visit: Visit, payment: Payment): string {
  const name = payment.customerName ?? payment.customerPhone ?? payment.note;
  const parts = [visit.money(payment.payAmountMinor, payment.currency), name, `…${payment.id.slice(-8)}`];
  return parts.filter((part) => part !== null).join(' · ');
}

function renderClaimants(visit: Visit, { claimants }: ReviewCase): Markup {
  if (claimants.length === 0) return NOTHING;
  return html`<section>
    <h2>${visit.say(TEXT.claimants)}</h2>
    ${renderPaymentRows(visit, claimants)}
  </section>`;
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

function renderDetails(visit: Visit, payment: Payment): Markup {
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

function renderHistory(visit: Visit, payment: Payment): Markup {
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

function renderDeliveries(visit: Visit, deliveries: readonly DeliveryRow[]): Markup {
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

/** The one-time key of a form that was drawn once: a second press of the button has no second effect. */
function onceKey(once: string, content: string): string {
  const drawn = isId(once) ? once : newId();
  return `form ${drawn} ${createHash('sha256').update(content).digest('base64url')}`;
}

const REFUND = new Form(RecordRefundBody, {
  amount: amount({ label: WORDS.amount }),
  reason: text({ label: WORDS.reason }),
  provider: choice({ label: WORDS.wallet }, (visit) => [
    { value: '', text: visit.say(TEXT.anyWallet) },
    ...walletChoices(visit),
  ]),
  trxId: text({ label: WORDS.trxId, code: true, max: 64 }),
});

function renderRefundForm(visit: Visit, payment: Payment, path: string): Markup {
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

function renderRefunds(visit: Visit, refunds: readonly Refund[]): Markup {
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
