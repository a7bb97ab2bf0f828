import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

const FOLDER = '.artifacts';
/** What many rows may cost, of what few do. */
const MOST_GROWTH = 1.5;

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Median, least and most of the rounds' own ratios: both sides of a round ran one right after the other. */
export function ratioOf(joma, floor) {
  const ratios = joma.map((value, round) => value / floor[round]);
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

const number = (value, digits = 0) =>
  value === null || value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits);

/** One row: what was measured, in requests a second against its floor. */
export function row(name, target, joma, floor, floorName) {
  const of = (list, field) => median(list.map((result) => result[field]));
  const ratio = ratioOf(
    joma.map(({ perSecond }) => perSecond),
    floor.map(({ perSecond }) => perSecond),
  );
  return {
    ...{ name, target, ratio, floorName },
    perSecond: of(joma, 'perSecond'),
    floorPerSecond: of(floor, 'perSecond'),
    ownUs: of(joma, 'ownUs'),
    postgresUs: of(joma, 'postgresUs'),
    floorOwnUs: of(floor, 'ownUs'),
    floorPostgresUs: of(floor, 'postgresUs'),
    p50Ms: of(joma, 'p50Ms'),
    p99Ms: of(joma, 'p99Ms'),
  };
}

function markdown({ rows, facts }) {
  const lines = [
    '| | Ratio (least–most) | Wanted | /s | Floor /s | p50 ms | p99 ms | CPU µs, of which PostgreSQL | Floor CPU µs | Floor |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(
      (one) =>
        `| ${one.name} | **${number(one.ratio.median, 2)}** (${number(one.ratio.least, 2)}–${number(one.ratio.most, 2)}) | ${one.target} | ` +
        `${number(one.perSecond)} | ${number(one.floorPerSecond)} | ${number(one.p50Ms, 1)} | ${number(one.p99Ms, 1)} | ` +
        `${number(one.ownUs + one.postgresUs)}, ${number(one.postgresUs)} | ${number(one.floorOwnUs + one.floorPostgresUs)}, ${number(one.floorPostgresUs)} | ${one.floorName} |`,
    ),
    '',
    ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What costs more with many rows than with few: medians of single requests, in milliseconds. */
function growthMarkdown({ rows, facts, sizes: [few, many] }) {
  const lines = [
    `| | Ratio | ${few.toLocaleString('en')} rows, ms | ${many.toLocaleString('en')} rows, ms | times |`,
    '|---|---|---|---|---|',
    ...rows.map(
      (one) =>
        `| ${one.name} | ${one.ratio > MOST_GROWTH ? `**${number(one.ratio, 2)}**` : number(one.ratio, 2)} | ${number(one.fewMs, 2)} | ${number(one.manyMs, 2)} | ${one.times} |`,
    ),
    '',
    `- wanted of each ratio: ${MOST_GROWTH} at most`,
    ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Prints the table and writes it as Markdown and JSON into a folder that git leaves alone. */
export function publish(report, name = 'bench', render = markdown) {
  const facts = { node: process.version, processors: cpus().length, ...report.facts };
  const text = render({ ...report, facts });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.md`), text);
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ ...report, facts }, null, 2)}\n`);
  process.stdout.write(`\n${text}`);
}

/** The same for what grows. */
export const publishGrowth = (report) => publish(report, 'bench-rows', growthMarkdown);
