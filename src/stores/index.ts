export type { DeliveryTarget, SignWith, Store, Wallet } from './store.js';
export { DeliveryTargets } from './delivery-targets.js';
export { CurrentStore, ForStoreKey, ForStorePeople, ForStorePhone } from './store.guards.js';
export { storeArchived, storeNotFound } from './stores.errors.js';
export { StoresModule } from './stores.module.js';
export type { SealedDeliveryTarget } from './stores.repository.js';
export { StoresService } from './stores.service.js';
export { WebhookUrlPolicy, type WebhookUrlVerdict } from './webhook-url-policy.js';
