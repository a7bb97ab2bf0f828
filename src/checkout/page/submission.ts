import { latinDigits } from '../../platform/web/numerals.js';
import type { NoticeWord } from './checkout-words.js';
import { findWallet, normaliseTrxId, PROVIDER_PATTERN, readTypedTrxId } from '../../wallets/index.js';

/*
 * Reads what a payer typed into the plain form of the page. The browser script follows the same rules, so that the
 * page behaves alike with and without it.
 */

const MAX_TYPED_CHARACTERS = 2_000;

const PLAIN_DIGITS = /^(?:[0-9]{4}|[0-9]{9,19})$/;
const MASKED_NUMBER = /^(?=.*[*•●xX])[0-9*•●xX]{1,36}[0-9]{4}$/;

export type ReadSubmission =
  | {
      readable: true;
      submission: { provider?: string; trxId: string } | { provider?: string; last4digit: string };
    }
  | {
      readable: false;
      notice: NoticeWord;
      typed: { provider?: string; trxId?: string; last4digit?: string };
    };

/**
 * The submission in the fields of `POST /pay/:id` (provider, and trxId or last4digit), ready for the same rules as
 * `POST /api/v1/payments/public/:id/verify` (contract 4.9 and 5.33); or why it cannot be read, as a notice to show.
 * What may be a PIN is not handed back.
 */
export function readSubmission(fields: unknown): ReadSubmission {
  const provider = textField(fields, 'provider').trim().toLowerCase();
  const wallet = PROVIDER_PATTERN.test(provider) ? { provider } : {};
  const trxId = textField(fields, 'trxId');
  const last4digit = textField(fields, 'last4digit');

  if (last4digit.trim() !== '') {
    const digits = readLastFour(last4digit);
    if (digits === null)
      return { readable: false, notice: 'last4digit.invalid', typed: { ...wallet, last4digit } };
    return { readable: true, submission: { ...wallet, last4digit: digits } };
  }
  const id = readTransactionId(trxId);
  if (looksLikePin(id, provider)) return { readable: false, notice: 'entry.pin', typed: wallet };
  if (looksLikePhone(id)) return { readable: false, notice: 'trxId.phone', typed: { ...wallet, trxId } };
  if (normaliseTrxId(id) === null)
    return { readable: false, notice: 'trxId.invalid', typed: { ...wallet, trxId } };
  return { readable: true, submission: { ...wallet, trxId: id } };
}

/**
 * The transaction id in what was typed or pasted: blanks and a leading "TrxID" removed, Bangla digits converted,
 * capitals. Out of a whole message the last labelled id is taken, because free text stands before it. Letters that
 * only look like Latin ones stay as they are, so that such an id is refused and never taken for another.
 */
export function readTransactionId(typed: string): string {
  return readTypedTrxId(typed.slice(0, MAX_TYPED_CHARACTERS).replace(/\p{Cf}/gu, ''));
}

/**
 * Four digits; or the last four of a whole account number, which has nine digits at least, or of one that is masked
 * as wallets do it (`01***0251`). Null for anything else: of five to eight plain digits nobody knows which four were
 * meant.
 */
export function readLastFour(typed: string): string | null {
  const text = latinDigits(typed.slice(0, MAX_TYPED_CHARACTERS)).replace(
    /[\s\p{Cf}()+\u2010-\u2015\u2212-]/gu,
    '',
  );
  return PLAIN_DIGITS.test(text) || MASKED_NUMBER.test(text) ? text.slice(-4) : null;
}

/** PINs have four or five digits, and no wallet we know has such short ids. */
function looksLikePin(id: string, provider: string): boolean {
  return /^[0-9]{4,5}$/.test(id) && (provider === '' || findWallet(provider) !== null);
}

function looksLikePhone(id: string): boolean {
  return /^(?:\+?88)?01[3-9][0-9]{8}$/.test(id);
}

function textField(fields: unknown, name: string): string {
  if (typeof fields !== 'object' || fields === null) return '';
  const value: unknown = (fields as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.slice(0, MAX_TYPED_CHARACTERS) : '';
}
