import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import type { Store } from './store.js';
import { StoresService } from './stores.service.js';

export const STORE_KEY_STRATEGY = 'store-key';
export const STORE_PHONE_STRATEGY = 'store-phone';

/** `X-Api-Key`: a merchant's backend (specification §5.1). Looked up on every request, so a rotated key is dead at once. */
@Injectable()
export class StoreKeyStrategy extends PassportStrategy(HeaderAPIKeyStrategy, STORE_KEY_STRATEGY) {
  constructor(private readonly stores: StoresService) {
    super({ header: 'X-Api-Key', prefix: '' }, false);
  }

  async validate(apiKey: string): Promise<Store | null> {
    return this.stores.findBySecret('api_key', apiKey);
  }
}

/** `X-Webhook-Secret`: the store's phone (specification §5.3). */
@Injectable()
export class StorePhoneStrategy extends PassportStrategy(HeaderAPIKeyStrategy, STORE_PHONE_STRATEGY) {
  constructor(private readonly stores: StoresService) {
    super({ header: 'X-Webhook-Secret', prefix: '' }, false);
  }

  async validate(webhookSecret: string): Promise<Store | null> {
    return this.stores.findBySecret('webhook_secret', webhookSecret);
  }
}
