import { Injectable, Logger } from '@nestjs/common';
import { Configuration } from '../config/index.js';
import { Database, type Queryable, type Transaction } from '../database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../http/index.js';
import { Clock } from '../kernel/clock.js';
import type { Store } from '../stores/index.js';
import { decideQrReceipt, decideTrxReceipt, moneyAt, type ReceiptOutcome } from './matching.js';
import { matchingKeys } from './matching-keys.js';
import { receiptNotFound } from './payments.errors.js';
import { PaymentsRepository, type WaitingRecord } from './payments.repository.js';
import {
  type NewReceipt,
  RECEIVED_KIND,
  type Receipt,
  type ReceiptResult,
  type ReceiptStatus,
  SENT_KIND,
} from './receipt.js';
import { ReceiptsRepository } from './receipts.repository.js';
import type { SentOutcome } from './refunds/refund.js';
import { RefundsService } from './refunds/refunds.service.js';
import { Settlement } from './settlement.js';
import { around } from './submissions.service.js';

type Stored = NewReceipt & { readonly currency: string };

/** The phone's side of matching (decisions §4, §6). */
@Injectable()
export class ReceiptsService {
  private readonly logger = new Logger(ReceiptsService.name);

  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly settlement: Settlement,
    private readonly refunds: RefundsService,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a receipt and matches it at once. Committed before this resolves, so the phone may forget it then. A receipt that
   * is here already is answered `duplicate` and changes nothing, whatever else it says.
   */
  async receive(store: Store, incoming: NewReceipt): Promise<ReceiptResult> {
    const receipt: Stored = { ...incoming, currency: incoming.currency ?? store.currency };
    if (receipt.kind === SENT_KIND) {
      const { receiptId } = await this.keepSent(store, incoming);
      return { receiptId, status: 'ignored' };
    }
    if (receipt.kind !== RECEIVED_KIND)
      return { receiptId: await this.insertIgnored(this.database, store.id, receipt), status: 'ignored' };
    return this.database.transaction(
      async (tx) => {
        const now = this.clock.now();
        const stored = await this.receipts.insert(tx, store.id, receipt, 'unmatched', now);
        return stored === null ? this.duplicate(tx, store.id, receipt) : this.match(tx, stored, now);
      },
      { locks: matchingKeys({ ...receipt, storeId: store.id }), storeId: store.id },
    );
  }

  /** What the wallet held after its latest receipt from this phone, in minor units; null when nobody said. */
  async latestBalance(storeId: string, provider: string, app: string): Promise<number | null> {
    return this.receipts.findBalance(storeId, provider, app);
  }

  /** @throws DomainError `receipt.not_found` */
  async getOfStore(storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (receipt === null) throw receiptNotFound();
    return receipt;
  }

  async listOfStore(
    storeId: string,
    status: ReceiptStatus | undefined,
    query: PageQuery,
  ): Promise<Page<Receipt>> {
    const receipts = await this.receipts.list(storeId, status, decodeCursor(query.cursor), query.limit);
    return pageOf(
      receipts,
      query.limit,
      (receipt) => ({ at: receipt.arrivedAt, id: receipt.id }),
      (receipt) => receipt,
    );
  }

  /**
   * Keeps a message of the store's phone about money that it sent. It pays nothing, and confirms the refund that its TrxID and
   * amount are those of, whichever comes first (decisions §12).
   */
  async keepSent(store: Store, incoming: NewReceipt): Promise<{ receiptId: string; outcome: SentOutcome }> {
    const receipt: Stored = { ...incoming, currency: incoming.currency ?? store.currency };
    const { provider, trxId, amountMinor, currency } = receipt;
    return this.database.transaction(
      async (tx) => {
        // Phones send a message again and again, and two of them send it twice.
        const told = trxId === null || receipt.simulated ? null : { provider, trxId, amountMinor, currency };
        const same = told === null ? null : await this.receipts.findSent(tx, store.id, told);
        const receiptId = same?.id ?? (await this.insertIgnored(tx, store.id, receipt));
        // A simulated one moved no money.
        if (told === null) return { receiptId, outcome: 'unknown' };
        return { receiptId, outcome: await this.refunds.confirmBySent(tx, store.id, { ...told, receiptId }) };
      },
      { locks: matchingKeys({ ...receipt, storeId: store.id }), storeId: store.id },
    );
  }

  private async insertIgnored(on: Queryable, storeId: string, receipt: Stored): Promise<string> {
    const stored = await this.receipts.insert(on, storeId, receipt, 'ignored', this.clock.now());
    if (stored === null) throw new Error('An ignored receipt stands outside every constraint.');
    return stored.id;
  }

  private async duplicate(tx: Transaction, storeId: string, receipt: NewReceipt): Promise<ReceiptResult> {
    const same = await this.receipts.findSame(tx, storeId, receipt);
    if (same === null) throw new Error('The receipt that made this one a duplicate is not there.');
    if (same.amountMinor !== receipt.amountMinor) {
      this.logger.warn(
        { receiptId: same.id },
        'A repeated receipt names another amount; the first one stands.',
      );
    }
    return resultOf(same.id, 'duplicate', same.paymentId);
  }

  private async match(tx: Transaction, receipt: Receipt, now: Date): Promise<ReceiptResult> {
    const byTrx = await this.matchByTrx(tx, receipt, now);
    if (byTrx !== null) return byTrx;
    const byDigits = await this.matchByDigits(tx, receipt, now);
    return byDigits ?? { receiptId: receipt.id, status: 'unmatched' };
  }

  private async matchByTrx(tx: Transaction, receipt: Receipt, now: Date): Promise<ReceiptResult | null> {
    if (receipt.trxId === null) return null;
    const waiting = await this.payments.lockWaitingForTrx(tx, receipt.storeId, receipt.trxId, now);
    return this.settle(tx, receipt, decideTrxReceipt(receipt, waiting), waiting, now);
  }

  private async matchByDigits(tx: Transaction, receipt: Receipt, now: Date): Promise<ReceiptResult | null> {
    if (receipt.last4digit === null) return null;
    const windowMs = this.configuration.qrWindowMs;
    const key = { ...receipt, last4digit: receipt.last4digit };
    const at = moneyAt(receipt);
    const between = around([{ submittedAt: at, repeatedAt: at }], windowMs);
    const waiting = await this.payments.lockWaitingForLast4(tx, key, between, now);
    if (waiting.length === 0) return null;
    // Around the submissions, not around this receipt: another one may lie on the far side of them.
    const unclaimed = await this.receipts.listUnclaimedByLast4(tx, key, around(waiting, windowMs));
    const others = unclaimed.filter(({ id, currency }) => id !== receipt.id && currency === receipt.currency);
    return this.settle(tx, receipt, decideQrReceipt(receipt, waiting, others, windowMs), waiting, now);
  }

  private async settle(
    tx: Transaction,
    receipt: Receipt,
    outcome: ReceiptOutcome,
    waiting: readonly WaitingRecord[],
    now: Date,
  ): Promise<ReceiptResult | null> {
    const find = (id: string) => waiting.find((candidate) => candidate.id === id);
    if (outcome.kind === 'unmatched') return null;
    if (outcome.kind === 'taken') {
      const winner = find(outcome.paymentId);
      if (winner === undefined) throw new Error('The payment that was chosen was not on the table.');
      const payment = await this.settlement.take(tx, winner.payment, receipt, outcome.comparison, now);
      for (const id of outcome.loserIds) {
        const loser = find(id);
        if (loser !== undefined) await this.settlement.doubt(tx, loser.payment, 'trx_id_used', now);
      }
      return resultOf(receipt.id, payment.status === 'verified' ? 'matched' : 'review', payment.id);
    }
    await this.receipts.doubt(tx, receipt.storeId, outcome.receiptIds);
    for (const id of outcome.paymentIds) {
      const rival = find(id);
      if (rival?.status === 'submitted') await this.settlement.doubt(tx, rival.payment, 'ambiguous', now);
      if (rival?.status === 'expired') await this.settlement.doubt(tx, rival.payment, 'late', now);
    }
    return { receiptId: receipt.id, status: 'review' };
  }
}

function resultOf(
  receiptId: string,
  status: ReceiptResult['status'],
  paymentId: string | null,
): ReceiptResult {
  return paymentId === null ? { receiptId, status } : { receiptId, status, paymentId };
}
