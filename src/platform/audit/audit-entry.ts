export const ACTOR_TYPES = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/**
 * Who did it. `id` is the user's or the API key's id, null for the service itself. `email` is written down with the
 * entry, so that it still says who it was after the account has changed.
 */
export interface Actor {
  readonly type: ActorType;
  readonly id: string | null;
  readonly email?: string | null;
}

/** The fields of an audit entry that is to be written. */
export interface NewAuditEntry {
  /** The store it is about; null for accounts and sign-ins. */
  readonly storeId: string | null;
  readonly actor: Actor;
  /** Dotted and in the past tense: `user.created`, `webhook_secret.viewed`. */
  readonly action: string;
  /** The caller's network address; null when nobody called. */
  readonly address: string | null;
  /** The change, for instance `{ before, after }`. Never a secret, a token or a password, not even a digest of one. */
  readonly details?: Readonly<Record<string, unknown>>;
}
