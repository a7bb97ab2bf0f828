import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/index.js';
import { Events } from '../events/index.js';
import type { Comparison } from './matching.js';
import {
  decide,
  isContesting,
  type Payment,
  type PaymentEvent,
  type PaymentStatus,
  type ReviewReason,
  settledAtOf,
  statusAt,
} from './payment.js';
import { PaymentChanges } from './payment-changes.js';
import { refusedIn } from './payments.errors.js';
import { PaymentsRepository } from './payments.repository.js';
import type { Receipt } from './receipt.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { PAYMENT_VERIFIED, verifiedEventBody } from './verified-event.js';

/** The part of a payment that an event changes besides its status. */
type Changes = Partial<Omit<Payment, 'id' | 'storeId' | 'status' | 'verifiedAt' | 'cancelledAt'>>;

/**
 * The steps by which payments and receipts change, each inside the caller's transaction, with the payment's row locked.
 * Every step goes through the transition table; a verification is written together with its event (decisions §3, §7).
 *
 * `now` is the instant at which the caller decided. A second look at the clock could find that a payment has expired since,
 * and refuse what the decision rests on: a receipt would be thrown away because it came at the last millisecond.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly events: Events,
    private readonly changes: PaymentChanges,
  ) {}

  /**
   * Applies an event to a locked payment.
   *
   * @throws DomainError 409, with the code of the state, when the table does not know the pair
   */
  async apply(
    tx: Transaction,
    payment: Payment,
    event: PaymentEvent,
    now: Date,
    changes: Changes = {},
  ): Promise<Payment> {
    const current = statusAt(payment, now);
    const next = decide(current, event);
    if (next === null) throw refusedIn(current);
    const changed: Payment = {
      ...payment,
      ...changes,
      status: next,
      ...instantsOf(next, now),
      settledAt: settledAtOf(next, payment, now),
    };
    await this.payments.save(tx, changed, payment.status);
    if (isContesting(payment) && !isContesting(changed)) await this.receipts.release(tx, changed);
    if (changed.status === 'verified' && changed.verifiedAt !== null)
      await this.appendEvent(tx, changed, changed.verifiedAt);
    tx.afterCommit(() => this.changes.announce(payment.id));
    return changed;
  }

  /** Writes down that a locked payment has expired, if it has; the sweep may not have come round yet. */
  async expireIfOver(tx: Transaction, payment: Payment, now: Date): Promise<Payment> {
    const current = statusAt(payment, now);
    if (current === payment.status) return payment;
    const settledAt = settledAtOf(current, payment, now);
    const expired: Payment = { ...payment, status: current, settledAt };
    await this.payments.save(tx, expired, payment.status);
    return expired;
  }

  /** Gives an unclaimed receipt to a payment that it was compared with: verified, or in review for that reason. */
  async take(
    tx: Transaction,
    payment: Payment,
    receipt: Receipt,
    comparison: Comparison,
    now: Date,
  ): Promise<Payment> {
    const changes = { ...receiptFacts(receipt), reviewReason: comparison === 'agree' ? null : comparison };
    const changed = await this.apply(tx, payment, eventOf(comparison), now, changes);
    await this.receipts.setStatus(
      tx,
      payment.storeId,
      [receipt.id],
      changed.status === 'verified' ? 'matched' : 'review',
    );
    return changed;
  }

  /** Sends a payment to review without giving it a receipt. */
  async doubt(tx: Transaction, payment: Payment, reason: ReviewReason, now: Date): Promise<Payment> {
    const event = reason === 'late' ? 'money_late' : 'disagree';
    return this.apply(tx, payment, event, now, { reviewReason: reason });
  }

  /** Ends a payment without money; the receipt it held is free again. */
  async abandon(tx: Transaction, payment: Payment, event: 'cancel' | 'reject', now: Date): Promise<Payment> {
    const changed = await this.apply(tx, payment, event, now, { ...NO_RECEIPT, reviewReason: null });
    if (payment.receiptId !== null)
      await this.receipts.setStatus(tx, payment.storeId, [payment.receiptId], 'unmatched');
    return changed;
  }

  private async appendEvent(tx: Transaction, payment: Payment, verifiedAt: Date): Promise<void> {
    await this.events.append(tx, {
      storeId: payment.storeId,
      paymentId: payment.id,
      event: PAYMENT_VERIFIED,
      body: verifiedEventBody({ ...payment, verifiedAt }),
      createdAt: verifiedAt,
      simulated: payment.simulated,
    });
  }
}

/** What a payment takes over from the receipt it holds (decisions §4). */
export function receiptFacts(receipt: Receipt): Changes {
  return {
    receiptId: receipt.id,
    provider: receipt.provider,
    trxId: receipt.trxId,
    payerNumber: receipt.counterparty,
    receivedAmountMinor: receipt.amountMinor,
    receivedCurrency: receipt.currency,
    simulated: receipt.simulated,
  };
}

export const NO_RECEIPT: Changes = {
  receiptId: null,
  provider: null,
  trxId: null,
  payerNumber: null,
  receivedAmountMinor: null,
  receivedCurrency: null,
  simulated: false,
};

function eventOf(comparison: Comparison): PaymentEvent {
  if (comparison === 'agree') return 'agree';
  return comparison === 'late' ? 'money_late' : 'disagree';
}

function instantsOf(status: PaymentStatus, now: Date): Pick<Payment, 'verifiedAt' | 'cancelledAt'> {
  return { verifiedAt: status === 'verified' ? now : null, cancelledAt: status === 'cancelled' ? now : null };
}
