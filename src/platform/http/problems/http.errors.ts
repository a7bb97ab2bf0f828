import type { ProblemCodes } from '../../../kernel/domain-error.js';

/** Error codes of the framework; published in the OpenAPI document (contract 1.36). */
export const HTTP_CODES: ProblemCodes = {
  'request.invalid': { status: 400, meaning: 'The input is not valid; `errors` names each wrong place.' },
  'request.malformed_json': { status: 400, meaning: 'The body is not JSON in UTF-8.' },
  'request.not_found': { status: 404, meaning: 'There is nothing at this address or under this id.' },
  'request.method_not_allowed': {
    status: 405,
    meaning: 'This address does not take that method; `Allow` names those it takes.',
  },
  'request.timeout': { status: 408, meaning: 'The request took too long to arrive.' },
  'request.too_large': { status: 413, meaning: 'The body is larger than 64 KiB.' },
  'request.uri_too_long': { status: 414, meaning: 'The address is too long.' },
  'request.unsupported_media_type': { status: 415, meaning: 'The body is not `application/json`.' },
  'request.rate_limited': {
    status: 429,
    meaning: 'Too many requests; try again after `Retry-After` seconds.',
  },
  'request.headers_too_large': { status: 431, meaning: 'The headers are too large.' },
  'internal.error': { status: 500, meaning: 'Something went wrong on our side.' },
  'service.unavailable': {
    status: 503,
    meaning: 'The database cannot be reached just now; nothing was done.',
  },
};
