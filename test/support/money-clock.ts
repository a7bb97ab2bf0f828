import { Clock } from '../../src/kernel/clock.js';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** A clock that stands still until it is told to move. Replicas of one test share it, as real ones share the time. */
export class ManualClock extends Clock {
  /** How far it moves with each look at it. */
  tickMs = 0;
  private instantMs: number;

  constructor(start = new Date('2026-11-21T08:20:09.123Z')) {
    super();
    this.instantMs = start.getTime();
  }

  now(): Date {
    this.instantMs += this.tickMs;
    return new Date(this.instantMs);
  }

  /** Moves on, or back when `ms` is negative. */
  advance(ms: number): void {
    this.instantMs += ms;
  }

  /** The instant `ms` from now, in ISO 8601. */
  isoIn(ms: number): string {
    return new Date(this.instantMs + ms).toISOString();
  }
}

/** A minute as bKash writes it into its messages, by the wall clock of Dhaka. */
export function minuteInDhaka(at: Date): string {
  const local = new Date(at.getTime() + 6 * HOUR_MS).toISOString();
  return `${local.slice(8, 10)}/${local.slice(5, 7)}/${local.slice(0, 4)} ${local.slice(11, 16)}`;
}
