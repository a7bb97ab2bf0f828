import { Injectable } from '@nestjs/common';
import {
  type Payment,
  PaymentsService,
  type Receipt,
  ReceiptsService,
  ReviewService,
} from '../../../payments/index.js';

/** A payment in review with all that a person looks at to decide. */
export interface ReviewCase {
  readonly payment: Payment;
  /** What it holds first, then what it contests. */
  readonly receipts: readonly Receipt[];
  /** Which receipt it is must be said to approve it (contract 3.32). */
  readonly mustChoose: boolean;
  /** Payments that hold or contest the same receipts. */
  readonly rivals: readonly Payment[];
}

/** What would become of a receipt that is let go. */
export interface Heir {
  readonly receipt: Receipt;
  readonly taker: Payment | null;
  /** The taker would be verified by it. */
  readonly fits: boolean;
  /** Those among whom a person would have to choose. */
  readonly contesting: readonly Payment[];
}

/** Receipts of one case whose heirs are asked for. */
const MAX_HEIRS = 5;

/** Reads what reviews are about, for the pages that show them. */
@Injectable()
export class ReviewCases {
  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
    private readonly review: ReviewService,
  ) {}

  async listOf(storeId: string, payments: readonly Payment[]): Promise<ReviewCase[]> {
    const contests = await this.review.listContests(
      storeId,
      payments.map(({ id }) => id),
    );
    const idsOf = (payment: Payment): string[] => [
      ...new Set([
        ...(payment.receiptId === null ? [] : [payment.receiptId]),
        ...contests.filter(({ paymentId }) => paymentId === payment.id).map(({ receiptId }) => receiptId),
      ]),
    ];
    const receipts = await this.receiptsOf(storeId, payments.flatMap(idsOf));
    const rivals = await this.rivalsOf(storeId, [...receipts.values()], payments);
    return payments.map((payment) => {
      const own = idsOf(payment).flatMap((id) => receipts.get(id) ?? []);
      return {
        payment,
        receipts: own,
        mustChoose: contests.some(({ paymentId }) => paymentId === payment.id),
        rivals: rivals
          .filter((rival) => own.some(({ id }) => rival.receiptId === id) && rival.payment.id !== payment.id)
          .map((rival) => rival.payment)
          .filter(({ id }, index, all) => all.findIndex((one) => one.id === id) === index),
      };
    });
  }

  /** Who would get what this payment lets go, when it is rejected or cancelled. */
  async heirsOf({ payment, receipts }: ReviewCase): Promise<Heir[]> {
    const own = receipts.filter(({ holder }) => holder === null || holder.paymentId === payment.id);
    return Promise.all(
      own.slice(0, MAX_HEIRS).map(async (receipt) => {
        const heirs = await this.review.foresee(payment.storeId, receipt.id, payment.id);
        const [taker] = await this.paymentsOf(heirs.takerId === null ? [] : [heirs.takerId]);
        const contesting = await this.paymentsOf(heirs.contestingIds);
        return { receipt, taker: taker ?? null, fits: heirs.fits, contesting };
      }),
    );
  }

  private async receiptsOf(storeId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Receipt>> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.receipts.getOfStore(storeId, id)));
    return new Map(found.map((receipt) => [receipt.id, receipt]));
  }

  private async rivalsOf(
    storeId: string,
    receipts: readonly Receipt[],
    known: readonly Payment[],
  ): Promise<{ readonly payment: Payment; readonly receiptId: string }[]> {
    const contests = await this.review.listRivals(
      storeId,
      receipts.map(({ id }) => id),
    );
    const pairs = [
      ...receipts.flatMap(({ id, holder }) =>
        holder === null ? [] : [{ receiptId: id, paymentId: holder.paymentId }],
      ),
      ...contests,
    ];
    const missing = pairs
      .map(({ paymentId }) => paymentId)
      .filter((id) => known.every((one) => one.id !== id));
    const all = [...known, ...(await this.paymentsOf(missing))];
    return pairs.flatMap(({ receiptId, paymentId }) => {
      const payment = all.find(({ id }) => id === paymentId);
      return payment === undefined ? [] : [{ payment, receiptId }];
    });
  }

  /** In the order of the ids. */
  private async paymentsOf(ids: readonly string[]): Promise<Payment[]> {
    const found = ids.length === 0 ? [] : await this.payments.listByIds([...new Set(ids)]);
    return [...new Set(ids)].flatMap((id) => found.filter((payment) => payment.id === id));
  }
}
