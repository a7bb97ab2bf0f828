import { Injectable } from '@nestjs/common';
import { PageQuery } from '../../../platform/http/index.js';
import { PhonePresence, type Store, StoresService } from '../../../stores/index.js';
import { Clock } from '../../../kernel/clock.js';
import { dayAt, spanOfDay } from '../../../kernel/time-zone.js';
import { PaymentTotals } from '../../../payments/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderBadge, renderEmpty, renderMoney, renderPager, renderRows } from '../../kit/parts.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import type { Visit } from '../../kit/visit.js';
import { NAME, TEXT } from './words.js';

/** The list of stores, each with what a user would open it for. */
@Injectable()
export class StoreList {
  constructor(
    private readonly stores: StoresService,
    private readonly phones: PhonePresence,
    private readonly totals: PaymentTotals,
    private readonly clock: Clock,
  ) {}

  /** The one store of somebody who has no other. */
  async findOnly(visit: Visit): Promise<Store | null> {
    const { data } = await this.stores.listFor(visit.user, Object.assign(new PageQuery(), { limit: 2 }));
    return data.length === 1 ? (data[0] ?? null) : null;
  }

  async render(visit: Visit): Promise<Markup> {
    const page = await this.stores.listFor(visit.user, await visit.pageQuery());
    const add = html`<p class="buttons">
      <a class="primary" href="/dashboard/stores/new">${visit.say(TEXT.newStore)}</a>
    </p>`;
    if (page.data.length === 0) return renderEmpty(visit.say(TEXT.empty), add);
    return html`${add} ${await this.renderRows(visit, page.data)} ${renderPager(visit, page)}`;
  }

  private async renderRows(visit: Visit, stores: readonly Store[]): Promise<Markup> {
    const ids = stores.map(({ id }) => id);
    const now = this.clock.now();
    const from = spanOfDay(dayAt(now, visit.timeZone), visit.timeZone)?.from ?? now;
    const range = { from, to: new Date(now.getTime() + 60_000), timeZone: visit.timeZone };
    const [phoneOf, today, waiting] = await Promise.all([
      this.phones.statusOf(ids),
      this.totals.verifiedByDay(ids, range),
      this.totals.waitingIn(ids),
    ]);
    return renderRows(
      stores.map((store) => {
        const sum = today
          .filter(({ storeId, currency }) => storeId === store.id && currency === store.currency)
          .reduce((all, { amountMinor }) => all + amountMinor, 0);
        const review = waiting.find(({ storeId }) => storeId === store.id)?.review ?? 0;
        return {
          href: `/dashboard/stores/${store.id}`,
          main: store.name,
          aside: html`${review !== 0 && renderBadge(`${visit.count(review)} ${visit.say(TEXT.review)}`, 'look')}
          ${store.archivedAt !== null && renderBadge(visit.say(TEXT.archived), 'over')}`,
          below: html`<span>${visit.say(TEXT.today)} ${renderMoney(visit, sum, store.currency)}</span>
            <span>${phoneText(visit, phoneOf(store.id).lastSeenAt)}</span>`,
        };
      }),
    );
  }
}

/** The stores of a user; who has one is led to it, and finds the list at an address of its own (contract 10.16). */
@DashboardPage({ scope: 'user', path: '', name: NAME })
export class HomePage {
  constructor(private readonly list: StoreList) {}

  @PageView()
  async lead(visit: Visit): Promise<PageAnswer> {
    const only = await this.list.findOnly(visit);
    if (only !== null) return visit.goTo(`/dashboard/stores/${only.id}`);
    return visit.shown(await this.list.render(visit));
  }
}

@DashboardPage({ scope: 'user', path: 'stores', name: NAME, order: 10 })
export class StoresPage {
  constructor(private readonly list: StoreList) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return visit.shown(await this.list.render(visit));
  }
}

function phoneText(visit: Visit, lastSeenAt: Date | null): string {
  if (lastSeenAt === null) return visit.say(TEXT.noPhone);
  return `${visit.say(TEXT.phone)}${visit.instant(lastSeenAt)}`;
}
