import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/*
 * Goal: a test holds each claim of docs/security.md. Method: each requirement of ASVS 5.0.0 stands there once; what is
 * met names a test, and each test that is named is there.
 */

const document = readFileSync('docs/security.md', 'utf8');

/** How many requirements each section of ASVS 5.0.0 has, 345 in all. */
const SECTIONS: Readonly<Record<string, number>> = {
  ...{ '1.1': 2, '1.2': 10, '1.3': 12, '1.4': 3, '1.5': 3, '2.1': 3, '2.2': 3, '2.3': 5, '2.4': 2 },
  ...{ '3.1': 1, '3.2': 3, '3.3': 5, '3.4': 8, '3.5': 8, '3.6': 1, '3.7': 5 },
  ...{ '4.1': 5, '4.2': 5, '4.3': 2, '4.4': 4, '5.1': 1, '5.2': 6, '5.3': 3, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 8, '6.4': 6, '6.5': 8, '6.6': 4, '6.7': 2, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 3, '7.6': 2 },
  ...{ '8.1': 4, '8.2': 4, '8.3': 3, '8.4': 2, '9.1': 3, '9.2': 4 },
  ...{ '10.1': 2, '10.2': 3, '10.3': 5, '10.4': 16, '10.5': 5, '10.6': 2, '10.7': 3 },
  ...{ '11.1': 4, '11.2': 5, '11.3': 5, '11.4': 4, '11.5': 2, '11.6': 2, '11.7': 2 },
  ...{ '12.1': 5, '12.2': 2, '12.3': 5, '13.1': 4, '13.2': 6, '13.3': 4, '13.4': 7 },
  ...{ '14.1': 2, '14.2': 8, '14.3': 3, '15.1': 5, '15.2': 5, '15.3': 7, '15.4': 4 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 4, '17.1': 2, '17.2': 8, '17.3': 2 },
};
const ALL = Object.entries(SECTIONS).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
);

interface Claim {
  readonly requirements: readonly string[];
  readonly text: string;
}

const claims: readonly Claim[] = [
  ...document.matchAll(/^\| ([0-9]+\.[0-9]+\.[0-9]+[^|]*)\|([^\n]*)\|$/gm),
].map(([, requirements = '', text = '']) => ({
  requirements: requirements.replaceAll('(L3)', '').split(',').flatMap(rangeOf),
  text: text.trim(),
}));

/** Expands `1.2.6 to 1.2.8`, also across sections. */
function rangeOf(text: string): string[] {
  const [first = '', last = first] = text.trim().split(' to ');
  const [from, to] = [ALL.indexOf(first), ALL.indexOf(last)];
  return from < 0 || to < from ? [`no such requirement: ${text.trim()}`] : ALL.slice(from, to + 1);
}

/** A spec is named by the end of its path: `dashboard/routes.spec.ts`. */
const specs = ['src', 'test'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => `/${name}`),
);

describe('docs/security.md', () => {
  it('names every requirement of ASVS 5.0.0 once', () => {
    expect(ALL).toHaveLength(345);
    expect(claims.flatMap(({ requirements }) => requirements).sort()).toEqual([...ALL].sort());
  });

  it('says of each that it is met, not met, the operator’s or not applicable', () => {
    const unsaid = claims.filter(
      ({ text }) => !/^(?:met|met in part|not met|not met by the letter|operator|n\/a)[:,]/.test(text),
    );
    expect(unsaid).toEqual([]);
  });

  it('names a test for what is met, and each test is there', () => {
    const testsOf = (text: string) =>
      [...text.matchAll(/`([a-zA-Z0-9./-]+\.spec\.ts)`/g)].map(([, name]) => name!);
    expect(claims.filter(({ text }) => text.startsWith('met') && testsOf(text).length === 0)).toEqual([]);
    expect(
      testsOf(document).filter(
        (name) => !specs.some((spec) => spec.endsWith(`/${name.replace(/^test\//, '')}`)),
      ),
    ).toEqual([]);
  });

  it('names files that are there', () => {
    const paths = [...document.matchAll(/`((?:src|test|docs)\/[a-zA-Z0-9_./-]+)`/g)].map(([, path]) => path!);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});
