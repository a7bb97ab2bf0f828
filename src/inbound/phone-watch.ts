import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../kernel/clock.js';
import { Database, ScheduledJob } from '../platform/database/index.js';
import { Gauge, Registry } from 'prom-client';
import { PaymentsSettings, WaitingStores } from '../payments/index.js';
import { PhonePresence, StoreStates } from '../stores/index.js';

const WATCH_INTERVAL_MS = 5_000;
const STORES_AT_A_TIME = 500;
const MAX_BATCHES_A_ROUND = 20;
/** Signs of life are kept for so long beyond the period of `GUESS_LIMIT`, in milliseconds. */
const SIGNS_KEPT_MS = 24 * 3_600_000;

/**
 * Looks where payments wait for a phone that is not heard any more (contract 9.20): writes down since when they wait,
 * and counts the silent phones. All replicas may do so at once; nothing is decided by it.
 */
@Injectable()
export class PhoneWatch extends ScheduledJob {
  private readonly silentPhones: Gauge;
  private position: string | null = null;
  private silentSoFar = 0;

  constructor(
    private readonly database: Database,
    private readonly states: StoreStates,
    private readonly phones: PhonePresence,
    private readonly waiting: WaitingStores,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    super();
    this.silentPhones = new Gauge({
      name: 'joma_silent_phones',
      help: 'Stores whose phone was not heard for PHONE_SILENT_AFTER while payments waited, over all replicas.',
      registers: [registry],
    });
  }

  @Interval(WATCH_INTERVAL_MS)
  override run(): Promise<void> {
    return super.run();
  }

  /** Goes on where the last round ended; with many stores one walk takes several. */
  async round(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES_A_ROUND && !this.isStopping; batch += 1) {
      const storeIds = await this.states.walk(this.position, STORES_AT_A_TIME);
      if (storeIds.length > 0) this.silentSoFar += await this.look(storeIds);
      this.position = storeIds.length < STORES_AT_A_TIME ? null : (storeIds.at(-1) ?? null);
      if (this.position !== null) continue;
      this.silentPhones.set(this.silentSoFar);
      this.silentSoFar = 0;
      await this.states.pruneSigns(this.signsKeptSince());
      return;
    }
  }

  /** Guess protection looks back as far as its period; a silence in between must not end what was wrong before it. */
  private signsKeptSince(): Date {
    const periodMs = this.settings.guessLimit?.windowMs ?? 0;
    return new Date(this.clock.now().getTime() - periodMs - SIGNS_KEPT_MS);
  }

  /** How many phones of these stores are silent. */
  private async look(storeIds: readonly string[]): Promise<number> {
    const [since, states] = [await this.waiting.since(storeIds), await this.states.listByIds(storeIds)];
    for (const storeId of storeIds) {
      const waitingSince = since.get(storeId) ?? null;
      if (waitingSince?.getTime() === states.get(storeId)?.waitingSince?.getTime()) continue;
      await this.states.markWaiting(this.database, storeId, waitingSince);
    }
    const statusOf = await this.phones.statusOf(storeIds);
    return storeIds.filter((storeId) => statusOf(storeId).silent).length;
  }
}
