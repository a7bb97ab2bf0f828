import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';

/** Why access was refused, as `joma_refused_total` counts it. */
export type RefusalReason =
  | 'no_credential'
  | 'api_key'
  | 'webhook_secret'
  | 'token'
  | 'sign_in'
  | 'second_factor'
  | 'refresh_token'
  | 'lock_out'
  | 'rate_limit'
  | 'forbidden';

/** Lines in the log in one second; the next line says how many were left out. */
const MAX_LINES_A_SECOND = 5;

const REASON_OF_CODE: Readonly<Record<string, RefusalReason>> = {
  'auth.invalid_credentials': 'sign_in',
  'auth.second_factor_required': 'second_factor',
  'auth.invalid_second_factor': 'second_factor',
  'auth.invalid_refresh_token': 'refresh_token',
  'auth.too_many_attempts': 'lock_out',
  'request.rate_limited': 'rate_limit',
};

/** Which header carries the credential that an address asks for. */
const REASON_OF_SCHEME = {
  ApiKey: ['x-api-key', 'api_key'],
  WebhookSecret: ['x-webhook-secret', 'webhook_secret'],
  Bearer: ['authorization', 'token'],
} as const;

/**
 * Counts refused access by reason, and says it at `warn`, at most some times a second (contract 14.50). Never who: an
 * address is personal data, and what was sent instead of a credential may be one. The audit log knows the accounts of
 * failed sign-ins.
 */
@Injectable()
export class Refusals {
  private readonly logger = new Logger('Refused');
  private readonly refused: Counter<'reason'>;
  private second = 0;
  private linesOfSecond = 0;
  private leftOut = 0;

  constructor(registry: Registry) {
    this.refused = new Counter({
      name: 'joma_refused_total',
      help: 'Refused access, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  /**
   * Looks at an answer that was no success; does nothing when it is no refusal of access. `scheme` is that of a 401.
   */
  see(
    request: FastifyRequest,
    failure: { readonly status: number; readonly code: string },
    scheme: keyof typeof REASON_OF_SCHEME,
  ): void {
    const reason = reasonOf(request, failure, scheme);
    if (reason !== null) this.note(reason, String(request.id));
  }

  note(reason: RefusalReason, requestId: string): void {
    this.refused.inc({ reason });
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.second) [this.second, this.linesOfSecond] = [second, 0];
    this.linesOfSecond += 1;
    if (this.linesOfSecond > MAX_LINES_A_SECOND) {
      this.leftOut += 1;
      return;
    }
    const leftOut = this.leftOut;
    this.leftOut = 0;
    this.logger.warn({ reason, requestId, ...(leftOut === 0 ? {} : { leftOut }) }, 'Refused');
  }
}

function reasonOf(
  { headers }: FastifyRequest,
  { status, code }: { readonly status: number; readonly code: string },
  scheme: keyof typeof REASON_OF_SCHEME,
): RefusalReason | null {
  const named = REASON_OF_CODE[code];
  if (named !== undefined) return named;
  if (status === 403) return 'forbidden';
  if (status !== 401) return null;
  const [header, reason] = REASON_OF_SCHEME[scheme];
  return headers[header] === undefined ? 'no_credential' : reason;
}
