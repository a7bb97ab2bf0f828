import { Injectable } from '@nestjs/common';
import {
  type Payment,
  PaymentsService,
  type Receipt,
  ReceiptsService,
  ReviewClaims,
} from '../../../payments/index.js';

/** A payment in review with all that a user looks at to decide. */
export interface ReviewCase {
  readonly payment: Payment;
  /** The attached receipt first, then the claimed ones. */
  readonly receipts: readonly Receipt[];
  /** To approve it, a user says which receipt it is, or that it is none (contract 3.32). */
  readonly mustChoose: boolean;
  /** Payments that hold or claim the same receipts. */
  readonly claimants: readonly Payment[];
}

/** The outcome of a released receipt. */
export interface NextClaimant {
  readonly receipt: Receipt;
  readonly winner: Payment | null;
  /** The winner would be verified by it. */
  readonly fits: boolean;
  /** Those among whom a user would have to choose. */
  readonly claiming: readonly Payment[];
}

/** Receipts of one case whose nextClaimants are asked for. */
const MAX_NEXT_CLAIMANTS = 5;

/** Reads what reviews are about, for the pages that show them. */
@Injectable()
export class ReviewCases {
  constructor(
    private readonly payments: PaymentsService,
    private readonly receipts: ReceiptsService,
    private readonly claims: ReviewClaims,
  ) {}

  async listOf(storeId: string, payments: readonly Payment[]): Promise<ReviewCase[]> {
    const claims = await this.claims.listOfPayments(
      storeId,
      payments.map(({ id }) => id),
    );
    const idsOf = (payment: Payment): string[] => [
      ...new Set([
        ...(payment.receiptId === null ? [] : [payment.receiptId]),
        ...claims.filter(({ paymentId }) => paymentId === payment.id).map(({ receiptId }) => receiptId),
      ]),
    ];
    const receipts = await this.receiptsOf(storeId, payments.flatMap(idsOf));
    const claimants = await this.claimantsOf(storeId, [...receipts.values()], payments);
    return payments.map((payment) => {
      const own = idsOf(payment).flatMap((id) => receipts.get(id) ?? []);
      return {
        payment,
        receipts: own,
        mustChoose: payment.receiptId === null || claims.some(({ paymentId }) => paymentId === payment.id),
        claimants: claimants
          .filter(
            (claimant) =>
              own.some(({ id }) => claimant.receiptId === id) && claimant.payment.id !== payment.id,
          )
          .map((claimant) => claimant.payment)
          .filter(({ id }, index, all) => all.findIndex((one) => one.id === id) === index),
      };
    });
  }

  /** The payments that would get the receipts of this payment if it were rejected or cancelled. */
  async nextClaimantsOf({ payment, receipts }: ReviewCase): Promise<NextClaimant[]> {
    const own = receipts.filter(
      ({ attachedTo }) => attachedTo === null || attachedTo.paymentId === payment.id,
    );
    return Promise.all(
      own.slice(0, MAX_NEXT_CLAIMANTS).map(async (receipt) => {
        const nextClaimants = await this.claims.foresee(payment.storeId, receipt.id, payment.id);
        const [winner] = await this.paymentsOf(
          nextClaimants.winnerId === null ? [] : [nextClaimants.winnerId],
        );
        const claiming = await this.paymentsOf(nextClaimants.claimingIds);
        return { receipt, winner: winner ?? null, fits: nextClaimants.fits, claiming };
      }),
    );
  }

  private async receiptsOf(storeId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Receipt>> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.receipts.getOfStore(storeId, id)));
    return new Map(found.map((receipt) => [receipt.id, receipt]));
  }

  private async claimantsOf(
    storeId: string,
    receipts: readonly Receipt[],
    known: readonly Payment[],
  ): Promise<{ readonly payment: Payment; readonly receiptId: string }[]> {
    const claims = await this.claims.listOfReceipts(
      storeId,
      receipts.map(({ id }) => id),
    );
    const pairs = [
      ...receipts.flatMap(({ id, attachedTo }) =>
        attachedTo === null ? [] : [{ receiptId: id, paymentId: attachedTo.paymentId }],
      ),
      ...claims,
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
