import { Injectable } from '@nestjs/common';
import type { MinorUnits } from '../kernel/money.js';
import { ReceiptsService } from '../payments/index.js';
import type { Store } from '../stores/index.js';
import { balanceFlags } from './balance-flags.js';

/** Whether the balance of a receipt adds up, as its store wants that checked (contract 9.17). */
@Injectable()
export class BalanceChecks {
  constructor(private readonly receipts: ReceiptsService) {}

  async flagsOf(
    store: Store,
    receipt: {
      readonly provider: string;
      readonly app: string;
      readonly amountMinor: MinorUnits;
      readonly balanceMinor: MinorUnits | null;
      readonly phoneLine?: string;
    },
  ): Promise<string[]> {
    if (store.receiptChecks === 'off' || receipt.balanceMinor === null) return [];
    const line = { provider: receipt.provider, app: receipt.app, phoneLine: receipt.phoneLine ?? '' };
    const previousMinors = await this.receipts.latestBalances(store.id, line);
    return balanceFlags(store.receiptChecks, { ...receipt, previousMinors });
  }
}
