import { Injectable } from '@nestjs/common';
import type { User } from '../accounts/index.js';
import { PhonePresence } from './phone-presence.js';
import type { Store } from './store.js';
import { StoreView, storeView } from './stores.dto.js';
import { StoresService } from './stores.service.js';

/** Stores as a user sees them: with what they are to them, and with their phones, in one look-up for all. */
@Injectable()
export class StoreViews {
  constructor(
    private readonly stores: StoresService,
    private readonly phones: PhonePresence,
  ) {}

  async one(user: User, store: Store): Promise<StoreView> {
    const [view] = await this.many(user, [store]);
    if (view === undefined) throw new Error('One store has one view.');
    return view;
  }

  async many(user: User, stores: readonly Store[]): Promise<StoreView[]> {
    const phoneOf = await this.phones.statusOf(stores.map(({ id }) => id));
    const roles = await this.stores.rolesOf(user, stores);
    return stores.map((store) => {
      const role = roles.get(store.id);
      if (role === undefined) throw new Error('Only who may see a store gets a view of it.');
      return storeView({ store, role, phone: phoneOf(store.id) });
    });
  }
}
