export {
  type DeliveryTarget,
  RECEIPT_CHECKS,
  type ReceiptChecks,
  SIGN_WITH,
  type SignWith,
  type Store,
  type Wallet,
} from './store.js';
export { Currency, LastFourDigits, ProviderCode } from './fields.js';
export { DeliveryTargets } from './endpoint/delivery-targets.js';
export {
  CurrentStore,
  ForStoreKey,
  ForStoreUsers,
  ForStorePhone,
  NeedsRole,
  type RouteDecorators,
  UNDER_A_STORE,
} from './credentials/store.guards.js';
export { RememberedStores } from './credentials/remembered-stores.js';
export { credentialRefused, STORE_STAMP } from './credentials/store-credential.js';
export { isAtLeast, MEMBER_ROLES, type MemberRole, STORE_ROLES, type StoreRole } from './store-role.js';
export { AddMemberBody, ChangeMemberBody } from './members/members.dto.js';
export { MembersService, type NamedMember } from './members/members.service.js';
export * as memberProblems from './members/members.problems.js';
export * from './stores.problems.js';
export { StoresModule } from './stores.module.js';
export type { SealedDeliveryTarget } from './credentials/store-secrets.repository.js';
export { CLOCK_TOLERANCE_MS, PhonePresence, type PhoneStatus } from './phone-presence.js';
export { type SilentPhone, StoreHealth, type TroubledEndpoint } from './store-health.js';
export { StoreRouting } from './store-routing.js';
export { StoreSecrets } from './credentials/store-secrets.service.js';
export { type PhoneSigns, StoreStates } from './store-states.js';
export { WebhookEndpoint } from './endpoint/webhook-endpoint.service.js';
export { type CreatedStore, StoresService, lookBackMsOf } from './stores.service.js';
export { CreateStoreBody, storeChangesOf, UpdateStoreBody, WalletInput, walletOf } from './stores.dto.js';
export { reencryptSecrets, type ReencryptionProgress } from './credentials/secret-reencryption.js';
export { StoreViews } from './store-views.js';
export { WebhookUrlPolicy, type WebhookUrlVerdict } from './endpoint/webhook-url-policy.js';
export * as storeProblems from './stores.problems.js';
export { ReceiptsOfOwner } from './owners/receipts-of-owner.js';
export { StoreChanges } from './store-changes.js';
export { QR_WINDOW, StoresSettings } from './stores.settings.js';
