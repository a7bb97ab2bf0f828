import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AccountsService, type Caller, type User } from '../accounts/index.js';
import { AuditLog } from '../platform/audit/index.js';
import { Ports } from '../platform/events/index.js';
import { ServiceSettings } from '../platform/config/index.js';
import { StoresSettings } from './stores.settings.js';
import { Database, lockKey, type Queryable, type Transaction } from '../platform/database/index.js';
import { decodeCursor, forbidden, type Page, pageOf, type PageQuery } from '../platform/http/index.js';
import { Clock } from '../kernel/clock.js';
import { invalidInput } from '../kernel/domain-error.js';
import { newId } from '../kernel/ids.js';
import { MembersRepository } from './members/members.repository.js';
import type { ReceiptChecks, SignWith, Store, Wallet } from './store.js';
import { isAtLeast, type StoreRole, storeRoleOf } from './store-role.js';
import { hintOf, type NewSecrets, StoreSecrets } from './credentials/store-secrets.service.js';
import { ReceiptsOfOwner } from './owners/receipts-of-owner.js';
import { StoreStates } from './store-states.js';
import {
  ownerInactive,
  roleRequired,
  storeArchived,
  storeNotFound,
  tooManyStores,
  WalletsChanged,
} from './stores.problems.js';
import { StoresRepository } from './stores.repository.js';
import { NOT_PAUSED, WebhookEndpoint } from './endpoint/webhook-endpoint.service.js';

export interface NewStore {
  readonly name: string;
  readonly webhookUrl?: string | null;
  readonly currency?: string;
  readonly signWith?: SignWith;
  readonly wallets?: readonly Wallet[];
  readonly ownerId?: string;
}

export interface StoreChanges {
  readonly name?: string;
  readonly webhookUrl?: string | null;
  readonly currency?: string;
  readonly signWith?: SignWith;
  readonly simulationEnabled?: boolean;
  readonly receiptChecks?: ReceiptChecks;
  readonly receiptLeadMs?: number;
  readonly uniqueAmounts?: boolean;
  readonly notifyEmail?: string | null;
  readonly wallets?: readonly Wallet[];
}

export interface CreatedStore extends NewSecrets {
  readonly store: Store;
}

/**
 * How long before a payment its receipt may have come, unless the store says otherwise, in milliseconds (contract
 * 4.8).
 */
const DEFAULT_RECEIPT_LEAD_MS = 3_600_000;

/** Held by whoever changes how many stores an owner has, or whether they are open. */
export function ownerLock(ownerId: string): ReturnType<typeof lockKey> {
  return lockKey('store-owner', ownerId);
}

/**
 * The time for which receipts of an owner's stores are compared, in milliseconds, so that one receipt pays in one
 * store; the longest `receiptLead` of these stores if that is longer (contract 4.49). A store that was archived within
 * that time counts as live (contract 4.50).
 */
const LOOK_BACK_MS = 48 * 3_600_000;

/** The time for which receipts of stores with these settings are compared, in milliseconds. */
export function lookBackMsOf(stores: readonly Pick<Store, 'receiptLeadMs'>[]): number {
  return Math.max(LOOK_BACK_MS, ...stores.map(({ receiptLeadMs }) => receiptLeadMs));
}

/** Stores (contract 2.25). Everything a user reaches goes through `getFor`, which knows who owns what. */
@Injectable()
export class StoresService {
  constructor(
    private readonly database: Database,
    private readonly repository: StoresRepository,
    private readonly members: MembersRepository,
    private readonly states: StoreStates,
    private readonly secrets: StoreSecrets,
    private readonly endpoint: WebhookEndpoint,
    private readonly settings: StoresSettings,
    private readonly service: ServiceSettings,
    private readonly accounts: AccountsService,
    private readonly ports: Ports,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `auth.forbidden` when a merchant names another owner; `request.invalid` for an unknown owner;
   * `store.wallet_in_use`
   */
  async create(caller: Caller, input: NewStore): Promise<CreatedStore> {
    const owner = await this.ownerOf(caller.user, input.ownerId);
    const ownerId = owner.id;
    this.endpoint.check(input.webhookUrl);
    const secrets = this.secrets.newSecrets();
    const now = this.clock.now();
    const store: Store = {
      id: newId(),
      ownerId,
      name: input.name,
      currency: input.currency ?? 'BDT',
      webhookUrl: input.webhookUrl ?? null,
      ...NOT_PAUSED,
      signWith: input.signWith ?? 'webhook_secret',
      simulationEnabled: !this.service.production,
      receiptChecks: 'flag',
      receiptLeadMs: DEFAULT_RECEIPT_LEAD_MS,
      uniqueAmounts: false,
      notifyEmail: null,
      wallets: input.wallets ?? [],
      apiKeyHint: hintOf(secrets.apiKey),
      ownerActive: true,
      archivedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    const work = async (tx: Transaction): Promise<void> => {
      // Under the lock nobody deactivates the owner, nor gives them another store. On this connection: who waits for
      // another one while others wait for the lock, with all there are, waits in a circle.
      if ((await this.accounts.findUser(ownerId, tx)) === null) throw ownerInactive();
      const limit = owner.role === 'merchant' ? this.settings.storesPerMerchant : Infinity;
      if ((await this.repository.countLive(tx, ownerId)) >= limit) throw tooManyStores();
      await this.repository.insert(tx, store);
      await this.states.insert(tx, store.id);
      await this.secrets.insertAll(tx, store.id, secrets);
      await this.compareReceipts(tx, ownerId);
      await this.auditLog.record(tx, caller, 'store.created', {
        storeId: store.id,
        details: { name: store.name, ownerId },
      });
    };
    await this.database.transaction(work, { locks: [ownerLock(ownerId)] });
    return { store, ...secrets };
  }

  /**
   * @throws DomainError `store.not_found` when there is none, or when it is somebody else's (contract 2.8);
   * `auth.role_required` when the user is less than `least` in it (contract 15.11)
   */
  async getFor(user: User, storeId: string, least: StoreRole = 'viewer'): Promise<Store> {
    const store = await this.repository.find(this.database, storeId);
    const role = store === null ? null : await this.roleOf(user, store);
    if (store === null || role === null) throw storeNotFound();
    if (!isAtLeast(role, least)) throw roleRequired(least);
    return store;
  }

  /** The role of a user in a store at this moment; null for strangers. */
  async roleOf(user: User, store: Pick<Store, 'id' | 'ownerId'>): Promise<StoreRole | null> {
    return (await this.rolesOf(user, [store])).get(store.id) ?? null;
  }

  /** Which of these users may see these stores at this moment, for many pairs at once, as `userId storeId`. */
  async readersAmong(
    pairs: readonly { readonly user: User; readonly store: Pick<Store, 'id' | 'ownerId'> }[],
  ): Promise<ReadonlySet<string>> {
    const nameOf = ({ user, store }: (typeof pairs)[number]) => `${user.id} ${store.id}`;
    const [own, others] = [
      pairs.filter(({ user, store }) => storeRoleOf(user, store, null) !== null),
      pairs.filter(({ user, store }) => storeRoleOf(user, store, null) === null),
    ];
    const memberships = await this.members.listMemberships(
      others.map(({ user, store }) => ({ userId: user.id, storeId: store.id })),
    );
    return new Set([...own.map(nameOf), ...memberships]);
  }

  /** The roles of a user in many stores; stores to which they are a stranger are left out. */
  async rolesOf(
    user: User,
    stores: readonly Pick<Store, 'id' | 'ownerId'>[],
  ): Promise<ReadonlyMap<string, StoreRole>> {
    const roles = new Map<string, StoreRole>();
    for (const store of stores) {
      const role = storeRoleOf(user, store, null);
      if (role !== null) roles.set(store.id, role);
    }
    const others = stores.filter(({ id }) => !roles.has(id)).map(({ id }) => id);
    if (others.length === 0) return roles;
    for (const [id, role] of await this.members.listRoles(user.id, others)) roles.set(id, role);
    return roles;
  }

  /**
   * For whoever knows the store from a payment or a receipt; `on` the connection of a transaction that asks. @throws
   * DomainError `store.not_found`
   */
  async get(storeId: string, on: Queryable = this.database): Promise<Store> {
    const store = await this.repository.find(on, storeId);
    if (store === null) throw storeNotFound();
    return store;
  }

  async listFor(user: User, query: PageQuery): Promise<Page<Store>> {
    const userId = user.role === 'admin' ? null : user.id;
    const stores = await this.repository.list(userId, decodeCursor(query.cursor), query.limit);
    return pageOf(
      stores,
      query.limit,
      (store) => ({ at: store.createdAt, id: store.id }),
      (store) => store,
    );
  }

  /** The only live store this user can act on, or null when there are none or several. */
  async findOnlyStoreOf(user: User): Promise<Store | null> {
    const ids = await this.repository.listLiveIds(user.role === 'admin' ? null : user.id);
    const [id] = ids;
    return ids.length === 1 && id !== undefined ? this.repository.find(this.database, id) : null;
  }

  /**
   * `whileWallets`: what the list of wallets must still be, for a new one that was made from it.
   *
   * @throws DomainError `store.not_found`, `store.archived`, `store.wallet_in_use`, `request.invalid`; `WalletsChanged`
   */
  async update(
    caller: Caller,
    storeId: string,
    changes: StoreChanges,
    { whileWallets }: { readonly whileWallets?: readonly Wallet[] } = {},
  ): Promise<Store> {
    this.endpoint.check(changes.webhookUrl);
    const isLeadChanged = changes.receiptLeadMs !== undefined;
    const locks = isLeadChanged ? [ownerLock((await this.get(storeId)).ownerId)] : [];
    const work = async (tx: Transaction): Promise<Store> => {
      const store = await this.repository.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) throw storeArchived();
      if (whileWallets !== undefined && !isDeepStrictEqual(store.wallets, whileWallets))
        throw new WalletsChanged();
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const isMoved = given['webhookUrl'] !== undefined && given['webhookUrl'] !== store.webhookUrl;
      const changed: Store = {
        ...store,
        ...given,
        ...(isMoved ? NOT_PAUSED : {}),
        updatedAt: this.clock.now(),
      };
      await this.repository.update(tx, changed);
      if (changes.wallets !== undefined) await this.repository.replaceWallets(tx, changed);
      if (isLeadChanged) await this.compareReceipts(tx, store.ownerId);
      await this.auditLog.record(tx, caller, 'store.updated', {
        storeId,
        details: differences(store, changed, Object.keys(given)),
      });
      if (isMoved) await this.endpoint.moved(tx, storeId, changed.webhookUrl);
      return changed;
    };
    return this.database.transaction(work, { locks });
  }

  /** Archives a store: it stays readable, its secrets stop working, its wallets are free, nothing is erased. */
  async archive(caller: Caller, storeId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const store = await this.repository.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) return;
      const now = this.clock.now();
      await this.repository.update(tx, { ...store, archivedAt: now, updatedAt: now });
      await this.repository.freeWallets(tx, storeId);
      await this.auditLog.record(tx, caller, 'store.archived', { storeId });
    });
  }

  /** A live store of this user by its name, the oldest when several have it. */
  async findByName(user: User, name: string): Promise<Store | null> {
    const id = await this.repository.findLiveIdByName(user.id, name);
    return id === null ? null : this.repository.find(this.database, id);
  }

  /** Notes the receipts of an owner's stores, as far back as they are compared, if the owner has several. */
  private async compareReceipts(tx: Transaction, ownerId: string): Promise<void> {
    const stores = await this.repository.listReceiptLeads(tx, ownerId);
    const since = new Date(this.clock.now().getTime() - lookBackMsOf(stores));
    const compared = stores.filter(({ archivedAt }) => archivedAt === null || archivedAt > since);
    if (compared.length < 2) return;
    for (const { id } of compared)
      for (const receipts of this.ports.implementationsOf(ReceiptsOfOwner))
        await receipts.noteSince(tx, ownerId, id, since);
  }

  private async ownerOf(user: User, wanted: string | undefined): Promise<User> {
    if (wanted === undefined || wanted === user.id) return user;
    if (user.role !== 'admin') {
      throw forbidden.saying('Only an admin may create a store for somebody else.');
    }
    const owner = await this.accounts.findUser(wanted);
    if (owner === null) throw invalidInput([{ pointer: '/ownerId', detail: 'is not the id of a user' }]);
    return owner;
  }
}

function differences(before: Store, after: Store, fields: readonly string[]): Record<string, unknown> {
  const changed = fields.filter(
    (field) => JSON.stringify(before[field as keyof Store]) !== JSON.stringify(after[field as keyof Store]),
  );
  return Object.fromEntries(
    changed.map((field) => [
      field,
      { before: before[field as keyof Store], after: after[field as keyof Store] },
    ]),
  );
}
