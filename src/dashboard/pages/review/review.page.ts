import { type Payment, PaymentQuery, PaymentsService } from '../../../payments/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderEmpty, renderMoney, renderPager } from '../../kit/parts.js';
import { type ReviewCase, ReviewCases } from './review-cases.js';
import { groupByReceipt } from './review-groups.js';
import type { Visit } from '../../kit/visit.js';
import { reasonWords, WORDS } from '../../kit/words.js';
import { renderAsked, renderReceipt, renderSideBySide } from '../payment/sections.js';
import { NAME, TEXT } from './words.js';

/** Everything that waits for a user, with its reason, payment and receipt side by side (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'review', name: NAME, order: 30 })
export class ReviewPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly cases: ReviewCases,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const cursor = visit.query('cursor');
    const query = await visit.checked(PaymentQuery, {
      status: 'review',
      ...(cursor === '' ? {} : { cursor }),
    });
    const page = await this.payments.listOfStore(visit.store.id, { status: 'review' }, query);
    if (page.data.length === 0)
      return visit.shown(html`<div data-live="review">${renderEmpty(visit.say(TEXT.empty))}</div>`);
    const groups = groupByReceipt(await this.cases.listOf(visit.store.id, page.data));
    return visit.shown(
      html`<div data-live="review">
          ${groups.map((group) => (isAlone(group) ? renderCase(visit, group[0]) : renderGroup(visit, group)))}
        </div>
        ${renderPager(visit, page)}`,
    );
  }
}

/** Nobody else is in review over its receipts, on another page of the list neither. */
function isAlone(group: readonly ReviewCase[]): group is readonly [ReviewCase] {
  return group.length === 1 && group[0]?.claimants.every(({ status }) => status !== 'review') === true;
}

function renderCase(visit: Visit, { payment, receipts }: ReviewCase): Markup {
  return html`<article class="case">
    <h2>
      <a href="${visit.inStore(`payments/${payment.id}`)}"
        >${renderMoney(visit, payment.amountMinor, payment.currency)}</a
      >
      ${payment.simulated && renderBadge(visit.say(WORDS.simulated), 'plain')}
    </h2>
    <p class="callout">${visit.say(reasonWords(payment.reviewReason))}</p>
    ${renderSideBySide(visit, payment, receipts)}
    <p class="buttons">${renderDecide(visit, payment)}</p>
  </article>`;
}

/** Several payments over one receipt: the receipt once, and beside it who says that it is theirs (contract 4.44). */
function renderGroup(visit: Visit, group: readonly ReviewCase[]): Markup {
  const unique = <One extends { readonly id: string }>(all: readonly One[]): One[] =>
    all.filter(({ id }, index) => all.findIndex((one) => one.id === id) === index);
  const receipts = unique(group.flatMap((one) => one.receipts));
  const others = group.flatMap(({ claimants }) => claimants).filter(({ status }) => status === 'review');
  const payments = unique([...group.map(({ payment }) => payment), ...others]);
  return html`<article class="case case-group">
    <h2>${visit.count(payments.length)}${visit.say(TEXT.several)}</h2>
    <div class="side-by-side">
      ${receipts.map((receipt) => renderReceipt(visit, receipt))}
      ${payments.map((payment) =>
        renderAsked(
          visit,
          payment,
          html`<p class="callout">${visit.say(reasonWords(payment.reviewReason))}</p>
            <p class="buttons">${renderDecide(visit, payment)}</p>`,
        ),
      )}
    </div>
  </article>`;
}

function renderDecide(visit: Visit, payment: Payment): Markup {
  return html`<a class="primary" href="${visit.inStore(`payments/${payment.id}`)}"
    >${visit.say(visit.may('reviewer') ? TEXT.decide : TEXT.look)}</a
  >`;
}
