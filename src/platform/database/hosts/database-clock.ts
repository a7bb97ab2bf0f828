import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { messageOf } from '../../../kernel/error-text.js';
import { Gauge, type Registry } from 'prom-client';
import { SingleRun } from '../../../kernel/single-run.js';
import type { TimeSource } from './database-time.js';

/** How often the offset is looked at again, in milliseconds. */
const LOOK_INTERVAL_MS = 60_000;
/** The quickest of so many round trips counts: it says most exactly when the database looked at its clock. */
const ROUND_TRIPS = 5;
/** The system's clock may differ from the database's by so much before the log says so, in milliseconds. */
const TOLERANCE_MS = 1_000;

/** The clocks of this machine that the service's clock goes by. Replaced in its own test only. */
export interface LocalClocks {
  /** Milliseconds of a clock that nobody can set. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970 of the system's clock, which anybody can set. */
  readonly systemMs: () => number;
}

const LOCAL: LocalClocks = { monotonicMs: () => performance.now(), systemMs: () => Date.now() };

/**
 * The primary's time, for every decision (contract 4.102 "One clock"): the offset of this process's *monotonic* clock
 * to `clock_timestamp()`, taken at start and looked at again every minute. The system's clock may be wrong, or be set
 * in the middle of everything: nothing that is decided changes. While the database is away the last offset holds.
 */
export class DatabaseClock extends Clock implements OnModuleDestroy {
  private readonly logger = new Logger('DatabaseClock');
  private readonly looking = new SingleRun(
    () => this.look(),
    (error) => this.logger.warn(`The database does not say what time it is: ${messageOf(error)}.`),
  );
  private timer: NodeJS.Timeout | undefined;
  private offsetMs = Number.NaN;
  private reportedMs = 0;

  private constructor(
    private readonly source: TimeSource,
    private readonly local: LocalClocks,
  ) {
    super();
  }

  /** Resolves when the database has said what time it is. @throws what the source throws */
  static async start(
    source: TimeSource,
    registry: Registry,
    local: LocalClocks = LOCAL,
  ): Promise<DatabaseClock> {
    const clock = new DatabaseClock(source, local);
    await clock.look();
    clock.timer = setInterval(() => void clock.looking.run(), LOOK_INTERVAL_MS).unref();
    new Gauge({
      name: 'joma_clock_offset_seconds',
      help: "How far this machine's clock is ahead of the database's, in seconds. Decisions go by the database's.",
      registers: [registry],
      collect() {
        this.set(clock.systemOffsetMs() / 1_000);
      },
    });
    return clock;
  }

  now(): Date {
    return new Date(this.local.monotonicMs() + this.offsetMs);
  }

  /** How far the system's clock is ahead of the database's now, in milliseconds. */
  systemOffsetMs(): number {
    return this.local.systemMs() - (this.local.monotonicMs() + this.offsetMs);
  }

  /** Looks at the database's clock again. Not part of `Clock`: it is done every minute. */
  async look(): Promise<void> {
    await this.source((ask) => this.measure(ask));
    this.report();
  }

  private async measure(ask: () => Promise<number>): Promise<void> {
    let best = { offsetMs: 0, uncertainMs: Number.POSITIVE_INFINITY };
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
      const leftMs = this.local.monotonicMs();
      const databaseMs = await ask();
      const uncertainMs = (this.local.monotonicMs() - leftMs) / 2;
      if (uncertainMs < best.uncertainMs) best = { offsetMs: databaseMs - leftMs - uncertainMs, uncertainMs };
    }
    // A change within the uncertainty of the measurement is no change: the time does not jump to and fro.
    const isKept = Math.abs(best.offsetMs - this.offsetMs) <= best.uncertainMs;
    if (!isKept) this.offsetMs = best.offsetMs;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.looking.stop();
  }

  private report(): void {
    const offsetMs = this.systemOffsetMs();
    const isWrong = Math.abs(offsetMs) > TOLERANCE_MS;
    if (isWrong && Math.abs(offsetMs - this.reportedMs) > TOLERANCE_MS) {
      this.logger.warn(
        { offsetSeconds: Math.round(offsetMs) / 1_000 },
        "This machine's clock is not the database's. Decisions go by the database's.",
      );
    }
    this.reportedMs = isWrong ? offsetMs : 0;
  }
}
