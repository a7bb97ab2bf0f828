import { Injectable } from '@nestjs/common';
import { Database, Fingerprints } from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import { FIRST_ID } from '../../kernel/ids.js';
import { type MessageRecord, MESSAGES } from '../messages.table.js';

/** A message as it is stored, whatever became of it. */
export type Message = MessageRecord;
export type MessageStatus = Message['status'];

export type NewMessage = Omit<Message, 'redactedAt'>;

/** The verdict about a message that was read again. */
export type MessageVerdict = Pick<
  Message,
  'status' | 'reason' | 'provider' | 'ruleName' | 'ruleVersion' | 'fields' | 'receiptId'
>;

const SELECT = `SELECT ${MESSAGES.list()} FROM messages`;
const INSERT = MESSAGES.insert('messages-insert');
const FIND = { name: 'messages-find', text: `${SELECT} WHERE id = $1 AND store_id = $2` };
const LIST_UNREAD = {
  name: 'messages-list-unread',
  text: `${SELECT} WHERE store_id = $1 AND status = 'unread' AND reason IS DISTINCT FROM 'unreadable_body'
      AND redacted_at IS NULL AND (arrived_at, id) > ($2, $3::uuid)
    ORDER BY arrived_at, id LIMIT $4`,
};
const COUNT_UNREADABLE = {
  name: 'messages-count-unreadable',
  text: `SELECT count(*) AS count FROM (
      SELECT FROM messages
      WHERE store_id = $1 AND status = 'unread' AND reason = 'unreadable_body' AND arrived_at > $2 LIMIT $3) AS found`,
};
const COUNT_UNREAD = {
  name: 'messages-count-unread',
  text: `SELECT count(*) AS count FROM (
      SELECT FROM messages WHERE store_id = $1 AND status = 'unread' LIMIT $2) AS found`,
};
/** Only while it is unread: two rereads at once decide a message once. */
const DECIDE = {
  name: 'messages-decide',
  text: `UPDATE messages SET ${MESSAGES.changes(3)} WHERE id = $1 AND store_id = $2 AND status = 'unread'`,
};

const LATEST = new Fingerprints(
  'messages-fingerprints',
  (storeId) => `SELECT concat_ws(' ', id, status) AS mark FROM messages
    WHERE store_id = ${storeId} ORDER BY arrived_at DESC, id DESC LIMIT 20`,
);

/** The only place that knows the table `messages`. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  /** Fingerprints of what pages show of the latest messages, by store. */
  latestFingerprints(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return LATEST.ofStores(this.database, storeIds);
  }

  async insert(message: NewMessage): Promise<void> {
    await this.database.execute(INSERT, MESSAGES.valuesOf(message));
  }

  async find(storeId: string, messageId: string): Promise<Message | null> {
    const [row] = await this.database.query(FIND, [messageId, storeId]);
    return row === undefined ? null : MESSAGES.read(row);
  }

  /** Newest first. Answers one row more than `limit`. */
  async list(
    storeId: string,
    status: MessageStatus | undefined,
    position: PagePosition | null,
    limit: number,
  ): Promise<Message[]> {
    const rows = await this.database.query(
      `${SELECT} WHERE store_id = $1 AND ($2::text IS NULL OR status = $2)
         AND ($3::timestamptz IS NULL OR (arrived_at, id) < ($3, $4::uuid))
       ORDER BY arrived_at DESC, id DESC LIMIT $5`,
      [storeId, status ?? null, position?.at ?? null, position?.id ?? null, limit + 1],
    );
    return rows.map((row) => MESSAGES.read(row));
  }

  /** Unread texts behind a position, oldest first; bodies that held no text at all are not among them. */
  async listUnread(storeId: string, position: PagePosition | null, limit: number): Promise<Message[]> {
    const { at, id } = position ?? { at: new Date(0), id: FIRST_ID };
    return (await this.database.query(LIST_UNREAD, [storeId, at, id, limit])).map((row) =>
      MESSAGES.read(row),
    );
  }

  /** How many bodies that held no text were kept since then; counts no further than `limit`. */
  async countUnreadable(storeId: string, since: Date, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: string }>(COUNT_UNREADABLE, [storeId, since, limit]);
    return Number(row?.count ?? 0);
  }

  /** Counts no further than `limit`. */
  async countUnread(storeId: string, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: string }>(COUNT_UNREAD, [storeId, limit]);
    return Number(row?.count ?? 0);
  }

  /** False when it was not unread any more. */
  async decide(storeId: string, messageId: string, verdict: MessageVerdict): Promise<boolean> {
    return (
      (await this.database.execute(DECIDE, [messageId, storeId, ...MESSAGES.changedValuesOf(verdict)])) === 1
    );
  }
}
