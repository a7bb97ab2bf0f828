import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { newId } from '../kernel/ids.js';
import type { Store } from './store.js';
import type { AdmittingKind, StoreAdmission } from './store-admission.js';
import { StoreSecrets } from './store-secrets.service.js';

const HEADERS: Readonly<Record<AdmittingKind, string>> = {
  /** A merchant's backend (specification §5.1). */
  api_key: 'X-Api-Key',
  /** The store's phone (specification §5.3). */
  webhook_secret: 'X-Webhook-Secret',
};

/** What every strategy for a secret in a header shares. */
abstract class HeaderSecretStrategy<Found>
  extends PassportStrategy(HeaderAPIKeyStrategy)
  implements OnApplicationShutdown
{
  /**
   * Passport keeps one list of strategies for the whole process. Under a name of its own, the strategy of one application
   * never answers for another's requests.
   */
  readonly registeredAs = `store-secret-${newId()}`;

  constructor(header: string) {
    super({ header, prefix: '' }, false);
    passport.use(this.registeredAs, this);
  }

  onApplicationShutdown(): void {
    passport.unuse(this.registeredAs);
  }

  abstract override validate(secret: string): Promise<Found | null>;
}

/** Looked up on every request, so a secret that was replaced is dead at once. */
abstract class LookedUpStrategy extends HeaderSecretStrategy<Store> {
  constructor(
    private readonly secrets: StoreSecrets,
    private readonly kind: AdmittingKind,
  ) {
    super(HEADERS[kind]);
  }

  override async validate(secret: string): Promise<Store | null> {
    return this.secrets.findStore(this.kind, secret);
  }
}

/** For routes whose own statement confirms the secret (`ConfirmedByStatement`): one that is known here is not looked up first. */
abstract class AdmissionStrategy extends HeaderSecretStrategy<StoreAdmission> {
  constructor(
    private readonly secrets: StoreSecrets,
    private readonly kind: AdmittingKind,
  ) {
    super(HEADERS[kind]);
  }

  override async validate(secret: string): Promise<StoreAdmission | null> {
    return this.secrets.admit(this.kind, secret);
  }
}

@Injectable()
export class StoreKeyStrategy extends LookedUpStrategy {
  constructor(secrets: StoreSecrets) {
    super(secrets, 'api_key');
  }
}

@Injectable()
export class StoreAdmissionStrategy extends AdmissionStrategy {
  constructor(secrets: StoreSecrets) {
    super(secrets, 'api_key');
  }
}

@Injectable()
export class StorePhoneStrategy extends LookedUpStrategy {
  constructor(secrets: StoreSecrets) {
    super(secrets, 'webhook_secret');
  }
}

@Injectable()
export class PhoneAdmissionStrategy extends AdmissionStrategy {
  constructor(secrets: StoreSecrets) {
    super(secrets, 'webhook_secret');
  }
}
