import { invalidInput } from '../../../kernel/domain-error.js';
import { isId } from '../../../kernel/ids.js';
import {
  compareMoney,
  MatchReceiptBody,
  type Payment,
  PaymentQuery,
  PaymentsService,
  phoneAgreement,
  type Receipt,
  RECEIPT_STATUSES,
  ReceiptQuery,
  ReceiptDecisions,
  ReceiptReasonBody,
  ReceiptsService,
  type ReceiptStatus,
  ReviewClaims,
  ReviewService,
} from '../../../payments/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderFilter, renderForm, renderRadios, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderCode,
  renderEmpty,
  renderFacts,
  renderMoney,
  renderPager,
  renderRows,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { readSeen, seenFields } from '../payment/seen-payment.js';
import { renderPaymentRows } from '../payments/payments.page.js';
import { statusWords, WORDS } from '../../kit/words.js';
import { NAME, RECEIPT_WORDS, TEXT } from './words.js';

const TONES: Readonly<Record<ReceiptStatus, string>> = {
  unmatched: 'look',
  matched: 'good',
  review: 'look',
  void: 'over',
  ignored: 'over',
};

/** How many payments are looked at for candidates of a match. */
const CANDIDATES_LOOKED_AT = 100;
const MAX_CANDIDATES = 10;

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

  /** In review, and no payment holds them: nobody would come upon them in the review of payments. */
  private async listDoubtful(visit: Visit): Promise<readonly Receipt[]> {
    const query = await visit.checked(ReceiptQuery, { status: 'review', limit: CANDIDATES_LOOKED_AT });
    const { data } = await this.receipts.listOfStore(visit.store.id, 'review', query);
    return data.filter(({ holder }) => holder === null);
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
    const isFree = receipt.holder === null && (receipt.status === 'unmatched' || receipt.status === 'review');
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
    const candidates = await listCandidates(visit, this.payments, receipt);
    const path = visit.inStore(`receipts/${receipt.id}`);
    const fields = html`${
        candidates.length === 0
          ? html`<p class="hint">${visit.say(TEXT.noCandidates)}</p>`
          : renderSelect(visit, {
              name: 'paymentId',
              label: TEXT.candidates,
              value: visit.query('payment'),
              choices: candidates.map(({ payment, why }) => ({
                value: payment.id,
                text: candidateText(visit, payment, why),
              })),
            })
      }
      ${renderField(visit, { name: 'otherPaymentId', label: TEXT.otherPayment, code: true, maxlength: 36 })}
      ${renderField(visit, { name: 'reason', label: WORDS.reason, hint: visit.say(WORDS.reasonHint), required: true, maxlength: 500 })}
      <p class="hint">${visit.say(TEXT.voidLead)}</p>`;
    return html`<section class="card">
      <h2>${visit.say(TEXT.whose)}</h2>
      <p class="hint">${visit.say(TEXT.matchLead)}</p>
      ${renderForm(
        visit,
        {
          action: `${path}/match`,
          submit: TEXT.match,
          hidden: seenFields(candidates.map(({ payment }) => payment)),
          others: [{ action: `${path}/void`, words: TEXT.void, danger: true }],
        },
        fields,
      )}
    </section>`;
  }
}

function renderRestore(visit: Visit, receipt: Receipt): Markup {
  const reason = renderField(visit, {
    name: 'reason',
    label: WORDS.reason,
    hint: visit.say(WORDS.reasonHint),
    required: true,
    maxlength: 500,
  });
  return html`<section class="card">
    <h2>${visit.say(TEXT.restore)}</h2>
    <p class="hint">${visit.say(TEXT.restoreLead)}</p>
    ${renderForm(visit, { action: visit.inStore(`receipts/${receipt.id}/restore`), submit: TEXT.restore, kind: 'quiet' }, reason)}
  </section>`;
}

/** The unmatched receipts that one payment could have, for whoever comes from the payment. */
@DashboardPage({
  scope: 'store',
  path: 'payments/:paymentId/match',
  name: { en: 'Match a receipt', bn: 'রসিদ মেলান' },
  role: 'reviewer',
})
export class MatchPage {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly payments: PaymentsService,
    private readonly review: ReviewService,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const payment = await this.payments.getOfStore(visit.store.id, visit.idOf('paymentId'));
    const query = await visit.checked(ReceiptQuery, { status: 'unmatched', limit: CANDIDATES_LOOKED_AT });
    const { data } = await this.receipts.listOfStore(visit.store.id, 'unmatched', query);
    const sorted = [...data].sort(
      (one, other) => nearness(payment, other).length - nearness(payment, one).length,
    );
    if (sorted.length === 0) return visit.shown(renderEmpty(visit.say(TEXT.empty)));
    const choices = sorted.slice(0, MAX_CANDIDATES).map((receipt) => ({
      value: receipt.id,
      text: html`${renderMoney(visit, receipt.amountMinor, receipt.currency)} ·
      ${walletName(visit, receipt.provider)} · ${renderCode(receipt.trxId ?? receipt.last4digit)} ·
      ${renderTime(visit, receipt.receivedAt)}
      ${nearness(payment, receipt).map((why) => html` · ${visit.say(why)}`)}`,
    }));
    const fields = html`${renderRadios(visit, { name: 'receiptId', legend: visit.say(TEXT.one), choices, required: true })}
    ${renderField(visit, { name: 'reason', label: WORDS.reason, hint: visit.say(WORDS.reasonHint), required: true, maxlength: 500 })}`;
    return visit.shown(
      html`<section class="card">
        <p class="hint">${visit.say(TEXT.matchLead)}</p>
        ${renderForm(
          visit,
          {
            action: visit.inStore(`payments/${payment.id}/match`),
            submit: TEXT.match,
            hidden: seenFields([payment]),
          },
          fields,
        )}
      </section>`,
    );
  }

  @PageAction('', { role: 'reviewer', refusedTo: 'show', findsTyped: true })
  async match(visit: Visit): Promise<PageAnswer> {
    const paymentId = visit.idOf('paymentId');
    const decision = await visit.checked(MatchReceiptBody, {
      paymentId,
      reason: visit.field('reason').trim(),
      ...readSeen(visit, paymentId),
    });
    const receiptId = visit.field('receiptId').toLowerCase();
    if (!isId(receiptId)) throw invalidInput([{ pointer: '/receiptId', detail: 'must be one of these' }]);
    const { payment } = await this.review.match(visit.caller, visit.store.id, receiptId, decision);
    const done = payment.status === 'verified' ? 'matched' : 'review';
    return visit.goTo(visit.inStore(`payments/${payment.id}`), done);
  }
}

interface Candidate {
  readonly payment: Payment;
  readonly why: readonly InBothLanguages[];
}

/** Open payments that this money could be for, the likeliest first. A user decides; nothing here does. */
async function listCandidates(
  visit: Visit,
  payments: PaymentsService,
  receipt: Receipt,
): Promise<Candidate[]> {
  const lists = await Promise.all(
    (['pending', 'submitted', 'review', 'expired'] as const).map(async (status) => {
      const query = await visit.checked(PaymentQuery, { status, limit: CANDIDATES_LOOKED_AT });
      return (await payments.listOfStore(visit.store.id, { status }, query)).data;
    }),
  );
  return lists
    .flat()
    .map((payment) => ({ payment, why: nearness(payment, receipt) }))
    .sort(
      (one, other) =>
        other.why.length - one.why.length ||
        other.payment.createdAt.getTime() - one.payment.createdAt.getTime(),
    )
    .slice(0, MAX_CANDIDATES);
}

/** Why a payment and a receipt may belong together, by the rules of matching. */
function nearness(payment: Payment, receipt: Receipt): InBothLanguages[] {
  const { submission } = payment;
  const typed = submission?.kind === 'trx_id' ? submission.trxId : submission?.last4digit;
  const wallet = submission?.provider ?? payment.requestedProvider;
  return [
    ...(compareMoney(payment, receipt) === null ? [TEXT.sameAmount] : []),
    ...(typed !== undefined && typed === (receipt.trxId ?? receipt.last4digit) ? [TEXT.sameTrxId] : []),
    ...(phoneAgreement(payment.customerPhone, receipt.counterparty) === 'agrees' ? [TEXT.samePhone] : []),
    ...(wallet !== null && wallet === receipt.provider ? [TEXT.sameWallet] : []),
  ];
}

function candidateText(visit: Visit, payment: Payment, why: readonly InBothLanguages[]): string {
  const parts = [
    visit.money(payment.payAmountMinor, payment.currency),
    // First what speaks for it: a narrow screen cuts the rest off.
    (why.length === 0 ? [TEXT.fitsNone] : why).map((words) => visit.say(words)).join(', '),
    payment.customerName ?? payment.customerPhone ?? payment.note,
    visit.say(statusWords(payment.status)),
    payment.id.slice(-8),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function renderReceiptFacts(visit: Visit, receipt: Receipt): Markup {
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
