import { cutPointer } from './text.js';

/** HTTP statuses by the kind of an error, which says what is wrong in the caller's terms (contract 1.36). */
const STATUS_OF_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

export type ProblemKind = keyof typeof STATUS_OF_KIND;

/** One wrong place of the input: a JSON pointer into the body, or `?name` for a query parameter. */
export interface InputProblem {
  readonly pointer: string;
  readonly detail: string;
}

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

/** A code that is published in the OpenAPI document, and is never used again for something else. */
export interface ProblemCode {
  /** HTTP status. */
  readonly status: number;
  /** The meaning for a caller, in Markdown. */
  readonly meaning: string;
}

/** Published codes by name, in the order of the document. */
export type ProblemCodes = Readonly<Record<string, ProblemCode>>;

/** A problem that callers can meet, as `defineProblem` declares it. Called, it is the error to throw. */
export interface Problem<Args extends unknown[] = []> extends ProblemCode {
  readonly code: string;
  readonly kind: ProblemKind;
  /** The usual sentence; empty where that depends on arguments. */
  readonly detail: string;
  (...args: Args): DomainError;
  /** The same problem with another sentence than the usual one, or with a cause. */
  saying(detail: string, options?: DomainErrorOptions): DomainError;
}

/** Any problem, whatever its arguments. */
export type AnyProblem = Problem<never>;

interface ProblemOptions<Args extends unknown[]> extends Omit<DomainErrorOptions, 'retryAfterSeconds'> {
  readonly meaning?: string;
  readonly retryAfterSeconds?: number | ((...args: Args) => number);
}

const declared: AnyProblem[] = [];

/**
 * Declares a problem once: its code, its kind, from which its status follows, and the sentence that callers read.
 * `meaning` is what the OpenAPI document says of the code, where that is another sentence.
 */
export function defineProblem<Args extends unknown[] = []>(
  code: string,
  kind: ProblemKind,
  detail: string,
  options?: ProblemOptions<Args>,
): Problem<Args>;
export function defineProblem<Args extends unknown[]>(
  code: string,
  kind: ProblemKind,
  detail: (...args: Args) => string,
  options: ProblemOptions<Args> & { readonly meaning: string },
): Problem<Args>;
export function defineProblem<Args extends unknown[]>(
  code: string,
  kind: ProblemKind,
  detail: string | ((...args: Args) => string),
  { meaning, retryAfterSeconds, ...usual }: ProblemOptions<Args> = {},
): Problem<Args> {
  const sentence = typeof detail === 'string' ? detail : '';
  const status = STATUS_OF_KIND[kind];
  const definition = { code, kind, status, detail: sentence, meaning: meaning ?? sentence };
  const saying = (text: string, options: DomainErrorOptions = {}) =>
    new DomainError(definition, text, {
      ...usual,
      ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
      ...options,
    });
  const make = (...args: Args): DomainError => {
    const text = typeof detail === 'function' ? detail(...args) : detail;
    if (typeof retryAfterSeconds !== 'function') return saying(text);
    return saying(text, { retryAfterSeconds: retryAfterSeconds(...args) });
  };
  const problem = Object.assign(make, definition, { saying });
  declared.push(problem);
  return problem;
}

/** The codes of a module's problems, in the order in which they are declared: `problemsOf(import * as problems)`. */
export function problemsOf(module: Readonly<Record<string, unknown>>): ProblemCodes {
  const exported = new Set(Object.values(module));
  const problems = declared.filter((problem) => exported.has(problem));
  return Object.fromEntries(problems.map(({ code, status, meaning }) => [code, { status, meaning }]));
}

/**
 * The one family of errors that callers see, made by a `Problem`. `message` is shown to the caller, so it holds no
 * secret and no stranger's data.
 */
export class DomainError extends Error {
  readonly kind: ProblemKind;
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  readonly errors: readonly InputProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: Challenge | undefined;

  constructor(
    problem: Pick<AnyProblem, 'kind' | 'code' | 'status'>,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.kind = problem.kind;
    this.code = problem.code;
    this.status = problem.status;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.challenge = options.challenge;
  }
}

export const requestInvalid = defineProblem('request.invalid', 'invalid', 'The request is not valid.', {
  meaning: 'The input is not valid; `errors` names each wrong place.',
});

/** The problem of a dependency that cannot be reached. The usual sentence speaks of the database. */
export const serviceUnavailable = defineProblem(
  'service.unavailable',
  'unavailable',
  'The service cannot reach its database. Try again shortly.',
  { meaning: 'The database cannot be reached just now; nothing was done.', retryAfterSeconds: 1 },
);

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
  return requestInvalid.saying(where || requestInvalid.detail, { errors: reported });
}
