import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import type { MinorUnits } from '../../kernel/money.js';
import { QR_PROVIDER } from '../../wallets/index.js';
import { receiptNotFound } from '../payments/payments.errors.js';
import type { Receipt, ReceiptStatus } from './receipt.js';
import { ReceiptsRepository } from './receipts.repository.js';

/** Reads the receipts of a store (contract 6.50). */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
  ) {}

  /** @throws DomainError `receipt.not_found` */
  async getOfStore(storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (receipt === null) throw receiptNotFound();
    return receipt;
  }

  async listOfStore(
    storeId: string,
    status: ReceiptStatus | undefined,
    query: PageQuery,
  ): Promise<Page<Receipt>> {
    const receipts = await this.receipts.list(storeId, status, decodeCursor(query.cursor), query.limit);
    return pageOf(
      receipts,
      query.limit,
      (receipt) => ({ at: receipt.arrivedAt, id: receipt.id }),
      (receipt) => receipt,
    );
  }

  /**
   * Balances with which the next receipt of a wallet from this line of a phone may go on, in minor units: that of the
   * wallet's latest receipt, and that of the latest of the wallets which may share its balance.
   */
  async latestBalances(
    storeId: string,
    {
      provider,
      app,
      phoneLine,
    }: { readonly provider: string; readonly app: string; readonly phoneLine: string },
  ): Promise<readonly MinorUnits[]> {
    const wallets = [provider, ...(MAY_SHARE_BALANCE[provider] ?? [])];
    const found = await Promise.all(
      wallets.map((wallet) => this.receipts.findBalance(storeId, wallet, app, phoneLine)),
    );
    const known = found.filter((one) => one !== null);
    const latest = known.toSorted((one, other) => other.arrivedAt.getTime() - one.arrivedAt.getTime())[0];
    return [found[0], latest].flatMap((one) => (one == null ? [] : [one.balanceMinor]));
  }
}

/** Nagad's own money and its Bangla QR money may be one account, or two: nobody can tell (contract 9.24). */
const MAY_SHARE_BALANCE: Readonly<Record<string, readonly string[]>> = {
  nagad: [QR_PROVIDER],
  qr: ['nagad'],
};
