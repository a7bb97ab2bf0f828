import type { MinorUnits } from '../../kernel/money.js';
import type { ReceiptChecks } from '../../stores/index.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import type { NewReceipt } from './receipt.js';

/** A balance of one wallet on one phone line: what a receipt's own balance may go on from (contract 9.24). */
export interface BalanceLine {
  readonly storeId: string;
  readonly provider: string;
  readonly app: string;
  readonly phoneLine: string;
}

/** The balance that the latest receipt of a line told. */
export interface LatestBalance extends BalanceLine {
  readonly balanceMinor: MinorUnits;
  readonly arrivedAt: Date;
}

type Balanced = Pick<NewReceipt, 'provider' | 'app' | 'amountMinor' | 'balanceMinor' | 'phoneLine'>;

/** Nagad's own money and its Bangla QR money may be one account, or two: nobody can tell (contract 9.24). */
const MAY_SHARE_BALANCE: Readonly<Record<string, readonly string[]>> = {
  nagad: [QR_PROVIDER],
  qr: ['nagad'],
};

/** The lines whose latest balances are compared with a receipt's; none where nothing is compared. */
export function balanceLinesOf(storeId: string, checks: ReceiptChecks, receipt: Balanced): BalanceLine[] {
  if (checks === 'off' || receipt.balanceMinor === null) return [];
  const { provider, app, phoneLine = '' } = receipt;
  const wallets = [provider, ...(MAY_SHARE_BALANCE[provider] ?? [])];
  return wallets.map((wallet) => ({ storeId, provider: wallet, app, phoneLine }));
}

/** The latest balances of lines, also while receipts of the same moment come to them one after the other. */
export class KnownBalances {
  private readonly latest = new Map<string, LatestBalance>();

  constructor(found: readonly LatestBalance[]) {
    for (const one of found) this.latest.set(keyOf(one), one);
  }

  /**
   * The flags of a receipt whose balance does not add up: below its own amount, which no true one was ever seen to
   * be, and a broken chain, which is usual: money goes out, messages come late. Matching decides what they
   * hold up.
   */
  flagsOf(storeId: string, checks: ReceiptChecks, receipt: Balanced): string[] {
    const { amountMinor, balanceMinor } = receipt;
    if (checks === 'off' || balanceMinor === null) return [];
    const known = balanceLinesOf(storeId, checks, receipt).map((line) => this.latest.get(keyOf(line)));
    const latest = known.reduce((one, other) => laterOf(one, other));
    // The balance of the wallet itself, and the latest of the wallets that may share an account with it.
    const before = [known[0], latest].filter((one) => one !== undefined);
    const isGap = before.length > 0 && before.every((one) => one.balanceMinor + amountMinor !== balanceMinor);
    return [
      ...(balanceMinor < amountMinor ? ['balance_below_amount'] : []),
      ...(isGap ? ['balance_gap'] : []),
    ];
  }

  /** The next receipt of its line goes on from this one. */
  note(storeId: string, receipt: Balanced, arrivedAt: Date): void {
    const { provider, app, phoneLine = '', balanceMinor } = receipt;
    if (balanceMinor === null) return;
    const one = { storeId, provider, app, phoneLine, balanceMinor, arrivedAt };
    this.latest.set(keyOf(one), one);
  }
}

function laterOf(
  one: LatestBalance | undefined,
  other: LatestBalance | undefined,
): LatestBalance | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.arrivedAt > one.arrivedAt ? other : one;
}

function keyOf({ storeId, provider, app, phoneLine }: BalanceLine): string {
  return JSON.stringify([storeId, provider, app, phoneLine]);
}
