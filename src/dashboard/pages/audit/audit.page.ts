import {
  type AuditEntryView,
  type AuditFilter,
  AuditLog,
  type CheckedChain,
} from '../../../platform/audit/index.js';
import type { Page } from '../../../platform/http/index.js';
import { spanOfDay } from '../../../kernel/time-zone.js';
import { renderNotice } from '../../../platform/web/controls.js';
import { fillText, html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { ICONS } from '../../../platform/web/icons.js';
import { renderField, renderFilter } from '../../kit/forms.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderCode, renderEmpty, renderPager, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, SECURITY_NAME, TEXT } from './words.js';

/** Looked at whenever the log is opened: some milliseconds. */
const CHECKED_AT_ONCE = 500;
/**
 * Looked at after a press: a second or two, in steps that let others through. `npm run audit:verify` knows no limit.
 */
const CHECKED_AFTER_A_PRESS = 100_000;

/** The audit log of a store, and whether somebody has changed it (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'audit', name: NAME, order: 120, role: 'manager' })
export class AuditPage {
  constructor(private readonly auditLog: AuditLog) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const { id } = visit.store;
    const [chain, page] = await Promise.all([
      checked(visit, this.auditLog, id),
      this.auditLog.listOfStore(id, await visit.pageQuery(), filterOf(visit)),
    ]);
    return visit.shown(renderLog(visit, chain, page));
  }
}

/** The audit entries that belong to no store: users and their sign-ins, for admins (contract 14.54). */
@DashboardPage({ scope: 'admin', path: 'audit', name: SECURITY_NAME, order: 25 })
export class SecurityLogPage {
  constructor(private readonly auditLog: AuditLog) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const [chain, page] = await Promise.all([
      checked(visit, this.auditLog, null),
      this.auditLog.listOfNoStore(await visit.pageQuery(), filterOf(visit)),
    ]);
    return visit.shown(renderLog(visit, chain, page));
  }
}

/** On the first page only: who leafs through the log has been told. */
async function checked(
  visit: Visit,
  auditLog: AuditLog,
  storeId: string | null,
): Promise<CheckedChain | null> {
  if (visit.query('cursor') !== '') return null;
  return auditLog.checkNewest(
    storeId,
    visit.query('check') === 'all' ? CHECKED_AFTER_A_PRESS : CHECKED_AT_ONCE,
  );
}

function filterOf(visit: Visit): AuditFilter {
  const [action, user] = [visit.query('action').trim(), visit.query('person').trim()];
  return {
    action: action === '' ? null : action,
    user: user === '' ? null : user,
    ...spanOfDay(visit.query('day'), visit.timeZone),
  };
}

function renderLog(
  visit: Visit,
  chain: CheckedChain | null,
  { data, nextCursor }: Page<AuditEntryView>,
): Markup {
  const isFiltered = ['action', 'person', 'day'].some((name) => visit.query(name) !== '');
  const nothing = nextCursor !== null ? TEXT.notYetFound : isFiltered ? TEXT.notFound : TEXT.empty;
  return html`${chain !== null && renderVerdict(visit, chain)}
    <section class="card filter-card" ${isFiltered && html`data-open`}>${renderLogFilter(visit)}</section>
    ${
      data.length === 0
        ? renderEmpty(visit.say(nothing))
        : html`<ol class="timeline card">
            ${data.map((entry) => renderEntry(visit, entry))}
          </ol>`
    }
    ${renderPager(visit, { nextCursor })}`;
}

/** Whether the chain holds, as far as was looked; a check of more by a press. */
function renderVerdict(visit: Visit, chain: CheckedChain): Markup {
  const { entries, checked, head, broken } = chain;
  if (broken !== null)
    return renderNotice(fillText(visit.say(TEXT.broken), { position: visit.count(broken.position) }));
  if (entries === 0) return NOTHING;
  const text = fillText(visit.say(TEXT.holds), {
    checked: visit.count(checked),
    entries: visit.count(entries),
  });
  return html`<section class="card">
    <p class="callout notice notice-done" role="status">${ICONS.tick}<span>${text}</span></p>
    <p class="hint">${visit.say(TEXT.last)}: ${renderCode(head?.hash ?? null)}</p>
    ${
      checked < entries &&
      renderFilter(visit, TEXT.checkAll, html`<input type="hidden" name="check" value="all" />`)
    }
  </section>`;
}

function renderLogFilter(visit: Visit): Markup {
  return renderFilter(
    visit,
    WORDS.filter,
    html`${renderField(visit, {
      name: 'action',
      label: TEXT.action,
      hint: visit.say(TEXT.actionHint),
      value: visit.query('action'),
      maxlength: 100,
    })}
    ${renderField(visit, {
      name: 'person',
      label: TEXT.user,
      hint: visit.say(TEXT.userHint),
      value: visit.query('person'),
      maxlength: 200,
    })}
    ${renderField(visit, { name: 'day', label: WORDS.day, type: 'date', value: visit.query('day') })}`,
  );
}

function actorName(visit: Visit, { type, id, email }: AuditEntryView['actor']): string {
  return email ?? id ?? visit.say(type === 'api_key' ? TEXT.apiKey : TEXT.service);
}

function renderEntry(visit: Visit, entry: AuditEntryView): Markup {
  const hasDetails = Object.keys(entry.details).length > 0;
  return html`<li>
    <strong class="code">${entry.action}</strong>
    <span>${actorName(visit, entry.actor)}</span>
    <span class="hint"
      >${renderTime(visit, new Date(entry.at))} ${entry.address !== null && html` · ${entry.address}`}</span
    >
    ${
      hasDetails &&
      html`<details>
        <summary>${visit.say(TEXT.details)}</summary>
        <pre class="code small" tabindex="0">${JSON.stringify(entry.details, null, 2)}</pre>
      </details>`
    }
  </li>`;
}
