import { Injectable } from '@nestjs/common';
import { ServiceSettings } from '../../platform/config/index.js';
import { invalidInput } from '../../kernel/domain-error.js';
import type { MinorUnits } from '../../kernel/money.js';
import { spanOfDay } from '../../kernel/time-zone.js';
import type { Store } from '../../stores/index.js';
import {
  DAY_KINDS,
  DayCloseRepository,
  type DayEntry,
  type DayKind,
  type Span,
} from './day-close.repository.js';

export interface CountedMoney {
  readonly count: number;
  readonly amountMinor: MinorUnits;
}

/** The money of one wallet on a day. */
export type WalletDay = Readonly<Record<DayKind, CountedMoney>> & { readonly provider: string };

/** A day of a store's calendar, in the store's currency. */
export interface StoreDay {
  readonly date: string;
  readonly timeZone: string;
  readonly currency: string;
  /** Those with which something happened, in alphabetical order. */
  readonly wallets: readonly WalletDay[];
}

/** Entries of a statement that are in memory at a time, and nothing is held in the database between two of these. */
export const ENTRIES_AT_A_TIME = 500;

const NOTHING: CountedMoney = { count: 0, amountMinor: 0 };

/** Days of a store (contract 13.11), in `STORE_TIME_ZONE`: one of 23 or 25 hours is whole, too. */
@Injectable()
export class DaysService {
  readonly timeZone: string;

  constructor(
    private readonly days: DayCloseRepository,
    settings: ServiceSettings,
  ) {
    this.timeZone = settings.storeTimeZone;
  }

  /** @throws DomainError `request.invalid` for what is no day */
  spanOf(date: string, pointer = '/date'): Span {
    const span = spanOfDay(date, this.timeZone);
    if (span === null) throw invalidInput([{ pointer, detail: 'must be a day such as 2026-11-21' }]);
    return span;
  }

  /** @throws DomainError `request.invalid` for what is no day */
  async totals(store: Store, date: string): Promise<StoreDay> {
    const totals = await this.days.totals(store.id, this.spanOf(date), store.currency);
    const providers = [...new Set(totals.map(({ provider }) => provider))].sort();
    return {
      date,
      timeZone: this.timeZone,
      currency: store.currency,
      wallets: providers.map((provider) => {
        const of = (kind: DayKind): CountedMoney =>
          totals.find((total) => total.provider === provider && total.kind === kind) ?? NOTHING;
        return {
          provider,
          verified: of('verified'),
          refunded: of('refunded'),
          unclaimed: of('unclaimed'),
          inReview: of('inReview'),
        };
      }),
    };
  }

  /** Every entry of a day, read as they are asked for. @throws DomainError `request.invalid` for what is no day */
  async *entries(store: Store, date: string): AsyncGenerator<DayEntry> {
    const span = this.spanOf(date);
    for (const kind of DAY_KINDS) {
      let last: DayEntry | null = null;
      for (;;) {
        const entries: DayEntry[] = await this.days.entries(store.id, kind, span, last, ENTRIES_AT_A_TIME);
        yield* entries;
        last = entries.at(-1) ?? null;
        if (entries.length < ENTRIES_AT_A_TIME) break;
      }
    }
  }
}
