import type { DomainError, InputProblem } from '../../../kernel/domain-error.js';

/** RFC 9457 problem details with Joma's two additions, `code` and `requestId` (contract 1.33). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly InputProblem[];
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The short name of a status, as the registry of HTTP status codes spells it. */
export function titleOf(status: number): string {
  return TITLES[status] ?? 'Error';
}

/** A URN that names the code: stable, and not an address that somebody would have to keep alive. */
export function problemType(code: string): string {
  return `urn:joma:problem:${code}`;
}

/** The body of the answer to an error. `instance` is the address without its query, or another URI. */
export function problemOf(failure: DomainError, instance: string, requestId: string): Problem {
  return {
    type: problemType(failure.code),
    title: titleOf(failure.status),
    status: failure.status,
    detail: failure.message,
    instance,
    code: failure.code,
    requestId,
    ...(failure.errors === undefined ? {} : { errors: failure.errors }),
  };
}
