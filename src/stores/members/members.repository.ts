import { Injectable } from '@nestjs/common';
import {
  Database,
  isUniqueViolation,
  type Queryable,
  type Transaction,
} from '../../platform/database/index.js';
import type { PagePosition } from '../../platform/http/index.js';
import type { MemberRole } from '../store-role.js';
import { STORE_MEMBERS } from '../stores.table.js';
import { memberExists } from './members.problems.js';

/** A user and what they are to a store; its owner is among them. */
export interface StoreMember {
  readonly userId: string;
  readonly role: MemberRole | 'owner';
  readonly createdAt: Date;
}

interface MemberRow {
  user_id: string;
  role: MemberRole | 'owner';
  created_at: Date;
}

const INSERT = STORE_MEMBERS.insert('stores-insert-member');

const LIST_ROLES = {
  name: 'stores-list-member-roles',
  text: 'SELECT store_id, role FROM store_members WHERE user_id = $1 AND store_id = ANY ($2::uuid[])',
};

const LIST = {
  name: 'stores-list-members',
  text: `SELECT user_id, role, created_at FROM (
      SELECT user_id, role, created_at FROM store_members WHERE store_id = $1
      UNION ALL
      SELECT owner_id, 'owner', created_at FROM stores WHERE id = $1) members
    WHERE $2::timestamptz IS NULL OR (created_at, user_id) < ($2, $3::uuid)
    ORDER BY created_at DESC, user_id DESC LIMIT $4`,
};

const FIND = {
  name: 'stores-find-member',
  text: 'SELECT user_id, role, created_at FROM store_members WHERE store_id = $1 AND user_id = $2',
};

const LOCK = {
  name: 'stores-lock-member',
  text: `SELECT user_id, role, created_at FROM store_members WHERE store_id = $1 AND user_id = $2 FOR UPDATE`,
};

const UPDATE = {
  name: 'stores-update-member',
  text: 'UPDATE store_members SET role = $3 WHERE store_id = $1 AND user_id = $2',
};

const DELETE = {
  name: 'stores-delete-member',
  text: 'DELETE FROM store_members WHERE store_id = $1 AND user_id = $2',
};

const LIST_MEMBERSHIPS = {
  name: 'stores-list-memberships',
  text: `SELECT m.user_id, m.store_id FROM unnest($1::uuid[], $2::uuid[]) AS wanted (user_id, store_id)
    JOIN store_members m ON m.user_id = wanted.user_id AND m.store_id = wanted.store_id`,
};

/** The only place that knows the table `store_members`. */
@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `member.exists` */
  async insert(tx: Transaction, storeId: string, member: StoreMember): Promise<void> {
    const values = STORE_MEMBERS.valuesOf({ ...member, storeId, role: member.role as MemberRole });
    await tx.execute(INSERT, values).catch((error: unknown) => {
      throw isUniqueViolation(error, 'store_members_pkey') ? memberExists() : error;
    });
  }

  /** The roles of a user in those of these stores of which they are a member. */
  async listRoles(userId: string, storeIds: readonly string[]): Promise<ReadonlyMap<string, MemberRole>> {
    const rows = await this.database.query<{ store_id: string; role: MemberRole }>(LIST_ROLES, [
      userId,
      storeIds,
    ]);
    return new Map(rows.map((row) => [row.store_id, row.role]));
  }

  /** Those of these pairs of a user and a store that are memberships, as `userId storeId`. */
  async listMemberships(
    pairs: readonly { readonly userId: string; readonly storeId: string }[],
  ): Promise<ReadonlySet<string>> {
    if (pairs.length === 0) return new Set();
    const rows = await this.database.query<{ user_id: string; store_id: string }>(LIST_MEMBERSHIPS, [
      pairs.map(({ userId }) => userId),
      pairs.map(({ storeId }) => storeId),
    ]);
    return new Set(rows.map((row) => `${row.user_id} ${row.store_id}`));
  }

  /** Newest first, the owner among them. Answers one row more than `limit`. */
  async list(storeId: string, position: PagePosition | null, limit: number): Promise<StoreMember[]> {
    const values = [storeId, position?.at ?? null, position?.id ?? null, limit + 1];
    return (await this.database.query<MemberRow>(LIST, values)).map(memberOf);
  }

  async find(on: Queryable, storeId: string, userId: string): Promise<StoreMember | null> {
    const [row] = await on.query<MemberRow>(FIND, [storeId, userId]);
    return row === undefined ? null : memberOf(row);
  }

  async lock(tx: Transaction, storeId: string, userId: string): Promise<StoreMember | null> {
    const [row] = await tx.query<MemberRow>(LOCK, [storeId, userId]);
    return row === undefined ? null : memberOf(row);
  }

  async update(tx: Transaction, storeId: string, userId: string, role: MemberRole): Promise<void> {
    await tx.execute(UPDATE, [storeId, userId, role]);
  }

  async delete(tx: Transaction, storeId: string, userId: string): Promise<void> {
    await tx.execute(DELETE, [storeId, userId]);
  }
}

function memberOf(row: MemberRow): StoreMember {
  return { userId: row.user_id, role: row.role, createdAt: row.created_at };
}
