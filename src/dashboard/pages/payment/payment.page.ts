import { ServiceSettings } from '../../../platform/config/index.js';
import { PageQuery } from '../../../platform/http/index.js';
import { SimulateBody, Simulations } from '../../../inbound/index.js';
import { numberFromMinor } from '../../../kernel/money.js';
import { DeliveriesService, DeliveryQuery } from '../../../notifications/index.js';
import {
  approvalOf,
  ApproveBody,
  CancelBody,
  checkoutUrlOf,
  endingOf,
  newRefundOf,
  type Payment,
  PaymentsService,
  type PaymentStatus,
  receiptRequired,
  ReceiptsService,
  refundableMinor,
  RefundsService,
  RejectBody,
  ReviewService,
  SubmissionsService,
} from '../../../payments/index.js';
import { renderCopyBox } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderForm } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { ReviewCases } from '../review/review-cases.js';
import { readSeen, seenFields } from './seen-payment.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import {
  renderDeliveries,
  renderDetails,
  renderHistory,
  renderReceipt,
  renderSideBySide,
  renderState,
} from './sections.js';
import { CHOICE, endingFields, NO_RECEIPT, renderClaimants, renderDecision } from './decision.js';
import { onceKey, REFUND, renderRefundForm, renderRefunds } from './refunds.js';
import { identityOf, renderSimulation } from './simulation.js';

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
