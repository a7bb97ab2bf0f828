import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/error-text.js';
import { StoresService } from '../../stores/index.js';
import { ClaimsRepository } from '../matching/claims.repository.js';
import type { ReceiptOutcome } from '../matching/matching.js';
import { matchingKeys } from '../matching/matching-keys.js';
import { ReceiptMatching } from '../matching/receipt-matching.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import type { ReleasedReceipt } from '../matching/payment-transitions.js';

/**
 * Offers receipts that have become free to who waits for them (contract 3.35): after the commit that released them,
 * each under its own keys. The sweep finds what a crash in between leaves behind.
 */
@Injectable()
export class ReceiptOffers {
  private readonly logger = new Logger(ReceiptOffers.name);

  constructor(
    private readonly database: Database,
    private readonly stores: StoresService,
    private readonly receipts: ReceiptsRepository,
    private readonly claims: ClaimsRepository,
    private readonly matching: ReceiptMatching,
    private readonly clock: Clock,
  ) {}

  /** `released`: it may pay by itself; else who waits for it takes it and stays in review. Errors are logged. */
  async offerAll(receipts: readonly ReleasedReceipt[], released: boolean): Promise<void> {
    for (const { storeId, receiptId } of receipts) {
      try {
        await this.offer(storeId, receiptId, released);
      } catch (error) {
        this.logger.warn({ storeId, receiptId }, messageOf(error));
      }
    }
  }

  /**
   * Who would get a receipt, or be in review over it, if this payment ended and let it go; null for nobody. Changes
   * nothing.
   */
  async foresee(storeId: string, receiptId: string, leavingId: string): Promise<ReceiptOutcome | null> {
    const store = await this.stores.get(storeId);
    return this.database.transaction(
      async (tx) => {
        const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
        if (receipt === null || receipt.status === 'void' || receipt.status === 'ignored') return null;
        return this.matching.foresee(tx, store, receipt, leavingId, this.clock.now());
      },
      { storeId },
    );
  }

  async offer(storeId: string, receiptId: string, released: boolean): Promise<void> {
    const known = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (known === null) return;
    const store = await this.stores.get(storeId);
    await this.database.transaction(
      async (tx) => {
        const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
        if (receipt === null || receipt.holder !== null) return;
        if (receipt.status !== 'unmatched' && receipt.status !== 'review') return;
        const now = this.clock.now();
        const claiming = await this.claims.listOfReceipts(tx, storeId, [receiptId]);
        if (claiming.length === 0) await this.matching.match(tx, store, receipt, now, { again: true });
        else {
          const ids = claiming.map(({ paymentId }) => paymentId);
          await this.matching.matchReleased(tx, store, receipt, ids, released, now);
        }
      },
      { locks: matchingKeys(storeId, known), storeId },
    );
  }
}
