import { type Challenge, DomainError } from '../../kernel/domain-error.js';
import type { Store } from '../store.js';
import { credentialRequired } from '../../platform/http/index.js';

/** Secrets by which a store is known to a request. */
export type StoreCredential = 'api_key' | 'webhook_secret';

/** The challenges of a 401, by the credential that the route asks for. */
export const CHALLENGES = {
  api_key: 'ApiKey',
  webhook_secret: 'WebhookSecret',
} as const satisfies Record<StoreCredential, Challenge>;

/** 401 that never says which part was wrong (contract 1.36), only which credential is asked for. */
export function credentialRefused(challenge: Challenge): DomainError {
  return credentialRequired.saying(credentialRequired.detail, { challenge });
}

/** The condition under which a store (alias `s`) has working secrets. */
export const LIVE_STORE = 's.archived_at IS NULL';

/** Changes whenever the row of the store (alias `s`) does; its wallets are never changed without it. */
export const STORE_STAMP = 's.xmin::text';

/** A store with the stamp of the version of its row. */
export interface StampedStore {
  readonly store: Store;
  readonly stamp: string;
}
