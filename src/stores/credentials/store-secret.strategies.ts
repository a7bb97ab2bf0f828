import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { newId } from '../../kernel/ids.js';
import type { Store } from '../store.js';
import type { StoreCredential } from './store-credential.js';
import { StoreSecrets } from './store-secrets.service.js';

const HEADERS: Readonly<Record<StoreCredential, string>> = {
  /** A merchant's backend (specification §5.1). */
  api_key: 'X-Api-Key',
  /** The store's phone (specification §5.3). */
  webhook_secret: 'X-Webhook-Secret',
};

/** The common part of the strategies for a secret in a header. Looked up on every request. */
abstract class HeaderSecretStrategy
  extends PassportStrategy(HeaderAPIKeyStrategy)
  implements OnApplicationShutdown
{
  /**
   * Passport keeps one list of strategies for the whole process. Under a name of its own, the strategy of one
   * application never answers for another's requests.
   */
  readonly registeredAs = `store-secret-${newId()}`;

  constructor(
    private readonly kind: StoreCredential,
    private readonly secrets: StoreSecrets,
  ) {
    super({ header: HEADERS[kind], prefix: '' }, false);
    passport.use(this.registeredAs, this);
  }

  onApplicationShutdown(): void {
    passport.unuse(this.registeredAs);
  }

  override validate(secret: string): Promise<Store | null> {
    return this.secrets.findStore(this.kind, secret);
  }
}

@Injectable()
export class StoreKeyStrategy extends HeaderSecretStrategy {
  constructor(secrets: StoreSecrets) {
    super('api_key', secrets);
  }
}

@Injectable()
export class StorePhoneStrategy extends HeaderSecretStrategy {
  constructor(secrets: StoreSecrets) {
    super('webhook_secret', secrets);
  }
}
