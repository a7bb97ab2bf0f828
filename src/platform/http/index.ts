export { addressGroup } from './limits/address-group.js';
export { ServerConnections } from './server/server-connections.js';
export { IdParameter } from './id-parameter.js';
export { answerMalformedRequest, registerMalformedRequests } from './server/malformed-request.js';
export { AllowedMethods } from './server/method-not-allowed.js';
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
  PageSize,
  MAX_CURSOR_CHARACTERS,
} from './page.js';
export { readUpload, type Upload } from './bodies/multipart.js';
export { isInNetworks, isLoopback } from './limits/networks.js';
export { registerPublicCors } from './server/public-cors.js';
export { failureOf, ProblemFilter, sendProblem } from './problems/problem.filter.js';
export { ApiProblem, PROBLEM_MEDIA_TYPE, problemExamples, ProblemView } from './problems/problem.dto.js';
export { IsNotBlank, MaxCharacters, MayBeLeftOut } from './bodies/text-rules.js';
export { PlainFields } from './bodies/compiled-validation.js';
export * from './bodies/fields.js';
export { type Limits, limitsOf } from './bodies/limits.js';
export { problemType, titleOf, type Problem } from './problems/problem.js';
export { AddressRateLimitGuard, PublicRateLimitGuard } from './limits/public-rate-limit.guard.js';
export { EventStreams, STREAM_HEADERS, type EventStream, type StreamPlace } from './event-streams.js';
export { HttpSettings, NETWORKS } from './http.settings.js';
export { HttpModule } from './http.module.js';
export { type RefusalReason, Refusals } from './limits/refusals.js';
export { Stopping } from './server/stopping.js';
export { consume } from './limits/rate-limit.js';
export {
  MAX_BODY_BYTES,
  readBodiesLast,
  readBodyBytes,
  registerBodyParsers,
  FormBody,
  KnownQueriesOnly,
  KnownQuery,
  NoBody,
  OptionalBody,
  UploadBody,
  uploadOf,
} from './bodies/request-body.js';
export { requestIdOf } from './server/request-id.js';
export {
  beginsWithDay,
  IsDuration,
  IsInstant,
  IsMoney,
  IsWebAddress,
  parseInstant,
} from './bodies/value-rules.js';
export { strictValidation, tolerantValidation } from './bodies/validation.js';
export * from './problems/access.problems.js';
export * from './problems/http.problems.js';
export * as httpProblems from './problems/http.problems.js';
