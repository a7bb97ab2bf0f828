import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { newId } from '../kernel/ids.js';
import type { Store } from './store.js';
import type { StoreAdmission } from './store-admission.js';
import { StoreSecrets } from './store-secrets.service.js';

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

const KEY_HEADER = 'X-Api-Key';
const PHONE_HEADER = 'X-Webhook-Secret';

/** `X-Api-Key`: a merchant's backend (specification §5.1). Looked up on every request, so a rotated key is dead at once. */
@Injectable()
export class StoreKeyStrategy extends HeaderSecretStrategy<Store> {
  constructor(private readonly secrets: StoreSecrets) {
    super(KEY_HEADER);
  }

  override async validate(apiKey: string): Promise<Store | null> {
    return this.secrets.findStore('api_key', apiKey);
  }
}

/** The same for routes whose own statement confirms the key (`ConfirmedByStatement`): a key known here is not looked up first. */
@Injectable()
export class StoreAdmissionStrategy extends HeaderSecretStrategy<StoreAdmission> {
  constructor(private readonly secrets: StoreSecrets) {
    super(KEY_HEADER);
  }

  override async validate(apiKey: string): Promise<StoreAdmission | null> {
    return this.secrets.admit('api_key', apiKey);
  }
}

/** `X-Webhook-Secret`: the store's phone (specification §5.3). */
@Injectable()
export class StorePhoneStrategy extends HeaderSecretStrategy<Store> {
  constructor(private readonly secrets: StoreSecrets) {
    super(PHONE_HEADER);
  }

  override async validate(webhookSecret: string): Promise<Store | null> {
    return this.secrets.findStore('webhook_secret', webhookSecret);
  }
}

/** The same for routes `ConfirmedByStatement`. */
@Injectable()
export class PhoneAdmissionStrategy extends HeaderSecretStrategy<StoreAdmission> {
  constructor(private readonly secrets: StoreSecrets) {
    super(PHONE_HEADER);
  }

  override async validate(webhookSecret: string): Promise<StoreAdmission | null> {
    return this.secrets.admit('webhook_secret', webhookSecret);
  }
}
