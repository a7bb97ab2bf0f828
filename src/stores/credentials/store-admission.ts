import { type Challenge, DomainError } from '../../kernel/domain-error.js';
import type { Store } from '../store.js';

/** Secrets by which a store is known to a request. */
export type AdmittingKind = 'api_key' | 'webhook_secret';

/** The challenges of a 401, by the credential that the route asks for. */
export const CHALLENGES = {
  api_key: 'ApiKey',
  webhook_secret: 'WebhookSecret',
} as const satisfies Record<AdmittingKind, Challenge>;

/**
 * A caller whose secret this process has seen in force before, and has not looked at again: good for preparing what
 * was asked for, and for nothing else. The statement that reads or writes for the caller joins `confirmedSecret` and
 * so finds out whether the secret is still in force, whose it is, and with `stamp` whether the store is still as it
 * is here; or `confirm` asks. Whatever says no is answered 401, also in place of any other refusal (contract 2.7: a
 * rotated key is dead at once).
 */
export class StoreAdmission {
  /** A statement has found the secret in force while this request was under way. */
  isConfirmed = false;

  constructor(
    /** The store as the secret's last look-up found it. */
    readonly store: Store,
    readonly kind: AdmittingKind,
    /** SHA-256 of the secret, in hexadecimal digits. */
    readonly digest: string,
    /** Names the version of the store's row that `store` is. */
    readonly stamp: string,
    private readonly lookUp: (kind: AdmittingKind, digest: string) => Promise<StoreAdmission | null>,
  ) {}

  /** The store as it is now. @throws DomainError `auth.required` when the secret is not in force any longer */
  async confirm(): Promise<StoreAdmission> {
    const found = await this.lookUp(this.kind, this.digest);
    if (found === null) throw credentialRefused(CHALLENGES[this.kind]);
    this.isConfirmed = true;
    return found;
  }
}

/** 401 that never says which part was wrong (contract 1.36), only which credential is asked for. */
export function credentialRefused(challenge: Challenge): DomainError {
  return new DomainError('unauthenticated', 'auth.required', 'A valid credential is required.', {
    challenge,
  });
}

/**
 * For statements of other features, too: the secret (alias `c`) whose digest is `digest`, while it is in force, and
 * its live store (alias `s`). The same conditions as the look-up of a secret.
 */
export function confirmedSecret(kind: AdmittingKind, digest: string): string {
  return `JOIN store_secrets c ON c.digest = ${digest} AND c.kind = '${kind}' AND c.retired_at IS NULL
    JOIN stores s ON s.id = c.store_id AND ${LIVE_STORE}${kind === 'api_key' ? ' AND s.owner_active' : ''}`;
}

/** The condition under which a store (alias `s`) has working secrets. */
export const LIVE_STORE = 's.archived_at IS NULL';

/** Changes whenever the row of the store (alias `s`) does; its wallets are never changed without it. */
export const STORE_STAMP = 's.xmin::text';
