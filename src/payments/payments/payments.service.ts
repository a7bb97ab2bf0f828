import { Injectable } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { newIdMarkedBy } from '../../kernel/ids.js';
import type { RawJson } from '../../kernel/raw-json.js';
import { type Store, storeArchived } from '../../stores/index.js';
import {
  type IdempotentAnswer,
  IdempotentAnswers,
  type IdempotentRequest,
} from './idempotency/idempotent-answers.js';
import { SubmissionCounts } from './submission-counts.js';
import {
  type SubmissionLimits,
  submissionLimitsOf,
  FIRST_STATUS,
  type Payment,
  statusAt,
} from './payment.js';
import { paymentNotFound } from './payments.errors.js';
import type { PaymentFilter } from './payments-list.js';
import { type PaymentOfStore, PaymentReads } from './payment-reads.js';
import { PaymentsRepository } from './payments.repository.js';
import { UniqueAmounts } from './unique-amounts.js';

export interface NewPayment {
  readonly amountMinor: number;
  readonly currency?: string | undefined;
  readonly provider?: string | null | undefined;
  readonly customerName?: string | null | undefined;
  readonly customerPhone?: string | null | undefined;
  readonly note?: string | null | undefined;
  readonly products: RawJson | null;
  readonly metadata: RawJson | null;
  readonly redirectUrl?: string | null | undefined;
  readonly cancelUrl?: string | null | undefined;
  readonly expiresInSeconds?: number | null | undefined;
  /** The payment link that makes it. */
  readonly paymentLinkId?: string | null | undefined;
}

/** A payment and its store, and what its payer can still enter. */
export interface PaymentOfPayer extends PaymentOfStore {
  readonly limits: SubmissionLimits;
}

/** Payments as their merchant sees them (contract 3.9). */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly reads: PaymentReads,
    private readonly submissionCounts: SubmissionCounts,
    private readonly amounts: UniqueAmounts,
    private readonly answers: IdempotentAnswers,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `store.archived` */
  async create(store: Store, input: NewPayment): Promise<Payment> {
    if (store.archivedAt !== null) throw storeArchived();
    const payment = this.newPayment(store, input);
    if (store.uniqueAmounts) return this.amounts.insert(this.database, payment);
    if (this.database.hasFastPaths) await this.payments.insertGrouped(payment);
    else await this.payments.insert(this.database, payment);
    return payment;
  }

  /** The same in somebody's transaction: a payment, and what it is made by, are there together or not at all. */
  async createIn(tx: Transaction, store: Store, input: NewPayment): Promise<Payment> {
    const payment = this.newPayment(store, input);
    if (store.uniqueAmounts) return this.amounts.insert(tx, payment);
    await this.payments.insert(tx, payment);
    return payment;
  }

  /**
   * The same once under an Idempotency-Key of the store; `present` writes the answer that is kept. Errors are those of
   * `IdempotentAnswers.once`.
   */
  async createOnce(
    store: Store,
    input: NewPayment,
    request: IdempotentRequest & { readonly present: (payment: Payment) => string },
  ): Promise<IdempotentAnswer> {
    const work = async (tx: Transaction) => request.present(await this.createIn(tx, store, input));
    return this.answers.once(store.id, request, work);
  }

  /** @throws DomainError `payment.not_found` when there is none, or when it is another store's */
  async getOfStore(storeId: string, paymentId: string): Promise<Payment> {
    const payment = await this.reads.find(paymentId);
    if (payment?.storeId !== storeId) throw paymentNotFound();
    return this.asOfNow(payment);
  }

  /** By the id alone, with the store as it was at the same moment. @throws DomainError `payment.not_found` */
  async getWithStore(paymentId: string): Promise<PaymentOfStore> {
    const found = await this.reads.findWithStore(paymentId);
    if (found === null) throw paymentNotFound();
    return { payment: this.asOfNow(found.payment), store: found.store };
  }

  /** The same with what its payer can still enter, for the checkout page. @throws DomainError `payment.not_found` */
  async getForPayer(paymentId: string): Promise<PaymentOfPayer> {
    if (!this.database.hasFastPaths) {
      const found = await this.getWithStore(paymentId);
      const submissions = await this.submissionCounts.of(found.store.id, paymentId);
      return { ...found, limits: submissionLimitsOf(submissions) };
    }
    const found = await this.reads.findCounted(paymentId);
    if (found === null) throw paymentNotFound();
    const { payment, store, submissions } = found;
    return { payment: this.asOfNow(payment), store, limits: submissionLimitsOf(submissions) };
  }

  /** Payments of any store, for what watches many at once; ids that name none are left out. */
  async listByIds(paymentIds: readonly string[]): Promise<Payment[]> {
    return (await this.payments.listByIds(paymentIds)).map((payment) => this.asOfNow(payment));
  }

  async listOfStore(storeId: string, filter: PaymentFilter, query: PageQuery): Promise<Page<Payment>> {
    const position = decodeCursor(query.cursor);
    const payments = await this.payments.list(storeId, filter, position, query.limit, this.clock.now());
    return pageOf(
      payments,
      query.limit,
      (payment) => ({ at: payment.createdAt, id: payment.id }),
      (payment) => this.asOfNow(payment),
    );
  }

  private asOfNow(payment: Payment): Payment {
    const status = statusAt(payment, this.clock.now());
    return status === payment.status ? payment : { ...payment, status };
  }

  private newPayment(store: Store, input: NewPayment): Payment {
    const now = this.clock.now();
    const lifetimeMs =
      input.expiresInSeconds == null ? this.configuration.paymentTtlMs : input.expiresInSeconds * 1_000;
    return {
      id: newIdMarkedBy(store.id),
      storeId: store.id,
      status: FIRST_STATUS,
      reviewReason: null,
      amountMinor: input.amountMinor,
      currency: input.currency ?? store.currency,
      payAmountMinor: input.amountMinor,
      payAmountReserved: false,
      requestedProvider: input.provider ?? null,
      customerName: input.customerName ?? null,
      customerPhone: input.customerPhone ?? null,
      note: input.note ?? null,
      products: input.products,
      metadata: input.metadata,
      redirectUrl: input.redirectUrl ?? null,
      cancelUrl: input.cancelUrl ?? null,
      paymentLinkId: input.paymentLinkId ?? null,
      submission: null,
      submittedAt: null,
      graceEndsAt: null,
      receiptId: null,
      provider: null,
      trxId: null,
      payerNumber: null,
      receivedAmountMinor: null,
      receivedCurrency: null,
      refundedAmountMinor: 0,
      simulated: false,
      approvedAt: null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + lifetimeMs),
      verifiedAt: null,
      cancelledAt: null,
      endedAt: null,
      redactedAt: null,
    };
  }
}
