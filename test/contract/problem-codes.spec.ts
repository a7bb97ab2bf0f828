import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../src/platform/http/index.js';
import { DomainError, type DomainErrorKind, type ProblemCodes } from '../../src/kernel/domain-error.js';
import { DAY_CLOSE_CODES } from '../../src/extensions/day-close/day-close.errors.js';
import { PROBLEM_CODES } from '../../src/app.module.js';

/*
 * Goal: every code that a caller can meet is published, with the right status, and nothing is published that nobody
 * can meet. Method: the source is parsed. Each `new DomainError(kind, code, …)` is read; where the code is not
 * written there (a table, a parameter), the file itself must hold its codes as texts, and all of them count.
 */

interface UsedCode {
  readonly code: string;
  readonly file: string;
  /** The kind it is thrown with, where that is written beside it. */
  readonly kind: DomainErrorKind | null;
}

const CODE = /^[a-z]+\.[a-z][a-z_]*$/;

/** The one place that turns what the framework refuses into codes. */
const FILTER = join('src', 'platform', 'http', 'problems', 'problem.filter.ts');

function sourceFiles(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join('src', name));
}

function usedCodesOf(file: string): UsedCode[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const used: UsedCode[] = [];
  const texts: string[] = [];
  let readsWholeFile = file === FILTER;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && CODE.test(node.text)) texts.push(node.text);
    if (ts.isNewExpression(node) && node.expression.getText() === 'DomainError') {
      const [kind, code] = node.arguments ?? [];
      if (code !== undefined && ts.isStringLiteral(code)) {
        const isPlain = kind !== undefined && ts.isStringLiteral(kind);
        used.push({ code: code.text, file, kind: isPlain ? (kind.text as DomainErrorKind) : null });
      } else {
        readsWholeFile = true;
      }
    }
    // `sendProblem(request, reply, { code: '…' })`: what fails before any handler is reached.
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'code' &&
      ts.isStringLiteral(node.initializer)
    ) {
      if (CODE.test(node.initializer.text)) used.push({ code: node.initializer.text, file, kind: null });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return readsWholeFile ? [...used, ...texts.map((code) => ({ code, file, kind: null }))] : used;
}

/** The core's, and those of the extensions that come with it; the latter stand in the extensions' own documents. */
const PUBLISHED: ProblemCodes = { ...PROBLEM_CODES, ...DAY_CLOSE_CODES };

const used = sourceFiles().flatMap(usedCodesOf);
const document = readFileSync('test/openapi.json', 'utf8');

describe('problem codes', () => {
  it('are found where they are', () => {
    const codes = used.map(({ code }) => code);
    for (const code of ['store.not_found', 'payment.in_review', 'request.too_large', 'auth.busy']) {
      expect(codes).toContain(code);
    }
  });

  it('are all published', () => {
    const unpublished = used.filter(({ code }) => PUBLISHED[code] === undefined);
    expect(unpublished.map(({ code, file }) => `${code} in ${file}`)).toEqual([]);
  });

  it('are published with the status they come with', () => {
    const wrong = used.filter(
      ({ code, kind }) =>
        kind !== null && failureOf(new DomainError(kind, code, '')).status !== PUBLISHED[code]?.status,
    );
    expect(wrong.map(({ code, kind, file }) => `${code} is ${kind} in ${file}`)).toEqual([]);
  });

  it('are all met somewhere', () => {
    const met = new Set(used.map(({ code }) => code));
    expect(Object.keys(PUBLISHED).filter((code) => !met.has(code))).toEqual([]);
  });

  it('are dotted, lower case, and say what they mean', () => {
    for (const [code, { status, meaning }] of Object.entries(PROBLEM_CODES)) {
      expect(code).toMatch(CODE);
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
