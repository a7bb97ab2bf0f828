import { Injectable } from '@nestjs/common';
import { together, type Transaction } from '../../platform/database/index.js';
import { Events, type NewEvent, Subscriptions } from '../../platform/events/index.js';
import { newId } from '../../kernel/ids.js';
import { decide, endedAtOf, type Payment, type PaymentEvent, statusAt } from './payment.js';
import { PaymentChanges } from './payment-changes.js';
import { refusedIn } from './payments.problems.js';
import { PaymentsRepository } from './payments.repository.js';
import { PAYMENT_IN_REVIEW, PAYMENT_VERIFIED, verifiedEventBody } from './verified-event.js';

/** The part of a payment that an event changes besides its status. */
export type PaymentFields = Partial<
  Omit<Payment, 'id' | 'storeId' | 'status' | 'verifiedAt' | 'cancelledAt' | 'endedAt'>
>;

/** A payment before and after a change. */
export interface Transition {
  readonly before: Payment;
  readonly after: Payment;
}

/**
 * A payment's next version, by the state table (contract 3.17).
 *
 * `now` is the instant at which the caller decided. A second look at the clock could find that a payment has expired
 * since, and refuse what the decision rests on: a receipt would be thrown away because it came at the last
 * millisecond.
 *
 * @throws DomainError 409, with the code of the state, when the table does not know the pair
 */
export function transitioned(
  payment: Payment,
  event: PaymentEvent,
  now: Date,
  fields: PaymentFields = {},
): Payment {
  const current = statusAt(payment, now);
  const next = decide(current, event);
  if (next === null) throw refusedIn(current);
  return {
    ...payment,
    ...fields,
    status: next,
    verifiedAt: next === 'verified' ? now : null,
    cancelledAt: next === 'cancelled' ? now : null,
    endedAt: endedAtOf(next, payment, now),
  };
}

/** The payment with its expiry written down, if its time is over; the sweep may not have come round yet. */
export function expiredIfOver(payment: Payment, now: Date): Payment {
  const current = statusAt(payment, now);
  if (current === payment.status) return payment;
  return { ...payment, status: current, endedAt: endedAtOf(current, payment, now) };
}

/**
 * The only way by which a decision changes payments in the database: their rows, their events and the announcement,
 * all in the caller's transaction, with the rows locked (contract 3.17 and 7.1).
 *
 * When a payment becomes verified, in this order:
 *
 * 1. In the transaction: the payment's row; the event `payment.verified`; what every `DeliveryCreation` writes with it,
 *    which is the delivery of the webhook (`notifications/new-deliveries.ts`).
 * 2. After the commit: the dispatcher sends that delivery from memory; every `EventSubscriber` hears the event (mails,
 *    charges); `PaymentChanges` tells the open pages of payers and users.
 */
@Injectable()
export class PaymentTransitions {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly events: Events,
    private readonly subscriptions: Subscriptions,
    private readonly changes: PaymentChanges,
  ) {}

  /** Writes the last version of each payment, and an event for each change that has one. */
  async write(tx: Transaction, transitions: readonly Transition[], now: Date): Promise<void> {
    const rows = rowsOf(transitions);
    await together([
      // A receipt is one payment's at any time: who gives it up is written before who gets it.
      ...rows.filter(givesUpReceipt).map((row) => this.save(tx, row)),
      ...rows.filter((row) => !givesUpReceipt(row)).map((row) => this.save(tx, row)),
      ...transitions.flatMap((one) => this.eventsOf(one, now)).map((event) => this.events.append(tx, event)),
    ]);
    this.announce(
      tx,
      rows.map(({ after }) => after),
    );
  }

  /**
   * The same for many payments that wait, each of which becomes verified by a receipt that has just come, with one
   * statement for all of them. Not on a cluster.
   */
  async writeVerified(tx: Transaction, transitions: readonly Transition[], now: Date): Promise<void> {
    const verified = transitions.map(({ after }) => after);
    await together([
      this.payments.verifyMany(tx, verified, now),
      this.events.appendMany(tx, verified.map(verifiedEvent)),
    ]);
    this.announce(tx, verified);
  }

  private announce(tx: Transaction, payments: readonly Payment[]): void {
    tx.afterCommit(() => {
      for (const { id } of payments) this.changes.announce(id);
    });
  }

  private save(tx: Transaction, { before, after }: Transition): Promise<void> {
    return this.payments.save(tx, after, before.status);
  }

  private eventsOf({ before, after }: Transition, now: Date): NewEvent[] {
    if (after.status === 'verified' && before.status !== 'verified') return [verifiedEvent(after)];
    const isNews = after.status === 'review' && before.status !== 'review';
    // Costs nothing where nobody asks for it.
    return isNews && this.subscriptions.wants(PAYMENT_IN_REVIEW) ? [inReviewEvent(after, now)] : [];
  }
}

/** One row for each payment: as it was at first, and as it is at last. */
function rowsOf(transitions: readonly Transition[]): Transition[] {
  const rows = new Map<string, Transition>();
  for (const { before, after } of transitions)
    rows.set(after.id, { before: rows.get(after.id)?.before ?? before, after });
  return [...rows.values()];
}

function givesUpReceipt({ before, after }: Transition): boolean {
  return before.receiptId !== null && before.receiptId !== after.receiptId;
}

function verifiedEvent(payment: Payment): NewEvent {
  const { storeId, id: paymentId, verifiedAt, simulated } = payment;
  if (verifiedAt === null) throw new Error('A verified payment has no instant of it.');
  const body = verifiedEventBody({ ...payment, verifiedAt });
  return { storeId, paymentId, event: PAYMENT_VERIFIED, body, createdAt: verifiedAt, simulated };
}

/** Every time a payment goes to review it is a subject of its own. */
function inReviewEvent({ id: paymentId, storeId, reviewReason }: Payment, now: Date): NewEvent {
  const event = PAYMENT_IN_REVIEW;
  const body = JSON.stringify({ event, paymentId, storeId, reviewReason, at: now.toISOString() });
  return { storeId, paymentId, subjectId: newId(), event, body, createdAt: now, inFeed: false };
}
