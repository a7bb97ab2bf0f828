import { ServiceSettings } from '../../../platform/config/index.js';
import {
  type Message,
  MessagesService,
  type PhoneDoor,
  type Recipe,
  RECIPES,
} from '../../../inbound/index.js';
import { PhonePresence, type PhoneStatus, StoreSecrets } from '../../../stores/index.js';
import { WALLETS } from '../../../wallets/index.js';
import { renderCopyButton } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { ICONS } from '../../../platform/web/icons.js';
import { renderQrSvg } from '../../../platform/web/qr-svg.js';
import { renderForm } from '../../kit/forms.js';
import { LATEST_MESSAGES } from '../../live/live.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { renderMessageRows } from '../messages/sections.js';
import { NAME, SETTING_WORDS, TEXT } from './words.js';

const HIDDEN_SECRET = 'joma_wh_…';
/** `on` and `POST` are chosen, not typed. */
const WORTH_COPYING = 6;

/** The store's phone: connecting it, how it is, and what it sent last (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'phone', name: NAME, order: 80 })
export class PhonePage {
  constructor(
    private readonly phones: PhonePresence,
    private readonly messages: MessagesService,
    private readonly secrets: StoreSecrets,
    private readonly service: ServiceSettings,
  ) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return this.page(visit, null);
  }

  @PageAction('show', { role: 'manager', refusedTo: 'show' })
  async showSecret(visit: Visit): Promise<PageAnswer> {
    return this.page(visit, await this.secrets.reveal(visit.caller, visit.store.id, 'webhook_secret'));
  }

  private async page(visit: Visit, secret: string | null): Promise<PageAnswer> {
    const { store } = visit;
    const [phoneOf, latest] = await Promise.all([
      this.phones.statusOf([store.id]),
      this.messages.listOfStore(
        store.id,
        undefined,
        Object.assign(await visit.pageQuery(), { limit: LATEST_MESSAGES }),
      ),
    ]);
    const phone = phoneOf(store.id);
    const { publicUrl, serviceName } = this.service;
    const door = {
      address: `${publicUrl}/api/webhooks/${serviceName}/sms`,
      storeId: store.id,
      webhookSecret: secret ?? HIDDEN_SECRET,
    };
    return visit.shown(
      html`<div class="columns columns-wide">
        <div data-live="phone" data-live-anyway data-live-from="${visit.inStore('phone')}">
          ${renderState(visit, phone, latest.data)} ${renderHealth(visit, phone)}
          ${renderLatest(visit, latest.data)}
        </div>
        <div>${renderConnect(visit, door, secret)}</div>
      </div>`,
    );
  }
}

/** In one sentence how things stand, told to whoever waits for it. */
function renderState(visit: Visit, phone: PhoneStatus, messages: readonly Message[]): Markup {
  if (messages.length > 0)
    return html`<p class="callout notice notice-done" role="status">
      ${ICONS.tick}<span>${visit.say(TEXT.received)}</span>
    </p>`;
  const words = phone.lastSeenAt === null ? TEXT.waiting : TEXT.heard;
  return html`<section class="card wait" role="status">
    ${ICONS.waiting}
    <div>
      <p><strong>${visit.say(words)}</strong></p>
      <p class="hint">${visit.say(TEXT.waitingHint)}</p>
    </div>
  </section>`;
}

function renderHealth(visit: Visit, phone: PhoneStatus): Markup {
  const offset = phone.clockOffsetSeconds;
  return html`<section class="card">
    <h2>${visit.say(TEXT.health)}</h2>
    ${phone.silent && html`<p class="callout">${ICONS.alert}<span>${visit.say(TEXT.silent)}</span></p>`}
    ${renderFacts([
      [visit.say(TEXT.lastSeen), renderTime(visit, phone.lastSeenAt) ?? visit.say(TEXT.never)],
      [visit.say(TEXT.app), phone.app],
      [visit.say(TEXT.battery), phone.battery === null ? null : `${visit.count(phone.battery)}%`],
      [visit.say(TEXT.pending), phone.pending === null ? null : visit.count(phone.pending)],
      [
        visit.say(TEXT.clock),
        offset === null
          ? null
          : renderBadge(
              `${visit.count(Math.abs(offset))} ${visit.say(offset > 0 ? TEXT.ahead : TEXT.behind)}`,
              'look',
            ),
      ],
    ])}
  </section>`;
}

function renderLatest(visit: Visit, messages: readonly Message[]): Markup {
  if (messages.length === 0) return NOTHING;
  return html`<h2>${visit.say(TEXT.latest)}</h2>
    ${renderMessageRows(visit, messages)}
    <p><a href="${visit.inStore('messages')}">${visit.say(TEXT.all)}</a></p>`;
}

function renderConnect(visit: Visit, door: PhoneDoor, secret: string | null): Markup {
  if (visit.store.archivedAt !== null) return NOTHING;
  if (!visit.may('manager'))
    return html`<section class="card"><p class="hint">${visit.say(TEXT.managers)}</p></section>`;
  return html`<section class="card">
      <h2>${visit.say(TEXT.connect)}</h2>
      <ol class="todo">
        <li>${visit.say(TEXT.steps)}</li>
        <li>
          ${visit.say(TEXT.senders)}
          ${sendersOf(visit).map((sender) => html`<span class="code chip" translate="no">${sender}</span> `)}
        </li>
        <li>${visit.say(TEXT.battery2)}</li>
        <li>${visit.say(TEXT.try)}</li>
      </ol>
      ${
        secret === null
          ? html`<p class="hint">${visit.say(TEXT.secretHidden)}</p>
              ${renderForm(visit, {
                action: visit.inStore('phone/show'),
                submit: WORDS.show,
                label: `${visit.say(WORDS.show)}: ${visit.say(TEXT.secret)}`,
              })}`
          : html`<p class="callout" role="status">${visit.say(TEXT.secretShown)}</p>`
      }
    </section>
    ${RECIPES.map((recipe, index) => renderRecipe(visit, recipe, door, { secret, isOpen: index === 0 }))}`;
}

/** The senders of the store's wallets; of all wallets while the store offers none. */
function sendersOf(visit: Visit): string[] {
  const offered = new Set(visit.store.wallets.map(({ provider }) => provider));
  const known = WALLETS.list().flatMap(({ code, messages }) =>
    messages === null ? [] : [{ code, ...messages }],
  );
  const own = known.filter(({ code }) => offered.has(code));
  const read = own.length > 0 ? own : known.filter(({ onlyWhereOffered }) => !onlyWhereOffered);
  return read.flatMap(({ senders }) => senders);
}

function renderRecipe(
  visit: Visit,
  { title, home, settings }: Recipe,
  door: PhoneDoor,
  { secret, isOpen }: { readonly secret: string | null; readonly isOpen: boolean },
): Markup {
  const name = home === null ? visit.say(TEXT.other) : title;
  const rows = settings(door);
  const text = rows.map(([setting, value]) => `${SETTING_WORDS[setting].en}: ${value}`).join('\n');
  return html`<details class="card fold recipe" ${isOpen && html`open`}>
    <summary>${name}</summary>
    ${
      home !== null &&
      html`<p class="hint">
        ${visit.say(TEXT.source)}:
        <a href="${home}" rel="noopener noreferrer">${home.replace('https://', '')}</a>
      </p>`
    }
    <dl class="settings">
      ${rows.map(
        ([setting, value]) =>
          html`<div>
            <dt>${visit.say(SETTING_WORDS[setting])}</dt>
            <dd class="copy-box">
              <span class="code small" translate="no">${value}</span>
              ${
                !(value.includes(HIDDEN_SECRET) || value.length < WORTH_COPYING) &&
                renderCopyButton(value, {
                  copy: visit.say(WORDS.copy),
                  label: `${visit.say(WORDS.copy)}: ${name}, ${visit.say(SETTING_WORDS[setting])}`,
                })
              }
            </dd>
          </div>`,
      )}
    </dl>
    ${
      secret !== null &&
      html`<figure class="qr">
        ${renderQrSvg(text, `${visit.say(TEXT.qrLabel)} ${name}`)}
        <figcaption class="hint">${visit.say(TEXT.qr)}</figcaption>
      </figure>`
    }
  </details>`;
}
