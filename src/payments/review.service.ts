import { Injectable } from '@nestjs/common';
import { actorOf, type Caller } from '../accounts/index.js';
import { AuditLog } from '../audit/index.js';
import { Database, type Transaction } from '../database/index.js';
import { Clock } from '../kernel/clock.js';
import { compareMoney } from './matching.js';
import { contestedKeys, matchingKeys } from './matching-keys.js';
import { isContesting, type Payment } from './payment.js';
import {
  paymentNotFound,
  receiptClaimed,
  receiptIgnored,
  receiptNotFound,
  receiptRequired,
  refusedIn,
} from './payments.errors.js';
import { PaymentsRepository } from './payments.repository.js';
import type { Receipt } from './receipt.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { receiptFacts, Settlement } from './settlement.js';

/** What people decide: approve, reject, and match a receipt by hand (decisions §3). Each is in the audit log. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly settlement: Settlement,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies a payment in review. Amounts stay what they are: what was asked, and what was received. `receiptId` chooses
   * among unclaimed receipts and must be named while the payment is `ambiguous`.
   *
   * @throws DomainError 404 `payment.not_found`, `receipt.not_found`; 409 with the code of the state,
   * `receipt.already_matched`, `receipt.ignored`; 400 `payment.receipt_required`
   */
  async approve(
    caller: Caller,
    storeId: string,
    paymentId: string,
    decision: { reason: string; receiptId?: string | undefined },
  ): Promise<Payment> {
    return this.withKeys(storeId, paymentId, decision.receiptId, async (tx) => {
      const now = this.clock.now();
      const payment = await this.lockOfStore(tx, storeId, paymentId, now);
      if (payment.status !== 'review') throw refusedIn(payment.status);
      const receipt = await this.chosenReceipt(tx, payment, decision.receiptId);
      if (receipt === null && isContesting(payment)) throw receiptRequired();
      await this.freeOther(tx, payment, receipt);
      const facts = receipt === null ? this.claimedFacts(payment) : receiptFacts(receipt);
      const changed = await this.settlement.apply(tx, payment, 'approve', now, { ...facts, approvedAt: now });
      if (changed.receiptId !== null)
        await this.receipts.setStatus(tx, storeId, [changed.receiptId], 'matched');
      await this.audit(tx, caller, payment, changed, 'payment.approved', decision.reason);
      return changed;
    });
  }

  /** Cancels a payment in review; its receipt is free again. Same errors as `approve`. */
  async reject(caller: Caller, storeId: string, paymentId: string, reason: string): Promise<Payment> {
    return this.withKeys(storeId, paymentId, undefined, async (tx) => {
      const now = this.clock.now();
      const payment = await this.lockOfStore(tx, storeId, paymentId, now);
      if (payment.status !== 'review') throw refusedIn(payment.status);
      const changed = await this.settlement.abandon(tx, payment, 'reject', now);
      await this.audit(tx, caller, payment, changed, 'payment.rejected', reason);
      return changed;
    });
  }

  /** Gives an unclaimed receipt to a payment: verified when the money is equal, else in review. */
  async match(
    caller: Caller,
    storeId: string,
    receiptId: string,
    decision: { paymentId: string; reason: string },
  ): Promise<{ payment: Payment; receipt: Receipt }> {
    return this.withKeys(storeId, decision.paymentId, receiptId, async (tx) => {
      const now = this.clock.now();
      const payment = await this.lockOfStore(tx, storeId, decision.paymentId, now);
      const receipt = await this.unclaimedReceipt(tx, storeId, receiptId);
      const difference = compareMoney({ ...payment, amountMinor: payment.payAmountMinor }, receipt);
      await this.freeOther(tx, payment, receipt);
      const event = difference === null ? 'assign_equal' : 'assign_unequal';
      const changes = { ...receiptFacts(receipt), reviewReason: difference };
      const changed = await this.settlement.apply(tx, payment, event, now, changes);
      await this.receipts.setStatus(tx, storeId, [receipt.id], difference === null ? 'matched' : 'review');
      await this.audit(tx, caller, payment, changed, 'receipt.matched', decision.reason);
      const given = await this.receipts.findOfStore(tx, storeId, receiptId);
      return { payment: changed, receipt: given ?? receipt };
    });
  }

  /**
   * Whoever gives a receipt away holds the keys it is matched by, like everybody else who might take it; and whoever ends a
   * contest holds the keys of what is contested.
   */
  private async withKeys<Result>(
    storeId: string,
    paymentId: string,
    receiptId: string | undefined,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const locks = contestedKeys(await this.payments.findOfStore(storeId, paymentId));
    if (receiptId !== undefined) {
      const receipt = await this.receipts.findOfStore(this.database, storeId, receiptId);
      if (receipt === null) throw receiptNotFound();
      locks.push(...matchingKeys(receipt));
    }
    return this.database.transaction(work, { locks, storeId });
  }

  private async lockOfStore(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    now: Date,
  ): Promise<Payment> {
    const payment = await this.payments.lock(tx, storeId, paymentId);
    if (payment === null) throw paymentNotFound();
    return this.settlement.expireIfOver(tx, payment, now);
  }

  private async chosenReceipt(
    tx: Transaction,
    payment: Payment,
    receiptId: string | undefined,
  ): Promise<Receipt | null> {
    if (receiptId === undefined || receiptId === payment.receiptId) return null;
    return this.unclaimedReceipt(tx, payment.storeId, receiptId);
  }

  private async unclaimedReceipt(tx: Transaction, storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
    if (receipt === null) throw receiptNotFound();
    if (receipt.paymentId !== null) throw receiptClaimed();
    if (receipt.status === 'ignored') throw receiptIgnored();
    return receipt;
  }

  /** A payment holds one receipt at most: what it held before is free again. */
  private async freeOther(tx: Transaction, payment: Payment, receipt: Receipt | null): Promise<void> {
    if (receipt === null || payment.receiptId === null) return;
    await this.receipts.setStatus(tx, payment.storeId, [payment.receiptId], 'unmatched');
  }

  /** Approved without a receipt of its own: what the payer said is all there is. */
  private claimedFacts(payment: Payment): Partial<Payment> {
    if (payment.receiptId !== null) return {};
    const { submission } = payment;
    return {
      provider: submission?.provider ?? payment.requestedProvider,
      trxId: submission?.kind === 'trx_id' ? submission.trxId : null,
    };
  }

  private async audit(
    tx: Transaction,
    caller: Caller,
    before: Payment,
    after: Payment,
    action: string,
    reason: string,
  ): Promise<void> {
    await this.auditLog.append(tx, {
      storeId: before.storeId,
      actor: actorOf(caller.person),
      action,
      address: caller.address,
      details: {
        paymentId: before.id,
        receiptId: after.receiptId ?? before.receiptId,
        reason,
        status: { before: before.status, after: after.status },
        reviewReason: { before: before.reviewReason, after: after.reviewReason },
      },
    });
  }
}
