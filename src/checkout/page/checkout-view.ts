import type { PaymentStatus } from '../../payments/index.js';
import type { Brand } from '../../platform/web/brand.js';
import type { Language } from '../../platform/web/language.js';
import type { CheckoutFiles } from './checkout-assets.js';
import type { AccountType, PayerEntry } from '../../wallets/index.js';

/**
 * The data of one checkout page: the public view of a payment (contract 5.4), and what depends on this request. The
 * states have their own type, so that the compiler finds every place that does not handle a new state.
 */
export interface CheckoutPageView {
  id: string;
  /** One that is not known here, as a newer replica may have stored it, is shown as such: without any form. */
  status: PaymentStatus;
  reviewReason?: string | null;
  /** The amount that the merchant asked for, in minor units (poisha). */
  amountMinor: number;
  /** The amount to pay: the same, or a little more that belongs to this payment alone. */
  payAmountMinor: number;
  /** The refunded amount of a verified payment, in minor units of `refundedCurrency`. */
  refundedAmountMinor?: number;
  refundedCurrency?: string | null;
  currency: string;
  storeName: string;
  note?: string | null;
  /** As the merchant sent it: usually `{name, quantity, price}[]`, but any shape is survived. */
  products?: unknown;
  wallets: readonly CheckoutWallet[];
  submitted?: CheckoutSubmission | null;
  /** Kinds of submissions of which a new one is kept for a user and not verified automatically: too many were made. */
  byHand?: readonly PayerEntry[];
  /** Those of which no new one is kept either. */
  usedUp?: readonly PayerEntry[];
  /** The wallet of the receipt, once there is one. */
  provider?: string | null;
  expiresAt: Date;
  serverTime: Date;
  /** Money of this payment waits under an id that looks like what was typed: O for 0, I or L for 1. */
  lookAlike?: boolean;
  /** Nothing has come from the store's phone for long while payments waited: a receipt may take longer than usual. */
  phoneQuiet?: boolean;
  /** Only http(s) addresses become links. */
  redirectUrl?: string | null;
  cancelUrl?: string | null;
  verifiedAt?: Date | null;

  language: Language;
  /** The time zone of times on the page (`STORE_TIME_ZONE`). */
  timeZone: string;
  /** An error code to explain above the form, after a submission without JavaScript. */
  notice?: string | null;
  /** The input of that submission, to be shown again. */
  typed?: CheckoutSubmission | null;
  brand?: Brand | null;
  /** Where the assets are; the controller may add a version for caching. */
  files?: CheckoutFiles;
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

/** Whether a payer can still enter something. */
const TAKES_SUBMISSIONS: Readonly<Record<PaymentStatus, boolean>> = {
  pending: true,
  submitted: true,
  verified: false,
  review: true,
  expired: true,
  cancelled: false,
};

/** True in the states with a form; never for one that is not known. */
export function hasForm(status: PaymentStatus): boolean {
  return Object.hasOwn(TAKES_SUBMISSIONS, status) && TAKES_SUBMISSIONS[status];
}

export interface CheckoutSubmission {
  provider?: string | null;
  trxId?: string | null;
  last4digit?: string | null;
}

export const DEFAULT_REDIRECT_AFTER_SECONDS = 20;
