const MAX_JITTER_SHARE = 0.2;
const ONE_HOUR_MS = 3_600_000;

/**
 * How long to wait before the next attempt, in milliseconds, or null when the schedule is used up (contract 7.18).
 *
 * `failedAttempts` counts the attempts of this round that failed, so the first failure takes step 0. A step is never
 * shortened: jitter adds 0–20 %. `retryAfterMs` is what the receiver asked for; it is a floor, capped at the larger of
 * one hour and twice the step, so that a receiver can slow us down but not silence us.
 */
export function nextAttemptDelayMs(
  scheduleMs: readonly number[],
  failedAttempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  const stepMs = scheduleMs[failedAttempts - 1];
  if (stepMs === undefined) return null;
  const withJitterMs = Math.ceil(stepMs * (1 + MAX_JITTER_SHARE * random()));
  if (retryAfterMs === null) return withJitterMs;
  return Math.max(withJitterMs, Math.min(retryAfterMs, Math.max(ONE_HOUR_MS, 2 * stepMs)));
}

/**
 * Reads a `Retry-After` header, in seconds or as an HTTP date, as milliseconds from `now`; null when it makes no sense
 * (negative, in the past, not a number, longer than a year).
 */
export function parseRetryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  const delayMs = /^\d{1,9}$/.test(text)
    ? Number(text) * 1_000
    : /^[A-Za-z]{3}, /.test(text)
      ? Date.parse(text) - now.getTime()
      : Number.NaN;
  return delayMs > 0 && delayMs <= 366 * 24 * ONE_HOUR_MS ? delayMs : null;
}
