import { type FieldReader, type Fields, GAPS, readerOf, type TrxIdRule } from './message-fields.js';

/*
 * A pattern says what a whole message looks like, in the notation of the wallets' own file:
 *
 *   ·          a blank that may be missing           {amount}    a field, see message-fields.ts
 *   [text]     may be missing                        {ref}       a gap: free text of any length
 *   <a|b>      one of them, an empty one too
 *
 * Matching takes time linear in the message, whatever stands in it. Choices are multiplied out beforehand, so that each
 * variant is a plain sequence; every field knows where it ends without looking back; and behind a gap only as many
 * characters are tried as the rest of the pattern can have. No regular expression with a choice of its own is involved.
 */

/** How many characters were looked at, so that a test can count instead of measuring time. */
export interface Meter {
  steps: number;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'field'; readonly read: FieldReader; readonly longest: number }
  | { readonly kind: 'gap'; readonly name: string };

/** The most variants of a pattern. */
const MAX_VARIANTS = 64;

/** The longest promotion in front of a message, in characters. */
const MAX_PREFACE = 200;

/** The longest name of a business, in characters (contract 1.17: `counterparty`). */
const MAX_NAME = 64;

export interface MatchedPattern {
  readonly fields: Fields;
  /** Where the pattern ended. */
  readonly end: number;
}

/** A pattern that is ready to be matched with whole messages. */
export class MessagePattern {
  private readonly variants: readonly (readonly Part[])[];

  /** @throws Error naming what is wrong with the notation */
  constructor(
    readonly source: string,
    trxId: TrxIdRule,
  ) {
    const sequences = multiplyOut(source);
    if (sequences.length > MAX_VARIANTS) throw new Error(`The pattern "${source}" has too many variants.`);
    this.variants = sequences.map((sequence) => partsOf(sequence, trxId));
    for (const variant of this.variants) refuseUnboundedGaps(source, variant);
  }

  /** The fields of a message that is this from its first to its last character; null when it is not. */
  match(text: string, meter: Meter): Fields | null {
    for (const variant of this.variants) {
      const found = matchVariant(variant, text, meter, true);
      if (found !== null) return found.fields;
    }
    return null;
  }

  /** The same for a message that begins so. */
  matchStart(text: string, meter: Meter): MatchedPattern | null {
    for (const variant of this.variants) {
      const found = matchVariant(variant, text, meter, false);
      if (found !== null) return found;
    }
    return null;
  }
}

/** All plain sequences of a notation: each `[…]` with and without, each `<…|…>` with every one of its words. */
function multiplyOut(source: string): string[] {
  const open = source.search(/[[<]/);
  if (open < 0) return [source];
  const closing = source[open] === '[' ? ']' : '>';
  const close = closingOf(source, open, closing);
  const inside = source.slice(open + 1, close);
  const choices = closing === ']' ? [inside, ''] : inside.split('|');
  return choices.flatMap((choice) => multiplyOut(source.slice(0, open) + choice + source.slice(close + 1)));
}

function closingOf(source: string, open: number, closing: string): number {
  const close = source.indexOf(closing, open);
  if (close < 0) throw new Error(`The pattern "${source}" has no ${closing} for its ${source[open] ?? ''}.`);
  return close;
}

function partsOf(sequence: string, trxId: TrxIdRule): Part[] {
  return sequence
    .split(/(·|\{[^}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece): Part => {
      if (piece === '·') return { kind: 'blank' };
      if (!piece.startsWith('{')) return { kind: 'text', text: piece };
      const name = piece.slice(1, -1);
      if (GAPS.includes(name)) return { kind: 'gap', name };
      return { kind: 'field', ...readerOf(name, trxId) };
    });
}

/** A promotion in front and behind, and one gap in the middle: a second one there would be a search for both. */
function refuseUnboundedGaps(source: string, variant: readonly Part[]): void {
  const gaps = variant.filter((part) => part.kind === 'gap' && !isPreface(part) && !isPromotion(part));
  const misplaced = variant.some(
    (part, index) => (isPreface(part) && index !== 0) || (isPromotion(part) && index !== variant.length - 1),
  );
  if (gaps.length > 1 || misplaced)
    throw new Error(`The pattern "${source}" has gaps that cannot be matched.`);
}

function matchVariant(
  variant: readonly Part[],
  text: string,
  meter: Meter,
  whole: boolean,
): MatchedPattern | null {
  const fields: Fields = {};
  const [first] = variant;
  const hasPreface = first !== undefined && isPreface(first);
  const begin = hasPreface ? afterPreface(variant, text, meter) : 0;
  if (begin === null) return null;
  const parts = hasPreface ? variant.slice(1) : variant;
  const gapAt = parts.findIndex((part) => part.kind === 'gap');
  const head = gapAt < 0 ? parts : parts.slice(0, gapAt);
  const end = matchSequence(head, text, begin, fields, meter);
  if (end === null) return null;
  const gap = parts[gapAt];
  if (gap === undefined) return !whole || end === text.length ? { fields, end } : null;
  if (isPromotion(gap)) return { fields, end: text.length };
  return matchLastTail(parts.slice(gapAt + 1), gap, text, end, fields, meter);
}

/**
 * Text that the payer typed may hold a whole forged message: the true rest is the last one (wallets §1). It ends with
 * the message, so only as much of the end is looked at as it can be long; with a promotion behind it may stand
 * anywhere.
 */
function matchLastTail(
  tail: readonly Part[],
  gap: Part,
  text: string,
  from: number,
  fields: Fields,
  meter: Meter,
): MatchedPattern | null {
  const last = tail.at(-1);
  const isAdvertised = last !== undefined && isPromotion(last);
  const parts = isAdvertised ? tail.slice(0, -1) : tail;
  const longest = parts.reduce((sum, part) => sum + longestOf(part), 0);
  const first = isAdvertised ? from : Math.max(from, text.length - longest);
  for (let at = text.length; at >= first; at -= 1) {
    const tailFields: Fields = {};
    const end = matchSequence(parts, text, at, tailFields, meter);
    if (end === null || (!isAdvertised && end !== text.length)) continue;
    if (isAdvertised && isHalfAMessage(text.slice(end), meter)) return null;
    if (gap.kind === 'gap' && gap.name === 'name') {
      const name = text.slice(from, at);
      if (!isBusinessName(name)) return null;
      tailFields.counterparty = name;
    }
    return { fields: { ...fields, ...tailFields }, end: text.length };
  }
  return null;
}

/** Words of a wallet's own, in front of a fee, a balance or an id. */
const OWN_WORDS = ['Fee', 'Balance', 'Bal:', 'NetBal', 'TrxID', 'TxnID', 'TxnId', 'Txn ID'];

/**
 * Behind a rest that a payer may have typed stands a promotion of the wallet's, or the true rest whose end was cut
 * off: then it begins with a word of the wallet's own, or with as much of one as is left, or has one in it.
 */
function isHalfAMessage(behind: string, meter: Meter): boolean {
  meter.steps += behind.length * OWN_WORDS.length;
  const begun = behind.replace(/^[ .]+/, '');
  return OWN_WORDS.some((word) => word.startsWith(begun) || behind.includes(word));
}

function longestOf(part: Part): number {
  if (part.kind === 'text') return part.text.length;
  if (part.kind === 'field') return part.longest;
  return 1;
}

function matchSequence(
  parts: readonly Part[],
  text: string,
  from: number,
  fields: Fields,
  meter: Meter,
): number | null {
  let at = from;
  for (const part of parts) {
    if (part.kind === 'text') {
      meter.steps += part.text.length;
      if (!text.startsWith(part.text, at)) return null;
      at += part.text.length;
    } else if (part.kind === 'blank') {
      meter.steps += 1;
      if (text.charCodeAt(at) === 0x20) at += 1;
    } else if (part.kind === 'field') {
      const end = part.read(text, at, fields);
      if (end === null) {
        meter.steps += part.longest;
        return null;
      }
      meter.steps += end - at + 1;
      at = end;
    }
  }
  return at;
}

/**
 * Words that stand in a wallet's own messages. A promotion that holds one is no promotion, but a message of another
 * kind.
 */
const NOT_IN_A_PREFACE = ['Amount:', 'Amt:', 'TxnID', 'Txn ID', 'Ref:', 'Successful', 'Received'];

/** The name of a shop that was paid stands between such; in `Don't` it is a letter of the word. */
const QUOTATION_MARK = /(?:^|[^A-Za-z])'|'(?:[^A-Za-z]|$)/;

/**
 * Where the message begins behind the promotion in front of it: at the first place where it can. Only Nagad has any.
 */
function afterPreface(variant: readonly Part[], text: string, meter: Meter): number | null {
  const [gap, opening] = variant;
  if (gap?.kind !== 'gap' || opening?.kind !== 'text') return null;
  const searched = text.slice(0, MAX_PREFACE + opening.text.length);
  meter.steps += searched.length;
  const at = searched.indexOf(opening.text);
  if (at <= 0) return null;
  const preface = text.slice(0, at);
  meter.steps += preface.length * NOT_IN_A_PREFACE.length;
  if (NOT_IN_A_PREFACE.some((word) => preface.includes(word)) || QUOTATION_MARK.test(preface)) return null;
  const lastWord = preface.trimEnd().split(' ').at(-1) ?? '';
  return gap.name === 'preface' || lastWord.includes('nagad.io/') ? at : null;
}

function isPromotion(part: Part): boolean {
  return part.kind === 'gap' && part.name === 'promotion';
}

function isPreface(part: Part): boolean {
  return part.kind === 'gap' && part.name.startsWith('preface');
}

/** An amount, or an id: behind such a name it is a message of another kind, of which the name is only the beginning. */
const NOT_IN_A_NAME = /\bTk\.? ?[\d,]|\bTrxID\b/;

/**
 * The name of a business as bKash writes it: printable ASCII that begins with a letter, so that it is no phone
 * number.
 */
function isBusinessName(name: string): boolean {
  if (name.length === 0 || name.length > MAX_NAME) return false;
  if (!/^[A-Za-z]/.test(name) || NOT_IN_A_NAME.test(name)) return false;
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}
