import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../problems/http.problems.js';

/** Where somebody stands in the window of a limit. */
export interface RateLimitState {
  /** Requests that are left in this window. */
  readonly remaining: number;
  /** Until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/**
 * Takes one point from a limit. `onState` hears how it stands afterwards, refused or not.
 *
 * @throws DomainError `request.rate_limited` with the seconds until the window ends
 */
export async function consume(
  limiter: RateLimiterAbstract,
  key: string,
  onState: (state: RateLimitState) => void,
): Promise<void> {
  try {
    onState(stateOf(await limiter.consume(key)));
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const state = stateOf(refusal);
    onState(state);
    throw rateLimited(state.resetSeconds);
  }
}

function stateOf({ remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitState {
  return {
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  };
}
