import { Injectable } from '@nestjs/common';
import { type Caller } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { Database } from '../../platform/database/index.js';
import { ReleasedReceipts } from '../intake/released-receipts.js';
import type { MatchingCase } from '../matching/matching-case.js';
import { MatchingCases } from '../matching/matching-cases.js';
import { matchingKeys } from '../matching/matching-keys.js';
import {
  receiptClaimed,
  receiptIgnored,
  receiptNotFound,
  receiptNotVoid,
  receiptVoid,
} from '../payments/payments.problems.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';

/** Decisions about receipts that are attached to no payment: void, restore (contract 3.28). Each is in the audit log. */
@Injectable()
export class ReceiptDecisions {
  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
    private readonly cases: MatchingCases,
    private readonly releasedReceipts: ReleasedReceipts,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Voids a receipt: its money went back, or was for something else, and never pays anything again.
   *
   * @throws DomainError 404 `receipt.not_found`; 409 `receipt.claimed`, `receipt.ignored`, `receipt.void`
   */
  async void(caller: Caller, storeId: string, receiptId: string, reason: string): Promise<Receipt> {
    return this.decide(caller, storeId, receiptId, 'receipt.voided', reason, (matching, receipt) => {
      if (receipt.attachedTo !== null) throw receiptClaimed();
      if (receipt.status === 'ignored') throw receiptIgnored();
      if (receipt.status === 'void') throw receiptVoid();
      matching.voidReceipt(receiptId, reason);
    });
  }

  /** Takes back that a receipt was voided. @throws DomainError 404 `receipt.not_found`; 409 `receipt.not_void` */
  async restore(caller: Caller, storeId: string, receiptId: string, reason: string): Promise<Receipt> {
    return this.decide(caller, storeId, receiptId, 'receipt.restored', reason, (matching, receipt) => {
      if (receipt.status !== 'void') throw receiptNotVoid();
      matching.restoreReceipt(receiptId);
    });
  }

  private async decide(
    caller: Caller,
    storeId: string,
    receiptId: string,
    action: string,
    reason: string,
    change: (matching: MatchingCase, receipt: Receipt) => void,
  ): Promise<Receipt> {
    const known = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (known === null) throw receiptNotFound();
    const released = await this.database.transaction(
      async (tx) => {
        const matching = await this.cases.ofReceiptDecision(tx, storeId, receiptId);
        const receipt = matching.findReceipt(receiptId);
        if (receipt === null) throw receiptNotFound();
        change(matching, receipt);
        await this.cases.save(tx, matching);
        await this.auditLog.record(tx, caller, action, { storeId, details: { receiptId, reason } });
        return matching.released;
      },
      { locks: matchingKeys(storeId, known), storeId },
    );
    // A restored receipt is as if it had just come: it may pay by itself.
    await this.releasedReceipts.offerAll(storeId, released, true);
    const decided = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (decided === null) throw receiptNotFound();
    return decided;
  }
}
