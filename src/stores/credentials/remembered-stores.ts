import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { FreshLookup } from '../../kernel/fresh-lookup.js';
import { Remembered } from '../../kernel/remembered.js';
import type { Store } from '../store.js';
import { storeNotFound } from '../stores.problems.js';
import type { StampedStore } from './store-credential.js';
import { StoresRepository } from '../stores.repository.js';

const MAX_REMEMBERED = 10_000;
const REMEMBERED_FOR_MS = 600_000;

/**
 * Stores as this process has seen them, for whoever has just read the stamp of the row that is in force
 * (`STORE_STAMP`): what is remembered under that stamp is what a look-up would find, but for the hint of its API key.
 * After a fail-over another version may have that stamp, so nothing remembered outlives a lost connection.
 */
@Injectable()
export class RememberedStores {
  private readonly remembered = new Remembered<Store>(MAX_REMEMBERED, REMEMBERED_FOR_MS);
  private readonly lookup: FreshLookup<StampedStore>;

  constructor(
    private readonly database: Database,
    repository: StoresRepository,
  ) {
    this.lookup = new FreshLookup((storeIds) => repository.findStamped(storeIds));
  }

  /** @throws DomainError `store.not_found` */
  async get(storeId: string, stamp: string): Promise<Store> {
    const { generation } = this.database;
    const stampHere = (one: string) => `${generation} ${one}`;
    const known = this.remembered.get(storeId, stampHere(stamp));
    if (known !== undefined) return known;
    const found = await this.lookup.get(storeId);
    if (found === undefined) throw storeNotFound();
    this.remembered.keep(storeId, stampHere(found.stamp), found.store);
    return found.store;
  }
}
