import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Configuration } from '../config/index.js';
import { Database } from '../database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../kernel/clock.js';
import { newIdMarkedBy } from '../kernel/ids.js';
import type { RawJson } from '../kernel/raw-json.js';
import type { Store } from '../stores/index.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { contestedKeys } from './matching-keys.js';
import { FIRST_STATUS, type Payment, statusAt } from './payment.js';
import { idempotencyInProgress, idempotencyKeyReused, paymentNotFound } from './payments.errors.js';
import { type PaymentFilter, PaymentsRepository } from './payments.repository.js';
import { Settlement } from './settlement.js';

/** How long the first answer under an Idempotency-Key is given again, in milliseconds (decisions §1). */
export const IDEMPOTENCY_TTL_MS = 24 * 3_600_000;

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

/** A caller's promise to repeat a request only with the same body. */
export interface Idempotency {
  readonly key: string;
  /** The body as it came; its hash tells a repetition from another request. */
  readonly body: string;
  /** Writes the answer that is stored, and given again. */
  readonly present: (payment: Payment) => string;
}

export interface IdempotentAnswer {
  readonly answer: string;
  readonly replayed: boolean;
}

/** Payments as their merchant sees them (decisions §3). */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly settlement: Settlement,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  async create(store: Store, input: NewPayment): Promise<Payment> {
    const payment = this.newPayment(store, input);
    await this.payments.insertGrouped(payment);
    return payment;
  }

  /**
   * Creates a payment once under an Idempotency-Key of the store: the answer is committed together with the payment, and
   * given again for 24 h.
   *
   * @throws DomainError 422 `idempotency.key_reused` for another body; 409 `idempotency.in_progress` while the first runs
   */
  async createOnce(store: Store, input: NewPayment, idempotency: Idempotency): Promise<IdempotentAnswer> {
    const bodyHash = createHash('sha256').update(idempotency.body).digest();
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      if (!(await this.idempotency.hold(tx, store.id, idempotency.key))) throw idempotencyInProgress();
      const notBefore = new Date(now.getTime() - IDEMPOTENCY_TTL_MS);
      const stored = await this.idempotency.find(tx, store.id, idempotency.key, notBefore);
      if (stored !== null) {
        if (!stored.bodyHash.equals(bodyHash)) throw idempotencyKeyReused();
        return { answer: stored.answer, replayed: true };
      }
      const payment = this.newPayment(store, input);
      const answer = idempotency.present(payment);
      await this.payments.insert(tx, payment);
      await this.idempotency.store(tx, store.id, idempotency.key, { bodyHash, status: 201, answer }, now);
      return { answer, replayed: false };
    });
  }

  /** @throws DomainError `payment.not_found` when there is none, or when it is another store's */
  async getOfStore(storeId: string, paymentId: string): Promise<Payment> {
    const payment = await this.payments.findOfStore(storeId, paymentId);
    if (payment === null) throw paymentNotFound();
    return this.asOfNow(payment);
  }

  /** For the payer, to whom the id is the capability (decisions §2). @throws DomainError `payment.not_found` */
  async get(paymentId: string): Promise<Payment> {
    const payment = await this.payments.find(paymentId);
    if (payment === null) throw paymentNotFound();
    return this.asOfNow(payment);
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

  /** @throws DomainError 404 `payment.not_found`; 409 with the code of a state that cannot be cancelled */
  async cancel(storeId: string, paymentId: string): Promise<Payment> {
    const locks = contestedKeys(await this.payments.findOfStore(storeId, paymentId));
    return this.database.transaction(
      async (tx) => {
        const payment = await this.payments.lock(tx, storeId, paymentId);
        if (payment === null) throw paymentNotFound();
        return this.settlement.abandon(tx, payment, 'cancel', this.clock.now());
      },
      { locks, storeId },
    );
  }

  private asOfNow(payment: Payment): Payment {
    return { ...payment, status: statusAt(payment, this.clock.now()) };
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
      settledAt: null,
      redactedAt: null,
    };
  }
}
