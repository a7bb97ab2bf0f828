/** The record of one attempt, as merchants see it (contract 7.37). */
export interface AttemptRecord {
  readonly at: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly responseExcerpt: string | null;
}

/** The outcome of an attempt under a lease of this process, to be written down. */
export type DeliveryOutcome = {
  readonly deliveryId: string;
  readonly storeId: string;
  /** The lease under which it was found out. */
  readonly leaseToken: string;
} & (
  | { readonly kind: 'delivered'; readonly attempt: AttemptRecord }
  | {
      readonly kind: 'failed';
      readonly attempt: AttemptRecord;
      /** Failures of this round when the delivery was taken. */
      readonly failuresBefore: number;
      /** Until the next attempt; null when that was the last one. */
      readonly delayMs: number | null;
      /** The same, in case the schedule was begun anew while the attempt was under way. */
      readonly freshDelayMs: number | null;
    }
  /** The process stopped in the middle: due again at once, and no failure of the receiver's. */
  | { readonly kind: 'interrupted'; readonly attempt: AttemptRecord }
  /** There is nowhere to send it to, or the receiver has just said that it is gone. */
  | { readonly kind: 'held'; readonly attempt?: AttemptRecord }
  /** Not sent: due again after that time. */
  | { readonly kind: 'released'; readonly delayMs: number }
);

/** Writes outcomes of different deliveries together. `again` says that an earlier write may have succeeded. */
export type WriteOutcomes = (batch: readonly DeliveryOutcome[], again: boolean) => Promise<void>;

export interface OutcomesOptions {
  readonly write: WriteOutcomes;
  /** The database is away, so that trying again later makes sense. */
  readonly isTemporary: (error: unknown) => boolean;
  readonly onWritten: (batch: readonly DeliveryOutcome[]) => void;
  /** Called once when writing begins to fail, and for each outcome that cannot be written at all. */
  readonly onTrouble: (error: unknown, abandoned: DeliveryOutcome | null) => void;
}

const MAX_BATCH = 512;
/** After a batch of so many the next one is gathered for a while: each costs two round trips and a commit. */
const BUSY_BATCH = 4;
const GATHER_MS = 15;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;

/**
 * Writes down what became of deliveries, many in one commit (performance notes: group commit). A batch leaves at once
 * when none is under way, so a single delivery waits for nothing; what comes meanwhile goes with the next one, and
 * where there is much of it, what comes within 15 ms more.
 *
 * While the database is away everything is kept and tried again. That is bounded, because nothing new can be sent
 * without the database: there is at most one outcome for each delivery in flight or waiting. A outcome that the
 * database refuses is tried alone, then given up; its lease runs out and the delivery is sent again.
 */
export class Outcomes {
  private waiting: DeliveryOutcome[] = [];
  private working: Promise<void> | null = null;
  private failing = false;
  private givenUp = false;
  private wake: (() => void) | null = null;

  constructor(private readonly options: OutcomesOptions) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Writing has failed and not succeeded since. */
  get isFailing(): boolean {
    return this.failing;
  }

  add(outcome: DeliveryOutcome): void {
    this.waiting.push(outcome);
    this.working ??= this.work();
  }

  /** Resolves when all is written, or after that time; then what is left is given up, and its leases run out. */
  async drain(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([this.working, timedOut]);
    clearTimeout(timer);
    this.givenUp = true;
    this.wake?.();
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0 && !this.givenUp) {
      const batch = this.takeBatch();
      await this.writeAll(batch);
      // Where much comes to its end, a little patience makes few large commits of many small ones.
      if (batch.length >= BUSY_BATCH && this.waiting.length < MAX_BATCH && !this.givenUp)
        await this.pause(GATHER_MS);
    }
    // In the same turn as the look at `waiting`: what is added from now on starts anew.
    this.working = null;
  }

  /** The oldest, each delivery once: one statement can change a row only once. */
  private takeBatch(): DeliveryOutcome[] {
    const batch: DeliveryOutcome[] = [];
    const repeated: DeliveryOutcome[] = [];
    const seen = new Set<string>();
    let looked = 0;
    for (const outcome of this.waiting) {
      if (batch.length === MAX_BATCH) break;
      looked += 1;
      (seen.has(outcome.deliveryId) ? repeated : batch).push(outcome);
      seen.add(outcome.deliveryId);
    }
    this.waiting = [...repeated, ...this.waiting.slice(looked)];
    return batch;
  }

  private async writeAll(batch: readonly DeliveryOutcome[]): Promise<void> {
    const error = await this.writePatiently(batch);
    if (error === null) return;
    for (const outcome of batch) {
      // A part of the batch may have been written.
      const ownError = batch.length === 1 ? error : await this.writePatiently([outcome], true);
      if (ownError !== null) this.options.onTrouble(ownError, outcome);
    }
  }

  /** Tries until it is written (null) or refused for good (the error). */
  private async writePatiently(batch: readonly DeliveryOutcome[], again = false): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.options.write(batch, again || attempt > 0);
        this.failing = false;
        this.options.onWritten(batch);
        return null;
      } catch (error) {
        if (!this.options.isTemporary(error)) return error ?? new Error('refused');
        if (!this.failing) this.options.onTrouble(error, null);
        this.failing = true;
        if (this.givenUp) return null;
        await this.pause(Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt, 10), MAX_RETRY_MS));
        if (this.givenUp) return null;
      }
    }
  }

  private pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
