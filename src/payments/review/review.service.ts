import { Injectable } from '@nestjs/common';
import { actorOf, type Caller } from '../../accounts/index.js';
import { AuditLog } from '../../platform/audit/index.js';
import { Database, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { StoresService } from '../../stores/index.js';
import { ClaimsRepository } from '../matching/claims.repository.js';
import { SubmissionsRepository } from '../matching/submissions.repository.js';
import { compareMoney, type Claim } from '../matching/matching.js';
import { matchingKeys, trxIdKeys } from '../matching/matching-keys.js';
import type { Payment, PaymentStatus, ReviewReason } from '../payments/payment.js';
import {
  paymentChanged,
  paymentNotFound,
  receiptClaimed,
  receiptHeld,
  receiptIgnored,
  receiptNotFound,
  receiptNotVoid,
  receiptRequired,
  receiptVoid,
  refusedIn,
  simulationDisabled,
  voidReceiptRequired,
} from '../payments/payments.errors.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { ReceiptOffers } from '../intake/receipt-offers.js';
import {
  comparedFacts,
  type ReleasedReceipt,
  NO_RECEIPT,
  receiptFacts,
  PaymentTransitions,
} from '../matching/payment-transitions.js';

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

/** The payments that would get a released receipt. */
export interface NextClaimants {
  readonly winnerId: string | null;
  /** The winner would be verified by it. */
  readonly fits: boolean;
  readonly claimingIds: readonly string[];
}

/** The rows of a decision, locked: the payment, and all payments whose receipts are touched. */
interface Matter {
  readonly payment: Payment;
  readonly payments: readonly Payment[];
  readonly claims: readonly Claim[];
  /** All TrxIDs that were submitted for the payment. */
  readonly trxIds: readonly string[];
  readonly now: Date;
}

/** The receipts that a decision touches have changed since their keys were taken. */
class KeysChanged extends Error {}

const MAX_KEY_ATTEMPTS = 5;

/** Decisions of users: approve, reject, match, void (contract 3.28). Each is in the audit log. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly claims: ClaimsRepository,
    private readonly transitions: PaymentTransitions,
    private readonly offers: ReceiptOffers,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
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
    const { receiptId, seen } = approval;
    const { changed, releasedReceipts } = await this.decide(
      storeId,
      paymentId,
      { receiptId: receiptId ?? undefined, seen },
      async (tx, matter) => {
        const { payment, now } = matter;
        if (payment.status !== 'review') throw refusedIn(payment.status);
        if (receiptId === undefined && payment.receiptId === null) throw receiptRequired();
        const wanted = receiptId === undefined ? payment.receiptId : receiptId;
        const isKept = wanted !== null && wanted === payment.receiptId;
        const chosen = isKept || wanted === null ? null : await this.chosenReceipt(tx, matter, wanted);
        if (isKept && payment.simulated) await this.refuseWithoutSimulation(tx, storeId);
        const releasedReceipts = isKept ? [] : await this.transitions.release(tx, payment, NOT_SAID);
        const changed = await this.transitions.apply(tx, payment, 'approve', now, {
          ...(isKept ? {} : chosen === null ? submittedFacts(payment) : receiptFacts(chosen)),
          approvedAt: now,
        });
        if (changed.receiptId !== null) await this.giveFor(tx, changed, changed.receiptId, now);
        releasedReceipts.push(...(await this.transitions.endClaims(tx, changed, LEFT_OVER, now)));
        if (isPaidInPart(changed)) await this.receipts.doubtApproved(tx, storeId, matter.trxIds);
        await this.audit(tx, caller, payment, changed, 'payment.approved', approval.reason);
        return { changed, releasedReceipts };
      },
    );
    await this.offers.offerAll(releasedReceipts, false);
    return changed;
  }

  /** Cancels a payment in review. Same errors as `approve`. */
  async reject(
    caller: Caller,
    storeId: string,
    paymentId: string,
    decision: { reason: string } & Ending,
  ): Promise<Payment> {
    const { changed, releasedReceipts } = await this.decide(
      storeId,
      paymentId,
      decision,
      async (tx, matter) => {
        if (matter.payment.status !== 'review') throw refusedIn(matter.payment.status);
        const ended = await this.end(tx, matter, 'reject', decision, decision.reason);
        await this.audit(
          tx,
          caller,
          matter.payment,
          ended.payment,
          'payment.rejected',
          decision.reason,
          decision,
        );
        return { changed: ended.payment, releasedReceipts: ended.releasedReceipts };
      },
    );
    await this.offers.offerAll(releasedReceipts, decision.receipt === 'release');
    return changed;
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
    const { changed, releasedReceipts } = await this.decide(
      storeId,
      paymentId,
      ending,
      async (tx, matter) => {
        const reason = 'The payment was cancelled.';
        const ended = await this.end(tx, matter, 'cancel', ending, reason);
        if ('user' in caller || matter.payment.status === 'review')
          await this.audit(tx, caller, matter.payment, ended.payment, 'payment.cancelled', reason, ending);
        return { changed: ended.payment, releasedReceipts: ended.releasedReceipts };
      },
    );
    await this.offers.offerAll(releasedReceipts, ending.receipt === 'release');
    return changed;
  }

  /** Gives an unmatched receipt to a payment: verified when the money is equal, else in review. */
  async match(
    caller: Caller,
    storeId: string,
    receiptId: string,
    decision: { paymentId: string; reason: string; seen?: SeenPayment | undefined },
  ): Promise<{ payment: Payment; receipt: Receipt }> {
    const { changed, receipt, releasedReceipts } = await this.decide(
      storeId,
      decision.paymentId,
      { receiptId, seen: decision.seen },
      async (tx, { payment, now }) => {
        const receipt = await this.unmatchedReceipt(tx, storeId, receiptId);
        const difference = compareMoney(payment, receipt);
        const releasedReceipts = await this.transitions.release(tx, payment, NOT_SAID);
        const event = difference === null ? 'assign_equal' : 'assign_unequal';
        const changes = comparedFacts(receipt, difference);
        const changed = await this.transitions.apply(tx, payment, event, now, changes);
        if (changed.status === 'verified') {
          await this.giveFor(tx, changed, receiptId, now);
          releasedReceipts.push(...(await this.transitions.endClaims(tx, changed, LEFT_OVER, now)));
        } else await this.receipts.setStatus(tx, storeId, receiptId, 'review');
        await this.audit(tx, caller, payment, changed, 'receipt.matched', decision.reason);
        const given = await this.receipts.findOfStore(tx, storeId, receiptId);
        return { changed, receipt: given ?? receipt, releasedReceipts };
      },
    );
    await this.offers.offerAll(releasedReceipts, false);
    return { payment: changed, receipt };
  }

  /**
   * Voids a receipt that no payment holds: its money went back, or was for something else, and never pays anything
   * again.
   *
   * @throws DomainError 404 `receipt.not_found`; 409 `receipt.claimed`, `receipt.ignored`, `receipt.void`
   */
  async void(caller: Caller, storeId: string, receiptId: string, reason: string): Promise<Receipt> {
    return this.aboutReceipt(storeId, receiptId, async (tx, receipt) => {
      if (receipt.holder !== null) throw receiptHeld();
      if (receipt.status === 'ignored') throw receiptIgnored();
      if (receipt.status === 'void') throw receiptVoid();
      const claims = await this.claims.listOfReceipts(tx, storeId, [receiptId]);
      await this.payments.lockMany(
        tx,
        storeId,
        claims.map(({ paymentId }) => paymentId),
      );
      await this.transitions.void(tx, storeId, receiptId, reason, this.clock.now());
      await this.auditReceipt(tx, caller, storeId, receiptId, 'receipt.voided', reason);
    });
  }

  /** Takes back that a receipt was voided. @throws DomainError 404 `receipt.not_found`; 409 `receipt.not_void` */
  async restore(caller: Caller, storeId: string, receiptId: string, reason: string): Promise<Receipt> {
    await this.aboutReceipt(storeId, receiptId, async (tx, receipt) => {
      if (receipt.status !== 'void') throw receiptNotVoid();
      await this.receipts.restore(tx, storeId, receiptId);
      await this.auditReceipt(tx, caller, storeId, receiptId, 'receipt.restored', reason);
    });
    await this.offers.offerAll([{ storeId, receiptId }], true);
    const restored = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (restored === null) throw receiptNotFound();
    return restored;
  }

  /** Lists the receipts that payments in review claim without having them attached, for the user who decides. */
  listClaims(storeId: string, paymentIds: readonly string[]): Promise<Claim[]> {
    return this.claims.listForUsers(storeId, paymentIds);
  }

  /** Which payments are in review over these receipts without holding them. */
  listClaimants(storeId: string, receiptIds: readonly string[]): Promise<Claim[]> {
    return this.claims.listOfReceipts(this.database, storeId, receiptIds);
  }

  /**
   * Who would get a receipt if this payment ended and released it (contract 3.36): at most one `winnerId`, or those
   * among whom a user would have to choose. Changes nothing.
   */
  async foresee(storeId: string, receiptId: string, leavingId: string): Promise<NextClaimants> {
    const outcome = await this.offers.foresee(storeId, receiptId, leavingId);
    const winner = outcome?.winner ?? null;
    const claimingIds = [...new Set((outcome?.claims ?? []).map(({ paymentId }) => paymentId))];
    return { winnerId: winner?.paymentId ?? null, fits: winner?.comparison === 'agree', claimingIds };
  }

  private async aboutReceipt(
    storeId: string,
    receiptId: string,
    work: (tx: Transaction, receipt: Receipt) => Promise<void>,
  ): Promise<Receipt> {
    const known = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (known === null) throw receiptNotFound();
    return this.database.transaction(
      async (tx) => {
        const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
        if (receipt === null) throw receiptNotFound();
        await work(tx, receipt);
        return (await this.receipts.findOfStore(tx, storeId, receiptId)) ?? receipt;
      },
      { locks: matchingKeys(storeId, known), storeId },
    );
  }

  private async end(
    tx: Transaction,
    { payment, claims, now }: Matter,
    event: 'cancel' | 'reject',
    ending: Ending,
    reason: string,
  ): Promise<{ payment: Payment; releasedReceipts: ReleasedReceipt[] }> {
    const released = ending.receipt === 'release';
    if (ending.receipt !== 'void') return this.transitions.abandon(tx, payment, event, now, { released });
    const own = [payment.receiptId, ...claims.map(({ receiptId }) => receiptId)].filter((id) => id !== null);
    if (claims.length > 0 && ending.receiptId === undefined) throw voidReceiptRequired();
    const receiptId = ending.receiptId ?? payment.receiptId;
    if (receiptId === null) return this.transitions.abandon(tx, payment, event, now, { released });
    if (!own.includes(receiptId)) throw receiptNotFound();
    const receipt = await this.receipts.findOfStore(tx, payment.storeId, receiptId);
    if (receipt?.holder != null && receipt.holder.paymentId !== payment.id) throw receiptHeld();
    const voided = { receiptId, reason };
    return this.transitions.abandon(tx, payment, event, now, { released, voided });
  }

  /** The receipt is a payment's for good. */
  private async giveFor(tx: Transaction, payment: Payment, receiptId: string, now: Date): Promise<void> {
    await this.receipts.setStatus(tx, payment.storeId, receiptId, 'matched');
    await this.transitions.loseClaimsOn(tx, payment.storeId, receiptId, payment.id, now);
  }

  /**
   * Runs a decision about a payment under the keys of every receipt that it holds, claims or is to get, with the rows
   * of everybody else whose receipts these are, in the order of ids. When those have changed meanwhile, all of it is
   * done again. A payment that is not what the caller saw is refused before anything else is looked at.
   */
  private async decide<Result>(
    storeId: string,
    paymentId: string,
    { receiptId, seen }: { readonly receiptId?: string | undefined; readonly seen?: SeenPayment | undefined },
    work: (tx: Transaction, matter: Matter) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const known = await this.payments.findOfStore(storeId, paymentId);
      if (known === null) throw paymentNotFound();
      const claims = await this.claims.listOfPayments(this.database, storeId, [paymentId]);
      const ids = receiptIdsOf(known, claims, receiptId);
      const trxIds = trxIdsOf(await this.submissions.list(this.database, storeId, paymentId));
      const receipts = await Promise.all(
        ids.map((id) => this.receipts.findOfStore(this.database, storeId, id)),
      );
      const found = receipts.filter((receipt) => receipt !== null);
      if (receiptId !== undefined && !found.some(({ id }) => id === receiptId)) throw receiptNotFound();
      try {
        return await this.database.transaction(
          async (tx) => {
            const matter = await this.lockMatter(tx, storeId, paymentId, receiptId, { ids, trxIds });
            refuseChanged(matter.payment, seen);
            return work(tx, matter);
          },
          {
            locks: [
              ...found.flatMap((receipt) => matchingKeys(storeId, receipt)),
              // A receipt of one of these may come at this moment (contract 4.19).
              ...trxIds.flatMap((trxId) => trxIdKeys(storeId, trxId)),
            ],
            storeId,
          },
        );
      } catch (error) {
        if (!(error instanceof KeysChanged) || attempt >= MAX_KEY_ATTEMPTS) throw error;
      }
    }
  }

  private async lockMatter(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    receiptId: string | undefined,
    keyed: { readonly ids: readonly string[]; readonly trxIds: readonly string[] },
  ): Promise<Matter> {
    const claimants = await this.claims.listOfReceipts(tx, storeId, keyed.ids);
    const named = receiptId === undefined ? null : await this.receipts.findOfStore(tx, storeId, receiptId);
    const holderId = named?.holder?.paymentId;
    const ids = [
      paymentId,
      ...claimants.map((claimant) => claimant.paymentId),
      ...(holderId === undefined ? [] : [holderId]),
    ];
    const payments = await this.payments.lockMany(tx, storeId, [...new Set(ids)]);
    const locked = payments.find(({ id }) => id === paymentId);
    if (locked === undefined) throw paymentNotFound();
    const claims = await this.claims.listOfPayments(tx, storeId, [paymentId]);
    if (receiptIdsOf(locked, claims, receiptId).some((id) => !keyed.ids.includes(id)))
      throw new KeysChanged();
    const trxIds = trxIdsOf(await this.submissions.list(tx, storeId, paymentId));
    if (trxIds.some((trxId) => !keyed.trxIds.includes(trxId))) throw new KeysChanged();
    const now = this.clock.now();
    // A receipt that is attached by now is claimed no longer: there is nothing to choose.
    const others = claims.filter((claim) => claim.receiptId !== locked.receiptId);
    return {
      payment: await this.transitions.expireIfOver(tx, locked, now),
      payments,
      claims: others,
      trxIds,
      now,
    };
  }

  /** The receipt that a user names, taken from whoever holds it only until a user has looked. */
  private async chosenReceipt(
    tx: Transaction,
    { payment, payments, now }: Matter,
    receiptId: string,
  ): Promise<Receipt> {
    const receipt = await this.payableReceipt(tx, payment.storeId, receiptId);
    if (receipt.holder === null) return receipt;
    const holder = payments.find(({ id }) => id === receipt.holder?.paymentId);
    if (receipt.holder.verified || holder === undefined) throw receiptClaimed();
    const changes = { ...NO_RECEIPT, reviewReason: 'trx_id_used' as const };
    await this.transitions.apply(tx, holder, 'further', now, changes);
    return receipt;
  }

  private async unmatchedReceipt(tx: Transaction, storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.payableReceipt(tx, storeId, receiptId);
    if (receipt.holder !== null) throw receiptClaimed();
    return receipt;
  }

  private async payableReceipt(tx: Transaction, storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfStore(tx, storeId, receiptId);
    if (receipt === null) throw receiptNotFound();
    if (receipt.status === 'ignored') throw receiptIgnored();
    if (receipt.status === 'void') throw receiptVoid();
    if (receipt.simulated) await this.refuseWithoutSimulation(tx, storeId);
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
    await this.auditLog.append(tx, {
      storeId: before.storeId,
      actor: 'user' in caller ? actorOf(caller.user) : { type: 'api_key', id: null },
      action,
      address: caller.address,
      details: {
        paymentId: before.id,
        receiptId: after.receiptId ?? before.receiptId,
        reason,
        ...(receipt === undefined ? {} : { receipt }),
        status: { before: before.status, after: after.status },
        reviewReason: { before: before.reviewReason, after: after.reviewReason },
      },
    });
  }

  private async auditReceipt(
    tx: Transaction,
    caller: Caller,
    storeId: string,
    receiptId: string,
    action: string,
    reason: string,
  ): Promise<void> {
    await this.auditLog.append(tx, {
      storeId,
      actor: actorOf(caller.user),
      action,
      address: caller.address,
      details: { receiptId, reason },
    });
  }
}

/** The store's API key, and from which network address it asks. */
type KeyCaller = Pick<Caller, 'address'>;

/** For an attached receipt that a user passes over: nobody said that it may pay by itself. */
const NOT_SAID = { released: false } as const;
/** For receipts that a verified payment claimed besides: they are free, as if they had just arrived. */
const LEFT_OVER = { released: true } as const;

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

function trxIdsOf(submissions: readonly SubmissionRecord[]): string[] {
  return submissions.filter(({ kind }) => kind === 'trx_id').map(({ value }) => value);
}

/** Whether the payment was verified over less than was asked, over another currency, or over no receipt. */
function isPaidInPart(payment: Payment): boolean {
  const { receiptId, receivedAmountMinor, receivedCurrency, payAmountMinor, currency } = payment;
  return receiptId === null || receivedCurrency !== currency || (receivedAmountMinor ?? 0) < payAmountMinor;
}

/** The facts of a payment that is approved without a receipt: those that the payer submitted. */
function submittedFacts({ submission, requestedProvider }: Payment): Partial<Payment> {
  return {
    ...NO_RECEIPT,
    provider: submission?.provider ?? requestedProvider,
    trxId: submission?.kind === 'trx_id' ? submission.trxId : null,
  };
}

function receiptIdsOf(payment: Payment, claims: readonly Claim[], receiptId: string | undefined): string[] {
  const ids = [payment.receiptId, receiptId ?? null, ...claims.map((claim) => claim.receiptId)];
  return [...new Set(ids.filter((id) => id !== null))];
}
