import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../kernel/domain-error.js';

/**
 * Takes one point from a limit.
 *
 * @throws DomainError `request.rate_limited` with the seconds until the window ends
 */
export async function consume(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new DomainError('rate_limited', 'request.rate_limited', 'Too many requests. Try again later.', {
      retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
    });
  }
}
