import { DomainError, type ProblemCodes } from '../kernel/domain-error.js';
import type { StoreRole } from './store-role.js';

export const storeNotFound = () => new DomainError('not_found', 'store.not_found', 'There is no such store.');

export const storeArchived = () =>
  new DomainError('conflict', 'store.archived', 'This store is archived; it can be read, but not changed.');

/** 403 for who may see the store, but not do this there (contract 15.11); everybody else's store is not there. */
export const roleRequired = (least: StoreRole) =>
  new DomainError('forbidden', 'auth.role_required', `This takes the role ${least} in the store.`);

export const walletInUse = () =>
  new DomainError(
    'conflict',
    'store.wallet_in_use',
    'One of these wallets stands in another live store of the same owner, or twice in this one.',
  );

/** Somebody else changed them meanwhile: whoever computed a new list from the old one does it again. */
export class WalletsChanged extends DomainError {
  constructor() {
    super('unavailable', 'service.unavailable', 'Somebody else is changing the wallets. Try again.', {
      retryAfterSeconds: 1,
    });
  }
}

export const ownerInactive = () =>
  new DomainError('forbidden', 'store.owner_inactive', 'The owner of this store is deactivated.');

export const tooManyStores = () =>
  new DomainError('conflict', 'store.too_many', 'This merchant owns as many live stores as are allowed.');

/** Error codes of this feature; published in the OpenAPI document (contract 1.36). */
export const STORES_CODES: ProblemCodes = {
  'auth.role_required': {
    status: 403,
    meaning:
      'The caller may see the store, but this takes a higher role in it; `detail` names the least one.',
  },
  'store.not_found': { status: 404, meaning: 'There is no such store, or it is somebody else’s.' },
  'store.wallet_in_use': {
    status: 409,
    meaning: 'One of the wallets stands in another live store of the same owner, or twice in this one.',
  },
  'store.owner_inactive': { status: 403, meaning: 'The owner of the store is deactivated.' },
  'store.too_many': {
    status: 409,
    meaning: 'The merchant owns as many live stores as `STORES_PER_MERCHANT` allows.',
  },
  'store.archived': { status: 409, meaning: 'The store is archived; it can be read, but not changed.' },
};
