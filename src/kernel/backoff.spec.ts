import { describe, expect, it } from 'vitest';
import { nextAttemptDelayMs, parseRetryAfterMs } from './backoff.js';

/*
 * Rules: contract 7.18 to 7.21.
 */

const HOUR_MS = 3_600_000;

describe('nextAttemptDelayMs', () => {
  const scheduleMs = [5_000, 30_000];

  it('takes the steps in turn, then gives up: n steps are n + 1 attempts', () => {
    const noJitter = () => 0;
    expect(nextAttemptDelayMs(scheduleMs, 1, null, noJitter)).toBe(5_000);
    expect(nextAttemptDelayMs(scheduleMs, 2, null, noJitter)).toBe(30_000);
    expect(nextAttemptDelayMs(scheduleMs, 3, null, noJitter)).toBeNull();
  });

  it('adds at most 20 % and never subtracts', () => {
    expect(nextAttemptDelayMs(scheduleMs, 1, null, () => 0.999999)).toBe(6_000);
    expect(nextAttemptDelayMs(scheduleMs, 1, null, () => 0.5)).toBe(5_500);
  });

  it('takes Retry-After as a floor', () => {
    expect(nextAttemptDelayMs(scheduleMs, 1, 60_000, () => 0)).toBe(60_000);
    expect(nextAttemptDelayMs(scheduleMs, 1, 1_000, () => 0)).toBe(5_000);
  });

  it('caps Retry-After at one hour, or at twice a step that is longer', () => {
    expect(nextAttemptDelayMs(scheduleMs, 1, 24 * HOUR_MS, () => 0)).toBe(HOUR_MS);
    expect(nextAttemptDelayMs([2 * HOUR_MS], 1, 24 * HOUR_MS, () => 0)).toBe(4 * HOUR_MS);
  });
});

describe('parseRetryAfterMs', () => {
  const now = new Date('2026-11-21T08:00:00.000Z');

  it('reads seconds and dates', () => {
    expect(parseRetryAfterMs('120', now)).toBe(120_000);
    expect(parseRetryAfterMs(' 120 ', now)).toBe(120_000);
    expect(parseRetryAfterMs('31622400', now)).toBe(366 * 24 * HOUR_MS);
    expect(parseRetryAfterMs('Sat, 21 Nov 2026 08:01:00 GMT', now)).toBe(60_000);
  });

  it.each([
    null,
    '',
    '0',
    '-5',
    'soon',
    '1.5',
    '31622401',
    '999999999',
    'Sat, 21 Nov 2026 07:00:00 GMT',
    'on Sat, 21 Nov 2026 08:01:00 GMT',
    '2026-11-21',
  ])('ignores %j', (header) => {
    expect(parseRetryAfterMs(header, now)).toBeNull();
  });
});
