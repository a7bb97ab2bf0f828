import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit-entry.js';

/** The chain of what belongs to no store. */
export const ACCOUNTS_CHAIN = '00000000-0000-0000-0000-000000000000';

/** First word of what is hashed. The form below is never changed; another one gets another word. */
const FORM = 'joma-audit-1';

/** All that an entry says, as it is hashed. */
export type ChainedContent = Readonly<Omit<AuditEntry, 'chain' | 'position' | 'previousHash' | 'hash'>>;

/** Selects that of a row. */
export const CONTENT =
  'id, at, store_id AS "storeId", actor_type AS "actorType", actor_id AS "actorId", actor_email AS "actorEmail", action, address, details';

/** Where an entry stands: from 1 upwards without gaps, each with the hash of the one before; null for the first. */
export interface ChainLink {
  readonly position: number;
  readonly previousHash: Buffer | null;
}

/** Entries of a store make one chain, entries of no store another: who writes for one store waits for no other. */
export function chainOf(storeId: string | null): string {
  return storeId ?? ACCOUNTS_CHAIN;
}

/** SHA-256 over an entry's place, the hash before it and all it says. */
export function entryHash(link: ChainLink, content: ChainedContent): Buffer {
  const text = canonicalJson([
    FORM,
    link.position,
    link.previousHash?.toString('hex') ?? null,
    content.id,
    content.at.toISOString(),
    content.storeId,
    content.actorType,
    content.actorId,
    content.actorEmail,
    content.action,
    content.address,
    content.details,
  ]);
  return createHash('sha256').update(text, 'utf8').digest();
}

/**
 * One text for each JSON value, whatever order its keys have: `jsonb` keeps an order of its own. What JSON cannot say
 * is left out or made text exactly as it is when the entry is stored.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(value)) as unknown));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  // Pairs, because an object puts keys that look like numbers first, whatever order they come in.
  return { keys: entries.map(([key]) => key), values: entries.map(([, member]) => sorted(member)) };
}
