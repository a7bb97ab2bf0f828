import { Injectable } from '@nestjs/common';
import { AccountsService, actorOf, type Caller, type Person } from '../accounts/index.js';
import { AuditLog } from '../audit/index.js';
import { Database, type Queryable, type Transaction } from '../database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../kernel/clock.js';
import { DomainError, invalidInput } from '../kernel/domain-error.js';
import { FreshLookup } from '../kernel/fresh-lookup.js';
import { newId } from '../kernel/ids.js';
import { constantTimeEquals, newSecret, newSigningSecret, secretDigest } from '../kernel/secret.js';
import { boxOwner, SecretBox } from './secret-box.js';
import type { SecretKind, SignWith, Store, Wallet, WebhookPauseReason } from './store.js';
import { storeArchived, storeNotFound } from './stores.errors.js';
import { StoresRepository } from './stores.repository.js';
import { WebhookUrlPolicy } from './webhook-url-policy.js';

/** How long a replaced signing secret keeps signing beside its successor, in milliseconds (decisions §2). */
export const SIGNING_SECRET_OVERLAP_MS = 24 * 3_600_000;

/** Look-ups of secrets of one kind at the same time: the next one leaves when one of them has come back. */
const MAX_SECRET_LOOKUPS = 2;
/** A heartbeat within this time of the last one is not written again, in milliseconds. */
const PHONE_SEEN_RESOLUTION_MS = 5_000;

const NOT_PAUSED = { webhookPausedAt: null, webhookPauseReason: null } as const;

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
  readonly wallets?: readonly Wallet[];
}

export interface CreatedStore {
  readonly store: Store;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly signingSecret: string;
}

type WebhookUrlListener = (tx: Transaction, storeId: string) => Promise<void>;

/** Stores and their secrets (decisions §2). Everything a person reaches goes through `getFor`, which knows who owns what. */
@Injectable()
export class StoresService {
  private readonly webhookUrlListeners: WebhookUrlListener[] = [];
  private readonly phoneSeenAt = new Map<string, number>();
  private readonly storesBySecret = {
    api_key: this.lookUpBySecret('api_key'),
    webhook_secret: this.lookUpBySecret('webhook_secret'),
  };

  constructor(
    private readonly database: Database,
    private readonly repository: StoresRepository,
    private readonly accounts: AccountsService,
    private readonly auditLog: AuditLog,
    private readonly secretBox: SecretBox,
    private readonly urlPolicy: WebhookUrlPolicy,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `auth.forbidden` when a merchant names another owner; `request.invalid` for an unknown owner */
  async create(caller: Caller, input: NewStore): Promise<CreatedStore> {
    const ownerId = await this.ownerOf(caller.person, input.ownerId);
    this.checkWebhookUrl(input.webhookUrl);
    const secrets = {
      api_key: newSecret('joma_sk_'),
      webhook_secret: newSecret('joma_wh_'),
      signing_secret: newSigningSecret(),
    };
    const now = this.clock.now();
    const store: Store = {
      id: newId(),
      ownerId,
      name: input.name,
      currency: input.currency ?? 'BDT',
      webhookUrl: input.webhookUrl ?? null,
      ...NOT_PAUSED,
      signWith: input.signWith ?? 'webhook_secret',
      simulationEnabled: true,
      wallets: input.wallets ?? [],
      apiKeyHint: hintOf(secrets.api_key),
      phoneLastSeenAt: null,
      archivedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.database.transaction(async (tx) => {
      await this.repository.insert(tx, store);
      for (const [kind, secret] of Object.entries(secrets)) {
        await this.insertSecret(tx, store.id, kind as SecretKind, secret);
      }
      await this.audit(tx, caller, store.id, 'store.created', { name: store.name, ownerId });
    });
    return {
      store,
      apiKey: secrets.api_key,
      webhookSecret: secrets.webhook_secret,
      signingSecret: secrets.signing_secret,
    };
  }

  /** @throws DomainError `store.not_found` when there is none, or when it is somebody else's (decisions §2) */
  async getFor(person: Person, storeId: string): Promise<Store> {
    const store = await this.repository.find(this.database, storeId);
    if (store === null || (person.role !== 'admin' && store.ownerId !== person.id)) throw storeNotFound();
    return store;
  }

  /** For the payer's page, which knows the store from a payment. @throws DomainError `store.not_found` */
  async get(storeId: string): Promise<Store> {
    const store = await this.repository.find(this.database, storeId);
    if (store === null) throw storeNotFound();
    return store;
  }

  async listFor(person: Person, query: PageQuery): Promise<Page<Store>> {
    const ownerId = person.role === 'admin' ? null : person.id;
    const stores = await this.repository.list(ownerId, decodeCursor(query.cursor), query.limit);
    return pageOf(
      stores,
      query.limit,
      (store) => ({ at: store.createdAt, id: store.id }),
      (store) => store,
    );
  }

  /** The only live store this person can act on, or null when there are none or several. */
  async findOnlyStoreOf(person: Person): Promise<Store | null> {
    const ids = await this.repository.listLiveIds(person.role === 'admin' ? null : person.id);
    const [id] = ids;
    return ids.length === 1 && id !== undefined ? this.repository.find(this.database, id) : null;
  }

  async update(caller: Caller, storeId: string, changes: StoreChanges): Promise<Store> {
    this.checkWebhookUrl(changes.webhookUrl);
    return this.change(storeId, async (tx, store) => {
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const isMoved = given['webhookUrl'] !== undefined && given['webhookUrl'] !== store.webhookUrl;
      const changed: Store = {
        ...store,
        ...given,
        ...(isMoved ? NOT_PAUSED : {}),
        updatedAt: this.clock.now(),
      };
      await this.repository.update(tx, changed);
      await this.audit(tx, caller, storeId, 'store.updated', differences(store, changed, Object.keys(given)));
      if (changed.webhookUrl !== null && changed.webhookUrl !== store.webhookUrl) {
        for (const listener of this.webhookUrlListeners) await listener(tx, storeId);
      }
      return changed;
    });
  }

  /**
   * Sends to the webhook URL again; what was held meanwhile goes out. Does nothing when it is not paused.
   *
   * @throws DomainError `store.not_found`, `store.archived`
   */
  async resumeWebhook(caller: Caller, storeId: string): Promise<Store> {
    return this.change(storeId, async (tx, store) => {
      if (store.webhookPausedAt === null) return store;
      const resumed: Store = { ...store, ...NOT_PAUSED, updatedAt: this.clock.now() };
      await this.repository.update(tx, resumed);
      await this.audit(tx, caller, storeId, 'webhook.resumed', { reason: store.webhookPauseReason });
      for (const listener of this.webhookUrlListeners) await listener(tx, storeId);
      return resumed;
    });
  }

  /**
   * Stops sending to a webhook URL until a person resumes it or names another one; events are held meanwhile. Answers false
   * when there was nothing to do: it is paused already, or `webhookUrl` is not the one in force any more.
   */
  async pauseWebhook(storeId: string, webhookUrl: string, reason: WebhookPauseReason): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await this.repository.pauseWebhook(tx, storeId, webhookUrl, reason))) return false;
      await this.auditLog.append(tx, {
        storeId,
        actor: { type: 'system', id: null },
        action: 'webhook.paused',
        address: null,
        details: { reason },
      });
      return true;
    });
  }

  /** Archives a store: it stays readable, its secrets stop working, nothing is erased. */
  async archive(caller: Caller, storeId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const store = await this.repository.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) return;
      const now = this.clock.now();
      await this.repository.update(tx, { ...store, archivedAt: now, updatedAt: now });
      await this.audit(tx, caller, storeId, 'store.archived', {});
    });
  }

  /** A new API key; the old one is refused from the moment this resolves, on every replica (specification §5.6). */
  async rotateApiKey(caller: Caller, storeId: string): Promise<string> {
    return this.replaceSecret(caller, storeId, 'api_key', newSecret('joma_sk_'), 'api_key.rotated');
  }

  async regenerateWebhookSecret(caller: Caller, storeId: string): Promise<string> {
    return this.replaceSecret(
      caller,
      storeId,
      'webhook_secret',
      newSecret('joma_wh_'),
      'webhook_secret.regenerated',
    );
  }

  /** A new signing secret; the old one keeps signing beside it for 24 h, so that receivers can change over. */
  async rotateSigningSecret(caller: Caller, storeId: string): Promise<string> {
    return this.change(storeId, async (tx, store) => {
      const secret = newSigningSecret();
      const now = this.clock.now();
      const signsUntil = new Date(now.getTime() + SIGNING_SECRET_OVERLAP_MS);
      await this.repository.retireSecret(tx, store.id, 'signing_secret', now, signsUntil);
      await this.insertSecret(tx, store.id, 'signing_secret', secret);
      await this.audit(tx, caller, storeId, 'signing_secret.rotated', {
        oldOneSignsUntil: signsUntil.toISOString(),
      });
      return secret;
    });
  }

  /** Shows a secret to a person, and writes down that it was shown. */
  async revealSecret(
    caller: Caller,
    storeId: string,
    kind: 'webhook_secret' | 'signing_secret',
  ): Promise<string> {
    return this.database.transaction(async (tx) => {
      const secret = await this.openSecret(tx, storeId, kind);
      await this.audit(tx, caller, storeId, `${kind}.viewed`, {});
      return secret;
    });
  }

  /** For the start page of a development machine, which shows the demo store's secrets to whoever sits there. */
  async recoverSecrets(storeId: string): Promise<{ apiKey: string; webhookSecret: string }> {
    return {
      apiKey: await this.openSecret(this.database, storeId, 'api_key'),
      webhookSecret: await this.openSecret(this.database, storeId, 'webhook_secret'),
    };
  }

  /** A live store of this person by its name, the oldest when several have it. */
  async findByName(person: Person, name: string): Promise<Store | null> {
    const id = await this.repository.findLiveIdByName(person.id, name);
    return id === null ? null : this.repository.find(this.database, id);
  }

  /**
   * The live store that a presented secret belongs to, or null. Requests that come at the same time share a look-up which
   * began after they came, so a rotated secret is dead at once, on every replica (decisions §2).
   */
  async findBySecret(kind: 'api_key' | 'webhook_secret', secret: string): Promise<Store | null> {
    const digest = secretDigest(secret);
    const found = await this.storesBySecret[kind].get(digest.toString('hex'));
    return found !== undefined && constantTimeEquals(found.digest, digest) ? found.store : null;
  }

  /** Registers what must happen in the transaction that gives a store a webhook URL, or resumes one. Called while modules start. */
  onWebhookUrlSet(listener: WebhookUrlListener): void {
    this.webhookUrlListeners.push(listener);
  }

  /** Notes that a store's phone was heard. Written at most every five seconds per replica: it is a sign of life only. */
  async markPhoneSeen(storeId: string): Promise<void> {
    const now = this.clock.now();
    const lastMs = this.phoneSeenAt.get(storeId);
    if (lastMs !== undefined && now.getTime() - lastMs < PHONE_SEEN_RESOLUTION_MS) return;
    if (this.phoneSeenAt.size > 10_000) this.phoneSeenAt.clear();
    this.phoneSeenAt.set(storeId, now.getTime());
    await this.repository.markPhoneSeen(storeId, now);
  }

  private lookUpBySecret(kind: SecretKind): FreshLookup<{ readonly store: Store; readonly digest: Buffer }> {
    const lookUp = (digests: readonly string[]) =>
      this.repository.findBySecretDigests(
        kind,
        digests.map((digest) => Buffer.from(digest, 'hex')),
      );
    return new FreshLookup(lookUp, MAX_SECRET_LOOKUPS);
  }

  private async openSecret(on: Queryable, storeId: string, kind: SecretKind): Promise<string> {
    const ciphertext = await this.repository.findSecret(on, storeId, kind);
    if (ciphertext === null) throw storeNotFound();
    return this.secretBox.open(ciphertext, boxOwner(storeId, kind));
  }

  private async replaceSecret(
    caller: Caller,
    storeId: string,
    kind: 'api_key' | 'webhook_secret',
    secret: string,
    action: string,
  ): Promise<string> {
    return this.change(storeId, async (tx) => {
      await this.repository.deleteSecrets(tx, storeId, kind);
      await this.insertSecret(tx, storeId, kind, secret);
      await this.audit(tx, caller, storeId, action, { hint: hintOf(secret) });
      return secret;
    });
  }

  private async change<Result>(
    storeId: string,
    work: (tx: Transaction, store: Store) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(async (tx) => {
      const store = await this.repository.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) throw storeArchived();
      return work(tx, store);
    });
  }

  private async insertSecret(
    tx: Transaction,
    storeId: string,
    kind: SecretKind,
    secret: string,
  ): Promise<void> {
    const stored = {
      kind,
      digest: secretDigest(secret),
      ciphertext: this.secretBox.seal(secret, boxOwner(storeId, kind)),
      hint: hintOf(secret),
    };
    await this.repository.insertSecret(tx, storeId, stored, this.clock.now());
  }

  private async ownerOf(person: Person, wanted: string | undefined): Promise<string> {
    if (wanted === undefined || wanted === person.id) return person.id;
    if (person.role !== 'admin') {
      throw new DomainError(
        'forbidden',
        'auth.forbidden',
        'Only an admin may create a store for somebody else.',
      );
    }
    const owner = await this.accounts.findPerson(wanted);
    if (owner === null) throw invalidInput([{ pointer: '/ownerId', detail: 'is not the id of a person' }]);
    return owner.id;
  }

  private checkWebhookUrl(url: string | null | undefined): void {
    if (url === null || url === undefined) return;
    const verdict = this.urlPolicy.check(url);
    if (!verdict.allowed) throw invalidInput([{ pointer: '/webhookUrl', detail: verdict.reason }]);
  }

  private async audit(
    tx: Transaction,
    caller: Caller,
    storeId: string,
    action: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    await this.auditLog.append(tx, {
      storeId,
      actor: actorOf(caller.person),
      action,
      address: caller.address,
      details,
    });
  }
}

function hintOf(secret: string): string {
  return secret.slice(-4);
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
