import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { type PhoneSigns, StoreStates } from './store-states.js';
import type { StoreState } from './stores.table.js';
import { StoresSettings } from './stores.settings.js';

/** A sign of life within this time of the last one is not written again, in milliseconds. */
const RESOLUTION_MS = 5_000;
/** The longest slot for which one sign of life is kept, in milliseconds; a third of `QR_WINDOW` if that is shorter. */
const MAX_SLOT_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** The last sign of a phone that this replica has written down. */
interface Heard {
  readonly atMs: number;
  readonly app: string | null;
}

/** The known state of a store's phone (contract 9.19). */
export interface PhoneStatus {
  readonly lastSeenAt: Date | null;
  readonly app: string | null;
  readonly battery: number | null;
  readonly pending: number | null;
  /** Nothing was heard for `PHONE_SILENT_AFTER` while payments waited. */
  readonly silent: boolean;
  readonly clockOffsetSeconds: number | null;
}

/** A phone's clock that is wrong by less is neither reported nor corrected, in milliseconds (contract 6.35). */
export const CLOCK_TOLERANCE_MS = 30_000;

export function phoneStatusOf(state: StoreState | undefined, now: Date, silentAfterMs: number): PhoneStatus {
  const offsetMs = state?.phoneClockOffsetMs ?? null;
  const isWrong = offsetMs !== null && Math.abs(offsetMs) > CLOCK_TOLERANCE_MS;
  return {
    lastSeenAt: state?.phoneLastSeenAt ?? null,
    app: state?.phoneApp ?? null,
    battery: state?.phoneBattery ?? null,
    pending: state?.phonePending ?? null,
    silent: isSilent(state, now, silentAfterMs),
    clockOffsetSeconds: isWrong ? Math.round(offsetMs / 1_000) : null,
  };
}

function isSilent(state: StoreState | undefined, now: Date, silentAfterMs: number): boolean {
  if (state?.waitingSince == null) return false;
  const heardMs = Math.max(state.waitingSince.getTime(), state.phoneLastSeenAt?.getTime() ?? 0);
  return now.getTime() - heardMs > silentAfterMs;
}

/** When the phones of stores were heard (contract 2.26 and 9.19). */
@Injectable()
export class PhonePresence {
  private readonly seen = new Map<string, Heard>();

  constructor(
    private readonly states: StoreStates,
    private readonly settings: StoresSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Notes that a store's phone was heard. Written at most every five seconds per replica, but for what it says of
   * itself and has not just said.
   */
  async markSeen(storeId: string, signs: PhoneSigns = {}): Promise<void> {
    if (!this.isNews(storeId, signs)) return;
    const now = this.clock.now();
    const last = this.seen.get(storeId);
    if (this.seen.size > MAX_REMEMBERED) this.seen.clear();
    this.seen.set(storeId, { atMs: now.getTime(), app: signs.app ?? last?.app ?? null });
    const { qrWindowMs } = this.settings;
    await this.states.markPhone(storeId, now, Math.min(MAX_SLOT_MS, qrWindowMs / 3), signs);
  }

  /** Whether `markSeen` would write anything down. */
  private isNews(storeId: string, { app = null, ...others }: PhoneSigns = {}): boolean {
    const last = this.seen.get(storeId);
    if (last === undefined || Object.keys(others).length > 0 || (app !== null && app !== last.app))
      return true;
    return this.clock.now().getTime() - last.atMs >= RESOLUTION_MS;
  }

  /** Reads many stores in one look-up; a store that is not there has a phone that was never heard. */
  async statusOf(storeIds: readonly string[]): Promise<(storeId: string) => PhoneStatus> {
    const states = await this.states.listByIds(storeIds);
    const now = this.clock.now();
    return (storeId) => phoneStatusOf(states.get(storeId), now, this.settings.phoneSilentAfterMs);
  }
}
