import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import {
  Database,
  isUniqueViolation,
  lockKey,
  type Queryable,
  type Transaction,
} from '../../platform/database/index.js';
import { emailTaken } from '../accounts.problems.js';
import type { UserRecord } from './user.js';
import { USERS } from './users.table.js';

/** Held by whoever changes somebody's role or activity, so that two admins cannot remove each other. */
export const ADMINS_LOCK = lockKey('admins');

/** Somebody as the company's identity provider names them. */
export interface SsoSubject {
  readonly issuer: string;
  readonly subject: string;
}

export interface SsoAccount {
  readonly user: UserRecord;
  /** When the token was issued whose name and role the account has. */
  readonly toldAt: Date;
}

/** An account with what it is checked against; leaves this feature in no answer. */
export interface UserWithPassword {
  readonly user: UserRecord;
  readonly passwordHash: string;
}

const USER = USERS.pick(
  ...(['id', 'email', 'name', 'role', 'active', 'tokenVersion', 'mustChangePassword'] as const),
  ...(['createdAt', 'updatedAt'] as const),
);
const COLUMNS = `${USER.list()}, second_factor_confirmed_at IS NOT NULL AS has_second_factor`;
const INSERT = USERS.insert('users-insert');
const COMPANY_ACCOUNT = {
  name: 'company-account',
  text: `SELECT ${COLUMNS}, told_at FROM sso_accounts JOIN users ON id = user_id WHERE issuer = $1 AND subject = $2`,
};

/** The only place that knows the tables `users` and `sso_accounts`. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `user.email_taken` */
  async insert(tx: Transaction, user: UserRecord, passwordHash: string): Promise<void> {
    try {
      await tx.execute(INSERT, USERS.valuesOf({ ...user, passwordHash }));
    } catch (error) {
      throw isUniqueViolation(error, 'users_email_key') ? emailTaken() : error;
    }
  }

  /** Everything that may change, but the password. */
  async update(tx: Transaction, user: UserRecord): Promise<void> {
    await tx.execute(
      `UPDATE users SET name = $2, role = $3, active = $4, token_version = $5, updated_at = $6 WHERE id = $1`,
      [user.id, user.name, user.role, user.active, user.tokenVersion, user.updatedAt],
    );
  }

  /** Sets a password, and ends every access token, unless the account has changed since `tokenVersion` was read. */
  async replacePasswordIfStill(
    tx: Transaction,
    id: string,
    tokenVersion: number,
    passwordHash: string,
    now: Date,
  ): Promise<boolean> {
    const count = await tx.execute(
      `UPDATE users SET password_hash = $3, token_version = token_version + 1, must_change_password = false,
                        updated_at = $4
       WHERE id = $1 AND token_version = $2 AND active`,
      [id, tokenVersion, passwordHash, now],
    );
    return count === 1;
  }

  async find(
    on: Queryable,
    id: string,
    options: { lock: boolean } = { lock: false },
  ): Promise<UserRecord | null> {
    const [row] = await on.query(
      `SELECT ${COLUMNS} FROM users WHERE id = $1 ${options.lock ? 'FOR UPDATE' : ''}`,
      [id],
    );
    return row === undefined ? null : userOf(row);
  }

  async findActiveByEmail(email: string): Promise<UserWithPassword | null> {
    return this.findWithPassword('email = $1 AND active', email);
  }

  async findActiveWithPassword(id: string): Promise<UserWithPassword | null> {
    return this.findWithPassword('id = $1 AND active', id);
  }

  /**
   * True when the account may still sign in as it was read; from then on nobody changes it until the transaction
   * ends.
   */
  async holdIfStill(tx: Transaction, id: string, tokenVersion: number): Promise<boolean> {
    const rows = await tx.query(
      'SELECT 1 FROM users WHERE id = $1 AND token_version = $2 AND active FOR SHARE',
      [id, tokenVersion],
    );
    return rows.length === 1;
  }

  /** Newest first: ids are ordered by time, and have an index. Answers one row more than `limit`. */
  async list(beforeId: string | null, limit: number): Promise<UserRecord[]> {
    const rows = await this.database.query(
      `SELECT ${COLUMNS} FROM users WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
      [beforeId, limit + 1],
    );
    return rows.map(userOf);
  }

  async listByIds(ids: readonly string[]): Promise<UserRecord[]> {
    const rows = await this.database.query(`SELECT ${COLUMNS} FROM users WHERE id = ANY ($1::uuid[])`, [ids]);
    return rows.map(userOf);
  }

  async isEmpty(on: Queryable): Promise<boolean> {
    return (await on.query('SELECT 1 FROM users LIMIT 1')).length === 0;
  }

  /** Whether somebody else is an active admin. Under `ADMINS_LOCK` that stays so until the transaction ends. */
  async hasOtherActiveAdmin(on: Queryable, id: string): Promise<boolean> {
    const rows = await on.query(`SELECT 1 FROM users WHERE role = 'admin' AND active AND id <> $1 LIMIT 1`, [
      id,
    ]);
    return rows.length > 0;
  }

  async findSsoAccount(on: Queryable, { issuer, subject }: SsoSubject): Promise<SsoAccount | null> {
    const [row] = await on.query<{ told_at: Date }>(COMPANY_ACCOUNT, [issuer, subject]);
    return row === undefined ? null : { user: userOf(row), toldAt: row.told_at };
  }

  async insertSsoAccount(
    tx: Transaction,
    { issuer, subject }: SsoSubject,
    userId: string,
    toldAt: Date,
  ): Promise<void> {
    await tx.execute('INSERT INTO sso_accounts (issuer, subject, user_id, told_at) VALUES ($1, $2, $3, $4)', [
      issuer,
      subject,
      userId,
      toldAt,
    ]);
  }

  async setToldAt(tx: Transaction, userId: string, toldAt: Date): Promise<void> {
    await tx.execute('UPDATE sso_accounts SET told_at = $2 WHERE user_id = $1', [userId, toldAt]);
  }

  private async findWithPassword(condition: string, value: string): Promise<UserWithPassword | null> {
    const [row] = await this.database.query<{ password_hash: string }>(
      `SELECT ${COLUMNS}, password_hash FROM users WHERE ${condition}`,
      [value],
    );
    return row === undefined ? null : { user: userOf(row), passwordHash: row.password_hash };
  }
}

function userOf(row: QueryResultRow): UserRecord {
  return { ...USER.read(row), hasSecondFactor: row['has_second_factor'] as boolean };
}
