import { DomainError } from '../kernel/domain-error.js';

export const storeNotFound = () => new DomainError('not_found', 'store.not_found', 'There is no such store.');

export const storeArchived = () =>
  new DomainError('conflict', 'store.archived', 'This store is archived; it can be read, but not changed.');
