import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { newId } from '../../kernel/ids.js';
import type { Store } from '../store.js';
import type { AdmittingKind, StoreAdmission } from './store-admission.js';
import { StoreSecrets } from './store-secrets.service.js';

const HEADERS: Readonly<Record<AdmittingKind, string>> = {
  /** A merchant's backend (specification §5.1). */
  api_key: 'X-Api-Key',
  /** The store's phone (specification §5.3). */
  webhook_secret: 'X-Webhook-Secret',
};

type Find<Found> = (kind: AdmittingKind, secret: string) => Promise<Found | null>;

/** The common part of the strategies for a secret in a header. */
abstract class HeaderSecretStrategy<Found>
  extends PassportStrategy(HeaderAPIKeyStrategy)
  implements OnApplicationShutdown
{
  /**
   * Passport keeps one list of strategies for the whole process. Under a name of its own, the strategy of one
   * application never answers for another's requests.
   */
  readonly registeredAs = `store-secret-${newId()}`;

  constructor(
    private readonly kind: AdmittingKind,
    private readonly find: Find<Found>,
  ) {
    super({ header: HEADERS[kind], prefix: '' }, false);
    passport.use(this.registeredAs, this);
  }

  onApplicationShutdown(): void {
    passport.unuse(this.registeredAs);
  }

  override validate(secret: string): Promise<Found | null> {
    return this.find(this.kind, secret);
  }
}

/** Looked up on every request, so a key that was rotated is dead at once. */
@Injectable()
export class StoreKeyStrategy extends HeaderSecretStrategy<Store> {
  constructor(secrets: StoreSecrets) {
    super('api_key', (...presented) => secrets.findStore(...presented));
  }
}

/**
 * For routes whose own statement confirms the key (`ConfirmedByStatement`): one that is known here is not looked up
 * first.
 */
@Injectable()
export class StoreAdmissionStrategy extends HeaderSecretStrategy<StoreAdmission> {
  constructor(secrets: StoreSecrets) {
    super('api_key', (...presented) => secrets.admit(...presented));
  }
}

/** Looked up on every request. */
@Injectable()
export class StorePhoneStrategy extends HeaderSecretStrategy<Store> {
  constructor(secrets: StoreSecrets) {
    super('webhook_secret', (...presented) => secrets.findStore(...presented));
  }
}

/** For routes `ConfirmedByStatement`. */
@Injectable()
export class PhoneAdmissionStrategy extends HeaderSecretStrategy<StoreAdmission> {
  constructor(secrets: StoreSecrets) {
    super('webhook_secret', (...presented) => secrets.admit(...presented));
  }
}
