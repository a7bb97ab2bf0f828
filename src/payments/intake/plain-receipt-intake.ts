import { Injectable, Logger } from '@nestjs/common';
import { BY_INDEX, Database, type Queryable, together } from '../../platform/database/index.js';
import { Clock } from '../../kernel/clock.js';
import { invalidInput } from '../../kernel/domain-error.js';
import { CLOCK_TOLERANCE_MS, type ReceiptChecks, type Store, StoreStates } from '../../stores/index.js';
import { findWallet, QR_PROVIDER } from '../../wallets/index.js';
import { decideReceipt } from '../matching/decide-receipt.js';
import { GuessProtection } from '../matching/guess-protection.js';
import type { MatchingCase } from '../matching/matching-case.js';
import { MatchingCases } from '../matching/matching-cases.js';
import { matchingKeys } from '../matching/matching-keys.js';
import { balanceLinesOf, KnownBalances } from '../receipts/balances.js';
import {
  type ArrivingReceipt,
  type NewReceipt,
  newReceipt,
  RECEIVED_KIND,
  type Receipt,
  type ReceiptResult,
  SENT_KIND,
} from '../receipts/receipt.js';
import { doubtsAbout, FLAG } from '../receipts/receipt-doubts.js';
import { ReceiptsRepository } from '../receipts/receipts.repository.js';
import type { SentOutcome } from '../refunds/refund.js';
import { RefundsService } from '../refunds/refunds.service.js';
import { ReceiptIntake } from './receipt-intake.js';

/**
 * One receipt in one transaction (contract 4 and 6). This class is the specification; the fast path is held equal to
 * it by a test.
 */
@Injectable()
export class PlainReceiptIntake extends ReceiptIntake {
  private readonly logger = new Logger(PlainReceiptIntake.name);

  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsRepository,
    private readonly cases: MatchingCases,
    private readonly guesses: GuessProtection,
    private readonly states: StoreStates,
    private readonly refunds: RefundsService,
    private readonly clock: Clock,
  ) {
    super();
  }

  async take(store: Store, incoming: NewReceipt): Promise<ReceiptResult> {
    const receipt = asMatched(incoming, store);
    if (receipt.kind === SENT_KIND) {
      const { receiptId } = await this.takeSent(store, incoming);
      return { receiptId, status: 'ignored' };
    }
    if (receipt.kind !== RECEIVED_KIND) {
      const receiptId = await this.keepIgnored(this.database, store.id, receipt);
      return { receiptId, status: 'ignored' };
    }
    const clockOffsetMs = await this.clockOffsetOf(store.id, receipt);
    // Committed before, because on a cluster owners' receipts lie on another node than the store's.
    const isOthers = await this.isOtherStores(store, receipt);
    return this.database.transaction(
      async (tx) => {
        const [balances, arriving] = await together([
          this.receipts.listBalances(tx, balanceLinesOf(store.id, checksOf(store, receipt), receipt)),
          this.cases.ofReceipt(tx, store, receipt, clockOffsetMs),
        ]);
        const { matching, same } = arriving;
        if (same !== null) return this.duplicate(same, receipt);
        const noted = new KnownBalances(balances).flagsOf(store.id, checksOf(store, receipt), receipt);
        const doubts = [...(isOthers ? [FLAG.otherStore] : []), ...doubtsAbout(receipt, arriving)];
        const marked = { ...receipt, flags: [...receipt.flags, ...noted, ...doubts] };
        const status = doubts.length > 0 ? 'review' : 'unmatched';
        const arrived = newReceipt(store.id, marked, status, matching.now, arriving.money);
        matching.add(arrived);
        const rules = this.cases.rulesOf(store);
        const decision = decideReceipt(arrived, matching.claimantsOf(arrived, rules), rules);
        matching.apply(await this.guesses.temper(tx, store, matching, decision));
        await this.cases.save(tx, matching);
        return resultOf(matching, arrived.id);
      },
      {
        locks: matchingKeys(store.id, receipt),
        storeId: store.id,
        // Plans are kept: one that suits a table that is still small would read all of it later.
        settings: BY_INDEX,
      },
    );
  }

  async takeSent(store: Store, incoming: NewReceipt): Promise<{ receiptId: string; outcome: SentOutcome }> {
    const receipt = asMatched(incoming, store);
    const { provider, trxId, amountMinor, currency } = receipt;
    return this.database.transaction(
      async (tx) => {
        // Phones send a message again and again, and two of them send it twice.
        const told = trxId === null || receipt.simulated ? null : { provider, trxId, amountMinor, currency };
        const same = told === null ? null : await this.receipts.findSent(tx, store.id, told);
        const receiptId = same?.id ?? (await this.keepIgnored(tx, store.id, receipt));
        // A simulated one moved no money.
        if (told === null) return { receiptId, outcome: 'unknown' };
        return { receiptId, outcome: await this.refunds.confirmBySent(tx, store.id, { ...told, receiptId }) };
      },
      { locks: matchingKeys(store.id, receipt), storeId: store.id },
    );
  }

  private async keepIgnored(on: Queryable, storeId: string, receipt: ArrivingReceipt): Promise<string> {
    const ignored = newReceipt(storeId, receipt, 'ignored', this.clock.now());
    await this.receipts.insertNew(on, ignored);
    return ignored.id;
  }

  private duplicate(same: Receipt, receipt: ArrivingReceipt): ReceiptResult {
    if (same.amountMinor !== receipt.amountMinor) {
      this.logger.warn(
        { receiptId: same.id },
        'A repeated receipt names another amount; the first one stands.',
      );
    }
    return { receiptId: same.id, status: 'duplicate', ...paymentOf(same) };
  }

  /**
   * One phone that feeds two stores of an owner must not pay twice: whose TrxID it is, is written before the receipt
   * (contract 4.47).
   */
  private async isOtherStores(store: Store, receipt: ArrivingReceipt): Promise<boolean> {
    const { trxId, provider, simulated } = receipt;
    if (trxId === null || simulated) return false;
    const keeper = await this.receipts.keeperOf(this.database, store, { provider, trxId }, this.clock.now());
    return keeper !== null && keeper !== store.id;
  }

  private async clockOffsetOf(storeId: string, receipt: ArrivingReceipt): Promise<number> {
    if (receipt.byPhoneClock !== true || receipt.last4digit === null) return 0;
    const state = await this.states.find(this.database, storeId);
    const offsetMs = state?.phoneClockOffsetMs ?? 0;
    return Math.abs(offsetMs) > CLOCK_TOLERANCE_MS ? offsetMs : 0;
  }
}

/**
 * A receipt as it is matched. The wallets that are built in pay in their own currency, whatever the store's. One that
 * names another wallet than `qr` and carries TrxID and counterparty is a standard one: matched by the TrxID alone
 * (contract 4.14).
 *
 * @throws DomainError `request.invalid` for another currency
 */
export function asMatched(incoming: NewReceipt, store: Store): ArrivingReceipt {
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

/** Whether the balance of a receipt has to add up: a simulated one is of no account. */
export function checksOf({ receiptChecks }: Store, { simulated }: ArrivingReceipt): ReceiptChecks {
  return simulated ? 'off' : receiptChecks;
}

/** The answer to the sender of a receipt that has been decided. */
export function resultOf(matching: MatchingCase, receiptId: string): ReceiptResult {
  const receipt = matching.receipt(receiptId);
  const status = receipt.status === 'matched' || receipt.status === 'review' ? receipt.status : 'unmatched';
  return { receiptId, status, ...paymentOf(receipt) };
}

function paymentOf({ paymentId }: Receipt): Pick<ReceiptResult, 'paymentId'> {
  return paymentId === null ? {} : { paymentId };
}
