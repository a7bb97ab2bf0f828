import { MAX_AMOUNT_MINOR, type MinorUnits } from '../../kernel/money.js';

/*
 * The fields of a wallet's message, each read by a function that says where it ends. None looks back or tries twice.
 */

/** The fields that were read so far. Absent: the pattern has no such field. */
export interface Fields {
  amountMinor?: MinorUnits;
  balanceMinor?: MinorUnits;
  /** The payer, or whom money was sent to, as the text has it: masked or not. */
  counterparty?: string;
  trxId?: string;
  /** The minute or the second that the text names, in UTC. */
  at?: Date;
  /** How long the instant is that the text names, in milliseconds: a minute, or a second. */
  precisionMs?: number;
  last4digit?: string;
}

/** Reads a field at `from` into `fields`; its end, or null when none stands there. */
export type FieldReader = (text: string, from: number, fields: Fields) => number | null;

/** The alphabet and length of ids in a wallet's messages. */
export interface TrxIdRule {
  /** The characters of an id. */
  readonly alphabet: string;
  readonly shortest: number;
  readonly longest: number;
}

export const DIGITS = '0123456789';
export const DIGITS_AND_CAPITALS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Free text: before a message, in the middle (what the payer typed, or a name), and after it. */
export const GAPS: readonly string[] = ['preface', 'preface with a link', 'ref', 'name', 'promotion'];

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Bangladesh has one zone, without summer time (wallets §1). */
const DHAKA_OFFSET_MS = 6 * 60 * MINUTE_MS;

const LONGEST_MONEY = 32;
const LONGEST_PAYER = 20;
const MAX_WHOLE_DIGITS = 10;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const digitAt = (text: string, at: number): boolean => isDigit(text.charCodeAt(at));

interface Money {
  readonly minor: MinorUnits;
  readonly end: number;
}

interface MoneyForm {
  /** `Tk`, `TK` or `BDT` stands in front: always, never, or as it likes. */
  readonly currency: 'always' | 'never' | 'maybe';
  /**
   * The wallet writes `Tk.` in this place, so the point is no decimal point. Elsewhere `Tk.50` is fifty poisha, as in
   * `Fee: Tk.00`, and `Tk.5` and `Tk.500` are taka.
   */
  readonly dotted: boolean;
  readonly decimals: number;
}

/**
 * Digits with commas anywhere between them, then up to so many decimals; no leading zero (wallets §3: forged
 * commissions).
 */
function readNumber(text: string, from: number, decimals: number): Money | null {
  let whole = '';
  let at = from;
  while (whole.length <= MAX_WHOLE_DIGITS) {
    if (digitAt(text, at)) whole += text.charAt(at);
    else if (whole === '' || text.charAt(at) !== ',' || !digitAt(text, at + 1)) break;
    at += 1;
  }
  if (whole.length > MAX_WHOLE_DIGITS || (whole.length > 1 && whole.startsWith('0'))) return null;
  let fraction = '';
  if (text.charAt(at) === '.' && digitAt(text, at + 1)) {
    let end = at + 1;
    while (digitAt(text, end) && fraction.length < decimals) {
      fraction += text.charAt(end);
      end += 1;
    }
    at = end;
  }
  if (whole === '' && fraction.length < 2) return null;
  const minor = Number(whole) * 100 + Number(fraction.padEnd(2, '0').slice(0, 2));
  return minor > MAX_AMOUNT_MINOR * 10 ? null : { minor, end: at };
}

function afterCurrency(text: string, from: number): number | null {
  for (const word of ['Tk', 'TK', 'tk', 'BDT']) if (text.startsWith(word, from)) return from + word.length;
  return null;
}

function readMoney(text: string, from: number, form: MoneyForm): Money | null {
  const behind = form.currency === 'never' ? null : afterCurrency(text, from);
  if (behind === null) return form.currency === 'always' ? null : readNumber(text, from, form.decimals);
  if (text.charAt(behind) === '.' && !(isPointOfDecimals(text, behind) && !form.dotted)) {
    return readNumber(text, skipBlank(text, behind + 1), form.decimals);
  }
  return readNumber(text, skipBlank(text, behind), form.decimals);
}

/** `.50` and nothing more: two decimals. `.5`, `.500` and `.50.00` are a point behind the currency. */
function isPointOfDecimals(text: string, at: number): boolean {
  if (!digitAt(text, at + 1) || !digitAt(text, at + 2) || digitAt(text, at + 3)) return false;
  return !(['.', ','].includes(text.charAt(at + 3)) && digitAt(text, at + 4));
}

function skipBlank(text: string, at: number): number {
  return text.charCodeAt(at) === 0x20 ? at + 1 : at;
}

function moneyField(form: MoneyForm, keep: (fields: Fields, minor: MinorUnits) => boolean): FieldReader {
  return (text, from, fields) => {
    const money = readMoney(text, from, form);
    return money !== null && keep(fields, money.minor) ? money.end : null;
  };
}

const keepAmount = (fields: Fields, minor: MinorUnits): boolean => {
  fields.amountMinor = minor;
  return minor > 0 && minor <= MAX_AMOUNT_MINOR;
};
const keepBalance = (fields: Fields, minor: MinorUnits): boolean => {
  fields.balanceMinor = minor;
  return true;
};
const keepNothing = (): boolean => true;

const isMask = (character: string): boolean => ['*', 'X', 'x', '•'].includes(character);

function readNumberWithMask(text: string, from: number): string {
  let end = from;
  if (text.charAt(end) === '+') end += 1;
  while (end - from < LONGEST_PAYER && (digitAt(text, end) || isMask(text.charAt(end)))) end += 1;
  return text.slice(from, end);
}

/** A phone number, masked or not: `01` and nine more, or so with the country's code. */
const readPhone: FieldReader = (text, from, fields) => {
  const payer = readNumberWithMask(text, from);
  const local = payer.startsWith('+88') ? payer.slice(3) : payer.startsWith('88') ? payer.slice(2) : payer;
  if (local.length !== 11 || !local.startsWith('01')) return null;
  fields.counterparty = payer;
  return from + payer.length;
};

/** An account or a card as the wallet shows it: at least three digits, the rest may be masked. */
const readAccount: FieldReader = (text, from, fields) => {
  const payer = readNumberWithMask(text, from);
  const digits = [...payer].filter((character) => isDigit(character.charCodeAt(0))).length;
  if (digits < 3 || payer.length < 4) return null;
  fields.counterparty = payer;
  return from + payer.length;
};

/** The same, of which the last four digits are seen: what a payer by Bangla QR is known by (specification §2.3). */
const readLastFour: FieldReader = (text, from, fields) => {
  const end = readAccount(text, from, fields);
  const last4digit = fields.counterparty?.slice(-4) ?? '';
  if (end === null || !/^[0-9]{4}$/.test(last4digit)) return null;
  fields.last4digit = last4digit;
  return end;
};

/** The first amount behind a currency, for messages whose wording is not known any further; undefined without one. */
export function firstAmount(text: string): MinorUnits | undefined {
  const places = ['Tk', 'TK', 'BDT'].map((word) => text.indexOf(word)).filter((at) => at >= 0);
  const money = places.length === 0 ? null : readMoney(text, Math.min(...places), TAKA);
  return money === null || money.minor > MAX_AMOUNT_MINOR ? undefined : money.minor;
}

function trxIdField(rule: TrxIdRule): FieldReader {
  return (text, from, fields) => {
    let end = from;
    while (end - from < rule.longest && rule.alphabet.includes(text.charAt(end)) && end < text.length)
      end += 1;
    if (end - from < rule.shortest) return null;
    fields.trxId = text.slice(from, end);
    return end;
  };
}

function numberAt(text: string, from: number, length: number): number {
  for (let at = from; at < from + length; at += 1) if (!digitAt(text, at)) return NaN;
  return Number(text.slice(from, from + length));
}

/** Midnight of a day in Dhaka, or null when there is no such day. Years of wallets only. */
function dayInDhaka(year: number, month: number, day: number): number | null {
  const at = new Date(Date.UTC(year, month - 1, day));
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && year >= 2010 && year < 2100;
  return exists ? at.getTime() - DHAKA_OFFSET_MS : null;
}

/** `dd/mm/yyyy HH:MM`, 24 hours: bKash, Nagad and Upay. */
const readMinute: FieldReader = (text, from, fields) => {
  const separators = [2, 5, 10, 13].map((offset) => text.charAt(from + offset)).join('');
  if (separators !== '// :') return null;
  const midnight = dayInDhaka(
    numberAt(text, from + 6, 4),
    numberAt(text, from + 3, 2),
    numberAt(text, from, 2),
  );
  const hour = numberAt(text, from + 11, 2);
  const minute = numberAt(text, from + 14, 2);
  if (midnight === null || !(hour < 24) || !(minute < 60)) return null;
  fields.at = new Date(midnight + (hour * 60 + minute) * MINUTE_MS);
  fields.precisionMs = MINUTE_MS;
  return from + 16;
};

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `dd-MON-yy hh:mm:ss am|pm`, where 12 am is midnight: Rocket. */
const readSecond: FieldReader = (text, from, fields) => {
  const separators = [2, 6, 9, 12, 15, 18].map((offset) => text.charAt(from + offset)).join('');
  if (separators !== '-- :: ') return null;
  const month = MONTHS.indexOf(text.slice(from + 3, from + 6).toUpperCase()) + 1;
  const midnight = dayInDhaka(2000 + numberAt(text, from + 7, 2), month, numberAt(text, from, 2));
  const [hour, minute, second] = [10, 13, 16].map((offset) => numberAt(text, from + offset, 2)) as [
    number,
    number,
    number,
  ];
  const half = text.slice(from + 19, from + 21).toLowerCase();
  if (midnight === null || !['am', 'pm'].includes(half)) return null;
  if (!(hour >= 1 && hour <= 12) || !(minute < 60) || !(second < 60)) return null;
  const hours = (hour % 12) + (half === 'pm' ? 12 : 0);
  fields.at = new Date(midnight + (hours * 60 + minute) * MINUTE_MS + second * SECOND_MS);
  fields.precisionMs = SECOND_MS;
  return from + 21;
};

/** A few letters and digits that mean nothing to us, such as the number of a counter. */
const readWord: FieldReader = (text, from) => {
  let end = from;
  while (end - from < 12 && /[A-Za-z0-9]/.test(text.charAt(end))) end += 1;
  return end === from ? null : end;
};

const TAKA: MoneyForm = { currency: 'always', dotted: false, decimals: 2 };
const DOTTED: MoneyForm = { ...TAKA, dotted: true };
const BARE: MoneyForm = { ...TAKA, currency: 'never' };
const ANY: MoneyForm = { ...TAKA, currency: 'maybe' };

const READERS: Readonly<Record<string, { read: FieldReader; longest: number }>> = {
  amount: { read: moneyField(TAKA, keepAmount), longest: LONGEST_MONEY },
  'amount after Tk.': { read: moneyField(DOTTED, keepAmount), longest: LONGEST_MONEY },
  'bare amount': { read: moneyField(BARE, keepAmount), longest: LONGEST_MONEY },
  balance: { read: moneyField(ANY, keepBalance), longest: LONGEST_MONEY },
  'balance after Tk.': { read: moneyField(DOTTED, keepBalance), longest: LONGEST_MONEY },
  fee: { read: moneyField(ANY, keepNothing), longest: LONGEST_MONEY },
  commission: { read: moneyField({ ...ANY, decimals: 5 }, keepNothing), longest: LONGEST_MONEY },
  phone: { read: readPhone, longest: LONGEST_PAYER },
  account: { read: readAccount, longest: LONGEST_PAYER },
  'account with last four': { read: readLastFour, longest: LONGEST_PAYER },
  'own account': { read: (text, from) => readAccount(text, from, {}), longest: LONGEST_PAYER },
  minute: { read: readMinute, longest: 16 },
  second: { read: readSecond, longest: 21 },
  word: { read: readWord, longest: 12 },
};

/** @throws Error naming a field that does not exist */
export function readerOf(name: string, trxId: TrxIdRule): { read: FieldReader; longest: number } {
  if (name === 'trxId') return { read: trxIdField(trxId), longest: trxId.longest };
  const reader = READERS[name];
  if (reader === undefined) throw new Error(`No message has a field "${name}".`);
  return reader;
}
