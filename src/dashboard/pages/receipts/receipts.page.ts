import {
  MatchReceiptBody,
  type Payment,
  PaymentsService,
  type Receipt,
  RECEIPT_STATUSES,
  ReceiptDecisions,
  ReceiptQuery,
  ReceiptReasonBody,
  ReceiptsService,
  ReviewClaims,
  ReviewService,
} from '../../../payments/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderFilter, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderCode,
  renderEmpty,
  renderMoney,
  renderPager,
  renderRows,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import { renderReason } from '../reason.js';
import type { Visit } from '../../kit/visit.js';
import { readSeen, seenFields } from '../payment/seen-payment.js';
import { renderPaymentRows } from '../payments/payments.page.js';
import { WORDS } from '../../kit/words.js';
import { NAME, RECEIPT_WORDS, TEXT } from './words.js';
import { PAYMENTS_LOOKED_AT, proposalText, listProposedPayments } from './match.page.js';
import { renderReceiptFacts, renderRestore, TONES } from './sections.js';

/** Money that came, the unmatched first (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'receipts', name: NAME, order: 40 })
export class ReceiptsPage {
  constructor(private readonly receipts: ReceiptsService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const wanted = visit.query('status') || 'unmatched';
    const cursor = visit.query('cursor');
    const query = await visit.checked(ReceiptQuery, {
      ...(wanted === 'all' ? {} : { status: wanted }),
      ...(cursor === '' ? {} : { cursor }),
    });
    const isFront = visit.query('status') === '' && cursor === '';
    const [page, doubtful] = await Promise.all([
      this.receipts.listOfStore(visit.store.id, query.status, query),
      isFront ? this.listDoubtful(visit) : [],
    ]);
    const choices = RECEIPT_STATUSES.map((status) => ({
      value: status,
      text: visit.say(RECEIPT_WORDS[status]),
    }));
    const field = renderSelect(visit, {
      name: 'status',
      label: WORDS.status,
      value: wanted,
      choices: [...choices, { value: 'all', text: visit.say(WORDS.all) }],
    });
    const rows = (receipts: readonly Receipt[]) =>
      renderRows(receipts.map((receipt) => rowOf(visit, receipt)));
    return visit.shown(
      html`<section class="card filter-card">${renderFilter(visit, WORDS.filter, field)}</section>
        <div data-live="receipts">
          ${
            doubtful.length !== 0 &&
            html`<h2>${visit.say(TEXT.doubtful)}</h2>
              ${rows(doubtful)}
              <h2>${visit.say(TEXT.unclaimed)}</h2>`
          }
          ${
            page.data.length === 0
              ? renderEmpty(visit.say(wanted === 'unmatched' ? TEXT.empty : TEXT.emptyOther))
              : rows(page.data)
          }
        </div>
        ${renderPager(visit, page)}`,
    );
  }

  /** In review, and attached to no payment: nobody would come upon them in the review of payments. */
  private async listDoubtful(visit: Visit): Promise<readonly Receipt[]> {
    const query = await visit.checked(ReceiptQuery, { status: 'review', limit: PAYMENTS_LOOKED_AT });
    const { data } = await this.receipts.listOfStore(visit.store.id, 'review', query);
    return data.filter(({ attachedTo }) => attachedTo === null);
  }
}

function rowOf(visit: Visit, receipt: Receipt) {
  return {
    href: visit.inStore(`receipts/${receipt.id}`),
    main: html`${renderMoney(visit, receipt.amountMinor, receipt.currency)}
      <span class="row-name">${walletName(visit, receipt.provider)}</span>`,
    aside: html`${renderBadge(visit.say(RECEIPT_WORDS[receipt.status]), TONES[receipt.status])}
    ${receipt.simulated && renderBadge(visit.say(WORDS.simulated), 'plain')}`,
    below: html`${renderTime(visit, receipt.receivedAt)} ${renderCode(receipt.trxId ?? receipt.last4digit)}
    ${renderCode(receipt.counterparty)}`,
  };
}

/** One receipt, and giving it to a payment. */
@DashboardPage({ scope: 'store', path: 'receipts/:receiptId', name: TEXT.one })
export class ReceiptPage {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly payments: PaymentsService,
    private readonly review: ReviewService,
    private readonly decisions: ReceiptDecisions,
    private readonly claims: ReviewClaims,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const receipt = await this.receipts.getOfStore(visit.store.id, visit.idOf('receiptId'));
    const isFree =
      receipt.attachedTo === null && (receipt.status === 'unmatched' || receipt.status === 'review');
    const claiming = await this.listClaiming(visit, receipt);
    return visit.shown(
      html`<div class="columns">
        <div>${renderReceiptFacts(visit, receipt)}</div>
        <div>
          ${
            claiming.length !== 0 &&
            html`<h2>${visit.say(TEXT.claiming)}</h2>
              ${renderPaymentRows(visit, claiming)}`
          }
          ${isFree && visit.may('reviewer') && (await this.renderMatch(visit, receipt))}
          ${receipt.status === 'void' && visit.may('manager') && renderRestore(visit, receipt)}
        </div>
      </div>`,
      { heading: html`${visit.money(receipt.amountMinor, receipt.currency)}`, title: visit.say(TEXT.one) },
    );
  }

  @PageAction('match', { role: 'reviewer', refusedTo: 'show', findsTyped: true })
  async match(visit: Visit): Promise<PageAnswer> {
    const receiptId = visit.idOf('receiptId');
    const paymentId = (visit.text('otherPaymentId') ?? visit.field('paymentId')).toLowerCase();
    const decision = await visit.checked(MatchReceiptBody, {
      paymentId,
      reason: visit.field('reason').trim(),
      ...readSeen(visit, paymentId),
    });
    const { payment } = await this.review.match(visit.caller, visit.store.id, receiptId, decision);
    const done = payment.status === 'verified' ? 'matched' : 'review';
    return visit.goTo(visit.inStore(`payments/${payment.id}`), done);
  }

  @PageAction('void', { role: 'reviewer', refusedTo: 'show' })
  async void(visit: Visit): Promise<PageAnswer> {
    const { reason } = await visit.checked(ReceiptReasonBody, { reason: visit.field('reason').trim() });
    const receiptId = visit.idOf('receiptId');
    await this.decisions.void(visit.caller, visit.store.id, receiptId, reason);
    return visit.goTo(visit.inStore(`receipts/${receiptId}`), 'voided');
  }

  @PageAction('restore', { role: 'manager', refusedTo: 'show' })
  async restore(visit: Visit): Promise<PageAnswer> {
    const { reason } = await visit.checked(ReceiptReasonBody, { reason: visit.field('reason').trim() });
    const receiptId = visit.idOf('receiptId');
    await this.decisions.restore(visit.caller, visit.store.id, receiptId, reason);
    return visit.goTo(visit.inStore(`receipts/${receiptId}`), 'restored');
  }

  private async listClaiming(visit: Visit, receipt: Receipt): Promise<Payment[]> {
    const claimants = await this.claims.listOfReceipts(visit.store.id, [receipt.id]);
    return Promise.all(claimants.map(({ paymentId }) => this.payments.getOfStore(visit.store.id, paymentId)));
  }

  /** One form, because a user gives one reason: it is this payment's, or it is nobody's. */
  private async renderMatch(visit: Visit, receipt: Receipt): Promise<Markup> {
    const proposed = await listProposedPayments(visit, this.payments, receipt);
    const path = visit.inStore(`receipts/${receipt.id}`);
    const fields = html`${
        proposed.length === 0
          ? html`<p class="hint">${visit.say(TEXT.noProposals)}</p>`
          : renderSelect(visit, {
              name: 'paymentId',
              label: TEXT.proposed,
              value: visit.query('payment'),
              choices: proposed.map(({ payment, why }) => ({
                value: payment.id,
                text: proposalText(visit, payment, why),
              })),
            })
      }
      ${renderField(visit, { name: 'otherPaymentId', label: TEXT.otherPayment, code: true, maxlength: 36 })}
      ${renderReason(visit)}
      <p class="hint">${visit.say(TEXT.voidLead)}</p>`;
    return html`<section class="card">
      <h2>${visit.say(TEXT.whose)}</h2>
      <p class="hint">${visit.say(TEXT.matchLead)}</p>
      ${renderForm(
        visit,
        {
          action: `${path}/match`,
          submit: TEXT.match,
          hidden: seenFields(proposed.map(({ payment }) => payment)),
          others: [{ action: `${path}/void`, words: TEXT.void, danger: true }],
        },
        fields,
      )}
    </section>`;
  }
}
