import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../support/openapi.js';
import { breakingChanges } from '../support/openapi-compatibility.js';

/*
 * Rules: contract 1.3, 1.7, 8.29.
 *
 * Goal: the document is one that any tool takes, and no client breaks without a word. Method: the recommended rules
 * of a standard linter; the document against test/openapi.released.json, which is replaced only together with an
 * entry "Breaking" of the changelog.
 */

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as OpenApiDocument;

/** The core's document with what every extension adds. */
function wholeDocument(): OpenApiDocument {
  const whole = read('test/openapi.json');
  const components = whole.components as unknown as Record<string, Record<string, unknown>>;
  for (const entry of readdirSync('src/extensions', { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const part = read(join('src/extensions', entry.name, 'openapi.json'));
    Object.assign(whole.paths, part.paths);
    Object.assign(whole.webhooks, part.webhooks);
    for (const [kind, members] of Object.entries(part.components as unknown as typeof components))
      components[kind] = { ...components[kind], ...members };
  }
  return whole;
}

/** What the rules take for doubtful, and is as it has to be. */
const AS_IT_HAS_TO_BE: readonly (readonly [rule: string, place: RegExp, why: string])[] = [
  [
    'no-ambiguous-paths',
    /payments~1public~1\{id\}|deliveries~1replay~1\{id\}/,
    'ids are UUIDs, and no word is one',
  ],
  ['operation-2xx-response', /~1(?:l~1\{slug\}|pay~1\{id\})\/post/, 'a form leads on with 303'],
  ['operation-4xx-response', /~1health~1/, 'nothing can be wrong about the question'],
];

describe('the document', () => {
  it('fulfils the recommended rules of a linter, extensions included', async () => {
    const text = JSON.stringify(wholeDocument());
    const problems = await lintDocument({
      document: makeDocumentFromString(text, 'test/openapi.json'),
      config: await createConfig({ extends: ['recommended'] }),
      externalRefResolver: new BaseResolver(),
    });
    const found = problems
      .map(({ ruleId, message, location }) => [ruleId, location[0]?.pointer ?? '', message] as const)
      .filter(
        ([rule, place]) => !AS_IT_HAS_TO_BE.some(([other, where]) => rule === other && where.test(place)),
      );
    expect(found).toEqual([]);
  });

  it('names its fields in camelCase', () => {
    const names: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: Record<string, unknown> };
      names.push(...Object.keys(properties ?? {}));
      Object.values(value).forEach(collect);
    };
    collect(read('test/openapi.json').components.schemas);
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name))).toEqual([]);
  });

  it('breaks no client, or the changelog says so', () => {
    const changes = breakingChanges(read('test/openapi.released.json'), read('test/openapi.json'));
    const [unreleased = ''] =
      /^## \[[^]*?(?=^## \[|$(?![^]))/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    if (/^### Breaking$/m.test(unreleased)) return;
    expect(changes, 'replace test/openapi.released.json, and say it under "### Breaking"').toEqual([]);
  });
});

describe('a breaking change', () => {
  const before = read('test/openapi.json');
  const changed = (change: (document: Mutable) => void): string[] => {
    const document = structuredClone(before) as unknown as Mutable;
    change(document);
    return breakingChanges(before, document as unknown as OpenApiDocument);
  };
  type Mutable = {
    paths: Record<string, Record<string, Record<string, never>>>;
    components: { schemas: Record<string, { properties: Record<string, object>; required: string[] }> };
  };

  it.each<[string, (document: Mutable) => void, RegExp]>([
    ['an operation', ({ paths }) => delete paths['/api/v1/events'], /GET \/api\/v1\/events is gone/],
    [
      'a field',
      ({ components }) => delete components.schemas['PaymentView']!.properties['status'],
      /\/status is gone/,
    ],
    [
      'another type',
      ({ components }) => (components.schemas['PaymentView']!.properties['amount'] = { type: 'string' }),
      /amount was number and is string/,
    ],
    [
      'a field that is asked for',
      ({ components }) => components.schemas['CreatePaymentBody']!.required.push('note'),
      /\/note is asked for/,
    ],
    [
      'a field that may be left out of answers',
      ({ components }) => (components.schemas['PaymentView']!.required = []),
      /\/id is not sure to come/,
    ],
  ])('is found: %s', (_what, change, line) => {
    expect(changed(change).join('\n')).toMatch(line);
  });

  it('is none where something is added', () => {
    expect(
      changed(({ paths, components }) => {
        paths['/api/v1/more'] = {};
        components.schemas['PaymentView']!.properties['more'] = { type: 'string' };
        components.schemas['CreatePaymentBody']!.properties['more'] = { type: 'string' };
      }),
    ).toEqual([]);
  });
});
