import { Module } from '@nestjs/common';
import { forTables } from '../platform/database/index.js';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../platform/audit/index.js';
import { DeliveryTargets } from './endpoint/delivery-targets.js';
import { MembersController } from './members/members.controller.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { PhonePresence } from './phone-presence.js';
import { RememberedStores } from './credentials/remembered-stores.js';
import { SecretKeysCheck } from './credentials/secret-keys-check.js';
import { StoreKeyStrategy, StorePhoneStrategy } from './credentials/store-secret.strategies.js';
import { StoresOfOwner } from './owners/stores-of-owner.js';
import { StoreChanges } from './store-changes.js';
import { StoreHealth } from './store-health.js';
import { StoreRouting } from './store-routing.js';
import { StoreSecretsRepository } from './credentials/store-secrets.repository.js';
import { StoreSecrets } from './credentials/store-secrets.service.js';
import { StoreStates } from './store-states.js';
import { StoreViews } from './store-views.js';
import { StoreController, StoresController } from './stores.controller.js';
import { StoresRepository } from './stores.repository.js';
import { StoresService } from './stores.service.js';
import {
  STORE_MEMBERS,
  STORE_SECRETS,
  STORE_STATES,
  PHONE_SIGNS,
  STORE_WALLETS,
  STORES,
} from './stores.table.js';
import { WebhookEndpoint } from './endpoint/webhook-endpoint.service.js';

const TABLES = [STORES, STORE_SECRETS, STORE_STATES, PHONE_SIGNS, STORE_WALLETS, STORE_MEMBERS];

/** Stores, their secrets and wallets, and the guards that know a store by its secret. Needs a `WebhookUrlPolicy`. */
@Module({
  imports: [forTables(...TABLES), AccountsModule, AuditModule],
  controllers: [StoresController, StoreController, MembersController],
  providers: [
    StoresService,
    StoreChanges,
    StoresOfOwner,
    StoresRepository,
    MembersRepository,
    MembersService,
    StoreRouting,
    StoreSecrets,
    StoreSecretsRepository,
    StoreStates,
    PhonePresence,
    StoreHealth,
    StoreViews,
    WebhookEndpoint,
    DeliveryTargets,
    SecretKeysCheck,
    StoreKeyStrategy,
    StorePhoneStrategy,
    RememberedStores,
  ],
  exports: [
    StoresService,
    StoreChanges,
    MembersService,
    StoreSecrets,
    StoreRouting,
    StoreStates,
    PhonePresence,
    StoreHealth,
    StoreViews,
    WebhookEndpoint,
    DeliveryTargets,
    StoreKeyStrategy,
    StorePhoneStrategy,
    RememberedStores,
  ],
})
export class StoresModule {}
