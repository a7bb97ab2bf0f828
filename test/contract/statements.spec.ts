import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { sourceFiles } from '../support/source-files.js';
import { describe, expect, it } from 'vitest';

/*
 * Rules: none: what a shard would do otherwise.
 *
 * Goal: no statement holds what a shard would do otherwise, silently (docs/growing.md). Method: every SQL text in the
 * source, read from its syntax tree, against a few patterns.
 */

interface SqlText {
  readonly file: string;
  readonly text: string;
}

const STARTS_AS_SQL = /^\s*(?:SELECT|INSERT INTO|UPDATE \w|DELETE FROM|WITH \w)/;

/** The texts of a file that are statements; what is filled in stands there as `?`. */
function statementsOf(file: string): SqlText[] {
  const found: SqlText[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    let text: string | null = null;
    if (ts.isStringLiteralLike(node)) text = node.text;
    else if (ts.isTemplateExpression(node))
      text = node.head.text + node.templateSpans.map((span) => `?${span.literal.text}`).join('');
    if (text !== null && STARTS_AS_SQL.test(text)) found.push({ file, text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What stands in the brackets that open at `start`. */
function bracketed(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, index + 1);
  }
  return text.slice(start);
}

const CLOCK =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(\)|\bcurrent_timestamp\b/i;

/** Faults of one statement, in words. */
function faultsOf(text: string): string[] {
  const faults: string[] = [];
  for (const { index } of text.matchAll(/\bAS (?:NOT )?(?:MATERIALIZED )?\(\s*(?:INSERT|UPDATE|DELETE)\b/gi))
    if (/^\s*WITH\b/i.test(text)) faults.push(`changes data in a CTE: ${text.slice(index, index + 40)}`);
  if (/^\s*WITH RECURSIVE\b/i.test(text)) faults.push('is recursive');
  for (const { index } of text.matchAll(/\bCASE\b[\s\S]*?\bEND\b/gi))
    if (CLOCK.test(/^[\s\S]*?\bEND\b/i.exec(text.slice(index))?.[0] ?? ''))
      faults.push('reads the clock in CASE');
  for (const { index, 0: word } of text.matchAll(/\bCOALESCE\s*(?=\()/gi))
    if (CLOCK.test(bracketed(text, index + word.length))) faults.push('reads the clock in COALESCE');
  const returning = /\bRETURNING\b([\s\S]*)$/i.exec(text)?.[1] ?? '';
  if (CLOCK.test(returning)) faults.push('reads the clock in RETURNING');
  return faults;
}

describe('the statements of the source', () => {
  const statements = sourceFiles('src').flatMap(statementsOf);

  it('are found by this test', () => {
    expect(statements.length).toBeGreaterThan(100);
    expect(faultsOf('WITH a AS (INSERT INTO b VALUES (1) RETURNING c) SELECT c FROM a')).toHaveLength(1);
    expect(faultsOf('UPDATE a SET b = CASE WHEN c THEN now() END')).toHaveLength(1);
    expect(faultsOf('UPDATE a SET b = COALESCE(b, least(now(), c))')).toHaveLength(1);
    expect(faultsOf('UPDATE a SET b = 1 RETURNING clock_timestamp() - c')).toHaveLength(1);
    expect(faultsOf('SELECT COALESCE(a, 1) FROM b WHERE c < now()')).toEqual([]);
  });

  it('hold nothing that a shard does otherwise', () => {
    const faults = statements.flatMap(({ file, text }) =>
      faultsOf(text).map((fault) => `${file}: ${fault} (${text.trim().slice(0, 60).replace(/\s+/g, ' ')})`),
    );
    expect(faults).toEqual([]);
  });

  it('have one text for each name', () => {
    const names = new Map<string, string[]>();
    for (const file of sourceFiles('src')) {
      const text = readFileSync(file, 'utf8');
      for (const [, name] of text.matchAll(/\bname: '([a-z][a-z0-9-]+)',\s+text: /g))
        names.set(name!, [...(names.get(name!) ?? []), file]);
      for (const [, name] of text.matchAll(/\.insert(?:Many|ManyWhere)?\(\s*'([a-z][a-z0-9-]+)'/g))
        names.set(name!, [...(names.get(name!) ?? []), file]);
    }
    expect(names.size).toBeGreaterThan(30);
    expect([...names].filter(([, files]) => files.length > 1)).toEqual([]);
  });
});
