import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stackOf } from '../../../kernel/error-text.js';
import { isUnavailable } from '../../../kernel/sqlstate.js';
import {
  type Challenge,
  DomainError,
  type DomainErrorKind,
  type InputProblem,
} from '../../../kernel/domain-error.js';
import type { AllowedMethods } from '../server/method-not-allowed.js';
import { PROBLEM_CONTENT_TYPE, problemType, titleOf, type Problem } from './problem.js';
import type { Refusals } from '../limits/refusals.js';
import { BodyRefused } from '../bodies/request-body.js';

const STATUS_OF_KIND: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
};

/** Codes of what the framework itself refuses, before any of our code runs. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'request.invalid',
  401: 'auth.required',
  403: 'auth.forbidden',
  404: 'request.not_found',
  405: 'request.method_not_allowed',
  408: 'request.timeout',
  413: 'request.too_large',
  414: 'request.uri_too_long',
  415: 'request.unsupported_media_type',
  429: 'request.rate_limited',
  431: 'request.headers_too_large',
  503: 'service.unavailable',
};

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly InputProblem[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly challenge?: Challenge | undefined;
}

/** Turns every error into problem details; the only place that knows which error is which status (contract 1.36). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  constructor(
    private readonly allowedMethods: AllowedMethods,
    private readonly refusals: Refusals | null = null,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const context = host.switchToHttp();
    const request = context.getRequest<FastifyRequest>();
    const reply = context.getResponse<FastifyReply>();
    const failure = this.asWrongMethod(request, reply) ?? asBrokenOff(request) ?? failureOf(error);
    if (failure.status >= 500) this.report(error, request, failure);
    else this.refusals?.see(request, failure, failure.challenge ?? 'Bearer');
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendProblem(request, reply, failure);
  }

  /** An address that other methods know is a 405 that names them (RFC 9110 §15.5.6). */
  private asWrongMethod(request: FastifyRequest, reply: FastifyReply): Failure | null {
    if (!request.is404) return null;
    const methods = this.allowedMethods.of(request.url);
    if (methods.length === 0) return null;
    void reply.header('Allow', methods.join(', '));
    return {
      status: 405,
      code: 'request.method_not_allowed',
      detail: `This address takes ${methods.join(', ')}.`,
    };
  }

  private report(error: unknown, request: FastifyRequest, failure: Failure): void {
    const cause = error instanceof DomainError && error.cause instanceof Error ? error.cause : error;
    const stack = stackOf(cause);
    this.logger.error({ requestId: request.id, code: failure.code, stack }, `Answered ${failure.status}`);
  }
}

/** Answers with problem details; also for what fails before Nest is reached (broken addresses, unknown routes). */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  const problem: Problem = {
    type: problemType(failure.code),
    title: titleOf(failure.status),
    status: failure.status,
    detail: failure.detail,
    // Without the query: it may hold what a log or a screenshot must not show.
    instance: request.url.split('?', 1)[0] ?? request.url,
    code: failure.code,
    requestId: String(request.id),
    ...(failure.errors === undefined ? {} : { errors: failure.errors }),
  };
  void reply.header('X-Request-Id', String(request.id)).header('Cache-Control', 'no-store');
  if (failure.status === 401) void reply.header('WWW-Authenticate', challengeOf(failure));
  if (failure.retryAfterSeconds !== undefined) {
    void reply.header('Retry-After', String(Math.max(1, Math.ceil(failure.retryAfterSeconds))));
  }
  void reply.status(failure.status).type(PROBLEM_CONTENT_TYPE).send(JSON.stringify(problem));
}

/**
 * RFC 9110 §11.6.1 wants a challenge with every 401. The guard that refuses says its scheme, and nothing about what
 * was wrong; none of the schemes is one for which a browser would ask its user.
 */
function challengeOf({ challenge = 'Bearer' }: Failure): string {
  return `${challenge} realm="joma"`;
}

/** The client has gone in the middle of its body: no fault of ours, and nobody to answer. */
function asBrokenOff({ raw }: FastifyRequest): Failure | null {
  if (!raw.destroyed || raw.complete) return null;
  return { status: 400, code: 'request.invalid', detail: 'The request was broken off.' };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof DomainError) {
    return {
      status: STATUS_OF_KIND[error.kind],
      code: error.code,
      detail: error.message,
      errors: error.errors,
      retryAfterSeconds: error.retryAfterSeconds,
      challenge: error.challenge,
    };
  }
  if (isUnavailable(error ?? {})) {
    return {
      status: 503,
      code: 'service.unavailable',
      detail: 'The service cannot reach its database. Try again shortly.',
      retryAfterSeconds: 1,
    };
  }
  const status = statusOf(error);
  if (status === null || status >= 500) {
    return {
      status: 500,
      code: 'internal.error',
      detail: 'Something went wrong on our side; nothing was lost.',
    };
  }
  return { status, code: CODE_OF_STATUS[status] ?? 'request.invalid', detail: detailOf(error, status) };
}

function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : null;
}

function detailOf(error: unknown, status: number): string {
  if (error instanceof BodyRefused) return error.message;
  if ((error as { code?: unknown } | null)?.code === 'FST_ERR_BAD_URL') return 'The address is not valid.';
  switch (status) {
    case 401:
      return 'A valid credential is required.';
    case 403:
      return 'You may not do this.';
    case 404:
      return 'There is nothing at this address.';
    case 405:
      return 'This address does not know that method.';
    case 413:
      return 'The body is larger than 64 KiB.';
    case 414:
      return 'The address is too long.';
    case 415:
      return 'The body must be JSON: send Content-Type: application/json.';
    default:
      return error instanceof Error && error.message !== '' ? error.message : titleOf(status);
  }
}
