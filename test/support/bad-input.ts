import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { HttpAnswer } from './http-client.js';
import type { Shop } from './money-shop.js';

/** A problem document, as answers to bad input carry one. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { pointer: string; detail: string }[];
}

export type Headers = Readonly<Record<string, string>>;

/** Fails unless the answer is a problem document of that status, whole. */
export function expectProblem(answer: HttpAnswer<Problem>, status: number, what: string): void {
  expect([answer.status, answer.headers.get('content-type')], `${what} → ${answer.text}`).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ]);
  const { body } = answer;
  expect(body.status, what).toBe(status);
  expect(body.code, what).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
  expect(body.type, what).toBe(`urn:joma:problem:${body.code}`);
  expect(
    [body.title, body.detail].every((text) => text.length > 0),
    what,
  ).toBe(true);
  expect(body.requestId, what).toBe(answer.headers.get('x-request-id'));
  if (body.code === 'request.invalid') {
    expect(body.errors?.length, `${what} → ${answer.text}`).toBeGreaterThan(0);
    for (const { pointer, detail } of body.errors ?? []) {
      expect(pointer, what).toMatch(/^(\/.*)?$/s);
      expect(detail.length, what).toBeGreaterThan(0);
    }
  }
}

/** A 400 that points at this place. */
export function expectInvalid(answer: HttpAnswer<Problem>, pointer: string, what: string): void {
  expectProblem(answer, 400, what);
  const pointers = (answer.body.errors ?? []).map((error) => error.pointer);
  expect(pointers, `${what} → ${answer.text}`).toContain(pointer);
}

/** Whatever it is, it is answered, and not with a 5xx. */
export function expectAnswered(answer: HttpAnswer<Problem>, what: string): void {
  expect(answer.status, `${what} → ${answer.text}`).toBeGreaterThanOrEqual(200);
  expect(answer.status, `${what} → ${answer.text}`).toBeLessThan(500);
  if (answer.status >= 400) expectProblem(answer, answer.status, what);
}

/** The service still does what it is there for. */
export async function expectAlive(shop: Shop): Promise<void> {
  const { id, trxId } = await shop.submitted();
  expect((await shop.receipt({ trxId })).body.status).toBe('matched');
  expect((await shop.get(id)).status).toBe('verified');
}

/** A value in a message of a test, cut where it is long. */
export const shown = (value: unknown): string => JSON.stringify(value).slice(0, 80);

/** Operations of the document under `/api/v1`, with what lets us in. Ids but the store's name nothing. */
export async function operationsOf(
  shop: Shop,
): Promise<{ method: string; path: string; headers: Headers; hasBody: boolean; hasQuery: boolean }[]> {
  const admin = await shop.admin();
  const { paths } = JSON.parse(readFileSync('test/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { requestBody?: object; parameters?: { in: string }[] }>>;
  };
  return Object.entries(paths).flatMap(([pattern, of]) => {
    if (!pattern.startsWith('/api/v1/')) return [];
    const path = pattern
      .replace('{storeId}', shop.store.id)
      .replace(/\{\w+\}/g, '0193b3a0-7c00-7000-8000-000000000001');
    const isUsers = /^\/api\/v1\/(?:stores|users|auth|audit-log|sms)/.test(pattern);
    return Object.entries(of).map(([method, { requestBody, parameters = [] }]) => ({
      ...{ method: method.toUpperCase(), path, headers: isUsers ? admin : shop.store.key },
      hasBody: requestBody !== undefined,
      hasQuery: parameters.some((parameter) => parameter.in === 'query'),
    }));
  });
}
