import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog, THE_SERVICE } from '../../platform/audit/index.js';
import { ConfigurationError, ServiceSettings } from '../../platform/config/index.js';
import { AccountsSettings } from '../accounts.settings.js';
import { Database, lockKey, type Queryable } from '../../platform/database/index.js';
import { Ports } from '../../platform/events/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { isId, newId } from '../../kernel/ids.js';
import { lastAdmin, userNotFound } from '../accounts.problems.js';
import { OwnerActivity } from './owner-activity.js';
import { PasswordHasher } from './password-hasher.js';
import { passwordProblem, refuseWeakPassword } from './password-rules.js';
import { type Caller, normalizeEmail, type Role, type User, type UserRecord } from './user.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { ADMINS_LOCK, UsersRepository } from './users.repository.js';

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly role: Role;
  /** Whether they must change the password before anything else; default false. */
  readonly mustChangePassword?: boolean | undefined;
}

export type UserChanges = Partial<Pick<UserRecord, 'name' | 'role' | 'active'>>;

/** The first user, when this call created them. `generatedPassword` is known to nobody else and is shown once. */
export interface FirstAdmin {
  readonly id: string;
  readonly email: string;
  readonly generatedPassword: string | null;
}

const FIRST_ADMIN_LOCK = lockKey('first-admin');
/** 160 bits, 27 characters. */
const GENERATED_PASSWORD_BYTES = 20;

/** The users who may sign in (contract 2.17). */
@Injectable()
export class AccountsService {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly service: ServiceSettings,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsRepository,
    private readonly passwords: PasswordHasher,
    private readonly auditLog: AuditLog,
    private readonly ports: Ports,
  ) {}

  /**
   * Creates the admin of the configuration when there is no user at all, and resolves to null otherwise (contract
   * 2.22). Any number of replicas may call it at once: one of them creates, the others find somebody there.
   *
   * @throws ConfigurationError in production when `ADMIN_PASSWORD` is missing
   */
  async ensureFirstAdmin(): Promise<FirstAdmin | null> {
    if (!(await this.users.isEmpty(this.database))) return null;
    const { adminEmail: email, adminPassword } = this.settings;
    const { production } = this.service;
    if (adminPassword === null && production) {
      throw new ConfigurationError([
        'ADMIN_PASSWORD must be set for the first start in production, when there is no user yet: 10 to 128 characters.',
      ]);
    }
    if (
      adminPassword !== null &&
      production &&
      (await passwordProblem(adminPassword, { email, name: '' })) !== null
    ) {
      throw new ConfigurationError([
        'ADMIN_PASSWORD must be none of the commonest passwords, and not ADMIN_EMAIL.',
      ]);
    }
    const generatedPassword =
      adminPassword === null ? randomBytes(GENERATED_PASSWORD_BYTES).toString('base64url') : null;
    const password = generatedPassword ?? adminPassword ?? '';
    const passwordHash = await this.passwords.hash(password);
    const user = this.newUser({ email, password, name: 'Administrator', role: 'admin' });
    return this.database.transaction(
      async (tx) => {
        if (!(await this.users.isEmpty(tx))) return null;
        await this.users.insert(tx, user, passwordHash);
        await this.auditLog.record(tx, THE_SERVICE, 'user.created', {
          details: { userId: user.id, after: describe(user) },
        });
        return { id: user.id, email, generatedPassword };
      },
      { locks: [FIRST_ADMIN_LOCK] },
    );
  }

  /** Somebody who may sign in, by e-mail address in any spelling. */
  async findUserByEmail(email: string): Promise<User | null> {
    const found = await this.users.findActiveByEmail(normalizeEmail(email));
    return found === null ? null : userOf(found.user);
  }

  /** Somebody who may sign in; null for a deactivated account, too. Within a transaction it must be asked `on` that. */
  async findUser(id: string, on: Queryable = this.database): Promise<User | null> {
    const user = isId(id) ? await this.users.find(on, id) : null;
    return user?.active ? userOf(user) : null;
  }

  /** Users by their ids, deactivated ones too; ids that name nobody are left out. */
  async listByIds(ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const users = ids.length === 0 ? [] : await this.users.listByIds(ids);
    return new Map(users.map((user) => [user.id, userOf(user)]));
  }

  /** @throws DomainError `user.not_found` */
  async getUser(id: string): Promise<UserRecord> {
    const user = await this.users.find(this.database, id);
    if (user === null) throw userNotFound();
    return user;
  }

  /** Newest first. @throws DomainError `request.invalid` for a cursor that this service has not written */
  async listUsers(query: PageQuery): Promise<Page<UserRecord>> {
    const position = decodeCursor(query.cursor);
    const users = await this.users.list(position?.id ?? null, query.limit);
    const positionOf = ({ createdAt, id }: UserRecord) => ({ at: createdAt, id });
    return pageOf(users, query.limit, positionOf, (user) => user);
  }

  /** @throws DomainError `request.invalid` for a password that anybody would guess, `user.email_taken`, `auth.busy` */
  async create(caller: Caller, input: NewUser): Promise<UserRecord> {
    const user = this.newUser(input);
    await refuseWeakPassword(input.password, user, '/password');
    const passwordHash = await this.passwords.hash(input.password);
    await this.database.transaction(async (tx) => {
      await this.users.insert(tx, user, passwordHash);
      await this.auditLog.record(tx, caller, 'user.created', {
        details: { userId: user.id, after: describe(user) },
      });
    });
    return user;
  }

  /**
   * Changes what is given. A deactivation ends all sessions and access tokens of the user; a new role holds for the
   * very next request with a token they already have.
   *
   * @throws DomainError `user.not_found`, `user.last_admin`
   */
  async update(caller: Caller, id: string, changes: UserChanges): Promise<UserRecord> {
    return this.database.transaction(
      async (tx) => {
        const before = await this.users.find(tx, id, { lock: true });
        if (before === null) throw userNotFound();
        const after = this.changed(before, changes);
        if (after === null) return before;
        // One at a time come here, so two admins cannot demote each other.
        const leaves = isActiveAdmin(before) && !isActiveAdmin(after);
        if (leaves && !(await this.users.hasOtherActiveAdmin(tx, id))) throw lastAdmin();
        await this.users.update(tx, after);
        if (before.active !== after.active)
          for (const owned of this.ports.implementationsOf(OwnerActivity))
            await owned.changed(tx, id, after.active);
        if (before.active && !after.active) await this.sessions.endAllOf(tx, id, after.updatedAt, null);
        else if (before.role !== after.role) await this.sessions.endBrowsersOf(tx, id, after.updatedAt);
        await this.auditLog.record(tx, caller, 'user.updated', {
          details: { userId: id, ...differences(before, after) },
        });
        return after;
      },
      { locks: [ADMINS_LOCK] },
    );
  }

  private newUser({ email, name, role, mustChangePassword = false }: NewUser): UserRecord {
    const now = this.clock.now();
    const fresh = { active: true, tokenVersion: 1, mustChangePassword, hasSecondFactor: false };
    return { id: newId(), email, name, role, ...fresh, createdAt: now, updatedAt: now };
  }

  /** Null when nothing changes. */
  private changed(before: UserRecord, changes: UserChanges): UserRecord | null {
    const { name = before.name, role = before.role, active = before.active } = changes;
    if (name === before.name && role === before.role && active === before.active) return null;
    const tokenVersion = before.active && !active ? before.tokenVersion + 1 : before.tokenVersion;
    return { ...before, name, role, active, tokenVersion, updatedAt: this.clock.now() };
  }
}

function isActiveAdmin(user: UserRecord): boolean {
  return user.active && user.role === 'admin';
}

function describe({ email, name, role, active }: UserRecord): Record<string, unknown> {
  return { email, name, role, active };
}

/** The fields that differ, as they were and as they are. */
function differences(before: UserRecord, after: UserRecord): { before: object; after: object } {
  const fields = (['name', 'role', 'active'] as const).filter((field) => before[field] !== after[field]);
  const pick = (user: UserRecord) => Object.fromEntries(fields.map((field) => [field, user[field]]));
  return { before: pick(before), after: pick(after) };
}

function userOf(user: UserRecord): User {
  return { id: user.id, email: user.email, name: user.name, role: user.role };
}
