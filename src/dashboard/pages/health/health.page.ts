import { type AmountUnderProtection, GuessProtection } from '../../../payments/index.js';
import { type SilentPhone, StoreHealth, type TroubledEndpoint } from '../../../stores/index.js';
import { renderNotice } from '../../../platform/web/controls.js';
import { fillText, html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { DashboardPage, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderMoney, renderRows, renderTime, type Row } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { NAME, TEXT } from './words.js';

/** The page shows so many of each list; an installation with more troubles has one cause for them. */
const SHOWN = 50;

/** The page for admins about all stores: deliveries that are held up, and guessing. */
@DashboardPage({ scope: 'admin', path: 'health', name: NAME, order: 23 })
export class HealthPage {
  constructor(
    private readonly health: StoreHealth,
    private readonly protections: GuessProtection,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const [silent, failing, paused, protections] = await Promise.all([
      this.health.listSilentPhones(SHOWN + 1),
      this.health.listFailingEndpoints(SHOWN + 1),
      this.health.listPausedEndpoints(SHOWN + 1),
      this.protections.listHeld(null, SHOWN + 1),
    ]);
    const names = await this.health.namesOf(protections.map(({ storeId }) => storeId));
    if ([silent, failing, paused, protections].every(({ length }) => length === 0))
      return visit.shown(renderNotice(visit.say(TEXT.fine), 'status'));
    return visit.shown(
      html`${renderList(
        visit,
        TEXT.silent,
        silent.map((phone) => silentRow(visit, phone)),
      )}
      ${renderList(
        visit,
        TEXT.failing,
        failing.map((endpoint) => endpointRow(visit, endpoint)),
      )}
      ${renderList(
        visit,
        TEXT.paused,
        paused.map((endpoint) => endpointRow(visit, endpoint)),
      )}
      ${renderList(
        visit,
        TEXT.protections,
        protections.map((protection) =>
          protectionRow(visit, protection, names.get(protection.storeId) ?? protection.storeId),
        ),
        TEXT.protectionsLead,
      )}`,
    );
  }
}

function renderList(
  visit: Visit,
  heading: InBothLanguages,
  rows: readonly Row[],
  lead?: InBothLanguages,
): Markup {
  if (rows.length === 0) return NOTHING;
  return html`<h2>${visit.say(heading)}</h2>
    ${lead !== undefined && html`<p class="hint">${visit.say(lead)}</p>`} ${renderRows(rows.slice(0, SHOWN))}
    ${
      rows.length > SHOWN &&
      html`<p class="hint">${fillText(visit.say(TEXT.more), { count: visit.count(SHOWN) })}</p>`
    }`;
}

function silentRow(visit: Visit, { storeId, name, waitingSince, lastSeenAt }: SilentPhone): Row {
  return {
    href: `/dashboard/stores/${storeId}/phone`,
    main: name,
    below: html`<span>${visit.say(TEXT.waitingSince)}: ${renderTime(visit, waitingSince)}</span>
      <span>${visit.say(TEXT.lastSeen)}: ${renderTime(visit, lastSeenAt) ?? visit.say(TEXT.never)}</span>`,
  };
}

function endpointRow(visit: Visit, { storeId, name, since, pausedFor }: TroubledEndpoint): Row {
  return {
    href: `/dashboard/stores/${storeId}/deliveries`,
    main: name,
    ...(pausedFor === null
      ? {}
      : { aside: renderBadge(visit.say(pausedFor === 'gone' ? TEXT.gone : TEXT.gaveUp), 'look') }),
    below: html`<span
      >${visit.say(pausedFor === null ? TEXT.failingSince : TEXT.pausedSince)}:
      ${renderTime(visit, since)}</span
    >`,
  };
}

function protectionRow(
  visit: Visit,
  { storeId, currency, amountMinor }: AmountUnderProtection,
  name: string,
): Row {
  return {
    href: `/dashboard/stores/${storeId}`,
    main: name,
    aside: renderMoney(visit, amountMinor, currency),
  };
}
