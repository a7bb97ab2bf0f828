import { isId } from '../../../kernel/ids.js';
import { spanOfDay } from '../../../kernel/time-zone.js';
import {
  CreatePaymentBody,
  newPaymentOf,
  type Payment,
  PAYMENT_STATUSES,
  paymentFilterOf,
  PaymentQuery,
  PaymentsService,
} from '../../../payments/index.js';
import { WALLETS } from '../../../wallets/index.js';
import { html, type Markup } from '../../../platform/web/html.js';
import { renderField, renderFilter, renderSelect } from '../../kit/forms.js';
import { DashboardPage, PageAction, PageView } from '../../kit/page.js';
import type { PageAnswer } from '../../kit/page-definition.js';
import {
  renderBadge,
  renderEmpty,
  renderMoney,
  renderPager,
  renderRows,
  renderStatus,
  renderTime,
  walletName,
} from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { STATUS_WORDS, WORDS } from '../../kit/words.js';
import { CREATE, NAME, TEXT } from './words.js';
import { amount, Form, text } from '../../kit/form.js';

/** The list of payments, and creating one (contract 10.16). */
@DashboardPage({ scope: 'store', path: 'payments', name: NAME, order: 20 })
export class PaymentsPage {
  constructor(private readonly payments: PaymentsService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const search = visit.query('search').trim();
    if (isId(search)) return visit.goTo(visit.inStore(`payments/${search.toLowerCase()}`));
    const query = await visit.checked(PaymentQuery, filterOf(visit));
    const filter = { ...paymentFilterOf(query), ...(search === '' ? {} : { search }) };
    const page = await this.payments.listOfStore(visit.store.id, filter, query);
    const isFiltered = visit.request.url.includes('?');
    return visit.shown(
      html`<p class="buttons">
          ${visit.may('reviewer') && html`<a class="primary" href="${visit.inStore('payments/new')}">${visit.say(CREATE)}</a>`}
        </p>
        ${renderPaymentFilter(visit)}
        <div data-live="payments">
          ${
            page.data.length === 0
              ? renderEmpty(visit.say(isFiltered ? TEXT.notFound : TEXT.empty))
              : renderPaymentRows(visit, page.data)
          }
        </div>
        ${renderPager(visit, page)}`,
    );
  }
}

const NEW_PAYMENT = new Form(CreatePaymentBody, {
  amount: amount({ label: WORDS.amount, hint: TEXT.amountHint }),
  customerName: text({ label: WORDS.customerName }),
  customerPhone: text({ label: WORDS.phone, inputmode: 'tel' }),
  note: text({ label: WORDS.note, hint: TEXT.noteHint }),
});

@DashboardPage({ scope: 'store', path: 'payments/new', name: CREATE, role: 'reviewer' })
export class NewPaymentPage {
  constructor(private readonly payments: PaymentsService) {}

  @PageView()
  async show(visit: Visit): Promise<PageAnswer> {
    const form = NEW_PAYMENT.render(visit, { action: visit.inStore('payments/new'), submit: CREATE });
    return visit.shown(html`<section class="card narrow">${form}</section>`);
  }

  @PageAction('', { role: 'reviewer', refusedTo: 'show' })
  async create(visit: Visit): Promise<PageAnswer> {
    const body = await NEW_PAYMENT.read(visit);
    const payment = await this.payments.create(visit.store, newPaymentOf(body, ''));
    return visit.goTo(visit.inStore(`payments/${payment.id}`), 'created');
  }
}

/** The filter of the list, in the terms of the API. */
export function filterOf(visit: Visit): Record<string, string> {
  const day = spanOfDay(visit.query('day'), visit.timeZone);
  const given = {
    status: visit.query('status'),
    provider: visit.query('wallet'),
    paymentLinkId: visit.query('paymentLinkId'),
    cursor: visit.query('cursor'),
    createdFrom: day?.from.toISOString() ?? '',
    createdTo: day?.to.toISOString() ?? '',
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

function renderPaymentFilter(visit: Visit): Markup {
  const { search } = Object.fromEntries(new URLSearchParams(visit.request.url.split('?', 2)[1] ?? ''));
  const all = { value: '', text: visit.say(WORDS.all) };
  const fields = html`${renderField(visit, {
    name: 'search',
    label: WORDS.search,
    value: search ?? '',
    type: 'search',
    hint: visit.say(TEXT.searchHint),
  })}
  ${renderSelect(visit, {
    name: 'status',
    label: WORDS.status,
    value: visit.query('status'),
    choices: [
      all,
      ...PAYMENT_STATUSES.map((status) => ({ value: status, text: visit.say(STATUS_WORDS[status]) })),
    ],
  })}
  ${renderSelect(visit, {
    name: 'wallet',
    label: WORDS.wallet,
    value: visit.query('wallet'),
    choices: [all, ...walletChoices(visit)],
  })}
  ${renderField(visit, { name: 'day', label: WORDS.day, type: 'date', value: visit.query('day') })}
  ${visit.query('paymentLinkId') !== '' && html`<input type="hidden" name="paymentLinkId" value="${visit.query('paymentLinkId')}" />`}`;
  const query = new URLSearchParams(visit.request.url.split('?', 2)[1] ?? '');
  query.delete('cursor');
  query.delete('done');
  const isOpen = query.size > 0;
  return html`<section class="card filter-card" ${isOpen && html`data-open`}>
    ${renderFilter(visit, WORDS.filter, fields)}
    <a class="export" href="${visit.inStore('payments.csv')}?${query.toString()}"
      >${visit.say(TEXT.export)}</a
    >
  </section>`;
}

/** The wallets that this service knows, and those that this store has besides. */
export function walletChoices(visit: Visit): { value: string; text: string }[] {
  const codes = new Set([
    ...WALLETS.list().map(({ code }) => code),
    ...visit.store.wallets.map(({ provider }) => provider),
  ]);
  return [...codes].map((code) => ({ value: code, text: walletName(visit, code) ?? code }));
}

export function renderPaymentRows(visit: Visit, payments: readonly Payment[]): Markup {
  return renderRows(
    payments.map((payment) => {
      const name = payment.customerName ?? payment.customerPhone ?? payment.note;
      const trxId =
        payment.trxId ?? (payment.submission?.kind === 'trx_id' ? payment.submission.trxId : null);
      return {
        href: visit.inStore(`payments/${payment.id}`),
        main: html`${renderMoney(visit, payment.amountMinor, payment.currency)}
        ${name !== null && html`<span class="row-name">${name}</span>`}`,
        aside: html`${renderStatus(visit, payment.status)}
        ${payment.simulated && renderBadge(visit.say(WORDS.simulated), 'plain')}`,
        below: html`${renderTime(visit, payment.createdAt)}
        ${payment.provider !== null && html`<span>${walletName(visit, payment.provider)}</span>`}
        ${trxId !== null && html`<span class="code" translate="no">${trxId}</span>`}`,
      };
    }),
  );
}
