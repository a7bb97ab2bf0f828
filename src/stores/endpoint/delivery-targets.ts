import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boxOwner, SecretBox } from '../../platform/config/index.js';
import type { Queryable } from '../../platform/database/index.js';
import type { DeliveryTarget, SecretKind } from '../store.js';
import {
  type CurrentSecret,
  type SealedDeliveryTarget,
  StoreSecretsRepository,
} from '../credentials/store-secrets.repository.js';

/** Stores whose opened secrets are remembered, beside the very boxes they were opened from. */
const MAX_REMEMBERED = 1_000;

/**
 * Where the events of stores go, and what signs them. Read afresh for every attempt: a rotated secret or a new
 * address counts from the next one on (contract 7.11). Only the decryption is remembered, and only for as long as the
 * table answers the same boxes.
 */
@Injectable()
export class DeliveryTargets {
  private readonly opened = new LRUCache<
    string,
    { readonly secrets: readonly CurrentSecret[]; readonly target: DeliveryTarget }
  >({ max: MAX_REMEMBERED });

  constructor(
    private readonly repository: StoreSecretsRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** Null when there is no such store. @throws Error when a secret cannot be decrypted */
  async find(storeId: string): Promise<DeliveryTarget | null> {
    const sealed = (await this.findSealed([storeId])).get(storeId);
    return sealed === undefined ? null : this.open(sealed);
  }

  /** Those of many stores in one round trip, with their secrets as they are kept. */
  findSealed(
    storeIds: readonly string[],
    on?: Queryable,
  ): Promise<ReadonlyMap<string, SealedDeliveryTarget>> {
    return this.repository.findDeliverySecrets(storeIds, on);
  }

  /** The store's API key in force, for a delivery that must carry it; null when there is none. */
  async findApiKey(storeId: string): Promise<string | null> {
    const sealed = await this.repository.findInForce(storeId, 'api_key');
    return sealed === null ? null : this.openSecret(storeId, 'api_key', sealed);
  }

  /** @throws Error when a secret cannot be decrypted, or the one that `signWith` names is missing */
  open(sealed: SealedDeliveryTarget): DeliveryTarget {
    const { storeId, webhookUrl, webhookPaused, secrets } = sealed;
    const known = this.opened.get(storeId);
    if (known !== undefined && areSame(known.secrets, secrets)) {
      const { target } = known;
      if (target.webhookUrl === webhookUrl && target.webhookPaused === webhookPaused) return target;
      return { ...target, webhookUrl, webhookPaused };
    }
    const service = secrets.find(({ kind, retired }) => kind !== 'signing_secret' && !retired);
    if (service === undefined) throw new Error('A store has no secret to sign with.');
    const target = {
      webhookUrl,
      webhookPaused,
      serviceSecret: this.openSecret(storeId, service.kind, service.ciphertext),
      signingSecrets: secrets
        .filter(({ kind }) => kind === 'signing_secret')
        .map(({ kind, ciphertext }) => this.openSecret(storeId, kind, ciphertext)),
    };
    this.opened.set(storeId, { secrets, target });
    return target;
  }

  private openSecret(storeId: string, kind: SecretKind, ciphertext: Buffer): string {
    return this.secretBox.open(ciphertext, boxOwner(storeId, kind));
  }
}

/** Every box has a nonce of its own, so equal boxes hold equal secrets. */
function areSame(known: readonly CurrentSecret[], found: readonly CurrentSecret[]): boolean {
  return (
    known.length === found.length &&
    known.every(({ kind, ciphertext, retired }, index) => {
      const other = found[index]!;
      return kind === other.kind && retired === other.retired && ciphertext.equals(other.ciphertext);
    })
  );
}
