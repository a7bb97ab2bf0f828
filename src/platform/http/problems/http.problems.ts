import { defineProblem } from '../../../kernel/domain-error.js';

/*
 * What the service refuses before a feature is asked, and what every feature may refuse. Published in the OpenAPI
 * document, as all problems are (contract 1.36).
 */

export { requestInvalid, serviceUnavailable } from '../../../kernel/domain-error.js';

export const malformedJson = defineProblem(
  'request.malformed_json',
  'invalid',
  'The body is not valid JSON.',
  { meaning: 'The body is not JSON in UTF-8.' },
);

export const notFound = defineProblem('request.not_found', 'not_found', 'There is nothing at this address.', {
  meaning: 'There is nothing at this address or under this id.',
});

export const methodNotAllowed = defineProblem(
  'request.method_not_allowed',
  'method_not_allowed',
  'This address does not know that method.',
  { meaning: 'This address does not take that method; `Allow` names those it takes.' },
);

export const requestTimeout = defineProblem(
  'request.timeout',
  'timeout',
  'The request took too long to arrive.',
);

export const bodyTooLarge = defineProblem(
  'request.too_large',
  'too_large',
  'The body is larger than 64 KiB.',
);

export const addressTooLong = defineProblem(
  'request.uri_too_long',
  'uri_too_long',
  'The address is too long.',
);

export const unsupportedMediaType = defineProblem(
  'request.unsupported_media_type',
  'unsupported_media_type',
  'The body must be JSON: send Content-Type: application/json.',
  { meaning: 'The body is not `application/json`.' },
);

export const rateLimited = defineProblem(
  'request.rate_limited',
  'rate_limited',
  'Too many requests. Try again later.',
  {
    meaning: 'Too many requests; try again after `Retry-After` seconds.',
    retryAfterSeconds: (seconds: number) => seconds,
  },
);

export const headersTooLarge = defineProblem(
  'request.headers_too_large',
  'headers_too_large',
  'The headers are too large.',
);

export const internalError = defineProblem(
  'internal.error',
  'internal',
  'Something went wrong on our side; nothing was lost.',
  { meaning: 'Something went wrong on our side.' },
);
