import { Injectable, Logger } from '@nestjs/common';
import {
  BY_INDEX,
  Database,
  GroupedWrites,
  lockTimeout,
  together,
  type Transaction,
} from '../../../platform/database/index.js';
import { Clock } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { messageOf } from '../../../kernel/error-text.js';
import type { Store } from '../../../stores/index.js';
import { decideReceipt } from '../../matching/decide-receipt.js';
import type { Decision } from '../../matching/decision.js';
import { GuessProtection } from '../../matching/guess-protection.js';
import { MatchingCase } from '../../matching/matching-case.js';
import { MatchingCases } from '../../matching/matching-cases.js';
import { matchingKeys } from '../../matching/matching-keys.js';
import { SubmissionsRepository } from '../../matching/submissions.repository.js';
import type { Payment } from '../../payments/payment.js';
import { PaymentTransitions } from '../../payments/payment-transitions.js';
import { PaymentsRepository } from '../../payments/payments.repository.js';
import type { SubmissionRecord } from '../../payments/payments.table.js';
import { balanceLinesOf, KnownBalances } from '../../receipts/balances.js';
import {
  type ArrivingReceipt,
  moneyTimes,
  type NewReceipt,
  newReceipt,
  RECEIVED_KIND,
  type ReceiptResult,
} from '../../receipts/receipt.js';
import { ReceiptsRepository } from '../../receipts/receipts.repository.js';
import { asMatched, checksOf, PlainReceiptIntake, resultOf } from '../plain-receipt-intake.js';
import { ReceiptIntake } from '../receipt-intake.js';
import { PaymentsSettings } from '../../payments.settings.js';

interface Arrival {
  readonly storeId: string;
  readonly ownerId: string;
  readonly provider: string;
  readonly trxId: string;
  readonly store: Store;
  readonly receipt: ArrivingReceipt;
}

interface Decided {
  readonly arrival: Arrival;
  readonly receiptId: string;
  readonly matching: MatchingCase;
}

/**
 * A group does not wait for somebody who holds one of its locks longer than this, in milliseconds: each is decided
 * alone then.
 */
const PATIENCE_MS = 1_000;
/** Receipts that wait before a second group leaves beside the first. */
const WORTH_A_SECOND_GROUP = 16;

/**
 * Takes receipts of the same moment in one transaction, whichever stores they are of: under the keys of all of them,
 * in the one order that everybody keeps, with the payments' rows locked in the order of their ids. Only what is simple
 * is decided here, by the functions that decide one alone: a new TrxID that nobody waits for, or that verifies the one
 * payment which waits for it. All else goes to `PlainReceiptIntake`, under the same keys; so does a group that fails.
 * Not on a cluster.
 */
@Injectable()
export class BatchedReceiptIntake extends ReceiptIntake {
  private readonly logger = new Logger(BatchedReceiptIntake.name);
  private readonly groups = new GroupedWrites<Arrival, ReceiptResult | null>(async (arrivals) => {
    const results = await this.takeAll(arrivals);
    return arrivals.map((arrival) => results.get(arrival) ?? null);
  }, WORTH_A_SECOND_GROUP);

  constructor(
    private readonly plain: PlainReceiptIntake,
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
    private readonly payments: PaymentsRepository,
    private readonly submissions: SubmissionsRepository,
    private readonly cases: MatchingCases,
    private readonly guesses: GuessProtection,
    private readonly transitions: PaymentTransitions,
    private readonly settings: PaymentsSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  async take(store: Store, incoming: NewReceipt): Promise<ReceiptResult> {
    const receipt = asMatched(incoming, store);
    const { kind, trxId, last4digit, simulated, provider } = receipt;
    if (kind !== RECEIVED_KIND || trxId === null || last4digit !== null || simulated)
      return this.plain.take(store, incoming);
    const { id: storeId, ownerId } = store;
    const result = await this.groups.add({ storeId, ownerId, provider, trxId, store, receipt });
    return result ?? this.plain.take(store, incoming);
  }

  takeSent(store: Store, incoming: NewReceipt): ReturnType<ReceiptIntake['takeSent']> {
    return this.plain.takeSent(store, incoming);
  }

  /** Those that are no simple case have no result. */
  private async takeAll(arrivals: readonly Arrival[]): Promise<ReadonlyMap<Arrival, ReceiptResult>> {
    const group = firstOfEachTrxId(arrivals);
    if (group.length === 0) return new Map();
    try {
      return await this.database.transaction((tx) => this.takeGroup(tx, group), {
        locks: group.flatMap(({ storeId, receipt }) => matchingKeys(storeId, receipt)),
        // Plans are kept: one that suits a table that is still small would read all of it later.
        settings: [...BY_INDEX, lockTimeout(PATIENCE_MS)],
      });
    } catch (error) {
      // Nobody knows what became of a commit that was not answered.
      if (error instanceof DomainError && error.kind === 'unavailable') throw error;
      this.logger.warn(`${group.length} receipts are decided about one by one: ${messageOf(error)}`);
      return new Map();
    }
  }

  private async takeGroup(
    tx: Transaction,
    group: readonly Arrival[],
  ): Promise<ReadonlyMap<Arrival, ReceiptResult>> {
    const lines = group.flatMap(({ store, storeId, receipt }) =>
      balanceLinesOf(storeId, checksOf(store, receipt), receipt),
    );
    const [keeperOf, isKnown, payments, submissions, balances] = await together([
      this.receipts.keepersOf(tx, group, this.clock.now()),
      this.receipts.findKnown(tx, group),
      this.payments.lockWaiting(tx, group),
      this.submissions.listOfTrxIds(tx, group),
      this.receipts.listBalancesOfMany(tx, lines),
    ]);
    const now = this.clock.now();
    const waiting = new Map(payments.map((payment) => [payment.id, payment]));
    const known = new KnownBalances(balances);
    const decided: Decided[] = [];
    for (const arrival of group) {
      if ((keeperOf(arrival) ?? arrival.storeId) !== arrival.storeId || isKnown(arrival)) continue;
      const naming = submissions.filter(
        (one) => one.storeId === arrival.storeId && one.value === arrival.trxId,
      );
      const one = this.decide(arrival, naming, waiting, known, now);
      if (one === null) continue;
      known.note(arrival.storeId, arrival.receipt, now);
      decided.push(one);
      // It waits no longer: another receipt for it, by another TrxID of its payer, is decided alone.
      for (const { paymentId } of naming) waiting.delete(paymentId);
    }
    await this.write(tx, decided, now);
    return new Map(
      decided.map(({ arrival, matching, receiptId }) => [arrival, resultOf(matching, receiptId)]),
    );
  }

  /** Null when it is no simple case. */
  private decide(
    arrival: Arrival,
    submissions: readonly SubmissionRecord[],
    waiting: ReadonlyMap<string, Payment>,
    balances: KnownBalances,
    now: Date,
  ): Decided | null {
    const { store, storeId } = arrival;
    const payments = submissions.flatMap(({ paymentId }) => waiting.get(paymentId) ?? []);
    // At most two are read of one TrxID.
    if (submissions.length > 1 || payments.length !== submissions.length) return null;
    const noted = balances.flagsOf(storeId, checksOf(store, arrival.receipt), arrival.receipt);
    const flagged =
      noted.length === 0
        ? arrival.receipt
        : { ...arrival.receipt, flags: [...arrival.receipt.flags, ...noted] };
    const receipt = newReceipt(storeId, flagged, 'unmatched', now, moneyTimes(arrival.receipt, now, 0));
    const rows = { payments, receipts: [], submissions, claims: [] };
    const matching = new MatchingCase(storeId, now, this.settings.submissionGraceMs, rows);
    matching.add(receipt);
    const rules = this.cases.rulesOf(store);
    const decision = decideReceipt(receipt, matching.claimantsOf(receipt, rules), rules);
    if (!this.isSimple(matching, decision, payments)) return null;
    matching.apply(decision);
    return { arrival, matching, receiptId: receipt.id };
  }

  /** Nobody waits for the receipt, or it verifies the one payment that waits, and guesses need not be counted. */
  private isSimple(
    matching: MatchingCase,
    { attach, claims, endedClaims }: Decision,
    payments: readonly Payment[],
  ): boolean {
    if (claims.length > 0 || endedClaims.length > 0) return false;
    if (attach === null) return payments.length === 0;
    const { status, receiptId, submittedAt } = matching.payment(attach.paymentId);
    const isWaiting = status === 'submitted' && receiptId === null && submittedAt !== null;
    return isWaiting && attach.comparison === 'agree' && !this.guesses.mayStopAttachment(matching, attach);
  }

  private async write(tx: Transaction, decided: readonly Decided[], now: Date): Promise<void> {
    if (decided.length === 0) return;
    const changes = decided.map(({ matching }) => matching.takeChanges());
    const receipts = changes.flatMap(({ newReceipts }) => newReceipts);
    const transitions = changes.flatMap((one) => one.transitions);
    // Nobody waits for any of them: this is all there is to write.
    if (transitions.length === 0) await this.receipts.insertMany({ query: tx.last.bind(tx) }, receipts);
    else
      await together([
        this.receipts.insertMany(tx, receipts),
        this.transitions.writeVerified(tx, transitions, now),
      ]);
  }
}

/** Two receipts that name one TrxID of a store, or of an owner's wallet, are decided about one after the other. */
function firstOfEachTrxId(arrivals: readonly Arrival[]): Arrival[] {
  const taken = new Set<string>();
  return arrivals.filter(({ storeId, ownerId, provider, trxId }) => {
    const keys = [`store ${storeId} ${trxId}`, `owner ${ownerId} ${provider} ${trxId}`];
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}
