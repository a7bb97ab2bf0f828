const MILLISECONDS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The longest duration that a setting may name: 400 days. Timers and timestamps stay far from their limits. */
export const MAX_DURATION_MS = 400 * MILLISECONDS_PER_UNIT.d;

/** `parseDurationMs` the other way round, in the largest unit that is exact: `90m`, not `5400000ms`. */
export function formatDurationMs(durationMs: number): string {
  const [unit, size] = Object.entries(MILLISECONDS_PER_UNIT)
    .reverse()
    .find(([, millisecondsPerUnit]) => durationMs % millisecondsPerUnit === 0 && durationMs > 0) ?? [
    's',
    1_000,
  ];
  return `${durationMs / size}${unit}`;
}

/** Reads `250ms`, `8s`, `3m`, `24h` or `30d` as milliseconds; null when it is anything else (contract 8.12). */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) return null;
  const durationMs = Number(match[1]) * MILLISECONDS_PER_UNIT[match[2] as keyof typeof MILLISECONDS_PER_UNIT];
  return durationMs <= MAX_DURATION_MS ? durationMs : null;
}
