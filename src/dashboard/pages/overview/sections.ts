import { type DeliveryStatus } from '../../../notifications/index.js';
import { type AmountUnderProtection, type DayTotal, MANY_BY_DIGITS } from '../../../payments/index.js';
import { type PhoneStatus } from '../../../stores/index.js';
import { html, type Markup, NOTHING } from '../../../platform/web/html.js';
import { renderLineChart, renderMoneyChart, renderStackedChart } from '../../kit/chart.js';
import { renderForm } from '../../kit/forms.js';
import type { InBothLanguages } from '../../kit/page-definition.js';
import { renderMoney, renderTime, walletName } from '../../kit/parts.js';
import type { Visit } from '../../kit/visit.js';
import { TEXT } from './words.js';

/** While a protection holds, and where digits verify so many that one should stand ready (contract 4.88). */
export function renderGuessing(
  visit: Visit,
  protections: readonly AmountUnderProtection[],
  byDigits: number,
): Markup {
  const { store } = visit;
  const isMany = byDigits > MANY_BY_DIGITS && !store.uniqueAmounts;
  if (protections.length === 0 && !isMany) return NOTHING;
  const mayChange = !store.uniqueAmounts && store.archivedAt === null && visit.may('manager');
  const offer = html`<p class="hint">${visit.say(TEXT.unique)}</p>
    ${renderForm(visit, { action: visit.inStore('unique-amounts'), submit: TEXT.uniqueNow })}`;
  return html`<section class="card">
    <h2>${visit.say(protections.length > 0 ? TEXT.protectionTitle : TEXT.manyTitle)}</h2>
    ${
      protections.length > 0
        ? html`<p class="callout notice">${visit.say(TEXT.protection)}</p>
            <ul class="by-wallet">
              ${protections.map(
                ({ amountMinor, currency }) => html`<li>${renderMoney(visit, amountMinor, currency)}</li>`,
              )}
            </ul>`
        : html`<p>${visit.say(TEXT.many)} ${visit.count(byDigits)}</p>`
    }
    ${mayChange && offer}
  </section>`;
}

export function renderSpeed(
  visit: Visit,
  days: readonly string[],
  speed: readonly { readonly day: string; readonly seconds: number }[],
): Markup {
  if (speed.length === 0) return NOTHING;
  const shown = (seconds: number): string => {
    if (seconds >= 3_600)
      return `${visit.count(Number((seconds / 3_600).toFixed(1)))} ${visit.say(TEXT.hours)}`;
    return seconds >= 60
      ? `${visit.count(Number((seconds / 60).toFixed(1)))} ${visit.say(TEXT.minutes)}`
      : `${visit.count(Number(seconds.toFixed(1)))} ${visit.say(TEXT.seconds)}`;
  };
  return html`<section class="card">
    <h2>${visit.say(TEXT.speed)}</h2>
    ${renderLineChart(visit, {
      days,
      series: [{ key: 'speed', name: visit.say(TEXT.speedShort), colour: '#2f7fc4' }],
      // A day whose median is 0 is drawn as a dot on the axis: it is not a day without payments.
      valueOf: (day) => {
        const found = speed.find((one) => one.day === day);
        return found === undefined ? 0 : Math.max(0.1, found.seconds);
      },
      shown,
      short: shown,
      words: { title: visit.say(TEXT.speed), table: visit.say(TEXT.table), day: visit.say(TEXT.day) },
    })}
  </section>`;
}

const SENT_SERIES: readonly (readonly [DeliveryStatus, InBothLanguages, string])[] = [
  ['delivered', TEXT.delivered, '#2c9a72'],
  ['pending', TEXT.onTheWay, '#2f7fc4'],
  ['held', TEXT.held, '#8a978f'],
  ['failed', TEXT.failed, '#d0453b'],
];

export function renderSent(
  visit: Visit,
  days: readonly string[],
  sent: readonly { readonly day: string; readonly status: DeliveryStatus; readonly count: number }[],
): Markup {
  const series = SENT_SERIES.filter(([status]) => sent.some((one) => one.status === status));
  if (series.length === 0) return NOTHING;
  return html`<section class="card">
    <h2>${visit.say(TEXT.deliveries)}</h2>
    ${renderStackedChart(visit, {
      days,
      series: series.map(([key, words, colour]) => ({ key, name: visit.say(words), colour })),
      valueOf: (day, key) => sent.find((one) => one.day === day && one.status === key)?.count ?? 0,
      shown: (count) => visit.count(count),
      short: (count) => visit.count(count),
      words: { title: visit.say(TEXT.deliveries), table: visit.say(TEXT.table), day: visit.say(TEXT.day) },
    })}
  </section>`;
}

export function phoneText(visit: Visit, phone: PhoneStatus): Markup | string {
  if (phone.silent) return visit.say(TEXT.silent);
  return renderTime(visit, phone.lastSeenAt) ?? visit.say(TEXT.never);
}

/** Today, a week and a month, by wallet; in the store's currency, as nearly everything is. */
export function renderTotals(visit: Visit, days: readonly string[], totals: readonly DayTotal[]): Markup {
  const { currency } = visit.store;
  const periods: (readonly [InBothLanguages, number])[] = [
    [TEXT.today, 1],
    [TEXT.week, 7],
    [TEXT.month, 30],
  ];
  return html`<h2>${visit.say(TEXT.totals)}</h2>
    <ul class="tiles totals">
      ${periods.map(([words, count]) => {
        const since = days.at(-count) ?? '';
        const rows = totals.filter((total) => total.day >= since && total.currency === currency);
        const sum = rows.reduce((all, { amountMinor }) => all + amountMinor, 0);
        return html`<li class="total">
          <span class="label">${visit.say(words)}</span>
          <strong>${renderMoney(visit, sum, currency)}</strong>
          ${renderByWallet(visit, rows, currency)}
        </li>`;
      })}
    </ul>`;
}

function renderByWallet(visit: Visit, rows: readonly DayTotal[], currency: string): Markup {
  const providers = [...new Set(rows.map(({ provider }) => provider))].sort();
  if (providers.length === 0) return html`<span class="hint">${visit.say(TEXT.nothing)}</span>`;
  return html`<ul class="by-wallet">
    ${providers.map((provider) => {
      const own = rows.filter((row) => row.provider === provider);
      const sum = own.reduce((all, { amountMinor }) => all + amountMinor, 0);
      const count = own.reduce((all, row) => all + row.count, 0);
      return html`<li>
        <span>${walletName(visit, provider)} · ${visit.count(count)}</span>
        ${renderMoney(visit, sum, currency)}
      </li>`;
    })}
  </ul>`;
}

export function renderChart(visit: Visit, days: readonly string[], totals: readonly DayTotal[]): Markup {
  if (totals.length === 0) return NOTHING;
  const words = {
    title: visit.say(TEXT.chart),
    table: visit.say(TEXT.table),
    day: visit.say(TEXT.day),
    sum: visit.say(TEXT.sum),
  };
  return html`<section class="card">
    <h2>${visit.say(TEXT.chart)}</h2>
    ${renderMoneyChart(visit, days, totals, visit.store.currency, words)}
    <p class="hint">${visit.say(TEXT.simulatedOut)}</p>
  </section>`;
}

export function renderTile(
  visit: Visit,
  name: InBothLanguages,
  value: Markup | string,
  path: string,
  isUrgent: boolean,
): Markup {
  return html`<li class="${isUrgent && 'urgent'}">
    <a href="${visit.inStore(path)}"
      ><span class="label">${visit.say(name)}</span> <strong>${value}</strong></a
    >
  </li>`;
}

/** The next steps of a new store, in the order in which a shop takes them. */
export function renderSteps(visit: Visit, phone: PhoneStatus, hasPayment: boolean): Markup {
  const { store } = visit;
  if (store.archivedAt !== null || !visit.may('manager')) return NOTHING;
  const steps: (readonly [boolean, InBothLanguages, string])[] = [
    [store.wallets.length > 0, TEXT.stepWallet, 'wallets'],
    [phone.lastSeenAt !== null, TEXT.stepPhone, 'phone'],
    [store.webhookUrl !== null, TEXT.stepWebhook, 'developers'],
    [hasPayment, TEXT.stepPayment, 'payments/new'],
  ];
  const left = steps.filter(([isDone]) => !isDone);
  if (left.length === 0) return NOTHING;
  return html`<section class="card">
    <h2>${visit.say(TEXT.steps)}</h2>
    <ol class="todo">
      ${left.map(([, words, path]) => html`<li><a href="${visit.inStore(path)}">${visit.say(words)}</a></li>`)}
    </ol>
  </section>`;
}
