export { addressGroup } from './address-group.js';
export * from './api-description.js';
export { registerConnectionClosing } from './closing-connections.js';
export { registerConnectionLimits } from './connection-limits.js';
export { IdParameter } from './id-parameter.js';
export { answerMalformedRequest, registerMalformedRequests } from './malformed-request.js';
export { AllowedMethods } from './method-not-allowed.js';
export {
  decodeCursor,
  DEFAULT_PAGE_SIZE,
  encodeCursor,
  MAX_PAGE_SIZE,
  type Page,
  pageOf,
  type PagePosition,
  NEXT_CURSOR,
  PageQuery,
  queryInteger,
} from './page.js';
export { readUpload, type Upload } from './multipart.js';
export { isInNetworks, isLoopback } from './networks.js';
export { registerPublicCors } from './public-cors.js';
export { failureOf, ProblemFilter, sendProblem } from './problem.filter.js';
export { ApiProblem, PROBLEM_MEDIA_TYPE, problemExamples, ProblemView } from './problem.dto.js';
export { IsNotBlank, MaxCharacters, MayBeLeftOut } from './text-rules.js';
export { problemType, titleOf, type Problem } from './problem.js';
export { AddressRateLimitGuard, PublicRateLimitGuard } from './public-rate-limit.guard.js';
export { HttpModule, type RefusalReason, Refusals } from './refusals.js';
export { consume } from './rate-limit.js';
export {
  BodyRefused,
  MAX_BODY_BYTES,
  readBodiesLast,
  readBodyBytes,
  registerBodyParsers,
  FormBody,
  OptionalBody,
  UploadBody,
  uploadOf,
} from './request-body.js';
export { requestIdOf } from './request-id.js';
export { beginsWithDay, IsDuration, IsInstant, IsMoney, IsWebAddress, parseInstant } from './value-rules.js';
export { strictValidation, tolerantValidation } from './validation.js';
export { HTTP_CODES } from './http.errors.js';
