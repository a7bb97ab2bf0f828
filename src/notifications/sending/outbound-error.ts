/**
 * Why a webhook did not succeed, as merchants see it (contract 7.40). Coarse on purpose: anything finer would turn the
 * service into a port scanner.
 *
 * - `timeout`: no status within the time allowed.
 * - `dns_failed`: the host name has no address, or its name servers do not answer.
 * - `address_refused`: the URL, or an address its host name leads to, is one webhooks may not go to.
 * - `connection_failed`: no connection, or it broke before there was a status.
 * - `tls_failed`: no secure connection, for instance because of a certificate that cannot be trusted.
 * - `invalid_response`: what came back is no HTTP response.
 * - `redirect`: a 3xx status; redirects are not followed.
 * - `http_status`: any other status that is not 2xx.
 * - `overloaded`: this replica had too much to send; nothing was sent.
 * - `aborted`: this replica stopped before there was a status. The receiver may have the event.
 */
export type WebhookErrorCode =
  | 'timeout'
  | 'dns_failed'
  | 'address_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'invalid_response'
  | 'redirect'
  | 'http_status'
  | 'overloaded'
  | 'aborted';

/** A connection that could not be made, under the code merchants see; `cause` is for this process only. */
export class OutboundError extends Error {
  constructor(
    readonly code: WebhookErrorCode,
    cause?: unknown,
  ) {
    super(code, { cause });
    this.name = 'OutboundError';
  }
}
