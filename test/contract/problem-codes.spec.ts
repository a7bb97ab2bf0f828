import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../src/app.module.js';
import * as dayCloseProblems from '../../src/extensions/day-close/day-close.problems.js';
import { type ProblemCodes, problemsOf } from '../../src/kernel/domain-error.js';

/*
 * Rules: contract 1.34, 1.36, 2.24, 2.31, 3.48, 14.21.
 *
 * Goal: every code that a caller can meet is published, and nothing is published that nobody can meet (contract 1.36).
 * Method: every file of problems is imported, and what it declares is looked for in the core's list and in the rest of
 * the source.
 */

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => join('src', name));

interface Declared {
  readonly name: string;
  readonly code: string;
  readonly file: string;
}

async function declaredIn(file: string): Promise<Declared[]> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, object>;
  return Object.entries(module)
    .filter(([, value]) => 'saying' in value)
    .map(([name, problem]) => ({ name, code: (problem as unknown as { code: string }).code, file }));
}

const files = sources.filter((file) => file.endsWith('.problems.ts'));
const declared = (await Promise.all(files.map(declaredIn))).flat();

/** The core's, and those of the extensions that come with it; the latter stand in the extensions' own documents. */
const PUBLISHED: ProblemCodes = { ...PROBLEM_CODES, ...problemsOf(dayCloseProblems) };

const document = readFileSync('test/openapi.json', 'utf8');

describe('problem codes', () => {
  it('are found where they are', () => {
    const codes = declared.map(({ code }) => code);
    for (const code of ['store.not_found', 'payment.in_review', 'request.too_large', 'auth.busy'])
      expect(codes).toContain(code);
  });

  it('are all published', () => {
    const unpublished = declared.filter(({ code }) => PUBLISHED[code] === undefined);
    expect(unpublished).toEqual([]);
  });

  it('are declared once each, by `defineProblem` alone', () => {
    const all = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
    const codes = [...all.matchAll(/defineProblem\(\s*'([^']*)'/g)].map(([, code]) => code);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(codes.toSorted()).toEqual(Object.keys(PUBLISHED).toSorted());
    // The second keeps a problem and changes its places, the third a status that the framework gave.
    const byHand = sources.filter((file) =>
      /new DomainError\(|super\(serviceUna/.test(readFileSync(file, 'utf8')),
    );
    expect(byHand.toSorted()).toEqual([
      'src/dashboard/pages/wallets/changes.ts',
      'src/kernel/domain-error.ts',
      'src/platform/http/problems/problem.filter.ts',
      'src/stores/stores.problems.ts',
    ]);
  });

  it('are all met somewhere', () => {
    const uses = sources.map((file) =>
      readFileSync(file, 'utf8')
        .replace(/^(?:import|export) (?:type )?(?:\{[^}]*\}|\*[^;]*) from [^;]*;/gm, '')
        .replaceAll(/ApiProblem\([^)]*\)/g, '')
        .replaceAll(/export const \w+ = defineProblem/g, ''),
    );
    const unused = declared.filter(
      ({ name }) => !uses.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
    );
    expect(unused).toEqual([]);
  });

  it('are dotted, lower case, and say what they mean', () => {
    for (const [code, { status, meaning }] of Object.entries(PUBLISHED)) {
      expect(code).toMatch(/^[a-z]+\.[a-z][a-z_]*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(meaning, code).toMatch(/^[A-Z].*\.$/);
    }
  });

  /** Codes that no operation of the document answers; `payment.in_review` is reserved (contract 3.48). */
  const ANSWERED_NOWHERE = [
    ...['request.method_not_allowed', 'request.timeout', 'request.headers_too_large'],
    'payment.in_review',
  ];

  it('stand in the OpenAPI document, each with its meaning, and an example where it can be answered', () => {
    const { info, components } = JSON.parse(document) as {
      info: { description: string };
      components: {
        examples: Record<string, { value: { code: string; status: number } }>;
        schemas: { ProblemCode: { enum: string[] } };
      };
    };
    for (const [code, { status, meaning }] of Object.entries(PROBLEM_CODES)) {
      expect(info.description).toContain(`| \`${code}\` | ${status} | ${meaning} |`);
      if (ANSWERED_NOWHERE.includes(code)) expect(components.examples[code]).toBeUndefined();
      else expect(components.examples[code]?.value).toMatchObject({ code, status });
    }
    expect(components.schemas.ProblemCode.enum).toEqual(Object.keys(PROBLEM_CODES));
  });
});
