import { AuditLog } from '../../audit/index.js';
import { html, type Markup, NOTHING } from '../../web/html.js';
import { DashboardPage, PageView } from '../page.js';
import type { PageAnswer } from '../page-definition.js';
import { renderEmpty, renderPager, renderTime } from '../parts.js';
import type { Visit } from '../visit.js';

const NAME = { en: 'Audit log', bn: 'অডিট লগ' };
const TEXT = {
  empty: { en: 'Nothing was done yet.', bn: 'এখনো কিছু করা হয়নি।' },
  service: { en: 'The service', bn: 'সার্ভিস' },
  details: { en: 'Details', bn: 'বিস্তারিত' },
};

/** Who did what in this store (decisions §10). */
@DashboardPage({ scope: 'store', path: 'audit', name: NAME, order: 120, role: 'manager' })
export class AuditPage {
  constructor(private readonly auditLog: AuditLog) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const page = await this.auditLog.listOfStore(visit.store.id, await visit.pageQuery());
    if (page.data.length === 0) return visit.shown(renderEmpty(visit.say(TEXT.empty)));
    return visit.shown(
      html`<ol class="timeline card">
          ${page.data.map((entry) => renderEntry(visit, entry))}
        </ol>
        ${renderPager(visit, page)}`,
    );
  }
}

type Entry = Awaited<ReturnType<AuditLog['listOfStore']>>['data'][number];

function renderEntry(visit: Visit, entry: Entry): Markup {
  const hasDetails = Object.keys(entry.details).length > 0;
  return html`<li>
    <strong class="code">${entry.action}</strong>
    <span>${entry.actor.email ?? (entry.actor.id === null ? visit.say(TEXT.service) : entry.actor.id)}</span>
    <span class="hint"
      >${renderTime(visit, new Date(entry.at))}
      ${entry.address === null ? NOTHING : html` · ${entry.address}`}</span
    >
    ${
      hasDetails
        ? html`<details>
            <summary>${visit.say(TEXT.details)}</summary>
            <pre class="code small" tabindex="0">${JSON.stringify(entry.details, null, 2)}</pre>
          </details>`
        : NOTHING
    }
  </li>`;
}
