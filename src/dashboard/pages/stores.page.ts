import type { Page } from '../../http/index.js';
import { PageQuery } from '../../http/index.js';
import { PhonePresence, type Store, StoresService } from '../../stores/index.js';
import { html, type Markup, NOTHING } from '../../web/html.js';
import { formatInstant } from '../../web/local-time.js';
import { renderBadge, renderEmpty, renderPager, renderRows } from '../parts.js';
import { DashboardPage, PageView } from '../page.js';
import type { PageAnswer } from '../page-definition.js';
import type { Visit } from '../visit.js';

const NAME = { en: 'Stores', bn: 'দোকান' };
const TEXT = {
  newStore: { en: 'New store', bn: 'নতুন দোকান' },
  empty: {
    en: 'No store yet. A store has its own wallets, phone and keys; most shops need one.',
    bn: 'এখনো কোনো দোকান নেই। প্রতিটি দোকানের নিজের ওয়ালেট, ফোন ও কী থাকে; বেশির ভাগের একটিই লাগে।',
  },
  archived: { en: 'Archived', bn: 'আর্কাইভ' },
  phone: { en: 'Phone last heard from: ', bn: 'ফোনের শেষ খবর: ' },
  noPhone: { en: 'No phone has reported yet', bn: 'কোনো ফোন এখনো যুক্ত হয়নি' },
};

/** The stores of a person; who has one is led to it, and finds the list at an address of its own (decisions §10). */
@DashboardPage({ scope: 'person', path: '', name: NAME })
export class HomePage {
  constructor(
    private readonly stores: StoresService,
    private readonly phones: PhonePresence,
  ) {}

  @PageView()
  async lead(visit: Visit): Promise<PageAnswer> {
    const { data } = await this.stores.listFor(visit.person, Object.assign(new PageQuery(), { limit: 2 }));
    const [only] = data;
    if (only !== undefined && data.length === 1) return visit.goTo(`/dashboard/stores/${only.id}`);
    return visit.shown(await renderStores(visit, this.stores, this.phones));
  }
}

@DashboardPage({ scope: 'person', path: 'stores', name: NAME, order: 10 })
export class StoresPage {
  constructor(
    private readonly stores: StoresService,
    private readonly phones: PhonePresence,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return visit.shown(await renderStores(visit, this.stores, this.phones));
  }
}

async function renderStores(visit: Visit, stores: StoresService, phones: PhonePresence): Promise<Markup> {
  const page = await stores.listFor(visit.person, await visit.pageQuery());
  const add = html`<p class="buttons">
    <a class="primary" href="/dashboard/stores/new">${visit.say(TEXT.newStore)}</a>
  </p>`;
  if (page.data.length === 0) return renderEmpty(visit.say(TEXT.empty), add);
  return html`${add} ${await renderList(visit, page, phones)} ${renderPager(visit, page)}`;
}

async function renderList(visit: Visit, page: Page<Store>, phones: PhonePresence): Promise<Markup> {
  const phoneOf = await phones.statusOf(page.data.map(({ id }) => id));
  return renderRows(
    page.data.map((store) => ({
      href: `/dashboard/stores/${store.id}`,
      main: store.name,
      aside: store.archivedAt === null ? NOTHING : renderBadge(visit.say(TEXT.archived), 'over'),
      below: renderPhone(visit, phoneOf(store.id).lastSeenAt),
    })),
  );
}

function renderPhone(visit: Visit, lastSeenAt: Date | null): string {
  if (lastSeenAt === null) return visit.say(TEXT.noPhone);
  return `${visit.say(TEXT.phone)}${formatInstant(lastSeenAt, visit.language)}`;
}
