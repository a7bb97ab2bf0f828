import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../audit/index.js';
import { DeliveryTargets } from './delivery-targets.js';
import { SecretBox } from './secret-box.js';
import { SecretKeysCheck } from './secret-keys-check.js';
import { StoreKeyStrategy, StorePhoneStrategy } from './store-secret.strategies.js';
import { StoreEntity, StoreSecretEntity } from './store.entity.js';
import { StoreController, StoresController } from './stores.controller.js';
import { StoresRepository } from './stores.repository.js';
import { StoresService } from './stores.service.js';

/** Stores, their secrets and wallets, and the guards that know a store by its secret. Needs a `WebhookUrlPolicy`. */
@Module({
  imports: [TypeOrmModule.forFeature([StoreEntity, StoreSecretEntity]), AccountsModule, AuditModule],
  controllers: [StoresController, StoreController],
  providers: [
    StoresService,
    StoresRepository,
    DeliveryTargets,
    SecretBox,
    SecretKeysCheck,
    StoreKeyStrategy,
    StorePhoneStrategy,
  ],
  exports: [StoresService, DeliveryTargets, StoreKeyStrategy, StorePhoneStrategy],
})
export class StoresModule {}
