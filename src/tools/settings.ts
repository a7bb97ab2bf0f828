import { writeFile } from 'node:fs/promises';
import { SETTINGS } from '../app.module.js';

/* `npm run settings` writes docs/settings.md from the declarations; a test compares the two. */

const PATH = 'docs/settings.md';

const HEAD = `# Settings

Environment variables, checked at start; a wrong one stops it with a line that says what is expected. An empty variable
counts as unset. Durations are written \`250ms\`, \`8s\`, \`3m\`, \`24h\`, \`30d\`. Variables of an extension stand in its
own README.

This page is written by \`npm run settings\` from the classes of settings in the source.
`;

/** Headings that are not the name of their class. */
const HEADINGS: Readonly<Record<string, string>> = { Http: 'HTTP', Sso: 'Single sign-on' };

export function settingsPage(): string {
  const isListedBefore = (declared: object, index: number) =>
    SETTINGS.slice(0, index).some((other) =>
      Object.values(other.declared).some((known) => known === declared),
    );
  const sections = SETTINGS.map((one, index) => {
    // A setting that two features need stands in both of their classes, and once here.
    const rows = Object.values(one.declared)
      .filter((declared) => !isListedBefore(declared, index))
      .map(({ variable, shownDefault, help }) => `| \`${variable}\` | ${shownDefault} | ${help} |`);
    const name = one.name.replace(/Settings$/, '');
    const heading = HEADINGS[name] ?? name;
    return [`## ${heading}`, '', '| Variable | Default | What it does |', '|---|---|---|', ...rows].join(
      '\n',
    );
  });
  return `${[HEAD, ...sections].join('\n\n').replaceAll('\n\n\n', '\n\n')}\n`;
}

export async function settings(): Promise<void> {
  await writeFile(PATH, settingsPage());
  process.stdout.write(`Wrote ${PATH}.\n`);
}
