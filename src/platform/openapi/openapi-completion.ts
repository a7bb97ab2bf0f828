import type { OpenAPIObject } from '@nestjs/swagger';
import {
  addressTooLong,
  bodyTooLarge,
  internalError,
  PROBLEM_MEDIA_TYPE,
  problemExamples,
  problemType,
  requestInvalid,
  serviceUnavailable,
  titleOf,
  unsupportedMediaType,
} from '../http/index.js';
import type { AnyProblem, ProblemCode, ProblemCodes } from '../../kernel/domain-error.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type ResponseOrReference = NonNullable<Operation['responses'][string]>;
type Response = Exclude<ResponseOrReference, { $ref: string }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The problems that any request may meet. */
const COMMON_PROBLEMS = [
  requestInvalid,
  bodyTooLarge,
  addressTooLong,
  unsupportedMediaType,
  internalError,
  serviceUnavailable,
];

/** Said where a decorator says nothing; the status alone means no more than this. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  '200': 'Done.',
  '201': 'Created.',
  '202': 'It will happen.',
  '204': 'Done; there is nothing to say.',
};

const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
const CHALLENGE = { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } };
const RATE_LIMIT = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

/**
 * Adds what is true of every operation, so that no controller has to repeat it: who may call without a credential, the
 * headers of every answer, an example of each error, and the errors that any request may meet.
 */
export function completeDocument(document: OpenAPIObject, codes: ProblemCodes): OpenAPIObject {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation !== undefined) completeOperation(path, method, operation);
    }
  }
  refuseUnknownFields(document);
  sayDefaults(document);
  const product = document.components?.schemas?.['ProductView'];
  // Further keys are the merchant's own (specification §2.2).
  if (product !== undefined && !('$ref' in product)) product.additionalProperties = true;
  const responses = Object.fromEntries(
    COMMON_PROBLEMS.map((problem) => [titleOf(problem.status).replaceAll(' ', ''), commonProblem(problem)]),
  );
  const shown = JSON.stringify([document.paths, responses]);
  const examples = Object.entries(codes)
    .filter(([code]) => shown.includes(`"#/components/examples/${code}"`))
    .map(([code, meaning]) => [code, problemExample(code, meaning)]);
  document.components = {
    ...document.components,
    headers: commonHeaders(),
    examples: Object.fromEntries(examples) as Record<string, ReturnType<typeof problemExample>>,
    responses,
  };
  return document;
}

function completeOperation(path: string, method: string, operation: Operation): void {
  // None on purpose: said here, so that tools do not take it for forgotten.
  operation.security ??= [];
  if (path.startsWith('/api/') && !hasOwnErrors(operation)) {
    // Also where no body is wanted: one that comes is read, and its fields are refused.
    if (method !== 'get') {
      for (const status of [400, 413, 415]) operation.responses[String(status)] ??= common(status);
    }
    // An unknown parameter of the query is refused (contract 1.11).
    if (path.startsWith('/api/v1/')) operation.responses['400'] ??= common(400);
    if (path.includes('{')) {
      for (const status of [400, 414]) operation.responses[String(status)] ??= common(status);
    }
    operation.responses['500'] ??= common(500);
    operation.responses['503'] ??= common(503);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response === undefined || '$ref' in response) continue;
    completeResponse(status, response);
    if (status === '400' && operation.requestBody !== undefined)
      addExample(response, 'request.malformed_json');
    if (status === '404' && path.includes('{storeId}')) addExample(response, 'store.not_found');
    if (status === '403' && path.includes('{storeId}')) addExample(response, 'auth.role_required');
  }
  if (countsRequests(operation)) addRateLimit(operation);
}

/** An extension whose errors have a form of their own documents all of them itself (contract 13.45). */
function hasOwnErrors({ responses }: Operation): boolean {
  const refused = responses['400'];
  return refused !== undefined && !('$ref' in refused) && refused.content?.[PROBLEM_MEDIA_TYPE] === undefined;
}

/**
 * Without a credential, requests are counted by address (`PublicRateLimitGuard`), and every answer says what is left;
 * not where tries are counted by account, too: what is left of those is nobody's business.
 */
function countsRequests({ security, responses }: Operation): boolean {
  const refused = responses['429'];
  if (security?.length !== 0 || refused === undefined || '$ref' in refused) return false;
  const problem = refused.content?.[PROBLEM_MEDIA_TYPE];
  if (problem === undefined) return true;
  const { 'request.rate_limited': byAddress, 'auth.too_many_attempts': byAccount } = problem.examples ?? {};
  return byAddress !== undefined && byAccount === undefined;
}

function addRateLimit({ responses }: Operation): void {
  for (const [status, response] of Object.entries(responses)) {
    if (response === undefined || '$ref' in response || !/^(?:2..|429)$/.test(status)) continue;
    response.headers = { ...response.headers, ...RATE_LIMIT };
  }
}

/** A method that documents its own 404 hides the one of the guard on its class. */
function addExample(response: Response, code: string): void {
  const problem = response.content?.[PROBLEM_MEDIA_TYPE];
  if (problem !== undefined) problem.examples = { ...problem.examples, ...problemExamples([code]) };
}

function completeResponse(status: string, response: Response): void {
  if (response.description === '') response.description = DESCRIPTIONS[status] ?? titleOf(Number(status));
  response.headers = {
    ...response.headers,
    ...REQUEST_ID,
    ...(status === '401' ? CHALLENGE : {}),
    ...(status === '429' || status === '503' ? RETRY_AFTER : {}),
  };
}

/**
 * Bodies of the merchant and admin API hold known fields only; the phone's may hold more (contract 1.11). The phone's
 * are told apart by their credential.
 */
function refuseUnknownFields(document: OpenAPIObject): void {
  for (const operations of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation === undefined || operation.security?.some((way) => 'webhookSecret' in way)) continue;
      const body = operation.requestBody;
      const schema =
        body !== undefined && 'content' in body ? body.content['application/json']?.schema : undefined;
      if (schema === undefined || !('$ref' in schema)) continue;
      const found = document.components?.schemas?.[schema.$ref.replace('#/components/schemas/', '')];
      if (found !== undefined && !('$ref' in found)) found.additionalProperties = false;
    }
  }
}

/**
 * Takes `default` out of what is sent to the service, and says it in the description. Generated clients fill in a
 * `default` where the caller set nothing: a change of a store's name would then change its `signWith`, too. In a body
 * of PATCH what is left out stays as it is, so there nothing is said.
 */
function sayDefaults(document: OpenAPIObject): void {
  const changing = new Set<object>();
  const creating = new Set<object>();
  for (const operations of Object.values(document.paths)) {
    for (const method of METHODS) {
      collectSchemas(document, operations[method]?.requestBody, method === 'patch' ? changing : creating);
    }
  }
  for (const found of new Set([...changing, ...creating]) as Set<Described>) {
    if (found.default === undefined) continue;
    if (!changing.has(found)) {
      const said = `Default: \`${found.default}\`.`;
      found.description = found.description === undefined ? said : `${found.description} ${said}`;
    }
    delete found.default;
  }
}

interface Described {
  default?: string | number | boolean;
  description?: string;
}

/** Every object of the document that `node` reaches, through references as well. */
function collectSchemas(document: OpenAPIObject, node: unknown, into: Set<object>): void {
  if (node === null || typeof node !== 'object' || into.has(node)) return;
  into.add(node);
  for (const [name, value] of Object.entries(node)) {
    if (name === '$ref' && typeof value === 'string') {
      const schemas = document.components?.schemas ?? {};
      collectSchemas(document, schemas[value.replace('#/components/schemas/', '')], into);
    } else if (name !== 'example' && name !== 'examples') collectSchemas(document, value, into);
  }
}

function commonHeaders() {
  return {
    'X-Request-Id': {
      description: 'The request’s own `X-Request-Id` when it is well-formed, else a new one.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    },
    'WWW-Authenticate': {
      description:
        'The scheme of the credential that is asked for: `Bearer`, `ApiKey` (`X-Api-Key`) or `WebhookSecret` (`X-Webhook-Secret`). Never what was wrong.',
      schema: { type: 'string', example: 'Bearer realm="joma"' },
    },
    'RateLimit-Limit': {
      description:
        'Requests that one address may make in a window, of one payment or altogether, whichever leaves less; left out where `RATE_LIMIT_PUBLIC` is off.',
      schema: { type: 'integer', minimum: 1 },
    },
    'RateLimit-Remaining': {
      description: 'Requests that are left in this window.',
      schema: { type: 'integer', minimum: 0 },
    },
    'RateLimit-Reset': {
      description: 'Seconds until the window ends.',
      schema: { type: 'integer', minimum: 1 },
    },
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  };
}

function problemExample(code: string, { status, meaning }: ProblemCode) {
  return {
    summary: code,
    value: {
      type: problemType(code),
      title: titleOf(status),
      status,
      detail: meaning.replaceAll('`', ''),
      instance: '/api/v1/…',
      code,
      requestId: '019aa5b0-7c1e-7cc3-98f4-2f0d6a1b9c55',
      ...(code === 'request.invalid'
        ? { errors: [{ pointer: '/amount', detail: 'must be a number more than 0' }] }
        : {}),
    },
  };
}

function common(status: number): { $ref: string } {
  return { $ref: `#/components/responses/${titleOf(status).replaceAll(' ', '')}` };
}

function commonProblem({ code, status }: AnyProblem): Response {
  const schema = { $ref: '#/components/schemas/ProblemView' };
  const response: Response = {
    description: titleOf(status),
    content: { [PROBLEM_MEDIA_TYPE]: { schema, examples: problemExamples([code]) } },
  };
  completeResponse(String(status), response);
  return response;
}
