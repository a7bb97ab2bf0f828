import { Injectable } from '@nestjs/common';
import { type Caller } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { boxOwner, SecretBox } from '../../platform/config/index.js';
import { Database, type Queryable, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { FreshLookup } from '../../kernel/fresh-lookup.js';
import { equalDigests, newSecret, newSigningSecret, secretDigest } from '../../kernel/secret.js';
import type { SecretKind, Store } from '../store.js';
import type { StoreCredential } from './store-credential.js';
import { StoreSecretsRepository } from './store-secrets.repository.js';
import { storeArchived, storeNotFound } from '../stores.problems.js';
import { StoresRepository } from '../stores.repository.js';

/** How long a replaced signing secret keeps signing beside its successor, in milliseconds (contract 2.36). */
export const SIGNING_SECRET_OVERLAP_MS = 24 * 3_600_000;

/** Look-ups of secrets of one kind at the same time, when they take long. */
const MAX_SECRET_LOOKUPS = 2;

/** The three secrets of a new store, as a user sees them. */
export interface NewSecrets {
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly signingSecret: string;
}

/**
 * The secrets of stores: made, looked up, shown and replaced (contract 2.34). Each view and change is in the audit
 * log.
 */
@Injectable()
export class StoreSecrets {
  private readonly storesBySecret = {
    api_key: this.lookUpBySecret('api_key'),
    webhook_secret: this.lookUpBySecret('webhook_secret'),
  };
  constructor(
    private readonly database: Database,
    private readonly stores: StoresRepository,
    private readonly repository: StoreSecretsRepository,
    private readonly auditLog: AuditLog,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
  ) {}

  newSecrets(): NewSecrets {
    return {
      apiKey: newSecret('joma_sk_'),
      webhookSecret: newSecret('joma_wh_'),
      signingSecret: newSigningSecret(),
    };
  }

  async insertAll(tx: Transaction, storeId: string, secrets: NewSecrets): Promise<void> {
    await this.insert(tx, storeId, 'api_key', secrets.apiKey);
    await this.insert(tx, storeId, 'webhook_secret', secrets.webhookSecret);
    await this.insert(tx, storeId, 'signing_secret', secrets.signingSecret);
  }

  /**
   * The live store that a presented secret belongs to, or null. Requests that come at the same time share a look-up
   * which began after they came, so a rotated secret is dead at once, on every replica (contract 2.7).
   */
  async findStore(kind: StoreCredential, secret: string): Promise<Store | null> {
    const digest = secretDigest(secret);
    const found = await this.storesBySecret[kind].get(digest.toString('hex'));
    return found !== undefined && equalDigests(found.digest, digest) ? found.store : null;
  }

  /**
   * A live store and its webhook secret, for callers that sign with the secret instead of sending it (contract 6.4);
   * null where there is no such store. Read anew each time, so a regenerated secret is dead at once.
   */
  async findSigner(
    storeId: string,
  ): Promise<{ readonly store: Store; readonly webhookSecret: string } | null> {
    const store = await this.stores.find(this.database, storeId);
    if (store === null || store.archivedAt !== null) return null;
    return { store, webhookSecret: await this.open(this.database, storeId, 'webhook_secret') };
  }

  /** A new API key; the old one is refused from the moment this resolves, on every replica (specification §5.6). */
  async rotateApiKey(caller: Caller, storeId: string): Promise<string> {
    return this.replace(caller, storeId, 'api_key', newSecret('joma_sk_'), 'api_key.rotated');
  }

  async regenerateWebhookSecret(caller: Caller, storeId: string): Promise<string> {
    const action = 'webhook_secret.regenerated';
    return this.replace(caller, storeId, 'webhook_secret', newSecret('joma_wh_'), action);
  }

  /** A new signing secret; the old one keeps signing beside it for 24 h, so that receivers can change over. */
  async rotateSigningSecret(caller: Caller, storeId: string): Promise<string> {
    return this.change(storeId, async (tx) => {
      const secret = newSigningSecret();
      const now = this.clock.now();
      const signsUntil = new Date(now.getTime() + SIGNING_SECRET_OVERLAP_MS);
      await this.repository.retire(tx, storeId, 'signing_secret', now, signsUntil);
      await this.insert(tx, storeId, 'signing_secret', secret);
      await this.auditLog.record(tx, caller, 'signing_secret.rotated', {
        storeId,
        details: {
          oldOneSignsUntil: signsUntil.toISOString(),
        },
      });
      return secret;
    });
  }

  /** Shows a secret to a user, and writes down that it was shown. */
  async reveal(caller: Caller, storeId: string, kind: 'webhook_secret' | 'signing_secret'): Promise<string> {
    return this.database.transaction(async (tx) => {
      const secret = await this.open(tx, storeId, kind);
      await this.auditLog.record(tx, caller, `${kind}.viewed`, { storeId });
      return secret;
    });
  }

  /** For the start page of a development machine, which shows the demo store's secrets to whoever sits there. */
  async recover(storeId: string): Promise<{ apiKey: string; webhookSecret: string }> {
    return {
      apiKey: await this.open(this.database, storeId, 'api_key'),
      webhookSecret: await this.open(this.database, storeId, 'webhook_secret'),
    };
  }

  private lookUpBySecret(
    kind: StoreCredential,
  ): FreshLookup<{ readonly store: Store; readonly digest: Buffer }> {
    const lookUp = (digests: readonly string[]) =>
      this.stores.findBySecretDigests(
        kind,
        digests.map((digest) => Buffer.from(digest, 'hex')),
      );
    return new FreshLookup(lookUp, MAX_SECRET_LOOKUPS);
  }

  private async open(on: Queryable, storeId: string, kind: SecretKind): Promise<string> {
    const ciphertext = await this.repository.find(on, storeId, kind);
    if (ciphertext === null) throw storeNotFound();
    return this.secretBox.open(ciphertext, boxOwner(storeId, kind));
  }

  private async replace(
    caller: Caller,
    storeId: string,
    kind: 'api_key' | 'webhook_secret',
    secret: string,
    action: string,
  ): Promise<string> {
    return this.change(storeId, async (tx) => {
      await this.repository.delete(tx, storeId, kind);
      await this.insert(tx, storeId, kind, secret);
      await this.auditLog.record(tx, caller, action, { storeId, details: { hint: hintOf(secret) } });
      return secret;
    });
  }

  private async change<Result>(storeId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (tx) => {
      const store = await this.stores.find(tx, storeId, { lock: true });
      if (store === null) throw storeNotFound();
      if (store.archivedAt !== null) throw storeArchived();
      return work(tx);
    });
  }

  private async insert(tx: Transaction, storeId: string, kind: SecretKind, secret: string): Promise<void> {
    const stored = {
      kind,
      digest: secretDigest(secret),
      ciphertext: this.secretBox.seal(secret, boxOwner(storeId, kind)),
      hint: hintOf(secret),
    };
    await this.repository.insert(tx, storeId, stored, this.clock.now());
  }
}

/** The part of a secret that users see, so that they can tell two apart. */
export function hintOf(secret: string): string {
  return secret.slice(-4);
}
