import type { MinorUnits } from '../kernel/money.js';

/** The checks of balances that a store has switched on (contract 9.18). */
export type ReceiptChecks = 'off' | 'flag' | 'review';

export interface CheckedBalance {
  readonly amountMinor: MinorUnits;
  /** After the receipt; null when the message does not tell. */
  readonly balanceMinor: MinorUnits | null;
  /** After the receipt before it, of the same wallet and phone; null when there was none. */
  readonly previousMinor: MinorUnits | null;
}

/**
 * The flags of a receipt whose balance does not add up: below its own amount, which no true one was ever seen to be,
 * and a broken chain, which is usual: money goes out, messages come late. What they hold up is for matching to say.
 */
export function balanceFlags(checks: ReceiptChecks, balance: CheckedBalance): string[] {
  const { amountMinor, balanceMinor, previousMinor } = balance;
  if (checks === 'off' || balanceMinor === null) return [];
  const isBelow = balanceMinor < amountMinor;
  const isGap = previousMinor !== null && previousMinor + amountMinor !== balanceMinor;
  return [...(isBelow ? ['balance_below_amount'] : []), ...(isGap ? ['balance_gap'] : [])];
}
