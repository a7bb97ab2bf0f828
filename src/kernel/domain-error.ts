import { cutPointer } from './text.js';

/** The kind of an error in the caller's terms; the HTTP layer alone knows which status that is (contract 1.36). */
export type DomainErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'rate_limited'
  | 'unavailable';

/** One wrong place of the input: a JSON pointer into the body, or `?name` for a query parameter. */
export interface InputProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** A published code: the HTTP status it comes with, and what it means. */
export interface ProblemCode {
  readonly status: number;
  readonly meaning: string;
}

/**
 * Published codes by name. Each feature's stand beside its errors; a code is never used again for something else, and
 * a test finds each one that the source uses here and in the OpenAPI document, with the right status.
 */
export type ProblemCodes = Readonly<Record<string, ProblemCode>>;

/** The scheme of a credential that can be asked for (`WWW-Authenticate`). */
export type Challenge = 'Bearer' | 'ApiKey' | 'WebhookSecret';

export interface DomainErrorOptions {
  readonly errors?: readonly InputProblem[];
  /** For `unauthenticated`: the scheme of the credential that is asked for; default `Bearer`. */
  readonly challenge?: Challenge;
  /** For `rate_limited` and `unavailable`: seconds after which trying again may help. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * The one family of errors that callers see. `code` is stable, dotted and published in the OpenAPI document; it is
 * never reused for another meaning. `message` is shown to the caller, so it holds no secret and no stranger's data.
 */
export class DomainError extends Error {
  readonly errors: readonly InputProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: Challenge | undefined;

  constructor(
    readonly kind: DomainErrorKind,
    readonly code: string,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.challenge = options.challenge;
  }
}

/** Most places that one answer names; a body of 64 KiB could hold thousands (contract 14.1). */
export const MAX_REPORTED_PLACES = 50;

/** Bytes of all places of one answer together, as JSON: a pointer of control characters is six times as long there. */
const MAX_REPORTED_BYTES = 40_000;

/** 400 with pointers to what is wrong: the first 50 places, and never more than 40 KB of them, whatever was sent. */
export function invalidInput(errors: readonly InputProblem[]): DomainError {
  const reported: InputProblem[] = [];
  let bytes = 0;
  for (const { pointer, detail } of errors) {
    const problem = { pointer: cutPointer(pointer), detail };
    bytes += Buffer.byteLength(JSON.stringify(problem));
    if (reported.length === MAX_REPORTED_PLACES || bytes > MAX_REPORTED_BYTES) break;
    reported.push(problem);
  }
  const where = reported
    .slice(0, 3)
    .map((problem) => `${problem.pointer || '/'}: ${problem.detail}`)
    .join('; ');
  return new DomainError('invalid', 'request.invalid', where || 'The request is not valid.', {
    errors: reported,
  });
}
