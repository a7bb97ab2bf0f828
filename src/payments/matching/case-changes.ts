import type { Payment } from '../payments/payment.js';
import type { Transition } from '../payments/payment-transitions.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import type { Receipt } from '../receipts/receipt.js';
import type { Claim } from './decision.js';

/** A claim as it is stored: ended claims are kept, because their payments may be in review over the receipt still. */
export interface StoredClaim extends Claim {
  readonly isLive: boolean;
  /** The receipt is attached to its payment by now. */
  readonly isAttached: boolean;
}

/** The rows that a decision is made from. The payments are locked. */
export interface CaseRows {
  readonly payments: readonly Payment[];
  readonly receipts: readonly Receipt[];
  readonly submissions: readonly SubmissionRecord[];
  /** Claims on these receipts, and those of the payments in review among these, all by payments in review. */
  readonly claims: readonly StoredClaim[];
}

/** The rows that a decision has changed, for `MatchingCases.save`. */
export interface CaseChanges {
  readonly newReceipts: readonly Receipt[];
  readonly receipts: readonly Receipt[];
  /** Receipts that are left to a user, unless they have found their payment meanwhile. */
  readonly doubtedIds: readonly string[];
  readonly newSubmissions: readonly SubmissionRecord[];
  readonly submissions: readonly SubmissionRecord[];
  /** Payments with a receipt that their submissions turned out to fit. */
  readonly noGuesses: readonly { readonly paymentId: string; readonly receipt: Receipt }[];
  readonly transitions: readonly Transition[];
  readonly claims: readonly StoredClaim[];
}

/** Collects the rows that a case has changed, and that are not written yet. */
export class Changes {
  readonly newReceipts = new Map<string, Receipt>();
  readonly newSubmissions = new Map<number, SubmissionRecord>();
  readonly submissions = new Map<number, SubmissionRecord>();
  readonly noGuesses: { readonly paymentId: string; readonly receipt: Receipt }[] = [];
  readonly transitions: Transition[] = [];
  readonly claims = new Map<string, StoredClaim>();
  private readonly receipts = new Map<string, Receipt>();
  private readonly doubted = new Set<string>();

  receipt(receipt: Receipt): void {
    if (this.newReceipts.has(receipt.id)) this.newReceipts.set(receipt.id, receipt);
    else this.receipts.set(receipt.id, receipt);
  }

  doubt(receipt: Receipt): void {
    if (this.newReceipts.has(receipt.id) || this.receipts.has(receipt.id)) this.receipt(receipt);
    else this.doubted.add(receipt.id);
  }

  list(): CaseChanges {
    return {
      newReceipts: [...this.newReceipts.values()],
      receipts: [...this.receipts.values()],
      doubtedIds: [...this.doubted].filter((id) => !this.receipts.has(id)),
      newSubmissions: [...this.newSubmissions.values()],
      submissions: [...this.submissions.values()],
      noGuesses: this.noGuesses,
      transitions: this.transitions,
      claims: [...this.claims.values()],
    };
  }
}
