import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, invalidInput } from '../kernel/domain-error.js';
import { repeatedKey } from '../kernel/raw-json.js';
import { escapePointer, unstorableTexts } from '../kernel/text.js';

/** Largest body that is read, in bytes; more is a 413 (decisions §1). */
export const MAX_BODY_BYTES = 64 * 1024;

/** Deepest nesting of a body. Nothing of ours needs more than three; `products` may hold what a shop likes. */
const MAX_BODY_DEPTH = 32;

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came, for what must be kept or signed letter by letter; undefined without a body. */
    rawBody?: string;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's pages send plain forms here; elsewhere a form is a 415. */
    takesForm?: boolean;
  }
}

/**
 * Says of a route that it takes the plain form of a page (`application/x-www-form-urlencoded`, decisions §1). Of a field that
 * is there twice the last one counts.
 */
export const FormBody = (): MethodDecorator =>
  RouteConfig({ takesForm: true } satisfies FastifyContextConfig);

/** Reads JSON bodies, strictly, and plain forms where the route takes them; every other content type is a 415. */
export function registerBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;.*)?$/i,
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (request, body, done) => {
      try {
        done(null, parseJsonBody(request, body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  fastify.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    (request, body, done) => {
      if (request.routeOptions.config.takesForm === true)
        done(null, Object.fromEntries(new URLSearchParams(body as string)));
      else done(Object.assign(new Error('Not JSON.'), { statusCode: 415 }));
    },
  );
}

/**
 * Parses a body as UTF-8 JSON. An empty body is no body: many clients name a content type on every POST.
 *
 * @throws DomainError `request.malformed_json` when it is not UTF-8 or not JSON, `request.invalid` when it is nested too
 * deeply, names a key twice, holds NUL or half characters, or a key that would reach an object's prototype
 */
export function parseJsonBody(request: FastifyRequest, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = decodeUtf8(body);
  request.rawBody = text;
  const { depth, members } = measure(text);
  if (depth > MAX_BODY_DEPTH) {
    throw invalidInput([{ pointer: '', detail: `must not be nested deeper than ${MAX_BODY_DEPTH} levels` }]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DomainError('invalid', 'request.malformed_json', `The body is not valid JSON.`, {
      cause: error,
    });
  }
  // Parsers do not agree on which of them counts (RFC 8259 §4), and one that does not count would be kept, and sent on, unseen.
  if (members !== membersOf(value)) {
    throw invalidInput([{ pointer: repeatedKey(text) ?? '', detail: 'must be there once only' }]);
  }
  // Only an escape can hide what is looked for (the decoder refuses the raw bytes), so most bodies are not walked at all.
  const hasEscapes = text.includes('\\u');
  if (hasEscapes) {
    const errors = unstorableTexts(value).map((pointer) => ({
      pointer,
      detail: 'must not hold NUL or half of a surrogate pair',
    }));
    if (errors.length > 0) throw invalidInput(errors);
  }
  if (hasEscapes || /"(?:__proto__|constructor|prototype)"/.test(text)) refusePrototypeKeys(value, '');
  return value;
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new DomainError('invalid', 'request.malformed_json', 'The body is not UTF-8.', { cause: error });
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

function membersOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const members = Object.values(value).reduce<number>((sum, member) => sum + membersOf(member), 0);
  return Array.isArray(value) ? members : members + Object.keys(value).length;
}

function refusePrototypeKeys(value: unknown, pointer: string): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      throw invalidInput([{ pointer: `${pointer}/${key}`, detail: 'is not an allowed key' }]);
    }
    refusePrototypeKeys(member, `${pointer}/${escapePointer(key)}`);
  }
}
