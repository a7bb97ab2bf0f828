import { type ScaleBand, scaleBand, type ScaleLinear, scaleLinear } from 'd3-scale';
import { line, stack } from 'd3-shape';
import type { DayTotal } from '../../payments/index.js';
import { findWallet } from '../../wallets/index.js';
import { html, type Markup, NOTHING } from '../../platform/web/html.js';
import { formatDay } from '../../platform/web/local-time.js';
import { walletName } from './parts.js';
import type { Visit } from './visit.js';

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 56;
const BOTTOM = 22;
const OTHER_COLOUR = '#74857c';
const EVERY_NTH_LABEL = 7;

/** The words of a chart. */
export interface ChartWords {
  readonly title: string;
  readonly table: string;
  readonly day: string;
}

interface Series {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
}

interface Chart {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly valueOf: (day: string, key: string) => number;
  /** A value in the table. */
  readonly shown: (value: number) => string;
  /** The same where there is little room. */
  readonly short: (value: number) => string;
  readonly words: ChartWords & { readonly sum?: string };
}

/**
 * Money by day, the wallets stacked: drawn here, so that it needs no script, with the same numbers as a table behind.
 */
export function renderMoneyChart(
  visit: Visit,
  days: readonly string[],
  totals: readonly DayTotal[],
  currency: string,
  words: ChartWords & { readonly sum: string },
): Markup {
  const ours = totals.filter((total) => total.currency === currency);
  const providers = [...new Set(ours.map(({ provider }) => provider))].sort();
  return renderStackedChart(visit, {
    days,
    series: providers.map((key) => ({ key, name: walletName(visit, key) ?? key, colour: colourOf(key) })),
    valueOf: (day, key) =>
      ours.find((total) => total.day === day && total.provider === key)?.amountMinor ?? 0,
    shown: (amountMinor) => visit.money(amountMinor, currency),
    short: (amountMinor) => shortMoney(visit, amountMinor),
    words,
  });
}

/** Counts or sums by day, one upon the other. */
export function renderStackedChart(visit: Visit, chart: Chart): Markup {
  if (chart.series.length === 0) return NOTHING;
  return html`<figure>
    ${renderBars(visit, chart)} ${renderLegend(chart.series)}
    <details>
      <summary>${chart.words.table}</summary>
      ${renderTable(visit, chart)}
    </details>
  </figure>`;
}

/** One value for each day that has one, with a line between. */
export function renderLineChart(visit: Visit, chart: Chart): Markup {
  const [series] = chart.series;
  const days = chart.days.filter((day) => chart.valueOf(day, series?.key ?? '') > 0);
  if (series === undefined || days.length === 0) return NOTHING;
  const x = scaleBand<string>().domain(chart.days).range([LEFT, WIDTH]).padding(0.25);
  const y = scaleOf(days.map((day) => chart.valueOf(day, series.key)));
  const points = days.map(
    (day) => [(x(day) ?? 0) + x.bandwidth() / 2, y(chart.valueOf(day, series.key))] as [number, number],
  );
  const drawing = html`<path
      d="${line()(points) ?? ''}"
      fill="none"
      stroke="${series.colour}"
      stroke-width="2"
    />
    ${points.map(([cx, cy]) => html`<circle cx="${cx}" cy="${cy}" r="3.5" fill="${series.colour}" />`)}`;
  return html`<figure>
    ${renderFrame(visit, chart, x, y, drawing)}
    <details>
      <summary>${chart.words.table}</summary>
      ${renderTable(visit, chart)}
    </details>
  </figure>`;
}

function scaleOf(values: readonly number[]) {
  return scaleLinear()
    .domain([0, Math.max(1, ...values)])
    .nice(4)
    .range([HEIGHT - BOTTOM, 8]);
}

function renderBars(visit: Visit, chart: Chart): Markup {
  const { days, series, valueOf } = chart;
  const sums = days.map((day) => series.reduce((sum, { key }) => sum + valueOf(day, key), 0));
  const x = scaleBand<string>().domain(days).range([LEFT, WIDTH]).padding(0.25);
  const y = scaleOf(sums);
  const stacked = stack<string, string>()
    .keys(series.map(({ key }) => key))
    .value((day, key) => valueOf(day, key))(days);
  const bars = stacked.map((one) =>
    one.map(([from, to], index) =>
      to === from
        ? NOTHING
        : html`<rect
            x="${x(days[index] ?? '') ?? 0}"
            y="${y(to)}"
            width="${x.bandwidth()}"
            height="${y(from) - y(to)}"
            fill="${series.find(({ key }) => key === one.key)?.colour ?? OTHER_COLOUR}"
          />`,
    ),
  );
  return renderFrame(visit, chart, x, y, html`${bars}`);
}

/** The axes around a drawing. */
function renderFrame(
  visit: Visit,
  { days, short, words }: Chart,
  x: ScaleBand<string>,
  y: ScaleLinear<number, number>,
  drawing: Markup,
): Markup {
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words.title}">
    ${y
      .ticks(4)
      .filter((tick) => Number.isInteger(tick))
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
            <text x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">${short(tick)}</text>`,
      )}
    ${drawing}
    ${days.map((day, index) =>
      (days.length - 1 - index) % EVERY_NTH_LABEL === 0
        ? html`<text x="${(x(day) ?? 0) + x.bandwidth() / 2}" y="${HEIGHT - 6}" text-anchor="middle">
            ${shortDay(visit, day)}
          </text>`
        : NOTHING,
    )}
    <title>${words.title}</title>
  </svg>`;
}

function renderLegend(series: readonly Series[]): Markup {
  return html`<ul class="legend">
    ${series.map(
      ({ name, colour }) =>
        html`<li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill="${colour}" />
          </svg>
          ${name}
        </li>`,
    )}
  </ul>`;
}

function renderTable(visit: Visit, { days, series, valueOf, shown, words }: Chart): Markup {
  const rows = [...days]
    .reverse()
    .map((day) => ({ day, values: series.map(({ key }) => valueOf(day, key)) }))
    .filter(({ values }) => values.some((value) => value > 0));
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label="${words.title}">
    <table>
      <caption>
        ${words.title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${words.day}</th>
          ${series.map(({ name }) => html`<th scope="col">${name}</th>`)}
          ${words.sum !== undefined && html`<th scope="col">${words.sum}</th>`}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ day, values }) =>
            html`<tr>
              <th scope="row">${shortDay(visit, day)}</th>
              ${values.map((value) => html`<td>${value === 0 ? '–' : shown(value)}</td>`)}
              ${
                words.sum !== undefined &&
                html`<td>${shown(values.reduce((sum, value) => sum + value, 0))}</td>`
              }
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
