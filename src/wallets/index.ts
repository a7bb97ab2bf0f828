export { violationsOf } from './testing/conformance.js';
export { DIGITS, DIGITS_AND_CAPITALS, type Fields, type TrxIdRule } from './reader/message-fields.js';
export {
  collapseBlanks,
  MAX_MESSAGE_CHARACTERS,
  type MessageToRead,
  readMessage,
  splitMessages,
  type Reading,
  type ReceiptFields,
  type RuleName,
} from './reader/message-reader.js';
export { QR_PROVIDER } from './qr.js';
export { lookAlikesOf, normaliseTrxId, readTypedTrxId, TRX_ID_RULE } from './trx-id.js';
export {
  ACCOUNT_TYPES,
  type AccountType,
  AGENT_ONLY,
  defineWallet,
  type InBothLanguages,
  lettersAndDigits,
  MESSAGE_REASONS,
  type MessageReason,
  type MessageRule,
  type MessageSample,
  NOT_AGENT,
  type PayerEntry,
  PROVIDER_PATTERN,
  PROVIDER_RULE,
  type TrxIdShape,
  USUAL_ACTIONS,
  type WalletMessages,
  type WalletProvider,
} from './wallet.js';
export { walletStylesheet } from './wallet-stylesheet.js';
export { findWallet, isGuessable, WalletRegistry, WALLETS } from './wallet-registry.js';
