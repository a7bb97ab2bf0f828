import { Injectable } from '@nestjs/common';
import { together, type Transaction } from '../../platform/database/index.js';
import { Events, type NewEvent, Subscriptions } from '../../platform/events/index.js';
import { newId } from '../../kernel/ids.js';
import { isGuessable } from '../../wallets/index.js';
import { ClaimsRepository } from './claims.repository.js';
import { SubmissionsRepository } from './submissions.repository.js';
import {
  type Comparison,
  compareMoney,
  type Claim,
  FLAG,
  MAX_IN_REVIEW,
  MAX_INEXACT_IN_REVIEW,
} from './matching.js';
import {
  decide,
  type Payment,
  type PaymentEvent,
  type PaymentStatus,
  endedAtOf,
  statusAt,
} from '../payments/payment.js';
import { PaymentChanges } from '../payments/payment-changes.js';
import { refusedIn } from '../payments/payments.errors.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PAYMENT_IN_REVIEW, PAYMENT_VERIFIED, verifiedEventBody } from '../payments/verified-event.js';

/** The part of a payment that an event changes besides its status. */
type Changes = Partial<Omit<Payment, 'id' | 'storeId' | 'status' | 'verifiedAt' | 'cancelledAt'>>;

/**
 * Receipts that are attached to nobody once a transaction is committed: they are then offered to the next claimant.
 */
export interface ReleasedReceipt {
  readonly storeId: string;
  readonly receiptId: string;
}

/**
 * The steps by which payments and receipts change, each inside the caller's transaction, with the payment's row
 * locked. Every step goes through the transition table; a verification is written together with its event (contract
 * 3.17 and 7.1).
 *
 * `now` is the instant at which the caller decided. A second look at the clock could find that a payment has expired
 * since, and refuse what the decision rests on: a receipt would be thrown away because it came at the last
 * millisecond.
 */
@Injectable()
export class PaymentTransitions {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly claims: ClaimsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly events: Events,
    private readonly subscriptions: Subscriptions,
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
    const changed = changedBy(payment, event, now, changes);
    const { status: next, verifiedAt } = changed;
    await together([
      this.payments.save(tx, changed, payment.status),
      next === 'verified' && verifiedAt !== null
        ? this.events.append(tx, verifiedEvent({ ...changed, verifiedAt }))
        : null,
      next === 'review' && current !== 'review' ? this.tellOfReview(tx, changed, now) : null,
    ]);
    tx.afterCommit(() => this.changes.announce(payment.id));
    return changed;
  }

  /**
   * Verifies locked payments of several stores that wait, each with a new receipt that agrees with it and has just
   * been written as `matched`. Not on a cluster.
   *
   * @throws DomainError 409, with the code of the state, when one does not wait
   */
  async verifyMany(
    tx: Transaction,
    pairs: readonly { readonly payment: Payment; readonly receipt: Receipt }[],
    now: Date,
  ): Promise<void> {
    const verified = pairs.map(({ payment, receipt }) => ({
      ...changedBy(payment, 'agree', now, comparedFacts(receipt, null)),
      verifiedAt: now,
    }));
    await together([
      this.payments.verifyMany(tx, verified, now),
      this.events.appendMany(tx, verified.map(verifiedEvent)),
    ]);
    tx.afterCommit(() => {
      for (const { id } of verified) this.changes.announce(id);
    });
  }

  /** Writes down that a locked payment has expired, if it has; the sweep may not have come round yet. */
  async expireIfOver(tx: Transaction, payment: Payment, now: Date): Promise<Payment> {
    const current = statusAt(payment, now);
    if (current === payment.status) return payment;
    const endedAt = endedAtOf(current, payment, now);
    const expired: Payment = { ...payment, status: current, endedAt };
    await this.payments.save(tx, expired, payment.status);
    return expired;
  }

  /**
   * Gives a free receipt to a payment that it was compared with: verified, or in review for that reason. A payment in
   * review comes here when it holds a simulated receipt and the real one is there, or claims a receipt that was let
   * go. `isNew`: the receipt was written in this transaction.
   */
  async take(
    tx: Transaction,
    payment: Payment,
    receipt: Receipt,
    comparison: Comparison,
    now: Date,
    { isNew }: { readonly isNew: boolean } = { isNew: false },
  ): Promise<Payment> {
    if (payment.receiptId !== null) await this.release(tx, payment, { released: false });
    const changes = comparedFacts(receipt, comparison === 'agree' ? null : comparison);
    const event = eventOf(payment, comparison, now);
    const isVerified = decide(statusAt(payment, now), event) === 'verified';
    const isNoGuess = !receipt.simulated && (receipt.last4digit !== null || isGuessable(receipt.provider));
    const [changed] = await together([
      this.apply(tx, payment, event, now, changes),
      this.receipts.setStatus(tx, payment.storeId, receipt.id, isVerified ? 'matched' : 'review'),
      isNoGuess ? this.submissions.markNoGuess(tx, payment, receipt) : null,
    ]);
    if (isVerified) {
      // Nobody claims what has just come.
      if (!isNew) await this.loseClaimsOn(tx, payment.storeId, receipt.id, payment.id, now);
      // A payment that claims something is in review.
      if (payment.status === 'review') await this.endClaims(tx, changed, { released: false }, now);
    }
    return changed;
  }

  /**
   * Sends payments to review over receipts that nobody is given by itself, and leaves those receipts to a user. Who
   * is in review stays there; what fits exactly makes it `ambiguous`. Of one receipt at most twenty payments are in
   * review: the others go on as they were. Answers the payments as they are now.
   */
  async claim(
    tx: Transaction,
    claims: readonly Claim[],
    payments: readonly Payment[],
    now: Date,
  ): Promise<ReadonlyMap<string, Payment>> {
    const changed = new Map<string, Payment>();
    for (const claim of claims) {
      const payment = changed.get(claim.paymentId) ?? payments.find(({ id }) => id === claim.paymentId);
      if (payment === undefined) throw new Error('A payment that claims a receipt has been locked.');
      if (!(await this.hasRoom(tx, payment, claim))) continue;
      await this.claims.put(tx, payment.storeId, claim, now);
      await this.receipts.doubt(tx, payment.storeId, [claim.receiptId]);
      changed.set(payment.id, await this.toReviewOver(tx, payment, claim, now));
    }
    return changed;
  }

  private async toReviewOver(tx: Transaction, payment: Payment, claim: Claim, now: Date): Promise<Payment> {
    const current = statusAt(payment, now);
    if (current === 'expired') return this.apply(tx, payment, 'money_late', now, { reviewReason: 'late' });
    if (current !== 'review') return this.apply(tx, payment, 'disagree', now, { reviewReason: 'ambiguous' });
    if (!claim.exact || payment.reviewReason === 'ambiguous' || payment.reviewReason === 'late')
      return payment;
    return this.apply(tx, payment, 'further', now, { reviewReason: 'ambiguous' });
  }

  /** Whether one more may be in review over a receipt (contract 4.41). */
  private async hasRoom(tx: Transaction, payment: Payment, claim: Claim): Promise<boolean> {
    const { exact, inexact } = await this.claims.count(tx, payment.storeId, claim.receiptId);
    // The holder is the twentieth.
    if (exact + inexact >= MAX_IN_REVIEW - 1) return false;
    return claim.exact || inexact < MAX_INEXACT_IN_REVIEW;
  }

  /**
   * Its receipt is another's: review (`trx_id_used`), where there is room for one more; else it goes on waiting.
   * Answers the payment as it is now, null when nothing has changed.
   */
  async lose(tx: Transaction, payment: Payment, claim: Claim, now: Date): Promise<Payment | null> {
    const current = statusAt(payment, now);
    if (current === 'review' || !(await this.hasRoom(tx, payment, claim))) return null;
    const event = current === 'expired' ? 'money_late' : 'disagree';
    const changed = await this.apply(tx, payment, event, now, { reviewReason: 'trx_id_used' });
    await this.claims.put(tx, payment.storeId, claim, now, true);
    return changed;
  }

  /**
   * Ends a payment without money. What it held and contested is free again, or void; answers what is to be offered to
   * who waits, once this is committed.
   */
  async abandon(
    tx: Transaction,
    payment: Payment,
    event: 'cancel' | 'reject',
    now: Date,
    how: {
      readonly released: boolean;
      readonly voided?: { readonly receiptId: string; readonly reason: string };
    },
  ): Promise<{ payment: Payment; releasedReceipts: ReleasedReceipt[] }> {
    const changed = await this.apply(tx, payment, event, now, { ...NO_RECEIPT, reviewReason: null });
    const releasedReceipts: ReleasedReceipt[] = [];
    const { voided } = how;
    if (payment.receiptId !== null && payment.receiptId !== voided?.receiptId)
      releasedReceipts.push(...(await this.release(tx, payment, how)));
    releasedReceipts.push(...(await this.endClaims(tx, payment, how, now)));
    if (voided !== undefined) await this.void(tx, payment.storeId, voided.receiptId, voided.reason, now);
    return {
      payment: changed,
      releasedReceipts: releasedReceipts.filter(({ receiptId }) => receiptId !== voided?.receiptId),
    };
  }

  /** The receipt that a payment holds is held no longer. It stays in review while others claim it. */
  async release(
    tx: Transaction,
    payment: Payment,
    { released }: { released: boolean },
  ): Promise<ReleasedReceipt[]> {
    const { storeId, receiptId } = payment;
    if (receiptId === null) return [];
    return this.releaseReceipt(tx, storeId, receiptId, released);
  }

  /** A payment that is decided claims nothing any longer. */
  async endClaims(
    tx: Transaction,
    payment: Payment,
    { released }: { released: boolean },
    now: Date,
  ): Promise<ReleasedReceipt[]> {
    const releasedReceipts: ReleasedReceipt[] = [];
    for (const receiptId of await this.claims.endOfPayment(tx, payment.storeId, payment.id, now)) {
      const receipt = await this.receipts.findOfStore(tx, payment.storeId, receiptId);
      if (receipt === null || receipt.holder !== null || receipt.status !== 'review') continue;
      releasedReceipts.push(...(await this.releaseReceipt(tx, payment.storeId, receiptId, released)));
    }
    return releasedReceipts;
  }

  private async releaseReceipt(
    tx: Transaction,
    storeId: string,
    receiptId: string,
    released: boolean,
  ): Promise<ReleasedReceipt[]> {
    const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
    if (receipt === null || receipt.status === 'void') return [];
    const claims = await this.claims.listOfReceipts(tx, storeId, [receiptId]);
    const marks = receipt.flags.filter((flag) => flag !== FLAG.released);
    const flags = released || receipt.simulated ? marks : [...marks, FLAG.released];
    await this.receipts.setFree(tx, receipt, claims.length === 0 ? 'unmatched' : 'review', flags);
    return [{ storeId, receiptId }];
  }

  /** A receipt whose money went back, or was for something else: it pays nothing any more. Nobody may hold it. */
  async void(tx: Transaction, storeId: string, receiptId: string, reason: string, now: Date): Promise<void> {
    await this.receipts.void(tx, storeId, receiptId, now, reason);
    await this.loseClaimsOn(tx, storeId, receiptId, null, now);
  }

  /**
   * A receipt is another's for good, or void: who was in review over nothing else is in review because of that
   * (`trx_id_used`), and approving needs no receipt.
   */
  async loseClaimsOn(
    tx: Transaction,
    storeId: string,
    receiptId: string,
    toPaymentId: string | null,
    now: Date,
  ): Promise<void> {
    const ended = await this.claims.endOfReceipt(tx, storeId, receiptId, now);
    if (ended.length === 0) return;
    const payments = await this.payments.lockMany(tx, storeId, ended);
    const still = await this.claims.listOfPayments(tx, storeId, ended);
    for (const payment of payments) {
      if (payment.id === toPaymentId || payment.status !== 'review') continue;
      if (still.some(({ paymentId }) => paymentId === payment.id)) continue;
      if (payment.receiptId !== null) await this.reviewOwn(tx, payment, now);
      else await this.apply(tx, payment, 'further', now, { reviewReason: 'trx_id_used' });
    }
  }

  /**
   * Nothing but its own receipt is left of what a payment was in review over: what is wrong with that one is the
   * reason.
   */
  private async reviewOwn(tx: Transaction, payment: Payment, now: Date): Promise<void> {
    const money = {
      amountMinor: payment.receivedAmountMinor ?? payment.payAmountMinor,
      currency: payment.receivedCurrency ?? payment.currency,
    };
    await this.apply(tx, payment, 'further', now, {
      reviewReason: payment.reviewReason === 'late' ? 'late' : (compareMoney(payment, money) ?? 'flagged'),
    });
  }

  /** Every time it goes there, so each is a subject of its own. Costs nothing where nobody asks for it. */
  private async tellOfReview(tx: Transaction, payment: Payment, now: Date): Promise<void> {
    if (!this.subscriptions.wants(PAYMENT_IN_REVIEW)) return;
    const { id: paymentId, storeId, reviewReason } = payment;
    await this.events.append(tx, {
      storeId,
      paymentId,
      subjectId: newId(),
      event: PAYMENT_IN_REVIEW,
      body: JSON.stringify({
        event: PAYMENT_IN_REVIEW,
        paymentId,
        storeId,
        reviewReason,
        at: now.toISOString(),
      }),
      createdAt: now,
      inFeed: false,
    });
  }
}

/**
 * A payment as an event leaves it.
 *
 * @throws DomainError 409, with the code of the state, when the table does not know the pair
 */
function changedBy(payment: Payment, event: PaymentEvent, now: Date, changes: Changes): Payment {
  const current = statusAt(payment, now);
  const next = decide(current, event);
  if (next === null) throw refusedIn(current);
  return {
    ...payment,
    ...changes,
    status: next,
    ...instantsOf(next, now),
    endedAt: endedAtOf(next, payment, now),
  };
}

function verifiedEvent(payment: Payment & { readonly verifiedAt: Date }): NewEvent {
  return {
    storeId: payment.storeId,
    paymentId: payment.id,
    event: PAYMENT_VERIFIED,
    body: verifiedEventBody(payment),
    createdAt: payment.verifiedAt,
    simulated: payment.simulated,
  };
}

/** The fields that a payment takes over from its receipt (contract 4.16). */
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

/** The same once both have been compared: why a user must look, or null. */
export function comparedFacts(receipt: Receipt, reviewReason: Payment['reviewReason']): Changes {
  // Not by a spread, which would give each of them a hidden class of its own (docs/performance.md).
  return Object.assign(receiptFacts(receipt), { reviewReason });
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

function eventOf(payment: Payment, comparison: Comparison, now: Date): PaymentEvent {
  const current = statusAt(payment, now);
  if (current === 'expired') return 'money_late';
  if (current !== 'review') return comparison === 'agree' ? 'agree' : 'disagree';
  if (payment.simulated && payment.receiptId !== null)
    return comparison === 'agree' ? 'real_agrees' : 'real_disagrees';
  return comparison === 'agree' ? 'released' : 'further';
}

function instantsOf(status: PaymentStatus, now: Date): Pick<Payment, 'verifiedAt' | 'cancelledAt'> {
  return { verifiedAt: status === 'verified' ? now : null, cancelledAt: status === 'cancelled' ? now : null };
}
