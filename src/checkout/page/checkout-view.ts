import type { Language } from './language.js';
import type { AccountType } from './wallet-guide.js';

/**
 * What the checkout page shows: the public view of a payment (decisions §5) plus what belongs to this one rendering.
 * Structural, so that the page depends on no other part of the service.
 */
export interface CheckoutPageView {
  id: string;
  /** pending, submitted, verified, review, expired or cancelled; anything else is shown as pending. */
  status: string;
  reviewReason?: string | null;
  /** Minor units (poisha). */
  amountMinor: number;
  currency: string;
  storeName: string;
  note?: string | null;
  /** As the merchant sent it: usually `{name, quantity, price}[]`, but any shape is survived. */
  products?: unknown;
  wallets: readonly CheckoutWallet[];
  submitted?: CheckoutSubmission | null;
  /** Kinds of entries of which this payment takes no new one: their tries are used up. */
  usedUp?: readonly EntryKind[];
  /** The wallet of the receipt, once there is one. */
  provider?: string | null;
  expiresAt: Date;
  serverTime: Date;
  /** Nothing has come from the store's phone for minutes: a receipt may take longer than usual. */
  phoneQuiet?: boolean;
  /** Only http(s) addresses become links. */
  redirectUrl?: string | null;
  cancelUrl?: string | null;
  verifiedAt?: Date | null;

  language: Language;
  /** An error code to explain above the form, after a submission without JavaScript. */
  notice?: string | null;
  /** What was typed with that submission, to be shown again. */
  typed?: CheckoutSubmission | null;
  brand?: CheckoutBrand | null;
  /** Where the assets are; the controller may add a version for caching. */
  assets?: CheckoutAssetPaths;
  /**
   * Seconds on the paid page before the payer is taken to `redirectUrl`. At least 20, the default, leaves everyone
   * time to stop it (WCAG 2.2, 2.2.1); the button goes there at once.
   */
  redirectAfterSeconds?: number;
}

export interface CheckoutWallet {
  provider: string;
  name?: string | null;
  number?: string | null;
  accountType?: AccountType | null;
  qrPayload?: string | null;
}

/** What a payer can enter, by the name of its field. */
export type EntryKind = 'trxId' | 'last4digit';

/** The states in which a payer can still enter something. */
export const STATES_WITH_FORM: readonly string[] = ['pending', 'submitted', 'expired'];

export interface CheckoutSubmission {
  provider?: string | null;
  trxId?: string | null;
  last4digit?: string | null;
}

/** How an operator makes the page its own; everything else is the custom properties at the top of checkout.css. */
export interface CheckoutBrand {
  /** Stands in the footer instead of the product's name. */
  name?: string | null;
  /** Accent colour as `#rrggbb`; comes from the stylesheet of `brandStylesheet`, never from inline styles. */
  colour?: string | null;
  /** An image on this server (`img-src 'self'`), shown beside the shop's name. */
  logoUrl?: string | null;
}

export interface CheckoutAssetPaths {
  stylesheet: string;
  script: string;
  icon: string;
}

export const DEFAULT_ASSET_PATHS: CheckoutAssetPaths = {
  stylesheet: '/pay/assets/checkout.css',
  script: '/pay/assets/checkout.js',
  icon: '/pay/assets/icon.svg',
};

export const DEFAULT_REDIRECT_AFTER_SECONDS = 20;
