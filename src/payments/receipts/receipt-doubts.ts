import { QR_PROVIDER } from '../../wallets/index.js';
import type { ArrivingReceipt, Receipt } from './receipt.js';

/** Marks that the service gives a receipt itself. */
export const FLAG = {
  /** The payment to which it was attached, or that claimed it, released it, and nobody said that it may verify another. */
  released: 'let_go',
  /** Another store of the owner has a receipt of the same TrxID. */
  otherStore: 'other_store',
  /** Equal digits and amount within the window of another receipt. */
  possibleDuplicate: 'possible_duplicate',
  /** Its TrxID was simulated before, and verified a payment. */
  simulatedBefore: 'simulated_before',
  /** Its TrxID was submitted for a payment that a user verified over less money, or over none (contract 4.19). */
  approvedBefore: 'approved_before',
} as const;

/** The flags of a receipt that is released. `mayPay`: by somebody who said that it may pay by itself. */
export function flagsOfReleased(
  { flags, simulated }: Pick<Receipt, 'flags' | 'simulated'>,
  mayPay: boolean,
): string[] {
  const others = flags.filter((flag) => flag !== FLAG.released);
  return mayPay || simulated ? others : [...others, FLAG.released];
}

/** The receipts of a store that a new one may tell of a second time. */
export interface KnownBefore {
  readonly byTrxId: readonly Receipt[];
  /** Receipts of equal digits and amount within the window of its money. */
  readonly alike: readonly Receipt[];
  /** A user has verified a payment for which its TrxID was submitted, over less or over none. */
  readonly isApprovedFor: boolean;
}

/** Why a new receipt verifies nothing automatically, whatever it says. */
export function doubtsAbout(
  receipt: ArrivingReceipt,
  { byTrxId, alike, isApprovedFor }: KnownBefore,
): string[] {
  if (receipt.simulated) return [];
  const doubts: string[] = [];
  const simulated = [...byTrxId.filter(({ provider }) => provider === receipt.provider), ...alike];
  if (simulated.some((one) => one.simulated && one.attachedTo?.verified === true))
    doubts.push(FLAG.simulatedBefore);
  const isAlike = (one: Receipt) =>
    !one.simulated &&
    one.currency === receipt.currency &&
    !(one.trxId !== null && receipt.trxId !== null && one.trxId !== receipt.trxId);
  if (alike.some(isAlike) || byTrxId.some((one) => isToldTwice(one, receipt)))
    doubts.push(FLAG.possibleDuplicate);
  if (isApprovedFor) doubts.push(FLAG.approvedBefore);
  return doubts;
}

/**
 * `qr` names a method, not a wallet: of one transaction a phone may hear as a QR payment, and from the wallet. Both
 * would pay, one by its digits and the other by its TrxID.
 */
function isToldTwice(one: Receipt, receipt: ArrivingReceipt): boolean {
  const isMethod = one.provider === QR_PROVIDER || receipt.provider === QR_PROVIDER;
  const isSameMoney = one.amountMinor === receipt.amountMinor && one.currency === receipt.currency;
  return isMethod && one.provider !== receipt.provider && isSameMoney && !one.simulated;
}
