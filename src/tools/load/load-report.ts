/** The cost of one kind of work, with so many callers at the same time. */
export interface LoadResult {
  readonly name: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** How often each other answer came: a status, or what the connection said. */
  readonly failures: Readonly<Record<string, number>>;
}

/** The value that the share of them does not exceed; NaN of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** From single times to what the report shows. */
export function summarise(
  name: string,
  connections: number,
  seconds: number,
  timesMs: readonly number[],
  failures: Readonly<Record<string, number>>,
): LoadResult {
  const sorted = [...timesMs].sort((left, right) => left - right);
  return {
    ...{ name, connections, failures, perSecond: timesMs.length / seconds },
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
  };
}

const COLUMNS = ['', 'connections', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'other answers'];

/** The closing table, in columns for a terminal; it is Markdown, too. */
export function tableOf(results: readonly LoadResult[]): string {
  const cells = results.map((result) => [
    result.name,
    String(result.connections),
    Math.round(result.perSecond).toLocaleString('en'),
    ...[result.p50Ms, result.p95Ms, result.p99Ms].map((ms) => (Number.isNaN(ms) ? '–' : ms.toFixed(1))),
    Object.entries(result.failures)
      .map(([what, count]) => `${count} × ${what}`)
      .join(', ') || '–',
  ]);
  const widths = COLUMNS.map((title, column) =>
    Math.max(3, title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = (column: number) => column > 0 && column < COLUMNS.length - 1;
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (isNumber(column) ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`;
  return [line(COLUMNS), rule, ...cells.map(line)].join('\n');
}

const COLOURS = ['#0b6b4f', '#b5530a', '#3b5bdb', '#8b3392'];
const PANEL = { width: 330, height: 220, top: 56, left: 64, gap: 90 };

/** Two panels over the number of connections: how much there was each second, and how long it took (p99). */
export function plotOf(results: readonly LoadResult[], title: string): string {
  const width = PANEL.left * 2 + PANEL.width * 2 + PANEL.gap - 24;
  const names = [...new Set(results.map(({ name }) => name))];
  const legend = names.map(
    (name, index) =>
      `<text x="${PANEL.left + index * 170}" y="${PANEL.top + PANEL.height + 62}" fill="${colourOf(index)}">● ${escape(name)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.top + PANEL.height + 84}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escape(title)}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="${PANEL.left}" y="22" font-size="15">${escape(title)}</text>`,
    ...panel(results, names, PANEL.left, 'per second', ({ perSecond }) => perSecond),
    ...panel(results, names, PANEL.left + PANEL.width + PANEL.gap, 'p99, ms', ({ p99Ms }) => p99Ms),
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}

function panel(
  results: readonly LoadResult[],
  names: readonly string[],
  left: number,
  title: string,
  valueOf: (result: LoadResult) => number,
): string[] {
  const values = results.map(valueOf).filter(Number.isFinite);
  const top = roundUp(Math.max(1, ...values));
  const steps = [...new Set(results.map(({ connections }) => connections))].sort((one, other) => one - other);
  const bottom = PANEL.top + PANEL.height;
  const x = (connections: number) =>
    left + ((steps.indexOf(connections) + 0.5) / Math.max(1, steps.length)) * PANEL.width;
  const y = (value: number) => bottom - (value / top) * PANEL.height;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${left}" x2="${left + PANEL.width}" y1="${y(top * share)}" y2="${y(top * share)}" stroke="#d8d8d8"/>`,
    `<text x="${left - 6}" y="${y(top * share) + 4}" text-anchor="end">${(top * share).toLocaleString('en')}</text>`,
  ]);
  const ticks = steps.map(
    (connections) =>
      `<text x="${x(connections)}" y="${bottom + 18}" text-anchor="middle">${connections}</text>`,
  );
  const curves = names.flatMap((name, index) => {
    const points = results
      .filter((result) => result.name === name && Number.isFinite(valueOf(result)))
      .map((result) => `${x(result.connections).toFixed(1)},${y(valueOf(result)).toFixed(1)}`);
    const dots = points.map((point) => {
      const [cx, cy] = point.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colourOf(index)}"/>`;
    });
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colourOf(index)}" stroke-width="2"/>`,
      ...dots,
    ];
  });
  return [
    `<text x="${left}" y="${PANEL.top - 12}">${escape(title)}</text>`,
    ...grid,
    ...ticks,
    `<text x="${left + PANEL.width / 2}" y="${bottom + 36}" text-anchor="middle">connections</text>`,
    ...curves,
  ];
}

const colourOf = (index: number) => COLOURS[index % COLOURS.length];

/** The next of 1, 2, 4, 8, 10, 20, 40 …, so that quarters of it are plain numbers. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 8].find((factor) => factor * power >= value) ?? 10) * power;
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
