import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import type { ActorType, NewAuditEntry } from './audit-entry.js';
import type { AuditEntryView } from './audit.dto.js';

interface AuditEntryRow {
  readonly id: string;
  readonly at: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly actor_email: string | null;
  readonly action: string;
  readonly address: string | null;
  readonly details: Record<string, unknown>;
}

/** Who did what, when and from where (decisions §2). It only grows: the database refuses to change or remove a line. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Writes a line in the transaction of the change, so that neither is ever there without the other. */
  async append(tx: Transaction, entry: NewAuditEntry): Promise<void> {
    await tx.execute(
      `INSERT INTO audit_entries (id, at, store_id, actor_type, actor_id, actor_email, action, address, details)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        newId(),
        this.clock.now(),
        entry.storeId,
        entry.actor.type,
        entry.actor.id,
        entry.actor.email ?? null,
        entry.action,
        entry.address,
        JSON.stringify(entry.details ?? {}),
      ],
    );
  }

  /**
   * The lines of one store, newest first. Whether the caller may see that store is the caller's business.
   *
   * @throws DomainError `request.invalid` for a cursor that this service has not written
   */
  async listOfStore(storeId: string, query: PageQuery): Promise<Page<AuditEntryView>> {
    const position = decodeCursor(query.cursor);
    const rows = await this.database.query<AuditEntryRow>(
      `SELECT id, at, actor_type, actor_id, actor_email, action, address, details
       FROM audit_entries
       WHERE store_id = $1 AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3::uuid))
       ORDER BY at DESC, id DESC
       LIMIT $4`,
      [storeId, position?.at ?? null, position?.id ?? null, query.limit + 1],
    );
    return pageOf(rows, query.limit, ({ at, id }) => ({ at, id }), viewOf);
  }
}

function viewOf(row: AuditEntryRow): AuditEntryView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: {
      type: row.actor_type,
      id: row.actor_id,
      ...(row.actor_email === null ? {} : { email: row.actor_email }),
    },
    action: row.action,
    address: row.address,
    details: row.details,
  };
}
