import type { FastifyRequest } from 'fastify';
import { DomainError, invalidInput } from '../../../kernel/domain-error.js';
import { repeatedKey } from '../../../kernel/raw-json.js';
import { pointerOf } from '../../../kernel/text.js';
import { refuseUnstorable } from './refuse-places.js';
import { malformedJson } from '../problems/http.problems.js';

/** Deepest nesting of a body. Nothing of ours needs more than three; `products` may hold what a shop likes. */
const MAX_BODY_DEPTH = 32;

/** Most members of one object, and fields of one form (contract 14.4). */
const MAX_MEMBERS = 1_000;

type WithText = Pick<FastifyRequest, 'rawBody'>;

/**
 * Parses a body as UTF-8 JSON. An empty body is no body: many clients name a content type on every POST. Its text is
 * kept in `rawBody`, also when it is refused.
 *
 * @throws DomainError `request.malformed_json` when it is not UTF-8 or not JSON, `request.invalid` when it is nested
 * too deeply, has an object with too many members, names a key twice, holds NUL or half characters, or a key that
 * would reach an object's prototype
 */
export function parseJson(request: WithText, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = decodeUtf8(request, body);
  const { depth, members } = measure(text);
  if (depth > MAX_BODY_DEPTH) {
    throw invalidInput([{ pointer: '', detail: `must not be nested deeper than ${MAX_BODY_DEPTH} levels` }]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformedJson.saying('The body is not valid JSON.', {
      cause: error,
    });
  }
  // Parsers do not agree on which of them counts (RFC 8259 §4), and one that does not count would be kept, and sent
  // on, unseen.
  if (members !== membersOf(value, [])) {
    throw invalidInput([{ pointer: repeatedKey(text) ?? '', detail: 'must be there once only' }]);
  }
  // Only an escape can hide what is looked for (the decoder refuses the raw bytes), so most bodies are not walked at
  // all.
  const hasEscapes = text.includes('\\u');
  if (hasEscapes) refuseUnstorable(value);
  if (hasEscapes || /"(?:__proto__|constructor|prototype)"/.test(text)) refusePrototypeKeys(value, []);
  return value;
}

/**
 * The fields of a plain form; of several of one name the last.
 *
 * @throws DomainError `request.malformed_json` if it is not UTF-8; `request.invalid` for too many fields, or NUL in one
 * of them (contract 1.19)
 */
export function parseForm(request: WithText, body: Buffer): Record<string, string> {
  const text = decodeUtf8(request, body);
  let separators = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) separators += 1;
  if (separators >= MAX_MEMBERS) throw tooManyMembers([]);
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (isPrototypeKey(name)) throw notAllowed([name]);
    fields[name] = value;
  }
  // The decoder makes no halves of surrogate pairs, so NUL alone is left of what cannot be stored.
  if (text.includes('%00') || text.includes('\0')) refuseUnstorable(fields);
  return fields;
}

function decodeUtf8(request: WithText, body: Buffer): string {
  try {
    return (request.rawBody = new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    request.rawBody = body.toString('utf8');
    throw malformedJson.saying('The body is not UTF-8.', { cause: error });
  }
}

/**
 * Depth of brackets, and members of all objects, which is the colons outside strings. Runs before the parser, whose own
 * recursion must not meet 30,000 brackets.
 */
function measure(text: string): { depth: number; members: number } {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x3a) members += 1;
  }
  return { depth: deepest, members };
}

/** Members of all objects together. `path` leads to `value`. @throws DomainError when one object has too many */
function membersOf(value: unknown, path: string[]): number {
  if (!isContainer(value)) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      if (isContainer(value[index])) members += membersBehind(String(index), value[index], path);
    return members;
  }
  const keys = Object.keys(value);
  if (keys.length > MAX_MEMBERS) throw tooManyMembers(path);
  members = keys.length;
  for (const key of keys) if (isContainer(value[key])) members += membersBehind(key, value[key], path);
  return members;
}

function membersBehind(key: string, value: unknown, path: string[]): number {
  path.push(key);
  const members = membersOf(value, path);
  path.pop();
  return members;
}

function refusePrototypeKeys(value: unknown, path: string[]): void {
  if (!isContainer(value)) return;
  for (const key of Object.keys(value)) {
    path.push(key);
    if (isPrototypeKey(key)) throw notAllowed(path);
    refusePrototypeKeys(value[key], path);
    path.pop();
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}

function isPrototypeKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

function notAllowed(path: readonly string[]): DomainError {
  return invalidInput([{ pointer: pointerOf(path), detail: 'is not an allowed key' }]);
}

function tooManyMembers(path: readonly string[]): DomainError {
  return invalidInput([
    { pointer: pointerOf(path), detail: `must not have more than ${MAX_MEMBERS} members` },
  ]);
}
