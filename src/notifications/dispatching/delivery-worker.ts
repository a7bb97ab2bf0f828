import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { messageOf } from '../../kernel/error-text.js';
import { StoreChanges } from '../../stores/index.js';
import { DeliveriesRepository } from '../deliveries.repository.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { Dispatcher } from './dispatcher.js';
import { DueDeliveriesRepository } from './due-deliveries.repository.js';

/** How often a replica looks at the table in any case, in milliseconds. */
const TICK_MS = 1_000;
/** Least time between two looks. */
const MIN_GAP_MS = 10;
/** Full claims in a row before others get a turn on the event loop and in the database. */
const MAX_CLAIMS_IN_A_ROW = 8;
/** Ticks between two looks for what is held although it could go out. */
const TICKS_PER_RELEASE = 5;
const STOP_TIMEOUT_MS = 1_000;

/**
 * Takes from the table what nobody is sending: retries that are due, what did not fit into memory, what a replica
 * that died had leased. The table is the safety net, not the way: a new event does not come through here (contract
 * 7.24).
 *
 * Looks at the start, then once a second, and sooner when it is known that something will be due, or that a quota has
 * room again.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger(DeliveryWorker.name);
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private wakesAtMs = Number.POSITIVE_INFINITY;
  private lastLookAtMs = Number.NEGATIVE_INFINITY;
  private nextStoreId: string | null = null;
  private nextHeldStoreId: string | null = null;
  /** Deliveries that were released since the walk over the stores with held deliveries began anew. */
  private releasedOnThisLap = 0;
  private ticks = 0;
  private again = false;
  private failing = false;
  private stopped = false;

  constructor(
    private readonly due: DueDeliveriesRepository,
    private readonly repository: DeliveriesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly metrics: DeliveryMetrics,
    stores: StoreChanges,
  ) {
    dispatcher.onDueIn((delayMs) => {
      if (delayMs < TICK_MS) this.wakeIn(delayMs);
    });
    stores.reachable.subscribe((storeId) => void this.releaseOf(storeId));
  }

  /** Deliveries that fell due while nothing ran do not wait for the first tick. */
  onApplicationBootstrap(): void {
    this.wakeIn(0);
  }

  @Interval('deliveries', TICK_MS)
  tick(): void {
    this.ticks += 1;
    this.wakeIn(0);
  }

  /** Looks at the table after so many milliseconds, unless it does so sooner anyway. */
  wakeIn(delayMs: number): void {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs + delayMs, this.lastLookAtMs + MIN_GAP_MS);
    if (this.stopped || atMs >= this.wakesAtMs) return;
    this.wakesAtMs = atMs;
    if (this.timer !== null) clearTimeout(this.timer);
    // A timer may fire a little early; what is due is for the database's clock to say.
    this.timer = setTimeout(() => this.start(), Math.max(0, Math.ceil(atMs - nowMs)));
    this.timer.unref();
  }

  /** Releases the held deliveries of a store that can be sent to again. Never rejects. */
  private async releaseOf(storeId: string): Promise<void> {
    try {
      await this.repository.releaseHeld(storeId);
    } catch (error) {
      this.logger.warn({ storeId }, `Held deliveries wait for the next look: ${messageOf(error)}`);
    }
    this.releaseSoon();
  }

  /** Looks for what is held although it could go out without waiting for its turn. */
  private releaseSoon(): void {
    this.ticks = TICKS_PER_RELEASE;
    this.wakeIn(0);
  }

  /**
   * Takes nothing any more; resolves when what was being taken has arrived, or the database does not answer in time.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([this.running, timedOut]);
    clearTimeout(timer);
  }

  /** One look at a time: what asks for another one meanwhile gets it afterwards. */
  private start(): void {
    this.timer = null;
    this.wakesAtMs = Number.POSITIVE_INFINITY;
    if (this.stopped) return;
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.lastLookAtMs = performance.now();
    this.running = this.look().finally(() => {
      this.running = null;
      if (this.again) this.wakeIn(0);
      this.again = false;
    });
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    try {
      if (this.dispatcher.isStuck) return;
      if (this.ticks >= TICKS_PER_RELEASE) await this.lookAround();
      // Before the claim: what falls due between the two statements is then in the one or the other.
      await this.planNextLook();
      if (await this.claim()) this.wakeIn(0);
      this.wakeWhenReopened();
      this.failing = false;
    } catch (error) {
      if (!this.failing) {
        this.logger.warn(
          `Deliveries cannot be taken from the table: ${error instanceof Error ? error.message : ''}`,
        );
      }
      this.failing = true;
    }
  }

  /** Takes what is due while there is room, going round all stores once; true when it had to stop before. */
  private async claim(): Promise<boolean> {
    let isLastLap = this.nextStoreId === null;
    let claimed = 0;
    for (let round = 0; round < MAX_CLAIMS_IN_A_ROW; round += 1) {
      const plan = this.dispatcher.plan();
      if (this.stopped || plan.total === 0) return false;
      const leasedAtMs = performance.now();
      const claim = await this.due.claim(plan, this.nextStoreId, this.dispatcher.leaseMs);
      const walk = { after: this.nextStoreId, through: claim.nextStoreId };
      this.nextStoreId = claim.nextStoreId;
      claimed += claim.deliveries.length;
      this.dispatcher.takeClaimed(plan, walk, claim.deliveries, leasedAtMs);
      if (claim.nextStoreId !== null) continue;
      if (isLastLap) return false;
      isLastLap = true;
    }
    // Where nothing was found, the rest of the stores can wait for the next tick.
    return claimed > 0;
  }

  private async planNextLook(): Promise<void> {
    const askedAtMs = performance.now();
    const dueInMs = await this.due.findNextDueMs(TICK_MS);
    if (dueInMs !== null) this.wakeIn(dueInMs - (performance.now() - askedAtMs));
  }

  private wakeWhenReopened(): void {
    const reopeningInMs = this.dispatcher.nextReopeningInMs();
    if (reopeningInMs !== null && reopeningInMs < TICK_MS) this.wakeIn(reopeningInMs);
  }

  private async lookAround(): Promise<void> {
    this.ticks = 0;
    const { released, nextStoreId } = await this.repository.releaseForgotten(this.nextHeldStoreId);
    this.nextHeldStoreId = nextStoreId;
    this.releasedOnThisLap += released;
    // A store may hold more than a statement lets go, so what was found once is looked for until a whole lap finds
    // nothing.
    if (nextStoreId !== null || this.releasedOnThisLap > 0) this.releaseSoon();
    if (nextStoreId === null) this.releasedOnThisLap = 0;
    this.metrics.oldestDueSeconds.set((await this.due.findOldestDueAgeMs()) / 1_000);
  }
}
