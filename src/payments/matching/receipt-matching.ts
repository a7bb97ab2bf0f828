import { Injectable } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import type { Transaction } from '../../platform/database/index.js';
import type { Store } from '../../stores/index.js';
import { ClaimsRepository } from './claims.repository.js';
import { SubmissionsRepository } from './submissions.repository.js';
import { PhonesOfOthers } from './phones-of-others.js';
import { GuessProtection } from './guess-protection.js';
import {
  around,
  type Claimant,
  claimOf,
  type Comparison,
  decideReleasedReceipt,
  decideQrReceipt,
  decideReceiptByBoth,
  decideTrxReceipt,
  fitsExactly,
  FLAG,
  isTooEarly,
  type ReceiptOutcome,
} from './matching.js';
import { claimantsAmong, matchableOf, rulesOf, usableReceipts } from './matching-scene.js';
import { type Payment, statusAt, type Submission, type SubmissionKind } from '../payments/payment.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import type { SubmissionRecord } from '../payments/payments.table.js';
import type { NewReceipt, Receipt } from '../receipts/receipt.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import { PaymentTransitions } from './payment-transitions.js';

/** The payment that gets a receipt, or is in review over it. */
export interface Matched {
  readonly payment: Payment | null;
  readonly contested: boolean;
}

/** A receipt's claimants, locked, with what they entered. */
interface Table {
  readonly payments: readonly Payment[];
  readonly claimants: readonly Claimant[];
  /** The receipt was written in this transaction. */
  readonly isNew: boolean;
}

/** Rows that were read while a receipt was being written. */
export interface FoundForNew {
  readonly payments: readonly Payment[];
  readonly entries: ReadonlyMap<string, SubmissionRecord[]>;
}

interface Looked {
  readonly again: boolean;
  readonly found: FoundForNew | null;
  /** The payment that is about to release the receipt, and does not get it again. */
  readonly leavingId: string | null;
}

/** The decision about a receipt, and the payments among which it was made. */
interface Decided {
  readonly outcome: ReceiptOutcome;
  readonly table: Table;
  readonly kind: SubmissionKind;
}

/** The keys by which payments are looked for; the time of the money is needed for digits alone. */
type Wanted = Pick<Receipt, 'trxId' | 'last4digit' | 'amountMinor' | 'currency' | 'provider'> &
  Partial<Pick<Receipt, 'moneyFrom' | 'moneyUntil'>>;

/**
 * Finds whose a receipt is, when it has just come or has become free, inside the caller's transaction, which holds
 * the keys of `matchingKeys`.
 */
@Injectable()
export class ReceiptMatching {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly entries: SubmissionsRepository,
    private readonly receipts: ReceiptsRepository,
    private readonly claims: ClaimsRepository,
    private readonly transitions: PaymentTransitions,
    private readonly protection: GuessProtection,
    private readonly phonesOfOthers: PhonesOfOthers,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Locks the payments that a receipt which has not been written yet could be for: by its TrxID where it has one,
   * else by its digits. Asked for together with what else is read first.
   */
  async lookFor(
    tx: Transaction,
    storeId: string,
    receipt: NewReceipt & { readonly currency: string },
    times: { readonly money: { readonly from: Date; readonly until: Date } } | null,
  ): Promise<Payment[]> {
    if (receipt.trxId !== null) return this.lockFor(tx, storeId, receipt, 'trx_id', []);
    if (receipt.last4digit === null || times === null) return [];
    const { trxId, last4digit, amountMinor, currency, provider } = receipt;
    const { from: moneyFrom, until: moneyUntil } = times.money;
    const wanted = { trxId, last4digit, amountMinor, currency, provider, moneyFrom, moneyUntil };
    return this.lockFor(tx, storeId, wanted, 'last4digit', []);
  }

  /** The submissions of those payments that name the receipt. */
  entriesOf(
    tx: Transaction,
    storeId: string,
    { trxId, last4digit }: Pick<NewReceipt, 'trxId' | 'last4digit'>,
    payments: readonly Payment[],
  ): Promise<ReadonlyMap<string, SubmissionRecord[]>> {
    const kind = trxId !== null ? 'trx_id' : 'last4digit';
    const ids = payments.map(({ id }) => id);
    return this.entries.listOfValue(tx, storeId, kind, trxId ?? last4digit ?? '', ids);
  }

  /**
   * By its TrxID, else by its digits. Null when nobody waits for it. `found`: it has just been written, and this was
   * found for it by `lookFor` and `entriesOf`. `again`: it has been decided about before, so who is in review already
   * is left in peace: a user may just have taken it from them.
   */
  async match(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    now: Date,
    { again = false, found = null }: { readonly again?: boolean; readonly found?: FoundForNew | null } = {},
  ): Promise<Matched | null> {
    if (usableReceipts([receipt], store, now).length === 0) return null;
    if (receipt.simulated && (await this.isThereInTruth(tx, receipt))) return null;
    const decided = await this.decide(tx, store, receipt, now, { again, found, leavingId: null });
    return decided === null ? null : this.settle(tx, store, receipt, decided, now);
  }

  /** A real receipt always wins, also one that is another's already (contract 4.51). */
  private async isThereInTruth(tx: Transaction, { storeId, provider, trxId }: Receipt): Promise<boolean> {
    if (trxId === null) return false;
    const all = await this.receipts.listByTrx(tx, storeId, trxId);
    return all.some((one) => !one.simulated && one.provider === provider);
  }

  /**
   * Whether a new receipt verifies the one payment that waits for its TrxID, a locked one, and changes nothing else:
   * what `match` would come to, without asking the protection, of which false is answered where it must be asked.
   */
  verifies(store: Store, receipt: Receipt, payment: Payment, entry: SubmissionRecord, now: Date): boolean {
    if (receipt.trxId === null || receipt.simulated || payment.receiptId !== null) return false;
    if (payment.submittedAt === null || statusAt(payment, now) !== 'submitted') return false;
    if (this.protection.mayStop('trx_id', receipt.provider)) return false;
    const claimants = claimantsAmong(
      receipt,
      [payment],
      new Map([[payment.id, [entry]]]),
      receipt.trxId,
      now,
    );
    const outcome = decideTrxReceipt(receipt, claimants, rulesOf(store, this.configuration));
    const { winner, claims, loserIds } = outcome;
    return winner?.comparison === 'agree' && claims.length === 0 && loserIds.length === 0;
  }

  /**
   * A receipt that payments in review claim and nobody holds any longer: given to the only one that fits it exactly,
   * else it stays theirs to be decided.
   */
  async matchReleased(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    claiming: readonly string[],
    released: boolean,
    now: Date,
  ): Promise<Matched | null> {
    if (usableReceipts([receipt], store, now).length === 0) return null;
    const decided = await this.decideReleased(tx, store, receipt, claiming, released, now, null);
    return this.settle(tx, store, receipt, decided, now);
  }

  /**
   * Who would get a receipt, or be in review over it, if this payment ended and let it go to pay by itself: decided as
   * `match` and `matchReleased` do. Changes nothing; the protection may still send to review whom it names.
   */
  async foresee(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    leavingId: string,
    now: Date,
  ): Promise<ReceiptOutcome | null> {
    const flags = receipt.flags.filter((flag) => flag !== FLAG.released);
    const released = { ...receipt, holder: null, flags };
    if (usableReceipts([released], store, now).length === 0) return null;
    const claims = await this.claims.listOfReceipts(tx, store.id, [receipt.id]);
    const claiming = claims.map(({ paymentId }) => paymentId).filter((id) => id !== leavingId);
    if (claiming.length > 0)
      return (await this.decideReleased(tx, store, released, claiming, true, now, leavingId)).outcome;
    const looked = { again: true, found: null, leavingId };
    return (await this.decide(tx, store, released, now, looked))?.outcome ?? null;
  }

  private async decideReleased(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    claiming: readonly string[],
    released: boolean,
    now: Date,
    leavingId: string | null,
  ): Promise<Decided> {
    const rules = rulesOf(store, this.configuration);
    const table = without(await this.tableOfBoth(tx, receipt, now, claiming), { again: false, leavingId });
    const others = await this.claims.listOfPayments(tx, store.id, claiming);
    const onlyThis = new Set(
      table.payments
        .filter(({ id, receiptId }) => claiming.includes(id) && receiptId === null)
        .filter(({ id }) => !others.some((one) => one.paymentId === id && one.receiptId !== receipt.id))
        .map(({ id }) => id),
    );
    const decided = decideReleasedReceipt(receipt, table.claimants, onlyThis, released, rules);
    const winner = table.claimants.find(({ id }) => id === decided.winner?.paymentId);
    const kind = winner?.entries[0]?.kind ?? 'trx_id';
    const outcome = kind === 'trx_id' ? decided : await this.sparingPhones(tx, receipt, decided, table, now);
    return { outcome, table, kind };
  }

  /** Looks at the payments that name its TrxID and at those that name its digits, before one of them is chosen. */
  private async tableOfBoth(
    tx: Transaction,
    receipt: Receipt,
    now: Date,
    also: readonly string[],
  ): Promise<Table> {
    const tables: Table[] = [];
    if (receipt.trxId !== null) tables.push(await this.tableOf(tx, receipt, 'trx_id', now, also));
    if (receipt.last4digit !== null) tables.push(await this.tableOf(tx, receipt, 'last4digit', now, also));
    return merged(tables);
  }

  /** Decides by its TrxID, by its digits, or by both. Null when no payment names it. */
  private async decide(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    now: Date,
    looked: Looked,
  ): Promise<Decided | null> {
    const rules = rulesOf(store, this.configuration);
    const byTrxId = await this.tableBy('trx_id', tx, receipt, now, looked);
    const byDigits = await this.tableBy('last4digit', tx, receipt, now, looked);
    const isClaimedByTrxId = byTrxId.claimants.length > 0;
    if (byDigits.claimants.length === 0) {
      if (!isClaimedByTrxId) return null;
      const outcome = decideTrxReceipt(receipt, byTrxId.claimants, rules);
      return { outcome, table: byTrxId, kind: 'trx_id' };
    }
    const { own, plain, others } = await this.qrSceneOf(tx, store, receipt, byDigits.claimants, now);
    const decided = isClaimedByTrxId
      ? decideReceiptByBoth(receipt, byTrxId.claimants, own, others, rules)
      : decideQrReceipt(receipt, own, others, plain, rules);
    const table = isClaimedByTrxId ? merged([byTrxId, byDigits]) : byDigits;
    if (byTrxId.claimants.some(({ id }) => id === decided.winner?.paymentId))
      return { outcome: decided, table, kind: 'trx_id' };
    const outcome = await this.sparingPhones(tx, receipt, decided, byDigits, now);
    return { outcome, table, kind: 'last4digit' };
  }

  /** The payments that name the receipt in this way; none if it has no such value. */
  private async tableBy(
    kind: SubmissionKind,
    tx: Transaction,
    receipt: Receipt,
    now: Date,
    looked: Looked,
  ): Promise<Table> {
    const { trxId, last4digit } = receipt;
    if ((kind === 'trx_id' ? trxId : last4digit) === null) return NOBODY_THERE;
    // `lookFor` has looked by the TrxID, and by the digits only of a receipt without one.
    const isFound = kind === 'trx_id' || trxId === null;
    return without(await this.tableOf(tx, receipt, kind, now, [], isFound ? looked.found : null), looked);
  }

  /**
   * The facts by which digits are decided: claimants of the amount to pay, those of the plain amount, and other
   * receipts that look alike.
   */
  private async qrSceneOf(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    claimants: readonly Claimant[],
    now: Date,
  ): Promise<{ own: Claimant[]; plain: Claimant[]; others: Receipt[] }> {
    const rules = rulesOf(store, this.configuration);
    // Around the submissions, not around this receipt: another one may lie on the far side of them.
    const submitted = claimants.flatMap(({ entries }) => entries.map(({ at }) => at));
    const key = { ...receipt, last4digit: receipt.last4digit ?? '' };
    const alike = await this.receipts.listByLast4(tx, key, around(submitted, rules.windowMs));
    const others = usableReceipts(alike, store, now).filter(
      ({ id, currency, holder, simulated }) =>
        id !== receipt.id &&
        currency === receipt.currency &&
        holder === null &&
        simulated === receipt.simulated,
    );
    const own = claimants.filter(({ payAmountMinor }) => payAmountMinor === receipt.amountMinor);
    const plain = claimants.filter(({ payAmountMinor }) => payAmountMinor !== receipt.amountMinor);
    return { own, plain, others };
  }

  /** Digits that are another open payment's phone verify nothing: a user decides (contract 4.67). */
  private async sparingPhones(
    tx: Transaction,
    receipt: Receipt,
    outcome: ReceiptOutcome,
    { payments }: Table,
    now: Date,
  ): Promise<ReceiptOutcome> {
    const payment = payments.find(({ id }) => id === outcome.winner?.paymentId);
    if (payment === undefined || outcome.winner?.comparison === 'late') return outcome;
    if (!(await this.phonesOfOthers.include(tx, payment, receipt, now))) return outcome;
    const claim = claimOf(matchableOf(payment, now), receipt);
    return { ...outcome, winner: null, claims: [...outcome.claims, claim] };
  }

  private async tableOf(
    tx: Transaction,
    receipt: Receipt,
    kind: SubmissionKind,
    now: Date,
    also: readonly string[] = [],
    found: FoundForNew | null = null,
  ): Promise<Table> {
    const payments = found?.payments ?? (await this.lockFor(tx, receipt.storeId, receipt, kind, also));
    const value = (kind === 'trx_id' ? receipt.trxId : receipt.last4digit) ?? '';
    const ids = payments.map(({ id }) => id);
    const entries = found?.entries ?? (await this.entries.listOfValue(tx, receipt.storeId, kind, value, ids));
    const claimants = claimantsAmong(receipt, payments, entries, value, now).filter(hasEntries);
    return { payments, claimants, isNew: found !== null };
  }

  private lockFor(
    tx: Transaction,
    storeId: string,
    receipt: Wanted,
    kind: SubmissionKind,
    also: readonly string[],
  ): Promise<Payment[]> {
    if (kind === 'trx_id')
      return this.payments.lockForTrx(tx, storeId, { ...receipt, trxId: receipt.trxId ?? '' }, also);
    const between = {
      from: new Date((receipt.moneyFrom?.getTime() ?? 0) - this.configuration.qrWindowMs),
      to: new Date((receipt.moneyUntil?.getTime() ?? 0) + this.configuration.qrWindowMs),
    };
    const money = { ...receipt, last4digit: receipt.last4digit ?? '' };
    return this.payments.lockForLast4(tx, storeId, money, between, also);
  }

  private async settle(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    { outcome, table, kind }: Decided,
    now: Date,
  ): Promise<Matched | null> {
    if (!isDecided(outcome)) return null;
    const { winner } = outcome;
    const { payments, claimants, isNew } = table;
    const find = (id: string): Payment => {
      const payment = payments.find((claimant) => claimant.id === id);
      if (payment === undefined) throw new Error('The payment that was chosen was not on the table.');
      return payment;
    };
    const given =
      winner === null
        ? null
        : await this.give(tx, store, find(winner.paymentId), receipt, winner.comparison, kind, now, isNew);
    const paid = given?.payment ?? null;
    if (paid !== null && winner?.comparison === 'flagged') {
      const submitted = claimants.find(({ id }) => id === paid.id)?.entries.at(-1);
      if (submitted !== undefined && isTooEarly(receipt, submitted, rulesOf(store, this.configuration)))
        this.protection.reportEarly(tx, paid);
    }
    const { claims, loserIds } =
      given?.isStopped === true ? withoutLosers(outcome, claimants, receipt) : outcome;
    const changed = await this.transitions.claim(tx, claims, payments, now);
    for (const paymentId of loserIds) {
      const exact = claimants.some(
        ({ id, payAmountMinor }) => id === paymentId && payAmountMinor === receipt.amountMinor,
      );
      await this.transitions.lose(tx, find(paymentId), { paymentId, receiptId: receipt.id, exact }, now);
    }
    return { payment: paid, contested: changed.size > 0 };
  }

  private async give(
    tx: Transaction,
    store: Store,
    payment: Payment,
    receipt: Receipt,
    comparison: Comparison,
    kind: SubmissionKind,
    now: Date,
    isNew: boolean,
  ): Promise<{ readonly payment: Payment; readonly isStopped: boolean }> {
    const entered: Submission =
      kind === 'trx_id'
        ? { kind, trxId: receipt.trxId ?? '', provider: receipt.provider }
        : { kind, last4digit: receipt.last4digit ?? '', provider: receipt.provider };
    const isAllowed =
      comparison !== 'agree' || (await this.protection.allows(tx, store, payment, receipt, entered, now));
    const decided = isAllowed ? comparison : 'flagged';
    const submitted = this.submittedAs(payment, entered, now);
    const changed = await this.transitions.take(tx, submitted, receipt, decided, now, { isNew });
    return { payment: changed, isStopped: !isAllowed };
  }

  /**
   * A payment shows the submission by which it was verified or is in review; one whose submissions were answered 409
   * shows none.
   */
  private submittedAs(payment: Payment, submission: Submission, now: Date): Payment {
    if (payment.submittedAt !== null) return payment;
    const graceEndsAt = new Date(now.getTime() + this.configuration.submissionGraceMs);
    return { ...payment, submission: { ...submission, provider: null }, submittedAt: now, graceEndsAt };
  }
}

/**
 * Guess protection is a doubt: other payments that the receipt fits exactly do not lose it, but are in review over it
 * (contract 4.27).
 */
function withoutLosers(
  { claims, loserIds }: ReceiptOutcome,
  claimants: readonly Claimant[],
  receipt: Receipt,
): Pick<ReceiptOutcome, 'claims' | 'loserIds'> {
  const exact = claimants
    .filter(({ id }) => loserIds.includes(id))
    .filter((one) => fitsExactly(one, receipt));
  return {
    claims: [...claims, ...exact.map((one) => claimOf(one, receipt))],
    loserIds: loserIds.filter((id) => exact.every((one) => one.id !== id)),
  };
}

const NOBODY_THERE: Table = { payments: [], claimants: [], isNew: false };

/** The payments that name a receipt in one way or another, each once. */
function merged(tables: readonly Table[]): Table {
  const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) => [
    ...new Map(rows.toReversed().map((row) => [row.id, row])).values(),
  ];
  return {
    payments: byId(tables.flatMap(({ payments }) => payments)),
    claimants: byId(tables.flatMap(({ claimants }) => claimants)),
    isNew: false,
  };
}

/** Whether anybody gets it, or is in review over it. */
function isDecided({ winner, claims }: ReceiptOutcome): boolean {
  return winner !== null || claims.length > 0;
}

function without(table: Table, { again, leavingId }: Pick<Looked, 'again' | 'leavingId'>): Table {
  const claimants = table.claimants
    .filter(({ status }) => !again || status !== 'review')
    .filter(({ id }) => id !== leavingId);
  return { ...table, claimants };
}

function hasEntries(claimant: Claimant): boolean {
  return claimant.entries.length > 0;
}
