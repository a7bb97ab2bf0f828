import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { messageOf } from '../../kernel/error-text.js';
import { isId, newId } from '../../kernel/ids.js';
import { SingleRun } from '../../kernel/single-run.js';
import { replayNotFound, replayRunning } from '../deliveries.problems.js';
import { DeliveryWorker } from '../dispatching/delivery-worker.js';
import type { ReplayChoice } from './delivery-replays.table.js';
import { type ReplayRecord, ReplaysRepository } from './replays.repository.js';

export interface ReplayRequest {
  readonly since: Date;
  /** Default: now, so that a replay never follows what is still to come. */
  readonly until?: Date;
  readonly only: ReplayChoice;
}

const TICK_MS = 1_000;
/** Deliveries of one store that may be due at the same time because of a replay: the next batch waits for them. */
const BATCH = 1_000;
/** Before the next look at a replay that moved on: by then a brisk receiver has taken much of the batch. */
const NEXT_STEP_MS = 50;
/** Steps in a row before the others get a turn. */
const MAX_ROUNDS = 20;

/**
 * Sends a range of a store's deliveries again: after an outage at the merchant's, or when their backend lost what it
 * got. Each goes the way of a redelivery, under its own `webhook-id` with a fresh schedule, a few hundred at a time
 * behind new events. How far it has come is written down with every batch, so a replay survives any process, and any
 * replica takes it on.
 */
@Injectable()
export class ReplaysService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ReplaysService.name);
  private readonly advancing = new SingleRun(
    () => this.advance(),
    (error) =>
      this.logger.warn(`Replays cannot go on just now: ${error instanceof Error ? error.message : ''}`),
  );
  private again = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly repository: ReplaysRepository,
    private readonly worker: DeliveryWorker,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `request.invalid` for a range that ends before it begins, `replay.running` when the store has
   * one
   */
  async start(storeId: string, request: ReplayRequest): Promise<ReplayRecord> {
    const { since, only } = request;
    if (request.until !== undefined && request.until <= since) {
      throw invalidInput([{ pointer: '/until', detail: 'must be later than since' }]);
    }
    const until = request.until ?? this.clock.now();
    const replay = await this.repository.insert({ id: newId(), storeId, only, since, until });
    if (replay === null) throw replayRunning();
    void this.run();
    return replay;
  }

  /** @throws DomainError `replay.not_found` when there is none, or when it is another store's */
  async get(storeId: string, replayId: string): Promise<ReplayRecord> {
    const replay = isId(replayId) ? await this.repository.find(storeId, replayId) : null;
    if (replay === null) throw replayNotFound();
    return replay;
  }

  /** Takes every replay as far as there is room for now; joins the run that is under way. Errors are logged. */
  @Interval('delivery-replays', TICK_MS)
  run(): Promise<void> {
    this.again = this.advancing.isRunning;
    return this.advancing.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    return this.advancing.stop();
  }

  private async advance(): Promise<void> {
    let hasMoved = false;
    for (let round = 0; round < MAX_ROUNDS && !this.advancing.isStopping; round += 1) {
      this.again = false;
      let sent = 0;
      for (const replay of await this.repository.listRunning()) {
        if (this.advancing.isStopping) return;
        try {
          sent += await this.repository.advance(replay, BATCH);
        } catch (error) {
          // The others go on; it is tried again with the next run.
          this.logger.warn({ replayId: replay.id }, messageOf(error));
        }
      }
      hasMoved ||= sent > 0;
      if (sent > 0) this.worker.wakeIn(0);
      else if (!this.again) break;
    }
    if (hasMoved && !this.advancing.isStopping) this.stepSoon();
  }

  private stepSoon(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), NEXT_STEP_MS);
    this.timer.unref();
  }
}
