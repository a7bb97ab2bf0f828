import { spanOfDay } from '../../../kernel/time-zone.js';
import {
  DeliveriesService,
  DELIVERY_STATUSES,
  DeliveryQuery,
  type DeliveryRow,
  type DeliveryStatus,
  ReplayBody,
  ReplaysService,
} from '../../../notifications/index.js';
import { WebhookEndpoint } from '../../../stores/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderField, renderFilter, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderEmpty,
  renderFacts,
  renderPager,
  renderRows,
  renderTime,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { DELIVERY_WORDS, NAME, TEXT } from './words.js';

const TONES: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  held: 'look',
};

export function deliveryTone(status: DeliveryStatus): string {
  return TONES[status];
}

/** The deliveries to the merchant's endpoint, and its responses (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'deliveries', name: NAME, order: 60 })
export class DeliveriesPage {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly endpoint: WebhookEndpoint,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const status = visit.query('status');
    const query = await visit.checked(DeliveryQuery, {
      ...(status === '' ? {} : { status }),
      ...(visit.query('cursor') === '' ? {} : { cursor: visit.query('cursor') }),
    });
    const page = await this.deliveries.list(visit.store.id, query, query);
    return visit.shown(
      html`${renderEndpoint(visit)} ${renderDeliveryFilter(visit)}
        <div data-live="deliveries">
          ${page.data.length === 0 ? renderEmpty(visit.say(TEXT.empty)) : renderList(visit, page.data)}
        </div>
        ${renderPager(visit, page)} ${visit.may('reviewer') && renderReplay(visit)}`,
    );
  }

  @PageAction('replay', { role: 'reviewer', refusedTo: 'show' })
  async replay(visit: Visit): Promise<PageAnswer> {
    const until = spanOfDay(visit.field('until'), visit.timeZone);
    const body = await visit.checked(ReplayBody, {
      since: spanOfDay(visit.field('since'), visit.timeZone)?.from.toISOString() ?? visit.field('since'),
      ...(until === null ? {} : { until: until.to.toISOString() }),
      only: visit.field('only') === 'all' ? 'all' : 'failed',
    });
    const { since, only = 'failed' } = body;
    const range = { since: new Date(since), until: body.until == null ? undefined : new Date(body.until) };
    await this.replays.start(visit.store.id, { ...range, only });
    return visit.goTo(visit.inStore('deliveries'), 'replaying');
  }

  @PageAction('resume', { role: 'manager', refusedTo: 'show' })
  async resume(visit: Visit): Promise<PageAnswer> {
    await this.endpoint.resume(visit.caller, visit.store.id);
    return visit.goTo(visit.inStore('deliveries'), 'resumed');
  }
}

/** One delivery with its attempts. */
@DashboardPage({ scope: 'store', path: 'deliveries/:deliveryId', name: TEXT.one })
export class DeliveryPage {
  constructor(private readonly deliveries: DeliveriesService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const delivery = await this.deliveries.get(visit.store.id, visit.idOf('deliveryId'));
    const path = visit.inStore(`deliveries/${delivery.id}`);
    return visit.shown(
      html`<section class="card">
          <p class="state-line">${renderDeliveryStatus(visit, delivery.status)}</p>
          ${renderFacts([
            [visit.say(TEXT.event), html`<span class="code">${delivery.event}</span>`],
            [
              visit.say(TEXT.payment),
              delivery.paymentId === null
                ? null
                : html`<a class="code small" href="${visit.inStore(`payments/${delivery.paymentId}`)}"
                    >${delivery.paymentId}</a
                  >`,
            ],
            [visit.say(TEXT.next), renderTime(visit, delivery.nextAttemptAt)],
          ])}
          ${visit.may('reviewer') && renderForm(visit, { action: `${path}/redeliver`, submit: TEXT.sendAgain })}
        </section>
        ${renderAttempts(visit, delivery)}
        ${
          delivery.body !== null &&
          html`<details class="card fold">
            <summary>${visit.say(TEXT.body)}</summary>
            <pre class="code small" tabindex="0">${pretty(delivery.body)}</pre>
          </details>`
        }`,
      { heading: visit.say(TEXT.one) },
    );
  }

  @PageAction('redeliver', { role: 'reviewer', refusedTo: 'show' })
  async redeliver(visit: Visit): Promise<PageAnswer> {
    const id = visit.idOf('deliveryId');
    await this.deliveries.redeliver(visit.store.id, id);
    return visit.goTo(visit.inStore(`deliveries/${id}`), 'sent');
  }
}

function renderDeliveryStatus(visit: Visit, status: DeliveryStatus): Markup {
  return renderBadge(visit.say(DELIVERY_WORDS[status]), deliveryTone(status));
}

function renderEndpoint(visit: Visit): Markup {
  const { webhookUrl, webhookPausedAt } = visit.store;
  if (webhookUrl === null)
    return html`<p class="callout">
      ${visit.say(TEXT.noAddress)} <a href="${visit.inStore('developers')}">${visit.say(TEXT.setAddress)}</a>
    </p>`;
  if (webhookPausedAt === null) return NOTHING;
  const resume = renderForm(visit, {
    action: visit.inStore('deliveries/resume'),
    submit: TEXT.resume,
    kind: 'quiet',
  });
  return html`<div class="callout">
    <p>${visit.say(TEXT.paused)}</p>
    ${visit.may('manager') && resume}
  </div>`;
}

function renderDeliveryFilter(visit: Visit): Markup {
  const choices = DELIVERY_STATUSES.map((status) => ({
    value: status,
    text: visit.say(DELIVERY_WORDS[status]),
  }));
  const field = renderSelect(visit, {
    name: 'status',
    label: WORDS.status,
    value: visit.query('status'),
    choices: [{ value: '', text: visit.say(WORDS.all) }, ...choices],
  });
  return html`<section class="card filter-card">${renderFilter(visit, WORDS.filter, field)}</section>`;
}

function renderList(visit: Visit, deliveries: readonly DeliveryRow[]): Markup {
  return renderRows(
    deliveries.map((delivery) => {
      const last = delivery.attempts.at(-1);
      return {
        href: visit.inStore(`deliveries/${delivery.id}`),
        main: delivery.event,
        aside: renderDeliveryStatus(visit, delivery.status),
        below: html`${renderTime(visit, delivery.createdAt)}
        ${last !== undefined && html`<span>${last.responseStatus ?? last.error}</span>`}`,
      };
    }),
  );
}

function renderAttempts(visit: Visit, { attempts }: DeliveryRow): Markup {
  if (attempts.length === 0)
    return html`<section class="card"><p class="hint">${visit.say(TEXT.noAttempts)}</p></section>`;
  return html`<section class="card">
    <h2>${visit.say(TEXT.attempts)}</h2>
    <ol class="timeline">
      ${attempts.map(
        (attempt) =>
          html`<li>
            <strong>${attempt.responseStatus ?? attempt.error}</strong> ${renderTime(visit, attempt.at)} ·
            ${visit.count(attempt.durationMs)} ${visit.say(TEXT.milliseconds)}
            ${
              !(attempt.responseExcerpt === null || attempt.responseExcerpt === '') &&
              html`<pre class="code small" tabindex="0">${attempt.responseExcerpt}</pre>`
            }
          </li>`,
      )}
    </ol>
  </section>`;
}

function renderReplay(visit: Visit): Markup {
  const fields = html`${renderField(visit, { name: 'since', label: TEXT.since, type: 'date', required: true })}
  ${renderField(visit, { name: 'until', label: TEXT.until, type: 'date' })}
  ${renderSelect(visit, {
    name: 'only',
    label: TEXT.which,
    choices: [
      { value: 'failed', text: visit.say(TEXT.failedOnly) },
      { value: 'all', text: visit.say(TEXT.allOfThem) },
    ],
  })}`;
  return html`<section class="card narrow">
    <h2>${visit.say(TEXT.replay)}</h2>
    <p class="hint">${visit.say(TEXT.replayLead)}</p>
    ${renderForm(visit, { action: visit.inStore('deliveries/replay'), submit: TEXT.replay, kind: 'quiet' }, fields)}
  </section>`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
