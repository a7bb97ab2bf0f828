import {
  DashboardPage,
  type PageAnswer,
  PageView,
  renderEmpty,
  renderField,
  renderFilter,
  renderMoney,
  type Visit,
  walletName,
  WORDS,
} from '../../../dashboard/index.js';
import { Clock } from '../../../kernel/clock.js';
import { dayAt } from '../../../kernel/time-zone.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { DAY_KINDS, type DayKind } from '../day-close.repository.js';
import { STATEMENT_FORMATS } from '../day-statement.js';
import { DayStatements } from '../day-statements.js';
import { DaysService, type StoreDay } from '../days.service.js';

const NAME = { en: 'Days', bn: 'দিনের হিসাব' };
const TEXT = {
  day: { en: 'Day', bn: 'তারিখ' },
  statement: { en: 'Statement', bn: 'বিবরণী' },
  nothing: { en: 'Nothing happened on this day.', bn: 'এই দিনে কিছু হয়নি।' },
  sum: { en: 'Sum', bn: 'মোট' },
  simulatedOut: { en: 'Simulated payments are not counted.', bn: 'পরীক্ষামূলক পেমেন্ট ধরা হয়নি।' },
};
const KIND_WORDS: Readonly<Record<DayKind, { en: string; bn: string }>> = {
  verified: { en: 'Verified', bn: 'যাচাই হয়েছে' },
  refunded: { en: 'Refunded', bn: 'ফেরত' },
  unclaimed: { en: 'Unclaimed', bn: 'পেমেন্ট নেই' },
  inReview: { en: 'In review', bn: 'যাচাই করতে হবে' },
};

/** A day's totals by wallet, and its statement to take away. */
@DashboardPage({ scope: 'store', path: 'days', name: NAME, order: 46 })
export class DaysPage {
  constructor(
    private readonly days: DaysService,
    private readonly statements: DayStatements,
    private readonly clock: Clock,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const date = visit.query('day') || dayAt(this.clock.now(), this.days.timeZone);
    const day = await this.days.totals(visit.store, date);
    const field = renderField(visit, {
      name: 'day',
      label: TEXT.day,
      type: 'date',
      value: date,
      required: true,
    });
    return visit.shown(
      html`<section class="card filter-card">${renderFilter(visit, WORDS.filter, field)}</section>
        ${day.wallets.length === 0 ? renderEmpty(visit.say(TEXT.nothing)) : renderTotals(visit, day)}
        <p class="buttons">
          ${STATEMENT_FORMATS.map(
            (format) =>
              html`<a class="quiet" href="${visit.inStore(`days/statement?day=${date}&format=${format}`)}"
                >${visit.say(TEXT.statement)} ${format.toUpperCase()}</a
              >`,
          )}
        </p>
        <p class="hint">${visit.say(TEXT.simulatedOut)} ${day.timeZone}</p>`,
    );
  }

  @PageView('statement')
  async download(visit: Visit): Promise<PageAnswer> {
    const format = visit.query('format') === 'xlsx' ? 'xlsx' : 'csv';
    await this.statements.send(visit.reply, visit.store, visit.query('day'), format);
    return 'sent';
  }
}

function renderTotals(visit: Visit, { wallets, currency }: StoreDay): Markup {
  const sumOf = (kind: DayKind) => wallets.reduce((sum, wallet) => sum + wallet[kind].amountMinor, 0);
  const countOf = (kind: DayKind) => wallets.reduce((sum, wallet) => sum + wallet[kind].count, 0);
  const cell = (count: number, amountMinor: number) =>
    html`<td>
      ${renderMoney(visit, amountMinor, currency)} <span class="hint">× ${visit.count(count)}</span>
    </td>`;
  return html`<section class="card">
    <div class="table-wrap" tabindex="0" role="region" aria-label="${visit.say(NAME)}">
      <table>
        <thead>
          <tr>
            <th scope="col">${visit.say(WORDS.wallet)}</th>
            ${DAY_KINDS.map((kind) => html`<th scope="col">${visit.say(KIND_WORDS[kind])}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${wallets.map(
            (wallet) =>
              html`<tr>
                <th scope="row">${walletName(visit, wallet.provider)}</th>
                ${DAY_KINDS.map((kind) => cell(wallet[kind].count, wallet[kind].amountMinor))}
              </tr>`,
          )}
          <tr>
            <th scope="row">${visit.say(TEXT.sum)}</th>
            ${DAY_KINDS.map((kind) => cell(countOf(kind), sumOf(kind)))}
          </tr>
        </tbody>
      </table>
    </div>
  </section>`;
}
