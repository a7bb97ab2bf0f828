export { QR_PROVIDER } from './qr.js';
export { normaliseTrxId } from './trx-id.js';
export {
  ACCOUNT_TYPES,
  type AccountType,
  type InBothLanguages,
  lettersAndDigits,
  type PayerEntry,
  PROVIDER_PATTERN,
  PROVIDER_RULE,
  type TrxIdShape,
  USUAL_ACTIONS,
  type WalletProvider,
} from './wallet.js';
export { findWallet, WalletRegistry, WALLETS } from './wallet-registry.js';
