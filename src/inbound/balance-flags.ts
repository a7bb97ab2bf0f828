import type { MinorUnits } from '../kernel/money.js';
import type { ReceiptChecks } from '../stores/index.js';

export interface CheckedBalance {
  readonly amountMinor: MinorUnits;
  /** After the receipt; null when the message does not tell. */
  readonly balanceMinor: MinorUnits | null;
  /** Balances that this one may go on from; empty when none is known. */
  readonly previousMinors: readonly MinorUnits[];
}

/**
 * The flags of a receipt whose balance does not add up: below its own amount, which no true one was ever seen to be,
 * and a broken chain, which is usual: money goes out, messages come late. What they hold up is for matching to say.
 */
export function balanceFlags(checks: ReceiptChecks, balance: CheckedBalance): string[] {
  const { amountMinor, balanceMinor, previousMinors } = balance;
  if (checks === 'off' || balanceMinor === null) return [];
  const isBelow = balanceMinor < amountMinor;
  const isGap =
    previousMinors.length > 0 && previousMinors.every((previous) => previous + amountMinor !== balanceMinor);
  return [...(isBelow ? ['balance_below_amount'] : []), ...(isGap ? ['balance_gap'] : [])];
}
