import { DomainError, type ProblemCodes } from '../kernel/domain-error.js';

export const storeNotFound = () => new DomainError('not_found', 'store.not_found', 'There is no such store.');

export const storeArchived = () =>
  new DomainError('conflict', 'store.archived', 'This store is archived; it can be read, but not changed.');

export const walletInUse = () =>
  new DomainError(
    'conflict',
    'store.wallet_in_use',
    'One of these wallets stands in another live store of the same owner, or twice in this one.',
  );

export const roleRequired = (role: string) =>
  new DomainError('forbidden', 'auth.role_required', `This takes the role ${role} in the store.`);

/** What this feature answers when it refuses; published in the OpenAPI document (decisions §1). */
export const STORES_CODES: ProblemCodes = {
  'store.not_found': { status: 404, meaning: 'There is no such store, or it is somebody else’s.' },
  'auth.role_required': { status: 403, meaning: 'Your role in the store does not allow this.' },
  'store.wallet_in_use': {
    status: 409,
    meaning: 'One of the wallets stands in another live store of the same owner, or twice in this one.',
  },
  'store.archived': { status: 409, meaning: 'The store is archived; it can be read, but not changed.' },
};
