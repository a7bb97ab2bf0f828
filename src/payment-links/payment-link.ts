import type { MinorUnits } from '../kernel/money.js';
import type { PaymentLinkRecord } from './payment-links.table.js';

/** `[a-z0-9-]{3,60}` (contract 11.2). */
export const SLUG_PATTERN = /^[a-z0-9-]{3,60}$/;

/** Without the letters and digits that are mistaken for each other when a link is typed from paper. */
export const SLUG_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
export const RANDOM_SLUG_CHARACTERS = 10;

/** Most open (`pending` or `submitted`) payments of one link and address at a time (contract 11.15). */
export const MAX_OPEN_PAYMENTS = 5;

/** Most open payments of one link at a time, whoever made them (contract 14.37). */
export const MAX_OPEN_PAYMENTS_OF_LINK = 100;

/** For this limit an IPv6 address counts as its /56: what a provider gives to one household (contract 14.36). */
export const IPV6_PREFIX_BITS = 56;

/** A link that becomes a payment whenever somebody opens it. Amounts are minor units of the store's currency. */
export type PaymentLink = PaymentLinkRecord;

/** Nothing has come through a link yet. */
export const NO_TOTALS = { verifiedCount: 0, verifiedAmountMinor: 0 };

/** Why a link takes no new payments. */
export type ClosedReason = 'off' | 'expired' | 'used_up' | 'shop_closed';

/** Null while the link takes payments. Money for payments that are open already still counts (contract 11.2). */
export function closedReason(
  link: Pick<PaymentLink, 'active' | 'expiresAt' | 'maxPayments'>,
  state: { readonly shopOpen: boolean; readonly verifiedCount: number; readonly now: Date },
): ClosedReason | null {
  if (!state.shopOpen) return 'shop_closed';
  if (!link.active) return 'off';
  if (link.expiresAt !== null && link.expiresAt <= state.now) return 'expired';
  if (link.maxPayments !== null && state.verifiedCount >= link.maxPayments) return 'used_up';
  return null;
}

/** True when the payer may pay this much through the link. */
export function takesAmount(
  link: Pick<PaymentLink, 'amountMinor' | 'minAmountMinor' | 'maxAmountMinor'>,
  amountMinor: MinorUnits,
): boolean {
  if (link.amountMinor !== null) return amountMinor === link.amountMinor;
  return amountMinor >= (link.minAmountMinor ?? 1) && amountMinor <= (link.maxAmountMinor ?? Infinity);
}

export function linkUrlOf(slug: string, publicUrl: string): string {
  return `${publicUrl}/l/${slug}`;
}
