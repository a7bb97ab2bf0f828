import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { type Store, StoreRouting, StoresService } from '../../stores/index.js';
import type { CountsOfSubmissions, Payment } from './payment.js';
import { paymentOf } from './payments.repository.js';
import { PAYMENTS } from './payments.table.js';
import { SubmissionCounts } from './submission-counts.js';

const FIND_AMONG = {
  name: 'payments-find-among',
  text: `SELECT ${PAYMENTS.list()} FROM payments WHERE id = $1 AND store_id = ANY ($2::uuid[])`,
};
/** Asks every shard of a cluster: only for an id that does not end as its store's does. */
const FIND_ANYWHERE = {
  name: 'payments-find-anywhere',
  text: `SELECT ${PAYMENTS.list()} FROM payments WHERE id = $1`,
};

/** A payment and its store as they were at one moment. */
export interface PaymentOfStore {
  readonly payment: Payment;
  readonly store: Store;
}

/** The same, with how many different submissions of each kind its payer has made. */
export interface CountedPayment extends PaymentOfStore {
  readonly submissions: CountsOfSubmissions;
}

/** Reads one payment by its id, as it is after the request came. Null where there is none. */
export abstract class PaymentReads {
  abstract find(paymentId: string): Promise<Payment | null>;
  abstract findWithStore(paymentId: string): Promise<PaymentOfStore | null>;
  abstract findCounted(paymentId: string): Promise<CountedPayment | null>;
}

/**
 * By the id alone, which ends as its store's does: looked for where the stores with that ending lie. A store that has
 * just been made, and an id that was not made here, are found all the same.
 */
@Injectable()
export class PlainPaymentReads extends PaymentReads {
  constructor(
    private readonly database: Database,
    private readonly routing: StoreRouting,
    private readonly stores: StoresService,
    private readonly submissionCounts: SubmissionCounts,
  ) {
    super();
  }

  async find(paymentId: string): Promise<Payment | null> {
    const storeIds = await this.routing.possibleStores(paymentId);
    const [row] = storeIds.length === 0 ? [] : await this.database.query(FIND_AMONG, [paymentId, storeIds]);
    const [found] = row === undefined ? await this.database.query(FIND_ANYWHERE, [paymentId]) : [row];
    return found === undefined ? null : paymentOf(found);
  }

  async findWithStore(paymentId: string): Promise<PaymentOfStore | null> {
    const payment = await this.find(paymentId);
    return payment === null ? null : { payment, store: await this.stores.get(payment.storeId) };
  }

  async findCounted(paymentId: string): Promise<CountedPayment | null> {
    const found = await this.findWithStore(paymentId);
    if (found === null) return null;
    return { ...found, submissions: await this.submissionCounts.of(found.store.id, paymentId) };
  }
}
