import { Injectable } from '@nestjs/common';
import { type Caller } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Events } from '../../platform/events/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import {
  type IdempotentAnswer,
  IdempotentAnswers,
  type IdempotentRequest,
} from '../payments/idempotency/idempotent-answers.js';
import { matchingKeys } from '../matching/matching-keys.js';
import type { Payment } from '../payments/payment.js';
import { PaymentChanges } from '../payments/payment-changes.js';
import { paymentNotFound } from '../payments/payments.problems.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PAYMENT_REFUNDED, refundedEventBody } from './refunded-event.js';
import {
  decideSent,
  type Refund,
  refundableMinor,
  refundCurrency,
  type SentMoney,
  type SentOutcome,
} from './refund.js';
import { paymentNotVerified, refundTooMuch, refundTrxIdUsed } from './refunds.problems.js';
import { RefundsRepository } from './refunds.repository.js';

export interface NewRefund {
  /** Minor units. */
  readonly amountMinor: number;
  readonly reason: string | null;
  readonly provider: string | null;
  /** Normalised; requires `provider`. */
  readonly trxId: string | null;
  readonly sentAt: Date | null;
}

/** The recorder of a refund: the merchant's backend (null), or a user, who stands in the audit log. */
export type Recorder = Caller | null;

/**
 * Refunds are recorded, not made: money goes back in the wallet's app, by hand (contract 12.2). What is kept here is
 * that nobody pays twice and the books agree.
 *
 * The payment's row is locked before its refunds are added up, and the sum stands in that row under a constraint, so
 * that simultaneous requests together cannot give back more than came.
 */
@Injectable()
export class RefundsService {
  constructor(
    private readonly database: Database,
    private readonly refunds: RefundsRepository,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly answers: IdempotentAnswers,
    private readonly events: Events,
    private readonly changes: PaymentChanges,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError 404 `payment.not_found`; 409 `payment.not_verified`, `refund.too_much`, `refund.trx_id_used`
   */
  async record(recorder: Recorder, storeId: string, paymentId: string, input: NewRefund): Promise<Refund> {
    return this.database.transaction((tx) => this.recordIn(tx, recorder, storeId, paymentId, input), {
      locks: keysOf(storeId, input),
      storeId,
    });
  }

  /** The same once under an Idempotency-Key of the store. Same errors, and those of `IdempotentAnswers.once`. */
  async recordOnce(
    recorder: Recorder,
    storeId: string,
    paymentId: string,
    input: NewRefund,
    request: IdempotentRequest & { readonly present: (refund: Refund) => string },
  ): Promise<IdempotentAnswer> {
    const work = async (tx: Transaction) =>
      request.present(await this.recordIn(tx, recorder, storeId, paymentId, input));
    return this.answers.once(storeId, request, work, keysOf(storeId, input));
  }

  /** Lists the refunds of one payment, newest first. @throws DomainError `payment.not_found` */
  async listOfPayment(storeId: string, paymentId: string, query: PageQuery): Promise<Page<Refund>> {
    if ((await this.payments.findOfStore(storeId, paymentId)) === null) throw paymentNotFound();
    const position = decodeCursor(query.cursor);
    const refunds = await this.refunds.listOfPayment(storeId, paymentId, position, query.limit);
    return pageOf(
      refunds,
      query.limit,
      (refund) => ({ at: refund.createdAt, id: refund.id }),
      (refund) => refund,
    );
  }

  /**
   * Confirms the refund that a message of the store's phone is about, if it is recorded already; if it comes later,
   * `record` finds the message. The caller has kept the message in the same transaction, under the lock of
   * `matchingKeys`.
   */
  async confirmBySent(tx: Transaction, storeId: string, sent: SentMoney): Promise<SentOutcome> {
    const refund = await this.refunds.lockByTrx(tx, storeId, sent.provider, sent.trxId);
    const outcome = decideSent(refund, sent);
    if (refund !== null && outcome === 'confirmed') {
      await this.refunds.confirm(tx, refund, sent.receiptId, this.clock.now());
      tx.afterCommit(() => this.changes.announce(refund.paymentId));
    }
    return outcome;
  }

  private async recordIn(
    tx: Transaction,
    recorder: Recorder,
    storeId: string,
    paymentId: string,
    input: NewRefund,
  ): Promise<Refund> {
    const payment = await this.payments.lock(tx, storeId, paymentId);
    if (payment === null) throw paymentNotFound();
    if (payment.status !== 'verified') throw paymentNotVerified();
    if (input.amountMinor > refundableMinor(payment)) throw refundTooMuch();
    if (await this.isIncoming(tx, storeId, input)) throw refundTrxIdUsed();
    const refund = await this.newRefund(tx, payment, input);
    await this.refunds.insert(tx, refund);
    const refundedAmountMinor = payment.refundedAmountMinor + refund.amountMinor;
    await this.payments.saveRefunded(tx, storeId, paymentId, refundedAmountMinor);
    await this.events.append(tx, {
      storeId,
      paymentId,
      subjectId: refund.id,
      event: PAYMENT_REFUNDED,
      body: refundedEventBody(refund, { ...payment, refundedAmountMinor }),
      createdAt: refund.createdAt,
      simulated: refund.simulated,
    });
    await this.audit(tx, recorder, refund);
    tx.afterCommit(() => this.changes.announce(paymentId));
    return refund;
  }

  /** Whether this TrxID of a wallet is one by which money came in (contract 12.6): it cannot have gone out by it. */
  private async isIncoming(
    tx: Transaction,
    storeId: string,
    { provider, trxId }: NewRefund,
  ): Promise<boolean> {
    if (trxId === null) return false;
    const receipts = await this.receipts.listByTrx(tx, storeId, trxId);
    return receipts.some((receipt) => receipt.provider === provider);
  }

  /** Confirmed from the beginning when the wallet's message came first. */
  private async newRefund(tx: Transaction, payment: Payment, input: NewRefund): Promise<Refund> {
    const now = this.clock.now();
    const sent =
      input.provider === null || input.trxId === null
        ? null
        : await this.receipts.findSent(tx, payment.storeId, {
            provider: input.provider,
            trxId: input.trxId,
            amountMinor: input.amountMinor,
            currency: refundCurrency(payment),
          });
    return {
      ...input,
      id: newId(),
      storeId: payment.storeId,
      paymentId: payment.id,
      currency: refundCurrency(payment),
      status: sent === null ? 'recorded' : 'confirmed',
      receiptId: sent?.id ?? null,
      simulated: payment.simulated,
      createdAt: now,
      confirmedAt: sent === null ? null : now,
    };
  }

  private async audit(tx: Transaction, recorder: Recorder, refund: Refund): Promise<void> {
    if (recorder === null) return;
    await this.auditLog.record(tx, recorder, 'refund.recorded', {
      storeId: refund.storeId,
      details: {
        refundId: refund.id,
        paymentId: refund.paymentId,
        amountMinor: refund.amountMinor,
        currency: refund.currency,
        provider: refund.provider,
        trxId: refund.trxId,
        reason: refund.reason,
      },
    });
  }
}

/** A message about the same TrxID waits, and is seen, or sees what was recorded. */
function keysOf(storeId: string, { trxId, amountMinor }: NewRefund): bigint[] {
  return matchingKeys(storeId, { trxId, last4digit: null, amountMinor });
}
