import { scaleBand, scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import type { DayTotal } from '../payments/index.js';
import { findWallet } from '../wallets/index.js';
import { html, type Markup, NOTHING } from '../web/html.js';
import { formatDay } from '../web/local-time.js';
import { walletName } from './parts.js';
import type { Visit } from './visit.js';

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 56;
const BOTTOM = 22;
const OTHER_COLOUR = '#74857c';
const EVERY_NTH_LABEL = 7;

/** Money by day, the wallets stacked: drawn here, so that it needs no script, with the same numbers as a table behind. */
export function renderMoneyChart(
  visit: Visit,
  days: readonly string[],
  totals: readonly DayTotal[],
  currency: string,
  words: { readonly title: string; readonly table: string; readonly day: string; readonly sum: string },
): Markup {
  const ours = totals.filter((total) => total.currency === currency);
  if (ours.length === 0) return NOTHING;
  const providers = [...new Set(ours.map(({ provider }) => provider))].sort();
  const amountOf = (day: string, provider: string): number =>
    ours.find((total) => total.day === day && total.provider === provider)?.amountMinor ?? 0;
  return html`<figure>
    ${renderBars(visit, days, providers, amountOf, currency, words.title)} ${renderLegend(visit, providers)}
    <details>
      <summary>${words.table}</summary>
      ${renderTable(visit, days, providers, amountOf, currency, words)}
    </details>
  </figure>`;
}

type AmountOf = (day: string, provider: string) => number;

function renderBars(
  visit: Visit,
  days: readonly string[],
  providers: readonly string[],
  amountOf: AmountOf,
  currency: string,
  title: string,
): Markup {
  const sums = days.map((day) => providers.reduce((sum, provider) => sum + amountOf(day, provider), 0));
  const x = scaleBand<string>().domain(days).range([LEFT, WIDTH]).padding(0.25);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...sums)])
    .nice(4)
    .range([HEIGHT - BOTTOM, 8]);
  const series = stack<string, string>()
    .keys(providers)
    .value((day, provider) => amountOf(day, provider))(days);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
    ${y
      .ticks(4)
      .map(
        (tick) =>
          html`<line
              x1="${LEFT}"
              x2="${WIDTH}"
              y1="${y(tick)}"
              y2="${y(tick)}"
              stroke="currentColor"
              opacity="0.15"
            />
            <text x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">${shortMoney(visit, tick)}</text>`,
      )}
    ${series.map((wallet) =>
      wallet.map(([from, to], index) =>
        to === from
          ? NOTHING
          : html`<rect
              x="${x(days[index] ?? '') ?? 0}"
              y="${y(to)}"
              width="${x.bandwidth()}"
              height="${y(from) - y(to)}"
              fill="${colourOf(wallet.key)}"
            />`,
      ),
    )}
    ${days.map((day, index) =>
      (days.length - 1 - index) % EVERY_NTH_LABEL === 0
        ? html`<text x="${(x(day) ?? 0) + x.bandwidth() / 2}" y="${HEIGHT - 6}" text-anchor="middle">
            ${shortDay(visit, day)}
          </text>`
        : NOTHING,
    )}
    <title>${title}</title>
  </svg>`;
}

function renderLegend(visit: Visit, providers: readonly string[]): Markup {
  return html`<ul class="legend">
    ${providers.map(
      (provider) =>
        html`<li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill="${colourOf(provider)}" />
          </svg>
          ${walletName(visit, provider)}
        </li>`,
    )}
  </ul>`;
}

function renderTable(
  visit: Visit,
  days: readonly string[],
  providers: readonly string[],
  amountOf: AmountOf,
  currency: string,
  words: { readonly title: string; readonly day: string; readonly sum: string },
): Markup {
  const rows = [...days]
    .reverse()
    .map((day) => ({ day, amounts: providers.map((provider) => amountOf(day, provider)) }))
    .map((row) => ({ ...row, sum: row.amounts.reduce((sum, amount) => sum + amount, 0) }))
    .filter(({ sum }) => sum > 0);
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label="${words.title}">
    <table>
      <caption>
        ${words.title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${words.day}</th>
          ${providers.map((provider) => html`<th scope="col">${walletName(visit, provider)}</th>`)}
          <th scope="col">${words.sum}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ day, amounts, sum }) =>
            html`<tr>
              <th scope="row">${shortDay(visit, day)}</th>
              ${amounts.map((amount) => html`<td>${amount === 0 ? '–' : visit.money(amount, currency)}</td>`)}
              <td>${visit.money(sum, currency)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function colourOf(provider: string): string {
  return findWallet(provider)?.colour ?? OTHER_COLOUR;
}

/** Thousands as k, lakhs as L: an axis has no room for more. */
function shortMoney(visit: Visit, minor: number): string {
  const amount = minor / 100;
  if (amount >= 100_000) return `${visit.count(Number((amount / 100_000).toFixed(1)))}L`;
  return amount >= 1_000 ? `${visit.count(Number((amount / 1_000).toFixed(1)))}k` : visit.count(amount);
}

function shortDay(visit: Visit, day: string): string {
  // A day of the calendar as such: read and said as one of UTC.
  return formatDay(new Date(`${day}T00:00:00Z`), visit.language, 'UTC').replace(/ \S+$/, '');
}
