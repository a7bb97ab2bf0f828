import { describe, expect, it } from 'vitest';
import { formatDurationMs, MAX_DURATION_MS, parseDurationMs } from './duration.js';

describe('parseDurationMs', () => {
  it.each([
    ['250ms', 250],
    ['8s', 8_000],
    ['3m', 180_000],
    ['24h', 86_400_000],
    [' 5s ', 5_000],
    ['0s', 0],
    ['400d', MAX_DURATION_MS],
  ])('reads %s', (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });

  it.each(['', '5', 's', '5 s', '-5s', '1.5s', '5S', '5w', '401d', '9999999999s', '5s5s'])(
    'refuses %j',
    (text) => {
      expect(parseDurationMs(text)).toBeNull();
    },
  );
});

describe('formatDurationMs', () => {
  it('is read as what it was written from, in the largest unit that is exact', () => {
    for (const text of ['250ms', '8s', '3m', '90m', '1h', '5d', '0s']) {
      expect(formatDurationMs(parseDurationMs(text) ?? -1)).toBe(text);
    }
    expect(formatDurationMs(86_400_000)).toBe('1d');
  });
});
