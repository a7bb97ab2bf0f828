import { bigText, bytes, instant, json, type RecordOf, table, text, uuid } from '../database/index.js';

export const ACTOR_TYPES = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/** The actor of a change and the network address; null when nobody called. */
export type AuditCaller =
  | { readonly user: { readonly id: string; readonly email: string }; readonly address: string | null }
  | { readonly by: 'api_key' | 'system'; readonly address: string | null };

/** For what the service does by itself. */
export const THE_SERVICE: AuditCaller = { by: 'system', address: null };

/**
 * Table `audit_entries`. Triggers refuse every UPDATE, DELETE and TRUNCATE, whoever asks; there are no foreign keys, so
 * that an entry never depends on what it tells about.
 */
export const AUDIT_ENTRIES = table(
  'audit_entries',
  {
    id: uuid('id').key(),
    at: instant('at'),
    /** Null for what belongs to no store: accounts and sign-ins. */
    storeId: uuid('store_id').orNull(),
    actorType: text<ActorType>('actor_type'),
    actorId: uuid('actor_id').orNull(),
    actorEmail: text('actor_email').orNull(),
    action: text('action'),
    address: text('address').orNull(),
    details: json<Record<string, unknown>>('details').withDefault({}),
    /** The store's id, or all zeros for what belongs to no store. */
    chain: uuid('chain'),
    /** Place in the chain, from 1 without gaps. */
    position: bigText('position'),
    /** Hash of the entry before; null for the first. */
    previousHash: bytes('previous_hash').orNull(),
    /** SHA-256 of place, previous hash and content. */
    hash: bytes('hash'),
  },
  {
    unique: { audit_entries_chain_key: ['chain', 'position'] },
    indexes: { audit_entries_time: { on: ['chain', 'at', 'id'] } },
    checks: {
      audit_entries_chain: `chain = coalesce(store_id, '00000000-0000-0000-0000-000000000000')`,
      audit_entries_first: `position >= 1 AND (position = 1) = (previous_hash IS NULL)`,
      audit_entries_actor_type: `actor_type IN ('user', 'api_key', 'system')`,
    },
  },
);
export type AuditEntry = RecordOf<typeof AUDIT_ENTRIES>;
