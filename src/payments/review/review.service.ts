import { Injectable } from '@nestjs/common';
import { type Caller } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { StoresService } from '../../stores/index.js';
import { ReleasedReceipts } from '../intake/released-receipts.js';
import { ClaimsRepository } from '../matching/claims.repository.js';
import { compareMoney } from '../matching/compare.js';
import type { CaseEnding, MatchingCase } from '../matching/matching-case.js';
import { KeysChanged, MatchingCases, receiptIdsOf, trxIdsOf } from '../matching/matching-cases.js';
import { matchingKeys, trxIdKeys } from '../matching/matching-keys.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import type { Payment, PaymentStatus, ReviewReason } from '../payments/payment.js';
import {
  paymentChanged,
  paymentNotFound,
  receiptAlreadyMatched,
  receiptClaimed,
  receiptIgnored,
  receiptNotFound,
  receiptRequired,
  receiptVoid,
  refusedIn,
  simulationDisabled,
  voidReceiptRequired,
} from '../payments/payments.problems.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';

/** The payment as the caller saw it; a key that is absent is not compared (contract 3.45). */
export interface SeenPayment {
  readonly status?: PaymentStatus;
  readonly reviewReason?: ReviewReason | null;
  readonly receiptId?: string | null;
}

/** An approval. `receiptId` undefined: over the attached receipt; null: over none (contract 3.30 to 3.32). */
export interface Approval {
  readonly reason: string;
  readonly receiptId?: string | null | undefined;
  readonly seen?: SeenPayment | undefined;
}

/** Says what happens to the receipt when a payment ends without money (contract 3.34). */
export interface Ending {
  readonly seen?: SeenPayment | undefined;
  /** Free to pay by itself, or void; absent: free, but who waits for it stays in review. */
  readonly receipt?: 'release' | 'void' | undefined;
  /** Which one is void, where the payment claims receipts. */
  readonly receiptId?: string | undefined;
}

/** The store's API key, and from which network address it asks. */
type KeyCaller = Pick<Caller, 'address'>;

/** A payment that a user decides about: locked, with all that the decision can change. */
interface Matter {
  readonly payment: Payment;
  readonly matching: MatchingCase;
}

const MAX_KEY_ATTEMPTS = 5;

/** Decisions about payments: approve, reject, cancel, match (contract 3.28). Each is in the audit log. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly claims: ClaimsRepository,
    private readonly cases: MatchingCases,
    private readonly releasedReceipts: ReleasedReceipts,
    private readonly auditLog: AuditLog,
    private readonly stores: StoresService,
  ) {}

  /**
   * Verifies a payment in review. Amounts stay what they are: what was asked, and what was received. A receipt that
   * another payment in review has attached may be chosen, too; that payment then has none.
   *
   * @throws DomainError 404 `payment.not_found`, `receipt.not_found`; 403 `simulate.disabled`; 409 `payment.changed`,
   * the code of the state, `receipt.already_matched`, `receipt.ignored`, `receipt.void`; 400 `payment.receipt_required`
   */
  async approve(caller: Caller, storeId: string, paymentId: string, approval: Approval): Promise<Payment> {
    const { receiptId, seen, reason } = approval;
    const about = { receiptId: receiptId ?? undefined, seen };
    return this.decide(storeId, paymentId, about, false, async (tx, { payment, matching }) => {
      if (payment.status !== 'review') throw refusedIn(payment.status);
      if (receiptId === undefined && payment.receiptId === null) throw receiptRequired();
      const wantedId = receiptId === undefined ? payment.receiptId : receiptId;
      const fields = { approvedAt: matching.now };
      let approved: Payment;
      if (wantedId === null) {
        approved = matching.approveWithoutReceipt(paymentId, { ...submittedFacts(payment), ...fields });
      } else {
        await this.prepareChosen(tx, matching, payment, wantedId);
        approved = matching.attach(paymentId, wantedId, 'approve', fields, true);
      }
      await this.cases.save(tx, matching);
      if (isPaidInPart(approved)) {
        const trxIds = trxIdsOf(matching.submissionsOf(paymentId));
        await this.receipts.doubtApproved(tx, storeId, trxIds);
      }
      await this.audit(tx, caller, payment, approved, 'payment.approved', reason);
      return approved;
    });
  }

  /** Cancels a payment in review. Same errors as `approve`. */
  async reject(
    caller: Caller,
    storeId: string,
    paymentId: string,
    decision: { reason: string } & Ending,
  ): Promise<Payment> {
    const { reason } = decision;
    return this.decide(storeId, paymentId, decision, decision.receipt === 'release', async (tx, matter) => {
      const { payment, matching } = matter;
      if (payment.status !== 'review') throw refusedIn(payment.status);
      const ended = matching.end(paymentId, 'reject', endingOf(matter, decision, reason));
      await this.cases.save(tx, matching);
      await this.audit(tx, caller, payment, ended, 'payment.rejected', reason, decision);
      return ended;
    });
  }

  /**
   * The merchant cancels: a user, or the store's API key. What a user does has a line in the audit log; what a key
   * does has one where money is decided by it: a payment in review, whose receipt is then free or void.
   *
   * @throws DomainError 404 `payment.not_found`; 409 with the code of a state that is final
   */
  async cancel(
    caller: Caller | KeyCaller,
    storeId: string,
    paymentId: string,
    ending: Ending = {},
  ): Promise<Payment> {
    const reason = 'The payment was cancelled.';
    return this.decide(storeId, paymentId, ending, ending.receipt === 'release', async (tx, matter) => {
      const { payment, matching } = matter;
      const ended = matching.end(paymentId, 'cancel', endingOf(matter, ending, reason));
      await this.cases.save(tx, matching);
      if ('user' in caller || payment.status === 'review')
        await this.audit(tx, caller, payment, ended, 'payment.cancelled', reason, ending);
      return ended;
    });
  }

  /** Gives an unmatched receipt to a payment: verified when the money is equal, else in review. */
  async match(
    caller: Caller,
    storeId: string,
    receiptId: string,
    decision: { paymentId: string; reason: string; seen?: SeenPayment | undefined },
  ): Promise<{ payment: Payment; receipt: Receipt }> {
    const { paymentId, reason, seen } = decision;
    return this.decide(storeId, paymentId, { receiptId, seen }, false, async (tx, { payment, matching }) => {
      const receipt = await this.payable(tx, matching, receiptId);
      if (receipt.attachedTo !== null) throw receiptAlreadyMatched();
      const difference = compareMoney(payment, receipt);
      const event = difference === null ? 'assign_equal' : 'assign_unequal';
      const matched = matching.attach(paymentId, receiptId, event, { reviewReason: difference }, true);
      await this.cases.save(tx, matching);
      await this.audit(tx, caller, payment, matched, 'receipt.matched', reason);
      return { payment: matched, receipt: matching.receipt(receiptId) };
    });
  }

  /**
   * Runs a decision about a payment under the keys of every receipt that is attached to it, that it claims or is to
   * get, with the rows of everybody else whose receipts these are, in the order of ids. When those have changed
   * meanwhile, all of it is done again. A payment that is not what the caller saw is refused before anything else is
   * looked at. What was released is offered after the commit; `mayPay`: to pay by itself.
   */
  private async decide<Result>(
    storeId: string,
    paymentId: string,
    about: { readonly receiptId?: string | undefined; readonly seen?: SeenPayment | undefined },
    mayPay: boolean,
    work: (tx: Transaction, matter: Matter) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { result, released } = await this.attempt(storeId, paymentId, about, work);
        await this.releasedReceipts.offerAll(storeId, released, mayPay);
        return result;
      } catch (error) {
        if (!(error instanceof KeysChanged) || attempt >= MAX_KEY_ATTEMPTS) throw error;
      }
    }
  }

  private async attempt<Result>(
    storeId: string,
    paymentId: string,
    { receiptId, seen }: { readonly receiptId?: string | undefined; readonly seen?: SeenPayment | undefined },
    work: (tx: Transaction, matter: Matter) => Promise<Result>,
  ): Promise<{ result: Result; released: readonly string[] }> {
    const known = await this.payments.findOfStore(storeId, paymentId);
    if (known === null) throw paymentNotFound();
    const claims = await this.claims.listOfPayments(this.database, storeId, [paymentId]);
    const claimedIds = claims.map((claim) => claim.receiptId);
    const receiptIds = receiptIdsOf(known.receiptId, claimedIds, receiptId);
    const receipts = await this.receipts.listByIds(this.database, storeId, receiptIds);
    if (receiptId !== undefined && !receipts.some(({ id }) => id === receiptId)) throw receiptNotFound();
    const trxIds = trxIdsOf(await this.submissions.list(this.database, storeId, paymentId));
    return this.database.transaction(
      async (tx) => {
        const keys = { receiptIds, trxIds };
        const matching = await this.cases.ofDecision(tx, storeId, paymentId, receiptId, keys);
        if (matching === null) throw paymentNotFound();
        const payment = matching.expireIfOver(paymentId);
        refuseChanged(payment, seen);
        const result = await work(tx, { payment, matching });
        return { result, released: matching.released };
      },
      {
        locks: [
          ...receipts.flatMap((receipt) => matchingKeys(storeId, receipt)),
          // A receipt of one of these may come at this moment (contract 4.19).
          ...trxIds.flatMap((trxId) => trxIdKeys(storeId, trxId)),
        ],
        storeId,
      },
    );
  }

  /** The receipt that a user approves over: its own, or one that another payment in review gives up for it. */
  private async prepareChosen(
    tx: Transaction,
    matching: MatchingCase,
    payment: Payment,
    receiptId: string,
  ): Promise<void> {
    if (receiptId === payment.receiptId) {
      if (payment.simulated) await this.refuseWithoutSimulation(tx, payment.storeId);
      return;
    }
    const { attachedTo } = await this.payable(tx, matching, receiptId);
    if (attachedTo === null) return;
    if (attachedTo.verified) throw receiptAlreadyMatched();
    matching.detach(attachedTo.paymentId);
  }

  private async payable(tx: Transaction, matching: MatchingCase, receiptId: string): Promise<Receipt> {
    const receipt = matching.findReceipt(receiptId);
    if (receipt === null) throw receiptNotFound();
    if (receipt.status === 'ignored') throw receiptIgnored();
    if (receipt.status === 'void') throw receiptVoid();
    if (receipt.simulated) await this.refuseWithoutSimulation(tx, receipt.storeId);
    return receipt;
  }

  /** A simulated receipt pays only while the store has simulation switched on, whoever gives it (contract 3.48). */
  private async refuseWithoutSimulation(tx: Transaction, storeId: string): Promise<void> {
    if (!(await this.stores.get(storeId, tx)).simulationEnabled) throw simulationDisabled();
  }

  private async audit(
    tx: Transaction,
    caller: Caller | KeyCaller,
    before: Payment,
    after: Payment,
    action: string,
    reason: string,
    { receipt }: Ending = {},
  ): Promise<void> {
    await this.auditLog.record(
      tx,
      'user' in caller ? caller : { by: 'api_key', address: caller.address },
      action,
      {
        storeId: before.storeId,
        details: {
          paymentId: before.id,
          receiptId: after.receiptId ?? before.receiptId,
          reason,
          ...(receipt === undefined ? {} : { receipt }),
          status: { before: before.status, after: after.status },
          reviewReason: { before: before.reviewReason, after: after.reviewReason },
        },
      },
    );
  }
}

/** @throws DomainError 409 `payment.changed`, before every other refusal (contract 3.45 and 3.46) */
function refuseChanged(payment: Payment, seen: SeenPayment | undefined): void {
  const { status, reviewReason, receiptId } = seen ?? {};
  if (
    (status !== undefined && status !== payment.status) ||
    (reviewReason !== undefined && reviewReason !== payment.reviewReason) ||
    (receiptId !== undefined && receiptId !== payment.receiptId)
  )
    throw paymentChanged();
}

/**
 * The fate of the receipts of a payment that ends without money.
 *
 * @throws DomainError 400 `payment.void_receipt_required`; 404 `receipt.not_found`; 409 `receipt.claimed`
 */
function endingOf({ payment, matching }: Matter, ending: Ending, reason: string): CaseEnding {
  const mayPay = ending.receipt === 'release';
  if (ending.receipt !== 'void') return { mayPay };
  const claimedIds = matching.claimsOf(payment.id).map((claim) => claim.receiptId);
  if (claimedIds.length > 0 && ending.receiptId === undefined) throw voidReceiptRequired();
  const receiptId = ending.receiptId ?? payment.receiptId;
  if (receiptId === null) return { mayPay };
  if (receiptId !== payment.receiptId && !claimedIds.includes(receiptId)) throw receiptNotFound();
  const { attachedTo } = matching.receipt(receiptId);
  if (attachedTo !== null && attachedTo.paymentId !== payment.id) throw receiptClaimed();
  return { mayPay, voided: { receiptId, reason } };
}

/** Whether the payment was verified over less than was asked, over another currency, or over no receipt. */
function isPaidInPart(payment: Payment): boolean {
  const { receiptId, receivedAmountMinor, receivedCurrency, payAmountMinor, currency } = payment;
  return receiptId === null || receivedCurrency !== currency || (receivedAmountMinor ?? 0) < payAmountMinor;
}

/** The facts of a payment that is approved without a receipt: those that the payer submitted. */
function submittedFacts({ submission, requestedProvider }: Payment): Partial<Payment> {
  return {
    provider: submission?.provider ?? requestedProvider,
    trxId: submission?.kind === 'trx_id' ? submission.trxId : null,
  };
}
