import { Injectable } from '@nestjs/common';
import { together, type Transaction } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import type { Store } from '../../stores/index.js';
import type { Payment, Submission } from '../payments/payment.js';
import { PaymentTransitions } from '../payments/payment-transitions.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import { type ArrivingReceipt, moneyTimes, type Receipt } from '../receipts/receipt.js';
import { flagsOfReleased } from '../receipts/receipt-doubts.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { ClaimsRepository } from './claims.repository.js';
import { around, type MatchingRules } from './compare.js';
import { MatchingCase } from './matching-case.js';
import { SubmissionsRepository } from './submissions.repository.js';
import { PaymentsSettings } from '../payments.settings.js';

/** A receipt that has just come, with the payments that name it and the receipts that it may tell of a second time. */
export interface ArrivingCase {
  readonly matching: MatchingCase;
  /** The receipt that makes this one a duplicate. */
  readonly same: Receipt | null;
  /** When its money came, as the QR window counts it. */
  readonly money: { readonly from: Date; readonly until: Date };
  readonly byTrxId: readonly Receipt[];
  /** Receipts of equal digits and amount within the window of its money. */
  readonly alike: readonly Receipt[];
  /** A user has verified a payment for which its TrxID was submitted, over less or over none (contract 4.19). */
  readonly isApprovedFor: boolean;
}

/** A submission's payment, locked, with the receipts that it names. */
export interface SubmissionCase {
  readonly matching: MatchingCase;
  readonly receipts: readonly Receipt[];
  /** Receipts of the plain amount, where the payment has an amount of its own. */
  readonly plainReceipts: readonly Receipt[];
}

/** The keys under which a user's decision was begun. */
export interface DecisionKeys {
  readonly receiptIds: readonly string[];
  readonly trxIds: readonly string[];
}

/** The receipts that a user's decision touches have changed since their keys were taken. */
export class KeysChanged extends Error {}

/**
 * Loads what a decision is made from, locked, and writes what it has changed. Each method runs inside the caller's
 * transaction, which holds the keys of `matching-keys.ts`. The locks: the keys, then the payments' rows in the order
 * of their ids, then receipts that two keys lead to.
 */
@Injectable()
export class MatchingCases {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly claims: ClaimsRepository,
    private readonly transitions: PaymentTransitions,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {}

  /** The rules that a store and the service have set for matching. */
  rulesOf({ receiptLeadMs, receiptChecks, simulationEnabled }: Store): MatchingRules {
    const { qrWindowMs: windowMs, guessLimit } = this.settings;
    return { receiptLeadMs, receiptChecks, simulationEnabled, windowMs, guardsGuesses: guessLimit !== null };
  }

  /**
   * The case of a receipt that has just come. Where digits are read the time is needed for that, and it is looked up
   * behind the keys. `clockOffsetMs`: how far the phone's clock is ahead.
   */
  async ofReceipt(
    tx: Transaction,
    { id: storeId }: Store,
    receipt: ArrivingReceipt,
    clockOffsetMs: number,
  ): Promise<ArrivingCase> {
    const { trxId, last4digit, amountMinor, currency, provider, simulated } = receipt;
    const { qrWindowMs } = this.settings;
    if (last4digit !== null) await tx.locked();
    const early = last4digit === null ? null : this.clock.now();
    const between =
      early === null ? null : windowAround(moneyTimes(receipt, early, clockOffsetMs), qrWindowMs);
    const [same, byTrxId, alike, isApprovedFor, ofTrxId, ofDigits] = await together([
      this.receipts.findSame(tx, storeId, receipt),
      trxId === null ? [] : this.receipts.listByTrx(tx, storeId, trxId),
      last4digit === null || between === null
        ? []
        : this.receipts.listByLast4(tx, { storeId, last4digit, amountMinor }, between),
      trxId === null || simulated ? false : this.payments.isApprovedFor(tx, storeId, trxId),
      trxId === null ? [] : this.payments.lockForTrx(tx, storeId, { trxId, amountMinor, currency, provider }),
      last4digit === null || between === null
        ? []
        : this.payments.lockForLast4(tx, storeId, { last4digit, amountMinor, currency }, between),
    ]);
    const now = early ?? this.clock.now();
    const payments = eachOnce([...ofTrxId, ...ofDigits]);
    const submissions = await this.submissions.listOfValues(tx, storeId, receipt, idsOf(payments));
    // Around the submissions, not around this receipt: another one may lie on the far side of them.
    const others = await this.alikeAround(tx, storeId, receipt, submissions);
    const matching = await this.caseOf(tx, storeId, now, {
      payments,
      receipts: [...byTrxId, ...others],
      submissions,
      isClaimable: others.length > 0,
    });
    const money = moneyTimes(receipt, now, clockOffsetMs);
    return { matching, same, money, byTrxId, alike, isApprovedFor };
  }

  /** The case of what a payer submits: the payment, and the receipts that have the TrxID, or the digits. */
  async ofSubmission(tx: Transaction, payment: Payment, submission: Submission): Promise<SubmissionCase> {
    return submission.kind === 'trx_id'
      ? this.ofTrxId(tx, payment, submission.trxId)
      : this.ofDigits(tx, payment, submission.last4digit);
  }

  /**
   * A TrxID is decided against its receipts alone: who else waits for it was decided when they came. All of it leaves
   * with BEGIN, and runs behind the locks one after the other.
   */
  private async ofTrxId(tx: Transaction, { id, storeId }: Payment, trxId: string): Promise<SubmissionCase> {
    const [own, submissions, found] = await together([
      this.payments.lock(tx, storeId, id),
      this.submissions.list(tx, storeId, id),
      this.receipts.listByTrx(tx, storeId, trxId),
    ]);
    const now = this.clock.now();
    const receipts = await this.locked(tx, storeId, found);
    const matching = await this.caseOf(tx, storeId, now, {
      payments: own === null ? [] : [own],
      receipts,
      submissions,
      // One that is free can only be attached.
      isClaimable:
        receipts.length > 1 ||
        own?.status === 'review' ||
        receipts.some(({ status }) => status !== 'unmatched'),
    });
    return { matching, receipts, plainReceipts: [] };
  }

  /** Digits are decided against the other payments that name them, too: those are locked with it. */
  private async ofDigits(tx: Transaction, payment: Payment, last4digit: string): Promise<SubmissionCase> {
    const { id, storeId, currency, payAmountMinor: amountMinor, amountMinor: plainAmountMinor } = payment;
    const { qrWindowMs } = this.settings;
    await tx.locked();
    const now = this.clock.now();
    const money = { last4digit, amountMinor, currency, plainAmountMinor };
    const between = around([now], qrWindowMs);
    const key = { storeId, last4digit, amountMinor };
    const hasOwnAmount = plainAmountMinor !== amountMinor;
    const [payments, submissions, ofAmount, ofPlain] = await together([
      this.payments.lockForLast4(tx, storeId, money, around([now], 2 * qrWindowMs), [id]),
      this.submissions.list(tx, storeId, id),
      this.receipts.listByLast4(tx, key, between),
      hasOwnAmount ? this.receipts.listByLast4(tx, { ...key, amountMinor: plainAmountMinor }, between) : [],
    ]);
    const found = await this.locked(tx, storeId, [...ofAmount, ...ofPlain]);
    const receipts = found.filter((receipt) => receipt.amountMinor === amountMinor);
    const plainReceipts = found.filter((receipt) => receipt.amountMinor !== amountMinor);
    const others = idsOf(payments).filter((other) => other !== id);
    const matching = await this.caseOf(tx, storeId, now, {
      payments,
      receipts: found,
      submissions: [
        ...submissions,
        ...(await this.submissions.listOfValues(tx, storeId, { trxId: null, last4digit }, others)),
      ],
      isClaimable: true,
    });
    return { matching, receipts, plainReceipts };
  }

  /**
   * The case of a receipt that is attached to no payment any more, with the payments that claim it; null when there is
   * nothing to decide. `withoutId`: as if that payment had ended and released it to pay by itself.
   */
  async ofReleased(
    tx: Transaction,
    storeId: string,
    receiptId: string,
    withoutId: string | null = null,
  ): Promise<{ readonly matching: MatchingCase; readonly receipt: Receipt } | null> {
    const [found, claims] = await together([
      this.receipts.findOfStore(tx, storeId, receiptId),
      this.claims.listOfReceipts(tx, storeId, [receiptId]),
    ]);
    const isFree = found?.attachedTo == null || found.attachedTo.paymentId === withoutId;
    if (found === null || !isFree || found.status === 'void' || found.status === 'ignored') return null;
    const receipt = withoutId === null ? found : asReleased(found);
    const { trxId, last4digit, amountMinor, currency, provider } = receipt;
    const now = this.clock.now();
    const claimantIds = claims.map(({ paymentId }) => paymentId).filter((id) => id !== withoutId);
    const between = windowAround(
      { from: receipt.moneyFrom, until: receipt.moneyUntil },
      this.settings.qrWindowMs,
    );
    const [ofTrxId, ofDigits, byTrxId] = await together([
      this.payments.lockForTrx(
        tx,
        storeId,
        { trxId: trxId ?? '', amountMinor, currency, provider },
        claimantIds,
      ),
      last4digit === null
        ? []
        : this.payments.lockForLast4(
            tx,
            storeId,
            { last4digit, amountMinor, currency },
            between,
            claimantIds,
          ),
      trxId === null ? [] : this.receipts.listByTrx(tx, storeId, trxId),
    ]);
    const payments = eachOnce([...ofTrxId, ...ofDigits]).filter(({ id }) => id !== withoutId);
    const submissions = await this.submissions.listOfValues(tx, storeId, receipt, idsOf(payments));
    const alike = await this.alikeAround(tx, storeId, receipt, submissions);
    const matching = await this.caseOf(tx, storeId, now, {
      payments,
      receipts: [...byTrxId, ...alike, receipt],
      submissions,
      isClaimable: true,
      withoutId,
    });
    return { matching, receipt };
  }

  /**
   * The case of a user's decision about a payment: with it, in the order of their ids, the payments that hold or claim
   * the same receipts. Its receipts are the attached one, those that it claims, and the one that the user names.
   *
   * @throws KeysChanged when they are not those whose keys are held; null for a payment that is not there
   */
  async ofDecision(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    namedId: string | undefined,
    keys: DecisionKeys,
  ): Promise<MatchingCase | null> {
    const [receipts, claims] = await together([
      this.receipts.listByIds(tx, storeId, keys.receiptIds),
      this.claims.listOfReceipts(tx, storeId, keys.receiptIds),
    ]);
    const attachedToId = receipts.find(({ id }) => id === namedId)?.attachedTo?.paymentId;
    const ids = [
      paymentId,
      ...claims.map((claim) => claim.paymentId),
      ...(attachedToId === undefined ? [] : [attachedToId]),
    ];
    const [payments, own, submissions] = await together([
      this.payments.lockMany(tx, storeId, [...new Set(ids)]),
      this.claims.listOfPayments(tx, storeId, [paymentId]),
      this.submissions.list(tx, storeId, paymentId),
    ]);
    const payment = payments.find(({ id }) => id === paymentId);
    if (payment === undefined) return null;
    const now = this.clock.now();
    const wantedIds = receiptIdsOf(
      payment.receiptId,
      own.map(({ receiptId }) => receiptId),
      namedId,
    );
    if (wantedIds.some((id) => !keys.receiptIds.includes(id))) throw new KeysChanged();
    if (trxIdsOf(submissions).some((trxId) => !keys.trxIds.includes(trxId))) throw new KeysChanged();
    return this.caseOf(tx, storeId, now, { payments, receipts, submissions, isClaimable: true });
  }

  /** The case of a user's decision about a receipt that is attached to no payment, with the payments that claim it. */
  async ofReceiptDecision(tx: Transaction, storeId: string, receiptId: string): Promise<MatchingCase> {
    const [receipts, claims] = await together([
      this.receipts.listByIds(tx, storeId, [receiptId]),
      this.claims.listOfReceipts(tx, storeId, [receiptId]),
    ]);
    const ids = claims.map(({ paymentId }) => paymentId);
    const payments = await this.payments.lockMany(tx, storeId, ids);
    const rows = { payments, receipts, submissions: [], isClaimable: true };
    return this.caseOf(tx, storeId, this.clock.now(), rows);
  }

  /** The case of a payment whose time is over, with all receipts of its digits and amount to pay that came in it. */
  async ofLateMoney(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    last4digit: string,
  ): Promise<SubmissionCase | null> {
    const payment = await this.payments.lock(tx, storeId, paymentId);
    if (payment === null) return null;
    const now = this.clock.now();
    const key = { storeId, last4digit, amountMinor: payment.payAmountMinor };
    const between = { from: payment.createdAt, to: payment.graceEndsAt ?? now };
    const receipts = await this.locked(tx, storeId, await this.receipts.listByLast4(tx, key, between));
    const rows = { payments: [payment], receipts, submissions: [], isClaimable: true };
    return { matching: await this.caseOf(tx, storeId, now, rows), receipts, plainReceipts: [] };
  }

  /** Writes what has changed since the case was loaded, or since this was last done. */
  async save(tx: Transaction, matching: MatchingCase): Promise<void> {
    const { storeId, now } = matching;
    const changes = matching.takeChanges();
    await together([
      ...changes.newReceipts.map((receipt) => this.receipts.insertNew(tx, receipt)),
      ...changes.newSubmissions.map((submission) => this.submissions.add(tx, submission)),
      ...changes.submissions.map((submission) => this.submissions.change(tx, submission)),
      changes.transitions.length === 0 ? null : this.transitions.write(tx, changes.transitions, now),
      ...changes.receipts.map((receipt) => this.receipts.save(tx, receipt)),
      this.receipts.doubt(tx, storeId, changes.doubtedIds),
      ...changes.claims.map((claim) => this.claims.put(tx, storeId, claim, now)),
      ...changes.noGuesses.map(({ paymentId, receipt }) =>
        this.submissions.markNoGuess(tx, storeId, paymentId, receipt),
      ),
    ]);
  }

  /** The store's other receipts of the same digits and amount that lie around these submissions of digits. */
  private async alikeAround(
    tx: Transaction,
    storeId: string,
    { id, last4digit, amountMinor }: Pick<Receipt, 'last4digit' | 'amountMinor'> & { readonly id?: string },
    submissions: readonly SubmissionRecord[],
  ): Promise<Receipt[]> {
    const instants = submissions.filter(({ kind }) => kind === 'last4digit').map(({ at }) => at);
    if (last4digit === null || instants.length === 0) return [];
    const between = around(instants, this.settings.qrWindowMs);
    const alike = await this.receipts.listByLast4(tx, { storeId, last4digit, amountMinor }, between);
    return alike.filter((one) => one.id !== id);
  }

  /**
   * A receipt with TrxID and digits can be submitted under two keys, so its row is locked, too, and it is read behind
   * that lock.
   */
  private async locked(tx: Transaction, storeId: string, receipts: readonly Receipt[]): Promise<Receipt[]> {
    const ids = idsOf(receipts.filter(({ trxId, last4digit }) => trxId !== null && last4digit !== null));
    if (ids.length === 0) return [...receipts];
    const [, again] = await together([
      this.receipts.lockMany(tx, storeId, ids),
      this.receipts.listByIds(tx, storeId, idsOf(receipts)),
    ]);
    return again;
  }

  /**
   * Adds what these rows can release or end: payments in review hold and claim receipts, and others claim those. No
   * statement where no payment is in review and nothing can be claimed.
   */
  private async caseOf(
    tx: Transaction,
    storeId: string,
    now: Date,
    {
      payments,
      receipts: known,
      submissions,
      isClaimable,
      withoutId = null,
    }: {
      readonly payments: readonly Payment[];
      readonly receipts: readonly Receipt[];
      readonly submissions: readonly SubmissionRecord[];
      /** Claims on these receipts count. */
      readonly isClaimable: boolean;
      readonly withoutId?: string | null;
    },
  ): Promise<MatchingCase> {
    const inReview = payments.filter(({ status }) => status === 'review');
    const receipts = eachOnce(known);
    const ids = idsOf(receipts);
    const claims = await this.claims.listOfCase(tx, storeId, isClaimable ? ids : [], idsOf(inReview));
    const ofThem = claims.filter(
      (claim) => claim.isLive && inReview.some(({ id }) => id === claim.paymentId),
    );
    const touched = [...ofThem, ...inReview].flatMap(({ receiptId }) => receiptId ?? []);
    const moreIds = [...new Set(touched)].filter((id) => !ids.includes(id));
    if (moreIds.length > 0) {
      const [more, moreClaims] = await together([
        this.receipts.listByIds(tx, storeId, moreIds),
        this.claims.listOfCase(tx, storeId, moreIds, []),
      ]);
      receipts.push(...more);
      claims.push(...moreClaims);
    }
    return new MatchingCase(storeId, now, this.settings.submissionGraceMs, {
      payments,
      receipts,
      submissions,
      claims: claims.filter(({ paymentId }) => paymentId !== withoutId),
    });
  }
}

/** The receipts of a decision: the attached one, those that the payment claims, and the one that a user names. */
export function receiptIdsOf(
  heldId: string | null,
  claimedIds: readonly string[],
  namedId: string | undefined,
): string[] {
  return [...new Set([heldId, namedId ?? null, ...claimedIds].filter((id) => id !== null))];
}

export function trxIdsOf(submissions: readonly SubmissionRecord[]): string[] {
  return submissions.filter(({ kind }) => kind === 'trx_id').map(({ value }) => value);
}

function windowAround(money: { readonly from: Date; readonly until: Date }, windowMs: number) {
  return around([money.from, money.until], windowMs);
}

function asReleased(receipt: Receipt): Receipt {
  return { ...receipt, flags: flagsOfReleased(receipt, true), attachedTo: null, paymentId: null };
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function eachOnce<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
