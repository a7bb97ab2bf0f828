import { Injectable, Logger } from '@nestjs/common';
import { Configuration } from '../../platform/config/index.js';
import { Database, type Queryable, together, type Transaction } from '../../platform/database/index.js';
import { decodeCursor, type Page, pageOf, type PageQuery } from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import type { MinorUnits } from '../../kernel/money.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { CLOCK_TOLERANCE_MS, type Store, StoreStates } from '../../stores/index.js';
import { findWallet, QR_PROVIDER } from '../../wallets/index.js';
import { type ArrivingReceipt, ArrivingReceipts } from './arriving-receipts.js';
import { FLAG } from '../matching/matching.js';
import { matchingKeys } from '../matching/matching-keys.js';
import { receiptNotFound } from '../payments/payments.errors.js';
import {
  moneyTimes,
  type NewReceipt,
  RECEIVED_KIND,
  type Receipt,
  type ReceiptResult,
  type ReceiptStatus,
  SENT_KIND,
} from '../receipts/receipt.js';
import { type FoundForNew, ReceiptMatching } from '../matching/receipt-matching.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import type { SentOutcome } from '../refunds/refund.js';
import { RefundsService } from '../refunds/refunds.service.js';

/** The phone's side of matching (contract 4.15 and 6.13). */
@Injectable()
export class ReceiptsService {
  private readonly logger = new Logger(ReceiptsService.name);

  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
    private readonly payments: PaymentsRepository,
    private readonly matching: ReceiptMatching,
    private readonly arriving: ArrivingReceipts,
    private readonly states: StoreStates,
    private readonly refunds: RefundsService,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a receipt and matches it at once. Committed before this resolves, so the phone may forget it then. A
   * receipt that is here already is answered `duplicate` and changes nothing, whatever else it says.
   */
  async receive(store: Store, incoming: NewReceipt): Promise<ReceiptResult> {
    const receipt = asMatched(incoming, store);
    if (receipt.kind === SENT_KIND) {
      const { receiptId } = await this.keepSent(store, incoming);
      return { receiptId, status: 'ignored' };
    }
    if (receipt.kind !== RECEIVED_KIND)
      return { receiptId: await this.insertIgnored(this.database, store.id, receipt), status: 'ignored' };
    return (
      (await this.arriving.take(store, receipt)) ??
      (await this.keep(store, receipt)) ??
      this.duplicate(store.id, receipt)
    );
  }

  /**
   * Null when the store has it already. What is read first leaves with BEGIN and the key; where digits are read the
   * time is needed for that, and one transaction looks at the clock once, behind its keys.
   */
  private async keep(store: Store, receipt: ArrivingReceipt): Promise<ReceiptResult | null> {
    const clockOffsetMs = await this.clockOffsetOf(store.id, receipt);
    // On a cluster owners' receipts lie on another node than the store's.
    const isKnownOthers = this.database.isDistributed
      ? await this.isOtherStores(this.database, store, receipt)
      : null;
    return this.database.transaction(
      async (tx) => {
        const times = receipt.last4digit === null ? null : this.timesOf(receipt, clockOffsetMs);
        const [isOthers, seen, payments] = await together([
          isKnownOthers ?? this.isOtherStores(tx, store, receipt),
          this.seenBefore(tx, store.id, receipt, times),
          this.matching.lookFor(tx, store.id, receipt, times),
        ]);
        const { now, money } = times ?? this.timesOf(receipt, clockOffsetMs);
        const marks = [...(isOthers ? [FLAG.otherStore] : []), ...marksOf(receipt, seen)];
        const marked = { ...receipt, flags: [...receipt.flags, ...marks] };
        const status = marks.length > 0 ? 'review' : 'unmatched';
        // Nobody waits for it: this is all there is to write.
        const isLast = payments.length === 0 && (receipt.trxId === null || receipt.last4digit === null);
        const on = isLast ? { query: tx.last.bind(tx) } : tx;
        const [stored, entries] = await together([
          this.receipts.insert(on, store.id, marked, status, now, money),
          this.matching.entriesOf(tx, store.id, receipt, payments),
        ]);
        if (stored === null) return null;
        if (isLast) return { receiptId: stored.id, status };
        return this.match(tx, store, stored, now, { payments, entries });
      },
      {
        locks: matchingKeys(store.id, receipt),
        storeId: store.id,
        eager: receipt.last4digit === null,
        // Plans are kept: one that suits a table that is still small would read all of it later.
        byIndexOnly: true,
      },
    );
  }

  private timesOf(receipt: ArrivingReceipt, clockOffsetMs: number): Times {
    const now = this.clock.now();
    return { now, money: moneyTimes(receipt, now, clockOffsetMs) };
  }

  /**
   * Balances with which the next receipt of a wallet from this line of a phone may go on, in minor units: that of the
   * wallet's latest receipt, and that of the latest of the wallets which may share its balance.
   */
  async latestBalances(
    storeId: string,
    {
      provider,
      app,
      phoneLine,
    }: { readonly provider: string; readonly app: string; readonly phoneLine: string },
  ): Promise<readonly MinorUnits[]> {
    const wallets = [provider, ...(MAY_SHARE_BALANCE[provider] ?? [])];
    const found = await Promise.all(
      wallets.map((wallet) => this.receipts.findBalance(storeId, wallet, app, phoneLine)),
    );
    const known = found.filter((one) => one !== null);
    const latest = known.toSorted((one, other) => other.arrivedAt.getTime() - one.arrivedAt.getTime())[0];
    return [found[0], latest].flatMap((one) => (one == null ? [] : [one.balanceMinor]));
  }

  /** @throws DomainError `receipt.not_found` */
  async getOfStore(storeId: string, receiptId: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfStore(this.database, storeId, receiptId);
    if (receipt === null) throw receiptNotFound();
    return receipt;
  }

  async listOfStore(
    storeId: string,
    status: ReceiptStatus | undefined,
    query: PageQuery,
  ): Promise<Page<Receipt>> {
    const receipts = await this.receipts.list(storeId, status, decodeCursor(query.cursor), query.limit);
    return pageOf(
      receipts,
      query.limit,
      (receipt) => ({ at: receipt.arrivedAt, id: receipt.id }),
      (receipt) => receipt,
    );
  }

  /**
   * Keeps a message of the store's phone about money that it sent. It pays nothing, and confirms the refund that its
   * TrxID and amount are those of, whichever comes first (contract 12.12).
   */
  async keepSent(store: Store, incoming: NewReceipt): Promise<{ receiptId: string; outcome: SentOutcome }> {
    const receipt = asMatched(incoming, store);
    const { provider, trxId, amountMinor, currency } = receipt;
    return this.database.transaction(
      async (tx) => {
        // Phones send a message again and again, and two of them send it twice.
        const told = trxId === null || receipt.simulated ? null : { provider, trxId, amountMinor, currency };
        const same = told === null ? null : await this.receipts.findSent(tx, store.id, told);
        const receiptId = same?.id ?? (await this.insertIgnored(tx, store.id, receipt));
        // A simulated one moved no money.
        if (told === null) return { receiptId, outcome: 'unknown' };
        return { receiptId, outcome: await this.refunds.confirmBySent(tx, store.id, { ...told, receiptId }) };
      },
      { locks: matchingKeys(store.id, receipt), storeId: store.id },
    );
  }

  private async insertIgnored(on: Queryable, storeId: string, receipt: ArrivingReceipt): Promise<string> {
    const stored = await this.receipts.insert(on, storeId, receipt, 'ignored', this.clock.now());
    if (stored === null) throw new Error('An ignored receipt stands outside every constraint.');
    return stored.id;
  }

  private async duplicate(storeId: string, receipt: NewReceipt): Promise<ReceiptResult> {
    const same = await this.receipts.findSame(this.database, storeId, receipt);
    if (same === null) throw new Error('The receipt that made this one a duplicate is not there.');
    if (same.amountMinor !== receipt.amountMinor) {
      this.logger.warn(
        { receiptId: same.id },
        'A repeated receipt names another amount; the first one stands.',
      );
    }
    return resultOf(same.id, 'duplicate', same.paymentId);
  }

  private async match(
    tx: Transaction,
    store: Store,
    receipt: Receipt,
    now: Date,
    found: FoundForNew,
  ): Promise<ReceiptResult> {
    const matched = await this.matching.match(tx, store, receipt, now, { found });
    if (matched === null)
      return { receiptId: receipt.id, status: receipt.status === 'review' ? 'review' : 'unmatched' };
    const { payment } = matched;
    if (payment === null)
      return { receiptId: receipt.id, status: matched.contested ? 'review' : 'unmatched' };
    return resultOf(receipt.id, payment.status === 'verified' ? 'matched' : 'review', payment.id);
  }

  /**
   * One phone that feeds two stores of an owner must not pay twice: whose TrxID it is, is written before the receipt
   * (contract 4.47).
   */
  private async isOtherStores(on: Queryable, store: Store, receipt: ArrivingReceipt): Promise<boolean> {
    const { trxId, provider, simulated } = receipt;
    if (trxId === null || simulated) return false;
    const told = { provider, trxId };
    const keeper = await this.receipts.keeperOf(on, store, told, this.clock.now());
    return keeper !== null && keeper !== store.id;
  }

  private async clockOffsetOf(storeId: string, receipt: ArrivingReceipt): Promise<number> {
    if (receipt.byPhoneClock !== true || receipt.last4digit === null) return 0;
    const state = await this.states.find(this.database, storeId);
    const offsetMs = state?.phoneClockOffsetMs ?? 0;
    return Math.abs(offsetMs) > CLOCK_TOLERANCE_MS ? offsetMs : 0;
  }

  /** Receipts of the store that this one may be another telling of. */
  private async seenBefore(
    tx: Transaction,
    storeId: string,
    receipt: ArrivingReceipt,
    times: Times | null,
  ): Promise<SeenBefore> {
    const { simulated, trxId, last4digit, amountMinor } = receipt;
    if (simulated) return { byTrx: [], alike: [], isApprovedFor: false };
    const windowMs = this.configuration.qrWindowMs;
    const [byTrx, alike, isApprovedFor] = await together([
      trxId === null ? [] : this.receipts.listByTrx(tx, storeId, trxId),
      last4digit === null || times === null
        ? []
        : this.receipts.listByLast4(
            tx,
            { storeId, last4digit, amountMinor },
            {
              from: new Date(times.money.from.getTime() - windowMs),
              to: new Date(times.money.until.getTime() + windowMs),
            },
          ),
      trxId === null ? false : this.payments.isApprovedFor(tx, storeId, trxId),
    ]);
    return { byTrx, alike, isApprovedFor };
  }
}

/** The instant at which a receipt is decided about, and when its money can have come. */
interface Times {
  readonly now: Date;
  readonly money: { readonly from: Date; readonly until: Date };
}

interface SeenBefore {
  readonly byTrx: readonly Receipt[];
  readonly alike: readonly Receipt[];
  /** A user has verified a payment for which its TrxID was submitted, over less or over none. */
  readonly isApprovedFor: boolean;
}

/** Why a receipt verifies nothing by itself, whatever it says. */
function marksOf(receipt: ArrivingReceipt, { byTrx, alike, isApprovedFor }: SeenBefore): string[] {
  const marks: string[] = [];
  const simulated = [...byTrx.filter(({ provider }) => provider === receipt.provider), ...alike];
  if (simulated.some((one) => one.simulated && one.holder?.verified === true))
    marks.push(FLAG.simulatedBefore);
  const isAlike = (one: Receipt) =>
    !one.simulated &&
    one.currency === receipt.currency &&
    !(one.trxId !== null && receipt.trxId !== null && one.trxId !== receipt.trxId);
  if (alike.some(isAlike) || byTrx.some((one) => isToldTwice(one, receipt)))
    marks.push(FLAG.possibleDuplicate);
  if (isApprovedFor) marks.push(FLAG.approvedBefore);
  return marks;
}

/**
 * `qr` names a method, not a wallet: of one transaction a phone may hear as a QR payment, and from the wallet. Both
 * would pay, one by its digits and the other by its TrxID.
 */
function isToldTwice(one: Receipt, receipt: ArrivingReceipt): boolean {
  const isMethod = one.provider === QR_PROVIDER || receipt.provider === QR_PROVIDER;
  const isSameMoney = one.amountMinor === receipt.amountMinor && one.currency === receipt.currency;
  return isMethod && one.provider !== receipt.provider && isSameMoney && !one.simulated;
}

/** Nagad's own money and its Bangla QR money may be one account, or two: nobody can tell (contract 9.24). */
const MAY_SHARE_BALANCE: Readonly<Record<string, readonly string[]>> = {
  nagad: [QR_PROVIDER],
  qr: ['nagad'],
};

/**
 * A receipt as it is matched. The wallets that are built in pay in their own currency, whatever the store's. One that
 * names another wallet than `qr` and carries TrxID and counterparty is a standard one: matched by the TrxID alone
 * (contract 4.14).
 *
 * @throws DomainError `request.invalid` for another currency
 */
function asMatched(incoming: NewReceipt, store: Store): ArrivingReceipt {
  const own = findWallet(incoming.provider)?.currency ?? null;
  if (own !== null && incoming.currency !== null && incoming.currency !== own) {
    throw invalidInput([
      { pointer: '/currency', detail: `must be ${own}: this wallet pays in nothing else` },
    ]);
  }
  const isStandard =
    incoming.provider !== QR_PROVIDER && incoming.trxId !== null && incoming.counterparty !== null;
  return {
    ...incoming,
    currency: own ?? incoming.currency ?? store.currency,
    last4digit: isStandard ? null : incoming.last4digit,
  };
}

function resultOf(
  receiptId: string,
  status: ReceiptResult['status'],
  paymentId: string | null,
): ReceiptResult {
  return paymentId === null ? { receiptId, status } : { receiptId, status, paymentId };
}
