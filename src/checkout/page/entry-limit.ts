import { findWallet, type PayerEntry } from '../../wallets/index.js';
import type { CheckoutPageView } from './checkout-view.js';

/*
 * Guessing is stopped after some different entries (contract 4.61). From then on as many again are kept for a user,
 * since money that arrived is never shut out: the page says so as a state of its own, and still offers the form. Then
 * it has none.
 */

/** The kind of input for a wallet: four digits for Bangla QR, the transaction id for everything else. */
export function entryKind(provider: string): PayerEntry {
  return findWallet(provider)?.entry ?? 'trxId';
}

export function isUsedUp(view: CheckoutPageView, kind: PayerEntry): boolean {
  return view.usedUp?.includes(kind) ?? false;
}

/** A new entry of this kind is only for a user. */
export function isByHand(view: CheckoutPageView, kind: PayerEntry): boolean {
  return view.byHand?.includes(kind) ?? false;
}

/** True when one of the offered wallets still takes an entry. */
export function takesSubmissions(view: CheckoutPageView): boolean {
  return offeredKinds(view).some((kind) => !isUsedUp(view, kind));
}

/**
 * The kind of which there were too many entries, where that is the payment's state; null where another state says
 * more.
 */
export function limitedKind(view: CheckoutPageView): PayerEntry | null {
  if (view.status === 'pending') return offeredKinds(view).find((kind) => isLimited(view, kind)) ?? null;
  if (view.status !== 'submitted') return null;
  const kind = view.submitted?.last4digit ? 'last4digit' : 'trxId';
  return isLimited(view, kind) ? kind : null;
}

function isLimited(view: CheckoutPageView, kind: PayerEntry): boolean {
  return isByHand(view, kind) || isUsedUp(view, kind);
}

function offeredKinds(view: CheckoutPageView): PayerEntry[] {
  if (view.wallets.length === 0) return ['trxId'];
  return view.wallets.map(({ provider }) => entryKind(provider));
}
