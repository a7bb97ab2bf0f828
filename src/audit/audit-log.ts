import { Injectable } from '@nestjs/common';
import { Database, lockKey, type Transaction } from '../database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { chainOf, entryHash } from './audit-chain.js';
import type { AuditEntryRow } from './audit-entry-row.js';
import type { NewAuditEntry } from './audit-entry.js';
import type { AuditEntryView } from './audit.dto.js';

const MAX_ADDRESS_CHARACTERS = 64;

/** Taken where the rows lie, so that those who come by different nodes of a cluster meet: a store's on its node … */
const LOCK_CHAIN_OF_STORE = {
  name: 'audit-lock-chain-of-store',
  text: 'SELECT pg_advisory_xact_lock($1::bigint) FROM store_states WHERE store_id = $2',
};
/** … and that of people on the coordinator, which has the accounts. */
const LOCK_CHAIN_OF_PEOPLE = {
  name: 'audit-lock-chain-of-people',
  text: 'SELECT pg_advisory_xact_lock($1::bigint) FROM (SELECT 1 FROM users LIMIT 1) somebody',
};

const LAST_OF_CHAIN = {
  name: 'audit-last-of-chain',
  text: 'SELECT position, hash FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1',
};

const INSERT = {
  name: 'audit-insert',
  text: `INSERT INTO audit_entries (id, at, store_id, actor_type, actor_id, actor_email, action, address, details,
                                    chain, position, previous_hash, hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
};

/** Who did what, when and from where (decisions §2). It only grows: the database refuses to change or remove a line. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes a line in the transaction of the change, so that neither is ever there without the other. The line follows the
   * last one of its store, so transactions that write for the same store pass here one after the other until they commit:
   * append late, and take no lock afterwards that others hold while they append.
   */
  async append(tx: Transaction, entry: NewAuditEntry): Promise<void> {
    const chain = chainOf(entry.storeId);
    const key = lockKey('audit-chain', chain);
    if (entry.storeId === null) await tx.execute(LOCK_CHAIN_OF_PEOPLE, [key]);
    else await tx.execute(LOCK_CHAIN_OF_STORE, [key, entry.storeId]);
    const [last] = await tx.query<{ position: string; hash: Buffer }>(LAST_OF_CHAIN, [chain]);
    const link = { position: Number(last?.position ?? 0) + 1, previousHash: last?.hash ?? null };
    const content = {
      id: newId(),
      at: this.clock.now(),
      storeId: entry.storeId,
      actorType: entry.actor.type,
      actorId: entry.actor.id,
      actorEmail: entry.actor.email ?? null,
      action: entry.action,
      // What a trusted proxy passes on as an address may be any text; the longest real one has 45 characters.
      address: entry.address?.slice(0, MAX_ADDRESS_CHARACTERS) ?? null,
      details: entry.details ?? {},
    };
    await tx.execute(INSERT, [
      content.id,
      content.at,
      content.storeId,
      content.actorType,
      content.actorId,
      content.actorEmail,
      content.action,
      content.address,
      JSON.stringify(content.details),
      chain,
      link.position,
      link.previousHash,
      entryHash(link, content),
    ]);
  }

  /**
   * The lines of one store, newest first. Whether the caller may see that store is the caller's business.
   *
   * @throws DomainError `request.invalid` for a cursor that this service has not written
   */
  async listOfStore(storeId: string, query: PageQuery): Promise<Page<AuditEntryView>> {
    return this.list('store_id = $4', [storeId], query);
  }

  /**
   * The lines of no store, newest first: people and their sign-ins.
   *
   * @throws DomainError `request.invalid` for a cursor that this service has not written
   */
  async listOfNoStore(query: PageQuery): Promise<Page<AuditEntryView>> {
    return this.list('store_id IS NULL', [], query);
  }

  private async list(
    condition: string,
    values: readonly unknown[],
    query: PageQuery,
  ): Promise<Page<AuditEntryView>> {
    const position = decodeCursor(query.cursor);
    const rows = await this.database.query<AuditEntryRow>(
      `SELECT id, at, store_id, actor_type, actor_id, actor_email, action, address, details
       FROM audit_entries
       WHERE ${condition} AND ($1::timestamptz IS NULL OR (at, id) < ($1, $2::uuid))
       ORDER BY at DESC, id DESC
       LIMIT $3`,
      [position?.at ?? null, position?.id ?? null, query.limit + 1, ...values],
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
