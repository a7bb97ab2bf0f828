import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation, type Queryable, type Transaction } from '../database/index.js';
import { emailTaken } from './accounts.errors.js';
import type { Role, User } from './person.js';

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly token_version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** An account with what it is checked against; leaves this feature in no answer. */
export interface UserWithPassword {
  readonly user: User;
  readonly passwordHash: string;
}

const COLUMNS = 'id, email, name, role, active, token_version, created_at, updated_at';

/** The only place that knows the table `users`. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError `user.email_taken` */
  async insert(tx: Transaction, user: User, passwordHash: string): Promise<void> {
    try {
      await tx.execute(
        `INSERT INTO users (id, email, name, role, active, password_hash, token_version, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          user.id,
          user.email,
          user.name,
          user.role,
          user.active,
          passwordHash,
          user.tokenVersion,
          user.createdAt,
          user.updatedAt,
        ],
      );
    } catch (error) {
      throw isUniqueViolation(error, 'users_email_key') ? emailTaken() : error;
    }
  }

  /** Everything that may change, but the password. */
  async update(tx: Transaction, user: User): Promise<void> {
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
      `UPDATE users SET password_hash = $3, token_version = token_version + 1, updated_at = $4
       WHERE id = $1 AND token_version = $2 AND active`,
      [id, tokenVersion, passwordHash, now],
    );
    return count === 1;
  }

  async find(on: Queryable, id: string, options: { lock: boolean } = { lock: false }): Promise<User | null> {
    const [row] = await on.query<UserRow>(
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

  /** True when the account may still sign in as it was read; from then on nobody changes it until the transaction ends. */
  async holdIfStill(tx: Transaction, id: string, tokenVersion: number): Promise<boolean> {
    const rows = await tx.query(
      'SELECT 1 FROM users WHERE id = $1 AND token_version = $2 AND active FOR SHARE',
      [id, tokenVersion],
    );
    return rows.length === 1;
  }

  /** Newest first: ids are ordered by time, and have an index. Answers one row more than `limit`. */
  async list(beforeId: string | null, limit: number): Promise<User[]> {
    const rows = await this.database.query<UserRow>(
      `SELECT ${COLUMNS} FROM users WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
      [beforeId, limit + 1],
    );
    return rows.map(userOf);
  }

  async isEmpty(on: Queryable): Promise<boolean> {
    return (await on.query('SELECT 1 FROM users LIMIT 1')).length === 0;
  }

  async hasActiveAdmin(tx: Transaction): Promise<boolean> {
    return (await tx.query(`SELECT 1 FROM users WHERE role = 'admin' AND active LIMIT 1`)).length > 0;
  }

  private async findWithPassword(condition: string, value: string): Promise<UserWithPassword | null> {
    const [row] = await this.database.query<UserRow & { password_hash: string }>(
      `SELECT ${COLUMNS}, password_hash FROM users WHERE ${condition}`,
      [value],
    );
    return row === undefined ? null : { user: userOf(row), passwordHash: row.password_hash };
  }
}

function userOf(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    active: row.active,
    tokenVersion: row.token_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
