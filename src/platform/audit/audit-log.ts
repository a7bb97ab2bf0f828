import { Injectable } from '@nestjs/common';
import { Database, lockKey, type Transaction } from '../database/index.js';
import { decodeCursor, encodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type ChainedContent, chainOf, CONTENT, entryHash } from './audit-chain.js';
import type { AuditCaller } from './audit-entry.js';
import { type CheckedChain, verifyNewest } from './audit-verification.js';
import type { AuditEntryView } from './audit.dto.js';

const MAX_ADDRESS_CHARACTERS = 64;
/** Lines that one page of a filtered list looks at; the next page goes on behind them. */
const LOOKED_AT = 2_000;

/** Which lines of a log are wanted; what is left out or null says nothing. */
export interface AuditFilter {
  /** An action, or how it begins: `payment.`. */
  readonly action?: string | null;
  /** A part of the actor's e-mail address as it was then, or the whole id of whoever acted. */
  readonly user?: string | null;
  readonly from?: Date | null;
  /** Exclusive. */
  readonly to?: Date | null;
}

/** The subject of a line. */
export interface AuditSubject {
  /** Left out for accounts and sign-ins, which belong to no store. */
  readonly storeId?: string | null;
  /** The change, for instance `{ before, after }`. Never a secret, a token or a password, not even a digest of one. */
  readonly details?: Record<string, unknown>;
}

/**
 * Taken where the lines lie, on a cluster the coordinator, so that those who come by different nodes meet, and the
 * lock goes at the very commit by which the line is seen. A lock on the store's node went by that node's part of the
 * commit, at times before the line was there. One row, whether or not there is a line yet.
 */
const LOCK_CHAIN = {
  name: 'audit-lock-chain',
  text: `SELECT pg_advisory_xact_lock($1::bigint)
    FROM (SELECT max(position) FROM audit_entries WHERE chain = $2) last_line`,
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

/**
 * The audit log: who did what, when and from where (contract 2.38). It only grows: the database refuses to change or
 * remove a line.
 */
@Injectable()
export class AuditLog {
  /** Under way now. */
  private readonly checks = new Map<string, Promise<CheckedChain>>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes a line in the transaction of the change, so that neither is ever there without the other. The line follows
   * the last one of its store, so transactions that write for the same store pass here one after the other until they
   * commit: record late, and take no lock afterwards that others hold while they record.
   *
   * @param action dotted and in the past tense: `user.created`, `webhook_secret.viewed`
   */
  async record(
    tx: Transaction,
    caller: AuditCaller,
    action: string,
    { storeId = null, details = {} }: AuditSubject,
  ): Promise<void> {
    const chain = chainOf(storeId);
    await tx.execute(LOCK_CHAIN, [lockKey('audit-chain', chain), chain]);
    const [last] = await tx.query<{ position: string; hash: Buffer }>(LAST_OF_CHAIN, [chain]);
    const link = { position: Number(last?.position ?? 0) + 1, previousHash: last?.hash ?? null };
    const user = 'user' in caller ? caller.user : null;
    const content: ChainedContent = {
      id: newId(),
      at: this.clock.now(),
      storeId,
      actorType: 'user' in caller ? 'user' : caller.by,
      actorId: user?.id ?? null,
      actorEmail: user?.email ?? null,
      action,
      // A trusted proxy may pass on any text as an address; the longest real one has 45 characters.
      address: caller.address?.slice(0, MAX_ADDRESS_CHARACTERS) ?? null,
      details,
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
   * The lines of one store, newest first. Whether the caller may see that store is the caller's business. A filtered
   * page may hold fewer than its limit, even none, although there is a next one: each looks at a bounded part of the
   * log.
   *
   * @throws DomainError `request.invalid` for a cursor that this service has not written
   */
  async listOfStore(
    storeId: string,
    query: PageQuery,
    filter: AuditFilter = {},
  ): Promise<Page<AuditEntryView>> {
    return this.list(chainOf(storeId), query, filter);
  }

  /**
   * The lines of no store, newest first: users and their sign-ins. Pages are as those of a store.
   *
   * @throws DomainError `request.invalid` for a cursor that this service has not written
   */
  async listOfNoStore(query: PageQuery, filter: AuditFilter = {}): Promise<Page<AuditEntryView>> {
    return this.list(chainOf(null), query, filter);
  }

  /**
   * Whether the newest lines of a store (null: of no store) are what was written. It costs some ten microseconds a
   * line: who asks while another asks the same of this replica gets the same answer.
   */
  async checkNewest(storeId: string | null, limit: number): Promise<CheckedChain> {
    const chain = chainOf(storeId);
    const name = `${chain} ${limit}`;
    let check = this.checks.get(name);
    if (check === undefined) {
      check = verifyNewest(this.database, chain, limit).finally(() => this.checks.delete(name));
      this.checks.set(name, check);
    }
    return check;
  }

  private async list(
    chain: string,
    { cursor, limit }: PageQuery,
    { action = null, user = null, from = null, to = null }: AuditFilter,
  ): Promise<Page<AuditEntryView>> {
    const position = decodeCursor(cursor);
    // The chain has the store's id; lines of no store have an order in the index only so.
    const looked = `SELECT * FROM audit_entries
       WHERE chain = $1 AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3::uuid))
         AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5)
       ORDER BY at DESC, id DESC`;
    const values = [chain, position?.at ?? null, position?.id ?? null, from, to];
    const rows = await this.database.query<ChainedContent>(
      `SELECT ${CONTENT} FROM (${looked} LIMIT ${LOOKED_AT}) looked
       WHERE ($6::text IS NULL OR starts_with(action, $6))
         AND ($7::text IS NULL OR strpos(lower(actor_email), lower($7)) > 0 OR actor_id::text = lower($7))
       ORDER BY at DESC, id DESC LIMIT $8`,
      [...values, action, user, limit + 1],
    );
    const page = pageOf(rows, limit, ({ at, id }) => ({ at, id }), viewOf);
    if (rows.length > limit || (action === null && user === null)) return page;
    const [last] = await this.database.query<Pick<ChainedContent, 'at' | 'id'>>(
      `${looked} OFFSET ${LOOKED_AT - 1} LIMIT 1`,
      values,
    );
    return last === undefined ? page : { ...page, nextCursor: encodeCursor({ at: last.at, id: last.id }) };
  }
}

function viewOf(row: ChainedContent): AuditEntryView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: {
      type: row.actorType,
      id: row.actorId,
      ...(row.actorEmail === null ? {} : { email: row.actorEmail }),
    },
    action: row.action,
    address: row.address,
    details: row.details,
  };
}
