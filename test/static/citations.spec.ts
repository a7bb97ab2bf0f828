import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * Goal: whoever reads a comment that cites a document can open it: it is in the repository, and has that section.
 * Method: every text file that git knows is read; "contract 4.36" must be a rule of docs/contract/, "wallets §4" and
 * its like a heading of docs/, links must lead to a file, and nothing may name a path or a registry of the machine it
 * was written on.
 */

const CITED = ['specification', 'wallets'] as const;
type Cited = (typeof CITED)[number];

/** Documents that are not ours have sections, too. */
const STANDARD = /(?:RFC \d+|NIST SP [\w-]+|OpenID Connect [\w. ]+|ASVS [\d.]+) $/;
const TEXT = /\.(?:ts|js|mjs|md|sql|sh|css|json|ya?ml)$|(?:^|\/)(?:Dockerfile|run|\.[a-z]+ignore)$/;
/** Written by tools, and this very file, which cites what is not there. */
const PASSED_OVER = ['package-lock.json', 'test/openapi.json', 'test/static/citations.spec.ts'];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => TEXT.test(name) && existsSync(name) && !PASSED_OVER.includes(name));

/** The text as one line, so that a citation may be broken over two lines of a comment. */
function flowing(text: string): string {
  return text.replace(/\s*\n\s*(?:\*(?!\/)|\/\/|--|#)?\s*/g, ' ');
}

/** Numbers of the sections: those of headings, and of the points of a numbered list as `5.7`. */
function sectionsOf(name: Cited): Set<string> {
  const sections = new Set<string>();
  let section = '';
  for (const line of readFileSync(`docs/${name}.md`, 'utf8').split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)?)\.? /.exec(line)?.[1];
    if (heading !== undefined) sections.add((section = heading));
    const point = /^(\d+)\. /.exec(line)?.[1];
    if (point !== undefined && section !== '') sections.add(`${section}.${point}`);
  }
  return sections;
}

const sections = Object.fromEntries(CITED.map((name) => [name, sectionsOf(name)])) as Record<
  Cited,
  Set<string>
>;

/** What a text cites: "specification §2 and §7" twice. `own` is the document that a bare § means. */
function citationsIn(
  text: string,
  own: Cited | null,
): { document: Cited | null; section: string; at: string }[] {
  const found: { document: Cited | null; section: string; at: string }[] = [];
  let last: { document: Cited | null; end: number } | null = null;
  for (const match of text.matchAll(/§+ ?(\d+(?:\.\d+)*)/g)) {
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    const named = /(specification|wallets)(?:\.md\)?)? \(?$/i.exec(before)?.[1]?.toLowerCase() as
      Cited | undefined;
    const isOneOfSeveral: boolean =
      last !== null && /^(?:, | and | or |–| to )$/.test(text.slice(last.end, match.index));
    const document: Cited | null =
      named ?? (isOneOfSeveral ? last!.document : STANDARD.test(before) ? null : own);
    const isStandard =
      named === undefined && (STANDARD.test(before) || (isOneOfSeveral && last!.document === null));
    last = { document, end: match.index + match[0].length };
    if (!isStandard) found.push({ document, section: match[1] ?? '', at: before.slice(-30) + match[0] });
  }
  return found;
}

/** The rules of docs/contract/, as `4.36`, and the sections that hold them, as `4`. */
const rules = new Set<string>();
const contractSections = new Set<string>();
for (const name of readdirSync('docs/contract')) {
  const section = /^(\d\d)-/.exec(name)?.[1];
  if (section === undefined) continue;
  contractSections.add(String(Number(section)));
  for (const [, rule = ''] of readFileSync(join('docs/contract', name), 'utf8').matchAll(
    /^\*\*(\d+\.\d+)\*\*/gm,
  ))
    rules.add(rule);
}

/** What a text cites of the contract: of "contract 3.17 and 7.1" both, of "contract section 3, section 4" both. */
function contractCitationsIn(text: string): string[] {
  const pattern = /\bcontract ((?:section \d+|\d+\.\d+)(?:(?:, | and | or | to )(?:section \d+|\d+\.\d+))*)/g;
  return [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(/, | and | or | to /));
}

/** Not in the repository: the bench writes it. */
const WRITTEN_AT_RUN = new Set(['bench.md']);

describe('what the files cite', () => {
  it('is found by this test', () => {
    expect(files.length).toBeGreaterThan(300);
    for (const name of CITED) expect(sections[name].size, name).toBeGreaterThan(5);
    expect([...sections.specification]).toEqual(expect.arrayContaining(['2.3', '5.7', '9']));
    expect(citationsIn('x (specification §2 and §99; RFC 9110 §15.5.6)', null)).toMatchObject([
      { document: 'specification', section: '2' },
      { document: 'specification', section: '99' },
    ]);
  });

  it('are rules of the contract that are there', () => {
    expect(rules.size).toBeGreaterThan(600);
    expect(contractCitationsIn('contract 3.17 and 7.1; contract section 3, section 4')).toEqual([
      '3.17',
      '7.1',
      'section 3',
      'section 4',
    ]);
    const cited = files.flatMap((name) =>
      contractCitationsIn(flowing(readFileSync(name, 'utf8'))).map((rule) => ({ name, rule })),
    );
    expect(cited.length).toBeGreaterThan(400);
    const wrong = cited.filter(({ rule }) =>
      rule.startsWith('section ') ? !contractSections.has(rule.slice('section '.length)) : !rules.has(rule),
    );
    expect(wrong.map(({ name, rule }) => `${name}: contract ${rule}`)).toEqual([]);
  });

  it('are sections that are there', () => {
    const wrong = files.flatMap((name) => {
      const own = CITED.find((document) => name === `docs/${document}.md`) ?? null;
      return citationsIn(flowing(readFileSync(name, 'utf8')), own)
        .filter(({ document, section }) => document === null || !sections[document].has(section))
        .map(({ at }) => `${name}: ${at}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are documents that are there', () => {
    const known = new Set(files.map((name) => basename(name)));
    const wrong = files.flatMap((name) =>
      [...readFileSync(name, 'utf8').matchAll(/(?<![\w/.*<>'-])((?:[\w.-]+\/)*[\w-]+\.md)\b/g)]
        .map((match) => match[1] ?? '')
        .filter((cited) => !known.has(basename(cited)) && !WRITTEN_AT_RUN.has(cited))
        .map((cited) => `${name}: ${cited}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are paths that are there', () => {
    const wrong = files
      .filter(
        (name) =>
          /^(?:[A-Z]+\.md|docs\/(?:growing|performance|security)\.md)$/.test(name) && name !== 'CHANGELOG.md',
      )
      .flatMap((name) =>
        [...readFileSync(name, 'utf8').matchAll(/`((?:src|test|docs|migrations|\.config|\.ci)\/[^`\s<*]*)/g)]
          .map((match) => match[1] ?? '')
          .filter((path) => !existsSync(path))
          .map((path) => `${name}: ${path}`),
      );
    expect(wrong).toEqual([]);
  });

  it('are links that lead to a file', () => {
    const wrong = files
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...readFileSync(name, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)]
          .map((match) => match[1] ?? '')
          .filter((link) => !existsSync(join(dirname(name), link)))
          .map((link) => `${name}: ${link}`),
      );
    expect(wrong).toEqual([]);
  });
});

/** Documents that lead through the code by its names. */
const READMES = /^(?:src\/.*README|docs\/(?:glossary|architecture|walks))\.md$/;

describe('the READMEs of the source, the glossary and the walks', () => {
  it('name classes, functions and files that are there', () => {
    const source = files
      .filter((name) => /^(?:src|migrations|test)\/.*\.(?:ts|js|css)$/.test(name))
      .map((name) => readFileSync(name, 'utf8'))
      .join('\n');
    const words = new Set(source.match(/\w+/g));
    const known = new Set(files.map((name) => basename(name)));
    const wrong = files
      .filter((name) => READMES.test(name))
      .flatMap((name) =>
        [...readFileSync(name, 'utf8').matchAll(/`(@?[\w.-]+)(?:\([^`]*\))?`/g)]
          .map(([, cited = '']) => cited)
          .filter((cited) =>
            /\.(?:ts|js|css)$/.test(cited)
              ? !known.has(cited)
              : /^@?[A-Za-z]\w+(?:\.[a-z]\w+)?$/.test(cited) &&
                cited
                  .replace('@', '')
                  .split('.')
                  .some((part) => !words.has(part)),
          )
          .map((cited) => `${name}: ${cited}`),
      );
    expect(wrong).toEqual([]);
  });
});

/** Allowed at the top beside those that must be there. */
const MAY_BE = ['deploy', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];

describe('the files', () => {
  it('name no path of the machine they were written on, and no registry', () => {
    const foreign = /(?<![\w.])\/(?:home|Users|root|work)\/[\w.-]+|\bregistry\.(?!npmjs\.org\b)[\w-]+\.\w+/;
    const wrong = [...files, 'package-lock.json'].flatMap((name) => {
      const found = foreign.exec(readFileSync(name, 'utf8'));
      return found === null ? [] : [`${name}: ${found[0]}`];
    });
    expect(wrong).toEqual([]);
  });

  it('are few at the top', () => {
    const folders = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean);
    const top = new Set(
      folders.map((name) => name.split('/')[0] ?? '').filter((name) => !name.startsWith('.')),
    );
    expect([...top].filter((name) => !MAY_BE.includes(name)).sort()).toEqual(
      [
        ...[
          'src',
          'test',
          'migrations',
          'docs',
          'nest-cli.json',
          'ormconfig.ts',
          'package.json',
          'package-lock.json',
        ],
        ...['tsconfig.json', 'Dockerfile', 'README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md'],
      ].sort(),
    );
  });
});
