import { Injectable } from '@nestjs/common';
import { Configuration } from '../config/index.js';
import { Database, type Transaction } from '../database/index.js';
import { Clock } from '../kernel/clock.js';
import type { DomainError } from '../kernel/domain-error.js';
import {
  decideQrSubmission,
  decideTrxSubmission,
  type Entered,
  type MatchablePayment,
  type SubmissionOutcome,
  type WaitingPayment,
} from './matching.js';
import { submissionKeys } from './matching-keys.js';
import { isSameSubmission, MAX_TRIES, type Payment, statusAt, type Submission } from './payment.js';
import { paymentNotFound, refusedIn, tooManyAttempts, trxIdUsed } from './payments.errors.js';
import { PaymentsRepository, type WaitingRecord } from './payments.repository.js';
import type { Receipt } from './receipt.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { Settlement } from './settlement.js';

/** What lies on the table when a submission is decided. */
interface Scene {
  readonly outcome: SubmissionOutcome;
  readonly receipts: readonly Receipt[];
  readonly rivals: readonly WaitingRecord[];
}

/** A payment after a submission, or the refusal that is answered once what had to be kept has been committed. */
type Result = { readonly payment: Payment } | { readonly refusal: DomainError };

/** The payer's side of matching (decisions §4, §5). */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly settlement: Settlement,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes what the payer typed: verifies the payment, sends it to review, or lets it wait.
   *
   * @throws DomainError `payment.not_found`; 409 `payment.expired`, `payment.cancelled`, `payment.verified`,
   * `payment.in_review`, `payment.trx_id_used`; 429 `payment.too_many_attempts`
   */
  async submit(paymentId: string, submission: Submission): Promise<Payment> {
    const known = await this.payments.find(paymentId);
    if (known === null) throw paymentNotFound();
    const settled = repeatOfSettled(known, submission);
    if (settled !== null) return settled;
    const result = await this.database.transaction(
      async (tx) => this.submitLocked(tx, known.storeId, paymentId, submission),
      { locks: [...submissionKeys(known, submission), ...previousKeysOf(known)], storeId: known.storeId },
    );
    if ('refusal' in result) throw result.refusal;
    return result.payment;
  }

  /** The kinds of which this payment takes no new entry any more: their tries are used up (decisions §4). */
  async listUsedUpKinds(storeId: string, paymentId: string): Promise<Submission['kind'][]> {
    const counts = await this.payments.countTries(storeId, paymentId);
    return counts.filter(({ kind, tries }) => tries >= MAX_TRIES[kind]).map(({ kind }) => kind);
  }

  /** Decides a waiting submission once more; for the sweep. Does nothing when it no longer waits. */
  async rematch(storeId: string, paymentId: string): Promise<void> {
    const known = await this.payments.findOfStore(storeId, paymentId);
    if (known?.submission == null) return;
    const { submission } = known;
    await this.database.transaction(
      async (tx) => {
        const payment = await this.payments.lock(tx, storeId, paymentId);
        if (payment === null || payment.submittedAt === null) return;
        const now = this.clock.now();
        const waits = statusAt(payment, now) === 'submitted';
        if (!waits || !isSameSubmission(payment.submission, submission)) return;
        const repeatedAt = await this.payments.findRepeatedAt(tx, payment, submission);
        const entered = { submittedAt: payment.submittedAt, repeatedAt: repeatedAt ?? payment.submittedAt };
        const scene = await this.look(tx, payment, payment.submission ?? submission, entered, now);
        if (scene.outcome.kind === 'used') await this.settlement.doubt(tx, payment, 'trx_id_used', now);
        else if (scene.outcome.kind !== 'wait') await this.settle(tx, payment, scene, now);
      },
      { locks: submissionKeys(known, submission), storeId },
    );
  }

  private async submitLocked(
    tx: Transaction,
    storeId: string,
    paymentId: string,
    submission: Submission,
  ): Promise<Result> {
    const locked = await this.payments.lock(tx, storeId, paymentId);
    if (locked === null) throw paymentNotFound();
    const settled = repeatOfSettled(locked, submission);
    if (settled !== null) return { payment: settled };
    const now = this.clock.now();
    const payment = await this.settlement.expireIfOver(tx, locked, now);
    const isNew = await this.countTry(tx, payment, submission, now);
    const submitted = this.withSubmission(payment, submission, isNew, now);
    const entered = { submittedAt: submitted.submittedAt ?? now, repeatedAt: now };
    const scene = await this.look(tx, payment, submission, entered, now);
    if (scene.outcome.kind === 'used') return { refusal: trxIdUsed() };
    if (scene.outcome.kind !== 'wait') return { payment: await this.settle(tx, submitted, scene, now) };
    if (payment.status === 'expired') {
      // The entry is kept: if the money does come after all, it finds its way to a person instead of to nobody.
      await this.payments.save(tx, submitted, payment.status);
      return { refusal: refusedIn('expired') };
    }
    return { payment: await this.settlement.apply(tx, submitted, 'submit', now) };
  }

  /** Refuses one entry too many; an entry that was made before costs nothing. */
  private async countTry(
    tx: Transaction,
    payment: Payment,
    submission: Submission,
    now: Date,
  ): Promise<boolean> {
    const { added, earlier } = await this.payments.addTry(tx, payment, submission, now);
    if (!added || earlier < MAX_TRIES[submission.kind]) return added;
    const endsAt = payment.expiresAt > now ? payment.expiresAt : (payment.graceEndsAt ?? payment.expiresAt);
    throw tooManyAttempts(Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000)));
  }

  /**
   * Repeating the submission in force changes neither its place among others with the same TrxID, nor the end of its grace: it
   * must not keep a payment alive for ever.
   */
  private withSubmission(payment: Payment, submission: Submission, isNew: boolean, now: Date): Payment {
    if (isSameSubmission(payment.submission, submission) && payment.submittedAt !== null)
      return { ...payment, submission };
    const graceEndsAt =
      isNew || payment.graceEndsAt === null
        ? new Date(now.getTime() + this.configuration.submissionGraceMs)
        : payment.graceEndsAt;
    return { ...payment, submission, submittedAt: now, graceEndsAt };
  }

  private async look(
    tx: Transaction,
    payment: Payment,
    submission: Submission,
    entered: Entered,
    now: Date,
  ): Promise<Scene> {
    const matchable: MatchablePayment = {
      ...payment,
      amountMinor: payment.payAmountMinor,
      status: statusAt(payment, now),
    };
    if (submission.kind === 'trx_id') {
      const receipts = await this.receipts.listByTrx(tx, payment.storeId, submission.trxId);
      const outcome = decideTrxSubmission(matchable, submission.provider, receipts);
      return { outcome, receipts, rivals: [] };
    }
    const windowMs = this.configuration.qrWindowMs;
    const { storeId, payAmountMinor: amountMinor } = payment;
    const key = { storeId, amountMinor, last4digit: submission.last4digit };
    const receipts = await this.receipts.listUnclaimedByLast4(tx, key, around([entered], windowMs));
    const waiting =
      receipts.length === 0
        ? []
        : await this.rivalsOf(tx, payment, key, around([entered], 2 * windowMs), now);
    const rivals: readonly WaitingPayment[] = waiting;
    const outcome = decideQrSubmission(matchable, submission.provider, entered, receipts, rivals, windowMs);
    return { outcome, receipts, rivals: waiting };
  }

  /** Other payments with the same digits and amount; a receipt in the window can lie within two windows of theirs. */
  private async rivalsOf(
    tx: Transaction,
    payment: Payment,
    key: { storeId: string; last4digit: string; amountMinor: number },
    between: { from: Date; to: Date },
    now: Date,
  ): Promise<WaitingRecord[]> {
    const waiting = await this.payments.lockWaitingForLast4(tx, key, between, now);
    return waiting.filter((rival) => rival.id !== payment.id && rival.currency === payment.currency);
  }

  private async settle(tx: Transaction, payment: Payment, scene: Scene, now: Date): Promise<Payment> {
    const { outcome } = scene;
    if (outcome.kind === 'take') {
      const receipt = scene.receipts.find(({ id }) => id === outcome.receiptId);
      if (receipt === undefined) throw new Error('The receipt that was chosen was not on the table.');
      return this.settlement.take(tx, payment, receipt, outcome.comparison, now);
    }
    if (outcome.kind !== 'ambiguous') throw new Error(`Nothing to settle in ${outcome.kind}.`);
    await this.receipts.doubt(tx, payment.storeId, outcome.receiptIds);
    for (const rival of scene.rivals) {
      const inDoubt = outcome.rivalIds.includes(rival.id) && rival.status === 'submitted';
      if (inDoubt) await this.settlement.doubt(tx, rival.payment, 'ambiguous', now);
    }
    return this.settlement.doubt(tx, payment, payment.status === 'expired' ? 'late' : 'ambiguous', now);
  }
}

/**
 * A payment that is decided takes no submission. The same one again is answered with where things stand; anything else is
 * refused (decisions §5).
 */
function repeatOfSettled(payment: Payment, submission: Submission): Payment | null {
  if (payment.status === 'cancelled') throw refusedIn('cancelled');
  if (payment.status !== 'verified' && payment.status !== 'review') return null;
  const isReceipts = submission.kind === 'trx_id' && payment.trxId === submission.trxId;
  if (isReceipts || isSameSubmission(payment.submission, submission)) return payment;
  throw refusedIn(payment.status);
}

/** Two payers who swap their entries would otherwise wait for each other's rows in a circle. */
function previousKeysOf(payment: Payment): bigint[] {
  return payment.submission === null ? [] : submissionKeys(payment, payment.submission);
}

/** From `windowMs` before the first of these entries to `windowMs` behind the last. */
export function around(entries: readonly Entered[], windowMs: number): { from: Date; to: Date } {
  const enteredAtMs = entries.flatMap(({ submittedAt, repeatedAt }) => [
    submittedAt.getTime(),
    repeatedAt.getTime(),
  ]);
  return {
    from: new Date(Math.min(...enteredAtMs) - windowMs),
    to: new Date(Math.max(...enteredAtMs) + windowMs),
  };
}
