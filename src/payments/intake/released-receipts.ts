import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { messageOf } from '../../kernel/error-text.js';
import { StoresService } from '../../stores/index.js';
import { decideReleasedReceipt } from '../matching/decide-receipt.js';
import { type Decision, NOTHING } from '../matching/decision.js';
import { GuessProtection } from '../matching/guess-protection.js';
import { MatchingCases } from '../matching/matching-cases.js';
import { matchingKeys } from '../matching/matching-keys.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';

/**
 * Offers released receipts to who waits for them (contract 3.35): after the commit that released them, each under its
 * own keys. The sweep finds what a crash in between leaves behind.
 */
@Injectable()
export class ReleasedReceipts {
  private readonly logger = new Logger(ReleasedReceipts.name);

  constructor(
    private readonly database: Database,
    private readonly stores: StoresService,
    private readonly receipts: ReceiptsRepository,
    private readonly cases: MatchingCases,
    private readonly guesses: GuessProtection,
  ) {}

  /** `mayPay`: they may pay by themselves; else who waits gets one and stays in review. Errors are logged. */
  async offerAll(storeId: string, receiptIds: readonly string[], mayPay: boolean): Promise<void> {
    for (const receiptId of receiptIds) {
      try {
        await this.offer(storeId, receiptId, mayPay);
      } catch (error) {
        this.logger.warn({ storeId, receiptId }, messageOf(error));
      }
    }
  }

  private async offer(storeId: string, receiptId: string, mayPay: boolean): Promise<void> {
    const known = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (known === null) return;
    const store = await this.stores.get(storeId);
    const rules = this.cases.rulesOf(store);
    await this.database.transaction(
      async (tx) => {
        const released = await this.cases.ofReleased(tx, storeId, receiptId);
        if (released === null) return;
        const { matching, receipt } = released;
        const facts = matching.claimantsOfReleased(receipt, rules);
        const decision = decideReleasedReceipt(receipt, facts, mayPay, rules);
        matching.apply(await this.guesses.temper(tx, store, matching, decision));
        await this.cases.save(tx, matching);
      },
      { locks: matchingKeys(storeId, known), storeId },
    );
  }

  /**
   * Decides as if this payment had ended and released the receipt to pay by itself. Changes nothing. Guess protection
   * is not asked: it may still send the payment that would get the receipt to review.
   */
  async foresee(storeId: string, receiptId: string, paymentId: string): Promise<Decision> {
    const rules = this.cases.rulesOf(await this.stores.get(storeId));
    return this.database.transaction(
      async (tx) => {
        const released = await this.cases.ofReleased(tx, storeId, receiptId, paymentId);
        if (released === null) return NOTHING;
        const { matching, receipt } = released;
        const facts = matching.claimantsOfReleased(receipt, rules);
        return this.guesses.sparePhones(tx, matching, decideReleasedReceipt(receipt, facts, true, rules));
      },
      { storeId },
    );
  }
}
