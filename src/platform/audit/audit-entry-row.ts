import type { ChainedContent } from './audit-chain.js';
import type { ActorType } from './audit-entry.js';

/** A row of an audit entry. */
export interface AuditEntryRow {
  readonly id: string;
  readonly at: Date;
  readonly store_id: string | null;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly actor_email: string | null;
  readonly action: string;
  readonly address: string | null;
  readonly details: Record<string, unknown>;
}

export function contentOf(row: AuditEntryRow): ChainedContent {
  return {
    id: row.id,
    at: row.at,
    storeId: row.store_id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    action: row.action,
    address: row.address,
    details: row.details,
  };
}
