import {
  type Message,
  MESSAGE_STATUSES,
  type MessageFieldsView,
  MessageQuery,
  MessagesService,
  type MessageStatus,
  ParseBody,
  parseView,
  type RereadCounts,
} from '../../../inbound/index.js';
import { minorFromNumber } from '../../../kernel/money.js';
import { MAX_MESSAGE_CHARACTERS, type MessageReason } from '../../../wallets/index.js';
import { renderNotice } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderField, renderFilter, renderForm, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { InBothLanguages, PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderCode,
  renderEmpty,
  renderFacts,
  renderMoney,
  renderPager,
  renderRows,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { MESSAGE_WORDS, NAME, REASON_WORDS, TEXT } from './words.js';

const TONES: Readonly<Record<MessageStatus, string>> = { unread: 'look', receipt: 'good', ignored: 'over' };

const EXCERPT_CHARACTERS = 90;

/** The messages that phones have forwarded, unread ones first (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'messages', name: NAME, order: 45 })
export class MessagesPage {
  constructor(private readonly messages: MessagesService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    return this.page(visit, NOTHING, NOTHING);
  }

  @PageAction('reread', { role: 'reviewer', refusedTo: 'show' })
  async reread(visit: Visit): Promise<PageAnswer> {
    const counts = await this.messages.reread(visit.store);
    return this.page(visit, renderNotice(rereadText(visit, counts), 'status'), NOTHING);
  }

  /** A POST, because addresses are written down on the way, and the text of a message is personal. */
  @PageAction('try', { refusedTo: 'show' })
  async tryText(visit: Visit): Promise<PageAnswer> {
    const { sender, text } = await visit.checked(ParseBody, {
      sender: visit.field('sender'),
      text: visit.field('text'),
    });
    const { status, reason, rule, fields } = parseView(this.messages.tryText(visit.store, { sender, text }));
    const outcome = html`<section class="sub" role="status">
      ${renderVerdict(visit, status, reason)}
      ${renderFacts([[visit.say(TEXT.rule), ruleText(visit, rule)], ...factsOf(visit, fields)])}
    </section>`;
    return this.page(visit, NOTHING, outcome, { sender, text });
  }

  private async page(
    visit: Visit,
    notice: Markup,
    outcome: Markup,
    tried: { readonly sender?: string; readonly text?: string } = {},
  ): Promise<PageAnswer> {
    return visit.shown(
      html`${notice}
        <div class="columns">
          <div>${await this.renderLists(visit)}</div>
          <div>${renderReadAgain(visit)} ${renderTry(visit, outcome, tried)}</div>
        </div>`,
    );
  }

  private async renderLists(visit: Visit): Promise<Markup> {
    const [wanted, cursor] = [visit.query('status'), visit.query('cursor')];
    const query = await visit.checked(MessageQuery, {
      ...(wanted === '' ? {} : { status: wanted }),
      ...(cursor === '' ? {} : { cursor }),
    });
    const isFront = wanted === '' && cursor === '';
    const [page, unread] = await Promise.all([
      this.messages.listOfStore(visit.store.id, query.status, query),
      isFront ? this.messages.listOfStore(visit.store.id, 'unread', query) : null,
    ]);
    const first = unread?.data ?? [];
    const others = page.data.filter(({ id }) => first.every((message) => message.id !== id));
    return html`<section class="card filter-card">
        ${renderFilter(visit, WORDS.filter, renderStatusField(visit, wanted))}
      </section>
      <div data-live="messages" data-live-from="${liveAddress(visit)}">
        ${
          first.length !== 0 &&
          html`<h2>${visit.say(TEXT.unread)}</h2>
            ${renderMessageRows(visit, first)}`
        }
        ${
          !(unread?.nextCursor == null) &&
          html`<p>
            <a href="${visit.inStore('messages')}?status=unread">${visit.say(TEXT.allUnread)}</a>
          </p>`
        }
        ${!(first.length === 0 || others.length === 0) && html`<h2>${visit.say(TEXT.others)}</h2>`}
        ${
          others.length > 0
            ? renderMessageRows(visit, others)
            : first.length > 0
              ? NOTHING
              : wanted === ''
                ? renderEmpty(visit.say(TEXT.empty), renderConnect(visit))
                : renderEmpty(visit.say(TEXT.emptyFilter))
        }
      </div>
      ${renderPager(visit, page)}`;
  }
}

/** One message: what it says, what it was taken for, and what became of it. */
@DashboardPage({ scope: 'store', path: 'messages/:messageId', name: TEXT.one })
export class MessagePage {
  constructor(private readonly messages: MessagesService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const message = await this.messages.getOfStore(visit.store.id, visit.idOf('messageId'));
    const rule =
      message.ruleName === null || message.ruleVersion === null
        ? null
        : { name: message.ruleName, version: message.ruleVersion };
    const fields = message.fields as MessageFieldsView | null;
    return visit.shown(
      html`<div class="columns">
        <div>
          <section class="card">
            ${renderVerdict(visit, message.status, message.reason)}
            ${
              message.receiptId !== null &&
              html`<p class="buttons">
                <a class="primary" href="${visit.inStore(`receipts/${message.receiptId}`)}"
                  >${visit.say(TEXT.toReceipt)}</a
                >
              </p>`
            }
          </section>
          <section class="card">
            <h2>${visit.say(TEXT.words)}</h2>
            ${
              message.redactedAt === null
                ? html`<p class="message-text" translate="no">${message.text}</p>`
                : html`<p class="hint">${visit.say(TEXT.redacted)}</p>`
            }
            ${renderMessageFacts(visit, message, rule)}
          </section>
        </div>
        <div>
          ${
            fields !== null &&
            html`<section class="card">
              <h2>${visit.say(TEXT.read)}</h2>
              ${renderFacts(factsOf(visit, fields))}
            </section>`
          }
          <details class="card fold">
            <summary>${visit.say(TEXT.raw)}</summary>
            <pre class="code small" tabindex="0">${message.raw}</pre>
          </details>
        </div>
      </div>`,
      { heading: html`${senderName(visit, message)}`, title: visit.say(TEXT.one) },
    );
  }
}

function renderMessageFacts(
  visit: Visit,
  message: Message,
  rule: { readonly name: string; readonly version: number } | null,
): Markup {
  return renderFacts([
    [visit.say(WORDS.sender), renderCode(message.sender)],
    [visit.say(TEXT.rule), ruleText(visit, rule)],
    [visit.say(TEXT.app), message.app],
    [visit.say(TEXT.sim), message.sim],
    [visit.say(TEXT.sentAt), renderTime(visit, message.sentAt)],
    [visit.say(TEXT.receivedAt), renderTime(visit, message.receivedAt)],
    [visit.say(TEXT.arrivedAt), renderTime(visit, message.arrivedAt)],
  ]);
}

/** Rows that lead to messages, for the pages that show the latest of them, too. */
export function renderMessageRows(visit: Visit, messages: readonly Message[]): Markup {
  return renderRows(
    messages.map((message) => {
      const money = moneyOf(visit, message.fields as MessageFieldsView | null);
      const why = message.reason === null ? null : visit.say(reasonWords(message.reason));
      return {
        href: visit.inStore(`messages/${message.id}`),
        main: html`${senderName(visit, message)}
        ${money !== null && html`<span class="row-name">${money}</span>`}`,
        aside: renderBadge(visit.say(MESSAGE_WORDS[message.status]), TONES[message.status]),
        below: html`${renderTime(visit, message.arrivedAt)} ${why !== null && html`<span>${why}</span>`}
          <span class="excerpt" translate="no">${excerptOf(message.text)}</span>`,
      };
    }),
  );
}

function senderName(visit: Visit, message: Message): string {
  const sender = message.sender === null || message.sender === '' ? null : message.sender;
  return sender ?? walletName(visit, message.provider) ?? visit.say(TEXT.one);
}

function excerptOf(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  if (characters.length <= EXCERPT_CHARACTERS) return characters.join('');
  return `${characters.slice(0, EXCERPT_CHARACTERS).join('')}…`;
}

/** Words of a reason; one that is not known here, of a newer replica or an extension, is said as it is. */
function reasonWords(reason: string): InBothLanguages {
  return Object.hasOwn(REASON_WORDS, reason)
    ? REASON_WORDS[reason as MessageReason]
    : { en: reason, bn: reason };
}

function renderVerdict(visit: Visit, status: MessageStatus, reason: string | null): Markup {
  return html`<p class="state-line">${renderBadge(visit.say(MESSAGE_WORDS[status]), TONES[status])}</p>
    ${reason !== null && html`<p class="callout">${visit.say(reasonWords(reason))}</p>`}`;
}

function ruleText(
  visit: Visit,
  rule: { readonly name: string; readonly version: number } | null,
): Markup | null {
  if (rule === null) return null;
  return html`<span class="code" translate="no">${rule.name}</span>, ${visit.say(TEXT.version)}
    ${visit.count(rule.version)}`;
}

function moneyOf(visit: Visit, fields: MessageFieldsView | null): Markup | null {
  return amountOf(visit, fields?.amount ?? null, fields?.currency ?? null);
}

function amountOf(visit: Visit, amount: number | null, currency: string | null): Markup | null {
  const minor = minorFromNumber(amount, 0);
  return minor === null ? null : renderMoney(visit, minor, currency ?? visit.store.currency);
}

function factsOf(visit: Visit, fields: MessageFieldsView | null): [string, Markup | string | null][] {
  if (fields === null) return [];
  const at = fields.receivedAt === null ? null : new Date(fields.receivedAt);
  return [
    [visit.say(WORDS.wallet), walletName(visit, fields.provider)],
    [visit.say(TEXT.kind), visit.say(fields.kind === 'sent' ? TEXT.moneyOut : TEXT.moneyIn)],
    [visit.say(WORDS.amount), moneyOf(visit, fields)],
    [visit.say(WORDS.trxId), renderCode(fields.trxId)],
    [visit.say(WORDS.lastFour), renderCode(fields.last4digit)],
    [visit.say(WORDS.sender), renderCode(fields.counterparty)],
    [visit.say(TEXT.balance), amountOf(visit, fields.balance, fields.currency)],
    [visit.say(TEXT.timeInText), renderTime(visit, at)],
  ];
}

function renderStatusField(visit: Visit, wanted: string): Markup {
  return renderSelect(visit, {
    name: 'status',
    label: WORDS.status,
    value: wanted,
    choices: [
      { value: '', text: visit.say(WORDS.all) },
      ...[...MESSAGE_STATUSES]
        .reverse()
        .map((status) => ({ value: status, text: visit.say(MESSAGE_WORDS[status]) })),
    ],
  });
}

function renderConnect(visit: Visit): Markup {
  return html`<p class="buttons">
    <a class="primary" href="${visit.inStore('phone')}">${visit.say(TEXT.connect)}</a>
  </p>`;
}

function renderReadAgain(visit: Visit): Markup {
  if (!visit.may('reviewer')) return NOTHING;
  return html`<section class="card">
    <p class="hint">${visit.say(TEXT.readAgainHint)}</p>
    ${renderForm(visit, { action: visit.inStore('messages/reread'), submit: TEXT.readAgain, kind: 'quiet' })}
  </section>`;
}

function renderTry(
  visit: Visit,
  outcome: Markup,
  tried: { readonly sender?: string; readonly text?: string },
): Markup {
  const fields = html`${renderField(visit, {
    name: 'sender',
    label: WORDS.sender,
    value: tried.sender ?? '',
    hint: visit.say(TEXT.senderHint),
    required: true,
    maxlength: 200,
  })}
  ${renderField(visit, {
    name: 'text',
    label: TEXT.text,
    value: tried.text ?? '',
    rows: 5,
    required: true,
    maxlength: MAX_MESSAGE_CHARACTERS,
  })}`;
  return html`<section class="card">
    <h2>${visit.say(TEXT.tryTitle)}</h2>
    <p class="hint">${visit.say(TEXT.tryLead)}</p>
    ${outcome}
    ${renderForm(visit, { action: visit.inStore('messages/try'), submit: TEXT.tryTitle, kind: 'quiet' }, fields)}
  </section>`;
}

function rereadText(visit: Visit, counts: RereadCounts): string {
  const parts = [
    `${visit.say(TEXT.reread)}: ${visit.count(counts.read)}`,
    `${visit.say(TEXT.ofWhichReceipts)} ${visit.count(counts.receipts)}`,
    `${visit.say(TEXT.ofWhichIgnored)} ${visit.count(counts.ignored)}`,
    `${visit.say(TEXT.ofWhichUnread)} ${visit.count(counts.unread)}`,
  ];
  return parts.join(' · ');
}

/** Where the page's script looks for news: after a form, its own address is one that only takes forms. */
function liveAddress(visit: Visit): string {
  return visit.request.method === 'GET' ? visit.request.url : visit.inStore('messages');
}
