import { type Payment, PaymentQuery, PaymentsService, ReceiptsService } from '../../payments/index.js';
import { html, type Markup, NOTHING } from '../../web/html.js';
import { DashboardPage, PageView } from '../page.js';
import type { PageAnswer } from '../page-definition.js';
import { renderBadge, renderEmpty, renderMoney, renderPager } from '../parts.js';
import type { Visit } from '../visit.js';
import { reasonWords, WORDS } from '../words.js';
import { renderSideBySide } from './payment.page.js';

const NAME = { en: 'Review', bn: 'যাচাই' };
const TEXT = {
  empty: {
    en: 'Nothing waits for you. Money that does not agree with its payment shows here.',
    bn: 'আপনার জন্য কিছু নেই। যে টাকার সঙ্গে পেমেন্ট মেলে না, তা এখানে আসবে।',
  },
  decide: { en: 'Decide', bn: 'সিদ্ধান্ত দিন' },
};

/** Everything that waits for a person, with its reason, payment and receipt side by side (decisions §10). */
@DashboardPage({ scope: 'store', path: 'review', name: NAME, order: 30 })
export class ReviewPage {
  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
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
    const cases = await Promise.all(page.data.map((payment) => this.renderCase(visit, payment)));
    return visit.shown(
      html`<div data-live="review">${cases}</div>
        ${renderPager(visit, page)}`,
    );
  }

  private async renderCase(visit: Visit, payment: Payment): Promise<Markup> {
    const receipt =
      payment.receiptId === null ? null : await this.receipts.getOfStore(visit.store.id, payment.receiptId);
    return html`<article class="case">
      <h2>
        <a href="${visit.inStore(`payments/${payment.id}`)}"
          >${renderMoney(visit, payment.amountMinor, payment.currency)}</a
        >
        ${payment.simulated ? renderBadge(visit.say(WORDS.simulated), 'plain') : NOTHING}
      </h2>
      <p class="callout">${visit.say(reasonWords(payment.reviewReason))}</p>
      ${renderSideBySide(visit, payment, receipt)}
      <p class="buttons">
        <a class="primary" href="${visit.inStore(`payments/${payment.id}`)}">${visit.say(TEXT.decide)}</a>
      </p>
    </article>`;
  }
}
