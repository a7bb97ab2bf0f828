/** A payment as the merchant's API answers it. */
export interface PaymentAnswer {
  readonly id: string;
  readonly status: string;
  readonly reviewReason: string | null;
  readonly amount: number;
  readonly payAmount: number;
  readonly currency: string;
  readonly provider: string | null;
  readonly trxId: string | null;
  readonly receiptId: string | null;
  readonly payerNumber: string | null;
  readonly receivedAmount: number | null;
  readonly simulated: boolean;
  readonly expiresAt: string;
  readonly submittedAt: string | null;
  readonly verifiedAt: string | null;
  readonly cancelledAt: string | null;
}

/** The answer to a submission: its outcome, or the problem that refuses it. */
export interface SubmitAnswer {
  readonly status?: string | number;
  readonly reviewReason?: string;
  readonly verifiedAt?: string;
  readonly redirectUrl?: string | null;
  readonly code?: string;
}

/** The answer to a receipt: its outcome, or the problem that refuses it. */
export interface ReceiptAnswer {
  readonly receiptId: string;
  readonly status: string;
  readonly paymentId?: string;
  readonly code?: string;
}

/** A receipt as users see it. */
export interface ReceiptView {
  readonly id: string;
  readonly status: string;
  readonly provider: string;
  readonly trxId: string | null;
  readonly last4digit: string | null;
  readonly amount: number;
  readonly paymentId: string | null;
  readonly simulated: boolean;
  readonly flags: readonly string[];
}

export interface ProblemAnswer {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { pointer: string; detail: string }[];
}

export interface AuditLine {
  readonly action: string;
  readonly actor: { readonly type: string; readonly email?: string };
  readonly details: Record<string, unknown>;
}

/** How a payment ends without money: its receipt is released or voided. */
export interface Ending {
  readonly receipt?: 'release' | 'void';
  readonly receiptId?: string;
  readonly seen?: Seen;
}

/** A payment as the caller saw it. */
export interface Seen {
  readonly status?: string;
  readonly reviewReason?: string | null;
  readonly receiptId?: string | null;
}

export type Typed =
  | { readonly trxId: string; readonly provider?: string }
  | { readonly last4digit: string; readonly provider?: string };

/** A message of the phone, as the people of the store see it. */
export interface MessageAnswer {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly provider: string | null;
  readonly sender: string | null;
  readonly text: string;
  readonly app: string | null;
  readonly rule: { name: string; version: number } | null;
  readonly fields: Record<string, unknown> | null;
  readonly receiptId: string | null;
}
