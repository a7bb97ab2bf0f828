import { DomainError } from '../kernel/domain-error.js';

export const storeNotFound = () => new DomainError('not_found', 'store.not_found', 'There is no such store.');

export const storeArchived = () =>
  new DomainError('conflict', 'store.archived', 'This store is archived; it can be read, but not changed.');

export const walletInUse = () =>
  new DomainError(
    'conflict',
    'store.wallet_in_use',
    'One of these wallets stands in another live store of the same owner, or twice in this one.',
  );
