import {
  type Message,
  MESSAGE_STATUSES,
  type MessageFieldsView,
  type MessageStatus,
} from '../../../inbound/index.js';
import { minorFromNumber } from '../../../kernel/money.js';
import { MAX_MESSAGE_CHARACTERS, type MessageReason } from '../../../wallets/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderField, renderForm, renderSelect } from '../../kit/forms.js';
import type { InBothLanguages } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderCode,
  renderFacts,
  renderMoney,
  renderRows,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { MESSAGE_WORDS, REASON_WORDS, TEXT } from './words.js';

const TONES: Readonly<Record<MessageStatus, string>> = { unread: 'look', receipt: 'good', ignored: 'over' };

const EXCERPT_CHARACTERS = 90;

export function renderMessageFacts(
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

export function senderName(visit: Visit, message: Message): string {
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

export function renderVerdict(visit: Visit, status: MessageStatus, reason: string | null): Markup {
  return html`<p class="state-line">${renderBadge(visit.say(MESSAGE_WORDS[status]), TONES[status])}</p>
    ${reason !== null && html`<p class="callout">${visit.say(reasonWords(reason))}</p>`}`;
}

export function ruleText(
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

export function factsOf(visit: Visit, fields: MessageFieldsView | null): [string, Markup | string | null][] {
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

export function renderStatusField(visit: Visit, wanted: string): Markup {
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

export function renderConnect(visit: Visit): Markup {
  return html`<p class="buttons">
    <a class="primary" href="${visit.inStore('phone')}">${visit.say(TEXT.connect)}</a>
  </p>`;
}

export function renderReadAgain(visit: Visit): Markup {
  if (!visit.may('reviewer')) return NOTHING;
  return html`<section class="card">
    <p class="hint">${visit.say(TEXT.readAgainHint)}</p>
    ${renderForm(visit, { action: visit.inStore('messages/reread'), submit: TEXT.readAgain, kind: 'quiet' })}
  </section>`;
}

export function renderTry(
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
