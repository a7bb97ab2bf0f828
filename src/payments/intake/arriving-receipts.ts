import { Injectable, Logger } from '@nestjs/common';
import { Database, GroupedWrites, together, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { messageOf } from '../../kernel/error-text.js';
import type { Store } from '../../stores/index.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import { matchingKeys } from '../matching/matching-keys.js';
import type { Payment } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { moneyTimes, type NewReceipt, type Receipt, type ReceiptResult } from '../receipts/receipt.js';
import { ReceiptMatching } from '../matching/receipt-matching.js';
import { prepareReceipt, ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PaymentTransitions } from '../matching/payment-transitions.js';

/** A receipt of money that came in, as it is matched. */
export type ArrivingReceipt = NewReceipt & { readonly currency: string };

interface Arrival {
  readonly storeId: string;
  readonly ownerId: string;
  readonly provider: string;
  readonly trxId: string;
  readonly store: Store;
  readonly receipt: ArrivingReceipt;
}

interface Decided {
  readonly arrival: Arrival;
  readonly receipt: Receipt;
  /** Whom it verifies; null when nobody waits for it. */
  readonly payment: Payment | null;
}

/**
 * A group does not wait for somebody who holds one of its locks longer than this, in milliseconds: each is decided
 * alone then.
 */
const PATIENCE_MS = 1_000;
/** Receipts that wait before a second group leaves beside the first. */
const WORTH_A_SECOND_GROUP = 16;

/**
 * Takes receipts of the same moment in one transaction, whichever stores they are of: under the keys of all of them,
 * in the one order that everybody keeps, with the payments' rows locked in the order of their ids. Only what is plain
 * is decided here: a new TrxID that nobody waits for, or that verifies the one payment which waits for it. Whatever
 * else there is to weigh, each receipt is decided about alone (`ReceiptsService`), under the same keys; so it is when
 * a group fails.
 */
@Injectable()
export class ArrivingReceipts {
  private readonly logger = new Logger(ArrivingReceipts.name);
  private readonly groups = new GroupedWrites<Arrival, ReceiptResult | null>(async (arrivals) => {
    const results = await this.takeAll(arrivals);
    return arrivals.map((arrival) => results.get(arrival) ?? null);
  }, WORTH_A_SECOND_GROUP);

  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
    private readonly payments: PaymentsRepository,
    private readonly entries: SubmissionsRepository,
    private readonly matching: ReceiptMatching,
    private readonly transitions: PaymentTransitions,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the receipt is committed; to null when nothing was written, because it is no plain case.
   *
   * @throws DomainError `service.unavailable`
   */
  async take(store: Store, receipt: ArrivingReceipt): Promise<ReceiptResult | null> {
    const { trxId, last4digit, simulated, provider } = receipt;
    if (!this.database.hasFastPaths || trxId === null || last4digit !== null || simulated) return null;
    const { id: storeId, ownerId } = store;
    return this.groups.add({ storeId, ownerId, provider, trxId, store, receipt });
  }

  /** Those that are no plain case have no result. */
  private async takeAll(arrivals: readonly Arrival[]): Promise<ReadonlyMap<Arrival, ReceiptResult>> {
    const group = firstOfEachTrxId(arrivals);
    if (group.length === 0) return new Map();
    try {
      return await this.database.transaction((tx) => this.takeGroup(tx, group), {
        locks: group.flatMap(({ storeId, receipt }) => matchingKeys(storeId, receipt)),
        eager: true,
        // Plans are kept: one that suits a table that is still small would read all of it later.
        byIndexOnly: true,
        lockTimeoutMs: PATIENCE_MS,
      });
    } catch (error) {
      // Nobody knows what became of a commit that was not answered.
      if (error instanceof DomainError && error.kind === 'unavailable') throw error;
      this.logger.warn(`${group.length} receipts are decided about one by one: ${messageOf(error)}`);
      return new Map();
    }
  }

  private async takeGroup(
    tx: Transaction,
    group: readonly Arrival[],
  ): Promise<ReadonlyMap<Arrival, ReceiptResult>> {
    const [keeperOf, isKnown, payments, entries] = await together([
      this.receipts.keepersOf(tx, group, this.clock.now()),
      this.receipts.findKnown(tx, group),
      this.payments.lockWaiting(tx, group),
      this.entries.listOfTrxIds(tx, group),
    ]);
    const now = this.clock.now();
    const waiting = new Map(payments.map((payment) => [payment.id, payment]));
    const decided: Decided[] = [];
    for (const arrival of group) {
      if ((keeperOf(arrival) ?? arrival.storeId) !== arrival.storeId || isKnown(arrival)) continue;
      const one = this.decide(arrival, entries, waiting, now);
      if (one === null) continue;
      decided.push(one);
      // It waits no longer: another receipt for it, by another TrxID that its payer entered, is weighed alone.
      if (one.payment !== null) waiting.delete(one.payment.id);
    }
    await this.write(tx, decided, now);
    return new Map(decided.map(({ arrival, receipt, payment }) => [arrival, resultOf(receipt, payment)]));
  }

  /** Null when there is more to weigh. */
  private decide(
    arrival: Arrival,
    entries: readonly SubmissionRecord[],
    waiting: ReadonlyMap<string, Payment>,
    now: Date,
  ): Decided | null {
    const { store, storeId, trxId } = arrival;
    const money = moneyTimes(arrival.receipt, now, 0);
    const receipt = prepareReceipt(storeId, arrival.receipt, 'unmatched', now, money);
    const entered = entries.filter((entry) => entry.storeId === storeId && entry.value === trxId);
    const [entry] = entered;
    if (entry === undefined) return { arrival, receipt, payment: null };
    const payment = waiting.get(entry.paymentId);
    if (entered.length > 1 || payment === undefined) return null;
    if (!this.matching.verifies(store, receipt, payment, entry, now)) return null;
    return { arrival, receipt: { ...receipt, status: 'matched' }, payment };
  }

  private async write(tx: Transaction, decided: readonly Decided[], now: Date): Promise<void> {
    if (decided.length === 0) return;
    const receipts = decided.map(({ receipt }) => receipt);
    const pairs = decided.flatMap(({ receipt, payment }) => (payment === null ? [] : [{ receipt, payment }]));
    // Nobody waits for any of them: this is all there is to write.
    if (pairs.length === 0) await this.receipts.insertMany({ query: tx.last.bind(tx) }, receipts);
    else
      await together([this.receipts.insertMany(tx, receipts), this.transitions.verifyMany(tx, pairs, now)]);
  }
}

/** Two receipts that name one TrxID of a store, or of an owner's wallet, are decided about one after the other. */
function firstOfEachTrxId(arrivals: readonly Arrival[]): Arrival[] {
  const taken = new Set<string>();
  return arrivals.filter(({ storeId, ownerId, provider, trxId }) => {
    const keys = [`store ${storeId} ${trxId}`, `owner ${ownerId} ${provider} ${trxId}`];
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}

function resultOf(receipt: Receipt, payment: Payment | null): ReceiptResult {
  if (payment === null) return { receiptId: receipt.id, status: 'unmatched' };
  return { receiptId: receipt.id, status: 'matched', paymentId: payment.id };
}
