import { findWallet } from '../../wallets/index.js';
import type { CheckoutPageView, EntryKind } from './checkout-view.js';

/*
 * Guessing is stopped after some different entries (decisions §4). From then on a form could only be refused, so it is
 * not offered, and the page says so as a state of its own.
 */

/** What is entered for a wallet: four digits for Bangla QR, the transaction id for everything else. */
export function entryKind(provider: string): EntryKind {
  return findWallet(provider)?.entry ?? 'trxId';
}

export function isUsedUp(view: CheckoutPageView, kind: EntryKind): boolean {
  return view.usedUp?.includes(kind) ?? false;
}

/** True when one of the offered wallets still takes an entry. */
export function takesEntries(view: CheckoutPageView): boolean {
  return offeredKinds(view).some((kind) => !isUsedUp(view, kind));
}

/** The kind of entries that ran out, where that is the payment's state; null where another state says more. */
export function limitedKind(view: CheckoutPageView): EntryKind | null {
  if (view.status === 'pending') return offeredKinds(view).find((kind) => isUsedUp(view, kind)) ?? null;
  if (view.status !== 'submitted') return null;
  const kind = view.submitted?.last4digit ? 'last4digit' : 'trxId';
  return isUsedUp(view, kind) ? kind : null;
}

function offeredKinds(view: CheckoutPageView): EntryKind[] {
  if (view.wallets.length === 0) return ['trxId'];
  return view.wallets.map(({ provider }) => entryKind(provider));
}
