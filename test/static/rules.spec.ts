import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNTESTED } from './untested-rules.js';

/*
 * Goal: whoever looks for the test of a rule finds it, and a rule that nothing tests is known with the reason. Method:
 * each spec says in one line which rules it holds (`Rules: contract 4.23`), and test/INDEX.md is written from these
 * lines: `npm run test:unit -- rules -u`.
 */

/** Every spec here says which rules it holds; elsewhere a spec may. */
const FOLDERS = ['test/e2e', 'test/browser', 'test/faults', 'test/process', 'test/contract'];
const OTHER_FOLDERS = ['src', 'test/long', 'test/system'];

interface Rule {
  readonly number: string;
  readonly words: string;
}

interface Section {
  readonly title: string;
  readonly file: string;
  readonly rules: readonly Rule[];
}

const sections: readonly Section[] = readdirSync('docs/contract')
  .filter((name) => /^\d\d-/.test(name))
  .sort()
  .map((file) => {
    const text = readFileSync(join('docs/contract', file), 'utf8');
    const rules = [...text.matchAll(/^\*\*(\d+\.\d+)\*\* ([^]*?)(?=\n\n|$(?![^]))/gm)];
    return {
      title: /^# (.*)$/m.exec(text)?.[1] ?? '',
      file,
      rules: rules.map(([, number = '', words = '']) => ({ number, words: firstWords(words) })),
    };
  });
const numbers = sections.flatMap(({ rules }) => rules.map(({ number }) => number));

/** The beginning of a rule, without the marks of Markdown. */
function firstWords(text: string): string {
  const plain = text
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*/g, '')
    .replace(/\|/g, '\\|');
  if (plain.length <= 80) return plain;
  return `${plain.slice(0, 80).replace(/ \S*$/, '')} …`;
}

/** Expands `4.67 to 4.73, 4.88`; what is no rule stays as it is. */
function rulesIn(list: string): string[] {
  return list.split(/, | and /).flatMap((part) => {
    const [first = '', last = first] = part.split(' to ');
    const [from, to] = [numbers.indexOf(first), numbers.indexOf(last)];
    return from < 0 || to < from ? [part] : numbers.slice(from, to + 1);
  });
}

/** The list in the line of a spec; null where there is none, empty where the spec says why it holds no rule. */
function citedBy(path: string): string[] | null {
  const text = readFileSync(path, 'utf8').replace(/\n \* /g, ' ');
  if (/\* Rules: none: \S/.test(text)) return [];
  const list = /\* Rules: contract ((?:\d+\.\d+|, | and | to )+)\./.exec(text)?.[1];
  return list === undefined ? null : rulesIn(list);
}

const specsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => join(folder, name))
    .sort();
const required = FOLDERS.flatMap(specsIn);
const cited = new Map([...required, ...OTHER_FOLDERS.flatMap(specsIn)].map((path) => [path, citedBy(path)]));

const testsOf = new Map<string, string[]>();
for (const [path, list] of cited)
  for (const rule of list ?? []) testsOf.set(rule, [...(testsOf.get(rule) ?? []), path]);

const untested = new Map(
  Object.entries(UNTESTED).flatMap(([reason, list]) => rulesIn(list).map((rule) => [rule, reason] as const)),
);

describe('the specs', () => {
  it('say in one line which rules they hold', () => {
    expect(required.filter((path) => cited.get(path) === null)).toEqual([]);
  });

  it('cite rules that are there, each once', () => {
    for (const [path, list] of cited) {
      expect(
        (list ?? []).filter((rule) => !numbers.includes(rule)),
        path,
      ).toEqual([]);
      expect(new Set(list).size, path).toBe(list?.length ?? 0);
    }
  });
});

describe('every rule of the contract', () => {
  it('has a test, or stands in the list of those that have none', () => {
    expect(numbers.length).toBeGreaterThan(650);
    expect(numbers.filter((rule) => !testsOf.has(rule) && !untested.has(rule))).toEqual([]);
  });

  it('stands in that list only while it has no test', () => {
    expect([...untested.keys()].filter((rule) => testsOf.has(rule) || !numbers.includes(rule))).toEqual([]);
  });

  it('stands in test/INDEX.md', async () => {
    await expect(index()).toMatchFileSnapshot('../INDEX.md');
  });
});

function index(): string {
  const lines = [
    '# Rules and their tests',
    '',
    'Each rule of [the contract](../docs/contract/README.md) with the specs that hold it. Written by',
    '`npm run test:unit -- rules -u` from the line `Rules:` of each spec; nobody edits it.',
  ];
  for (const { title, file, rules } of sections) {
    lines.push('', `## [${title}](../docs/contract/${file})`, '', '| Rule | Says | Specs |', '|---|---|---|');
    for (const { number, words } of rules) lines.push(`| ${number} | ${words} | ${specs(number)} |`);
  }
  lines.push('', '## Rules without a test', '', '| Why | Rules |', '|---|---|');
  for (const [reason, list] of Object.entries(UNTESTED)) lines.push(`| ${reason} | ${list} |`);
  return `${lines.join('\n')}\n`;
}

function specs(rule: string): string {
  const paths = testsOf.get(rule);
  if (paths === undefined) return '–';
  return paths.map((path) => `[${shortName(path)}](${linkTo(path)})`).join(', ');
}

const shortName = (path: string) => path.replace(/^test\/|\.spec\.ts$/g, '');
const linkTo = (path: string) => (path.startsWith('test/') ? path.slice('test/'.length) : `../${path}`);
