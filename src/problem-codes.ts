/** A published code: the HTTP status it comes with, and what it means. */
export interface ProblemCode {
  readonly status: number;
  readonly meaning: string;
}

/**
 * Every published code (decisions §1). A code is never used again for something else; a test finds each one that the source
 * uses here and in the OpenAPI document, with the right status.
 */
export const PROBLEM_CODES: Readonly<Record<string, ProblemCode>> = {
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
  'auth.required': { status: 401, meaning: 'There is no credential, or none that holds.' },
  'auth.invalid_credentials': { status: 401, meaning: 'The e-mail address or the password is wrong.' },
  'auth.invalid_refresh_token': { status: 401, meaning: 'The refresh token does not hold; sign in again.' },
  'auth.forbidden': { status: 403, meaning: 'The caller is known, but may not do this.' },
  'auth.last_admin': {
    status: 403,
    meaning:
      'The company’s token takes the role from the last active admin here; there must be another one first.',
  },
  'auth.too_many_attempts': {
    status: 429,
    meaning: 'Too many wrong sign-ins for this account or from this address.',
  },
  'auth.busy': {
    status: 503,
    meaning: 'More people sign in at this instant than passwords can be checked for.',
  },
  'user.not_found': { status: 404, meaning: 'There is no such user.' },
  'user.email_taken': { status: 409, meaning: 'There is a user with this e-mail address already.' },
  'user.last_admin': { status: 409, meaning: 'This is the last active admin, and has to stay one.' },
  'store.not_found': { status: 404, meaning: 'There is no such store, or it is somebody else’s.' },
  'store.archived': { status: 409, meaning: 'The store is archived; it can be read, but not changed.' },
  'store.wallet_in_use': {
    status: 409,
    meaning: 'One of the wallets stands in another live store of the same owner, or twice in this one.',
  },
  'payment.not_found': { status: 404, meaning: 'There is no such payment, or it is another store’s.' },
  'payment.receipt_required': {
    status: 400,
    meaning: 'Several receipts are possible; name one with `receiptId`.',
  },
  'payment.pending': { status: 409, meaning: 'The payment still waits for its payer.' },
  'payment.submitted': { status: 409, meaning: 'The payment still waits for its receipt.' },
  'payment.in_review': { status: 409, meaning: 'The payment is in review; a person of the store decides.' },
  'payment.verified': { status: 409, meaning: 'The payment is verified, which is final.' },
  'payment.expired': { status: 409, meaning: 'The time for the payment is over.' },
  'payment.cancelled': { status: 409, meaning: 'The payment is cancelled, which is final.' },
  'payment.not_verified': { status: 409, meaning: 'Only a verified payment can be refunded.' },
  'payment.trx_id_used': {
    status: 409,
    meaning: 'The transaction id has been used for another payment.',
  },
  'payment.too_many_attempts': {
    status: 429,
    meaning: 'Too many different entries for one payment; `Retry-After` is the end of its lifetime.',
  },
  'refund.too_much': {
    status: 409,
    meaning: 'All refunds of a payment together cannot be more than what came for it.',
  },
  'refund.trx_id_used': {
    status: 409,
    meaning: 'The transaction id has been recorded as a refund of the store already.',
  },
  'receipt.not_found': { status: 404, meaning: 'There is no such receipt, or it is another store’s.' },
  'receipt.already_matched': { status: 409, meaning: 'The receipt belongs to a payment already.' },
  'receipt.ignored': {
    status: 409,
    meaning: 'The message is no receipt of money; it cannot pay anything.',
  },
  'idempotency.key_reused': {
    status: 422,
    meaning: 'The `Idempotency-Key` was used with another body, or at another place.',
  },
  'idempotency.in_progress': {
    status: 409,
    meaning: 'The first request with this `Idempotency-Key` still runs.',
  },
  'simulate.disabled': { status: 403, meaning: 'Simulation is switched off for the store.' },
  'simulate.store_required': {
    status: 400,
    meaning: 'There is not exactly one store; name it with `storeId`.',
  },
  'delivery.not_found': { status: 404, meaning: 'There is no such delivery, or it is another store’s.' },
  'event.body_pruned': { status: 409, meaning: 'The event is so old that its body is not kept any more.' },
  'replay.not_found': { status: 404, meaning: 'There is no such replay, or it is another store’s.' },
  'replay.running': { status: 409, meaning: 'A replay of the store runs already; wait until it is done.' },
  'webhook.url_missing': { status: 409, meaning: 'The store has no webhook URL.' },
  'webhook.test_busy': { status: 429, meaning: 'Too many test events are under way already.' },
  'internal.error': { status: 500, meaning: 'Something went wrong on our side.' },
  'service.unavailable': {
    status: 503,
    meaning: 'The database cannot be reached just now; nothing was done.',
  },
};
