import { Injectable } from '@nestjs/common';
import { markOf } from '../kernel/ids.js';
import { StoresRepository } from './stores.repository.js';

/** Marks whose stores are remembered; there are 65,536 of them. */
const MAX_REMEMBERED = 65_536;

/**
 * Which stores the row of a marked id can belong to. An answer may be older than a store that was made
 * meanwhile, so whoever finds nothing asks again, afresh.
 */
@Injectable()
export class StoreRouting {
  private readonly remembered = new Map<string, readonly string[]>();

  constructor(private readonly repository: StoresRepository) {}

  /** From memory, else from the table. */
  async possibleStores(id: string): Promise<readonly string[]> {
    return this.remembered.get(markOf(id)) ?? this.freshPossibleStores(id);
  }

  async freshPossibleStores(id: string): Promise<readonly string[]> {
    const mark = markOf(id);
    const storeIds = await this.repository.listIdsByMark(mark);
    // A mark without a store is not remembered: anybody can name one.
    if (storeIds.length > 0 && this.remembered.size < MAX_REMEMBERED) this.remembered.set(mark, storeIds);
    return storeIds;
  }
}
