import { newIdMarkedBy } from '../../../kernel/ids.js';
import type { RawJson } from '../../../kernel/raw-json.js';
import type { Store } from '../../../stores/index.js';
import { FIRST_STATUS, type Payment } from '../payment.js';

/** The payment that a merchant, a link or a charge asks for. */
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

/** The one constructor of a payment. `ttlMs` is `PAYMENT_TTL`: its lifetime, unless the merchant names one. */
export function newPayment(store: Store, input: NewPayment, now: Date, ttlMs: number): Payment {
  const lifetimeMs = input.expiresInSeconds == null ? ttlMs : input.expiresInSeconds * 1_000;
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
