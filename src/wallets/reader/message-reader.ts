import { type Fields, firstAmount } from './message-fields.js';
import { MessagePattern, type Meter } from './message-pattern.js';
import { looksLike, senderKey } from './senders.js';
import type { AccountType, MessageReason, MessageRule, WalletMessages, WalletProvider } from '../wallet.js';

/** A rule as it stays with the message it was read by (contract 9.4). */
export interface RuleName {
  readonly name: string;
  readonly version: number;
}

/** The reading of a message. */
export type Reading =
  | {
      readonly status: 'receipt';
      readonly reason: null;
      readonly provider: string;
      readonly rule: RuleName;
      readonly fields: ReceiptFields;
      /** Why a user must look before it verifies anything; empty for a whole message. */
      readonly flags: readonly string[];
    }
  | {
      readonly status: 'ignored' | 'unread';
      readonly reason: MessageReason;
      /** The wallet that the sender id names, if it names one. */
      readonly provider: string | null;
      readonly rule: RuleName | null;
      /** The fields that could be read all the same: of money that went out, or of a message that was cut. */
      readonly fields: Fields | null;
    };

export type ReceiptFields = Fields & Required<Pick<Fields, 'amountMinor' | 'trxId'>>;

export interface MessageToRead {
  readonly sender: string;
  readonly text: string;
  /**
   * The types of the store's accounts of a wallet (contract 6.25); empty when it has none, which reads as no agent's.
   */
  readonly accountTypesOf: (provider: string) => readonly AccountType[];
  /** Whether the store offers a wallet; null reads as not. */
  readonly offers: (provider: string) => boolean;
}

/** The longest text that is read, in characters. A message of ten parts has 1,530; what is longer is none. */
export const MAX_MESSAGE_CHARACTERS = 4_000;

/** The accounts that a message is read for where nobody said. */
const USUAL_ACCOUNTS: readonly AccountType[] = ['personal', 'merchant'];

interface CompiledRule {
  readonly rule: MessageRule;
  readonly start: MessagePattern;
  /** The start without the words that may precede it, for a message inside a text. */
  readonly bareStart: MessagePattern;
  readonly whole: readonly MessagePattern[];
}

interface CompiledMessages {
  readonly messages: WalletMessages;
  readonly rules: readonly CompiledRule[];
}

const compiled = new WeakMap<WalletMessages, CompiledMessages>();

/** Patterns are made ready once for each wallet. */
function compile(messages: WalletMessages): CompiledMessages {
  const known = compiled.get(messages);
  if (known !== undefined) return known;
  const rules = messages.rules.map((rule) => ({
    rule,
    start: new MessagePattern(rule.start, messages.trxId),
    bareStart: new MessagePattern(rule.start.replace(/^\[\{preface[^}]*\}\]/, ''), messages.trxId),
    whole: rule.rests.map((rest) => new MessagePattern(rule.start + rest, messages.trxId)),
  }));
  const ready = { messages, rules };
  compiled.set(messages, ready);
  return ready;
}

/**
 * Reads a wallet's message: pure, and in time linear in the text. The sender chooses the wallet, the account's type the
 * meaning, and the whole text must be one of that wallet's shapes (wallets §1); whatever is not is no receipt.
 */
export function readMessage(
  message: MessageToRead,
  wallets: readonly WalletProvider[],
  meter: Meter = { steps: 0 },
): Reading {
  const wallet = walletOfSender(message, wallets);
  if (wallet === null) return refused(senderReason(message.sender, wallets), null);
  if (wallet.messages === null) return refused('unknown_sender', null);
  const text = collapseBlanks(message.text);
  if (text.length > MAX_MESSAGE_CHARACTERS) return unread('no_rule', wallet.code, null, null);
  const ready = compile(wallet.messages);
  const reading = readText(text, wallet, ready, message.accountTypesOf, meter) ?? guess(text, wallet, meter);
  if (reading.status !== 'receipt' || !couldBeSeveral(text, ready.rules, meter)) return reading;
  // Perhaps the amount is that of one message, and the id that of another.
  return { ...reading, flags: [...new Set([...reading.flags, 'incomplete'])] };
}

/** Whether a text that reads as one message also reads as several, as words of a payer look like an end and a start. */
function couldBeSeveral(text: string, rules: readonly CompiledRule[], meter: Meter): boolean {
  return startsWithin(text, rules, meter).some(
    (at) =>
      wholeRule(text.slice(0, at - 1), rules, meter) !== null &&
      wholeMessages(text.slice(at), rules, meter, MAX_MESSAGES - 1) !== null,
  );
}

/** The most messages that are read from one text. */
const MAX_MESSAGES = 5;
/** The most places in a text at which the start of another message is tried. */
const MAX_SPLITS = 10;
/** Gaps that hold words of a payer, who can write what looks like the end of a message. */
const GAP_OF_PAYER = /\{(?:ref|name)\}/;

/**
 * Splits a text that holds several whole messages of its wallet, one after the other, into those (contract 9.22). A
 * text that is one message, or holds no whole message, is returned as it is.
 */
export function splitMessages(
  { text: given, ...message }: Pick<MessageToRead, 'sender' | 'text' | 'offers'>,
  wallets: readonly WalletProvider[],
  meter: Meter = { steps: 0 },
): readonly string[] {
  const wallet = walletOfSender(message, wallets);
  const text = collapseBlanks(given);
  if (wallet === null || wallet.messages === null || text.length > MAX_MESSAGE_CHARACTERS) return [given];
  const parts = wholeMessages(text, compile(wallet.messages).rules, meter, MAX_MESSAGES);
  return parts === null || parts.length === 1 ? [given] : parts;
}

/** The whole messages of which a text consists, the first as short as possible; null if it does not consist of such. */
function wholeMessages(
  text: string,
  rules: readonly CompiledRule[],
  meter: Meter,
  most: number,
): readonly string[] | null {
  const one = wholeRule(text, rules, meter);
  // Only the gap of a promotion can have taken in a further message.
  if (one !== null && !one.hasPromotion) return [text];
  for (const at of most > 1 ? startsWithin(text, rules, meter) : []) {
    const first = wholeRule(text.slice(0, at - 1), rules, meter);
    if (first === null || (one !== null && first.hasGapOfPayer)) continue;
    const others = wholeMessages(text.slice(at), rules, meter, most - 1);
    if (others !== null) return [text.slice(0, at - 1), ...others];
  }
  return one === null ? null : [text];
}

function wholeRule(
  text: string,
  rules: readonly CompiledRule[],
  meter: Meter,
): { readonly hasPromotion: boolean; readonly hasGapOfPayer: boolean } | null {
  const found = rules.find(({ whole }) => wholeFields(whole, text, meter) !== null);
  if (found === undefined) return null;
  const shapes = [found.rule.start, ...found.rule.rests].join(' ');
  return { hasPromotion: shapes.includes('{promotion}'), hasGapOfPayer: GAP_OF_PAYER.test(shapes) };
}

/** The places behind a blank at which a message begins inside a text. */
function startsWithin(text: string, rules: readonly CompiledRule[], meter: Meter): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(' ') + 1; at > 0 && starts.length < MAX_SPLITS; at = text.indexOf(' ', at) + 1) {
    const rest = text.slice(at);
    if (rules.some(({ bareStart }) => bareStart.matchStart(rest, meter) !== null)) starts.push(at);
  }
  return starts;
}

/** Every run of blanks and ends of lines is one blank: forwarders lose, double and pad them (wallets §1). */
export function collapseBlanks(text: string): string {
  return text.replace(/[\s\u0085]+/g, ' ').trim();
}

function walletOfSender(
  message: Pick<MessageToRead, 'sender' | 'offers'>,
  wallets: readonly WalletProvider[],
): WalletProvider | null {
  const key = senderKey(message.sender);
  const sends = ({ code, messages }: WalletProvider) =>
    messages !== null &&
    (!messages.onlyWhereOffered || message.offers(code)) &&
    messages.senders.some((sender) => senderKey(sender) === key);
  return wallets.find(sends) ?? null;
}

function senderReason(sender: string, wallets: readonly WalletProvider[]): MessageReason {
  const known = wallets
    .filter(({ messages }) => messages?.onlyWhereOffered === false)
    .flatMap(({ messages }) => messages?.senders ?? []);
  return known.some((id) => looksLike(sender, id)) ? 'look_alike_sender' : 'unknown_sender';
}

function readText(
  text: string,
  wallet: WalletProvider,
  { rules, messages }: CompiledMessages,
  accountTypesOf: MessageToRead['accountTypesOf'],
  meter: Meter,
): Reading | null {
  for (const { rule, start, whole } of rules) {
    if (rule.means !== 'received') {
      const begun = start.matchStart(text, meter);
      if (begun === null) continue;
      const fields = wholeFields(whole, text, meter) ?? remains(text, begun.end, begun.fields, messages);
      const amountMinor = fields.amountMinor ?? firstAmount(text);
      return noReceipt(rule, wallet, amountMinor === undefined ? fields : { ...fields, amountMinor });
    }
    const fields = wholeFields(whole, text, meter);
    if (fields !== null) return received(rule, wallet, fields, accountTypesOf);
  }
  for (const { rule, start } of rules) {
    const begun = rule.means === 'received' ? start.matchStart(text, meter) : null;
    if (begun === null) continue;
    const fields = remains(text, begun.end, begun.fields, messages);
    return unread('incomplete', rule.provider ?? wallet.code, ruleName(wallet, rule), fields);
  }
  return null;
}

function wholeFields(patterns: readonly MessagePattern[], text: string, meter: Meter): Fields | null {
  for (const pattern of patterns) {
    const fields = pattern.match(text, meter);
    if (fields !== null) return fields;
  }
  return null;
}

function received(
  rule: MessageRule,
  wallet: WalletProvider,
  fields: Fields,
  accountTypesOf: MessageToRead['accountTypesOf'],
): Reading {
  const own = accountTypesOf(wallet.code);
  const types = own.length > 0 ? own : USUAL_ACCOUNTS;
  const fitting = types.filter((type) => rule.accounts.includes(type));
  const name = ruleName(wallet, rule);
  if (fitting.length === 0) {
    return { status: 'ignored', reason: 'agent_direction', provider: wallet.code, rule: name, fields };
  }
  const { amountMinor, trxId } = fields;
  const provider = rule.provider ?? wallet.code;
  if (amountMinor === undefined || trxId === undefined) return unread('incomplete', provider, name, fields);
  const flags = [
    // With accounts of both kinds on one phone nobody knows whether it is a customer or the distributor.
    ...(own.length > 0 && fitting.length < types.length ? ['account_type'] : []),
    ...(fields.at === undefined || fields.balanceMinor === undefined ? ['incomplete'] : []),
  ];
  return {
    status: 'receipt',
    reason: null,
    provider,
    rule: name,
    fields: { ...fields, amountMinor, trxId },
    flags,
  };
}

function noReceipt(rule: MessageRule, wallet: WalletProvider, fields: Fields): Reading {
  const reason = rule.means === 'sent' || rule.means === 'received' ? 'outgoing' : rule.means;
  const read = reason === 'outgoing' ? fields : null;
  return { status: 'ignored', reason, provider: wallet.code, rule: ruleName(wallet, rule), fields: read };
}

function refused(reason: MessageReason, provider: string | null): Reading {
  return { status: 'ignored', reason, provider, rule: null, fields: null };
}

function unread(
  reason: MessageReason,
  provider: string,
  rule: RuleName | null,
  fields: Fields | null,
): Reading {
  return { status: 'unread', reason, provider, rule, fields };
}

function ruleName(wallet: WalletProvider, rule: MessageRule): RuleName {
  return { name: `${wallet.code}.${rule.name}`, version: rule.version };
}

/** How wallets write the word in front of an id (wallets §4), in lower case. */
const ID_LABELS = ['trxid', 'txnid', 'txn id', 'trnxid', 'txid', 'trx id'];

/** The fields that a message has although it is not whole: the last id with a label in front, for a user to see. */
function remains(text: string, from: number, fields: Fields, { trxId: rule }: WalletMessages): Fields {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let last = -1;
  for (const label of ID_LABELS) {
    const at = lower.lastIndexOf(label);
    if (at >= from) last = Math.max(last, at + label.length);
  }
  if (last < 0) return fields;
  let begin = last;
  while (begin < text.length && ' :.'.includes(text.charAt(begin)) && begin - last < 3) begin += 1;
  let end = begin;
  while (end < text.length && end - begin <= rule.longest && rule.alphabet.includes(text.charAt(end)))
    end += 1;
  const isId = end - begin >= rule.shortest && end - begin <= rule.longest;
  return isId ? { ...fields, trxId: text.slice(begin, end) } : fields;
}

const ONE_TIME_CODE = /\b(?:OTP|one[ -]time (?:password|pin|code)|verification code|security code)\b/i;
const HAS_ID = /\bT(?:rx|xn|rnx|x) ?ID\b/i;
const HAS_TIME = /[0-9]{2}[/-](?:[0-9]{2}|[A-Z]{3})[/-][0-9]{2}(?:[0-9]{2})? [0-9]{2}:[0-9]{2}/i;

/**
 * A text of the wallet's own that fits no shape must be seen (wallets §8), unless it can be no receipt in any
 * wording: a one-time code, or a notice that names neither an id nor a time. Receipts never come here, so words may
 * be looked for.
 */
function guess(text: string, wallet: WalletProvider, meter: Meter): Reading {
  meter.steps += text.length * 3;
  // A warning never to share a code stands in receipts, too.
  if (!HAS_ID.test(text) && !HAS_TIME.test(text)) {
    if (ONE_TIME_CODE.test(text)) return refused('otp', wallet.code);
    if (!isCutEarly(text, wallet)) return refused('promotion', wallet.code);
  }
  return unread('no_rule', wallet.code, null, null);
}

/** The first letters of a receipt and little behind them: the half of a message. */
function isCutEarly(text: string, { messages }: WalletProvider): boolean {
  return (messages?.rules ?? []).some(({ means, start }) => {
    const opening = start.replace(/^\[[^\]]*\]/, '').split(/[·{[<]/, 1)[0] ?? '';
    if (means !== 'received') return false;
    if (opening === '') return /^(?:T|B|Tk|BDT|Tk[ .]*[0-9].*|BDT ?[0-9].*)$/i.test(text);
    return opening.startsWith(text) || text.startsWith(opening);
  });
}
