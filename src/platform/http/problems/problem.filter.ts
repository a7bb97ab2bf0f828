import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';
import { stackOf } from '../../../kernel/error-text.js';
import { isUnavailable } from '../../../kernel/sqlstate.js';
import type { AllowedMethods } from '../server/method-not-allowed.js';
import type { Refusals } from '../limits/refusals.js';
import { credentialRequired, forbidden } from './access.problems.js';
import {
  addressTooLong,
  bodyTooLarge,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  notFound,
  rateLimited,
  requestInvalid,
  requestTimeout,
  serviceUnavailable,
  unsupportedMediaType,
} from './http.problems.js';
import { PROBLEM_CONTENT_TYPE, problemOf, titleOf } from './problem.js';

/** The problems of requests that the framework itself refuses, by its status. */
const PROBLEM_OF_STATUS = new Map(
  [
    credentialRequired,
    forbidden,
    notFound,
    methodNotAllowed,
    requestTimeout,
    bodyTooLarge,
    addressTooLong,
    unsupportedMediaType,
    rateLimited,
    headersTooLarge,
  ].map((problem) => [problem.status, problem]),
);

/** Turns every error into problem details (contract 1.36). */
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
  private asWrongMethod(request: FastifyRequest, reply: FastifyReply): DomainError | null {
    if (!request.is404) return null;
    const methods = this.allowedMethods.of(request.url);
    if (methods.length === 0) return null;
    void reply.header('Allow', methods.join(', '));
    return methodNotAllowed.saying(`This address takes ${methods.join(', ')}.`);
  }

  private report(error: unknown, request: FastifyRequest, failure: DomainError): void {
    const cause = error instanceof DomainError && error.cause instanceof Error ? error.cause : error;
    const stack = stackOf(cause);
    this.logger.error({ requestId: request.id, code: failure.code, stack }, `Answered ${failure.status}`);
  }
}

/** Answers with problem details; also for what fails before Nest is reached (broken addresses, unknown routes). */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, failure: DomainError): void {
  // Without the query: it may hold what a log or a screenshot must not show.
  const instance = request.url.split('?', 1)[0] ?? request.url;
  const problem = problemOf(failure, instance, String(request.id));
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
function challengeOf({ challenge = 'Bearer' }: DomainError): string {
  return `${challenge} realm="joma"`;
}

/** The client has gone in the middle of its body: no fault of ours, and nobody to answer. */
function asBrokenOff({ raw }: FastifyRequest): DomainError | null {
  if (!raw.destroyed || raw.complete) return null;
  return requestInvalid.saying('The request was broken off.');
}

/** The error as callers see it. What is not meant for them is an `internal.error`. */
export function failureOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isUnavailable(error ?? {})) return serviceUnavailable();
  const status = statusOf(error);
  if (status === null || status >= 500) return internalError();
  const problem = PROBLEM_OF_STATUS.get(status);
  if (problem !== undefined) return problem.saying(problem.detail);
  return new DomainError({ ...requestInvalid, status }, detailOf(error, status));
}

function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : null;
}

function detailOf(error: unknown, status: number): string {
  if ((error as { code?: unknown } | null)?.code === 'FST_ERR_BAD_URL') return 'The address is not valid.';
  return error instanceof Error && error.message !== '' ? error.message : titleOf(status);
}
