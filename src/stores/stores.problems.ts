import { defineProblem, DomainError, serviceUnavailable } from '../kernel/domain-error.js';
import type { StoreRole } from './store-role.js';

/** 403 for who may see the store, but not do this there (contract 15.11); everybody else's store is not there. */
export const roleRequired = defineProblem(
  'auth.role_required',
  'forbidden',
  (least: StoreRole) => `This takes the role ${least} in the store.`,
  {
    meaning:
      'The caller may see the store, but this takes a higher role in it; `detail` names the least one.',
  },
);

export const storeNotFound = defineProblem('store.not_found', 'not_found', 'There is no such store.', {
  meaning: 'There is no such store, or it is somebody else’s.',
});

export const walletInUse = defineProblem(
  'store.wallet_in_use',
  'conflict',
  'One of these wallets stands in another live store of the same owner, or twice in this one.',
  { meaning: 'One of the wallets stands in another live store of the same owner, or twice in this one.' },
);

export const ownerInactive = defineProblem(
  'store.owner_inactive',
  'forbidden',
  'The owner of this store is deactivated.',
  { meaning: 'The owner of the store is deactivated.' },
);

export const tooManyStores = defineProblem(
  'store.too_many',
  'conflict',
  'This merchant owns as many live stores as are allowed.',
  { meaning: 'The merchant owns as many live stores as `STORES_PER_MERCHANT` allows.' },
);

export const storeArchived = defineProblem(
  'store.archived',
  'conflict',
  'This store is archived; it can be read, but not changed.',
  { meaning: 'The store is archived; it can be read, but not changed.' },
);

/** Somebody else changed them meanwhile: whoever computed a new list from the old one does it again. */
export class WalletsChanged extends DomainError {
  constructor() {
    super(serviceUnavailable, 'Somebody else is changing the wallets. Try again.', { retryAfterSeconds: 1 });
  }
}
