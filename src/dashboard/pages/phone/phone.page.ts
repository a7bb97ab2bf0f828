import { ServiceSettings } from '../../../platform/config/index.js';
import {
  type Message,
  MessagesService,
  type PhoneDoor,
  type Recipe,
  type RecipeSetting,
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
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import { renderBadge, renderFacts, renderTime } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { renderMessageRows } from '../messages/messages.page.js';

const NAME = { en: 'Phone', bn: 'ফোন' };
const TEXT = {
  waiting: { en: 'Waiting for the first message…', bn: 'প্রথম বার্তার অপেক্ষায়…' },
  waitingHint: {
    en: 'Set one of these apps up on the phone that gets the wallet’s messages, then send yourself a small amount.',
    bn: 'যে ফোনে ওয়ালেটের বার্তা আসে তাতে এই অ্যাপগুলোর একটি বসান, তারপর নিজেকে অল্প টাকা পাঠান।',
  },
  heard: {
    en: 'The phone was heard, but no message has come yet.',
    bn: 'ফোনের খবর এসেছে, কিন্তু এখনো কোনো বার্তা আসেনি।',
  },
  received: { en: 'Connected: messages are received.', bn: 'যুক্ত: বার্তা পাওয়া যাচ্ছে।' },
  silent: {
    en: 'Silent while payments wait. Look whether the phone is on, online, and not saving battery for the app.',
    bn: 'পেমেন্ট অপেক্ষায়, ফোন চুপ। ফোন চালু কি না, ইন্টারনেট আছে কি না, আর অ্যাপে ব্যাটারি সাশ্রয় বন্ধ কি না দেখুন।',
  },
  health: { en: 'Health', bn: 'অবস্থা' },
  lastSeen: { en: 'Last heard from', bn: 'শেষ খবর' },
  never: { en: 'Never', bn: 'কখনো না' },
  app: { en: 'App', bn: 'অ্যাপ' },
  battery: { en: 'Battery', bn: 'ব্যাটারি' },
  pending: { en: 'Waiting in the phone', bn: 'ফোনে জমে আছে' },
  clock: { en: 'Clock of the phone', bn: 'ফোনের ঘড়ি' },
  ahead: { en: 'seconds fast', bn: 'সেকেন্ড এগিয়ে' },
  behind: { en: 'seconds slow', bn: 'সেকেন্ড পিছিয়ে' },
  latest: { en: 'Last messages', bn: 'শেষ বার্তাগুলো' },
  all: { en: 'All messages', bn: 'সব বার্তা' },
  connect: { en: 'Connect a phone', bn: 'ফোন যুক্ত করুন' },
  steps: {
    en: 'Put one of these apps on the phone that gets the wallet’s messages, and set it as written here.',
    bn: 'যে ফোনে ওয়ালেটের বার্তা আসে তাতে এই অ্যাপগুলোর একটি বসিয়ে এখানে লেখা মতো সেট করুন।',
  },
  senders: { en: 'Let it forward these senders only:', bn: 'শুধু এই প্রেরকদের বার্তা পাঠাতে দিন:' },
  battery2: {
    en: 'Switch off battery optimisation for the app, so that Android does not put it to sleep.',
    bn: 'অ্যাপটির ব্যাটারি অপটিমাইজেশন বন্ধ করুন, যাতে অ্যান্ড্রয়েড সেটিকে ঘুম না পাড়ায়।',
  },
  try: {
    en: 'Send yourself a small amount. It shows up here within seconds.',
    bn: 'নিজেকে অল্প টাকা পাঠান। কয়েক সেকেন্ডে এখানে দেখা যাবে।',
  },
  secretHidden: {
    en: 'The secret is hidden. Whoever has it can make payments look paid: show it only to the phone.',
    bn: 'সিক্রেট লুকানো আছে। এটি যার হাতে যাবে সে পেমেন্টকে পরিশোধিত দেখাতে পারে: শুধু ফোনে বসান।',
  },
  secretShown: {
    en: 'The secret stands in the settings below. That it was shown is in the audit log.',
    bn: 'নিচের সেটিংসে সিক্রেট দেখা যাচ্ছে। দেখানোর কথা অডিট লগে লেখা হয়েছে।',
  },
  secret: { en: 'Webhook secret', bn: 'ওয়েবহুক সিক্রেট' },
  source: { en: 'Where to get the app', bn: 'অ্যাপটি যেখানে পাবেন' },
  qr: {
    en: 'Scan with the phone’s camera to take the settings over.',
    bn: 'ফোনের ক্যামেরায় স্ক্যান করে সেটিংস নিয়ে যান।',
  },
  qrLabel: { en: 'QR code with the settings for', bn: 'সেটিংসের QR কোড:' },
  other: { en: 'Any other app', bn: 'অন্য যেকোনো অ্যাপ' },
  managers: {
    en: 'A manager of the store can connect a phone.',
    bn: 'দোকানের ম্যানেজার ফোন যুক্ত করতে পারেন।',
  },
};

const SETTING_WORDS: Readonly<Record<RecipeSetting, InBothLanguages>> = {
  address: { en: 'Address (URL)', bn: 'ঠিকানা (URL)' },
  address_with_secret: {
    en: 'Only if it can send no header: this address (URL)',
    bn: 'হেডার পাঠাতে না পারলে তবেই এই ঠিকানা (URL)',
  },
  method: { en: 'Method', bn: 'পদ্ধতি (Method)' },
  headers: { en: 'Headers', bn: 'হেডার (Headers)' },
  secret_header: { en: 'Header', bn: 'হেডার (Header)' },
  type_header: { en: 'Second header', bn: 'দ্বিতীয় হেডার' },
  template: { en: 'Message template', bn: 'বার্তার ছাঁচ (template)' },
  chunked_mode: { en: 'Chunked mode', bn: 'চাঙ্কড মোড (chunked)' },
  event: { en: 'Event', bn: 'ইভেন্ট (event)' },
  signing_key: { en: 'Signing key or secret', bn: 'সাইনিং কী (signing key)' },
  encryption: { en: 'Encryption', bn: 'এনক্রিপশন (encryption)' },
};

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
    ${phone.silent ? html`<p class="callout">${ICONS.alert}<span>${visit.say(TEXT.silent)}</span></p>` : NOTHING}
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
  return html`<details class="card fold recipe" ${isOpen ? html`open` : NOTHING}>
    <summary>${name}</summary>
    ${
      home === null
        ? NOTHING
        : html`<p class="hint">
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
                value.includes(HIDDEN_SECRET) || value.length < WORTH_COPYING
                  ? NOTHING
                  : renderCopyButton(value, {
                      copy: visit.say(WORDS.copy),
                      label: `${visit.say(WORDS.copy)}: ${name}, ${visit.say(SETTING_WORDS[setting])}`,
                    })
              }
            </dd>
          </div>`,
      )}
    </dl>
    ${
      secret === null
        ? NOTHING
        : html`<figure class="qr">
            ${renderQrSvg(text, `${visit.say(TEXT.qrLabel)} ${name}`)}
            <figcaption class="hint">${visit.say(TEXT.qr)}</figcaption>
          </figure>`
    }
  </details>`;
}
