import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../../platform/database/index.js';
import { FreshLookup } from '../../../kernel/fresh-lookup.js';
import { Remembered } from '../../../kernel/remembered.js';
import { RememberedStores, STORE_STAMP } from '../../../stores/index.js';
import type { Payment } from '../payment.js';
import { type CountedPayment, type PaymentOfStore, PaymentReads } from '../payment-reads.js';
import { paymentOf } from '../payments.repository.js';
import { PAYMENTS } from '../payments.table.js';
import { COUNT_SUBMISSIONS, submissionCountsOf, type SubmissionCountsRow } from '../submission-counts.js';

const COLUMNS = PAYMENTS.list();
/** A payment whole, or the version of its row only: no two versions that anybody saw are equal. */
const WHOLE = `SELECT ${COLUMNS}, xmin::text AS version FROM payments`;
const VERSION = 'SELECT id, store_id, xmin::text AS version FROM payments';

/**
 * Each by its id, with the stamp of its store. LIMIT makes it one look-up by index after the other. Their number as a
 * parameter, too, keeps the plan: by the array alone, PostgreSQL would plan anew for each, which takes longer than
 * the look-up.
 */
const stamped = (payments: string) => `SELECT p.*, ${STORE_STAMP} AS store_stamp
    FROM (SELECT unnest($1::uuid[]) AS id LIMIT $2) g
    CROSS JOIN LATERAL (${payments} WHERE payments.id = g.id LIMIT 1) p
    JOIN stores s ON s.id = p.store_id`;
/** The same, with how many different submissions of each kind its payer has made. */
const counted = (payments: string) => `SELECT f.*, e.* FROM (${stamped(payments)}) f
    CROSS JOIN LATERAL (${COUNT_SUBMISSIONS('f.id', 'f.store_id')}) e`;
/** Statements that read for requests of the same moment, when they take long. */
const MAX_SHARED_READS = 2;
/** A payer's page and a merchant's backend ask for the same payment every few seconds, until it is verified. */
const MAX_REMEMBERED = 2_048;
const REMEMBERED_FOR_MS = 60_000;

interface FoundRow extends SubmissionCountsRow {
  readonly id: string;
  readonly version: string;
  readonly store_stamp: string;
}

interface Found {
  readonly payment: Payment;
  readonly row: FoundRow;
}

/** The statements that read payments by their ids: whole, or the versions of their rows. */
interface LookUp {
  readonly whole: Statement;
  readonly versions: Statement;
}

const STAMPED: LookUp = {
  whole: { name: 'payments-find-stamped', text: stamped(WHOLE) },
  versions: { name: 'payments-find-stamped-versions', text: stamped(VERSION) },
};
/** The same with the counts of submissions. */
const COUNTED: LookUp = {
  whole: { name: 'payments-find-counted', text: counted(WHOLE) },
  versions: { name: 'payments-find-counted-versions', text: counted(VERSION) },
};

/**
 * Requests of the same moment share a statement; of a payment that was read lately no more is read than the version of
 * its row, and the rest only when that is another. Not on a cluster.
 */
@Injectable()
export class SharedPaymentReads extends PaymentReads {
  private readonly remembered = new Remembered<Payment>(MAX_REMEMBERED, REMEMBERED_FOR_MS);
  private readonly stampedReads = this.reads(STAMPED);
  private readonly countedReads = this.reads(COUNTED);

  constructor(
    private readonly database: Database,
    private readonly rememberedStores: RememberedStores,
  ) {
    super();
  }

  async find(paymentId: string): Promise<Payment | null> {
    return (await this.stampedReads.get(paymentId.toLowerCase()))?.payment ?? null;
  }

  async findWithStore(paymentId: string): Promise<PaymentOfStore | null> {
    return this.withStore(await this.stampedReads.get(paymentId.toLowerCase()));
  }

  async findCounted(paymentId: string): Promise<CountedPayment | null> {
    const found = await this.countedReads.get(paymentId.toLowerCase());
    const ofStore = await this.withStore(found);
    if (found === undefined || ofStore === null) return null;
    return { payment: ofStore.payment, store: ofStore.store, submissions: submissionCountsOf(found.row) };
  }

  /** Its store is the one that was in force when the payment was read. */
  private async withStore(found: Found | undefined): Promise<PaymentOfStore | null> {
    if (found === undefined) return null;
    const { payment, row } = found;
    return { payment, store: await this.rememberedStores.get(payment.storeId, row.store_stamp) };
  }

  private reads(lookUp: LookUp): FreshLookup<Found> {
    return new FreshLookup((ids) => this.read(lookUp, ids), MAX_SHARED_READS);
  }

  private async read({ whole, versions }: LookUp, ids: readonly string[]): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    // Behind a lost connection there may be another server, which counts its versions in another way.
    const { generation } = this.database;
    const stampOf = ({ version }: FoundRow) => `${generation} ${version}`;
    const areKnown = ids.every((id) => this.remembered.has(id));
    const changed = areKnown
      ? await this.ask(versions, ids, found, (row) => this.remembered.get(row.id, stampOf(row)))
      : ids;
    if (changed.length > 0)
      await this.ask(whole, changed, found, (row) => {
        const payment = paymentOf(row);
        this.remembered.keep(row.id, stampOf(row), payment);
        return payment;
      });
    return found;
  }

  /** Adds what it finds to `found`; answers the ids for whose row there was no payment. */
  private async ask(
    statement: Statement,
    ids: readonly string[],
    found: Map<string, Found>,
    paymentAt: (row: FoundRow) => Payment | undefined,
  ): Promise<string[]> {
    const changed: string[] = [];
    for (const row of await this.database.query<FoundRow>(statement, [ids, ids.length])) {
      const payment = paymentAt(row);
      if (payment === undefined) changed.push(row.id);
      else found.set(row.id, { payment, row });
    }
    return changed;
  }
}
