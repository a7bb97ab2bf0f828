import type { MinorUnits } from '../../kernel/money.js';
import type { Payment } from '../payments/payment.js';

export const REFUND_STATUSES = ['recorded', 'confirmed'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** The events of a refund that has been recorded: the phone's message about the money that was sent comes. */
export type RefundEvent = 'message';

/** The state table of contract 12.11, whole: a refund is confirmed once, and never taken back. */
export const REFUND_TRANSITIONS: Readonly<
  Record<RefundStatus, Readonly<Partial<Record<RefundEvent, RefundStatus>>>>
> = {
  recorded: { message: 'confirmed' },
  confirmed: {},
};

/** Money that went back in the wallet's app, as somebody wrote it down. Amounts are minor units. */
export interface Refund {
  readonly id: string;
  readonly storeId: string;
  readonly paymentId: string;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly reason: string | null;
  /** The wallet it went back with, and what its message calls it; the TrxID is normalised. */
  readonly provider: string | null;
  readonly trxId: string | null;
  readonly sentAt: Date | null;
  readonly status: RefundStatus;
  /** The phone's own message about it. */
  readonly receiptId: string | null;
  /** True for a refund of a simulated payment: no money went back. */
  readonly simulated: boolean;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
}

/** The status an event leads to, or null when the table does not know the pair. */
export function decideRefund(status: RefundStatus, event: RefundEvent): RefundStatus | null {
  return REFUND_TRANSITIONS[status][event] ?? null;
}

type Refundable = Pick<
  Payment,
  'receivedAmountMinor' | 'receivedCurrency' | 'payAmountMinor' | 'currency' | 'refundedAmountMinor'
>;

/**
 * The amount that can still be refunded: the received amount, or the amount to pay if none is known, less earlier
 * refunds.
 */
export function refundableMinor(payment: Refundable): MinorUnits {
  return (payment.receivedAmountMinor ?? payment.payAmountMinor) - payment.refundedAmountMinor;
}

/** Money goes back in the currency it came in. */
export function refundCurrency(payment: Refundable): string {
  return payment.receivedCurrency ?? payment.currency;
}

/** A message of the store's phone about money that it sent. */
export interface SentMoney {
  readonly provider: string;
  readonly trxId: string;
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  /** The kept receipt of kind `sent`. */
  readonly receiptId: string;
}

/**
 * The meaning of an outgoing message for the refunds of its store: it confirms one, has confirmed it already, names
 * another amount than the refund of its TrxID, or there is none (yet).
 */
export type SentOutcome = 'confirmed' | 'repeated' | 'other_amount' | 'unknown';

export function decideSent(
  refund: Refund | null,
  sent: Pick<SentMoney, 'amountMinor' | 'currency'>,
): SentOutcome {
  if (refund === null) return 'unknown';
  if (refund.amountMinor !== sent.amountMinor || refund.currency !== sent.currency) return 'other_amount';
  return decideRefund(refund.status, 'message') === 'confirmed' ? 'confirmed' : 'repeated';
}
