import { Injectable } from '@nestjs/common';
import {
  decodeCursor,
  MAX_BODY_BYTES,
  type Page,
  pageOf,
  type PagePosition,
  type PageQuery,
} from '../../platform/http/index.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { numberFromMinor } from '../../kernel/money.js';
import {
  type NewReceipt,
  RECEIVED_KIND,
  type ReceiptResult,
  ReceiptIntake,
  SENT_KIND,
} from '../../payments/index.js';
import { PhonePresence, type Store } from '../../stores/index.js';
import {
  type Fields,
  findWallet,
  readMessage,
  type Reading,
  splitMessages,
  WALLETS,
} from '../../wallets/index.js';
import type { ForwardedMessage } from './forwarders/index.js';
import {
  type Message,
  type MessageStatus,
  type MessageVerdict,
  MessagesRepository,
} from './messages.repository.js';
import { messageNotFound } from '../inbound.problems.js';

/** The answer to a forwarder: as to the phone app, or why a text is no receipt (contract 6.27). */
export type SmsResult =
  | ReceiptResult
  | { readonly messageId: string; readonly status: 'ignored' | 'unread'; readonly reason: string };

export interface RereadCounts {
  readonly read: number;
  readonly receipts: number;
  readonly ignored: number;
  readonly unread: number;
}

/** Bodies without a text that are kept for a store in a day (contract 6.31); a broken app sends them without end. */
const MAX_UNREADABLE_A_DAY = 1_000;
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** Contract 1.17. */
const MAX_APP_CHARACTERS = 100;

/** The most characters of the name of a phone line (phone and SIM card) that are kept and compared. */
const MAX_LINE_CHARACTERS = 200;

/** Unread ones are counted so far, for a page to show. */
const MAX_COUNTED = 1_000;

/** Messages that are read again in one go. */
const REREAD_BATCH = 200;

/** A text to read, with what is known around it. */
type MessageToKeep = Pick<
  ForwardedMessage,
  'app' | 'sender' | 'text' | 'sentAt' | 'receivedAt' | 'encrypted' | 'sim' | 'phone' | 'isNotification'
> & {
  readonly id: string;
  readonly raw: string;
  readonly arrivedAt: Date;
};

/** Every text that phones forward: kept, read, and turned into receipts (contract 9.1). */
@Injectable()
export class MessagesService {
  constructor(
    private readonly repository: MessagesRepository,
    private readonly intake: ReceiptIntake,
    private readonly phone: PhonePresence,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads and keeps a text. When this resolves, the phone may forget it. Each whole message of a text is kept by
   * itself; the result is that of the first (contract 9.22).
   */
  async receive(store: Store, forwarded: ForwardedMessage, raw: string): Promise<SmsResult> {
    const app = forwarded.app.slice(0, MAX_APP_CHARACTERS);
    await this.phone.markSeen(store.id, { app });
    const { encrypted, sender } = forwarded;
    const texts = encrypted
      ? [forwarded.text]
      : splitMessages({ sender, text: forwarded.text, offers: walletsOf(store).offers }, WALLETS.list());
    const results: SmsResult[] = [];
    for (const text of texts) results.push(await this.receiveOne(store, { ...forwarded, app, text }, raw));
    return results[0]!;
  }

  private async receiveOne(store: Store, forwarded: ForwardedMessage, raw: string): Promise<SmsResult> {
    const { app } = forwarded;
    const id = newId();
    const arrivedAt = this.clock.now();
    const { verdict, result } = await this.read(store, { ...forwarded, id, raw, arrivedAt });
    const { sender, text, sentAt, receivedAt, sim } = forwarded;
    await this.repository.insert({
      ...{
        ...verdict,
        id,
        storeId: store.id,
        app,
        sender,
        text,
        sentAt,
        receivedAt,
        sim,
        raw: storable(raw),
      },
      arrivedAt,
      digest: null,
    });
    return (
      result ?? {
        messageId: id,
        status: verdict.status as 'ignored' | 'unread',
        reason: verdict.reason ?? '',
      }
    );
  }

  /**
   * Keeps a body that holds no receipt and no text to read, so that it is seen (contract 6.30); a flood of them is
   * cut off.
   */
  async keepUnreadable(store: Store, raw: string): Promise<void> {
    const now = this.clock.now();
    await this.phone.markSeen(store.id);
    if (Buffer.byteLength(raw) > MAX_BODY_BYTES) return;
    const since = new Date(now.getTime() - DAY_MS);
    const kept = await this.repository.countUnreadable(store.id, since, MAX_UNREADABLE_A_DAY);
    if (kept >= MAX_UNREADABLE_A_DAY) return;
    const nothing = { provider: null, ruleName: null, ruleVersion: null, fields: null, receiptId: null };
    const unknown = { sender: null, app: null, sim: null, sentAt: null, receivedAt: null, digest: null };
    const text = storable(raw);
    await this.repository.insert({
      ...{
        ...nothing,
        ...unknown,
        id: newId(),
        storeId: store.id,
        status: 'unread',
        reason: 'unreadable_body',
      },
      ...{ text, raw: text, arrivedAt: now },
    });
  }

  /** @throws DomainError `message.not_found` */
  async getOfStore(storeId: string, messageId: string): Promise<Message> {
    const message = await this.repository.find(storeId, messageId);
    if (message === null) {
      throw messageNotFound();
    }
    return message;
  }

  /** Fingerprints of what pages show of the latest messages, by store. */
  latestFingerprints(storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.repository.latestFingerprints(storeIds);
  }

  async listOfStore(
    storeId: string,
    status: MessageStatus | undefined,
    query: PageQuery,
  ): Promise<Page<Message>> {
    const messages = await this.repository.list(storeId, status, decodeCursor(query.cursor), query.limit);
    const position = ({ arrivedAt, id }: Message) => ({ at: arrivedAt, id });
    return pageOf(messages, query.limit, position, (message) => message);
  }

  /** How many nobody could read; counts no further than a thousand. */
  async countUnread(storeId: string): Promise<number> {
    return this.repository.countUnread(storeId, MAX_COUNTED);
  }

  /** Reads a text as if it came to this store's phone; stores nothing. */
  tryText(store: Store, message: { readonly sender: string; readonly text: string }): Reading {
    return readMessage({ ...message, ...walletsOf(store) }, WALLETS.list());
  }

  /**
   * Reads the store's unread texts with today's rules; a receipt that is found so matches as one that has just come.
   */
  async reread(store: Store): Promise<RereadCounts> {
    const counts = { read: 0, receipts: 0, ignored: 0, unread: 0 };
    let position: PagePosition | null = null;
    for (;;) {
      const batch: Message[] = await this.repository.listUnread(store.id, position, REREAD_BATCH);
      for (const message of batch) counts[await this.readAgain(store, message)] += 1;
      counts.read += batch.length;
      const last = batch.at(-1);
      if (last === undefined || batch.length < REREAD_BATCH) return counts;
      position = { at: last.arrivedAt, id: last.id };
    }
  }

  private async readAgain(store: Store, message: Message): Promise<'receipts' | 'ignored' | 'unread'> {
    const { id, text, sentAt, receivedAt, raw, reason, arrivedAt } = message;
    const encrypted = reason === 'encrypted';
    const { app, sender, sim } = message;
    // The table keeps no name of the phone; and a notification is never unread.
    const known = {
      app: app ?? 'generic',
      sender: sender ?? '',
      encrypted,
      sim,
      phone: null,
      isNotification: false,
    };
    const { verdict } = await this.read(store, { ...known, id, text, sentAt, receivedAt, raw, arrivedAt });
    if (verdict.status !== 'unread') await this.repository.decide(store.id, id, verdict);
    return verdict.status === 'receipt' ? 'receipts' : verdict.status;
  }

  /** Reads a text, and takes its receipt; the receipt is committed when this resolves. */
  private async read(
    store: Store,
    message: MessageToKeep,
  ): Promise<{ verdict: MessageVerdict; result: ReceiptResult | null }> {
    if (message.encrypted)
      return { verdict: { ...NOTHING_READ, status: 'unread', reason: 'encrypted' }, result: null };
    if (message.isNotification)
      return { verdict: { ...NOTHING_READ, status: 'ignored', reason: 'unknown_sender' }, result: null };
    const reading = readMessage({ ...message, ...walletsOf(store) }, WALLETS.list());
    const verdict = verdictOf(reading);
    const receipt = this.receiptOf(message, reading);
    if (receipt === null) return { verdict: { ...verdict, receiptId: null }, result: null };
    if (receipt.kind === SENT_KIND) {
      const { receiptId, outcome } = await this.intake.takeSent(store, receipt);
      return {
        verdict: { ...verdict, fields: { ...verdict.fields, refund: outcome }, receiptId },
        result: null,
      };
    }
    const result = await this.intake.take(store, receipt);
    return { verdict: { ...verdict, receiptId: result.receiptId }, result };
  }

  /**
   * The receipt of money that came in, or of money that went out and may confirm a refund (contract 12.12); else
   * null.
   */
  private receiptOf(message: MessageToKeep, reading: Reading): NewReceipt | null {
    const { fields, provider } = reading;
    const isReceipt = reading.status === 'receipt';
    if (!isReceipt && reading.reason !== 'outgoing') return null;
    if (provider === null || fields?.amountMinor === undefined || fields.amountMinor === 0) return null;
    if (fields.trxId === undefined) return null;
    const app = message.app.slice(0, MAX_APP_CHARACTERS);
    const { trxId, amountMinor, balanceMinor = null } = fields;
    const phoneLine = lineOf(message);
    return {
      ...{ source: 'sms', app, provider, kind: isReceipt ? RECEIVED_KIND : SENT_KIND },
      ...{ trxId, last4digit: fields.last4digit ?? null },
      ...{ amountMinor, balanceMinor, phoneLine, currency: findWallet(provider)?.currency ?? null },
      ...{ counterparty: fields.counterparty ?? null, ...this.timeOf(message, fields), simulated: false },
      flags: isReceipt ? reading.flags : [],
      raw: storable(message.raw),
      messageId: message.id,
    };
  }

  /** The wallet's text is trusted first, then the network's stamp, the phone's clock, and the arrival (wallets §1). */
  private timeOf(
    message: MessageToKeep,
    { at, precisionMs }: Fields,
  ): Pick<NewReceipt, 'receivedAt' | 'minuteOnly' | 'byPhoneClock'> {
    if (at !== undefined) return { receivedAt: at, minuteOnly: precisionMs === MINUTE_MS };
    if (message.sentAt !== null) return { receivedAt: message.sentAt };
    if (message.receivedAt !== null) return { receivedAt: message.receivedAt, byPhoneClock: true };
    return { receivedAt: message.arrivedAt };
  }
}

/** The phone and the SIM card of a message, as far as they are named. */
function lineOf({ phone, sim }: MessageToKeep): string {
  return storable([phone ?? '', sim ?? ''].join('/').slice(0, MAX_LINE_CHARACTERS));
}

const NOTHING_READ: Omit<MessageVerdict, 'status' | 'reason'> = {
  provider: null,
  ruleName: null,
  ruleVersion: null,
  fields: null,
  receiptId: null,
};

function verdictOf(reading: Reading): Omit<MessageVerdict, 'receiptId'> {
  return {
    status: reading.status,
    reason: reading.reason,
    provider: reading.provider,
    ruleName: reading.rule?.name ?? null,
    ruleVersion: reading.rule?.version ?? null,
    fields: fieldsOf(reading),
  };
}

/** The fields of a reading as they are published: amounts in units, times in UTC, what is not there as null. */
export function fieldsOf(reading: Reading): Record<string, unknown> | null {
  const { fields, provider } = reading;
  if (fields === null) return null;
  const units = (minor: number | undefined) => (minor === undefined ? null : numberFromMinor(minor));
  return {
    provider,
    kind: reading.reason === 'outgoing' ? SENT_KIND : RECEIVED_KIND,
    trxId: fields.trxId ?? null,
    amount: units(fields.amountMinor),
    currency: provider === null ? null : (findWallet(provider)?.currency ?? null),
    counterparty: fields.counterparty ?? null,
    balance: units(fields.balanceMinor),
    receivedAt: fields.at?.toISOString() ?? null,
    last4digit: fields.last4digit ?? null,
  };
}

/** Which wallets a store has, and of which types its accounts are; switched off or on. */
function walletsOf({ wallets }: Store) {
  const ofCode = (code: string) =>
    wallets.filter(({ provider }) => provider === code || findWallet(provider)?.code === code);
  return {
    offers: (code: string) => ofCode(code).length > 0,
    accountTypesOf: (code: string) => [...new Set(ofCode(code).map(({ accountType }) => accountType))],
  };
}

/** NUL is the one character that the database cannot hold. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
