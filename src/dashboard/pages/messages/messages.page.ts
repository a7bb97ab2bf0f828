import {
  type MessageFieldsView,
  MessageQuery,
  MessagesService,
  ParseBody,
  parseView,
  type RereadCounts,
} from '../../../inbound/index.js';
import { renderNotice } from '../../../platform/web/controls.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderFilter } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import { renderEmpty, renderFacts, renderPager } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { WORDS } from '../../kit/words.js';
import { NAME, TEXT } from './words.js';
import {
  factsOf,
  renderConnect,
  renderMessageFacts,
  renderMessageRows,
  renderReadAgain,
  renderStatusField,
  renderTry,
  renderVerdict,
  ruleText,
  senderName,
} from './sections.js';

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
