import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { receiptNotFound } from '../payments/payments.problems.js';
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
}
