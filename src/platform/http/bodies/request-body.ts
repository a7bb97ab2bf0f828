import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Query,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Readable, Transform } from 'node:stream';
import { type DomainError, requestInvalid } from '../../../kernel/domain-error.js';
import { escapePointer } from '../../../kernel/text.js';
import { bodyTooLarge, requestTimeout, unsupportedMediaType } from '../problems/http.problems.js';
import { parseForm, parseJson } from './body-text.js';
import { refusePlaces } from './refuse-places.js';
import { UNKNOWN_FIELD } from './validation.js';

/** Largest JSON body or form that is read, in bytes; more is a 413 (contract 1.14). */
export const MAX_BODY_BYTES = 64 * 1024;

/** How long such a body may take to arrive, in milliseconds. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * How long what is not wanted of a body is thrown away after its answer, so that the client can read that, in
 * milliseconds.
 */
const LINGER_MS = 5_000;

const BODY_RULE = 'joma:body-rule';
const READS_QUERY = 'joma:reads-query';
const KNOWN_QUERIES_ONLY = 'joma:known-queries-only';

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/;

/** The body that a route takes. */
interface BodyRule {
  readonly json: boolean;
  readonly form: boolean;
  /** Whether a body without any Content-Type is taken, as JSON. */
  readonly untyped: boolean;
  /** Types that are handed on as a stream, unread. */
  readonly streamed: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Whether null is nothing: many clients send it where they were given nothing to send. */
  readonly optional: boolean;
  /** Whether fields are refused, because the route knows none. */
  readonly none: boolean;
}

/** The body that a route takes, and whether a query is refused, because its handler reads none. */
type Rule = BodyRule & { readonly refusesQuery: boolean };

const JSON_ALONE: BodyRule = {
  json: true,
  form: false,
  untyped: false,
  streamed: [],
  maxBytes: MAX_BODY_BYTES,
  timeoutMs: BODY_TIMEOUT_MS,
  optional: false,
  none: false,
};

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The body as it came, for what must be kept or signed letter by letter; also of one that is refused. Undefined
     * without a body.
     */
    rawBody?: string;
    /** Its bytes, once somebody has asked for them. */
    bodyBytes?: Promise<Buffer>;
  }
}

/**
 * The route takes a plain form, and JSON beside it unless that is denied; without this a route takes JSON alone
 * (contract 1.14).
 */
export function FormBody({
  json = true,
  untyped = false,
}: { json?: boolean; untyped?: boolean } = {}): ClassDecorator & MethodDecorator {
  return SetMetadata(BODY_RULE, { ...JSON_ALONE, json, form: true, untyped } satisfies BodyRule);
}

/** The body may be left out, and null is the same as leaving it out. */
export function OptionalBody(): MethodDecorator {
  return SetMetadata(BODY_RULE, { ...JSON_ALONE, optional: true } satisfies BodyRule);
}

/**
 * The route takes no body: one is refused as unknown fields are. An empty one, an empty object and null are nothing,
 * as many clients send one with every POST.
 */
export function NoBody(): MethodDecorator {
  return SetMetadata(BODY_RULE, { ...JSON_ALONE, none: true } satisfies BodyRule);
}

/**
 * The routes of this controller take the queries that they know (contract 1.11): a route without `@KnownQuery()` takes
 * none. Pages, webhooks and the routes of health take what proxies and browsers add to their addresses.
 */
export function KnownQueriesOnly(): ClassDecorator {
  return SetMetadata(KNOWN_QUERIES_ONLY, true);
}

/** The query, by the parameter's class; what the class does not name is refused (contract 1.11). */
export function KnownQuery(): ParameterDecorator {
  return (target, name, index) => {
    Query()(target, name, index);
    if (name !== undefined) SetMetadata(READS_QUERY, true)(target, name, descriptorOf(target, name));
  };
}

function descriptorOf(target: object, name: string | symbol): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(target, name) ?? {};
}

/**
 * The route takes a body of these types as a stream (`uploadOf`), of at most `maxBytes`, that arrives within
 * `timeoutMs`; nothing of it is read before the handler does.
 */
export function UploadBody(limits: {
  types: readonly string[];
  maxBytes: number;
  timeoutMs: number;
  /** Whether a plain form is taken, too, of the size of other forms: what a form without its file would be. */
  form?: boolean;
}): ClassDecorator & MethodDecorator {
  const { types, maxBytes, timeoutMs, form = false } = limits;
  const rule: BodyRule = { ...JSON_ALONE, json: false, form, streamed: types, maxBytes, timeoutMs };
  return SetMetadata(BODY_RULE, rule);
}

/** The body of a route that `@UploadBody`. Its error is the answer when too much comes, or too slowly. */
export function uploadOf(request: FastifyRequest): Readable {
  const { body } = request as { body?: unknown };
  if (!(body instanceof Transform)) throw unsupportedMediaType.saying('This address takes a body.');
  return body;
}

/**
 * Leaves every body unread: guards and limits come first, and only who passes them makes us read (contract 1.13).
 * `readBodiesLast` sees to it that it is read then. What nobody reads is thrown away for a moment after the answer.
 */
export function registerBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // Node would ask for the body before anybody knows whether it is wanted.
  fastify.server.on('checkContinue', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  fastify.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    if (raw.complete === false && !raw.destroyed) {
      raw.resume();
      const deadline = setTimeout(() => raw.destroy(), LINGER_MS);
      raw.once('close', () => clearTimeout(deadline)).once('end', () => clearTimeout(deadline));
    }
    done();
  });
}

/** Reads the body after the other guards and before the pipes, as the route declares it. */
class RequestBodies implements CanActivate {
  private readonly rules = new WeakMap<Type, Map<unknown, Rule>>();

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.refuseQuery(context, request);
    if (!hasBody(request)) return true;
    return this.read(context, request, http.getResponse<FastifyReply>()).then(() => true);
  }

  /** Refuses a query where a route reads none; where it reads one, its class does (contract 1.11). */
  private refuseQuery(context: ExecutionContext, request: FastifyRequest): void {
    if (!request.originalUrl.includes('?')) return;
    const names = Object.keys(request.query as object);
    if (names.length === 0 || !this.ruleOf(context).refusesQuery) return;
    refusePlaces(
      names.map((name) => `/${escapePointer(name)}`),
      UNKNOWN_FIELD,
    );
  }

  private async read(context: ExecutionContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const rule = this.ruleOf(context);
    const type = mediaTypeOf(request, rule, reply);
    if (rule.streamed.includes(type)) {
      request.body = streamed(request, reply, rule);
      return;
    }
    const bytes = await readBodyBytes(request, reply, rule.streamed.length > 0 ? JSON_ALONE : rule);
    request.body = FORM_TYPE.test(type) ? parseForm(request, bytes) : parseJson(request, bytes);
    if (request.body != null && rule.none) refuse(request.body);
    if (request.body === null && rule.optional) request.body = undefined;
  }

  private ruleOf(context: ExecutionContext): Rule {
    const controller = context.getClass();
    const handler = context.getHandler();
    const rules = this.rules.get(controller) ?? new Map<unknown, Rule>();
    this.rules.set(controller, rules);
    let rule = rules.get(handler);
    if (rule === undefined) {
      const declared = (Reflect.getMetadata(BODY_RULE, handler) ??
        Reflect.getMetadata(BODY_RULE, controller) ??
        JSON_ALONE) as BodyRule;
      const readsQuery = Reflect.hasMetadata(READS_QUERY, handler);
      rule = {
        ...declared,
        refusesQuery: !readsQuery && Reflect.hasMetadata(KNOWN_QUERIES_ONLY, controller),
      };
      rules.set(handler, rule);
    }
    return rule;
  }
}

const readsBodies = UseGuards(new RequestBodies());
/** Classes outlive an application: a handler may have the guard already. */
const guarded = new WeakSet<object>();

/**
 * Gives every handler one more guard, its last, that reads the body once the others have let the sender in. A global
 * interceptor would stand there by itself, but its observables cost each request, also those without a body, 15 µs: a
 * sixth of the public read. Must be called before the application is initialised.
 */
export function readBodiesLast(app: INestApplication): void {
  const scanner = new MetadataScanner();
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      const prototype = ((metatype as Type | null)?.prototype ?? null) as Record<string, object> | null;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype?.[name];
        if (prototype === null || handler === undefined || guarded.has(handler)) continue;
        guarded.add(handler);
        readsBodies(prototype, name, { value: handler });
      }
    }
  }
}

/**
 * The bytes of a body, read once however often somebody asks: for the one kind of guard that must see them, because
 * they are what the caller has signed. `@throws` DomainError 413, 408 or 400
 */
export function readBodyBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: Pick<BodyRule, 'maxBytes' | 'timeoutMs'> = JSON_ALONE,
): Promise<Buffer> {
  if (!hasBody(request)) return Promise.resolve(Buffer.alloc(0));
  return (request.bodyBytes ??= readBytes(request, reply, limits));
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The type in lower case without parameters. @throws DomainError 415 for one that the route does not take */
function mediaTypeOf({ headers }: FastifyRequest, rule: BodyRule, reply: FastifyReply): string {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    void reply.header('Accept-Encoding', 'identity');
    throw unsupportedMediaType.saying('The body must not be compressed: send it without Content-Encoding.');
  }
  const [named = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const type = named.trim();
  const isTaken =
    (rule.json && JSON_TYPE.test(type)) ||
    (rule.form && FORM_TYPE.test(type)) ||
    (rule.untyped && type === '') ||
    rule.streamed.includes(type);
  if (!isTaken) throw unsupportedMediaType.saying(expectation(rule));
  for (const parameter of parameters) {
    const charset = /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(parameter)?.[1]?.trim();
    if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset))
      throw unsupportedMediaType.saying('The body must be UTF-8.');
  }
  return type;
}

function expectation({ json, form, streamed: types }: BodyRule): string {
  if (types.length > 0) return `The body must be ${types.join(' or ')}.`;
  if (!form) return 'The body must be JSON: send Content-Type: application/json.';
  return json ? 'The body must be JSON or a plain form.' : 'The body must be a plain form.';
}

function tooLarge(maxBytes: number): DomainError {
  const mebibytes = maxBytes / 1024 / 1024;
  const limit = mebibytes >= 1 ? `${mebibytes} MiB` : `${maxBytes / 1024} KiB`;
  return bodyTooLarge.saying(`The body is larger than ${limit}.`);
}

function readBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: Pick<BodyRule, 'maxBytes' | 'timeoutMs'>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = begin(request, reply, limits, {
      onChunk: (chunk) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > limits.maxBytes) onFailure(tooLarge(limits.maxBytes));
      },
      onEnd: () => {
        stop();
        resolve(Buffer.concat(chunks, length));
      },
      onFailure,
    });
    function onFailure(error: DomainError): void {
      stop();
      reject(error);
    }
  });
}

function streamed(request: FastifyRequest, reply: FastifyReply, rule: BodyRule): Transform {
  let length = 0;
  const upload = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      length += chunk.length;
      if (length > rule.maxBytes) callback(tooLarge(rule.maxBytes));
      else callback(null, chunk);
    },
  });
  const onFailure = (error: DomainError): void => {
    stop();
    upload.destroy(error);
  };
  const stop = begin(request, reply, rule, { onEnd: () => stop(), onFailure });
  // An upload may fail before its handler reads it, and after it has stopped reading (contract 14.38). Who reads a
  // stream that has failed gets its error; an error that nobody waits for must end no process.
  upload.on('error', () => undefined);
  upload.once('close', () => {
    stop();
    request.raw.unpipe(upload);
  });
  request.raw.pipe(upload);
  return upload;
}

/** Listens to a body that is wanted now; answers how to stop. */
function begin(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  { maxBytes, timeoutMs }: Pick<BodyRule, 'maxBytes' | 'timeoutMs'>,
  to: {
    onChunk?: (chunk: Buffer) => void;
    onEnd: () => void;
    onFailure: (error: DomainError) => void;
  },
): () => void {
  const onClose = (): void => to.onFailure(requestInvalid.saying('The request was broken off.'));
  const deadline = setTimeout(() => {
    void reply.header('Connection', 'close');
    to.onFailure(requestTimeout());
  }, timeoutMs);
  const stop = (): void => {
    clearTimeout(deadline);
    if (to.onChunk !== undefined) raw.off('data', to.onChunk);
    raw.off('end', to.onEnd).off('error', onClose).off('close', onClose);
  };
  // Told later, when the caller holds what stops it.
  if (Number(headers['content-length'] ?? 0) > maxBytes)
    queueMicrotask(() => to.onFailure(tooLarge(maxBytes)));
  else if (raw.destroyed && !raw.readableEnded) queueMicrotask(onClose);
  else {
    raw.on('end', to.onEnd).on('error', onClose).on('close', onClose);
    if (to.onChunk !== undefined) raw.on('data', to.onChunk);
    if (headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
  }
  return stop;
}

function refuse(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refusePlaces([''], 'must be left out: this address takes no body');
  }
  refusePlaces(
    Object.keys(body).map((field) => `/${escapePointer(field)}`),
    UNKNOWN_FIELD,
  );
}
