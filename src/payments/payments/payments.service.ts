import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { type Store, storeArchived } from '../../stores/index.js';
import {
  type IdempotentAnswer,
  IdempotentAnswers,
  type IdempotentRequest,
} from './idempotency/idempotent-answers.js';
import { type NewPayment, newPayment } from './creation/new-payment.js';
import { PaymentCreation } from './creation/payment-creation.js';
import { type SubmissionLimits, submissionLimitsOf, type Payment, statusAt } from './payment.js';
import { paymentNotFound } from './payments.problems.js';
import type { PaymentFilter } from './payments-list.js';
import { type PaymentOfStore, PaymentReads } from './payment-reads.js';
import { PaymentsRepository } from './payments.repository.js';
import { UniqueAmounts } from './creation/unique-amounts.js';
import { PaymentsSettings } from '../payments.settings.js';

/** A payment and its store, and what its payer can still submit. */
export interface PaymentOfPayer extends PaymentOfStore {
  readonly limits: SubmissionLimits;
}

/** Payments as their merchant sees them (contract 3.9). */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly creation: PaymentCreation,
    private readonly reads: PaymentReads,
    private readonly amounts: UniqueAmounts,
    private readonly answers: IdempotentAnswers,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * `tx`: in somebody's transaction, so that a payment, and what it is made by, are there together or not at all.
   *
   * @throws DomainError `store.archived`
   */
  async create(store: Store, input: NewPayment, tx: Transaction | null = null): Promise<Payment> {
    if (store.archivedAt !== null) throw storeArchived();
    const payment = newPayment(store, input, this.clock.now(), this.settings.paymentTtlMs);
    if (store.uniqueAmounts) return this.amounts.insert(tx ?? this.database, payment);
    if (tx === null) await this.creation.insert(payment);
    else await this.payments.insert(tx, payment);
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
    const work = async (tx: Transaction) => request.present(await this.create(store, input, tx));
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

  /** The same with what its payer can still submit, for the checkout page. @throws DomainError `payment.not_found` */
  async getForPayer(paymentId: string): Promise<PaymentOfPayer> {
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
}
