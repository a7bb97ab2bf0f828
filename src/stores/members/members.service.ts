import { Injectable } from '@nestjs/common';
import { AccountsService, type Caller, UnknownEmails } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import type { MemberRole } from '../store-role.js';
import type { Store } from '../store.js';
import { storeArchived } from '../stores.problems.js';
import { memberIsOwner, memberNotFound } from './members.problems.js';
import { MembersRepository, type StoreMember } from './members.repository.js';

/** A member with the user they are. */
export interface NamedMember extends StoreMember {
  readonly email: string;
  readonly name: string;
}

/**
 * Says which users besides the owner may do what in a store (contract 15.1). Every request asks the table anew, so a
 * change takes effect at once, on every replica. Users are made by an admin; here they are only named.
 */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly accounts: AccountsService,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly unknownEmails: UnknownEmails,
  ) {}

  /** Newest first; the owner is the last of them. */
  async listOfStore(storeId: string, query: PageQuery): Promise<Page<NamedMember>> {
    const members = await this.members.list(storeId, decodeCursor(query.cursor), query.limit);
    const users = await this.accounts.listByIds(members.map(({ userId }) => userId));
    return pageOf(
      members,
      query.limit,
      ({ createdAt, userId }) => ({ at: createdAt, id: userId }),
      (member) => {
        const user = users.get(member.userId);
        return { ...member, email: user?.email ?? '', name: user?.name ?? '' };
      },
    );
  }

  /** A member, or the owner. @throws DomainError 404 `member.not_found` */
  async get(store: Store, userId: string): Promise<NamedMember> {
    const owner = { userId, role: 'owner', createdAt: store.createdAt } as const;
    const member =
      userId === store.ownerId ? owner : await this.members.find(this.database, store.id, userId);
    if (member === null) throw memberNotFound();
    const user = (await this.accounts.listByIds([userId])).get(userId);
    return { ...member, email: user?.email ?? '', name: user?.name ?? '' };
  }

  /**
   * @throws DomainError 404 `member.not_found` for an unknown e-mail; 409 `member.exists`, `member.is_owner`,
   * `store.archived`; 429 `request.rate_limited` for one unknown e-mail too many
   */
  async add(
    caller: Caller,
    store: Store,
    { email, role }: { email: string; role: MemberRole },
  ): Promise<NamedMember> {
    if (store.archivedAt !== null) throw storeArchived();
    const user = await this.accounts.findUserByEmail(email);
    if (user === null) {
      // An owner must not find out by trial who has an account here (contract 14.34).
      await this.unknownEmails.count(caller.user.id);
      throw memberNotFound();
    }
    if (user.id === store.ownerId) throw memberIsOwner();
    const member = { userId: user.id, role, createdAt: this.clock.now() };
    await this.database.transaction(async (tx) => {
      await this.members.insert(tx, store.id, member);
      await this.auditLog.record(tx, caller, 'member.added', {
        storeId: store.id,
        details: { userId: user.id, email: user.email, role },
      });
    });
    return { ...member, email: user.email, name: user.name };
  }

  /** @throws DomainError 404 `member.not_found`; 409 `member.is_owner`, `store.archived` */
  async change(caller: Caller, store: Store, userId: string, role: MemberRole): Promise<NamedMember> {
    if (store.archivedAt !== null) throw storeArchived();
    const member = await this.withMember(store, userId, async (tx, before) => {
      await this.members.update(tx, store.id, userId, role);
      await this.auditLog.record(tx, caller, 'member.changed', {
        storeId: store.id,
        details: {
          userId,
          role: { before: before.role, after: role },
        },
      });
      return { ...before, role };
    });
    const user = (await this.accounts.listByIds([userId])).get(userId);
    return { ...member, email: user?.email ?? '', name: user?.name ?? '' };
  }

  /** Removes a member; members remove themselves to leave. Archived stores permit it too. Errors: those of `change`. */
  async remove(caller: Caller, store: Store, userId: string): Promise<void> {
    await this.withMember(store, userId, async (tx, { role }) => {
      await this.members.delete(tx, store.id, userId);
      await this.auditLog.record(tx, caller, 'member.removed', {
        storeId: store.id,
        details: { userId, role },
      });
    });
  }

  private async withMember<Result>(
    store: Store,
    userId: string,
    work: (tx: Transaction, member: StoreMember) => Promise<Result>,
  ): Promise<Result> {
    if (userId === store.ownerId) throw memberIsOwner();
    return this.database.transaction(async (tx) => {
      const member = await this.members.lock(tx, store.id, userId);
      if (member === null) throw memberNotFound();
      return work(tx, member);
    });
  }
}
