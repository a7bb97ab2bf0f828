import type { RecordOf } from '../platform/database/index.js';
import type { AccountType } from '../wallets/index.js';
import type { STORES } from './stores.table.js';

export * from './store-words.js';

/** One way to pay that the checkout page offers (contract 2.29). */
export interface Wallet {
  readonly provider: string;
  readonly number: string | null;
  readonly accountType: AccountType;
  readonly qrPayload: string | null;
  readonly enabled: boolean;
}

/** A merchant's store. Its secrets are never part of it. */
export interface Store extends RecordOf<typeof STORES> {
  readonly wallets: readonly Wallet[];
  /** Last four characters of the API key, so that a user can tell keys apart. */
  readonly apiKeyHint: string;
}

/**
 * The key by which two wallets of a provider are the same: the number without blanks and the country's prefix, else the
 * QR code (contract 4.46). Null when there is neither: such a wallet receives nothing that could be told apart.
 */
export function walletKey(wallet: Pick<Wallet, 'number' | 'qrPayload'>): string | null {
  const number = wallet.number?.replace(/[\s-]+/g, '').replace(/^(?:\+|00)?88(?=01)|^\+88/, '') ?? '';
  return number === '' ? wallet.qrPayload : number;
}

/** Where a store's events go and what signs them, as it is at this moment. The secrets are in plain text. */
export interface DeliveryTarget {
  readonly webhookUrl: string | null;
  /** Events are held; a test may be sent. */
  readonly webhookPaused: boolean;
  /** The secret that `signWith` names, as the merchant sees it. */
  readonly serviceSecret: string;
  /** Standard Webhooks secrets: the one in force, then the one it replaced less than 24 h ago. */
  readonly signingSecrets: readonly string[];
}
