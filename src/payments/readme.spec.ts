import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  FINAL_STATUSES,
  FIRST_STATUS,
  PAYMENT_EVENTS,
  REVIEW_REASONS,
  TRANSITIONS,
} from './payments/payment.js';

/*
 * Goal: whoever reads the README sees the state table as it is. Method: the lines of its diagram are those that the
 * table would make, each once and no others; every event has a row in the table below it, and every review reason is
 * mentioned.
 */

const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

function diagramLines(): string[] {
  const diagrams = [...readme.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, text]) => text ?? '');
  expect(diagrams).toHaveLength(1);
  return diagrams
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

describe('README.md', () => {
  it('draws every transition with its event, and nothing else', () => {
    const edges = Object.entries(TRANSITIONS).flatMap(([from, ways]) =>
      Object.entries(ways).map(([event, to]) => `${from} --> ${to}: ${event}`),
    );
    const ends = FINAL_STATUSES.map((status) => `${status} --> [*]`);
    const [header, ...lines] = diagramLines();
    expect(header).toBe('stateDiagram-v2');
    expect(lines.sort()).toEqual([`[*] --> ${FIRST_STATUS}`, ...edges, ...ends].sort());
  });

  it('explains every event once, and no other', () => {
    const [, table] = /\n\| Event [^\n]*\n\|[ -|]*\n((?:\|[^\n]*\n)+)/.exec(readme) ?? [];
    const explained = [...(table ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, event]) => event);
    expect(explained).toEqual([...PAYMENT_EVENTS]);
  });

  it.each(REVIEW_REASONS)('mentions the review reason %s', (reason) => {
    expect(readme).toContain(`\`${reason}\``);
  });

  it('names a test for every attack, and each is there', () => {
    const [, rows = ''] = /\n\| Who [^\n]*\n\|[ -|]*\n((?:\|[^\n]*\n)+)/.exec(readme) ?? [];
    const cited = rows
      .trim()
      .split('\n')
      .map((row) => /\| `([a-z./-]+)`: ([^|]+?) *\|$/.exec(row));
    expect(cited.length).toBeGreaterThan(15);
    const missing = cited.filter((citation) => {
      const [, file, title] = citation ?? [];
      if (file === undefined || title === undefined) return true;
      return !readFileSync(resolve('test/e2e', `${file}.spec.ts`), 'utf8').includes(title);
    });
    expect(missing).toEqual([]);
  });
});
